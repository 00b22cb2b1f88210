/* expr/certificate.c - a proof written out, so that another program can check it.
 *
 *     soa certificate 1
 *     theory rotors                      the axioms: plain, or also of systems with rotors
 *     symmetric S                        what is declared: operators that are their own adjoints,
 *     vector x                           vectors, numbers,
 *     operator S joint joint             and of operators what they give and take
 *     assumption S H'                    what is assumed to be zero
 *     statement (Mass + D)^-1 Mass = I - (Mass + D)^-1 D
 *     inverse i61 of Mass + D            a new letter: i61 (Mass + D) = (Mass + D) i61 = I
 *     root r63 of D to                   a new letter: r63' r63 = D; from: r63 r63' = D
 *     value Mass + D inverse i61         what an inverse in the statement is, and below why X Y - I = 0
 *     measure trace(tau) is trace(H G)   what a trace or a diagonal is, and below why: up to turns of products
 *     measure d(trace(D), q_1) is ...    what its derivative is
 *     measure logdet(H P H') is logdet(D) as D    what a determinant is, and below why H P H' - D = 0
 *     sum                                left - right of the statement
 *       -1 H {phi - phi E_phi - I} K     factor, letters, {relation that is zero}, letters
 *     end
 *
 * Polynomials are sums of numbers times letters; I is the product of none. scripts/check_certificate.py reads it. */
#include "core/error.h"
#include "expr/print.h"
#include "expr/program.h"
#include "expr/prove.h"
#include "expr/theory.h"

typedef struct writer {
    soa_theory theory;
    soa_page *out;
} writer;

/* ---- letters, words, polynomials ------------------------------------------------------------------------- */

static void put_letter(const writer *w, soa_letter letter)
{
    const soa_letter_info *about = soa_algebra_about(&w->theory.algebra, letter);
    const bool adjoint = about->adjoint < letter;
    const soa_letter base = adjoint ? about->adjoint : letter;
    const soa_term *term = soa_algebra_about(&w->theory.algebra, base)->term;
    if (term->kind == SOA_TERM_INVERSE || term->kind == SOA_TERM_ROOT) {
        soa_page_format(w->out, "%c%d", term->kind == SOA_TERM_ROOT ? 'r' : 'i', (int)base);
    } else {
        soa_print_plain(w->theory.algebra.terms, term, w->out);
    }
    soa_page_put(w->out, adjoint ? "'" : "");
}

static void put_word(const writer *w, const soa_word *word)
{
    for (int i = 0; i < word->length; i++) {
        soa_page_put(w->out, " ");
        put_letter(w, word->at[i]);
    }
}

static void put_number(const writer *w, soa_ratio ratio)
{
    char number[SOA_RATIO_SIZE];
    soa_page_put(w->out, soa_ratio_write(number, ratio));
}

/* " - 2 phi K", the first of a sum with no "+". */
static void put_monomial(const writer *w, soa_ratio factor, const soa_word *word, bool first)
{
    const bool minus = factor.num < 0;
    const soa_ratio size = minus ? soa_ratio_negative(factor) : factor;
    soa_page_put(w->out, minus ? " -" : first ? "" : " +");
    if (!soa_ratio_is(size, 1)) {
        soa_page_put(w->out, " ");
        put_number(w, size);
    }
    soa_page_put(w->out, word->length ? "" : " I");
    put_word(w, word);
}

static void put_poly(const writer *w, soa_poly p)
{
    for (int i = 0; i < p.count; i++) {
        put_monomial(w, p.at[i].factor, p.at[i].word, i == 0);
    }
    soa_page_put(w->out, p.count ? "" : " 0");
}

/* ---- sums of relations --------------------------------------------------------------------------------------- */

/* left - right */
static void put_rule(const writer *w, const soa_rule *rule)
{
    put_monomial(w, soa_ratio_of(1), rule->left, true);
    for (int i = 0; i < rule->right.count; i++) {
        put_monomial(w, soa_ratio_negative(rule->right.at[i].factor), rule->right.at[i].word, false);
    }
}

static void put_use(const writer *w, const soa_use *use)
{
    soa_page_put(w->out, "  ");
    put_number(w, use->factor);
    put_word(w, use->before);
    soa_page_put(w->out, " {");
    put_rule(w, soa_theory_rule(&w->theory, use->rule));
    soa_page_put(w->out, " }");
    put_word(w, use->after);
    soa_page_put(w->out, "\n");
}

