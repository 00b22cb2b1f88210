/* expr/explain.c - the recursions of a plan in the papers' notation.
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
    return soa_flow_step(&w->r->plan->flow, step);
}

/* ---- signs ---------------------------------------------------------------------------------------- */

static void put_index(const writer *w, const char *index)
{
    soa_page_format(w->text, "(%s)", index);
}

static void put_at(const writer *w, place_at at)
{
    static const char *const letter[] = { "k", "j", "p" };
    if (at != AT_ALL) {
        put_index(w, letter[at]);
    }
}

static void put_space(const writer *w)
{
    soa_page_put(w->text, w->r->notation == SOA_LATEX ? " \\, " : " ");
}

/* H(k), psi*(p,k), D(k)^-1 */
static void put_operator(const writer *w, soa_operator op, bool adjoint, const char *index)
{
    const bool inverse = op == SOA_OP_D_INV;
    const soa_notation notation = w->r->notation;
    soa_put_name(soa_operator_text(inverse ? SOA_OP_D : op), notation, w->text);
    if (adjoint) {
        soa_page_put(w->text, notation == SOA_LATEX ? "^{*}" : "*");
    }
    if (inverse && notation == SOA_LATEX) {
        soa_page_put(w->text, "^{-1}");
    }
    if (index[0] != '\0') {
        put_index(w, index);
    }
    if (inverse && notation != SOA_LATEX) {
        soa_page_put(w->text, notation == SOA_ASCII ? "^-1" : "⁻¹");
    }
}

