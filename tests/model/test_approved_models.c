/* Models from inside: bodies as the kernels see them, names, configurations, and what is said of descriptions with one odd
 * value each, beside what was approved. */
#include "approved.h"
#include "model/model.h"
#include "two_links.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* ---- telling ------------------------------------------------------------------------------------------------------ */

static void put(FILE *out, const char *what, int count, const double *x)
{
    fprintf(out, " %s", what);
    for (int i = 0; i < count; i++) {
        fprintf(out, " %.5g", isnan(x[i]) ? (double)NAN : fabs(x[i]) < 1e-9 ? 0.0 : x[i]);
    }
}

static void put_pose(FILE *out, const char *what, const soa_pose *at)
{
    put(out, what, 3, at->position);
    put(out, "turned", 9, at->rotation[0]);
}

static void put_body(FILE *out, const soa_model *m, int k)
{
    const soa_body_data *b = &m->body[k];
    const soa_body_rest *r = b->rest;
    const soa_body info = soa_model_body(m, k);
    fprintf(out,
        "body %d on %d: q %d v %d nq %d nv %d, slot %d, class %d kind %d, %d%d%d%d%d%d, link %d of %d, node %d, port "
        "%d, "
        "carries %d, carried %d, beside %d, %d%d%d, square %d, angle %d",
        k, b->parent, b->q, b->v, r->nq, b->nv, b->slot, b->joint_class, b->kind, b->aligned, b->leaf, b->last,
        b->keeps, b->motor, b->geared, r->link, r->links, r->node, r->port, r->carries, r->carried, r->beside,
        r->massless, r->hands_on, r->in_place, r->square, soa_has_angle(b) ? m->angle[k] : 0);
    fprintf(out, "; %d %d %d %d %d %d %d %d %d", info.parent, info.link, (int)info.kind, info.q, info.v, info.nq,
        info.nv, info.links, info.flexible);
    put(out, "armature", 1, &b->armature);
    put(out, "pitch", 1, &b->pitch);
    put(out, "gear", 3, r->gear);
    put(out, "inertia", 10, b->inertia);
    put(out, "mass", 1, &info.inertia.mass);
    put(out, "com", 3, info.inertia.com);
    put(out, "moment", 6, info.inertia.moment);
    put_pose(out, "at", &r->at);
    put_pose(out, "frame", &r->frame);
    fprintf(out, "\n");
}

static void put_model(FILE *out, const soa_model *m)
{
    fprintf(out,
        "%s: %d bodies, nq %d, nv %d, slots %d, modes %d %d %d, squares %d, ports %d, quaternions %d, mass %.6g\n",
        soa_model_name(m), m->bodies, m->nq, m->nv, m->slots, m->modes, m->most_modes, m->most_carried, m->squares,
        m->ports, m->quaternions, m->mass);
    for (int k = 0; k < m->bodies; k++) {
        put_body(out, m, k);
    }
    for (int i = 0; i < soa_model_links(m); i++) {
        soa_pose at;
        fprintf(out, "link %d %s: body %d", i, soa_model_link(m, i)->name, soa_model_link_body(m, i, &at));
        put_pose(out, "at", &at);
        fprintf(out, "\n");
    }
    for (int i = 0; i < soa_model_couplings(m); i++) {
        const soa_coupled *c = &m->coupled[i];
        fprintf(out, "coupled %d: %d %d from %d %d\n", c->body, c->q, c->v, c->from_q, c->from_v);
    }
    for (int i = 0; i < soa_model_configurations(m); i++) {
        put(out, soa_model_configuration(m, i)->name, m->nq, soa_model_configuration(m, i)->q);
    }
    for (int i = 0; i < soa_model_warnings(m); i++) {
        const soa_warning *w = soa_model_warning(m, i);
        fprintf(out, "\nwarning %s:%d: %s", w->source.file ? w->source.file : "", w->source.line, w->text);
    }
    fprintf(out, "\n");
}

static void put_error(FILE *out, const soa_error *e)
{
    fprintf(out, "%d body %d %s:%d: %s\n", (int)e->status, e->body, e->file, e->line, e->text);
}

