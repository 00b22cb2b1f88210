/* closure/set.c - making a set of closures, and what it is asked. */
#include <stdint.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "sweep/units.h"

enum { MORE_CLOSURES = 16, LARGEST_SET = 1000000 };

/* ---- memory ----------------------------------------------------------------------------- */

/* What the models describe. */
static soa_closures_room described(int systems, const soa_model *const *model)
{
    soa_closures_room room = { 0, 0, 0 };
    for (int s = 0; s < systems; s++) {
        const int closures = soa_model_closures(model[s]), couplings = soa_model_couplings(model[s]);
        room.closures += closures + couplings;
        room.rows += couplings;
        for (int i = 0; i < closures; i++) {
            room.rows += soa_closure_row_count(soa_model_closure(model[s], i));
        }
    }
    return room;
}

/* Bytes of the fronts, as long as nothing is known of the closures: enough for any order of rows where that is little;
 * else for a few per node, and *measured is true: what the closures need is to be found out. */
static size_t stack_bytes(const soa_closures *set, const soa_closures_room *room, bool *measured)
{
    *measured = false;
    if (room->bytes > 0) {
        return room->bytes;
    }
    const size_t rows = (size_t)set->max_rows + 8, nodes = (size_t)set->nodes, little = (size_t)4 << 20;
    const size_t column = 8 * 20 + 64; /* Y, N and what goes with them */
    const size_t most = 4096 + 3 * rows * rows * 8 + (nodes + (size_t)set->capacity) * (rows * column + 1024);
    const size_t few = little + nodes * 48 * 24 * 8 + rows * 48 * 16;
    const size_t dense = soa_dense_bytes(rows, (size_t)set->nv, (size_t)set->nq); /* another use of it */
    if (set->flexible) { /* no fronts; what is solved as a whole is small */
        return dense < 16 * little ? dense : little;
    }
    const size_t least = dense <= little ? dense : 0;
    *measured = few < most;
    return most < few ? (most > least ? most : least) : few;
}

/* Other memory for the fronts; what was in it is gone. */
static bool resize_stack(soa_closures *set, size_t bytes)
{
    soa_release(&set->allocator, set->stack.at);
    set->stack.size = bytes / SOA_ALIGNMENT * SOA_ALIGNMENT;
    set->stack.at = soa_allocate(&set->allocator, 1, set->stack.size);
    return set->stack.at != NULL;
}

/* The closures that the models describe are solved once, in the neutral configuration, to see what their fronts need:
 * that follows from how they join the bodies. Elsewhere weak rows may go further: twice as much. */
static soa_status measure_stack(soa_closures *set, soa_error *error)
{
    double *q = set->scratch.vector;
    const soa_closed_input in = { .q = q, .vdot = q + set->nq };
    for (int s = 0; s < set->systems; s++) {
        soa_model_neutral(set->part[s].model, q + set->part[s].q);
    }
    soa_plan_closures(set);
    for (;;) {
        int body = -1;
        (void)set->table->solve(set, &in, &body);
        if (!set->stack.overflow) {
            soa_least_norm(set);
        }
        const size_t size = set->stack.size;
        if (!set->stack.overflow && set->stack.used <= size / 2) {
            return SOA_OK;
        }
        const size_t next = set->stack.overflow ? 2 * size : 2 * set->stack.used;
        if (next < size || !resize_stack(set, next)) {
            return soa_fail_memory(error);
        }
        if (!set->stack.overflow) {
            return SOA_OK;
        }
    }
}

