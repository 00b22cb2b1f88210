/* expr/convert.c - terms as polynomials and back. */
#include "expr/graph.h"
#include "expr/parse.h"
#include "expr/theory.h"

/* Terms deeper than this, and sums longer, are refused. */
enum { DEPTH_MOST = 400, SUM_MOST = 2000 };

/* ---- to polynomials -------------------------------------------------------------------------- */

/* Vectors that are defined by others, or known by a law: what they weigh, more than their definition, and its label. */
static const struct {
    int weight;
    const char *label;
} vectors[SOA_VECTORS] = { [SOA_VECTOR_V] = { 10, "V" },
    [SOA_VECTOR_ALPHA] = { 10, "ACC" },
    [SOA_VECTOR_F] = { 60, "FRC" },
    [SOA_VECTOR_C] = { 60, "ID" },
    [SOA_VECTOR_B] = { 1, "B" },
    [SOA_VECTOR_B_ARM] = { 1, "GEAR" } };

static soa_poly variable(soa_theory *theory, const soa_term *term)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_vector_id id = soa_vector_find(soa_terms_about(algebra->terms, term->variable)->name);
    const bool rotors = theory->kind != SOA_THEORY_PLAIN, free = theory->kind == SOA_THEORY_FREE;
    const char *definition = free ? "" : soa_vector_definition(id, rotors);
    const bool defined = definition[0] != '\0';
    const char *law = free ? "" : id == SOA_VECTOR_B ? "V' b" : id == SOA_VECTOR_B_ARM && !rotors ? "b_Arm" : "";
    const int known = algebra->letters.count;
    const bool symmetric = soa_terms_about(algebra->terms, term->variable)->symmetric;
    const soa_letter letter = soa_algebra_letter(algebra, term, defined ? vectors[id].weight : 1, symmetric);
    const soa_poly made = soa_poly_letter(algebra, letter);
    if (letter >= known && soa_theory_ok(theory)) {
        soa_theory_part(theory, term, made);
    }
    if ((!defined && !law[0]) || letter < known || !soa_theory_ok(theory)) {
        return made;
    }
    const soa_poly meaning = soa_theory_text(theory, defined ? definition : law);
    soa_theory_equate(theory, defined ? made : (soa_poly){ 0 }, meaning, vectors[id].label);
    if (!defined) {
        (void)soa_theory_complete(theory);
    }
    return made;
}

/* Too long a sum is rewritten at once; one that stays too long is refused. */
static soa_poly bounded(soa_theory *theory, soa_poly a)
{
    if (a.count > SUM_MOST / 10) {
        a = soa_theory_reduce(theory, a, NULL);
    }
    if (a.count > SUM_MOST) {
        soa_algebra_fail(&theory->algebra, SOA_E_LIMIT);
    }
    return a;
}

static soa_poly sum(soa_theory *theory, const soa_term *term)
{
    soa_poly made = { 0 };
    for (int i = 0; i < term->count && soa_theory_ok(theory); i++) {
        soa_poly_add_times(
            &theory->algebra, &made, term->ratio[i], NULL, soa_theory_poly(theory, term->child[i]), NULL);
        made = bounded(theory, made);
    }
    return made;
}

static soa_poly product(soa_theory *theory, int count, const soa_term *const *child)
{
    soa_poly made = soa_poly_one(&theory->algebra);
    for (int i = 0; i < count && soa_theory_ok(theory); i++) {
        made = bounded(theory, soa_poly_multiply(&theory->algebra, made, soa_theory_poly(theory, child[i])));
    }
    for (int i = 0; i < made.count && soa_theory_ok(theory); i++) {
        (void)soa_theory_block(theory, made.at[i].word); /* as it is written, before others are put into it */
    }
    return made;
}

/* ---- inverses ----------------------------------------------------------------------------------- */

static soa_poly inverse_of(soa_theory *theory, const soa_term *term);
static soa_poly inverse_found(soa_theory *theory, const soa_term *term, soa_poly X);

