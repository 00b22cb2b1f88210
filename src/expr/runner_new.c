/* expr/runner_new.c - making room for running. Whether all room could be had the arena tells, at the end; until then nothing is
 * written into room that could not. */
#include "expr/runner.h"

#include <string.h>

#include "core/error.h"
#include "operator/operator_matrices.h"

/* count zeroed items of the arena. */
static void *room(soa_runner *runner, size_t count, size_t size)
{
    return soa_arena_take(&runner->arena, count + 1, size);
}

/* An aligned block that goes with the runner's rooms. */
static void *block(soa_runner *runner, size_t bytes)
{
    void **place = soa_array_push(&runner->blocks, &runner->allocator);
    void *made = place ? soa_allocate(&runner->allocator, 1, bytes + SOA_ALIGNMENT) : NULL;
    if (place) {
        *place = made;
    }
    runner->arena.failed = runner->arena.failed || !made;
    return made;
}

/* ---- graphs -------------------------------------------------------------------------------------------- */

static soa_matrix_run *matrix_run_new(soa_runner *runner, const soa_graph_matrix *matrix);

/* The last vector of that name that a kernel computes. */
static int find_kernel(const soa_compiled *c, const char *name)
{
    int i = c->outputs.count - 1;
    while (
        soa_compiled_output_at(c, i)->kernel == SOA_BY_NONE || strcmp(soa_compiled_output_at(c, i)->name, name) != 0) {
        i--;
    }
    return i;
}

/* Where the numbers of each step are. */
static void place_steps(const soa_runner *r, soa_graph_run *run)
{
    const soa_graph *graph = run->graph;
    run->argument = -1;
    run->beta = graph->velocities ? soa_runner_find(r, "beta") : -1;
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const char *name = s->kind == SOA_STEP_INPUT ? s->name : "";
        run->at[i] = run->reals;
        run->reals +=
            graph->demanded[i] ? (size_t)soa_step_numbers(r->compiled->model, r->points, r->tree.constraints, s) : 0;
        run->bound[i] = name[0] == '\0' || s->matrix > 0 ? -1
                        : name[0] == '='                 ? -2 - find_kernel(r->compiled, name + 1)
                                                         : soa_runner_find(r, name);
        run->argument = s->kind == SOA_STEP_INPUT && name[0] == '\0' ? i : run->argument;
    }
}

static void graph_matrices(soa_runner *r, soa_graph_run *run)
{
    const size_t n = (size_t)run->graph->matrices.count;
    run->matrix = room(r, n, sizeof *run->matrix);
    run->made = room(r, n, sizeof(soa_matrix_run *));
    for (int i = 0; !r->arena.failed && i < run->graph->matrices.count; i++) {
        run->made[i] = matrix_run_new(r, soa_graph_matrix_at(run->graph, i));
        run->matrix[i] = run->made[i] ? soa_matrix_run_block(r, run->made[i], 0) : (soa_square){ 0 };
    }
}

/* How the bodies lie to the joints that the coordinates move; by time all bodies move, and so do those outboard of them. */
static unsigned char *coordinates(soa_runner *r, const soa_graph *graph)
{
    const soa_model *m = r->compiled->model;
    const size_t n = (size_t)m->bodies;
    unsigned char *lies = room(r, (size_t)graph->coordinates.count * n, 1);
    for (int i = 0; lies && i < graph->coordinates.count; i++) {
        unsigned char *of = lies + (size_t)i * n;
        const soa_graph_coordinate *coordinate = soa_graph_coordinate_at(graph, i);
        const int body = coordinate->body;
        memset(of, coordinate->by == SOA_BY_TIME ? SOA_CARRIES | SOA_MOVES : 0, n);
        for (int k = body; k >= 0; k = m->body[k].parent) {
            of[k] |= SOA_CARRIES;
        }
        for (int k = body; body >= 0 && k < m->bodies; k++) {
            const int p = m->body[k].parent;
            of[k] |= k == body || (p >= 0 && of[p] & SOA_MOVES) ? SOA_MOVES : 0;
        }
    }
    return lies;
}

/* The bytes that every width of lanes can work in: one lane has variables of its own, so the widest is not always
 * the largest. */