/* The sign and the number before a part of a sum. */
static void put_factor(writer *w, double factor)
{
    const bool minus = factor < 0.0;
    const double size = minus ? -factor : factor;
    soa_page_put(w->text, w->first ? minus ? "-" : "" : minus ? " - " : " + ");
    if (size != 1.0) {
        soa_page_format(w->text, "%.17g", size);
        put_space(w);
    }
    w->first = false;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void put_value(writer *w, int step, place_at at);
static void put_local(writer *w, double factor, int step, place_at at);

static const char *index_of(place_at at)
{
    static const char *const letter[] = { "k", "j", "p", "" };
    return letter[at];
}

/* What a link of one step to the next is called: E_phi moves by phi(k,j). */
static soa_operator link_of(soa_operator op)
{
    return op == SOA_OP_E_PHI ? SOA_OP_PHI : op == SOA_OP_E_PSI ? SOA_OP_PSI : op;
}

static void put_matrix(writer *w, const soa_step *s, place_at at)
{
    const soa_flow_matrix *m = soa_flow_matrix_at(&w->r->plan->flow, s->matrix);
    const bool latex = w->r->notation == SOA_LATEX, given = m->use == SOA_MATRIX_GIVEN;
    static const char *const power[] = { "", "-1", "1/2", "-1/2" };
    soa_page_put(w->text, given ? "" : latex ? "\\left(" : "(");
    soa_print_term(w->r->plan->flow.terms, m->term, w->r->notation, w->text);
    soa_page_put(w->text, given ? "" : latex ? "\\right)" : ")");
    if (!given) {
        soa_page_format(w->text, latex ? "^{%s}" : m->use == SOA_MATRIX_INVERSE ? "^%s" : "^(%s)", power[m->use]);
    }
    if (s->adjoint) {
        soa_page_put(w->text, latex ? "^{*}" : "*");
    }
    if (m->blocks) {
        put_at(w, at);
    }
    put_space(w);
    put_value(w, s->input[0], at);
}

static bool is_sum(const writer *w, int step)
{
    const soa_step *s = step_of(w, step);
    return !w->r->name[step] && s->kind == SOA_STEP_SUM;
}

/* A step by its name, or what it is. A sum is put in brackets. */
static void put_value(writer *w, int step, place_at at)
{
    const soa_step *s = step_of(w, step);
    const char *name = w->r->name[step];
    if (name) {
        soa_put_name(name, w->r->notation, w->text);
        if (s->place.space != SOA_SPACE_CONSTRAINT && s->place.space != SOA_SPACE_ONE) {
            put_at(w, at);
        }
        return;
    }
    if (is_sum(w, step)) {
        writer inner = { w->r, w->text, true };
        soa_page_put(w->text, "[");
        for (int i = 0; i < s->count; i++) {
            put_local(&inner, s->factor[i], s->input[i], at);
        }
        soa_page_put(w->text, "]");
        return;
    }
    switch (s->kind) {
    case SOA_STEP_ZERO:
        soa_page_put(w->text, "0");
        return;
    case SOA_STEP_MATRIX:
        put_matrix(w, s, at);
        return;
    case SOA_STEP_SCALE:
        put_value(w, s->input[1], at);
        put_space(w);
        put_value(w, s->input[0], at);
        return;
    default:
        put_operator(w, s->op, s->adjoint, index_of(at));
        put_space(w);
        put_value(w, s->input[0], at);
    }
}

/* phi*(p,k) x(p), or sum_j phi(k,j) x(j) */
static void put_near(writer *w, double factor, const soa_step *s, bool with_sum)
{
    const bool inward = !s->adjoint;
    put_factor(w, factor);
    if (inward && with_sum) {
        soa_page_put(w->text, w->r->notation == SOA_LATEX     ? "\\sum_{j} "
                              : w->r->notation == SOA_UNICODE ? "Σ_j "
                                                              : "sum_j ");
    }
    put_operator(w, link_of(s->op), s->adjoint, inward ? "k,j" : "p,k");
    put_space(w);
    put_value(w, s->input[0], inward ? AT_J : AT_P);
}

static bool is_near(const writer *w, int step)
{
    const soa_reach reach = soa_step_reach(&w->r->plan->flow, step);
    return !w->r->name[step] && (reach == SOA_REACH_NEAR_IN || reach == SOA_REACH_NEAR_OUT);
}

static void put_local(writer *w, double factor, int step, place_at at)
{
    if (is_near(w, step)) {
        put_near(w, factor, step_of(w, step), true);
        return;
    }
    put_factor(w, factor);
    put_value(w, step, at);
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
    return is_near(w, part) && link_of(s->op) == run->op && s->adjoint == run->adjoint;
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
    put_operator(w, s->op, s->adjoint, s->adjoint ? "p,k" : "k,j");
    put_space(w);
    soa_page_put(w->text, alike ? "[" : "");
    writer inner = { w->r, w->text, true };
    put_factor(&inner, 1.0);
    soa_put_name(w->r->name[step], w->r->notation, w->text);
    put_at(w, at);
    for (int i = 0; i < all.count; i++) {
        if (moves_alike(w, s, all.step[i])) {
            put_local(&inner, all.factor[i], step_of(w, all.step[i])->input[0], at);
        }
    }
    soa_page_put(w->text, alike ? "]" : "");
    w->first = false;
}

static void put_recursion(writer *w, int step)
{
    const soa_step *s = step_of(w, step);
    const parts all = parts_of(w, s->input);
    const soa_notation notation = w->r->notation;
    if (!s->adjoint) {
        soa_page_put(w->text, notation == SOA_LATEX ? "\\sum_{j} " : notation == SOA_UNICODE ? "Σ_j " : "sum_j ");
    }
    put_carried(w, step, all);
    for (int pass = 0; pass < 2; pass++) { /* from the bodies on it, then its own */
        for (int i = 0; i < all.count; i++) {
            const bool near = is_near(w, all.step[i]);
            if (moves_alike(w, s, all.step[i]) || near == (pass == 1)) {
                continue;
            }
            if (near) {
                put_near(w, all.factor[i], step_of(w, all.step[i]), s->adjoint != step_of(w, all.step[i])->adjoint);
            } else {
                put_local(w, all.factor[i], all.step[i], AT_K);
            }
        }
    }
}

static void put_state(const writer *w, soa_state_part part)
{
    static const char *const text[][3] = {
        [SOA_STATE_V] = { "phi*(p,k) V(p) + H*(k) beta(k)", "φ*(p,k) V(p) + H*(k) β(k)",
            "\\phi^{*}(p,k) \\, V(p) + H^{*}(k) \\, \\beta(k)" },
        [SOA_STATE_A] = { "dphi*(p,k)/dt V(p) + dH*(k)/dt beta(k), and -g at the base",
            "dφ*(p,k)/dt V(p) + dH*(k)/dt β(k), and -g at the base",
            "\\dot{\\phi}^{*}(p,k) \\, V(p) + \\dot{H}^{*}(k) \\, \\beta(k) \\quad (-g \\text{ at the base})" },
        [SOA_STATE_B] = { "S[V(k)] M(k) V(k)", "S[V(k)] M(k) V(k)", "S[V(k)] \\, M(k) \\, V(k)" },
        [SOA_STATE_G] = { "phi*(p,k) (0; -g) at the base, else 0", "φ*(p,k) (0; -g) at the base, else 0",
            "\\phi^{*}(p,k) \\, (0; -g) \\text{ at the base, else } 0" },
        [SOA_STATE_ARTICULATED] = { "", "", "" },
        [SOA_STATE_COMPOSITE] = { "M(k) + sum_j phi(k,j) R(j) phi*(k,j)", "M(k) + Σ_j φ(k,j) R(j) φ*(k,j)",
            "M(k) + \\sum_{j} \\phi(k,j) \\, R(j) \\, \\phi^{*}(k,j)" },
        [SOA_STATE_UPSILON] = { "psi*(p,k) Ups(p) psi(p,k) + H*(k) D(k)^-1 H(k)",
            "ψ*(p,k) Υ(p) ψ(p,k) + H*(k) D(k)⁻¹ H(k)",
            "\\psi^{*}(p,k) \\, \\Upsilon(p) \\, \\psi(p,k) + H^{*}(k) \\, D^{-1}(k) \\, H(k)" },
    };
    soa_page_put(w->text, text[part][w->r->notation]);
}

static void put_branch(writer *w, int step)
{
    const soa_step *s = step_of(w, step);
    put_operator(w, SOA_OP_PSI, true, "p,k");
    soa_page_put(w->text, " [");
    soa_put_name(w->r->name[step], w->r->notation, w->text);
    soa_page_put(w->text, "(p) + ");
    put_operator(w, SOA_OP_UPS, false, "p");
    soa_page_put(w->text, " (");
    put_value(w, s->input[1], AT_P);
    soa_page_put(w->text, " - ");
    put_operator(w, SOA_OP_PSI, false, "p,k");
    put_space(w);
    put_value(w, s->input[0], AT_K);
    soa_page_put(w->text, ")]");
}

static void put_right(writer *w, int step)
{
    const soa_step *s = step_of(w, step);
    const soa_reach reach = soa_step_reach(&w->r->plan->flow, step);
    const place_at at = reach == SOA_REACH_WHOLE ? AT_ALL : AT_K;
    switch (s->kind) {
    case SOA_STEP_STATE:
        put_state(w, s->state);
        return;
    case SOA_STEP_BRANCH:
        put_branch(w, step);
        return;
    case SOA_STEP_SUM:
        for (int i = 0; i < s->count; i++) {
            put_local(w, s->factor[i], s->input[i], at);
        }
        return;
    case SOA_STEP_MATRIX:
        put_matrix(w, s, at);
        return;
    case SOA_STEP_DOT:
        put_value(w, s->input[0], AT_ALL);
        soa_page_put(w->text, w->r->notation == SOA_LATEX ? " \\cdot " : " . ");
        put_value(w, s->input[1], AT_ALL);
        return;
    case SOA_STEP_SCALE:
        put_value(w, s->input[1], at);
        put_space(w);
        put_value(w, s->input[0], at);
        return;
    case SOA_STEP_ZERO:
        soa_page_put(w->text, "0");
        return;
    case SOA_STEP_INPUT:
        put_value(w, step, AT_K);
        return;
    case SOA_STEP_APPLY:
        break;
    }
    if (reach == SOA_REACH_RUN_IN || reach == SOA_REACH_RUN_OUT) {
        put_recursion(w, step);
    } else if (reach == SOA_REACH_NEAR_IN || reach == SOA_REACH_NEAR_OUT) {
        put_near(w, 1.0, s, true);
    } else {
        put_operator(w, s->op, s->adjoint, index_of(at));
        put_space(w);
        put_value(w, s->input[0], at);
    }
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* Characters, not bytes; marks over letters count for nothing. */
static int characters(const char *text)
{
    int n = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        n += (*at & 0xc0) != 0x80 && *at != 0xcc;
    }
    return n;
}

static void add_line(soa_recursions *r, int step, int sweep)
{
    soa_page left = soa_page_on(r->arena.allocator), right = soa_page_on(r->arena.allocator);
    writer l = { r, &left, true }, w = { r, &right, true };
    put_value(&l, step, soa_step_reach(&r->plan->flow, step) == SOA_REACH_WHOLE ? AT_ALL : AT_K);
    put_right(&w, step);
    soa_line *line = soa_array_push(&r->lines, r->arena.allocator);
    const char *left_copy = soa_arena_text(&r->arena, soa_page_text(&left));
    const char *right_copy = soa_arena_text(&r->arena, soa_page_text(&right));
    r->failed = r->failed || !line || !left_copy || !right_copy || left.failed || right.failed;
    if (line && !r->failed) {
        *line = (soa_line){ .sweep = sweep,
            .behind = soa_step_reach(&r->plan->flow, step) == SOA_REACH_WHOLE,
            .step = step,
            .left = left_copy,
            .right = right_copy,
            .width = characters(left_copy) };
    }
    soa_page_clear(&left);
    soa_page_clear(&right);
}

/* Whether a step has a line: it has a name, and is not given; P, D and G are understood. */
static bool has_line(const soa_recursions *r, int step)
{
    const soa_step *s = soa_flow_step(&r->plan->flow, step);
    const bool understood = s->kind == SOA_STEP_STATE && s->state == SOA_STATE_ARTICULATED;
    return r->name[step] && s->kind != SOA_STEP_INPUT && !understood;
}

soa_recursions soa_recursions_of(const soa_plan *plan, soa_notation notation)
{
    soa_recursions r = { .plan = plan, .notation = notation, .lines = soa_array_of(sizeof(soa_line)) };
    r.arena = soa_arena_on(soa_terms_allocator(plan->flow.terms));
    r.failed = !soa_recursions_name(&r);
    for (int sweep = SOA_BEFORE; !r.failed && sweep < plan->schedule.sweeps; sweep++) {
        for (int behind = 0; behind < 2; behind++) {
            for (int i = 0; i < plan->flow.steps.count; i++) {
                const bool whole = soa_step_reach(&plan->flow, i) == SOA_REACH_WHOLE;
                if (!r.failed && plan->schedule.sweep[i] == sweep && whole == behind && has_line(&r, i)) {
                    add_line(&r, i, sweep);
                }
            }
        }
    }
    return r;
}

void soa_recursions_free(soa_recursions *recursions)
{
    soa_array_free(&recursions->lines, recursions->arena.allocator);
    soa_arena_free(&recursions->arena);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

void soa_put_cost(const soa_plan *plan, soa_page *text)
{
    static const char *const order[] = { "O(1)", "O(N)", "O(N^2)", "O(N^3)" };
    const soa_cost *cost = &plan->cost;
    soa_page_format(text, "cost    %d sweep%s, %s", cost->sweeps, cost->sweeps == 1 ? "" : "s", order[cost->order]);
    if (cost->sweeps_written != cost->sweeps) {
        soa_page_format(text, " (%d as written)", cost->sweeps_written);
    }
    soa_page_format(text, "\n");
}

static const char *heading(const soa_recursions *r, const soa_line *line)
{
    if (line->behind) {
        return "then";
    }
    if (r->plan->cost.sweeps == 0) {
        return "each    k";
    }
    return soa_sweep_inward(&r->plan->schedule, line->sweep) ? "inward  for k = tips .. base"
                                                             : "outward for k = base .. tips";
}

static int widest(const soa_recursions *r, int first)
{
    const soa_line *head = soa_line_at(r, first);
    int width = 0;
    for (int i = first; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i);
        if (line->sweep != head->sweep || line->behind != head->behind) {
            break;
        }
        width = line->width > width ? line->width : width;
    }
    return width;
}

static void put_latex(const soa_recursions *r, soa_page *text)
{
    soa_page_put(text, "\\begin{align*}\n");
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i), *before = i > 0 ? soa_line_at(r, i - 1) : NULL;
        if (!before || before->sweep != line->sweep || before->behind != line->behind) {
            soa_page_format(text, "  & \\textbf{%s} \\\\\n", heading(r, line));
        }
        soa_page_put(text, "  ");
        soa_page_put(text, line->left);
        soa_page_put(text, " &= ");
        soa_page_put(text, line->right);
        soa_page_put(text, i + 1 < r->lines.count ? " \\\\\n" : "\n");
    }
    soa_page_put(text, "\\end{align*}\n");
}

void soa_put_sweeps(const soa_recursions *r, soa_page *text)
{
    if (r->notation == SOA_LATEX) {
        put_latex(r, text);
        return;
    }
    int width = 0;
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i), *before = i > 0 ? soa_line_at(r, i - 1) : NULL;
        if (!before || before->sweep != line->sweep || before->behind != line->behind) {
            soa_page_format(text, "%s\n", heading(r, line));
            width = widest(r, i);
        }
        soa_page_put(text, "          ");
        soa_page_put(text, line->left);
        soa_page_format(text, "%*s = ", width - line->width, "");
        soa_page_put(text, line->right);
        soa_page_put(text, "\n");
    }
}
