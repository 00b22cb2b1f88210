/* expr/theory_part.c - laws of what is made of operators: blocks at bodies, traces, determinants, pseudo-inverses. */
#include <string.h>

#include "expr/theory.h"

static soa_letter_info about_letter(const soa_theory *theory, soa_letter letter)
{
    return *soa_algebra_about(&theory->algebra, letter);
}

/* ---- blocks ---------------------------------------------------------------------------------------- */

/* S* X S = 0: X is between bodies on different branches. */
static void relate_branches(soa_theory *theory, const soa_variable *about, soa_poly S)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_term *X = soa_term_operator(algebra->terms, SOA_OP_BRANCH);
    if (X && about->type.to.space == SOA_SPACE_BODY) {
        const soa_poly X_S = soa_poly_multiply(algebra, soa_theory_poly(theory, X), S);
        (void)soa_theory_relate(theory, soa_poly_multiply(algebra, soa_poly_adjoint(algebra, S), X_S), "block");
    }
}

/* S S = S, and S A = A S for an operator A whose blocks are of one body. */
static void relate_selector(soa_theory *theory, const soa_variable *about, soa_poly S)
{
    soa_algebra *algebra = &theory->algebra;
    soa_terms *terms = algebra->terms;
    soa_theory_equate(theory, soa_poly_multiply(algebra, S, S), S, "block");
    for (int i = SOA_OP_I + 1; i < SOA_OPERATORS && soa_theory_ok(theory); i++) {
        const soa_operator_info info = soa_operator_about((soa_operator)i, false);
        const bool blocks = info.kind == SOA_KIND_MEMORYLESS && info.domain_space != SOA_SPACE_POINT;
        const soa_term *op = blocks ? soa_term_operator(terms, (soa_operator)i) : NULL;
        if (!op || op->type.to.space != about->type.to.space) {
            continue;
        }
        const soa_term *left = soa_algebra_made(algebra, soa_term_selector(terms, op->type.to, about->body));
        const soa_term *right = soa_algebra_made(algebra, soa_term_selector(terms, op->type.from, about->body));
        if (left && right) {
            const soa_poly A = soa_theory_poly(theory, op);
            soa_theory_equate(theory, soa_poly_multiply(algebra, soa_theory_poly(theory, left), A),
                soa_poly_multiply(algebra, A, soa_theory_poly(theory, right)), "block");
        }
    }
    relate_branches(theory, about, S);
    theory->blocks = true;
    (void)soa_theory_complete(theory);
}

/* The body that a letter selects; NULL: it selects none, or a point. */
static const char *body_of(const soa_theory *theory, soa_letter letter)
{
    const soa_term *term = about_letter(theory, letter).term;
    return term->type.to.space == SOA_SPACE_POINT ? NULL : soa_term_selects(theory->algebra.terms, term);
}

/* phi, psi and their adjoints: I at each body. */
static bool is_one_at_bodies(const soa_term *term)
{
    const soa_term *of = soa_term_upright(term);
    return soa_term_is(of, SOA_OP_PHI) || soa_term_is(of, SOA_OP_PSI);
}

/* What stands between two selectors. */
typedef struct span {
    soa_kind kind; /* of the product */
    bool memory;   /* there are letters that are not memoryless */
    bool one;      /* their diagonal blocks are I */
} span;

static void extend(span *s, const soa_term *term)
{
    const bool memoryless = term->causality == SOA_KIND_MEMORYLESS;
    s->kind = soa_kind_product(s->kind, term->causality);
    s->memory = s->memory || !memoryless;
    s->one = s->one && (memoryless || is_one_at_bodies(term));
}

/* Whether the product from body b to body a is zero whatever the tree: bodies are numbered from the base outward. */
static bool is_zero(const span *s, const char *a, const char *b)
{
    if (strcmp(a, b) == 0) {
        return soa_kind_is_strict(s->kind);
    }
    const int row = soa_body_number(a), col = soa_body_number(b);
    const unsigned others = SOA_ELSEWHERE | (col > row ? SOA_OUTBOARD : SOA_INBOARD);
    return row > 0 && col > 0 && row != col && !(soa_kind_sees(s->kind) & others);
}