/* (A B)^-1 = B^-1 A^-1 for square A, B: as many factors as there are. NULL count: not a product of several. */
static bool inverse_of_product(soa_theory *theory, const soa_term *term, soa_poly *inverse)
{
    if (term->kind != SOA_TERM_PRODUCT) {
        return false;
    }
    int end = 1;
    while (end < term->count && term->type.to.space != term->child[end - 1]->type.from.space) {
        end++;
    }
    if (end == term->count) {
        return false;
    }
    soa_terms *terms = theory->algebra.terms;
    const soa_term *first = soa_algebra_made(&theory->algebra, soa_term_product(terms, end, term->child));
    const soa_term *rest =
        soa_algebra_made(&theory->algebra, soa_term_product(terms, term->count - end, term->child + end));
    if (first && rest) {
        const soa_poly left = inverse_of(theory, rest), right = inverse_of(theory, first);
        *inverse = soa_poly_multiply(&theory->algebra, left, right);
    }
    return true;
}

/* term^-1; what was found is kept, so that certificates can show it. */
static soa_poly inverse_of(soa_theory *theory, const soa_term *term)
{
    const soa_poly written = soa_theory_poly(theory, term), X = soa_theory_reduce(theory, written, NULL);
    const soa_poly inverse = soa_theory_ok(theory) ? inverse_found(theory, term, X) : (soa_poly){ 0 };
    (void)soa_theory_add(theory, &theory->inverted, &(soa_inverted){ written, inverse });
    return inverse;
}

/* The inverse of the term, whose normal form is X. */
static soa_poly inverse_found(soa_theory *theory, const soa_term *term, soa_poly X)
{
    soa_poly inverse = { 0 };
    soa_ratio ratio;
    if (X.count == 1 && X.at[0].word->length == 0) { /* a multiple of I */
        soa_poly_add(
            &theory->algebra, &inverse, soa_ratio_divide(soa_ratio_of(1), X.at[0].factor), theory->algebra.one);
        return inverse;
    }
    if (term->kind == SOA_TERM_ADJOINT) { /* (A*)^-1 = (A^-1)* */
        return soa_poly_adjoint(&theory->algebra, inverse_of(theory, term->child[0]));
    }
    if (!soa_theory_known(theory, X, &ratio) && inverse_of_product(theory, term, &inverse)) {
        return inverse;
    }
    const soa_term *name = soa_algebra_made(&theory->algebra, soa_term_inverse(theory->algebra.terms, term));
    const bool letter =
        name && name->kind == SOA_TERM_INVERSE; /* else it has a name of its own, or is the inverse of one */
    return letter ? soa_theory_inverse(theory, X, name) : name ? soa_theory_poly(theory, name) : inverse;
}

/* What the letter of a root weighs: two more than what they are the root of. */
enum { ROOT_WEIGHT = 40 };

/* The letter of a root, here or there of the middle, and with it those of its inverse:
 *     X = t* t,  X^-1 = i i*,  i t = t i = I    t to the middle, i from it */
static soa_poly root_of(soa_theory *theory, const soa_term *term)
{
    soa_algebra *algebra = &theory->algebra;
    soa_terms *terms = algebra->terms;
    const bool to_middle = term->type.to.side == SOA_SIDE_ANY;
    const soa_term *to = to_middle ? term : soa_term_adjoint(terms, term);
    const soa_term *from = soa_term_inverse(terms, to);
    const int known = algebra->letters.count;
    const soa_letter letter = soa_algebra_letter(algebra, to, ROOT_WEIGHT, false);
    const soa_letter inverse = soa_algebra_letter(algebra, from, ROOT_WEIGHT, false);
    const soa_poly t = soa_poly_letter(algebra, letter), i = soa_poly_letter(algebra, inverse);
    if (soa_theory_ok(theory) && letter >= known) {
        const soa_term *X = to->child[0];
        soa_poly of = soa_theory_poly(theory, X);
        soa_theory_equate(theory, soa_poly_multiply(algebra, soa_poly_adjoint(algebra, t), t), of, "root");
        of = inverse_of(theory, X);
        soa_theory_equate(theory, soa_poly_multiply(algebra, i, soa_poly_adjoint(algebra, i)), of, "root");
        soa_theory_equate(theory, soa_poly_multiply(algebra, i, t), soa_poly_one(algebra), "root");
        soa_theory_equate(theory, soa_poly_multiply(algebra, t, i), soa_poly_one(algebra), "root");
        (void)soa_theory_complete(theory);
    }
    return to_middle ? t : soa_poly_adjoint(algebra, t);
}

