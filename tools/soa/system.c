/* system.c - the system that a model describes, state by state: its couplings and closures act. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

/* Violations beyond this are worth a word; of rounded rows, which no position satisfies, beyond the other. */
#define FAR_OFF         1e-6
#define FAR_OFF_ROUNDED 1e-3

int tool_closures_on(const soa_model *model)
{
    int on = 0;
    for (int i = 0; i < soa_model_closures(model); i++) {
        on += !soa_model_closure(model, i)->inactive;
    }
    return on;
}

const char *tool_constraints_text(const soa_model *model)
{
    const int closures = tool_closures_on(model), couplings = soa_model_couplings(model);
    const char *first = closures > 0 ? tool_text("%d closure%s", closures, closures > 1 ? "s" : "") : "";
    const char *second = couplings > 0 ? tool_text("%d coupling%s", couplings, couplings > 1 ? "s" : "") : "";
    return tool_text("%s%s%s", first, closures > 0 && couplings > 0 ? " and " : "", second);
}

void tool_closures_tolerances(const tool_call *call, soa_closures *set)
{
    static const char *const NAME[] = { "rank-tolerance", "contradiction", "velocity-tolerance" };
    soa_closure_tolerances tolerances = { 0 };
    double *const to[] = { &tolerances.rank, &tolerances.contradiction, &tolerances.velocity };
    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        const char *text = tool_value(call, NAME[i]);
        char *end;
        if (text == NULL) {
            continue;
        }
        *to[i] = strtod(text, &end);
        if (end == text || *end != '\0' || !isfinite(*to[i]) || *to[i] <= 0.0) {
            tool_wrong_usage(call->command, "--%s '%s': give a positive number, such as 1e-6", NAME[i], text);
        }
    }
    tool_must(soa_closures_set_tolerances(set, &tolerances, tool_error()));
}

bool tool_note_rounded(tool_call *call, soa_closures *set)
{
    soa_redundancy found;
    const bool rounded = soa_closures_redundancy(set, &found, NULL) == SOA_OK && found.rounded;
    if (rounded) {
        tool_note(call,
            "rows of %s depend on each other but for rounding and are taken as one: rank %d of %d, singular values "
            "from %.2g count, %.2g does not",
            found.closures, found.rank, found.rows, found.kept, found.dropped);
    }
    return rounded;
}

/* ---- begin ------------------------------------------------------------------------------- */

static void make_loads(const tool_system *s, size_t room, tool_loads *loads)
{
    loads->load = tool_take(room * (size_t)s->count + 1, sizeof *loads->load);
    loads->multiplier = tool_take(room * (size_t)s->rows + 1, sizeof *loads->multiplier);
}

/* The velocities of the joints named in a list with commas, by what read_value makes of the text after '='. */
static void each_joint(const tool_call *call, const tool_system *s, const char *option,
    bool (*take)(void *to, const char *value), void *to, size_t size)
{
    const char *list;
    for (int n = 0; (list = tool_value_at(call, option, n)) != NULL; n++) {
        while (*list != '\0') {
            char name[SOA_MAX_NAME + 1];
            soa_error error;
            soa_body body;
            const size_t length = strcspn(list, ",");
            snprintf(name, sizeof name, "%.*s", (int)(length < SOA_MAX_NAME ? length : SOA_MAX_NAME), list);
            char *equals = strrchr(name, '=');
            const char *value = equals != NULL ? equals + 1 : NULL;
            if (equals != NULL) {
                *equals = '\0';
            }
            if (soa_model_find_body(s->model, name, &body, &error) != SOA_OK) {
                tool_fail("--%s: %s", option, error.text);
            }
            for (int i = body.v; i < body.v + body.nv; i++) {
                if (!take((char *)to + (size_t)i * size, value)) {
                    tool_wrong_usage(call->command, "--%s '%s': '%s' is not understood; see --help", option, name,
                        value != NULL ? value : "");
                }
            }
            list += length + (list[length] == ',');
        }
    }
}

static bool take_asked(void *to, const char *value)
{
    *(bool *)to = true;
    return value == NULL;
}