/* The letters from..to of a word without those that are I at each body. */
static const soa_word *without_ones(soa_theory *theory, const soa_word *word, int from, int to)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_word *made = algebra->one;
    for (int i = from; i <= to; i++) {
        if (!is_one_at_bodies(about_letter(theory, word->at[i]).term)) {
            made = soa_word_join(algebra, made, soa_word_part(algebra, word, i, 1), NULL);
        }
    }
    return made;
}

/* S A S of the letters from..to as a rule, if it is zero or A has factors that are I there: then it is A S without them. */
static bool relate_block(soa_theory *theory, const soa_word *word, int from, int to, const span *s)
{
    soa_algebra *algebra = &theory->algebra;
    const char *a = body_of(theory, word->at[from]), *b = body_of(theory, word->at[to]);
    const bool same = strcmp(a, b) == 0, zero = is_zero(s, a, b);
    const bool one = same && s->memory && s->one && s->kind != SOA_KIND_FULL;
    if (!zero && !one) {
        return false;
    }
    soa_poly relation = { 0 };
    soa_poly_add(algebra, &relation, soa_ratio_of(1), soa_word_part(algebra, word, from, to - from + 1));
    if (!zero) {
        soa_poly_add(algebra, &relation, soa_ratio_of(-1), without_ones(theory, word, from + 1, to));
    }
    theory->blocks = false; /* the left side is not to be related once more */
    const bool made = soa_theory_ok(theory) && soa_theory_relate(theory, relation, "block") >= 0;
    theory->blocks = true;
    return made;
}

bool soa_theory_block(soa_theory *theory, const soa_word *word)
{
    for (int from = 0; theory->blocks && from < word->length; from++) {
        span s = { .kind = SOA_KIND_MEMORYLESS, .one = true };
        int to = from + 1;
        for (; body_of(theory, word->at[from]) && to < word->length && !body_of(theory, word->at[to]); to++) {
            extend(&s, about_letter(theory, word->at[to]).term);
        }
        if (body_of(theory, word->at[from]) && to < word->length && relate_block(theory, word, from, to, &s)) {
            return true;
        }
    }
    return false;
}

/* ---- traces and diagonals ----------------------------------------------------------------------------------------- */

/* The word that begins with its letter number `first`: of the same trace, if it gives what it takes. */
static const soa_word *turned(soa_theory *theory, const soa_word *word, int first)
{
    soa_algebra *algebra = &theory->algebra;
    return soa_word_join(algebra, soa_word_part(algebra, word, first, word->length - first),
        soa_word_part(algebra, word, 0, first), NULL);
}

static bool turns(const soa_theory *theory, const soa_word *word)
{
    return word->length > 0 && soa_place_equal(about_letter(theory, word->at[0]).term->type.to,
                                   about_letter(theory, word->at[word->length - 1]).term->type.from);
}

/* Whether a rule makes the word lighter or shorter: others may be undone by turns. */
static bool shortens(const soa_theory *theory, const soa_word *word)
{
    int number;
    if (soa_theory_match(theory, word, &number) < 0) {
        return false;
    }
    const soa_rule *rule = soa_theory_rule(theory, number);
    const soa_word *right = rule->right.count ? rule->right.at[0].word : theory->algebra.one;
    return right->weight < rule->left->weight ||
           (right->weight == rule->left->weight && right->length < rule->left->length);
}