static bool take_arrays(soa_closures *set)
{
    soa_arena *arena = &set->arena;
    const size_t nodes = (size_t)set->nodes, ties = (size_t)set->capacity, rows = (size_t)set->max_rows + 1;
    const size_t with_held = rows + 6 * nodes;
    set->tie = soa_arena_take(arena, ties, sizeof *set->tie);
    set->place = soa_arena_take(arena, ties, sizeof *set->place);
    set->plan.next_end = soa_arena_take(arena, 2 * ties, sizeof *set->plan.next_end);
    set->row = soa_arena_take(arena, rows, sizeof *set->row);
    set->last.lambda = soa_arena_take(arena, with_held, sizeof *set->last.lambda);
    set->fronts.where = soa_arena_take(arena, with_held, sizeof *set->fronts.where);
    set->fronts.first_block = soa_arena_take(arena, with_held, sizeof *set->fronts.first_block);
    set->fronts.null = soa_arena_take(arena, with_held, sizeof *set->fronts.null);
    set->fronts.null_first = soa_arena_take(arena, rows, sizeof *set->fronts.null_first);
    set->last.depends = soa_arena_take(arena, rows, sizeof *set->last.depends);
    set->ranks.loop_of = soa_arena_take(arena, ties + 1, sizeof *set->ranks.loop_of);
    set->ranks.loop = soa_arena_take(arena, ties + 1, sizeof *set->ranks.loop);
    set->last.contrary = soa_arena_take(arena, rows, sizeof *set->last.contrary);
    set->node = soa_arena_take(arena, nodes + 1, sizeof *set->node);
    set->plan.order = soa_arena_take(arena, nodes + 1, sizeof *set->plan.order);
    set->fronts.held_P = soa_arena_take(arena, 21 * nodes + 1, sizeof *set->fronts.held_P);
    set->plan.run = soa_arena_take(arena, nodes + 1, sizeof *set->plan.run);
    set->plan.first_run = soa_arena_take(arena, nodes + 2, sizeof *set->plan.first_run);
    set->plan.by_branch = soa_arena_take(arena, nodes + 1, sizeof *set->plan.by_branch);
    set->plan.branch_count = soa_arena_take(arena, nodes + 1, sizeof *set->plan.branch_count);
    set->plan.branch_first = soa_arena_take(arena, nodes + 1, sizeof *set->plan.branch_first);
    set->scratch.ints = soa_arena_take(arena, 8 * nodes + 2 * ties + 8, sizeof *set->scratch.ints);
    set->scratch.vector =
        soa_arena_take(arena, 32 * (size_t)set->nv + (size_t)set->nq + 8 * rows + 64, sizeof *set->scratch.vector);
    set->fronts.most_blocks = set->nodes + set->capacity + set->max_rows + 2;
    set->fronts.block = soa_arena_take(arena, (size_t)set->fronts.most_blocks, sizeof *set->fronts.block);
    if (set->states && !set->flexible) {
        char *room = soa_arena_take(arena, set->states->size(set) + SOA_ALIGNMENT, 1);
        set->fronts.states = room ? room + (SOA_ALIGNMENT - (uintptr_t)room % SOA_ALIGNMENT) % SOA_ALIGNMENT : NULL;
    }
    if (set->flexible) {
        set->states = NULL;
        set->scratch.located =
            soa_arena_take(arena, (size_t)set->nq + 6 * (size_t)set->nv + 1, sizeof *set->scratch.located);
        soa_closures_by_points(set);
    }
    return !arena->failed;
}

/* ---- systems ------------------------------------------------------------------------------ */

static soa_status make_parts(soa_closures *set, const soa_model *const *model, soa_error *error)
{
    set->part = soa_arena_take(&set->arena, (size_t)set->systems, sizeof *set->part);
    if (!set->part) {
        return soa_fail_memory(error);
    }
    for (int s = 0; s < set->systems; s++) {
        soa_part *part = &set->part[s];
        *part = (soa_part){ .model = model[s], .node = set->nodes, .q = set->nq, .v = set->nv };
        const soa_status status = soa_workspace_new(model[s], &set->allocator, &part->workspace, error);
        if (status != SOA_OK) {
            return status;
        }
        part->call = (soa_call){ .model = model[s],
            .work = part->workspace->work_one,
            .prepared = true,
            .lanes = &part->workspace->work,
            .count = 1,
            .spacing = 1,
            .whole = true };
        part->many = part->call;
        set->states = set->states && set->states->lanes == part->workspace->lanes ? set->states : NULL;
        set->flexible = set->flexible || model[s]->flexible;
        set->nodes += model[s]->bodies;
        set->nq += model[s]->nq;
        set->nv += model[s]->nv;
    }
    return SOA_OK;
}

/* Nodes, and the branches that they form on the world. */
static void make_nodes(soa_closures *set)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        for (int k = 0; k < part->model->bodies; k++) {
            const int at = part->node + k, parent = part->model->body[k].parent;
            soa_node *node = &set->node[at];
            *node = (soa_node){ .part = s, .body = k, .end = -1, .block = -1 };
            node->parent = parent < 0 ? SOA_NO_NODE : part->node + parent;
            node->root = parent < 0 ? at : set->node[node->parent].root;
            set->plan.branch_count[node->root]++;
        }
    }
    int first = 0;
    for (int k = 0; k < set->nodes; k++) {
        set->plan.branch_first[k] = first;
        first += set->plan.branch_count[k];
        set->plan.branch_count[k] = 0;
    }
    for (int k = set->nodes - 1; k >= 0; k--) {
        const int root = set->node[k].root;
        set->plan.by_branch[set->plan.branch_first[root] + set->plan.branch_count[root]++] = k;
    }
}

