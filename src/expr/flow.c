/* expr/flow.c - the steps of a flow, each made once. */
#include "expr/flow.h"

#include <string.h>

#include "core/error.h"
#include "model/model.h"

bool soa_has_rotors(const soa_model *model)
{
    bool found = false;
    for (int k = 0; model && k < model->bodies; k++) {
        found = found || model->body[k].armature != 0.0 || model->body[k].geared;
    }
    return found;
}

bool soa_has_turning_armature(const soa_model *model)
{
    bool found = false;
    for (int k = 0; model && k < model->bodies; k++) {
        const soa_joint_kind kind = model->body[k].rest->shape.kind;
        found = found || (model->body[k].armature != 0.0 && (kind == SOA_PLANAR || kind == SOA_FREE));
    }
    return found;
}

soa_flow soa_flow_begin(soa_terms *terms, soa_error *error)
{
    return (soa_flow){ .allocator = *soa_terms_allocator(terms),
        .arena = soa_arena_on(soa_terms_allocator(terms)),
        .terms = terms,
        .steps = soa_array_of(sizeof(soa_step)),
        .matrices = soa_array_of(sizeof(soa_flow_matrix)),
        .outputs = soa_array_of(sizeof(soa_flow_output)),
        .coordinates = soa_array_of(sizeof(soa_flow_coordinate)),
        .calls = soa_array_of(sizeof(soa_flow_call)),
        .turning = true,
        .error = error };
}

void soa_flow_free(soa_flow *flow)
{
    soa_array_free(&flow->steps, &flow->allocator);
    soa_array_free(&flow->matrices, &flow->allocator);
    soa_array_free(&flow->outputs, &flow->allocator);
    soa_array_free(&flow->coordinates, &flow->allocator);
    soa_array_free(&flow->calls, &flow->allocator);
    soa_arena_free(&flow->arena);
}

int soa_flow_fail(soa_flow *flow, soa_status status, const char *text)
{
    if (flow->status == SOA_OK) {
        flow->status = text ? soa_fail(flow->error, status, -1, "%s", text) : soa_fail_memory(flow->error);
    }
    return -1;
}

/* ---- steps ------------------------------------------------------------------------------- */

static bool same(const soa_step *a, const soa_step *b)
{
    const size_t n = (size_t)a->count;
    return a->kind == b->kind && a->op == b->op && a->adjoint == b->adjoint && a->state == b->state &&
           a->matrix == b->matrix && a->count == b->count && !a->factor == !b->factor &&
           soa_along_equal(a->along, b->along) && soa_place_equal(a->place, b->place) &&
           (a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0)) &&
           (n == 0 || memcmp(a->input, b->input, n * sizeof *a->input) == 0) &&
           (!a->factor || !b->factor || memcmp(a->factor, b->factor, n * sizeof *a->factor) == 0);
}