/* The least of all turns of a word and of its adjoint; or one that a rule makes shorter, if there is any. */
static const soa_word *least_turn(soa_theory *theory, soa_measure measure, const soa_word *word, bool *reducible)
{
    const soa_word *best = word, *side[] = { word, soa_word_adjoint(&theory->algebra, word) };
    const int count = measure == SOA_MEASURE_TRACE && turns(theory, word) ? word->length : 1;
    for (int i = 0; i < 2 * count && soa_theory_ok(theory); i++) {
        const soa_word *other = turned(theory, side[i % 2], i / 2);
        *reducible = soa_theory_ok(theory) && shortens(theory, other);
        if (!soa_theory_ok(theory) || *reducible) {
            return other;
        }
        best = soa_word_compare(other, best) < 0 ? other : best;
    }
    return best;
}

/* What is made of a word: its trace or its diagonal, of this type. */
static soa_poly measure_of(soa_theory *theory, soa_measure measure, const soa_word *word, soa_type type)
{
    soa_terms *terms = theory->algebra.terms;
    type.to.side = word->length == 0 && type.to.side == SOA_SIDE_MOTION ? SOA_SIDE_FORCE : type.to.side;
    const soa_term *product = soa_theory_product(theory, word, type);
    const soa_term *made =
        soa_algebra_made(&theory->algebra, product ? soa_term_measure(terms, measure, product) : NULL);
    return made ? soa_theory_poly(theory, made) : (soa_poly){ 0 };
}

/* A product of causal operators has the diagonal of its blocks: zero if it is strict, else those of phi and psi are I. */
static const soa_word *diagonal(soa_theory *theory, const soa_word *word, bool *zero)
{
    span s = { .kind = SOA_KIND_MEMORYLESS, .one = true };
    for (int i = 0; i < word->length; i++) {
        extend(&s, about_letter(theory, word->at[i]).term);
    }
    *zero = soa_kind_is_strict(s.kind);
    return s.one && s.kind != SOA_KIND_FULL ? without_ones(theory, word, 0, word->length - 1) : word;
}

/* measured->is += the trace or the diagonal of A as a sum of those of products, turned until no rule applies. */
static void add_parts(
    soa_theory *theory, soa_measure measure, soa_measured *measured, soa_poly A, soa_type type, soa_array *uses)
{
    soa_algebra *algebra = &theory->algebra;
    for (int i = 0; i < A.count && soa_theory_ok(theory); i++) {
        bool reducible = false, zero = false;
        const soa_word *turn = least_turn(theory, measure, A.at[i].word, &reducible);
        const soa_word *word = turn && !reducible ? diagonal(theory, turn, &zero) : turn;
        const bool square = word && turns(theory, turn);
        const soa_place place = square ? about_letter(theory, turn->at[0]).term->type.to : type.to;
        const soa_type own = square ? (soa_type){ place, place } : type;
        if (word && (reducible || word != turn)) {
            soa_poly one = { 0 };
            soa_poly_add(algebra, &one, A.at[i].factor, word);
            add_parts(theory, measure, measured, soa_theory_reduce(theory, one, uses), own, uses);
        } else if (word && !zero) {
            const soa_poly part = measure_of(theory, measure, word, own);
            soa_poly_add_times(algebra, &measured->is, A.at[i].factor, NULL, part, NULL);
        }
    }
}

/* ---- determinants ----------------------------------------------------------------------------------- */

/* sign logdet(ratio op) of what is a multiple of an operator.  [I4] */
static const struct {
    soa_operator of, is;
    int sign;
} determinants[] = { { SOA_OP_MASS, SOA_OP_D, 1 }, { SOA_OP_MASS_INV, SOA_OP_D, -1 }, { SOA_OP_D, SOA_OP_D, 1 },
    { SOA_OP_D_INV, SOA_OP_D, -1 }, { SOA_OP_M, SOA_OP_M, 1 }, { SOA_OP_P, SOA_OP_P, 1 }, { SOA_OP_R, SOA_OP_R, 1 },
    { SOA_OP_LAMBDA, SOA_OP_LAMBDA, 1 } };

