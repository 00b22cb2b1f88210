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

const char *tool_constraints_text(const soa_model *model, char *text, size_t size)
{
    const int closures = tool_closures_on(model), couplings = soa_model_couplings(model);
    char first[TOOL_CELL] = "", second[TOOL_CELL] = "";
    if (closures > 0) {
        snprintf(first, sizeof first, "%d closure%s", closures, closures > 1 ? "s" : "");
    }
    if (couplings > 0) {
        snprintf(second, sizeof second, "%d coupling%s", couplings, couplings > 1 ? "s" : "");
    }
    snprintf(text, size, "%s%s%s", first, closures > 0 && couplings > 0 ? " and " : "", second);
    return text;
}

int tool_closures_tolerances(const tool_call *call, soa_closures *set)
{
    static const char *const NAME[] = { "rank-tolerance", "contradiction", "velocity-tolerance" };
    soa_closure_tolerances tolerances = { 0 };
    double *const to[] = { &tolerances.rank, &tolerances.contradiction, &tolerances.velocity };
    soa_error error;
    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        const char *text = tool_value(call, NAME[i]);
        char *end;
        if (text == NULL) {
            continue;
        }
        *to[i] = strtod(text, &end);
        if (end == text || *end != '\0' || !isfinite(*to[i]) || *to[i] <= 0.0) {
            return tool_wrong_usage(call->command, "--%s '%s': give a positive number, such as 1e-6", NAME[i], text);
        }
    }
    return soa_closures_set_tolerances(set, &tolerances, &error) == SOA_OK ? TOOL_OK : tool_fail_error(&error);
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

/* ---- begin and end ------------------------------------------------------------------------ */

static bool make_loads(const tool_system *s, size_t room, tool_loads *loads)
{
    loads->load = calloc(room * (size_t)s->count + 1, sizeof *loads->load);
    loads->multiplier = calloc(room * (size_t)s->rows + 1, sizeof *loads->multiplier);
    return loads->load != NULL && loads->multiplier != NULL;
}

/* The velocities of the joints named in a list with commas, by what read_value makes of the text after '='. */
static int each_joint(const tool_call *call, const tool_system *s, const char *option,
    int (*take)(void *to, const char *value), void *to, size_t size)
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
                return tool_fail("--%s: %s", option, error.text);
            }
            for (int i = body.v; i < body.v + body.nv; i++) {
                if (take((char *)to + (size_t)i * size, value) != TOOL_OK) {
                    return tool_wrong_usage(call->command, "--%s '%s': '%s' is not understood; see --help", option,
                        name, value != NULL ? value : "");
                }
            }
            list += length + (list[length] == ',');
        }
    }
    return TOOL_OK;
}

static int take_asked(void *to, const char *value)
{
    *(bool *)to = true;
    return value == NULL ? TOOL_OK : TOOL_FAILED;
}

/* A positive number, or "passive" */
static int take_weight(void *to, const char *value)
{
    char *end = NULL;
    double *weight = to;
    if (value == NULL || strcmp(value, "passive") == 0) {
        *weight = (double)INFINITY;
        return TOOL_OK;
    }
    *weight = strtod(value, &end);
    return end != value && *end == '\0' && isfinite(*weight) && *weight > 0.0 ? TOOL_OK : TOOL_FAILED;
}

/* --weight; without it, followers of couplings are passive. */
static int read_weights(const tool_call *call, tool_system *s)
{
    for (int i = 0; i < s->nv; i++) {
        s->weight[i] = 1.0;
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        const int body = soa_model_link_body(s->model, soa_model_coupling(s->model, i)->link, NULL);
        s->weight[soa_model_body(s->model, body).v] = (double)INFINITY;
    }
    return each_joint(call, s, "weight", take_weight, s->weight, sizeof *s->weight);
}

