/* vary.c - parameters of a scenario that differ from run to run. */
#include "vary.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* The numbers of a force that may vary, by its kind, under the words of scenario files. */
#define AT(field) offsetof(soa_force, field)
static const struct {
    soa_force_kind kind;
    const char *word;
    size_t offset;
} FIELD[] = { { SOA_FORCE_TORQUE, "value", AT(value) }, { SOA_FORCE_JOINT_SPRING, "stiffness", AT(stiffness) },
    { SOA_FORCE_JOINT_SPRING, "reference", AT(reference) }, { SOA_FORCE_JOINT_DAMPER, "damping", AT(damping) },
    { SOA_FORCE_JOINT_FRICTION, "force", AT(value) }, { SOA_FORCE_JOINT_FRICTION, "holding", AT(holding) },
    { SOA_FORCE_JOINT_FRICTION, "speed", AT(speed) }, { SOA_FORCE_JOINT_LIMIT, "stiffness", AT(stiffness) },
    { SOA_FORCE_JOINT_LIMIT, "damping", AT(damping) }, { SOA_FORCE_JOINT_LIMIT, "lower", AT(lower) },
    { SOA_FORCE_JOINT_LIMIT, "upper", AT(upper) }, { SOA_FORCE_JOINT_STOP, "restitution", AT(restitution) },
    { SOA_FORCE_JOINT_STOP, "lower", AT(lower) }, { SOA_FORCE_JOINT_STOP, "upper", AT(upper) },
    { SOA_FORCE_SPRING, "stiffness", AT(stiffness) }, { SOA_FORCE_SPRING, "length", AT(length) },
    { SOA_FORCE_SPRING, "damping", AT(damping) }, { SOA_FORCE_DRAG, "damping", AT(damping) },
    { SOA_FORCE_DRAG, "quadratic", AT(value) }, { SOA_FORCE_CONTACT, "stiffness", AT(stiffness) },
    { SOA_FORCE_CONTACT, "dissipation", AT(damping) }, { SOA_FORCE_CONTACT, "friction", AT(value) },
    { SOA_FORCE_CONTACT, "radius", AT(length) } };
#undef AT
enum { FIELDS = sizeof FIELD / sizeof *FIELD };

static void read_distribution(const tool_call *call, const char *text, vary *out)
{
    const char *at = text + strcspn(text, "(");
    char *comma = NULL, *close = NULL;
    out->normal = strncmp(text, "normal(", 7) == 0;
    out->a = *at == '(' ? strtod(at + 1, &comma) : NAN;
    out->b = comma != NULL && *comma == ',' ? strtod(comma + 1, &close) : NAN;
    const bool ended = close != NULL && close > comma + 1 && strcmp(close, ")") == 0;
    if ((!out->normal && strncmp(text, "uniform(", 8) != 0) || !ended || !isfinite(out->a) || !isfinite(out->b)) {
        tool_wrong_usage(call->command,
            "--vary %s: the distribution must be uniform(LOW,HIGH) or normal(MEAN,DEVIATION)", out->text);
    }
    if (out->normal ? out->b < 0.0 : out->b < out->a) {
        tool_wrong_usage(call->command, "--vary %s: %s", out->text,
            out->normal ? "the deviation is negative" : "the lower end is above the upper one");
    }
}

/* The number of a joint's coordinate, "elbow" or "ball.2"; -1: none. */
static int find_coordinate(const soa_model *model, const char *name, bool velocity)
{
    soa_body body;
    char joint[SOA_MAX_NAME];
    const char *dot = strrchr(name, '.');
    if (soa_model_find_body(model, name, &body, NULL) == SOA_OK) {
        return (velocity ? body.nv : body.nq) == 1 ? (velocity ? body.v : body.q) : -1;
    }
    if (dot == NULL || (size_t)(dot - name) >= sizeof joint) {
        return -1;
    }
    memcpy(joint, name, (size_t)(dot - name));
    joint[dot - name] = '\0';
    char *end;
    const long i = strtol(dot + 1, &end, 10);
    return soa_model_find_body(model, joint, &body, NULL) == SOA_OK && end != dot + 1 && *end == '\0' && i >= 0 &&
                   i < (velocity ? body.nv : body.nq)
               ? (velocity ? body.v : body.q) + (int)i
               : -1;
}