/* The model, or why there is none; frees it. */
static void put_made(FILE *out, soa_status status, soa_model *model, const soa_error *error)
{
    if (status == SOA_OK) {
        put_model(out, model);
        soa_model_free(model);
    } else {
        put_error(out, error);
    }
}

/* ---- names and configurations ---------------------------------------------------------------------------------------- */

static void put_found(FILE *out, const soa_model *m, const char *name)
{
    soa_point point;
    soa_body body;
    soa_error error;
    fprintf(out, "'%s': %d %d %d\n", name, soa_model_find_link(m, name), soa_model_find_joint(m, name),
        soa_model_find_frame(m, name));
    if (soa_model_find_point(m, name, &point, &error) == SOA_OK) {
        fprintf(out, "link %d node %d", point.link, point.node);
        put_pose(out, "at", &point.at);
    } else {
        put_error(out, &error);
    }
    if (soa_model_find_body(m, name, &body, &error) == SOA_OK) {
        fprintf(out, " body at q %d v %d\n", body.q, body.v);
    } else {
        put_error(out, &error);
    }
}

static void put_names(FILE *out, const soa_model *m)
{
    char name[256];
    for (int i = 0; i < soa_model_links(m) && i < 6; i++) {
        const soa_link *link = soa_model_link(m, i);
        put_found(out, m, link->name);
        put_found(out, m, link->joint.name ? link->joint.name : "");
        snprintf(name, sizeof name, "%sx", link->name);
        put_found(out, m, name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(link->name) - 1, link->name);
        put_found(out, m, name);
        snprintf(name, sizeof name, "%s/flex", link->name);
        put_found(out, m, name);
    }
    put_found(out, m, "world");
    put_found(out, m, "nothing like it");
}

static void put_states(FILE *out, const soa_model *m)
{
    enum { MOST = 512 };
    static double q[MOST], p[MOST], v[MOST], rate[MOST];
    unsigned long long seed = 9;
    soa_error error;
    assert_true(m->nq < MOST);
    soa_model_neutral(m, q);
    put(out, "neutral", m->nq, q);
    soa_random_configuration(m, &seed, q);
    put(out, "random", m->nq, q);
    for (int i = 0; i < m->nv; i++) {
        v[i] = soa_model_random_number(&seed);
    }
    soa_integrate(m, q, v, 0.3, p);
    put(out, "moved", m->nq, p);
    soa_model_rates(m, q, v, rate);
    put(out, "rate", m->nq, rate);
    soa_difference(m, q, p, rate);
    put(out, "difference", m->nv, rate);
    soa_couple(m, p, v);
    put(out, "coupled", m->nq, p);
    put(out, "with", m->nv, v);
    for (int i = 0; i < m->nq; i++) {
        static const double odd[] = { NAN, INFINITY, 3.0, 0.0 };
        for (int o = 0; o < COUNT_OF(odd); o++) {
            memcpy(p, q, sizeof p);
            p[i] = odd[o];
            fprintf(out, "\nq[%d] = %g: ", i, odd[o]);
            if (soa_check_configuration(m, p, &error) != SOA_OK) {
                put_error(out, &error);
            }
            if (soa_normalize(m, p, &error) != SOA_OK) {
                put_error(out, &error);
            } else {
                put(out, "normal", 1, &p[i]);
            }
        }
    }
    fprintf(out, "\n");
}

static void approve(approved *a, const char *part, FILE *out, char **text)
{
    fclose(out);
    approved_text(a, part, *text);
    free(*text);
}