/* ---- derivatives ---------------------------------------------------------------------------------- */

/* What the derivative of a letter weighs: more than what it is made of. */
enum { DERIVATIVE_WEIGHT = 8 };

/* A relation that holds for an operator whose derivative is a letter; NULL: none is needed. */
static const char *law_of(const soa_theory *theory, const soa_term *atom, const soa_term *coordinate)
{
    const bool op = atom->kind == SOA_TERM_OPERATOR && theory->kind != SOA_THEORY_FREE;
    const char *by = soa_terms_about(theory->algebra.terms, coordinate->variable)->name;
    if (op && (atom->op == SOA_OP_E_PHI || atom->op == SOA_OP_H) && soa_derivative_by(by) == SOA_BY_TIME) {
        return "a - g - dot(E_phi)' V - dot(H)' beta";
    }
    return op && atom->op == SOA_OP_P                                         ? "M - P + E_phi P E_phi' - K D K'"
           : op && atom->op == SOA_OP_R                                       ? "M - R + E_phi R E_phi'"
           : op && atom->op == SOA_OP_UPS && theory->kind == SOA_THEORY_PLAIN ? "Ups G - H' D^-1"
                                                                              : NULL;
}

/* The derivatives of `like`, of another term. */
static const soa_term *alike(soa_terms *terms, const soa_term *like, const soa_term *of)
{
    return like->kind == SOA_TERM_DERIVATIVE
               ? soa_term_derivative(terms, alike(terms, like->child[0], of), like->child[1])
               : of;
}

/* An elementary derivative: a letter, with the derivative of the law that its operator obeys. */
static soa_poly elementary(soa_theory *theory, const soa_term *term)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_term *atom = term, *zero = NULL;
    while (atom->kind == SOA_TERM_DERIVATIVE) {
        atom = atom->child[0];
    }
    const int known = algebra->letters.count;
    const bool symmetric = atom->kind == SOA_TERM_OPERATOR && soa_operator_about(atom->op, false).symmetric;
    const soa_letter letter = soa_algebra_letter(algebra, term, DERIVATIVE_WEIGHT, symmetric);
    const char *law = law_of(theory, atom, term->child[1]);
    const bool rate = law && law[0] == 'a'; /* [A-gen] is no law to be derived */
    if (letter >= known && law && soa_theory_ok(theory)) {
        const soa_status status = soa_parse_term(algebra->terms, law, &zero, NULL);
        zero = status != SOA_OK ? NULL : rate ? zero : alike(algebra->terms, term, zero);
        algebra->status = zero ? SOA_OK : status != SOA_OK ? status : algebra->terms->status;
        if (zero) {
            (void)soa_theory_relate(theory, soa_theory_poly(theory, zero), rate ? "A-gen" : "d");
            (void)soa_theory_complete(theory);
        }
    }
    return soa_poly_letter(algebra, letter);
}

/* The polynomial of a derivative, by the rule of products and the list operators.def, as programs are run. */
static soa_poly derivative(soa_theory *theory, const soa_term *term)
{
    soa_arena arena = soa_arena_on(&theory->algebra.allocator);
    soa_graph graph = soa_graph_begin(theory->algebra.terms, &arena, NULL);
    graph.rotors = theory->kind != SOA_THEORY_PLAIN;
    const soa_term *open = soa_graph_expanded(&graph, term);
    theory->algebra.status = open ? SOA_OK : graph.status == SOA_E_MEMORY ? SOA_E_MEMORY : SOA_E_LIMIT;
    soa_arena_free(&arena);
    const soa_poly is = !open          ? (soa_poly){ 0 }
                        : open == term ? elementary(theory, term)
                                       : bounded(theory, soa_theory_poly(theory, open));
    const soa_term *of = term->child[0];
    const bool measure = of->kind == SOA_TERM_VARIABLE && soa_terms_about(theory->algebra.terms, of->variable)->of;
    if (measure) {
        (void)soa_theory_add(theory, &theory->measured, &(soa_measured){ .of = term, .is = is });
    }
    return is;
}

