/* expr/print.c - terms as text. Names are in print_name.c. */
#include "expr/print.h"

#include "expr/derivative.h"
#include "expr/words.h"

/* How tightly a place binds; what binds less gets parentheses. */
typedef enum level { LEVEL_SUM, LEVEL_PRODUCT, LEVEL_POWER } level;

typedef struct printer {
    const soa_terms *pool;
    soa_notation notation;
    soa_page *text;
    bool tell_type; /* the next I or 0 carries its type */
} printer;

static void print(printer *p, const soa_term *term, level least);

/* ---- parts ------------------------------------------------------------------------------- */

static void put(printer *p, const char *text)
{
    soa_page_put(p->text, text);
}

/* One of three texts, by notation. */
static void put_either(printer *p, const char *ascii, const char *unicode, const char *latex)
{
    put(p, p->notation == SOA_LATEX ? latex : p->notation == SOA_UNICODE ? unicode : ascii);
}

static void open(printer *p)
{
    put_either(p, "(", "(", "\\left(");
}

static void close(printer *p)
{
    put_either(p, ")", ")", "\\right)");
}

static void put_type(printer *p, soa_type type)
{
    char words[SOA_WORDS];
    (void)soa_words_type(words, type);
    put(p, "[");
    for (const char *at = words; *at; at++) {
        const char one[] = { *at, '\0' };
        const bool arrow = at[0] == '-' && at[1] == '>';
        if (p->notation != SOA_LATEX) {
            put(p, one);
        } else if (*at == ' ') {
            put(p, "\\ ");
        } else if (arrow) {
            put(p, "\\to");
            at++;
        } else {
            const bool begins = at == words || at[-1] == ' ';
            put(p, begins ? "\\mathrm{" : "");
            put(p, one);
            put(p, at[1] == ' ' || at[1] == '\0' ? "}" : "");
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

static void print_product(printer *p, const soa_term *term)
{
    for (int i = 0; i < term->count; i++) {
        put(p, i ? " " : "");
        print(p, term->child[i], LEVEL_POWER);
    }
}

/* ---- powers ------------------------------------------------------------------------------------ */

/* TeX allows one superscript: a base that has one gets parentheses. */
static bool has_superscript(const soa_term *term)
{
    return term->kind == SOA_TERM_ADJOINT || term->kind == SOA_TERM_INVERSE || term->kind == SOA_TERM_ROOT ||
           (term->kind == SOA_TERM_OPERATOR && (term->op == SOA_OP_D_INV || term->op == SOA_OP_MASS_INV));
}

static void print_base(printer *p, const soa_term *base)
{
    const bool wrap = p->notation == SOA_LATEX && has_superscript(base);
    if (wrap) {
        open(p);
    }
    print(p, base, wrap ? LEVEL_SUM : LEVEL_POWER);
    if (wrap) {
        close(p);
    }
}

static void print_adjoint(printer *p, const soa_term *term)
{
    const soa_term *of = term->child[0];
    if (p->notation == SOA_LATEX && of->kind == SOA_TERM_INVERSE) {
        print_base(p, of->child[0]);
        put(p, "^{-*}");
    } else {
        print_base(p, of);
        put_either(p, "'", "*", "^{*}");
    }
}

static void print_inverse(printer *p, const soa_term *term)
{
    print_base(p, term->child[0]);
    put_either(p, "^-1", "⁻¹", "^{-1}");
}

/* The operator whose inverse is this one; SOA_OPERATORS: none. */
static soa_operator inverted(const soa_term *term)
{
    const bool known = term->kind == SOA_TERM_OPERATOR;
    return known && term->op == SOA_OP_D_INV      ? SOA_OP_D
           : known && term->op == SOA_OP_MASS_INV ? SOA_OP_MASS
                                                  : SOA_OPERATORS;
}

static void print_root(printer *p, const soa_term *term)
{
    const soa_term *of = term->child[0];
    const soa_operator base = inverted(of);
    if (base != SOA_OPERATORS) {
        soa_print_name(soa_operator_text(base), p->notation, p->text);
    } else {
        print_base(p, of->kind == SOA_TERM_INVERSE ? of->child[0] : of);
    }
    if (base != SOA_OPERATORS || of->kind == SOA_TERM_INVERSE) {
        put_either(p, "^(-1/2)", "^-½", "^{-1/2}");
    } else {
        put_either(p, "^(1/2)", "^½", "^{1/2}");
    }
}

static void print_derivative(printer *p, const soa_term *term)
{
    const bool time = soa_derivative_by(soa_terms_about(p->pool, term->child[1]->variable)->name) == SOA_BY_TIME;
    put_either(p, time ? "dot" : "d", time ? "dot" : "d", time ? "\\mathrm{dot}" : "d");
    open(p);
    print(p, term->child[0], LEVEL_SUM);
    if (!time) {
        put(p, ", ");
        print(p, term->child[1], LEVEL_SUM);
    }
    close(p);
}

static void print_operator(printer *p, soa_operator op)
{
    const soa_term as = { .kind = SOA_TERM_OPERATOR, .op = op };
    const soa_operator base = inverted(&as);
    soa_print_name(soa_operator_text(base != SOA_OPERATORS ? base : op), p->notation, p->text);
    if (base != SOA_OPERATORS) {
        put_either(p, "^-1", "⁻¹", "^{-1}");
    }
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
        open(p);
        p->tell_type = is_floating(about->of);
        print(p, about->of, LEVEL_SUM);
        close(p);
    } else {
        const bool time = soa_derivative_by(about->name) == SOA_BY_TIME;
        soa_print_name(time ? "t" : about->name, p->notation, p->text);
    }
}

/* ---- all ------------------------------------------------------------------------------------------ */

static level level_of(const soa_term *term)
{
    return term->kind == SOA_TERM_SUM ? LEVEL_SUM : term->kind == SOA_TERM_PRODUCT ? LEVEL_PRODUCT : LEVEL_POWER;
}

static void print_bare(printer *p, const soa_term *term)
{
    switch (term->kind) {
    case SOA_TERM_ZERO:
    case SOA_TERM_IDENTITY:
        print_constant(p, term);
        break;
    case SOA_TERM_OPERATOR:
        print_operator(p, term->op);
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
        print_adjoint(p, term);
        break;
    case SOA_TERM_INVERSE:
        print_inverse(p, term);
        break;
    case SOA_TERM_ROOT:
        print_root(p, term);
        break;
    case SOA_TERM_DERIVATIVE:
        print_derivative(p, term);
        break;
    }
}

static void print(printer *p, const soa_term *term, level least)
{
    const bool wrap = level_of(term) < least;
    if (wrap) {
        open(p);
    }
    print_bare(p, term);
    if (wrap) {
        close(p);
    }
}

void soa_print_term(const soa_terms *pool, const soa_term *term, soa_notation notation, soa_page *text)
{
    printer p = { pool, notation, text, is_floating(term) };
    print(&p, term, LEVEL_SUM);
}
