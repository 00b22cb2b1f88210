/* expr/theory.c - the theory of the operators: what rules.def defines and relates. */
#include "expr/theory.h"

#include "core/error.h"
#include "expr/parse.h"
#include "expr/step_table.h"

/* ---- the list ------------------------------------------------------------------------------ */

typedef enum needs {
    ANY,
    WITHOUT,
} needs;

typedef enum role {
    DEFINES,
    DEFINES_GEARED,
    RELATES,
    INVERTS,
    FOLLOWS,
} role;

static const struct {
    const char *label;
    needs rotors;
    role role;
    const char *text;
} list[] = {
#define X(label, needs, role, text) { label, needs, role, text },
#include "expr/rules.def"
#undef X
};

enum { ROWS = sizeof list / sizeof list[0] };

/* What a theory may spend on itself and on what is asked of it. */
static const soa_budget default_budget = { .rules = 200, .reductions = 200000, .overlap = 24 };

/* ---- letters ---------------------------------------------------------------------------------- */

soa_letter soa_theory_operator(soa_theory *theory, soa_operator op)
{
    const soa_term *term = soa_term_operator(theory->algebra.terms, op);
    return soa_algebra_letter(&theory->algebra, term, soa_operator_step_of(op)->weight, false);
}

/* The two sides of a row of the list. */
typedef struct equation {
    const soa_term *left, *right;
} equation;

/* ---- the theory ------------------------------------------------------------------------------------ */

static bool taken(const soa_theory *theory, int row, role which)
{
    const bool geared = theory->kind != SOA_THEORY_PLAIN;
    const role has = list[row].role == DEFINES_GEARED ? (geared ? DEFINES : FOLLOWS) : list[row].role;
    return has == which && (list[row].rotors == ANY || !geared);
}

static void relate_rows(soa_theory *theory, const equation *rows, role which)
{
    for (int i = 0; i < ROWS && soa_theory_ok(theory); i++) {
        if (taken(theory, i, which)) {
            (void)soa_theory_relate(theory, soa_theory_difference(theory, rows[i].left, rows[i].right), list[i].label);
        }
    }
}

/* With the definitions in, what each line says about the rest has the name of that line. */
static void name_rows(soa_theory *theory, const equation *rows)
{
    for (int i = 0; i < ROWS && soa_theory_ok(theory); i++) {
        const soa_poly zero = soa_theory_difference(theory, rows[i].left, rows[i].right);
        (void)soa_theory_add(
            theory, &theory->names, &(soa_named){ list[i].label, soa_theory_reduce(theory, zero, NULL) });
    }
}

/* Mass^-1 = Y, from Mass Y = I. */
static void invert_rows(soa_theory *theory, const equation *rows)
{
    const soa_poly mass = soa_poly_letter(&theory->algebra, soa_theory_operator(theory, SOA_OP_MASS));
    for (int i = 0; i < ROWS && soa_theory_ok(theory); i++) {
        if (taken(theory, i, INVERTS)) {
            const soa_poly Y = soa_theory_poly(theory, rows[i].right);
            const soa_letter inverse = soa_theory_operator(theory, SOA_OP_MASS_INV);
            if (!soa_theory_settle(theory, inverse, mass, Y, list[i].label)) {
                soa_algebra_fail(&theory->algebra, SOA_E_ARGUMENT);
            }
        }
    }
}

/* Lines A B = I that are so, also as B A = I, are known inverses. */
static void pair_rows(soa_theory *theory, const equation *rows)
{
    for (int i = 0; i < ROWS && soa_theory_ok(theory); i++) {
        const soa_term *left = rows[i].left;
        if (left && left->kind == SOA_TERM_PRODUCT && left->count == 2 && rows[i].right->kind == SOA_TERM_IDENTITY) {
            soa_theory_pair(theory, soa_theory_poly(theory, left->child[0]), soa_theory_poly(theory, left->child[1]),
                list[i].label);
        }
    }
}

