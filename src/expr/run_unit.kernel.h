/* expr/run_unit.kernel.h - running graphs for one width of lanes.
 *
 * A unit defines LANES and UNIT and includes this file. */
#pragma GCC diagnostic ignored "-Wunused-function"  /* the kernels beside those that are taken from their files */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* what some steps need, all of them are given */
#include "expr/rate_steps.kernel.h"
#include "expr/recursions.kernel.h"

/* ---- instructions that are expressions ------------------------------------------------------------------ */

#define FORCE(x, k)  forces_of(m, i->x)[k]
#define MOTION(x, k) motions_of(m, i->x)[k]
#define JOINT(x)     joint_of(m, i->x, body)
#define STATEMENT(name, statement)                          \
    BODY_STEP(name)                                         \
    {                                                       \
        const int p __attribute__((unused)) = body->parent; \
        statement;                                          \
    }
#define FORCE_STEP(name, value)  STATEMENT(name, FORCE(y, k) = value)
#define MOTION_STEP(name, value) STATEMENT(name, MOTION(y, k) = value)
#define FORCE_SUM(name, first, rest)                                                       \
    BODY_STEP(name)                                                                        \
    {                                                                                      \
        force sum = first;                                                                 \
        for (CHILDREN) {                                                                   \
            const soa_body_data *child __attribute__((unused)) = &m->call->model->body[j]; \
            sum = force_add(sum, rest);                                                    \
        }                                                                                  \
        FORCE(y, k) = sum;                                                                 \
    }
#define INSTRUCTION(name)
#include "expr/instructions.def"
#undef INSTRUCTION
#undef STATEMENT
#undef FORCE_STEP
#undef MOTION_STEP
#undef FORCE_SUM
#undef FORCE
#undef MOTION
#undef JOINT

#if LANES == 1 || defined(SOA_ONE_STATE)
#define FLEXIBLE /* the unit runs models with flexible links, one state at a time */
#include "expr/flexible_steps.kernel.h"
#endif

static step_function *const steps[] = {
#define INSTRUCTION(name) [SOA_CODE_##name] = step_##name,
#include "expr/instructions.def"
#undef INSTRUCTION
};

/* ---- inputs and outputs ------------------------------------------------------------------------------ */

static int numbers_in(const machine *m, soa_space space)
{
    return soa_space_numbers(m->call->model, m->call->points, m->tree->constraints, space);
}

/* n numbers of each state of the call. */
static void take_input(const soa_call *call, soa_in in, size_t n, real *x)
{
#if LANES == 1
    (void)call;
    memcpy(x, in.at, n * sizeof *x);
#elif defined(SOA_SLOPES)
    (void)call;
    for (size_t i = 0; i < n; i++) {
        x[i] = real_set(in.at[i]);
        for (int lane = 1; lane < LANES && in.stride > 0; lane++) { /* slopes stand behind the numbers */
            x[i] = real_put(x[i], lane, in.at[(size_t)lane * in.stride + i]);
        }
    }
#else
    const soa_in there = gather(call, in, n, x);
    if ((const real *)(const void *)there.at != x) {
        memcpy(x, there.at, n * sizeof *x);
    }
#endif
}

/* Vectors of bodies from the axes of the sweeps to those of the links, and back. */
static void turn_bodies(const machine *m, soa_place place, bool to_links, real *x)
{
    const soa_body_data *body = m->call->model->body;
    for (int k = 0; place.space == SOA_SPACE_BODY && k < m->call->model->bodies; k++) {
        turn_frame(to_links, place.side, pose_set(&body[k].rest->frame), x + 6 * k);
    }
}

/* What is given: zeros if nothing is. */
static void load_inputs(const machine *m)
{
    const soa_graph *graph = m->run->graph;
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const soa_in in = m->run->input[i];
        if (!graph->demanded[i] || (s->kind != SOA_STEP_ZERO && s->kind != SOA_STEP_INPUT)) {
            continue;
        }
        const int n = numbers_in(m, s->place.space);
        real *x = numbers_of(m, i);
        for (int j = 0; j < n && !in.at; j++) {
            x[j] = real_set(0.0);
        }
        if (in.at) {
            take_input(m->call, in, (size_t)n, x);
            turn_bodies(m, s->place, false, x);
        }
    }
}

static void store_output(const machine *m, int step, soa_out out)
{
    const soa_step *s = soa_graph_step(m->run->graph, step);
    const int n = numbers_in(m, s->place.space);
    const real *y = numbers_of(m, step);
    if (s->place.space == SOA_SPACE_BODY) {
        for (int i = 6 * m->call->model->bodies; i < n; i++) {
            out_put(m->call, out, (size_t)i, y[i]); /* modes */
        }
        for (int k = 0; k < m->call->model->bodies; k++) {
            real six[6];
            memcpy(six, y + 6 * k, sizeof six);
            turn_frame(true, s->place.side, pose_set(&m->call->model->body[k].rest->frame), six);
            for (int i = 0; i < 6; i++) {
                out_put(m->call, out, (size_t)(6 * k + i), six[i]);
            }
        }
        return;
    }
    for (int i = 0; i < n; i++) {
        out_put(m->call, out, (size_t)i, y[i]);
    }
}

/* ---- of all bodies at once ------------------------------------------------------------------------------- */