/* The uses of basic rules that a trace is made of. */
static void put_trace(writer *w, soa_trace trace)
{
    soa_theory *theory = &w->theory;
    soa_array basic;
    soa_theory_expand(theory, trace, &basic);
    for (int i = 0; i < basic.count && soa_theory_ok(theory); i++) {
        const soa_use *use = soa_array_at(&basic, i);
        if (!soa_ratio_is_zero(use->factor)) {
            put_use(w, use);
        }
    }
}

/* Why the polynomial is zero; false: the rules do not say so. */
static bool put_zero(writer *w, soa_poly zero)
{
    soa_theory *theory = &w->theory;
    soa_array uses = { 0 };
    const bool holds = soa_theory_reduce(theory, zero, &uses).count == 0;
    if (holds && soa_theory_ok(theory)) {
        put_trace(w, (soa_trace){ uses.count, uses.items });
    }
    return holds && soa_theory_ok(theory);
}

/* ---- what is new in it --------------------------------------------------------------------------------------- */

/* A letter that is an inverse by definition, and if it is its own adjoint why: X - X' = 0. */
static bool put_inverse(writer *w, const soa_opaque *inverse)
{
    soa_algebra *algebra = &w->theory.algebra;
    soa_page_put(w->out, "inverse ");
    put_letter(w, inverse->letter);
    soa_page_put(w->out, " of");
    put_poly(w, inverse->of);
    soa_page_put(w->out, "\n");
    if (soa_algebra_about(algebra, inverse->letter)->adjoint != inverse->letter) {
        return true;
    }
    const soa_poly zero = soa_poly_minus(algebra, inverse->of, soa_poly_adjoint(algebra, inverse->of));
    soa_page_put(w->out, "symmetric ");
    put_letter(w, inverse->letter);
    soa_page_put(w->out, "\n");
    return put_zero(w, zero);
}

static void put_roots(writer *w)
{
    const soa_algebra *algebra = &w->theory.algebra;
    for (int i = 0; i < algebra->letters.count; i++) {
        const soa_letter_info *about = soa_algebra_about(algebra, (soa_letter)i);
        if (about->term->kind == SOA_TERM_ROOT && about->adjoint > i) {
            soa_page_put(w->out, "root ");
            put_letter(w, (soa_letter)i);
            soa_page_put(w->out, " of");
            put_poly(w, soa_theory_poly(&w->theory, about->term->child[0]));
            soa_page_put(w->out, about->term->type.to.side == SOA_SIDE_ANY ? " to\n" : " from\n");
        }
    }
}

/* What an inverse that is written in the statement is: X Y - I = 0. */
static bool put_value(writer *w, soa_inverted inverted)
{
    soa_algebra *algebra = &w->theory.algebra;
    soa_page_put(w->out, "value");
    put_poly(w, inverted.of);
    soa_page_put(w->out, " inverse");
    put_poly(w, inverted.is);
    soa_page_put(w->out, "\n");
    soa_poly zero = soa_poly_multiply(algebra, inverted.of, inverted.is);
    soa_poly_add(algebra, &zero, soa_ratio_of(-1), algebra->one);
    return put_zero(w, zero);
}

/* What a trace or a determinant is. */
static bool put_measured(writer *w, soa_measured measured)
{
    soa_algebra *algebra = &w->theory.algebra;
    soa_page_put(w->out, "measure");
    if (measured.letter.count > 0) {
        put_poly(w, measured.letter);
    } else {
        soa_page_put(w->out, " ");
        soa_print_plain(algebra->terms, measured.of, w->out);
    }
    soa_page_put(w->out, " is");
    put_poly(w, measured.is);
    if (!measured.as) {
        soa_page_put(w->out, "\n");
        put_trace(w, measured.because);
        return soa_theory_ok(&w->theory);
    }
    soa_page_put(w->out, " as");
    put_poly(w, soa_theory_poly(&w->theory, measured.as));
    soa_page_put(w->out, "\n");
    return put_zero(w, soa_theory_difference(&w->theory, measured.of, measured.as));
}