int tool_system_begin(tool_call *call, const soa_model *model, int room, tool_system *s)
{
    soa_error error;
    const size_t states = (size_t)room;
    *s = (tool_system){ .model = model, .nv = soa_model_nv(model) };
    if (s->nv > SOA_SYSTEM_MAX_NV) {
        return tool_fail("the model has %d velocities; with closures or couplings at most %d are computed. Give --open",
            s->nv, SOA_SYSTEM_MAX_NV);
    }
    if (soa_system_new(model, NULL, &s->system, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    s->set = soa_system_closures(s->system);
    s->count = soa_closures_count(s->set);
    s->rows = soa_closures_rows(s->set);
    s->state = calloc(states, sizeof *s->state);
    s->independent = calloc(states * (size_t)s->nv + 1, sizeof *s->independent);
    s->preferred = calloc(2 * (size_t)s->nv + 1, sizeof *s->preferred);
    s->given = calloc(3 * (size_t)s->nv + (size_t)s->rows + 1, sizeof *s->given);
    if (s->state == NULL || s->independent == NULL || s->preferred == NULL || s->given == NULL ||
        !make_loads(s, states, &s->fd) || !make_loads(s, states, &s->id)) {
        return tool_fail_memory();
    }
    s->asked = s->preferred + s->nv;
    s->weight = s->given + 2 * (size_t)s->nv;
    int status = tool_closures_tolerances(call, s->set);
    if (status == TOOL_OK) {
        s->rounded = tool_note_rounded(call, s->set);
        status = read_weights(call, s);
    }
    return status == TOOL_OK ? each_joint(call, s, "independent", take_asked, s->asked, sizeof *s->asked) : status;
}

void tool_system_end(tool_system *s)
{
    soa_system_free(s->system);
    free(s->state);
    free(s->independent);
    free(s->preferred);
    free(s->given);
    free(s->fd.load);
    free(s->fd.multiplier);
    free(s->id.load);
    free(s->id.multiplier);
    *s = (tool_system){ 0 };
}

/* ---- states --------------------------------------------------------------------------------- */

bool tool_system_close(tool_system *s, double *q)
{
    soa_couple(s->model, q, NULL);
    return soa_closure_project(s->set, SOA_METRIC_MASS, 0.0, q, NULL, NULL, NULL) == SOA_OK;
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

static double largest_of(int count, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static void fill(int nv, const double *from, double *to)
{
    for (int i = 0; i < nv; i++) {
        to[i] = isnan(from[i]) ? 0.0 : from[i];
    }
}

/* Of the state as it was given, into its record. */
static soa_status measure(tool_system *s, tool_system_state *state, const double *q, soa_error *error)
{
    double *miss = s->given + 3 * (size_t)s->nv;
    soa_status status = soa_closure_violation(s->set, q, s->given, miss, NULL, error);
    state->position = largest_of(s->rows, miss);
    status = status == SOA_OK ? soa_closure_violation(s->set, q, s->given, NULL, miss, error) : status;
    state->velocity = largest_of(s->rows, miss);
    return status;
}

soa_status tool_system_set(tool_system *s, int number, bool given, double *const to[TOOL_ARRAYS], soa_error *error)
{
    tool_system_state *state = &s->state[number];
    double *v = to[TOOL_V], *vdot = to[TOOL_VDOT], *all = s->given + s->nv;
    prefer(s, v, vdot);
    fill(s->nv, v, s->given);
    soa_status status = soa_system_set(s->system, to[TOOL_Q], s->given, error);
    bool odd = status == SOA_OK && replace(s->nv, soa_system_velocity(s->system), v);
    fill(s->nv, vdot, s->given);
    status = status == SOA_OK ? soa_system_acceleration(s->system, s->given, all, error) : status;
    odd = (status == SOA_OK && replace(s->nv, all, vdot) && s->minds_vdot) || odd;
    fill(s->nv, v, s->given);
    status = status == SOA_OK ? measure(s, state, to[TOOL_Q], error) : status;
    state->dofs = soa_system_dofs(s->system);
    memcpy(s->independent + (size_t)number * (size_t)s->nv, soa_system_independent(s->system),
        (size_t)state->dofs * sizeof *s->independent);
    s->first_odd = odd && given && s->odd == 0 ? s->first + number : s->first_odd;
    s->odd += odd && given;
    const bool far = state->position > (s->rounded ? FAR_OFF_ROUNDED : FAR_OFF);
    s->first_far = far && s->far == 0 ? s->first + number : s->first_far;
    s->far += far;
    s->farthest = fmax(s->farthest, state->position);
    return status;
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
static bool has_wrench(const tool_system *s, int closure)
{
    return soa_closure_get(s->set, closure) != NULL && soa_closure_enabled(s->set, closure);
}

soa_status tool_system_keep(tool_system *s, int number, tool_loads *loads, soa_error *error)
{
    soa_closure_load *load = loads->load + (size_t)number * (size_t)s->count;
    if (s->rows > 0) {
        memcpy(loads->multiplier + (size_t)number * (size_t)s->rows, soa_closure_multipliers(s->set),
            (size_t)s->rows * sizeof *loads->multiplier);
    }
    soa_status status = SOA_OK;
    for (int i = 0; i < s->count && status == SOA_OK; i++) {
        status = has_wrench(s, i) ? soa_closure_force(s->set, i, &load[i], error) : SOA_OK;
    }
    loads->made = true;
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static const double *multipliers_of(const tool_system *s, const tool_loads *loads, int number, int closure)
{
    return loads->multiplier + (size_t)number * (size_t)s->rows + soa_closure_first_row(s->set, closure);
}

static json_t *closure_json(const tool_system *s, const tool_loads *loads, int number, int closure)
{
    const soa_closure_load *load = loads->load + (size_t)number * (size_t)s->count + closure;
    const soa_closure *c = soa_closure_get(s->set, closure);
    json_t *object = json_object();
    json_set(&object, "name", json_text(soa_closure_name(s->set, closure)));
    json_set(&object, "a", json_text(tool_link_name(s->model, c->a)));
    json_set(&object, "b", json_text(tool_link_name(s->model, c->b)));
    json_set(&object, "wrench_on_a", json_numbers(load->wrench_on_a, 6));
    json_set(&object, "multipliers",
        json_numbers(multipliers_of(s, loads, number, closure), soa_closure_rows(s->set, closure)));
    json_set(&object, "normal", load->contact ? json_number(load->normal) : json_null());
    json_set(&object, "cone_margin", load->contact ? json_number(load->cone_margin) : json_null());
    json_set(&object, "holds", json_boolean(!load->contact || load->holds));
    json_set(&object, "point", json_numbers(load->point, 3));
    return object;
}

/* Coupling i of the model stands after its closures. */
static int tie_of(const tool_system *s, int coupling)
{
    return soa_model_closures(s->model) + coupling;
}

static const char *driver_name(const tool_system *s, const soa_coupling *c)
{
    return c->driver >= 0 ? tool_joint_name(s->model, c->driver) : NULL;
}

static json_t *coupling_json(const tool_system *s, const tool_loads *loads, int number, int coupling)
{
    const soa_coupling *c = soa_model_coupling(s->model, coupling);
    json_t *object = json_object();
    json_set(&object, "joint", json_text(tool_joint_name(s->model, c->link)));
    json_set(&object, "driver", json_text(driver_name(s, c)));
    json_set(&object, "force", json_number(multipliers_of(s, loads, number, tie_of(s, coupling))[0]));
    return object;
}

static void loads_json(
    const tool_system *s, const tool_loads *loads, int number, const char *const field[2], json_t **object)
{
    json_t *closures = json_array(), *couplings = json_array();
    for (int i = 0; i < s->count; i++) {
        if (has_wrench(s, i)) {
            json_add(&closures, closure_json(s, loads, number, i));
        }
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        json_add(&couplings, coupling_json(s, loads, number, i));
    }
    json_set(object, field[0], closures);
    json_set(object, field[1], couplings);
}

void tool_system_json(const tool_system *s, int number, json_t **object)
{
    static const char *const FD[] = { "closures", "couplings" }, *const ID[] = { "tau_closures", "tau_couplings" };
    const tool_system_state *state = &s->state[number];
    json_t *list = json_array(), *violation = json_object();
    for (int i = 0; i < state->dofs; i++) {
        json_add(&list, json_integer(tool_system_independent(s, number)[i]));
    }
    json_set(&violation, "position", json_number(state->position));
    json_set(&violation, "velocity", json_number(state->velocity));
    json_set(object, "independent", list);
    if (s->fd.made) {
        loads_json(s, &s->fd, number, FD, object);
        json_set(object, "condition", json_number(state->solved.condition));
        json_set(object, "singular_values",
            json_pack("{s:o, s:o}", "smallest_kept", json_number(state->solved.kept), "largest_dropped",
                json_number(state->solved.dropped)));
        json_set(object, "rounded", json_boolean(state->solved.rounded));
    }
    if (s->id.made) {
        loads_json(s, &s->id, number, ID, object);
    }
    json_set(object, "rank", json_integer(s->nv - state->dofs));
    json_set(object, "rows", json_integer(s->rows));
    json_set(object, "violation", violation);
}

/* ---- for people ---------------------------------------------------------------------------------- */

/* Its name, or the links that it joins. */
static const char *label_of(const tool_system *s, int closure, char *text, size_t size)
{
    const char *name = soa_closure_name(s->set, closure);
    const soa_closure *c = soa_closure_get(s->set, closure);
    char a[TOOL_CELL], b[TOOL_CELL];
    if (name[0] != '\0') {
        return tool_clean(text, size, name);
    }
    tool_clean(a, sizeof a, tool_link_name(s->model, c->a));
    tool_clean(b, sizeof b, tool_link_name(s->model, c->b));
    snprintf(text, size, "%.40s - %.40s", a, b);
    return text;
}

/* Columns of the longest label. */
static int label_width(const tool_system *s)
{
    int width = 22;
    for (int i = 0; i < s->count; i++) {
        char text[TOOL_CELL];
        const int needed = has_wrench(s, i) ? tool_width(label_of(s, i, text, sizeof text)) : 0;
        width = needed > width ? needed : width;
    }
    return width;
}

static void put_closure(const tool_call *call, const tool_system *s, const tool_loads *loads, int number, int closure)
{
    const soa_closure_load *load = loads->load + (size_t)number * (size_t)s->count + closure;
    char name[TOOL_CELL];
    fputs("  ", call->out);
    tool_put(call, INK_PLAIN, label_of(s, closure, name, sizeof name), label_width(s));
    for (int i = 0; i < 6; i++) {
        fprintf(call->out, " %11.5g", tool_tidy(load->wrench_on_a[i], largest_of(6, load->wrench_on_a)));
    }
    if (load->contact) {
        fprintf(call->out, "   normal %.6g, cone margin %.6g%s", load->normal, load->cone_margin,
            load->holds ? "" : ": would not hold");
    }
    fputc('\n', call->out);
}

static void put_loads(const tool_call *call, const tool_system *s, const tool_loads *loads, int number, const char *of)
{
    char title[TOOL_CELL], name[TOOL_CELL];
    if (tool_closures_on(s->model) > 0) {
        snprintf(title, sizeof title, "wrench on a of each closure, for %s", of);
        tool_put_title(call, title);
        tool_put(call, INK_FAINT, "  world axes", label_width(s) + 2);
        tool_put(call, INK_FAINT, " moment x [N m]      y           z    force x [N]      y           z\n", 0);
    }
    for (int i = 0; i < s->count; i++) {
        if (has_wrench(s, i)) {
            put_closure(call, s, loads, number, i);
        }
    }
    if (soa_model_couplings(s->model) > 0) {
        snprintf(title, sizeof title, "force of each coupling on its follower, for %s", of);
        tool_put_title(call, title);
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        fputs("  ", call->out);
        tool_put(call, INK_PLAIN,
            tool_clean(name, sizeof name, tool_joint_name(s->model, soa_model_coupling(s->model, i)->link)), 24);
        fprintf(call->out, " %11.5g\n", multipliers_of(s, loads, number, tie_of(s, i))[0]);
    }
}

void tool_system_put(const tool_call *call, const tool_system *s, int number)
{
    const tool_system_state *state = &s->state[number];
    char text[TOOL_CELL];
    tool_put_title(call, tool_constraints_text(s->model, text, sizeof text));
    fprintf(call->out, "  rank %d of %d rows, off by %.3g in position and %.3g in velocity\n", s->nv - state->dofs,
        s->rows, state->position, state->velocity);
    if (s->fd.made) {
        const double dropped = tool_tidy(state->solved.dropped, 1.0);
        fprintf(
            call->out, "  condition %.3g, smallest singular value %.3g", state->solved.condition, state->solved.kept);
        fprintf(call->out, dropped > 0.0 ? "; %.3g does not count\n" : "\n", dropped);
    }
    fputs("  independent:", call->out);
    for (int i = 0; i < state->dofs; i++) {
        char clean[TOOL_CELL];
        tool_velocity_name(s->model, tool_system_independent(s, number)[i], text, sizeof text);
        fprintf(call->out, "%s %s", i > 0 ? "," : "", tool_clean(clean, sizeof clean, text));
    }
    fputs(state->dofs == 0 ? " none, nothing can move\n" : "\n", call->out);
    if (state->position > (s->rounded ? FAR_OFF_ROUNDED : FAR_OFF)) {
        fputs("  the state does not satisfy them: 'soa project' finds one that does\n", call->out);
    }
    if (s->fd.made) {
        put_loads(call, s, &s->fd, number, "vdot");
    }
    if (s->id.made) {
        put_loads(call, s, &s->id, number, "tau");
    }
}

void tool_system_note(tool_call *call, const tool_system *s)
{
    if (s->far > 0) {
        tool_note(call,
            "state %d does not satisfy the closures and couplings%s: they are missed by up to %.3g; "
            "'soa project' finds states that do",
            s->first_far, s->far > 1 ? ", and others do not" : "", s->farthest);
    }
    if (s->odd > 0) {
        tool_note(call,
            "state %d: v or vdot as given does not satisfy the closures and couplings%s; the independent "
            "numbers were taken, the others follow from them",
            s->first_odd, s->odd > 1 ? ", nor in others" : "");
    }
}