static void matrix_mul(const machine *m, const soa_step *i, const double *A, int rows, int cols, bool adjoint)
{
    const real *x = numbers_of(m, i->x);
    real *y = numbers_of(m, i->y);
    const int n = adjoint ? cols : rows, inner = adjoint ? rows : cols;
    for (int r = 0; r < n; r++) {
        y[r] = real_set(0.0);
        for (int c = 0; c < inner; c++) {
            y[r] = real_fma(real_set(adjoint ? A[c * cols + r] : A[r * cols + c]), x[c], y[r]);
        }
    }
}

/* A dense matrix; vectors of bodies are in link frames while it works. */
static void dense_mul(const machine *m, const soa_step *i)
{
    const soa_graph *graph = m->run->graph;
    const soa_place x = soa_graph_step(graph, i->x)->place, y = soa_graph_step(graph, i->y)->place;
    const soa_square A = m->run->matrix[i->matrix];
    turn_bodies(m, x, true, numbers_of(m, i->x));
    matrix_mul(m, i, A.at, A.rows, A.cols, i->adjoint);
    turn_bodies(m, x, false, numbers_of(m, i->x));
    turn_bodies(m, y, false, numbers_of(m, i->y));
}

/* x* y; of bodies a sum over the bodies of a motion and a force. */
static void dot_of(const machine *m, const soa_step *i)
{
    const soa_step *s = soa_graph_step(m->run->graph, i->x);
    const int n = numbers_in(m, s->place.space);
    const real *a = numbers_of(m, i->x), *b = numbers_of(m, i->x2);
    real sum = real_set(0.0);
    for (int j = 0; j < n; j++) {
        sum = real_fma(a[j], b[j], sum);
    }
    numbers_of(m, i->y)[0] = sum;
}

static void run_whole(const machine *m, const soa_step *i)
{
    const size_t n = (size_t)numbers_in(m, i->place.space);
    switch ((int)i->code) {
    case SOA_CODE_A:
    case SOA_CODE_A_t:
        matrix_mul(m, i, m->tree->constraint, m->tree->constraints, 6 * m->call->points, i->adjoint);
        return;
    case SOA_CODE_matrix:
        dense_mul(m, i);
        return;
    case SOA_CODE_dot:
        dot_of(m, i);
        return;
    case SOA_CODE_sum:
        sum_numbers(m, i, 0, n);
        return;
    default:
        scale_numbers(m, i, 0, n);
    }
}

/* ---- sweeps ------------------------------------------------------------------------------------------------ */

static void run_at(const machine *m, int first, int end, int k)
{
    const soa_step *const *code = (const soa_step *const *)m->list->code.items;
    const soa_step *const *i = code + first, *const *last = code + end;
#ifdef FLEXIBLE
    for (; m->all && i < last; i++) {
        flexible_step(m, *i, k, steps[(*i)->code]);
    }
#endif
    for (; i < last; i++) {
        steps[(*i)->code](m, *i, k);
    }
}

static void run_sweep(const machine *m, int sweep)
{
    const soa_graph *graph = m->run->graph;
    const int first = m->list->first[sweep + 1], end = m->list->whole[sweep + 1], bodies = m->call->model->bodies;
    if (first == end) {
        return;
    }
    if (graph->points || m->call->points > 0) {
        run_at(m, first, end, SOA_WORLD); /* what points on the world need */
    }
    if (soa_sweep_inward(&graph->schedule, sweep)) {
        for (int k = bodies - 1; k >= 0; k--) {
            run_at(m, first, end, k);
        }
    } else {
        for (int k = 0; k < bodies; k++) {
            run_at(m, first, end, k);
        }
    }
}

static void run_graph(soa_call *call, const soa_graph_run *run)
{
    const soa_graph *graph = run->graph;
    const vars w = vars_of(call);
    vars unused;
    char *behind = (char *)call->work + vars_place(call->model, 0, NULL, &unused);
    machine m = { call, &w, run, run->tree, run->again ? &graph->again : &graph->all, (real *)(void *)behind, NULL };
    call_begin(call);
#if LANES > 1
    gather_inputs_in(call, &w);
#endif
#ifdef FLEXIBLE
    blocks all;
    if (call->model->flexible) {
        m.base = (real *)(void *)(behind + blocks_place(call->model, call->points, behind, &all));
        m.all = &all;
        if (!run->again) {
            blocks_position(call, &w, &all);
        }
    }
#endif
    if (!m.all && !run->again) {
        position_sweep(call, &w);
        if (graph->points) {
            placement_sweep(call, &w);
        }
    }
    load_inputs(&m);
    for (int sweep = SOA_BEFORE; sweep < graph->schedule.sweeps; sweep++) {
        if (sweep >= 0) {
            run_sweep(&m, sweep);
        }
        for (int i = m.list->whole[sweep + 1]; i < m.list->first[sweep + 2]; i++) {
            run_whole(&m, ((const soa_step *const *)m.list->code.items)[i]);
        }
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        if (run->output[i].at) {
            store_output(&m, soa_graph_output_at(graph, i)->step, run->output[i]);
        }
    }
}

static size_t run_size(const soa_model *model, int points, size_t reals)
{
    vars w;
    size_t bytes = vars_place(model, 0, NULL, &w) + reals * sizeof(real);
#ifdef FLEXIBLE
    blocks all;
    bytes += model->flexible ? blocks_place(model, points, NULL, &all) : 0;
#endif
    return bytes;
}

#define TABLE_NAME_OF(unit) soa_run_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_run_table TABLE_NAME(UNIT);
const soa_run_table TABLE_NAME(UNIT) = {
    .lanes = LANES,
    .size = run_size,
    .run = run_graph,
};
