/* expr/print.c - terms as text. Names are in spell.c. */
#include "expr/print.h"

#include <string.h>

#include "expr/parse.h"

/* How tightly a place binds; what binds less gets parentheses. */
typedef enum level { LEVEL_SUM, LEVEL_PRODUCT, LEVEL_POWER } level;

typedef struct printer {
    const soa_terms *pool;
    soa_notation notation;
    soa_page *text;
    bool tell_type; /* the next I or 0 carries its type */
    bool plain;     /* blocks are products with projections */
} printer;

static void print(printer *p, const soa_term *term, level least);

/* ---- parts ------------------------------------------------------------------------------- */

static void put(printer *p, const char *text)
{
    soa_page_put(p->text, text);
}

/* What is written differently by notation. */
typedef enum sign { OPEN, CLOSE, ADJOINT, INVERSE, INVERSE_ADJOINT, ROOT, INVERSE_ROOT, RATE } sign;

static void put_sign(printer *p, sign which)
{
    static const char *const text[][3] = {
        [OPEN] = { "(", "(", "\\left(" },
        [CLOSE] = { ")", ")", "\\right)" },
        [ADJOINT] = { "'", "*", "^{*}" },
        [INVERSE] = { "^-1", "⁻¹", "^{-1}" },
        [INVERSE_ADJOINT] = { "^-1'", "⁻¹*", "^{-*}" },
        [ROOT] = { "^(1/2)", "^½", "^{1/2}" },
        [INVERSE_ROOT] = { "^(-1/2)", "^-½", "^{-1/2}" },
        [RATE] = { "dot", "dot", "\\mathrm{dot}" },
    };
    put(p, text[which][p->notation]);
}

static void put_type(printer *p, soa_type type)
{
    char words[SOA_WORDS];
    (void)soa_words_type(words, type);
    put(p, "[");
    for (const char *at = words; *at;) {
        const int length = (int)strcspn(at, " ");
        const bool arrow = *at == '-', latex = p->notation == SOA_LATEX;
        if (latex && arrow) {
            put(p, "\\to");
        } else {
            soa_page_format(p->text, latex ? "\\mathrm{%.*s}" : "%.*s", length, at);
        }
        at += length;
        if (*at == ' ') {
            put(p, latex ? "\\ " : " ");
            at++;
        }
    }
    put(p, "]");
}

static void print_constant(printer *p, const soa_term *term)
{
    const bool identity = term->kind == SOA_TERM_IDENTITY;
    put(p, identity ? "I" : "0");
    if (p->tell_type) {
        p->tell_type = false;
        if (term->type.to.space != SOA_SPACE_ANY || term->type.from.space != SOA_SPACE_ANY) {
            const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
            put_type(p, identity ? (soa_type){ one, term->type.to } : term->type);
        }
    }
}

