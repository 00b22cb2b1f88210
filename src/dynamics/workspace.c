/* dynamics/workspace.c - scratch memory for one thread, and which kernels use it. */
#include <string.h>

#include "core/error.h"
#include "dynamics/kernels.h"
#include "sweep/units.h"

enum { DEFAULT_POINTS = 4 };

#define DECLARED(unit) extern const soa_kernel_table soa_dynamics_##unit, soa_flexible_##unit;
#define RIGID(unit)    [SOA_UNIT_##unit] = &soa_dynamics_##unit,
#define FLEXIBLE(unit) [SOA_UNIT_##unit] = &soa_flexible_##unit,
SOA_ALL_UNIT_LIST(DECLARED)
static const soa_kernel_table *const tables[2][SOA_UNITS + 1] = { { SOA_ALL_UNIT_LIST(RIGID) },
    { SOA_ALL_UNIT_LIST(FLEXIBLE) } };

const soa_kernel_table *soa_kernels_one(const soa_model *model, soa_cpu cpu)
{
    return tables[model->flexible][soa_unit_for_one(cpu)];
}

const soa_kernel_table *soa_kernels_many(const soa_model *model, soa_cpu cpu, int lanes)
{
    return lanes == 1 ? soa_kernels_one(model, cpu) : tables[model->flexible][soa_unit_for(cpu, lanes)];
}

const soa_kernel_table *soa_kernels_twice(void)
{
#ifdef SOA_TWICE
    extern const soa_kernel_table soa_flexible_twice;
    return &soa_flexible_twice;
#else
    return NULL;
#endif
}

/* How many states are run at once: one, if the model is so large that the variables of several would leave the caches. */
static int best_lanes(const soa_model *model, soa_cpu cpu)
{
    return model->bodies > SOA_LARGE_BODIES ? 1 : soa_unit_lanes(cpu);
}

static size_t aligned(size_t size)
{
    return (size + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT;
}

/* One block for the variables of one state and those of the most lanes. NULL: no memory. */
static void *take_work(const soa_workspace *w, int points)
{
    const soa_cpu cpu = soa_cpu_features();
    const int most = best_lanes(w->model, cpu);
    const size_t one = aligned(w->one->size(w->model, points));
    const size_t many = most > 1 ? soa_kernels_many(w->model, cpu, most)->size(w->model, points) : 0;
    return soa_allocate(&w->allocator, 1, one + many);
}

/* For derivatives of models with flexible links; false: no memory. */
static bool take_dual(soa_workspace *w)
{
    const soa_kernel_table *twice = soa_kernels_twice();
    if (!w->model->flexible) {
        return true;
    }
    const size_t one = soa_flexible_dual.size(w->model, 0), two = twice ? twice->size(w->model, 0) : 0;
    w->work_dual = soa_allocate(&w->allocator, 1, one > two ? one : two);
    w->dual = soa_allocate(&w->allocator, soa_dual_numbers(w->model), sizeof *w->dual);
    return w->work_dual && w->dual;
}

/* What kernels for one state do with lanes. Sines and checks go in lanes even if the model is too large for lanes of states. */
static soa_lane_work lane_work(const soa_workspace *w)
{
    soa_lane_work work = w->many->work;
    if (w->model->bodies > SOA_LARGE_BODIES) {
        const soa_cpu cpu = soa_cpu_features();
        const soa_kernel_table *widest = soa_kernels_many(w->model, cpu, soa_unit_lanes(cpu));
        work.finite = widest->work.finite;
        work.path_sincos = widest->work.path_sincos;
        work.model_sincos = widest->work.model_sincos;
    }
    return work;
}

/* Lays the variables out in the block. */
static void place_work(soa_workspace *w)
{
    w->work = lane_work(w);
    w->work_many = w->work_one;
    w->one->prepare(w->model, w->points, w->work_one);
    if (w->lanes > 1) {
        w->work_many = (char *)w->work_one + aligned(w->one->size(w->model, w->points));
        w->many->prepare(w->model, w->points, w->work_many);
    }
}

/* How many numbers soa_workspace.state holds. */
static size_t state_numbers(const soa_model *model, int points)
{
    return (size_t)model->nq + 3 * (size_t)model->nv + 6 * (size_t)model->bodies + 6 * (size_t)points + 1;
}

soa_status soa_workspace_new(
    const soa_model *model, const soa_allocator *allocator, soa_workspace **workspace, soa_error *error)
{
    if (workspace) {
        *workspace = NULL;
    }
    if (!model || !workspace) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a workspace needs a model and a place for its address");
    }
    const soa_allocator *from = allocator ? allocator : &model->allocator;
    soa_workspace *w = soa_allocate(from, 1, sizeof *w);
    if (!w) {
        return soa_fail_memory(error);
    }
    const soa_cpu cpu = soa_cpu_features();
    *w = (soa_workspace){ .allocator = *from,
        .model = model,
        .one = soa_kernels_one(model, cpu),
        .points = DEFAULT_POINTS,
        .spacing = 1,
        .small = soa_model_small(model) };
    for (int k = 0; k < model->bodies; k++) {
        w->slides = w->slides || (model->body[k].parent < 0 && model->body[k].joint_class == SOA_CLASS_PRISMATIC);
    }
    w->lanes = best_lanes(model, cpu);
    w->many = soa_kernels_many(model, cpu, w->lanes);
    w->work_one = take_work(w, w->points);
    w->state = soa_allocate(from, state_numbers(model, w->points), sizeof *w->state);
    const size_t squares = soa_square_numbers(model);
    w->squares = squares > 0 ? soa_allocate(from, squares, sizeof *w->squares) : NULL;
    const bool room = take_dual(w) && soa_factors_new(model, from, &w->factors);
    if (!room || !w->work_one || !w->state || (squares > 0 && !w->squares)) {
        soa_workspace_free(w);
        return soa_fail_memory(error);
    }
    place_work(w);
    *workspace = w;
    return SOA_OK;
}

