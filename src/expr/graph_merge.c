/* expr/graph_merge.c - A x + A y becomes A (x + y); steps that nothing uses go.
 *
 * The steps are made anew from the outputs: a sum opens the sums in it that only
 * it uses, and gathers what stands under the same operator. So
 * T - H psi K T - H psi b - H psi E_psi P a becomes T - H psi (K T + b + E_psi P a). */
#include "expr/graph.h"

#include <limits.h>
#include <string.h>

typedef struct merge {
    soa_graph *graph; /* its steps are the new ones */
    const soa_step *old;
    int *image; /* by old step: its new number, -1 before it has one */
    int *uses;  /* by old step */
} merge;

/* One of several old steps that are added; with factor 0 it is not. */
typedef struct part {
    double factor;
    int step;
} part;

static part *part_at(const soa_array *parts, int i)
{
    return (part *)parts->items + i;
}

static int rebuild(merge *m, int step);

/* ---- sums ----------------------------------------------------------------------------------- */

/* Adds factor times an old step to the parts; of a sum that nothing else uses, its parts. */
static void open_into(merge *m, double factor, int step, soa_array *parts)
{
    const soa_step *s = &m->old[step];
    const bool opens = s->kind == SOA_STEP_SUM && m->uses[step] == 1;
    const part made = { factor, step };
    if (!opens && !soa_arena_add(m->graph->arena, parts, &made, sizeof made)) {
        soa_graph_fail(m->graph, SOA_E_MEMORY, NULL);
    }
    for (int i = 0; opens && i < s->count; i++) {
        open_into(m, factor * s->factor[i], s->input[i], parts);
    }
}

/* Whether two parts of a sum are one operator on two vectors that nothing else needs. */
static bool alike(const merge *m, const part *a, const part *b)
{
    const soa_step *x = &m->old[a->step], *y = &m->old[b->step];
    return b->factor != 0.0 && m->uses[a->step] == 1 && m->uses[b->step] == 1 && x->kind == y->kind && x->op == y->op &&
           x->adjoint == y->adjoint && x->matrix == y->matrix && soa_along_equal(x->along, y->along) &&
           (x->kind == SOA_STEP_APPLY || x->kind == SOA_STEP_MATRIX);
}

/* Takes the parts behind the first one that are like it out, and what stands under their operator into `under`. False: there
 * are none. */
static bool take_alike(merge *m, const soa_array *parts, int first, soa_array *under)
{
    const part *like = part_at(parts, first);
    bool found = false;
    for (int i = first + 1; i < parts->count; i++) {
        part *other = part_at(parts, i);
        if (alike(m, like, other)) {
            if (!found) {
                open_into(m, 1.0, m->old[like->step].input[0], under);
            }
            open_into(m, other->factor / like->factor, m->old[other->step].input[0], under);
            other->factor = 0.0;
            found = true;
        }
    }
    return found;
}

static int build_sum(merge *m, soa_place place, const soa_array *parts)
{
    double *factor = soa_graph_take(m->graph, (size_t)parts->count, sizeof *factor);
    int *step = soa_graph_take(m->graph, (size_t)parts->count, sizeof *step), count = 0;
    for (int i = 0; i < parts->count && m->graph->status == SOA_OK; i++) {
        const part *p = part_at(parts, i);
        soa_array under = { 0 };
        if (p->factor == 0.0) {
            continue;
        }
        factor[count] = p->factor;
        if (take_alike(m, parts, i, &under)) {
            soa_step like = m->old[p->step];
            const int x = build_sum(m, m->old[like.input[0]].place, &under);
            like.input = &x;
            like.need = like.need < 0 ? -1 : rebuild(m, like.need);
            step[count++] = soa_graph_make(m->graph, like);
        } else {
            step[count++] = rebuild(m, p->step);
        }
    }
    return m->graph->status == SOA_OK ? soa_graph_sum(m->graph, place, count, factor, step) : -1;
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
        soa_array parts = { 0 };
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
void soa_graph_merge(soa_graph *graph)
{
    for (int before = INT_MAX; graph->status == SOA_OK && graph->steps.count < before;) {
        before = graph->steps.count;
        merge_once(graph);
    }
    int *uses = soa_graph_take(graph, (size_t)graph->steps.count, sizeof *uses);
    if (graph->status == SOA_OK) {
        count_uses(graph, uses);
    }
    for (int i = 0; graph->status == SOA_OK && i < graph->steps.count; i++) {
        soa_graph_step(graph, i)->uses = uses[i];
    }
}
