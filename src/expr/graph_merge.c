/* expr/graph_merge.c - A x + A y becomes A (x + y); steps that nothing uses go.
 *
 * The steps are made anew from the outputs: a sum opens the sums in it that only
 * it uses, and gathers what stands under the same operator. So
 * T - H psi K T - H psi b - H psi E_psi P a becomes T - H psi (K T + b + E_psi P a). */
#include "expr/graph.h"

#include <string.h>

#include "core/error.h"

typedef struct merge {
    soa_graph *graph; /* its steps are the new ones */
    const soa_step *old;
    int *image; /* by old step: its new number, -1 before it has one */
    int *uses;  /* by old step */
} merge;

/* A list of steps with factors. */
typedef struct list {
    int count, room;
    double *factor;
    int *step;
} list;

static int rebuild(merge *m, int step);

static void list_add(merge *m, list *to, double factor, int step)
{
    if (to->count == to->room) {
        const list was = *to;
        to->room = 2 * was.room + 4;
        to->factor = soa_graph_take(m->graph, (size_t)to->room, sizeof *to->factor);
        to->step = soa_graph_take(m->graph, (size_t)to->room, sizeof *to->step);
        if (!to->factor || !to->step) {
            *to = (list){ 0 };
            return;
        }
        for (int i = 0; i < was.count; i++) {
            to->factor[i] = was.factor[i];
            to->step[i] = was.step[i];
        }
    }
    to->factor[to->count] = factor;
    to->step[to->count++] = step;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Adds factor times an old step; of a sum that nothing else uses, its parts. */
static void open_into(merge *m, double factor, int step, list *to)
{
    const soa_step *s = &m->old[step];
    if (s->kind != SOA_STEP_SUM || m->uses[step] != 1) {
        list_add(m, to, factor, step);
        return;
    }
    for (int i = 0; i < s->count; i++) {
        open_into(m, factor * s->factor[i], s->input[i], to);
    }
}

/* Whether two parts of a sum are one operator on two vectors that nothing else needs. */
static bool alike(const merge *m, int a, int b)
{
    const soa_step *x = &m->old[a], *y = &m->old[b];
    return m->uses[a] == 1 && m->uses[b] == 1 && x->kind == y->kind && x->op == y->op && x->adjoint == y->adjoint &&
           x->matrix == y->matrix && soa_along_equal(x->along, y->along) &&
           (x->kind == SOA_STEP_APPLY || x->kind == SOA_STEP_MATRIX);
}

/* Takes the parts that are alike to the first one out of the list, to what stands under their operator. */
static list take_alike(merge *m, list *parts, int first)
{
    list under = { 0 };
    for (int i = first; i < parts->count; i++) {
        if (parts->factor[i] != 0.0 && alike(m, parts->step[first], parts->step[i])) {
            open_into(m, parts->factor[i] / parts->factor[first], m->old[parts->step[i]].input[0], &under);
            parts->factor[i] = i == first ? parts->factor[i] : 0.0;
        }
    }
    return under;
}

static bool has_like(const merge *m, const list *parts, int first)
{
    bool found = false;
    for (int i = first + 1; i < parts->count && !found; i++) {
        found = parts->factor[i] != 0.0 && alike(m, parts->step[first], parts->step[i]);
    }
    return found;
}

static int build_sum(merge *m, soa_place place, list *parts)
{
    list made = { 0 };
    for (int i = 0; i < parts->count && m->graph->status == SOA_OK; i++) {
        if (parts->factor[i] == 0.0) {
            continue;
        }
        const soa_step *s = &m->old[parts->step[i]];
        int y;
        if (has_like(m, parts, i)) {
            list under = take_alike(m, parts, i);
            const int x = build_sum(m, m->old[s->input[0]].place, &under);
            soa_step like = *s;
            like.input = &x;
            like.need = s->need < 0 ? -1 : rebuild(m, s->need);
            y = soa_graph_make(m->graph, like);
        } else {
            y = rebuild(m, parts->step[i]);
        }
        list_add(m, &made, parts->factor[i], y);
    }
    return m->graph->status == SOA_OK ? soa_graph_sum(m->graph, place, made.count, made.factor, made.step) : -1;
}

/* ---- all --------------------------------------------------------------------------------------- */

static int rebuild_other(merge *m, const soa_step *s)
{
    int *x = soa_graph_take(m->graph, (size_t)s->count, sizeof *x);
    soa_step like = *s;
    like.uses = 0;
    like.need = s->need < 0 ? -1 : rebuild(m, s->need);
    for (int i = 0; x && i < s->count; i++) {
        x[i] = rebuild(m, s->input[i]);
    }
    like.input = x;
    return m->graph->status == SOA_OK ? soa_graph_make(m->graph, like) : -1;
}

static int rebuild(merge *m, int step)
{
    if (m->image[step] < 0 && m->graph->status == SOA_OK) {
        const soa_step *s = &m->old[step];
        list parts = { 0 };
        for (int i = 0; s->kind == SOA_STEP_SUM && i < s->count; i++) {
            open_into(m, s->factor[i], s->input[i], &parts);
        }
        m->image[step] = s->kind == SOA_STEP_SUM ? build_sum(m, s->place, &parts) : rebuild_other(m, s);
    }
    return m->image[step];
}

static void count_uses(const soa_graph *graph, int *uses)
{
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

static void merge_once(soa_graph *graph)
{
    const size_t n = (size_t)graph->steps.count;
    merge m = { graph, graph->steps.items, soa_graph_take(graph, n, sizeof *m.image),
        soa_graph_take(graph, n, sizeof *m.uses) };
    if (!m.image || !m.uses) {
        return;
    }
    memset(m.image, -1, n * sizeof *m.image);
    count_uses(graph, m.uses);
    graph->steps = (soa_array){ 0 };
    for (int i = 0; i < graph->outputs.count; i++) {
        soa_graph_output *output = soa_graph_output_at(graph, i);
        output->step = rebuild(&m, output->step);
    }
    graph->calls.count = 0; /* their inputs have other numbers, and no term is lowered any more */
}

/* What was used twice may be used once when its users are one: until nothing more goes. */
soa_status soa_graph_merge(soa_graph *graph)
{
    int before;
    do {
        before = graph->steps.count;
        merge_once(graph);
    } while (graph->status == SOA_OK && graph->steps.count < before);
    int *uses = soa_graph_take(graph, (size_t)graph->steps.count, sizeof *uses);
    if (graph->status == SOA_OK) {
        count_uses(graph, uses);
    }
    for (int i = 0; graph->status == SOA_OK && i < graph->steps.count; i++) {
        soa_graph_step(graph, i)->uses = uses[i];
    }
    return graph->status;
}