static void *copied(soa_flow *flow, const void *from, size_t count, size_t size)
{
    void *to = soa_arena_take(&flow->arena, count + 1, size);
    if (to && count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

int soa_flow_make(soa_flow *flow, soa_step like)
{
    for (int i = 0; i < like.count; i++) {
        if (like.input[i] < 0) {
            return -1;
        }
    }
    for (int i = 0; i < flow->steps.count; i++) {
        if (same(soa_flow_step(flow, i), &like)) {
            return i;
        }
    }
    if (flow->steps.count >= SOA_FLOW_STEPS) {
        return soa_flow_fail(flow, SOA_E_LIMIT, "the expression needs too many steps; break it up or simplify it");
    }
    const size_t n = (size_t)like.count;
    const bool sum = like.factor != NULL;
    like.input = copied(flow, like.input, n, sizeof *like.input);
    like.factor = sum ? copied(flow, like.factor, n, sizeof *like.factor) : NULL;
    const char *name = like.name ? soa_arena_text(&flow->arena, like.name) : NULL;
    soa_step *made = soa_array_push(&flow->steps, &flow->allocator);
    if (!made || !like.input || (sum && !like.factor) || (like.name && !name)) {
        return soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    like.name = name;
    *made = like;
    return flow->steps.count - 1;
}

int soa_flow_input(soa_flow *flow, const char *name, soa_place place)
{
    return soa_flow_make(flow, (soa_step){ .kind = SOA_STEP_INPUT, .place = place, .name = name, .need = -1 });
}

int soa_flow_zero(soa_flow *flow, soa_place place)
{
    return soa_flow_make(flow, (soa_step){ .kind = SOA_STEP_ZERO, .place = place, .need = -1 });
}

int soa_flow_state(soa_flow *flow, soa_state_part part)
{
    static const soa_place place[] = {
        [SOA_STATE_V] = { SOA_SPACE_BODY, SOA_SIDE_MOTION },
        [SOA_STATE_A] = { SOA_SPACE_BODY, SOA_SIDE_MOTION },
        [SOA_STATE_B] = { SOA_SPACE_BODY, SOA_SIDE_FORCE },
        [SOA_STATE_G] = { SOA_SPACE_BODY, SOA_SIDE_MOTION },
        [SOA_STATE_ARTICULATED] = { SOA_SPACE_ANY, SOA_SIDE_ANY },
        [SOA_STATE_COMPOSITE] = { SOA_SPACE_ANY, SOA_SIDE_ANY },
        [SOA_STATE_UPSILON] = { SOA_SPACE_ANY, SOA_SIDE_ANY },
        [SOA_STATE_ARMATURE] = { SOA_SPACE_JOINT, SOA_SIDE_FORCE },
    };
    int need = -1;
    if (part == SOA_STATE_ARMATURE && !flow->turning) {
        return soa_flow_zero(flow, place[part]);
    }
    if (part == SOA_STATE_A || part == SOA_STATE_B) {
        need = soa_flow_state(flow, SOA_STATE_V);
    } else if (part == SOA_STATE_UPSILON) {
        need = soa_flow_state(flow, SOA_STATE_ARTICULATED);
    }
    return soa_flow_make(flow, (soa_step){ .kind = SOA_STEP_STATE, .place = place[part], .state = part, .need = need });
}

/* Zeros go, equal inputs become one; a sum of one with factor 1 is that one. */
int soa_flow_sum(soa_flow *flow, soa_place place, int count, const double *factor, const int *input)
{
    double *f = soa_arena_take(&flow->arena, (size_t)count + 1, sizeof *f);
    int *x = soa_arena_take(&flow->arena, (size_t)count + 1, sizeof *x);
    if (!f || !x) {
        return soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (input[i] < 0) {
            return -1;
        }
        if (soa_flow_step(flow, input[i])->kind == SOA_STEP_ZERO || factor[i] == 0.0) {
            continue;
        }
        int at = 0;
        while (at < n && x[at] != input[i]) {
            at++;
        }
        x[at] = input[i];
        f[at] = (at < n ? f[at] : 0.0) + factor[i];
        n = at < n ? n : n + 1;
    }
    if (n == 0) {
        return soa_flow_zero(flow, place);
    }
    if (n == 1 && f[0] == 1.0) {
        return x[0];
    }
    return soa_flow_make(
        flow, (soa_step){ .kind = SOA_STEP_SUM, .place = place, .need = -1, .count = n, .input = x, .factor = f });
}

/* What of the state an operator is made of. */
static int need_of(soa_flow *flow, soa_operator op)
{
    switch (op) {
    case SOA_OP_P:
    case SOA_OP_D:
    case SOA_OP_D_INV:
    case SOA_OP_G:
    case SOA_OP_K:
    case SOA_OP_TAU:
    case SOA_OP_TAUBAR:
    case SOA_OP_E_PSI:
    case SOA_OP_PSI:
        return soa_flow_state(flow, SOA_STATE_ARTICULATED);
    case SOA_OP_R:
        return soa_flow_state(flow, SOA_STATE_COMPOSITE);
    case SOA_OP_UPS:
        return soa_flow_state(flow, SOA_STATE_UPSILON);
    default:
        return -1;
    }
}

int soa_flow_apply_one(soa_flow *flow, soa_operator op, bool adjoint, int x)
{
    const soa_operator_info about = soa_operator_about(op, adjoint);
    const soa_place place = { about.codomain_space, about.codomain_side };
    if (x >= 0 && soa_flow_step(flow, x)->kind == SOA_STEP_ZERO) {
        return soa_flow_zero(flow, place);
    }
    const bool adjoint_differs = adjoint && !about.symmetric;
    return soa_flow_make(flow, (soa_step){ .kind = SOA_STEP_APPLY,
                                   .place = place,
                                   .op = op,
                                   .adjoint = adjoint_differs,
                                   .need = need_of(flow, op),
                                   .count = 1,
                                   .input = &x });
}

int soa_flow_matrix_use(soa_flow *flow, soa_flow_matrix like)
{
    for (int i = 0; i < flow->matrices.count; i++) {
        const soa_flow_matrix *m = soa_flow_matrix_at(flow, i);
        if (m->use == like.use && m->term == like.term) {
            return i;
        }
    }
    soa_flow_matrix *made = soa_array_push(&flow->matrices, &flow->allocator);
    if (!made) {
        return soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    *made = like;
    return flow->matrices.count - 1;
}

int soa_flow_multiply(soa_flow *flow, soa_flow_matrix like, soa_place to, bool adjoint, int x)
{
    const int matrix = x < 0 ? -1 : soa_flow_matrix_use(flow, like);
    return matrix < 0 ? -1
                      : soa_flow_make(flow, (soa_step){ .kind = SOA_STEP_MATRIX,
                                                .place = to,
                                                .adjoint = adjoint,
                                                .matrix = matrix,
                                                .need = -1,
                                                .count = 1,
                                                .input = &x });
}

/* ---- outputs ------------------------------------------------------------------------------ */

const soa_term *soa_flow_defined(const soa_flow *flow, const char *name)
{
    for (int i = flow->outputs.count - 1; i >= 0; i--) {
        if (strcmp(soa_flow_output_at(flow, i)->name, name) == 0) {
            return soa_flow_output_at(flow, i)->term;
        }
    }
    for (int i = flow->calls.count - 1; i >= 0; i--) {
        if (strcmp(soa_flow_call_at(flow, i)->name + 1, name) == 0) {
            return soa_flow_call_at(flow, i)->term;
        }
    }
    return NULL;
}

soa_status soa_flow_add_call(soa_flow *flow, const char *name, const soa_term *term)
{
    const size_t size = strlen(name) + 2;
    char *given = soa_arena_take(&flow->arena, size, 1);
    soa_flow_call *made = given ? soa_array_push(&flow->calls, &flow->allocator) : NULL;
    if (!made) {
        soa_flow_fail(flow, SOA_E_MEMORY, NULL);
        return flow->status;
    }
    given[0] = '='; /* a name that nobody can declare */
    memcpy(given + 1, name, size - 1);
    *made = (soa_flow_call){ .name = given, .term = term, .step = -1 };
    made->step = soa_flow_input(flow, given, term->type.to);
    return flow->status;
}

soa_status soa_flow_add(soa_flow *flow, const char *name, const soa_term *term)
{
    const soa_term *open = soa_flow_expanded(flow, term);
    if (!open) {
        return flow->status;
    }
    const bool vector = soa_term_is_vector(open);
    const int x = vector ? -1 : soa_flow_input(flow, SOA_FLOW_ARGUMENT, open->type.from);
    const int step = vector ? soa_flow_vector(flow, open) : soa_flow_apply(flow, open, false, x);
    if (step < 0) {
        return flow->status;
    }
    const char *copy = soa_arena_text(&flow->arena, name);
    soa_flow_output *output = soa_array_push(&flow->outputs, &flow->allocator);
    if (!copy || !output) {
        soa_flow_fail(flow, SOA_E_MEMORY, NULL);
        return flow->status;
    }
    *output = (soa_flow_output){ copy, term, step };
    return SOA_OK;
}
