/* expr/graph_merge.c - A x + A y becomes A (x + y); steps that nothing uses go.
 *
 * The graph is built anew from its outputs: a sum opens the sums in it that only
 * it uses, and gathers what stands under the same operator. So
 * T - H psi K T - H psi b - H psi E_psi P a becomes T - H psi (K T + b + E_psi P a). */
#include "expr/graph.h"

#include "core/error.h"

typedef struct merge {
    const soa_graph *from;
    soa_graph *to;
    int *image; /* by old step: its new number, -1 before it has one */
    const int *uses;
} merge;

/* A list of old steps with factors. */
typedef struct list {
    int count, room;
    double *factor;
    int *step;
} list;

static int rebuild(merge *m, int step);

static bool list_new(merge *m, list *made, int room)
{
    *made = (list){ .room = room };
    made->factor = soa_arena_take(&m->to->arena, (size_t)room + 1, sizeof *made->factor);
    made->step = soa_arena_take(&m->to->arena, (size_t)room + 1, sizeof *made->step);
    return made->factor && made->step;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static int opened_count(const merge *m, int step)
{
    const soa_step *s = soa_graph_step(m->from, step);
    if (s->kind != SOA_STEP_SUM || m->uses[step] != 1) {
        return 1;
    }
    int total = 0;
    for (int i = 0; i < s->count; i++) {
        total += opened_count(m, s->input[i]);
    }
    return total;
}

static void open_into(const merge *m, double factor, int step, list *to)
{
    const soa_step *s = soa_graph_step(m->from, step);
    if (s->kind != SOA_STEP_SUM || m->uses[step] != 1) {
        to->factor[to->count] = factor;
        to->step[to->count++] = step;
        return;
    }
    for (int i = 0; i < s->count; i++) {
        open_into(m, factor * s->factor[i], s->input[i], to);
    }
}

/* Whether two parts of a sum are one operator on two vectors that nothing else needs. */
static bool alike(const merge *m, int a, int b)
{
    const soa_step *x = soa_graph_step(m->from, a), *y = soa_graph_step(m->from, b);
    return m->uses[a] == 1 && m->uses[b] == 1 && x->kind == y->kind && x->op == y->op && x->adjoint == y->adjoint &&
           x->matrix == y->matrix && soa_along_equal(x->along, y->along) &&
           (x->kind == SOA_STEP_APPLY || x->kind == SOA_STEP_MATRIX);
}

static int build_sum(merge *m, soa_place place, const list *given);

/* The operator of part `first` on the sum of what stands under it; those taken get factor 0. */
static int build_group(merge *m, list *parts, int first)
{
    list under;
    const soa_step *s = soa_graph_step(m->from, parts->step[first]);
    const double common = parts->factor[first];
    int room = 0;
    for (int i = first; i < parts->count; i++) {
        room += opened_count(m, soa_graph_step(m->from, parts->step[i])->count > 0
                                    ? soa_graph_step(m->from, parts->step[i])->input[0]
                                    : parts->step[i]);
    }
    if (!list_new(m, &under, room)) {
        return soa_graph_fail(m->to, SOA_E_MEMORY, NULL);
    }
    for (int i = first; i < parts->count; i++) {
        if (i == first || (parts->factor[i] != 0.0 && alike(m, parts->step[first], parts->step[i]))) {
            open_into(m, parts->factor[i] / common, soa_graph_step(m->from, parts->step[i])->input[0], &under);
            parts->factor[i] = i == first ? parts->factor[i] : 0.0;
        }
    }
    const soa_place place = soa_graph_step(m->from, s->input[0])->place;
    const int x = build_sum(m, place, &under);
    soa_step like = *s;
    like.input = &x;
    like.need = s->need < 0 ? -1 : rebuild(m, s->need);
    return x < 0 ? -1 : soa_graph_make(m->to, like);
}

static bool has_like(const merge *m, const list *parts, int first)
{
    for (int i = first + 1; i < parts->count; i++) {
        if (parts->factor[i] != 0.0 && alike(m, parts->step[first], parts->step[i])) {
            return true;
        }
    }
    return false;
}

static int build_sum(merge *m, soa_place place, const list *given)
{
    list parts = *given, made;
    if (!list_new(m, &made, parts.count)) {
        return soa_graph_fail(m->to, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; i < parts.count; i++) {
        if (parts.factor[i] == 0.0) {
            continue;
        }
        const int y = has_like(m, &parts, i) ? build_group(m, &parts, i) : rebuild(m, parts.step[i]);
        if (y < 0) {
            return -1;
        }
        made.factor[made.count] = parts.factor[i];
        made.step[made.count++] = y;
    }
    return soa_graph_sum(m->to, place, made.count, made.factor, made.step);
}

/* ---- all --------------------------------------------------------------------------------------- */

static int rebuild_sum(merge *m, int step)
{
    const soa_step *s = soa_graph_step(m->from, step);
    list parts;
    int room = 0;
    for (int i = 0; i < s->count; i++) {
        room += opened_count(m, s->input[i]);
    }
    if (!list_new(m, &parts, room)) {
        return soa_graph_fail(m->to, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; i < s->count; i++) {
        open_into(m, s->factor[i], s->input[i], &parts);
    }
    return build_sum(m, s->place, &parts);
}

static int rebuild_other(merge *m, int step)
{
    const soa_step *s = soa_graph_step(m->from, step);
    int *x = soa_arena_take(&m->to->arena, (size_t)s->count + 1, sizeof *x);
    if (!x) {
        return soa_graph_fail(m->to, SOA_E_MEMORY, NULL);
    }
    soa_step like = *s;
    like.uses = 0;
    like.need = s->need < 0 ? -1 : rebuild(m, s->need);
    for (int i = 0; i < s->count; i++) {
        x[i] = rebuild(m, s->input[i]);
        if (x[i] < 0) {
            return -1;
        }
    }
    like.input = x;
    return s->need >= 0 && like.need < 0 ? -1 : soa_graph_make(m->to, like);
}

static int rebuild(merge *m, int step)
{
    if (m->image[step] < 0 && m->to->status == SOA_OK) {
        m->image[step] =
            soa_graph_step(m->from, step)->kind == SOA_STEP_SUM ? rebuild_sum(m, step) : rebuild_other(m, step);
    }
    return m->image[step];
}

static void count_uses(const soa_graph *graph, int *uses)
{
    for (int i = 0; i < graph->steps.count; i++) {
        uses[i] = 0;
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        uses[soa_graph_output_at(graph, i)->step] += 2; /* an output keeps its own value */
    }
    for (int i = graph->steps.count - 1; i >= 0; i--) {
        const soa_step *s = soa_graph_step(graph, i);
        for (int j = 0; uses[i] > 0 && j < s->count; j++) {
            uses[s->input[j]]++;
        }
    }
}

static soa_status merged(const soa_graph *graph, soa_graph *to, int *image, int *uses)
{
    count_uses(graph, uses);
    for (int i = 0; i < graph->steps.count; i++) {
        image[i] = -1;
    }
    merge m = { graph, to, image, uses };
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *old = soa_graph_output_at(graph, i);
        const int step = rebuild(&m, old->step);
        if (step < 0) {
            return to->status;
        }
        soa_graph_output *made = soa_array_push(&to->outputs, &to->allocator);
        const char *name = soa_arena_text(&to->arena, old->name);
        if (!made || !name) {
            return soa_fail_memory(to->error);
        }
        *made = (soa_graph_output){ name, old->term, step };
    }
    for (int i = 0; i < graph->calls.count; i++) {
        const soa_graph_call *old = soa_graph_call_at(graph, i);
        if (soa_graph_add_call(to, old->name + 1, old->term) != SOA_OK) {
            return to->status;
        }
    }
    for (int i = 0; i < graph->matrices.count; i++) {
        if (soa_graph_matrix_use(to, *soa_graph_matrix_at(graph, i)) < 0) {
            return to->status;
        }
    }
    return SOA_OK;
}

static soa_status merge_once(soa_graph *graph)
{
    const size_t n = (size_t)graph->steps.count + 1;
    soa_graph to = soa_graph_begin(graph->terms, graph->error);
    to.rotors = graph->rotors;
    to.literal = graph->literal;
    to.turning = graph->turning;
    to.model = graph->model;
    to.coordinates = graph->coordinates;
    int *image = soa_arena_take(&graph->arena, n, sizeof *image),
        *uses = soa_arena_take(&graph->arena, n, sizeof *uses);
    soa_status status = image && uses ? merged(graph, &to, image, uses) : soa_fail_memory(graph->error);
    if (status != SOA_OK) {
        to.coordinates = soa_array_of(sizeof(soa_graph_coordinate)); /* they stay where they were */
        soa_graph_free(&to);
        return status;
    }
    graph->coordinates = soa_array_of(sizeof(soa_graph_coordinate));
    soa_graph_free(graph);
    *graph = to;
    return SOA_OK;
}

/* What was used twice may be used once when its users are one: until nothing more goes. */
soa_status soa_graph_merge(soa_graph *graph)
{
    int before;
    do {
        before = graph->steps.count;
        const soa_status status = merge_once(graph);
        if (status != SOA_OK) {
            return status;
        }
    } while (graph->steps.count < before);
    int *counted = soa_arena_take(&graph->arena, (size_t)graph->steps.count + 1, sizeof *counted);
    if (!counted) {
        return soa_fail_memory(graph->error);
    }
    count_uses(graph, counted);
    for (int i = 0; i < graph->steps.count; i++) {
        soa_graph_step(graph, i)->uses = counted[i];
    }
    return SOA_OK;
}