static size_t largest_work(const soa_model *model, int points, size_t reals)
{
    const soa_run_table *slopes = soa_run_for_twice() ? soa_run_for_twice() : &soa_run_dual;
    size_t most = model->flexible ? slopes->size(model, points, reals) : 0;
    for (int lanes = 1; lanes <= SOA_MAX_LANES; lanes *= 2) {
        const soa_run_table *table = soa_run_kernels(soa_cpu_features(), lanes);
        const size_t bytes = table ? table->size(model, points, reals) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static soa_graph_run *graph_run_new(soa_runner *r, const soa_graph *graph)
{
    soa_graph_run *run = room(r, 1, sizeof *run);
    const size_t n = (size_t)graph->steps.count;
    if (!run) {
        return NULL;
    }
    run->graph = graph;
    run->tree = &r->tree;
    run->at = room(r, n, sizeof *run->at);
    run->bound = room(r, n, sizeof *run->bound);
    run->input = room(r, n, sizeof *run->input);
    run->output = room(r, (size_t)graph->outputs.count, sizeof *run->output);
    run->lies = coordinates(r, graph);
    graph_matrices(r, run);
    if (!r->arena.failed) {
        place_steps(r, run);
        run->work = block(r, largest_work(r->compiled->model, r->points, run->reals));
    }
    return run;
}

/* ---- matrices ------------------------------------------------------------------------------------------- */

/* The unit vectors that the graph is run on; of blocks, one for each column of all blocks. */
static void make_columns(soa_runner *r, soa_matrix_run *run)
{
    const soa_type type = run->matrix->term->type;
    const size_t from = (size_t)soa_runner_size(r, type.from.space), to = (size_t)soa_runner_size(r, type.to.space);
    const size_t columns = run->matrix->blocks ? (size_t)soa_block_stride(r->compiled->model) : (size_t)run->cols;
    run->graph = graph_run_new(r, run->matrix->graph);
    run->columns = room(r, columns * from, sizeof(double));
    run->results = room(r, columns * to, sizeof(double));
    run->room = room(r, 4 * to + 10 * (size_t)r->compiled->model->nv, sizeof(double)); /* for slopes */
    for (int k = 0; !r->arena.failed && k < soa_matrix_run_blocks(r, run); k++) {
        const int n = soa_matrix_run_block(r, run, k).cols;
        const soa_slice col = run->matrix->blocks ? (soa_slice){ k, n } : run->col;
        for (int c = 0; c < n; c++) {
            run->columns[(size_t)c * from + (size_t)soa_slice_at(r, type.from.space, col, c)] = 1.0;
        }
    }
}

/* Makes the parts of a matrix, and room for what comes between. */
static void make_parts(soa_runner *r, soa_matrix_run *run)
{
    const soa_graph_matrix *matrix = run->matrix;
    const int stride = soa_block_stride(r->compiled->model);
    const int wide = run->rows > run->cols ? run->rows : run->cols;
    int most = wide > stride && !matrix->blocks ? wide : stride;
    run->part = room(r, (size_t)matrix->count, sizeof(soa_matrix_run *));
    for (int i = 0; run->part && i < matrix->count; i++) {
        run->part[i] = matrix_run_new(r, matrix->part[i]);
        most = run->part[i] && run->part[i]->rows > most && !matrix->blocks ? run->part[i]->rows : most;
    }
    run->room = room(r, soa_matrix_run_room((size_t)most), sizeof(double));
}

static soa_matrix_run *matrix_run_new(soa_runner *r, const soa_graph_matrix *matrix)
{
    soa_matrix_run *run = room(r, 1, sizeof *run);
    if (!run) {
        return NULL;
    }
    const bool inverse = matrix->kind == SOA_MATRIX_INVERSE || matrix->kind == SOA_MATRIX_PSEUDO;
    const soa_block shown = matrix->kind == SOA_MATRIX_COLUMNS ? matrix->block : (soa_block){ 0 };
    const soa_slice row = soa_runner_slice(r, matrix->term->type.to.space, shown.row);
    const soa_slice col = soa_runner_slice(r, matrix->term->type.from.space, shown.col);
    const size_t stride = (size_t)soa_block_stride(r->compiled->model), bodies = (size_t)r->compiled->model->bodies;
    const size_t numbers = matrix->blocks ? stride * stride * bodies : (size_t)row.count * (size_t)col.count;
    *run = (soa_matrix_run){ .matrix = matrix,
        .rows = inverse ? col.count : row.count,
        .cols = inverse ? row.count : col.count,
        .row = row,
        .col = col,
        .at = room(r, numbers, sizeof(double)) };
    if (matrix->kind == SOA_MATRIX_KERNEL && matrix->kernel == SOA_BY_JACOBIAN_T) {
        run->results = room(r, numbers, sizeof(double));
    } else if (matrix->kind == SOA_MATRIX_COLUMNS) {
        make_columns(r, run);
    }
    if (matrix->count > 0) {
        make_parts(r, run);
    }
    return run;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void clear(soa_runner *runner)
{
    for (int i = 0; i < runner->blocks.count; i++) {
        soa_release(&runner->allocator, *(void **)soa_array_at(&runner->blocks, i));
    }
    runner->blocks.count = 0;
    soa_arena_free(&runner->arena);
    runner->arena = soa_arena_on(&runner->allocator);
    runner->main = NULL;
}

soa_status soa_runner_build(soa_runner *runner, soa_error *error)
{
    const soa_compiled *c = runner->compiled;
    clear(runner);
    runner->result = room(runner, (size_t)c->outputs.count, sizeof(soa_matrix_run *));
    runner->value = room(runner, (size_t)c->outputs.count, sizeof(double *));
    if (soa_run_tree_new(&runner->tree, &runner->arena, c->model, runner->points)) {
        soa_run_tree_points(&runner->tree, c->model, runner->points, runner->point);
    }
    runner->main = graph_run_new(runner, &c->graph);
    runner->single = c->graph.matrices.count > 0;
    for (int i = 0; !runner->arena.failed && i < c->outputs.count; i++) {
        const soa_compiled_output *out = soa_compiled_output_at(c, i);
        const bool slice = out->vector >= 0 && out->block.row;
        runner->single = runner->single || slice || out->matrix;
        if (out->kernel != SOA_BY_NONE) {
            runner->value[i] = room(runner, SOA_MAX_LANES * (size_t)c->model->nv, sizeof(double));
        } else if (slice) {
            runner->value[i] = room(runner, (size_t)soa_runner_count_of(runner, out->type), sizeof(double));
        } else if (out->matrix) {
            runner->result[i] = matrix_run_new(runner, out->matrix);
        }
    }
    return runner->arena.failed ? soa_fail_memory(error) : SOA_OK;
}

soa_status soa_runner_new(const soa_compiled *compiled, int points, const soa_point *point,
    const soa_allocator *allocator, soa_runner **runner, soa_error *error)
{
    if (!compiled || !runner) {
        return soa_fail_null(error, "the compiled program or the runner");
    }
    *runner = NULL;
    if (!compiled->model) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the expressions were compiled without a model");
    }
    soa_status status = soa_check_points(compiled->model, points, point, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_allocator from = allocator ? *allocator : compiled->model->allocator;
    soa_runner *r = soa_allocate(&from, 1, sizeof *r);
    if (!r) {
        return soa_fail_memory(error);
    }
    *r = (soa_runner){ .allocator = from, .compiled = compiled, .points = points };
    r->arena = r->bound = soa_arena_on(&r->allocator);
    r->blocks = soa_array_of(sizeof(void *));
    r->point = soa_arena_take(&r->bound, (size_t)points + 1, sizeof *r->point);
    r->input = soa_arena_take(&r->bound, (size_t)compiled->inputs.count + 1, sizeof *r->input);
    r->output = soa_arena_take(&r->bound, (size_t)compiled->outputs.count + 1, sizeof *r->output);
    status = r->bound.failed ? soa_fail_memory(error) : soa_workspace_new(compiled->model, &from, &r->workspace, error);
    status = status == SOA_OK ? soa_workspace_reserve(r->workspace, points, error) : status;
    if (status == SOA_OK) {
        if (points > 0) {
            memcpy(r->point, point, (size_t)points * sizeof *point);
        }
        r->lanes = compiled->model->flexible ? 1 : soa_workspace_lanes(r->workspace);
        r->one = soa_run_kernels(soa_cpu_features(), 1);
        r->many = soa_run_kernels(soa_cpu_features(), r->lanes);
        status = soa_runner_build(r, error);
    }
    if (status != SOA_OK) {
        soa_runner_free(r);
        return status;
    }
    *runner = r;
    return SOA_OK;
}

void soa_runner_free(soa_runner *runner)
{
    if (!runner) {
        return;
    }
    const soa_allocator from = runner->allocator;
    clear(runner);
    soa_array_free(&runner->blocks, &from);
    soa_arena_free(&runner->arena);
    soa_workspace_free(runner->workspace);
    soa_arena_free(&runner->bound);
    soa_release(&from, runner->tree.constraint);
    soa_release(&from, runner);
}
