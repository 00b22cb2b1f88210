/* expr/graph_along.c - elementary derivatives as steps: which coordinates, and what they are made of. */
#include "expr/graph.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/parse.h"
#include "model/model.h"

/* ---- coordinates ------------------------------------------------------------------------------- */

static int fail_name(soa_graph *graph, const char *name, const char *why)
{
    char text[256];
    snprintf(text, sizeof text, "%.64s: %.160s", name, why);
    return soa_graph_fail(graph, SOA_E_NAME, text);
}

static int body_of_velocity(const soa_model *model, int velocity)
{
    int body = 0;
    while (soa_model_body(model, body).v + soa_model_body(model, body).nv <= velocity) {
        body++;
    }
    return body;
}

/* q_3: velocity 2; -1: it is no number. */
static int by_number(const char *digits)
{
    char *end;
    const long number = strtol(digits, &end, 10);
    return digits[0] >= '0' && digits[0] <= '9' && *end == '\0'
               ? number > 0 && number < INT_MAX ? (int)number - 1 : INT_MAX
               : -1;
}

/* The body whose joint has the name; -1: none. */
static int by_joint(const soa_model *model, const char *joint)
{
    const int link = soa_model_find_joint(model, joint), bodies = soa_model_bodies(model);
    int k = link < 0 ? bodies : 0;
    while (k < bodies && (soa_model_body(model, k).link != link || soa_model_body(model, k).flexible)) {
        k++;
    }
    return k < bodies ? k : -1;
}

static bool find_velocity(soa_graph *graph, const char *name, soa_graph_coordinate *to)
{
    const char *joint = strchr(name, '_') + 1;
    const int nv = soa_model_nv(graph->model), number = by_number(joint), length = (int)(joint - name);
    char why[160];
    if (number >= nv) {
        snprintf(why, sizeof why,
            nv > 0 ? "the model has the velocities %.*s1 to %.*s%d" : "the model has no velocities", length, name,
            length, name, nv);
        (void)fail_name(graph, name, why);
        return false;
    }
    if (number >= 0) {
        to->velocity = number;
        to->body = body_of_velocity(graph->model, number);
        return true;
    }
    const int body = by_joint(graph->model, joint);
    const soa_body about = body < 0 ? (soa_body){ 0 } : soa_model_body(graph->model, body);
    if (body < 0) {
        return fail_name(graph, name, "no joint that moves has this name; a number names a velocity: q_1") >= 0;
    }
    if (about.nv > 1) {
        snprintf(why, sizeof why, "the joint has several velocities; take one of %.*s%d to %.*s%d", length, name,
            about.v + 1, length, name, about.v + about.nv);
        return fail_name(graph, name, why) >= 0;
    }
    to->velocity = about.v;
    to->body = body;
    return true;
}

/* The number of a coordinate in the list; -1: the graph has failed. */
static int coordinate_of(soa_graph *graph, const soa_term *term)
{
    const char *name = soa_terms_about(graph->terms, term->variable)->name;
    soa_graph_coordinate made = { term, soa_derivative_by(name), -1, -1 };
    for (int i = 0; i < graph->coordinates.count; i++) {
        if (soa_graph_coordinate_at(graph, i)->term == term) {
            return i;
        }
    }
    if (graph->model && made.by != SOA_BY_TIME && !find_velocity(graph, name, &made)) {
        return -1;
    }
    return soa_arena_add(graph->arena, &graph->coordinates, &made, sizeof made)
               ? graph->coordinates.count - 1
               : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
}

int soa_graph_velocity(soa_graph *graph, const soa_term *coordinate)
{
    const int at = coordinate_of(graph, coordinate);
    return at < 0 ? -1 : soa_graph_coordinate_at(graph, at)->velocity;
}

/* Whether two derivatives together, one of them by the time, can be run: on models with flexible links that by q_i, where
 * the time moves q alone. */
static bool runs_in_time(const soa_graph *graph, soa_along along)
{
    const soa_by first = soa_graph_coordinate_at(graph, along.at[0])->by;
    const soa_by second = soa_graph_coordinate_at(graph, along.at[1])->by;
    return graph->model && graph->model->flexible && (first == SOA_BY_POSITION || second == SOA_BY_POSITION);
}