static soa_status add_described(soa_closures *set, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int s = 0; s < set->systems; s++) {
        const soa_model *m = set->part[s].model;
        for (int i = 0; status == SOA_OK && i < soa_model_closures(m); i++) {
            status = soa_closure_add(set, soa_model_closure(m, i), s, s, NULL, error);
        }
        for (int i = 0; status == SOA_OK && i < soa_model_couplings(m); i++) {
            status = soa_closure_add_coupling(set, soa_model_coupling(m, i), s, s, NULL, error);
        }
    }
    return status;
}

static soa_status check_new(
    int systems, const soa_model *const *model, const soa_closures_room *room, soa_closures **set, soa_error *error)
{
    bool good = systems > 0 && model && set;
    for (int s = 0; good && s < systems; s++) {
        good = model[s] != NULL;
    }
    if (!good) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a set of closures needs at least one model");
    }
    if (room->closures < 0 || room->rows < 0 || room->closures > LARGEST_SET || room->rows > 6 * LARGEST_SET) {
        return soa_fail(error, SOA_E_LIMIT, -1, "room for at most %d closures", LARGEST_SET);
    }
    return SOA_OK;
}

soa_status soa_closures_new(int systems, const soa_model *const *model, const soa_closures_room *room,
    const soa_allocator *allocator, soa_closures **out, soa_error *error)
{
    const soa_closures_room wanted = room ? *room : (soa_closures_room){ 0, 0, 0 };
    soa_status status = check_new(systems, model, &wanted, out, error);
    if (status != SOA_OK) {
        return status;
    }
    *out = NULL;
    const soa_allocator from = allocator ? *allocator : model[0]->allocator;
    soa_closures *set = soa_allocate(&from, 1, sizeof *set);
    if (!set) {
        return soa_fail_memory(error);
    }
    memset(set, 0, sizeof *set);
    set->allocator = from;
    set->arena = soa_arena_on(&set->allocator);
    set->systems = systems;
    set->least_pivot = SOA_LEAST_PIVOT;
    set->plan.hold_above = SOA_HOLD_ABOVE;
    set->table = soa_closure_kernels(soa_cpu_features());
    set->cross = soa_closure_cross(soa_cpu_features());
    set->states = soa_states_kernels(soa_cpu_features(), soa_unit_lanes(soa_cpu_features()));
    const soa_closures_room there = described(systems, model);
    set->capacity = wanted.closures > 0 ? wanted.closures : there.closures + MORE_CLOSURES;
    set->max_rows = wanted.rows > 0 ? wanted.rows : there.rows + SOA_CLOSURE_MAX_ROWS * MORE_CLOSURES;
    status = make_parts(set, model, error);
    bool measured = false;
    if (status == SOA_OK && !(take_arrays(set) && resize_stack(set, stack_bytes(set, &wanted, &measured)))) {
        status = soa_fail_memory(error);
    }
    if (status == SOA_OK) {
        make_nodes(set);
        status = add_described(set, error);
    }
    if (status == SOA_OK && measured && set->rows > 0) {
        status = measure_stack(set, error);
    }
    if (status != SOA_OK) {
        soa_closures_free(set);
        return status;
    }
    *out = set;
    return SOA_OK;
}

void soa_closures_free(soa_closures *set)
{
    if (!set) {
        return;
    }
    for (int s = 0; set->part && s < set->systems; s++) {
        soa_workspace_free(set->part[s].workspace);
    }
    const soa_allocator allocator = set->allocator;
    soa_release(&allocator, set->stack.at);
    soa_arena_free(&set->arena);
    soa_release(&allocator, set);
}

/* ---- questions ------------------------------------------------------------------------------- */

void soa_closures_move(const soa_closures *set, const double *q, const double *d, double by, double *q_out)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        soa_integrate(part->model, q + part->q, d + part->v, by, q_out + part->q);
    }
}

int soa_closures_systems(const soa_closures *set)
{
    return set ? set->systems : 0;
}

int soa_closures_nq(const soa_closures *set)
{
    return set ? set->nq : 0;
}

int soa_closures_nv(const soa_closures *set)
{
    return set ? set->nv : 0;
}

int soa_closures_count(const soa_closures *set)
{
    return set ? set->ties : 0;
}

int soa_closures_rows(const soa_closures *set)
{
    return set ? set->rows : 0;
}

const double *soa_closure_multipliers(const soa_closures *set)
{
    return set ? set->last.lambda : NULL;
}