static void built_in_models(void **state)
{
    (void)state;
    static const char *const name[] = { "pendulum", "double-pendulum", "arm6", "arm7", "dual-arm", "quadruped",
        "humanoid", "satellite", "hexapod", "chain:1", "chain:9", "tree:20,1", "tree:20,2", "tree:20,3", "tree:40,5",
        "flexible-chain:1,1", "flexible-chain:3,4", "", "arm", "arm8", "chain", "chain:", "chain:0", "chain:-1",
        "chain:x", "chain:3x", "chain:99999999", "tree:5", "tree:5,", "tree:,5", "tree:5,1,2", "tree:0,1", "arm7:2",
        "flexible-chain:2", "flexible-chain:2,0", "flexible-chain:2,99", "pendulums", "humanoids", "builtin:arm7" };
    approved a = approved_open("model-built-in");
    for (int i = 0; i < COUNT_OF(name); i++) {
        char *text = NULL;
        size_t length;
        soa_model *model = NULL, *other = NULL;
        soa_error error;
        approved_case(&a, name[i]);
        if (soa_model_builtin(name[i], NULL, &model, &error) != SOA_OK) {
            approved_text(&a, NULL, error.text);
            approved_end(&a);
            continue;
        }
        FILE *out = open_memstream(&text, &length);
        put_model(out, model);
        approve(&a, "model", out, &text);
        out = open_memstream(&text, &length);
        put_names(out, model);
        put_states(out, model);
        approve(&a, "states", out, &text);
        out = open_memstream(&text, &length);
        soa_status status = soa_model_free_base(model, &other, &error);
        put_made(out, status, other, &error);
        status = soa_model_with_gravity(model, (double[3]){ 1, 2, i % 2 ? NAN : 3 }, &other, &error);
        put_made(out, status, other, &error);
        approve(&a, "changed", out, &text);
        approved_end(&a);
        soa_model_free(model);
    }
    approved_close(&a);
}

/* ---- odd values ------------------------------------------------------------------------------------------------------- */

/* What a description is made of; one number in it is odd. */
typedef struct given {
    soa_link base, arm;
    soa_frame frame;
    soa_coupling coupling;
    soa_closure closure;
    soa_geometry geometry;
    double q[8], v[8];
    double gravity[3];
} given;

typedef struct member {
    const char *name;
    size_t at;
    int count;
    bool whole; /* int */
} member;

#define NUMBERS_OF(m)                                                                  \
    {                                                                                  \
#m, offsetof(given, m), (int)(sizeof(((given *)0)->m) / sizeof(double)), false \
    }
#define WHOLE_OF(m)                     \
    {                                   \
#m, offsetof(given, m), 1, true \
    }

static const member JOINT[] = { NUMBERS_OF(arm.joint.at), NUMBERS_OF(arm.joint.child), NUMBERS_OF(arm.joint.axis),
    NUMBERS_OF(arm.joint.axis2), NUMBERS_OF(arm.joint.pitch), NUMBERS_OF(arm.joint.reference),
    NUMBERS_OF(arm.joint.neutral), NUMBERS_OF(arm.joint.lower), NUMBERS_OF(arm.joint.upper),
    NUMBERS_OF(arm.joint.velocity), NUMBERS_OF(arm.joint.effort), NUMBERS_OF(arm.joint.damping),
    NUMBERS_OF(arm.joint.friction), NUMBERS_OF(arm.joint.stiffness), NUMBERS_OF(arm.joint.spring_reference),
    NUMBERS_OF(arm.joint.rotor), WHOLE_OF(coupling.link), NUMBERS_OF(q), NUMBERS_OF(v) };

static const member CLOSURE[] = { WHOLE_OF(closure.a), WHOLE_OF(closure.b), WHOLE_OF(closure.node_a),
    NUMBERS_OF(closure.at_a), NUMBERS_OF(closure.at_b), NUMBERS_OF(closure.friction), NUMBERS_OF(closure.distance),
    NUMBERS_OF(closure.twist), NUMBERS_OF(closure.slip), WHOLE_OF(closure.rows), NUMBERS_OF(closure.Q) };

static const member REST[] = { WHOLE_OF(base.parent), WHOLE_OF(arm.parent), WHOLE_OF(arm.node),
    WHOLE_OF(arm.joint.kind), NUMBERS_OF(arm.inertia), NUMBERS_OF(base.inertia), WHOLE_OF(frame.link),
    WHOLE_OF(frame.node), NUMBERS_OF(frame.at), WHOLE_OF(coupling.driver), NUMBERS_OF(coupling.coefficient),
    WHOLE_OF(closure.kind), WHOLE_OF(geometry.link), WHOLE_OF(geometry.shape), NUMBERS_OF(geometry.size),
    NUMBERS_OF(geometry.color), NUMBERS_OF(geometry.at), NUMBERS_OF(gravity) };