static void print_sum(printer *p, const soa_term *term)
{
    for (int i = 0; i < term->count; i++) {
        const bool minus = term->ratio[i].num < 0;
        const soa_ratio size = minus ? soa_ratio_negative(term->ratio[i]) : term->ratio[i];
        put(p, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        if (!soa_ratio_is(size, 1)) {
            char number[SOA_RATIO_SIZE];
            put(p, soa_ratio_write(number, size));
            put(p, " ");
        }
        print(p, term->child[i], LEVEL_PRODUCT);
    }
}

/* The body or point that factor i of a product selects; NULL: it selects none. */
static const char *selected(const printer *p, const soa_term *product, int i)
{
    return i < product->count ? soa_term_selects(p->pool, product->child[i]) : NULL;
}

/* A[row,col], or A[body]; of an adjoint A[col,row]'. */
static void print_block(printer *p, const soa_term *term, const char *row, const char *col)
{
    const bool adjoint = term->kind == SOA_TERM_ADJOINT, both = row && col && strcmp(row, col) != 0;
    print(p, adjoint ? term->child[0] : term, LEVEL_POWER);
    soa_page_format(p->text, both ? "[%s,%s]" : "[%s]", !row || (adjoint && col) ? col : row, adjoint ? row : col);
    if (adjoint) {
        put_sign(p, ADJOINT);
    }
}

/* Whether a block of the term reads back as the term beside selectors: its parts stay together. */
static bool is_one_factor(const soa_term *term)
{
    const soa_term *of = term->kind == SOA_TERM_ADJOINT ? term->child[0] : term;
    return of->kind == SOA_TERM_OPERATOR || of->kind == SOA_TERM_VARIABLE || of->kind == SOA_TERM_SUM ||
           of->kind == SOA_TERM_DERIVATIVE || (of == term && of->kind == SOA_TERM_INVERSE);
}

/* Prints factors of a product from the i-th on as a block, and tells how many; 0: they are none.
 *     P S = P[4],  S phi S = phi[2,3],  S V = V[2],  V' S = V[2]' */
static int print_block_at(printer *p, const soa_term *product, int i)
{
    const char *row = p->plain ? NULL : selected(p, product, i);
    const int at = i + (row != NULL);
    const char *col = p->plain ? NULL : selected(p, product, at + 1);
    const soa_term *of = at < product->count ? product->child[at] : NULL;
    if (!of || selected(p, product, at) || !is_one_factor(of)) {
        return 0;
    }
    const bool from = of->type.from.space != SOA_SPACE_ONE, to = of->type.to.space != SOA_SPACE_ONE;
    const bool mixed = (of->type.from.space == SOA_SPACE_POINT) != (of->type.to.space == SOA_SPACE_POINT);
    if (from && to ? !col || mixed || (!row && !soa_term_passes(of)) : from ? !col : !to || !row) {
        return 0;
    }
    print_block(p, of, row, from ? col : NULL);
    return at - i + (from ? 2 : 1);
}

static void print_product(printer *p, const soa_term *term)
{
    for (int i = 0, taken; i < term->count; i += taken ? taken : 1) {
        put(p, i ? " " : "");
        taken = print_block_at(p, term, i);
        if (!taken) {
            print(p, term->child[i], LEVEL_POWER);
        }
    }
}

/* ---- powers ------------------------------------------------------------------------------------ */

/* The operator whose inverse this one is; SOA_OPERATORS: none. */
static soa_operator inverted(const soa_term *term)
{
    const bool inverse = soa_term_is(term, SOA_OP_D_INV) || soa_term_is(term, SOA_OP_MASS_INV);
    return inverse ? soa_operator_inverse(term->op) : SOA_OPERATORS;
}

/* TeX allows one superscript: a base that has one gets parentheses. */
static bool has_superscript(const soa_term *term)
{
    return term->kind == SOA_TERM_ADJOINT || term->kind == SOA_TERM_INVERSE || term->kind == SOA_TERM_ROOT ||
           inverted(term) != SOA_OPERATORS;
}

/* A superscript on a term; of an inverse operator of the list, on what it is the inverse of. */
static void print_power(printer *p, const soa_term *base, sign power)
{
    const soa_operator op = inverted(base);
    const bool wrap = p->notation == SOA_LATEX && has_superscript(base);
    if (op != SOA_OPERATORS && (power == INVERSE || power == INVERSE_ROOT)) {
        soa_print_name(soa_operator_text(op), p->notation, p->text);
    } else if (wrap) {
        put_sign(p, OPEN);
        print(p, base, LEVEL_SUM);
        put_sign(p, CLOSE);
    } else {
        print(p, base, LEVEL_POWER);
    }
    put_sign(p, power);
}

static void print_derivative(printer *p, const soa_term *term)
{
    const bool time = soa_derivative_by(soa_terms_about(p->pool, term->child[1]->variable)->name) == SOA_BY_TIME;
    if (time) {
        put_sign(p, RATE);
    } else {
        put(p, "d");
    }
    put_sign(p, OPEN);
    print(p, term->child[0], LEVEL_SUM);
    if (!time) {
        put(p, ", ");
        print(p, term->child[1], LEVEL_SUM);
    }
    put_sign(p, CLOSE);
}

/* Nothing in it tells its type: it is made of I, 0 and numbers alone. */
static bool is_floating(const soa_term *term)
{
    if (term->kind == SOA_TERM_OPERATOR || term->kind == SOA_TERM_VARIABLE) {
        return false;
    }
    const int count = term->kind == SOA_TERM_DERIVATIVE ? 1 : term->count;
    for (int i = 0; i < count; i++) {
        if (!is_floating(term->child[i])) {
            return false;
        }
    }
    return true;
}

/* A name; I[body force][4] of a selector, trace(A) of what is made of an operator. */
static void print_variable(printer *p, const soa_term *term)
{
    const soa_variable *about = soa_terms_about(p->pool, term->variable);
    if (about->body) {
        put(p, "I");
        put_type(p, (soa_type){ { SOA_SPACE_ONE, SOA_SIDE_ANY }, about->type.to });
        soa_page_format(p->text, "[%s]", about->body);
    } else if (about->of) {
        soa_print_name(soa_measure_text(about->measure), p->notation, p->text);
        put_sign(p, OPEN);
        p->tell_type = is_floating(about->of);
        print(p, about->of, LEVEL_SUM);
        put_sign(p, CLOSE);
    } else {
        const bool time = soa_derivative_by(about->name) == SOA_BY_TIME;
        soa_print_name(time ? "t" : about->name, p->notation, p->text);
    }
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void print_bare(printer *p, const soa_term *term)
{
    const soa_term *of = term->count > 0 ? term->child[0] : NULL;
    const bool inner =
        of && of->kind == SOA_TERM_INVERSE; /* inverses have a superscript with what stands around them */
    switch (term->kind) {
    case SOA_TERM_ZERO:
    case SOA_TERM_IDENTITY:
        print_constant(p, term);
        break;
    case SOA_TERM_OPERATOR:
        if (inverted(term) != SOA_OPERATORS) {
            print_power(p, term, INVERSE);
        } else {
            soa_print_name(soa_operator_text(term->op), p->notation, p->text);
        }
        break;
    case SOA_TERM_VARIABLE:
        print_variable(p, term);
        break;
    case SOA_TERM_SUM:
        print_sum(p, term);
        break;
    case SOA_TERM_PRODUCT:
        print_product(p, term);
        break;
    case SOA_TERM_ADJOINT:
        print_power(p, inner ? of->child[0] : of, inner ? INVERSE_ADJOINT : ADJOINT);
        break;
    case SOA_TERM_INVERSE:
        print_power(p, of, INVERSE);
        break;
    case SOA_TERM_ROOT:
        print_power(p, inner ? of->child[0] : of, inner || inverted(of) != SOA_OPERATORS ? INVERSE_ROOT : ROOT);
        break;
    case SOA_TERM_DERIVATIVE:
        print_derivative(p, term);
        break;
    }
}

static void print(printer *p, const soa_term *term, level least)
{
    const bool wrap =
        (term->kind == SOA_TERM_SUM && least > LEVEL_SUM) || (term->kind == SOA_TERM_PRODUCT && least > LEVEL_PRODUCT);
    if (wrap) {
        put_sign(p, OPEN);
    }
    print_bare(p, term);
    if (wrap) {
        put_sign(p, CLOSE);
    }
}

void soa_print_term(const soa_terms *pool, const soa_term *term, soa_notation notation, soa_page *text)
{
    printer p = { pool, notation, text, is_floating(term), false };
    print(&p, term, LEVEL_SUM);
}

void soa_print_plain(const soa_terms *pool, const soa_term *term, soa_page *text)
{
    printer p = { pool, SOA_ASCII, text, is_floating(term), true };
    print(&p, term, LEVEL_SUM);
}