/* force.NAME.WORD: the force by its name, the number by a word of its kind. */
static int find_force(const soa_sim_setup *setup, const char *name, vary *out)
{
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot != NULL && i < setup->forces; i++) {
        const char *own = setup->force[i].name;
        if (own == NULL || strlen(own) != (size_t)(dot - name) || strncmp(own, name, strlen(own)) != 0) {
            continue;
        }
        for (int f = 0; f < FIELDS; f++) {
            if (FIELD[f].kind == setup->force[i].kind && strcmp(FIELD[f].word, dot + 1) == 0) {
                out->offset = FIELD[f].offset;
                return out->index = i;
            }
        }
        out->other = i;
    }
    return -1;
}

static int find_place(const soa_scenario *scenario, const char *path, vary *out)
{
    const soa_model *model = soa_scenario_model(scenario);
    const char *name = strchr(path, '.');
    if (name == NULL) {
        return -1;
    }
    const size_t n = (size_t)(name++ - path);
    if (n == 1 && (path[0] == 'q' || path[0] == 'v')) {
        out->what = path[0] == 'q' ? VARY_Q : VARY_V;
        return out->index = find_coordinate(model, name, path[0] == 'v');
    }
    if (n == 4 && strncmp(path, "mass", n) == 0) {
        out->what = VARY_MASS;
        return out->index = soa_model_find_link(model, name);
    }
    if (n == 7 && strncmp(path, "gravity", n) == 0) {
        out->what = VARY_GRAVITY;
        return out->index = strlen(name) == 1 && strchr("xyz", name[0]) != NULL ? name[0] - 'x' : -1;
    }
    out->what = VARY_FORCE;
    return n == 5 && strncmp(path, "force", n) == 0 ? find_force(soa_scenario_setup(scenario), name, out) : -1;
}

/* Nothing that varies is at the path; of a force that exists, what of it may. */
static void refuse_path(const soa_scenario *scenario, const char *path, const vary *v)
{
    char words[128] = "nothing";
    size_t length = 0;
    const soa_force *force = v->other < 0 ? NULL : &soa_scenario_setup(scenario)->force[v->other];
    for (int f = 0; force != NULL && f < FIELDS; f++) {
        if (FIELD[f].kind == force->kind) {
            length +=
                (size_t)snprintf(words + length, sizeof words - length, "%s%s", length > 0 ? ", " : "", FIELD[f].word);
        }
    }
    if (force != NULL) {
        tool_fail("--vary %s: of a force of kind %s may vary: %s", v->text, soa_force_kind_text(force->kind), words);
    }
    tool_fail("--vary %s: '%s' is nothing that can vary; take q.JOINT, v.JOINT, mass.LINK, gravity.x (y, "
              "z) or force.NAME.WORD with a word of its kind, such as stiffness",
        v->text, path);
}

void vary_read(const tool_call *call, const soa_scenario *scenario, const char *text, vary *out)
{
    const char *equals = strrchr(text, '=');
    char path[2 * SOA_MAX_NAME];
    *out = (vary){ .text = text, .length = equals == NULL ? 0 : (size_t)(equals - text), .other = -1 };
    if (equals == NULL || out->length >= sizeof path) {
        tool_wrong_usage(call->command, "--vary %s: write PATH=uniform(LOW,HIGH) or PATH=normal(MEAN,DEVIATION)", text);
    }
    memcpy(path, text, out->length);
    path[out->length] = '\0';
    if (find_place(scenario, path, out) < 0) {
        refuse_path(scenario, path, out);
    }
    if (out->what == VARY_MASS && soa_model_link(soa_scenario_model(scenario), out->index)->flexible != NULL) {
        tool_fail("--vary %s: the link is flexible, and its mass is that of its data; vary another", text);
    }
    read_distribution(call, equals + 1, out);
}

/* ---- numbers ------------------------------------------------------------------------------------ */

