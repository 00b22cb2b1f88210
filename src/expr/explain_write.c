/* expr/explain_write.c - one step as a formula in the papers' notation, in ASCII (notation.c puts it into the others).
 *
 * k is the body in turn, j the bodies on it, p its parent. What a recursion adds from
 * the bodies on it comes first: z(k) = sum_j psi(k,j) [z(j) + P(j) a(j)] + K(k,j) T(j) + b(k). */
#include "expr/explain.h"

#include <string.h>

/* At which body a value is written. */
typedef enum place_at { AT_K, AT_J, AT_P, AT_ALL } place_at;

typedef struct writer {
    const soa_recursions *r;
    soa_page *text;
    bool first; /* nothing of the sum stands there yet */
} writer;

static const soa_step *step_of(const writer *w, int step)
{
    return soa_graph_step(w->r->graph, step);
}

static void put(const writer *w, const char *text)
{
    soa_page_put(w->text, text);
}

/* ---- operators ------------------------------------------------------------------------------------ */

static const char *index_of(place_at at)
{
    static const char *const index[] = { "(k)", "(j)", "(p)", "" };
    return index[at];
}

/* H(k), psi*(p,k), D(k)^-1 */
static void put_operator(const writer *w, soa_operator op, bool adjoint, const char *index)
{
    const bool inverse = op == SOA_OP_D_INV;
    soa_page_format(w->text, "%s%s%s%s", soa_operator_text(inverse ? SOA_OP_D : op), adjoint ? "*" : "", index,
        inverse ? "^-1" : "");
}

static void put_along_close(const writer *w, soa_along along)
{
    for (int i = 0; i < along.count; i++) {
        put(w, ", ");
        soa_print_term(w->r->graph->terms, soa_graph_coordinate_at(w->r->graph, along.at[i])->term, SOA_ASCII, w->text);
        put(w, ")");
    }
}

static void put_along_open(const writer *w, soa_along along)
{
    for (int i = 0; i < along.count; i++) {
        put(w, "d(");
    }
}

/* The operator of a step with its index, or the derivative of it: d(phi(k,j), q_3). */
static void put_applied(const writer *w, const soa_step *s, soa_operator op, const char *index)
{
    put_along_open(w, s->along);
    put_operator(w, op, s->adjoint, index);
    put_along_close(w, s->along);
    put(w, " ");
}