/* logdet(A) if A is a multiple of an operator of the list: the multiple `as` is then equal to A. */
static soa_poly determinant_law(soa_theory *theory, const soa_term *A, const soa_term **as)
{
    soa_terms *terms = theory->algebra.terms;
    const soa_poly N = soa_theory_reduce(theory, soa_theory_poly(theory, A), NULL);
    soa_poly is = { 0 };
    for (size_t i = 0; i < sizeof determinants / sizeof determinants[0] && soa_theory_ok(theory); i++) {
        const soa_term *op = soa_term_operator(terms, determinants[i].of);
        soa_ratio ratio;
        if (op && soa_poly_proportional(N, soa_theory_reduce(theory, soa_theory_poly(theory, op), NULL), &ratio)) {
            const bool minus = determinants[i].sign < 0;
            const soa_ratio inside = minus ? soa_ratio_divide(soa_ratio_of(1), ratio) : ratio;
            const soa_term *of = soa_term_scale(terms, inside, soa_term_operator(terms, determinants[i].is));
            const soa_term *number = of ? soa_term_measure(terms, SOA_MEASURE_LOGDET, of) : NULL;
            *as = soa_term_scale(terms, ratio, op);
            if (soa_algebra_made(&theory->algebra, number) && soa_algebra_made(&theory->algebra, *as)) {
                const soa_ratio sign = soa_ratio_of(determinants[i].sign);
                is = soa_poly_scaled(&theory->algebra, sign, soa_theory_poly(theory, number));
            }
            return is;
        }
    }
    return is;
}

/* ---- all -------------------------------------------------------------------------------------------- */

/* A number that is a trace or a determinant is a sum of others: a basic relation. */
static void relate_measure(soa_theory *theory, soa_measured measured, const char *label)
{
    if (!soa_poly_equal(measured.letter, measured.is) && soa_theory_add(theory, &theory->measured, &measured)) {
        soa_theory_equate(theory, measured.letter, measured.is, label);
    }
}

static void relate_diagonal(soa_theory *theory, soa_measure measure, soa_measured measured)
{
    soa_array uses = { 0 };
    const soa_poly A = soa_theory_reduce(theory, soa_theory_poly(theory, measured.of), &uses);
    add_parts(theory, measure, &measured, A, measured.of->type, &uses);
    measured.because = soa_theory_keep(theory, &uses, soa_ratio_of(1));
    relate_measure(theory, measured, soa_measure_text(measure));
}

static void relate_determinant(soa_theory *theory, soa_measured measured)
{
    measured.is = determinant_law(theory, measured.of, &measured.as);
    if (measured.is.count > 0) {
        relate_measure(theory, measured, "logdet");
    }
}

/* A X A = A, X A X = X */
static void relate_pseudo(soa_theory *theory, soa_poly A, soa_poly X)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_poly AX = soa_poly_multiply(algebra, A, X), XA = soa_poly_multiply(algebra, X, A);
    soa_theory_equate(theory, soa_poly_multiply(algebra, AX, A), A, "pinv");
    soa_theory_equate(theory, soa_poly_multiply(algebra, XA, X), X, "pinv");
    (void)soa_theory_complete(theory);
}

void soa_theory_part(soa_theory *theory, const soa_term *variable, soa_poly letter)
{
    const soa_variable about = *soa_terms_about(theory->algebra.terms, variable->variable);
    const soa_measured measured = { .letter = letter, .of = about.of };
    if (about.body) {
        relate_selector(theory, &about, letter);
    } else if (about.measure == SOA_MEASURE_PSEUDO) {
        relate_pseudo(theory, soa_theory_poly(theory, about.of), letter);
    } else if (about.measure == SOA_MEASURE_TRACE || about.measure == SOA_MEASURE_DIAGONAL) {
        relate_diagonal(theory, about.measure, measured);
    } else if (about.measure == SOA_MEASURE_LOGDET && theory->kind != SOA_THEORY_FREE) {
        relate_determinant(theory, measured);
    }
}