const soa_term *soa_graph_along(soa_graph *graph, const soa_term *term, soa_along *along)
{
    *along = (soa_along){ 0 };
    const soa_term *of = term->child[0];
    if (of->kind == SOA_TERM_DERIVATIVE) {
        of = soa_graph_along(graph, of, along);
    }
    const int coordinate = of ? coordinate_of(graph, term->child[1]) : -1;
    if (coordinate < 0) {
        return NULL;
    }
    if (along->count == SOA_ALONG) {
        soa_graph_fail(graph, SOA_E_UNSUPPORTED, "derivatives of third and higher order cannot be run");
        return NULL;
    }
    along->at[along->count++] = coordinate;
    const bool time = soa_graph_coordinate_at(graph, along->at[0])->by == SOA_BY_TIME ||
                      soa_graph_coordinate_at(graph, coordinate)->by == SOA_BY_TIME;
    if (along->count == 2 && time && !runs_in_time(graph, *along)) {
        soa_graph_fail(
            graph, SOA_E_UNSUPPORTED, "derivatives of rates dot( ), and rates of derivatives, cannot be run");
        return NULL;
    }
    return of;
}

/* ---- parts of the state --------------------------------------------------------------------------- */

static int state_along(soa_graph *graph, soa_state_part part, soa_along along);

/* The derivatives of lower order that one of second order is made of, to input[count]. */
static int lower_orders(soa_graph *graph, soa_state_part part, soa_along along, int *input, int count)
{
    for (int i = 0; along.count == 2 && i < 2; i++) {
        input[count++] = state_along(graph, part, (soa_along){ 1, { along.at[i] } });
    }
    return count;
}

/* d(term, q_i), q_i the coordinate of that number. */
static const soa_term *derivative_along(soa_graph *graph, const soa_term *term, int coordinate)
{
    return term ? soa_term_derivative(graph->terms, term, soa_graph_coordinate_at(graph, coordinate)->term) : NULL;
}