void soa_workspace_free(soa_workspace *workspace)
{
    if (workspace) {
        const soa_allocator allocator = workspace->allocator;
        soa_release(&allocator, workspace->work_one);
        soa_release(&allocator, workspace->state);
        soa_release(&allocator, workspace->squares);
        soa_release(&allocator, workspace->work_dual);
        soa_release(&allocator, workspace->dual);
        soa_release(&allocator, workspace->factors);
        soa_release(&allocator, workspace->grasp);
        soa_release(&allocator, workspace);
    }
}

static soa_status fail_missing(soa_error *error)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1, "the workspace is missing");
}

soa_status soa_workspace_reserve(soa_workspace *workspace, int points, soa_error *error)
{
    if (!workspace) {
        return fail_missing(error);
    }
    if (points <= workspace->points) {
        return SOA_OK;
    }
    void *work = take_work(workspace, points);
    double *state =
        soa_allocate(&workspace->allocator, state_numbers(workspace->model, points), sizeof *workspace->state);
    if (!work || !state) {
        soa_release(&workspace->allocator, work);
        soa_release(&workspace->allocator, state);
        return soa_fail_memory(error);
    }
    soa_release(&workspace->allocator, workspace->work_one);
    soa_release(&workspace->allocator, workspace->state);
    workspace->work_one = work;
    workspace->state = state;
    workspace->points = points;
    place_work(workspace);
    return SOA_OK;
}

int soa_workspace_lanes(const soa_workspace *workspace)
{
    return workspace ? workspace->lanes : 0;
}

soa_status soa_workspace_set_lanes(soa_workspace *workspace, int lanes, soa_error *error)
{
    if (!workspace) {
        return fail_missing(error);
    }
    const soa_cpu cpu = soa_cpu_features();
    const soa_kernel_table *table =
        lanes > 0 && lanes <= SOA_MAX_LANES ? soa_kernels_many(workspace->model, cpu, lanes) : NULL;
    if (!table || lanes > best_lanes(workspace->model, cpu)) {
        return soa_fail(error, SOA_E_UNSUPPORTED, -1, "%d lanes are not to be had here; ask for 1 or at most %d", lanes,
            best_lanes(workspace->model, cpu));
    }
    workspace->many = table;
    workspace->lanes = lanes;
    place_work(workspace);
    return soa_workspace_set_layout(workspace, workspace->layout, error);
}

soa_status soa_workspace_set_layout(soa_workspace *workspace, soa_layout layout, soa_error *error)
{
    if (!workspace) {
        return fail_missing(error);
    }
    if (layout != SOA_LAYOUT_STATES && layout != SOA_LAYOUT_BLOCKED) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "layout %d does not exist; use one of soa_layout", (int)layout);
    }
    workspace->layout = layout;
    workspace->spacing = layout == SOA_LAYOUT_BLOCKED ? workspace->lanes : 1;
    return SOA_OK;
}
