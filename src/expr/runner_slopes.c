/* expr/runner_slopes.c - derivatives on models with flexible links: a graph on numbers with slopes.
 *
 * d(A, q_i) is the slope of A, d(d(A, q_i), q_j) how it changes, on numbers with two slopes (spatial/twice.h). */
#include <string.h>

#include "core/error.h"
#include "expr/runner.h"
#include "sens/flexible_sens.h"

/* Slopes of a graph at work. lanes: a number and its slope, or with two slopes four numbers. */
typedef struct slopes {
    const soa_direction *along;
    size_t nv, lanes;
    double *y, *moving[2], *unit[2]; /* in soa_matrix_run.room */
} slopes;

static slopes slopes_of(const soa_runner *r, const soa_matrix_run *run)
{
    slopes s = { .along = run->matrix->slope, .nv = (size_t)r->compiled->model->nv, .y = run->room };
    s.lanes = s.along[1].by == SOA_BY_NOTHING ? 2 : 4;
    s.moving[0] = s.y + s.lanes * (size_t)soa_runner_size(r, run->matrix->term->type.to.space);
    s.moving[1] = s.moving[0] + s.lanes * s.nv;
    s.unit[0] = s.moving[1] + s.lanes * s.nv;
    s.unit[1] = s.unit[0] + s.nv;
    return s;
}

/* A direction as numbers for q or v: with the time q moves by beta, and T_i moves neither. */
static const double *direction_of(const soa_runner *r, const slopes *s, int which, int state)
{
    const soa_direction along = s->along[which];
    if (along.by == SOA_BY_TIME) {
        return soa_runner_input(r, soa_runner_find(r, "beta"), state).at;
    }
    memset(s->unit[which], 0, s->nv * sizeof(double));
    if (along.by == SOA_BY_POSITION || along.by == SOA_BY_VELOCITY) {
        s->unit[which][along.velocity] = 1.0;
    }
    return s->unit[which];
}

static void direct_scene(const soa_runner *r, const slopes *s, int state, soa_dual_scene *scene)
{
    const double *x[2] = { direction_of(r, s, 0, state), direction_of(r, s, 1, state) };
    soa_dual_by by[2];
    for (int i = 0; i < 2; i++) {
        by[i] = s->along[i].by == SOA_BY_VELOCITY ? SOA_DUAL_BY_V : SOA_DUAL_BY_Q;
    }
    scene->twice = s->lanes == 4;
    soa_dual_begin(scene);
    if (scene->twice) {
        soa_twice_along(scene, by[0], x[0], by[1], x[1]);
    } else {
        soa_dual_along(scene, by[0], x[0]);
    }
}

/* An input with slopes, if beta or T is one that moves: one lane of numbers after another. */
static soa_in moving_input(const slopes *s, const soa_step *step, const double *at)
{
    const bool force = step->kind == SOA_STEP_INPUT && strcmp(step->name, "T") == 0;
    const bool velocity = step->kind == SOA_STEP_INPUT && strcmp(step->name, "beta") == 0;
    const soa_by by = force ? SOA_BY_FORCE : velocity ? SOA_BY_VELOCITY : SOA_BY_NOTHING;
    double *to = s->moving[force];
    if (!at || by == SOA_BY_NOTHING || (s->along[0].by != by && s->along[1].by != by)) {
        return (soa_in){ at, 0 };
    }
    memset(to, 0, s->lanes * s->nv * sizeof *to);
    memcpy(to, at, s->nv * sizeof *to);
    for (int i = 0; i < 2; i++) {
        if (s->along[i].by == by) {
            to[(size_t)(i + 1) * s->nv + (size_t)s->along[i].velocity] = s->lanes == 4 ? 1.0 : SOA_DUAL_STEP;
        }
    }
    return (soa_in){ to, s->nv };
}

soa_status soa_runner_slopes(soa_runner *r, soa_matrix_run *run, const double *q, int state, soa_error *error)
{
    soa_graph_run *graph = run->graph;
    const soa_type type = run->matrix->term->type;
    const size_t from = (size_t)soa_runner_size(r, type.from.space), to = (size_t)soa_runner_size(r, type.to.space);
    const slopes s = slopes_of(r, run);
    const soa_run_table *kernels = s.lanes == 4 ? soa_run_for_twice() : &soa_run_dual;
    const double *v = graph->beta < 0 ? NULL : soa_runner_input(r, graph->beta, state).at;
    soa_dual_scene scene = { .w = r->workspace, .q = q, .v = v };
    direct_scene(r, &s, state, &scene);
    soa_status status = soa_runner_prepare(r, graph, q, state, error);
    soa_runner_bind_inputs(r, graph, state);
    for (int i = 0; i < graph->graph->steps.count; i++) {
        graph->input[i] = moving_input(&s, soa_graph_step(graph->graph, i), graph->input[i].at);
    }
    for (size_t c = 0; status == SOA_OK && c < (size_t)run->cols; c++) {
        if (graph->argument >= 0) {
            graph->input[graph->argument] = (soa_in){ run->columns + c * from, 0 };
        }
        graph->output[0] = (soa_out){ s.y, to };
        soa_call call = { .model = r->compiled->model, .work = graph->work, .keeps = true };
        call.count = (int)s.lanes;
        call.spacing = s.lanes;
        call.q.at = scene.number[0];
        call.v.at = scene.number[1];
        call.point = r->point;
        call.points = r->points;
        kernels->run(&call, graph);
        for (size_t i = 0; i < to; i++) {
            run->results[c * to + i] = s.lanes == 4 ? soa_twice_slope(s.y, i) : soa_dual_slope(s.y, i);
        }
        status = call.failed[0] < 0 ? SOA_OK : soa_fail_singular(r->workspace, state, call.failed[0], error);
    }
    return status;
}
