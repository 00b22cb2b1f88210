/* sim/formula.c - signals made of others.
 *
 *     sum     = product { (+ | -) product }
 *     product = signed { (* | /) signed }
 *     signed  = { - } power
 *     power   = atom [ ^ signed ]
 *     atom    = number | signal | function ( sum { , sum } ) | ( sum ) */
#include "sim/formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"

enum { MOST_STEPS = 256, MOST_NESTED = 32 };

/* ---- functions ---------------------------------------------------------------------------- */

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double negate(double a)
{
    return -a;
}

/* Functions of one and of two numbers, by name; operators have names that cannot be written. */
static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} FUNCTION[] = { { "+", NULL, add }, { "-", NULL, subtract }, { "*", NULL, multiply }, { "/", NULL, divide },
    { "^", NULL, pow }, { "neg", negate, NULL }, { "abs", fabs, NULL }, { "sqrt", sqrt, NULL }, { "exp", exp, NULL },
    { "log", log, NULL }, { "sin", sin, NULL }, { "cos", cos, NULL }, { "tan", tan, NULL }, { "atan2", NULL, atan2 },
    { "hypot", NULL, hypot }, { "min", NULL, fmin }, { "max", NULL, fmax } };

enum { FUNCTIONS = sizeof FUNCTION / sizeof *FUNCTION, NEGATE = 5 };

/* ---- read ----------------------------------------------------------------------------------- */

typedef struct parser {
    const soa_sim *sim;
    int signals;
    const char *text, *at;
    soa_error *error;
    int steps, nested;
    sim_formula_step step[MOST_STEPS];
} parser;

static soa_status refuse(const parser *p, const char *why)
{
    return soa_fail(p->error, SOA_E_SYNTAX, -1, "'%.120s': at '%.40s': %s", p->text, p->at, why);
}

static soa_status put(parser *p, sim_formula_step step)
{
    if (p->steps == MOST_STEPS) {
        return refuse(p, "the formula is too long");
    }
    p->step[p->steps++] = step;
    return SOA_OK;
}

static bool is_next(parser *p, char c)
{
    p->at += strspn(p->at, " \t\n");
    if (*p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

static soa_status sum(parser *p);

/* signal: the longest name that stands here, so that names may hold - and /. */
static soa_status signal_here(parser *p)
{
    size_t longest = 0;
    int found = -1;
    for (int i = 0; i < p->signals; i++) {
        const char *name = p->sim->signal[i].name;
        const size_t n = strlen(name);
        const char after = strncmp(p->at, name, n) == 0 ? p->at[n] : 'x';
        if (n > longest && !isalnum((unsigned char)after) && after != '_' && after != '.') {
            longest = n;
            found = i;
        }
    }
    if (found < 0) {
        return refuse(p, "a number, a signal, a function or '(' should stand here");
    }
    p->at += longest;
    return put(p, (sim_formula_step){ .signal = found, .function = -1 });
}

/* function ( sum { , sum } ): whether its name stands here. */
static bool is_function(const parser *p, int i)
{
    const size_t n = strlen(FUNCTION[i].name);
    return strncmp(p->at, FUNCTION[i].name, n) == 0 && p->at[n + strspn(p->at + n, " \t\n")] == '(';
}

static soa_status call(parser *p, int i)
{
    p->at += strlen(FUNCTION[i].name);
    (void)is_next(p, '(');
    soa_status status = sum(p);
    if (status == SOA_OK && FUNCTION[i].two) {
        status = is_next(p, ',') ? sum(p) : refuse(p, "the function takes two numbers, with a comma between");
    }
    if (status == SOA_OK && !is_next(p, ')')) {
        return refuse(p, "')' should stand here");
    }
    return status == SOA_OK ? put(p, (sim_formula_step){ .signal = -1, .function = i }) : status;
}

static soa_status atom(parser *p)
{
    double number;
    if (is_next(p, '(')) {
        const soa_status status = sum(p);
        return status != SOA_OK || is_next(p, ')') ? status : refuse(p, "')' should stand here");
    }
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        const char *end = soa_number_read(p->at, &number);
        if (!end) {
            return refuse(p, "this is no number");
        }
        p->at = end;
        return put(p, (sim_formula_step){ .signal = -1, .function = -1, .number = number });
    }
    for (int i = NEGATE + 1; i < FUNCTIONS; i++) {
        if (is_function(p, i)) {
            return call(p, i);
        }
    }
    return signal_here(p);
}

static soa_status signed_power(parser *p)
{
    if (p->nested == MOST_NESTED) {
        return refuse(p, "the formula is nested too deeply");
    }
    p->nested++;
    soa_status status;
    if (is_next(p, '-')) {
        status = signed_power(p);
        SOA_NEXT(status, put(p, (sim_formula_step){ .signal = -1, .function = NEGATE }));
    } else {
        status = atom(p);
        if (status == SOA_OK && is_next(p, '^')) {
            status = signed_power(p);
            SOA_NEXT(status, put(p, (sim_formula_step){ .signal = -1, .function = 4 }));
        }
    }
    p->nested--;
    return status;
}

/* Terms with one of two operators between them, which are functions `first` and `first` + 1. */
static soa_status chain(parser *p, int first, soa_status (*term)(parser *))
{
    soa_status status = term(p);
    for (int i = first; status == SOA_OK && i < first + 2;) {
        if (is_next(p, FUNCTION[i].name[0])) {
            status = term(p);
            SOA_NEXT(status, put(p, (sim_formula_step){ .signal = -1, .function = i }));
            i = first;
        } else {
            i++;
        }
    }
    return status;
}

static soa_status product(parser *p)
{
    return chain(p, 2, signed_power);
}

static soa_status sum(parser *p)
{
    return chain(p, 0, product);
}

soa_status sim_formula_read(soa_sim *sim, int signals, const char *text, sim_formula *formula, soa_error *error)
{
    parser p = { .sim = sim, .signals = signals, .text = text, .at = text, .error = error };
    soa_status status = sum(&p);
    if (status == SOA_OK && !is_next(&p, '\0')) {
        status = refuse(&p, "an operator should stand here");
    }
    if (status != SOA_OK) {
        return status;
    }
    formula->steps = p.steps;
    formula->step = soa_arena_take(&sim->arena, (size_t)p.steps, sizeof *formula->step);
    if (!formula->step) {
        return soa_fail_memory(error);
    }
    memcpy(formula->step, p.step, (size_t)p.steps * sizeof *p.step);
    return SOA_OK;
}

/* ---- run -------------------------------------------------------------------------------------- */

double sim_formula_value(const sim_formula *formula, const double *signal)
{
    double stack[MOST_STEPS] = { 0.0 };
    int top = 0;
    for (int i = 0; i < formula->steps; i++) {
        const sim_formula_step *s = &formula->step[i];
        if (s->function < 0) {
            stack[top++] = s->signal >= 0 ? signal[s->signal] : s->number;
        } else if (FUNCTION[s->function].one) {
            stack[top - 1] = FUNCTION[s->function].one(stack[top - 1]);
        } else {
            top--;
            stack[top - 1] = FUNCTION[s->function].two(stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}