/* splitmix64: every input gives an independent output. */
static unsigned long long mix(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* In (0, 1). */
static double unit(unsigned long long x)
{
    return ((double)(mix(x) >> 11) + 0.5) * 0x1p-53;
}

double vary_number(const vary *v, unsigned long long seed, long run, int i)
{
    const unsigned long long key = mix(mix(mix(seed) + (unsigned long long)run) + (unsigned long long)i);
    if (!v->normal) {
        return v->a + (v->b - v->a) * unit(key);
    }
    return v->a + v->b * sqrt(-2.0 * log(unit(key))) * cos(6.283185307179586 * unit(key + 1));
}

/* ---- a run ----------------------------------------------------------------------------------------- */

bool varied_new(const soa_scenario *scenario, varied *out)
{
    const soa_model *model = soa_scenario_model(scenario);
    const soa_sim_setup *setup = soa_scenario_setup(scenario);
    *out = (varied){ .setup = *setup };
    out->state = calloc((size_t)(soa_model_nq(model) + soa_model_nv(model)) + 1, sizeof *out->state);
    out->force = calloc((size_t)setup->forces + 1, sizeof *out->force);
    return out->state != NULL && out->force != NULL;
}

static soa_status set_gravity(const soa_model *from, const double gravity[3], varied *out, soa_error *error)
{
    soa_model *made = NULL;
    const soa_status status = soa_model_with_gravity(out->model != NULL ? out->model : from, gravity, &made, error);
    if (status == SOA_OK) {
        soa_model_free(out->model);
        out->model = made;
    }
    return status;
}

/* The model with other masses; moments of inertia change in proportion. */
static soa_status set_masses(
    const soa_model *from, int count, const vary *v, const double *number, varied *out, soa_error *error)
{
    double gravity[3];
    soa_builder *builder = soa_builder_new(NULL);
    soa_model_gravity(from, gravity);
    if (builder == NULL) {
        return SOA_E_MEMORY;
    }
    soa_builder_set_gravity(builder, gravity);
    soa_status status = soa_builder_attach(builder, from, NULL, SOA_WORLD, NULL, error);
    for (int i = 0; i < count && status == SOA_OK; i++) {
        if (v[i].what == VARY_MASS) {
            soa_link link = *soa_builder_link(builder, v[i].index);
            const double ratio = link.inertia.mass > 0.0 ? number[i] / link.inertia.mass : 1.0;
            link.inertia.mass = number[i];
            for (int j = 0; j < 6; j++) {
                link.inertia.moment[j] *= ratio;
            }
            status = soa_builder_set_link(builder, v[i].index, &link, error);
        }
    }
    status = status == SOA_OK ? soa_builder_finish(builder, &out->model, error) : status;
    soa_builder_free(builder);
    return status;
}

soa_status varied_set(
    const soa_scenario *scenario, int count, const vary *v, const double *number, varied *out, soa_error *error)
{
    const soa_model *model = soa_scenario_model(scenario);
    const soa_sim_setup *setup = soa_scenario_setup(scenario);
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    double gravity[3];
    bool masses = false, falls = false;
    soa_model_free(out->model);
    out->model = NULL;
    memcpy(out->state, setup->q, nq * sizeof *out->state);
    memcpy(out->state + nq, setup->v, nv * sizeof *out->state);
    if (setup->forces > 0) {
        memcpy(out->force, setup->force, (size_t)setup->forces * sizeof *out->force);
    }
    soa_model_gravity(model, gravity);
    for (int i = 0; i < count; i++) {
        switch (v[i].what) {
        case VARY_Q:
        case VARY_V:
            out->state[(v[i].what == VARY_Q ? 0 : nq) + (size_t)v[i].index] = number[i];
            break;
        case VARY_MASS:
            masses = true;
            break;
        case VARY_GRAVITY:
            gravity[v[i].index] = number[i];
            falls = true;
            break;
        case VARY_FORCE:
            *(double *)(void *)((char *)&out->force[v[i].index] + v[i].offset) = number[i];
        }
    }
    out->setup.q = out->state;
    out->setup.v = out->state + nq;
    out->setup.force = out->force;
    soa_status status = soa_normalize(model, out->state, error);
    status = status == SOA_OK && masses ? set_masses(model, count, v, number, out, error) : status;
    return status == SOA_OK && falls ? set_gravity(model, gravity, out, error) : status;
}

void varied_free(varied *out)
{
    soa_model_free(out->model);
    free(out->state);
    free(out->force);
}