static void put_description(FILE *out, const given *g)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_error error;
    int index[6] = { -9, -9, -9, -9, -9, -9 };
    const int nq = soa_joint_kind_nq(g->arm.joint.kind) + 1, nv = soa_joint_kind_nv(g->arm.joint.kind) + 1;
    soa_builder_set_gravity(b, g->gravity);
    soa_status status = soa_builder_add_link(b, &g->base, &index[0], &error);
    status = status ? status : soa_builder_add_link(b, &g->arm, &index[1], &error);
    status = status ? status : soa_builder_add_frame(b, &g->frame, &index[2], &error);
    status = status ? status : soa_builder_add_coupling(b, &g->coupling, &index[3], &error);
    status = status ? status : soa_builder_add_closure(b, &g->closure, &index[4], &error);
    status = status ? status : soa_builder_add_geometry(b, &g->geometry, &index[5], &error);
    status = status ? status : soa_builder_add_configuration(b, "home", nq, g->q, nv, g->v, &error);
    status = status ? status : soa_builder_finish(b, &model, &error);
    fprintf(out, "%d %d %d %d %d %d: ", index[0], index[1], index[2], index[3], index[4], index[5]);
    put_made(out, status, model, &error);
    soa_builder_free(b);
}

static void put_odd(FILE *out, const given *plain, int members, const member *of)
{
    static const double odd[] = { NAN, INFINITY, -1.0, 0.0, 0.5, 1e-13, 1e200 };
    for (int m = 0; m < members; m++) {
        for (int i = 0; i < of[m].count; i++) {
            for (int o = 0; o < COUNT_OF(odd); o++) {
                given g = *plain;
                char *at = (char *)&g + of[m].at;
                if (of[m].whole) {
                    *(int *)(void *)at = o - 3;
                } else {
                    ((double *)(void *)at)[i] = odd[o];
                }
                fprintf(out, "%s[%d] = %g: ", of[m].name, i, of[m].whole ? o - 3 : odd[o]);
                put_description(out, &g);
            }
        }
    }
}

static given plain_description(void)
{
    const two t = two_links();
    given g = { .base = t.base,
        .arm = t.arm,
        .frame = soa_frame_default("tip", 1),
        .coupling = { .name = "follow", .link = 0, .driver = -1, .coefficient = { 0.1, 0.5 } },
        .closure = soa_closure_default("tie", SOA_CLOSE_SPHERICAL, 1, SOA_WORLD),
        .geometry = soa_geometry_default(1, SOA_SHAPE_BOX),
        .gravity = { 0, 0, -9.81 } };
    g.arm.joint.at.position[0] = 0.4;
    g.arm.joint.axis2[0] = 1.0;
    return g;
}

static void approve_odd(approved *a, const char *name, const given *g, int members, const member *of)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    approved_case(a, name);
    put_odd(out, g, members, of);
    approve(a, "said", out, &text);
    approved_end(a);
}

static void odd_descriptions(void **state)
{
    (void)state;
    approved a = approved_open("model-odd");
    for (soa_joint_kind kind = 0; kind < SOA_JOINT_KINDS; kind++) {
        given g = plain_description();
        g.arm.joint.kind = kind;
        for (int i = 0; i < SOA_JOINT_MAX_NQ; i++) {
            g.arm.joint.neutral[i] = soa_joint_default(NULL, kind).neutral[i];
            g.q[i + 1] = g.arm.joint.neutral[i];
        }
        approve_odd(&a, soa_joint_kind_text(kind), &g, COUNT_OF(JOINT), JOINT);
    }
    for (soa_closure_kind kind = 0; kind < SOA_CLOSURE_KINDS; kind++) {
        given g = plain_description();
        g.closure = soa_closure_default("tie", kind, 1, SOA_WORLD);
        g.closure.rows = 2;
        g.closure.Q[0][1] = g.closure.Q[1][5] = 1.0;
        g.closure.distance = kind == SOA_CLOSE_DISTANCE ? 0.5 : 0.0;
        approve_odd(&a, soa_closure_kind_text(kind), &g, COUNT_OF(CLOSURE), CLOSURE);
    }
    const given g = plain_description();
    approve_odd(&a, "the rest", &g, COUNT_OF(REST), REST);
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_models),
        cmocka_unit_test(odd_descriptions),
    };
    return cmocka_run_group_tests_name("approved_models", tests, NULL, NULL);
}