/* A positive number, or "passive" */
static bool take_weight(void *to, const char *value)
{
    char *end = NULL;
    double *weight = to;
    if (value == NULL || strcmp(value, "passive") == 0) {
        *weight = (double)INFINITY;
        return true;
    }
    *weight = strtod(value, &end);
    return end != value && *end == '\0' && isfinite(*weight) && *weight > 0.0;
}

/* --weight; without it, followers of couplings are passive. */
static void read_weights(const tool_call *call, tool_system *s)
{
    for (int i = 0; i < s->nv; i++) {
        s->weight[i] = 1.0;
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        const int body = soa_model_joint_body(s->model, soa_model_coupling(s->model, i)->link);
        s->weight[soa_model_body(s->model, body).v] = (double)INFINITY;
    }
    each_joint(call, s, "weight", take_weight, s->weight, sizeof *s->weight);
}

void tool_system_begin(tool_call *call, const soa_model *model, int room, tool_system *s)
{
    const size_t states = (size_t)room;
    *s = (tool_system){ .model = model, .nv = soa_model_nv(model) };
    if (s->nv > SOA_SYSTEM_MAX_NV) {
        tool_fail("the model has %d velocities; with closures or couplings at most %d are computed. Give --open", s->nv,
            SOA_SYSTEM_MAX_NV);
    }
    tool_must(soa_system_new(model, &TOOL_MEMORY, &s->system, tool_error()));
    s->set = soa_system_closures(s->system);
    s->count = soa_closures_count(s->set);
    s->rows = soa_closures_rows(s->set);
    s->state = tool_take(states, sizeof *s->state);
    s->independent = tool_take(states * (size_t)s->nv + 1, sizeof *s->independent);
    s->preferred = tool_take(2 * (size_t)s->nv + 1, sizeof *s->preferred);
    s->given = tool_take(3 * (size_t)s->nv + (size_t)s->rows + 1, sizeof *s->given);
    make_loads(s, states, &s->fd);
    make_loads(s, states, &s->id);
    s->asked = s->preferred + s->nv;
    s->weight = s->given + 2 * (size_t)s->nv;
    tool_closures_tolerances(call, s->set);
    s->rounded = tool_note_rounded(call, s->set);
    read_weights(call, s);
    each_joint(call, s, "independent", take_asked, s->asked, sizeof *s->asked);
}

/* ---- states --------------------------------------------------------------------------------- */

bool tool_close_state(const soa_model *model, soa_closures *set, double *q, double *v)
{
    enum { TRIES = 8, MANY = 30 };
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    double *neutral = tool_take(2 * nq + 3 * nv + 1, sizeof *neutral);
    double reach = nv > MANY ? (double)MANY / (double)nv : 1.0; /* many joints together go far */
    soa_redundancy general = { 0 };
    soa_projection p = { .rank = -1 };
    bool found = false;
    if (soa_closures_redundancy(set, &general, NULL) != SOA_OK) {
        tool_return(neutral);
        return false;
    }
    double *way = neutral + nq, *given = way + nv, *last = given + nv;
    soa_model_neutral(model, neutral);
    soa_difference(model, neutral, q, way);
    memcpy(given, v != NULL ? v : way, nv * sizeof *given);
    for (int i = 0; i < TRIES && !(found && p.rank == general.rank); i++, reach *= 0.5) {
        soa_integrate(model, neutral, way, reach, q);
        soa_couple(model, q, NULL);
        if (v != NULL) {
            memcpy(v, given, nv * sizeof *v);
        }
        if (soa_closure_project(set, SOA_METRIC_MASS, 0.0, 1, q, v, &p, NULL) == SOA_OK) {
            found = true;
            memcpy(last, q, nq * sizeof *q);
            memcpy(last + nq, v != NULL ? v : way, nv * sizeof *last);
        }
    }
    if (found) { /* singular, if no other was found */
        memcpy(q, last, nq * sizeof *q);
        memcpy(v != NULL ? v : way, last + nq, nv * sizeof *last);
    }
    tool_return(neutral);
    return found;
}