static void load(soa_theory *theory, const equation *rows)
{
    for (int op = SOA_OP_I + 1; op < SOA_OPERATORS;
         op++) { /* in the order of the list, so that that of words is the same */
        (void)soa_theory_operator(theory, (soa_operator)op);
    }
    if (theory->kind == SOA_THEORY_FREE) { /* all that is known of operators whose definitions are not */
        (void)soa_theory_relate(theory, soa_theory_text(theory, "D D^-1 - I"), "P");
        (void)soa_theory_relate(theory, soa_theory_text(theory, "Mass Mass^-1 - I"), "MINV");
        return;
    }
    relate_rows(theory, rows, DEFINES);
    name_rows(theory, rows);
    relate_rows(theory, rows, RELATES);
    if (!soa_theory_complete(theory)) {
        soa_algebra_fail(&theory->algebra, SOA_E_LIMIT);
    }
    invert_rows(theory, rows);
    if (!soa_theory_complete(theory)) {
        soa_algebra_fail(&theory->algebra, SOA_E_LIMIT);
    }
    pair_rows(theory, rows);
    theory->reductions = 0;
}

/* ---- what is assumed ---------------------------------------------------------------------------------- */

/* The derivative of what is constant is zero, along every coordinate that was written. */
static void relate_constant(soa_theory *theory, const soa_assumption *assumed)
{
    soa_terms *terms = theory->algebra.terms;
    for (int i = 0; i < terms->variables.count && soa_theory_ok(theory); i++) {
        if (soa_derivative_moves(soa_terms_about(terms, i)->name)) {
            const soa_term *d = soa_algebra_made(
                &theory->algebra, soa_term_derivative(terms, assumed->left, soa_term_variable(terms, i)));
            (void)soa_theory_relate(theory, soa_theory_difference(theory, d, NULL), assumed->label);
        }
    }
}

static void assume(soa_theory *theory)
{
    const soa_terms *terms = theory->algebra.terms;
    const int count = soa_terms_assumptions(terms);
    for (int i = 0; i < count && soa_theory_ok(theory); i++) {
        const soa_assumption *assumed = soa_terms_assumption(terms, i);
        if (assumed->right) {
            const soa_poly zero = soa_theory_difference(theory, assumed->left, assumed->right);
            (void)soa_theory_relate(theory, zero, assumed->label);
        } else if (assumed->left) {
            relate_constant(theory, assumed);
        }
    }
    if (count > 0) {
        (void)soa_theory_complete(theory);
    }
}

/* The rows, as terms of a pool of their own. */
static soa_status parse_rows(soa_terms *pool, equation *rows, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < ROWS && status == SOA_OK; i++) {
        status = soa_parse_equation(pool, list[i].text, &rows[i].left, &rows[i].right, error);
    }
    return soa_terms_settle(pool, status, error);
}

soa_status soa_theory_init(soa_theory *theory, soa_theory_kind kind, soa_terms *terms, soa_error *error)
{
    *theory = (soa_theory){ .kind = kind, .budget = default_budget };
    soa_algebra_init(&theory->algebra, terms);
    const soa_allocator *allocator = &theory->algebra.allocator;
    equation rows[ROWS] = { { NULL, NULL } };
    soa_terms *pool = NULL;
    soa_status status = soa_theory_ok(theory) ? soa_terms_new(allocator, SOA_TERMS_MOST, &pool, error) : SOA_E_MEMORY;
    status = status == SOA_OK && kind != SOA_THEORY_FREE ? parse_rows(pool, rows, error) : status;
    if (status == SOA_OK) {
        load(theory, rows);
        assume(theory);
        status = theory->algebra.status;
    }
    soa_terms_free(pool);
    if (status != SOA_OK) {
        soa_theory_clear(theory);
        return status == SOA_E_MEMORY
                   ? soa_fail_memory(error)
                   : soa_fail(error, status, -1, "the search was stopped before it began; give it more time");
    }
    return SOA_OK;
}

void soa_theory_clear(soa_theory *theory)
{
    soa_algebra_clear(&theory->algebra);
}