static bool put_definitions(writer *w)
{
    const soa_array *const list[] = { &w->theory.opaques, &w->theory.settled };
    bool fine = true;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < list[i]->count && fine; j++) {
            const soa_opaque inverse = *(const soa_opaque *)soa_array_at(list[i], j);
            fine = put_inverse(w, &inverse);
        }
    }
    put_roots(w);
    for (int i = 0; i < w->theory.inverted.count && fine; i++) {
        fine = put_value(w, *(const soa_inverted *)soa_array_at(&w->theory.inverted, i));
    }
    for (int i = 0; i < w->theory.measured.count && fine; i++) {
        fine = put_measured(w, *(const soa_measured *)soa_array_at(&w->theory.measured, i));
    }
    return fine;
}

/* What is declared: operators that are their own adjoints, vectors, numbers. */
static void put_declared(const writer *w)
{
    const soa_terms *terms = w->theory.algebra.terms;
    for (int i = 0; i < terms->variables.count; i++) {
        const soa_variable *about = soa_terms_about(terms, i);
        const bool vector = about->type.from.space == SOA_SPACE_ONE, number = about->type.to.space == SOA_SPACE_ONE;
        if (about->symmetric || vector) {
            soa_page_format(w->out, "%s %s\n", !vector ? "symmetric" : number ? "number" : "vector", about->name);
        }
        if (!vector && !about->body) {
            soa_page_format(w->out, "operator %s %s %s\n", about->name, soa_space_text(about->type.to.space),
                soa_space_text(about->type.from.space));
        }
    }
}

/* What is assumed to be zero: every basic relation that is called so, and is not the adjoint of the one before. */
static void put_assumptions(const writer *w)
{
    const soa_terms *terms = w->theory.algebra.terms;
    for (int i = 0; i < w->theory.rules.count; i++) {
        const soa_rule *rule = soa_theory_rule(&w->theory, i);
        bool assumed = false;
        for (int j = 0; j < soa_terms_assumptions(terms); j++) {
            assumed = assumed || (rule->basic && rule->label == soa_terms_assumption(terms, j)->label);
        }
        if (assumed) {
            soa_page_put(w->out, "assumption");
            put_rule(w, rule);
            soa_page_put(w->out, "\n");
        }
    }
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static soa_status write(
    soa_terms *terms, const soa_statement *s, const soa_proof *proof, soa_page *out, soa_error *error)
{
    writer w = { .out = out };
    const bool rotors = proof->free || proof->with_rotors;
    const soa_theory_kind kind = proof->free ? SOA_THEORY_FREE : rotors ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN;
    const soa_status status = soa_theory_init(&w.theory, kind, terms, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_algebra *algebra = &w.theory.algebra;
    const soa_poly zero = soa_theory_difference(&w.theory, s->term, s->right);
    soa_page_format(out, "soa certificate 1\ntheory %s\n", rotors ? "rotors" : "plain");
    put_declared(&w);
    put_assumptions(&w);
    soa_page_put(out, "statement ");
    soa_print_plain(terms, s->term, out);
    soa_page_put(out, " = ");
    soa_print_plain(terms, s->right, out);
    soa_page_put(out, "\n");
    bool fine = soa_theory_ok(&w.theory) && put_definitions(&w);
    soa_page_put(out, "sum\n");
    fine = fine && put_zero(&w, zero);
    soa_page_put(out, "end\n");
    const bool memory = algebra->status == SOA_E_MEMORY;
    soa_theory_clear(&w.theory);
    return fine     ? SOA_OK
           : memory ? soa_fail_memory(error)
                    : soa_fail(error, SOA_E_LIMIT, -1, "the certificate is too long to be written out");
}

soa_status soa_program_certificate(soa_program *program, int statement, char **text, soa_error *error)
{
    soa_proof proof;
    soa_telling t = soa_telling_begin(program, statement, SOA_AN_EQUATION, SOA_ASCII, text, error);
    t.status = t.status == SOA_OK ? soa_prove(t.pool, t.s->term, t.s->right, &proof, error) : t.status;
    if (t.status == SOA_OK) {
        t.status = proof.verdict == SOA_PROVED
                       ? write(t.pool, t.s, &proof, &t.out, error)
                       : soa_fail(error, SOA_E_ARGUMENT, -1, "what is not proved has no certificate");
    }
    return soa_telling_end(&t);
}