/* What the user asked to be independent, or else named while others were left out. */
static void prefer(tool_system *s, const double *v, const double *vdot)
{
    bool asked = false, named = false, missing = false;
    for (int i = 0; i < s->nv; i++) {
        asked = asked || s->asked[i];
        s->preferred[i] = !isnan(v[i]) || !isnan(vdot[i]);
        named = named || s->preferred[i];
        missing = missing || !s->preferred[i];
    }
    soa_system_prefer(s->system, asked ? s->asked : named && missing ? s->preferred : NULL);
}

/* Puts x in place of what was given; whether something that was given differs. */
static bool replace(int nv, const double *x, double *given)
{
    bool differs = false;
    double scale = 1.0;
    for (int i = 0; i < nv; i++) {
        scale = fmax(scale, fabs(x[i]));
    }
    for (int i = 0; i < nv; i++) {
        differs = differs || fabs(given[i] - x[i]) > FAR_OFF * scale; /* not where it is NaN */
        given[i] = x[i];
    }
    return differs;
}

static void fill(int nv, const double *from, double *to)
{
    for (int i = 0; i < nv; i++) {
        to[i] = isnan(from[i]) ? 0.0 : from[i];
    }
}

/* Records by how much a state, as it was given, misses the closures. */
static void measure(tool_system *s, int number, const double *q)
{
    double *miss = s->given + 3 * (size_t)s->nv;
    tool_must_for(s->first, number, soa_closure_violation(s->set, 1, q, s->given, miss, NULL, tool_error()));
    s->state[number].position = tool_largest((size_t)s->rows, miss);
    tool_must_for(s->first, number, soa_closure_violation(s->set, 1, q, s->given, NULL, miss, tool_error()));
    s->state[number].velocity = tool_largest((size_t)s->rows, miss);
}

bool tool_system_misses(const tool_system *s, int number)
{
    return s->state[number].position > (s->rounded ? FAR_OFF_ROUNDED : FAR_OFF);
}

void tool_system_set(tool_system *s, int number, bool given, double *const to[TOOL_ARRAYS])
{
    tool_system_state *state = &s->state[number];
    double *v = to[TOOL_V], *vdot = to[TOOL_VDOT], *all = s->given + s->nv;
    prefer(s, v, vdot);
    fill(s->nv, v, s->given);
    tool_must_for(s->first, number, soa_system_set(s->system, to[TOOL_Q], s->given, tool_error()));
    bool odd = replace(s->nv, soa_system_velocity(s->system), v);
    fill(s->nv, vdot, s->given);
    tool_must_for(s->first, number, soa_system_acceleration(s->system, s->given, all, tool_error()));
    odd = (replace(s->nv, all, vdot) && s->minds_vdot) || odd;
    fill(s->nv, v, s->given);
    measure(s, number, to[TOOL_Q]);
    state->dofs = soa_system_dofs(s->system);
    memcpy(s->independent + (size_t)number * (size_t)s->nv, soa_system_independent(s->system),
        (size_t)state->dofs * sizeof *s->independent);
    s->first_odd = odd && given && s->odd == 0 ? s->first + number : s->first_odd;
    s->odd += odd && given;
    const bool far = tool_system_misses(s, number);
    s->first_far = far && s->far == 0 ? s->first + number : s->first_far;
    s->far += far;
    s->farthest = fmax(s->farthest, state->position);
}

int tool_system_dofs(const tool_system *s, int number)
{
    return s->state[number].dofs;
}

const int *tool_system_independent(const tool_system *s, int number)
{
    return s->independent + (size_t)number * (size_t)s->nv;
}

/* A coupling has no wrench, only a multiplier. */
bool tool_system_has_wrench(const tool_system *s, int closure)
{
    return soa_closure_get(s->set, closure) != NULL && soa_closure_enabled(s->set, closure);
}

void tool_system_keep(tool_system *s, int number, tool_loads *loads)
{
    soa_closure_load *load = loads->load + (size_t)number * (size_t)s->count;
    if (s->rows > 0) {
        memcpy(loads->multiplier + (size_t)number * (size_t)s->rows, soa_closure_multipliers(s->set),
            (size_t)s->rows * sizeof *loads->multiplier);
    }
    for (int i = 0; i < s->count; i++) {
        if (tool_system_has_wrench(s, i)) {
            tool_must_for(s->first, number, soa_closure_force(s->set, i, &load[i], tool_error()));
        }
    }
    loads->made = true;
}