soa_poly soa_theory_poly(soa_theory *theory, const soa_term *term)
{
    soa_algebra *algebra = &theory->algebra;
    if (!soa_theory_ok(theory)) {
        return (soa_poly){ 0 };
    }
    if (term->depth > DEPTH_MOST) {
        soa_algebra_fail(algebra, SOA_E_LIMIT);
        return (soa_poly){ 0 };
    }
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return (soa_poly){ 0 };
    case SOA_TERM_IDENTITY:
        return soa_poly_one(algebra);
    case SOA_TERM_SUM:
        return sum(theory, term);
    case SOA_TERM_PRODUCT:
        return product(theory, term->count, term->child);
    case SOA_TERM_ADJOINT:
        return soa_poly_adjoint(algebra, soa_theory_poly(theory, term->child[0]));
    case SOA_TERM_INVERSE:
        return inverse_of(theory, term->child[0]);
    case SOA_TERM_ROOT:
        return root_of(theory, term);
    case SOA_TERM_OPERATOR:
        return soa_poly_letter(algebra, soa_theory_operator(theory, term->op));
    case SOA_TERM_VARIABLE:
        return variable(theory, term);
    case SOA_TERM_DERIVATIVE:
        return derivative(theory, term);
    }
    return (soa_poly){ 0 };
}

soa_poly soa_theory_text(soa_theory *theory, const char *text)
{
    const soa_term *term = NULL;
    const soa_status status = soa_parse_term(theory->algebra.terms, text, &term, NULL);
    if (status != SOA_OK) {
        soa_algebra_fail(&theory->algebra, status);
    }
    return term ? soa_theory_poly(theory, term) : (soa_poly){ 0 };
}

soa_poly soa_theory_difference(soa_theory *theory, const soa_term *a, const soa_term *b)
{
    const soa_poly of = soa_theory_poly(theory, a);
    return soa_poly_minus(&theory->algebra, of, b ? soa_theory_poly(theory, b) : (soa_poly){ 0 });
}

bool soa_theory_equal(soa_theory *theory, const soa_term *a, const soa_term *b)
{
    return soa_theory_reduce(theory, soa_theory_difference(theory, a, b), NULL).count == 0 && soa_theory_ok(theory);
}

/* ---- to terms -------------------------------------------------------------------------------------- */

const soa_term *soa_theory_product(soa_theory *theory, const soa_word *word, soa_type type)
{
    soa_terms *terms = theory->algebra.terms;
    if (word->length == 0) {
        return soa_term_identity(terms, type.to);
    }
    const soa_term **child = soa_algebra_take(&theory->algebra, (size_t)word->length, sizeof *child);
    for (int i = 0; child && i < word->length; i++) {
        child[i] = soa_algebra_about(&theory->algebra, word->at[i])->term;
    }
    return child ? soa_term_product(terms, word->length, child) : NULL;
}

const soa_term *soa_theory_term(soa_theory *theory, soa_poly a, soa_type type)
{
    soa_ratio *factor = soa_algebra_take(&theory->algebra, (size_t)a.count + 1, sizeof *factor);
    const soa_term **child = soa_algebra_take(&theory->algebra, (size_t)a.count + 1, sizeof *child);
    for (int i = 0; factor && child && i < a.count; i++) { /* the least first: it is the shortest */
        factor[i] = a.at[a.count - 1 - i].factor;
        child[i] = soa_theory_product(theory, a.at[a.count - 1 - i].word, type);
    }
    return !factor || !child ? NULL
           : a.count > 0     ? soa_term_sum(theory->algebra.terms, a.count, factor, child)
                             : soa_term_zero(theory->algebra.terms, type);
}