/* V along the first, the second, and both; of a and b. */
static int velocities_along(soa_graph *graph, soa_along along, int *input)
{
    const soa_term *V = soa_names_vector(graph->terms, SOA_VECTOR_V);
    const soa_term *first = derivative_along(graph, V, along.at[0]);
    const bool twice = along.count == 2;
    const soa_term *d[] = { first, twice ? derivative_along(graph, V, along.at[1]) : NULL,
        twice ? derivative_along(graph, first, along.at[1]) : NULL };
    const int count = twice ? 3 : 1;
    for (int i = 0; i < count; i++) {
        const soa_term *open = d[i] ? soa_graph_expanded(graph, d[i]) : NULL;
        input[i] =
            open ? soa_graph_apply(graph, open, false, SOA_GRAPH_ONE) : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    return count;
}

static int state_along(soa_graph *graph, soa_state_part part, soa_along along)
{
    const int need = soa_graph_state(graph, part);
    int input[8], count = 0;
    if (part == SOA_STATE_UPSILON) {
        count = lower_orders(graph, SOA_STATE_ARTICULATED, along, input, count);
        input[count++] = state_along(graph, SOA_STATE_ARTICULATED, along);
    } else if (part == SOA_STATE_A || part == SOA_STATE_B) {
        count = velocities_along(graph, along, input);
    }
    if (part >= SOA_STATE_ARTICULATED) {
        count = lower_orders(graph, part, along, input, count);
    }
    soa_step step = {
        .kind = SOA_STEP_STATE, .state = part, .along = along, .need = need, .count = count, .input = input
    };
    step.place = need < 0 ? step.place : soa_graph_step(graph, need)->place;
    return need < 0 ? -1 : soa_graph_make(graph, step);
}

/* ---- vectors and operators ---------------------------------------------------------------------------- */

static int vector_along(soa_graph *graph, const soa_term *term, const soa_term *of, soa_along along)
{
    const char *name = of->kind == SOA_TERM_VARIABLE ? soa_terms_about(graph->terms, of->variable)->name : "";
    const soa_vector_id id = soa_vector_find(name);
    if (id == SOA_VECTOR_BETA || id == SOA_VECTOR_T) { /* by one of its own numbers, as it is not zero */
        const int index = soa_graph_coordinate_at(graph, along.at[0])->velocity;
        const soa_graph_matrix unit = { .kind = SOA_MATRIX_UNIT, .term = term, .index = index };
        return soa_graph_measured(graph, unit, "e", term->type.to);
    }
    for (int part = 0; id != SOA_VECTORS && part < SOA_STATE_PARTS; part++) {
        const soa_part_step *about = soa_part_step_of((soa_state_part)part);
        if (part == SOA_STATE_ARMATURE && about->vector == id && !graph->turning) {
            return soa_graph_zero(graph, term->type.to);
        }
        if (about->vector == id && about->rate != SOA_CODE_NONE) {
            return state_along(graph, (soa_state_part)part, along);
        }
    }
    return soa_graph_fail(graph, SOA_E_UNSUPPORTED, "the derivative of this vector cannot be run");
}

/* A derivative on a model with flexible links: a matrix, or a vector, that is made before all steps. */
static int slope(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    soa_along along;
    const soa_graph_matrix like = { .kind = SOA_MATRIX_COLUMNS, .term = term };
    return !soa_graph_along(graph, term, &along) ? -1
           : x == SOA_GRAPH_ONE
               ? soa_graph_measured(graph, like, "d", term->type.to)
               : soa_graph_multiply(graph, like, adjoint ? soa_place_dual(term->type.from) : term->type.to, adjoint, x);
}

/* The derivative of a root, symmetric as the root is: X with S X + X S = dA for S S = A, block by block. */
static int root_along(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    const soa_term *A = term->child[0]->child[0], *d = soa_term_derivative(graph->terms, A, term->child[1]);
    const soa_term *dA = d ? soa_graph_expanded(graph, d) : NULL;
    if (!dA) {
        return graph->status == SOA_OK ? soa_graph_fail(graph, SOA_E_MEMORY, NULL) : -1;
    }
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    const soa_graph_matrix like = { .kind = SOA_MATRIX_ROOT, .term = A, .rate = d, .blocks = true };
    return dA->kind == SOA_TERM_ZERO ? soa_graph_zero(graph, to) : soa_graph_multiply(graph, like, to, false, x);
}

int soa_graph_apply_derivative(soa_graph *graph, const soa_term *term, bool adjoint, int x)
{
    soa_along along;
    if (term->child[0]->kind == SOA_TERM_ROOT && x != SOA_GRAPH_ONE) {
        return root_along(graph, term, adjoint, x);
    }
    if (graph->model && graph->model->flexible) {
        return slope(graph, term, adjoint, x);
    }
    const soa_term *of = soa_graph_along(graph, term, &along);
    if (!of || x == SOA_GRAPH_ONE) {
        return of ? vector_along(graph, term, of, along) : -1;
    }
    if (of->kind != SOA_TERM_OPERATOR) {
        return soa_graph_fail(graph, SOA_E_UNSUPPORTED,
            of->kind == SOA_TERM_ROOT ? "the second derivative of a root ^(1/2) cannot be run"
                                      : "the derivative of this operator cannot be run");
    }
    const soa_operator_info about = soa_operator_about(of->op, adjoint);
    const soa_place place = { about.codomain_space, about.codomain_side };
    if (soa_graph_step(graph, x)->kind == SOA_STEP_ZERO) {
        return soa_graph_zero(graph, place);
    }
    const int part = soa_operator_step_of(of->op)->need;
    const bool turns = soa_graph_coordinate_at(graph, along.at[0])->by == SOA_BY_TIME; /* B with the bodies */
    const int need = part >= 0 ? state_along(graph, (soa_state_part)part, along)
                     : turns   ? soa_graph_state(graph, SOA_STATE_V)
                               : -1;
    soa_step step = { .kind = SOA_STEP_APPLY, .place = place, .op = of->op, .need = need, .count = 1, .input = &x };
    step.adjoint = adjoint && !about.symmetric;
    step.along = along;
    return graph->status == SOA_OK ? soa_graph_make(graph, step) : -1;
}