/* The sign and the number before a part of a sum. */
static void put_factor(writer *w, double factor)
{
    const bool minus = factor < 0.0;
    const double size = minus ? -factor : factor;
    put(w, w->first ? minus ? "-" : "" : minus ? " - " : " + ");
    if (size != 1.0) {
        soa_page_format(w->text, "%.17g ", size);
    }
    w->first = false;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void put_made(writer *w, int step, place_at at);
static void put_value(writer *w, int step, place_at at);

/* What a link of one step to the next is called: E_phi moves by phi(k,j). */
static soa_operator link_of(soa_operator op)
{
    return op == SOA_OP_E_PHI ? SOA_OP_PHI : op == SOA_OP_E_PSI ? SOA_OP_PSI : op;
}

/* M(k)^-1, D(k)^(-1/2), (Mass + A)^-1, or a matrix that is given, on a value. */
static void put_matrix(writer *w, const soa_step *s, place_at at)
{
    static const char *const power[] = { "", "^-1", "^(1/2)", "^(-1/2)", "", "^(+)" };
    const soa_graph_matrix *m = soa_graph_matrix_at(w->r->graph, s->matrix);
    const char *index = m->blocks ? index_of(at) : "";
    put(w, m->rate ? "d(" : "");
    if (m->term->kind == SOA_TERM_OPERATOR) {
        const bool inverted = m->term->op == SOA_OP_D_INV;
        const bool back = (m->kind == SOA_MATRIX_INVERSE_ROOT) != inverted;
        put_operator(w, inverted ? SOA_OP_D : m->term->op, false, index);
        put(w, m->kind == SOA_MATRIX_INVERSE ? "^-1" : back ? "^(-1/2)" : "^(1/2)");
    } else {
        const bool given = m->kind == SOA_MATRIX_GIVEN || m->kind == SOA_MATRIX_SELECT;
        put(w, given ? "" : "(");
        soa_print_term(w->r->graph->terms, m->term, SOA_ASCII, w->text);
        put(w, given ? "" : ")");
        put(w, given ? "" : power[m->kind]);
        put(w, index);
    }
    if (m->rate) {
        put(w, ", ");
        soa_print_term(w->r->graph->terms, m->rate->child[1], SOA_ASCII, w->text);
        put(w, ")");
    }
    put(w, s->adjoint ? "* " : " ");
    put_value(w, s->input[0], at);
}

static bool is_sum(const writer *w, int step)
{
    return !w->r->name[step] && step_of(w, step)->kind == SOA_STEP_SUM;
}

static bool is_near(const writer *w, int step)
{
    const soa_reach reach = soa_step_reach(w->r->graph, step);
    return reach == SOA_REACH_NEAR_IN || reach == SOA_REACH_NEAR_OUT;
}

static void put_part(writer *w, double factor, int step, place_at at)
{
    put_factor(w, factor);
    put_value(w, step, at);
}

/* A step by its name, or what it is. A sum is put in brackets. */
static void put_value(writer *w, int step, place_at at)
{
    const soa_step *s = step_of(w, step);
    if (w->r->name[step]) {
        const bool bodies = s->place.space != SOA_SPACE_CONSTRAINT && s->place.space != SOA_SPACE_ONE;
        const soa_along along = s->kind == SOA_STEP_STATE ? s->along : (soa_along){ 0 };
        put_along_open(w, along);
        put(w, w->r->name[step]);
        put(w, bodies ? index_of(at) : "");
        put_along_close(w, along);
        return;
    }
    writer inner = { w->r, w->text, true };
    put(w, is_sum(w, step) ? "[" : "");
    put_made(&inner, step, at);
    put(w, is_sum(w, step) ? "]" : "");
}

/* phi*(p,k) x(p), or sum_j phi(k,j) x(j) */
static void put_near(writer *w, const soa_step *s, bool with_sum)
{
    put(w, !s->adjoint && with_sum ? "sum_j " : "");
    put_applied(w, s, link_of(s->op), s->adjoint ? "(p,k)" : "(k,j)");
    put_value(w, s->input[0], s->adjoint ? AT_P : AT_J);
}

/* ---- recursions ----------------------------------------------------------------------------------------- */

/* The parts of what a recursion works on. */
typedef struct parts {
    int count;
    const int *step;
    const double *factor;
} parts;

static parts parts_of(const writer *w, const int *input)
{
    static const double one = 1.0;
    if (is_sum(w, *input)) {
        const soa_step *s = step_of(w, *input);
        return (parts){ s->count, s->input, s->factor };
    }
    return (parts){ 1, input, &one };
}

/* Whether a part moves like the recursion itself: psi(k,j) v(j) in z = psi (... + E_psi v). */
static bool moves_alike(const writer *w, const soa_step *run, int part)
{
    const soa_step *s = step_of(w, part);
    return !w->r->name[part] && is_near(w, part) && link_of(s->op) == run->op && s->adjoint == run->adjoint &&
           s->along.count == 0;
}

/* psi(k,j) z(j), or psi(k,j) [z(j) + v(j)] */
static void put_carried(writer *w, int step, parts all)
{
    const soa_step *s = step_of(w, step);
    const place_at at = s->adjoint ? AT_P : AT_J;
    int alike = 0;
    for (int i = 0; i < all.count; i++) {
        alike += moves_alike(w, s, all.step[i]);
    }
    put_applied(w, s, s->op, s->adjoint ? "(p,k)" : "(k,j)");
    put(w, alike ? "[" : "");
    writer inner = { w->r, w->text, true };
    put_factor(&inner, 1.0);
    put_value(w, step, at);
    for (int i = 0; i < all.count; i++) {
        if (moves_alike(w, s, all.step[i])) {
            put_part(&inner, all.factor[i], step_of(w, all.step[i])->input[0], at);
        }
    }
    put(w, alike ? "]" : "");
    w->first = false;
}

static void put_recursion(writer *w, int step)
{
    const soa_step *s = step_of(w, step);
    const parts all = parts_of(w, s->input);
    put(w, s->adjoint ? "" : "sum_j ");
    put_carried(w, step, all);
    for (int pass = 0; pass < 2; pass++) { /* from the bodies on it, then its own */
        for (int i = 0; i < all.count; i++) {
            const soa_step *part = step_of(w, all.step[i]);
            const bool near = !w->r->name[all.step[i]] && is_near(w, all.step[i]);
            if (moves_alike(w, s, all.step[i]) || near == (pass == 1)) {
                continue;
            }
            put_factor(w, all.factor[i]);
            if (near) {
                put_near(w, part, s->adjoint != part->adjoint);
            } else {
                put_value(w, all.step[i], AT_K);
            }
        }
    }
}

static void put_state(const writer *w, const soa_step *s)
{
    static const char *const formula[] = {
        [SOA_STATE_V] = "phi*(p,k) V(p) + H*(k) beta(k)",
        [SOA_STATE_A] = "dot phi*(p,k)/dt V(p) + dot H*(k)/dt beta(k)",
        [SOA_STATE_B] = "S[V(k)] M(k) V(k)",
        [SOA_STATE_G] = "phi*(p,k) (0; -g) {at the base, else} 0",
        [SOA_STATE_ARTICULATED] = "M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)]",
        [SOA_STATE_COMPOSITE] = "M(k) + sum_j phi(k,j) R(j) phi*(k,j)",
        [SOA_STATE_UPSILON] = "psi*(p,k) Ups(p) psi(p,k) + H*(k) D(k)^-1 H(k)",
        [SOA_STATE_ARMATURE] = "Arm(k) w(k) x v(k) {of} beta(k) = (w; v)",
    };
    put_along_open(w, s->along);
    put(w, formula[s->state]);
    put_along_close(w, s->along);
    if (s->state == SOA_STATE_A) {
        put(w, s->along.count > 0 ? "{, and that of} -g {at the base}" : "{, and} -g {at the base}");
    }
}

static void put_branch(writer *w, int step)
{
    const soa_step *s = step_of(w, step);
    soa_page_format(w->text, "psi*(p,k) [%s(p) + Ups(p) (", w->r->name[step]);
    put_value(w, s->input[1], AT_P);
    put(w, " - psi(p,k) ");
    put_value(w, s->input[0], AT_K);
    put(w, ")]");
}

static void put_apply(writer *w, int step, place_at at)
{
    const soa_step *s = step_of(w, step);
    const soa_reach reach = soa_step_reach(w->r->graph, step);
    if (reach == SOA_REACH_RUN_IN || reach == SOA_REACH_RUN_OUT) {
        put_recursion(w, step);
    } else if (is_near(w, step)) {
        put_near(w, s, true);
    } else {
        put_applied(w, s, s->op, index_of(at));
        put_value(w, s->input[0], at);
    }
}

/* What a step is. */
static void put_made(writer *w, int step, place_at at)
{
    const soa_step *s = step_of(w, step);
    switch (s->kind) {
    case SOA_STEP_ZERO:
        put(w, "0");
        break;
    case SOA_STEP_INPUT:
        put_value(w, step, AT_K);
        break;
    case SOA_STEP_STATE:
        put_state(w, s);
        break;
    case SOA_STEP_SUM:
        for (int i = 0; i < s->count; i++) {
            put_part(w, s->factor[i], s->input[i], at);
        }
        break;
    case SOA_STEP_APPLY:
        put_apply(w, step, at);
        break;
    case SOA_STEP_BRANCH:
        put_branch(w, step);
        break;
    case SOA_STEP_MATRIX:
        put_matrix(w, s, at);
        break;
    case SOA_STEP_DOT:
        put_value(w, s->input[0], AT_ALL);
        put(w, " . ");
        put_value(w, s->input[1], AT_ALL);
        break;
    case SOA_STEP_SCALE:
        put_value(w, s->input[1], at);
        put(w, " ");
        put_value(w, s->input[0], at);
        break;
    }
}

/* ---- a line --------------------------------------------------------------------------------------------- */

void soa_put_value(const soa_recursions *recursions, int step, soa_page *text)
{
    writer w = { recursions, text, true };
    put_value(&w, step, AT_ALL);
}

void soa_put_step(const soa_recursions *recursions, int step, soa_page *left, soa_page *right)
{
    const place_at at = soa_step_reach(recursions->graph, step) == SOA_REACH_WHOLE ? AT_ALL : AT_K;
    writer l = { recursions, left, true }, w = { recursions, right, true };
    put_value(&l, step, at);
    put_made(&w, step, at);
}
