/* What becomes of descriptions with one odd value each, beside what was approved. */
#include "approved_model.h"
#include "two_links.h"

/* What a description is made of; one number in it is odd. */
typedef struct given {
    soa_link base, arm;
    soa_frame frame;
    soa_coupling coupling;
    soa_closure closure;
    soa_geometry geometry;
    double q[8], v[8];
    double gravity[3];
    bool moves; /* configurations are told too */
    bool bends; /* the arm is flexible: two modes and a node */
    double mass, first[3], second[6], ee[4], ef[6], en[6], en1[12], ef1[12], second1[12], second2[24], stiffness[4],
        damping[4], position[3], shape[12], shape2[12];
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

static const member FLEXIBLE[] = { NUMBERS_OF(mass), NUMBERS_OF(first), NUMBERS_OF(second), NUMBERS_OF(ee),
    NUMBERS_OF(ef), NUMBERS_OF(en), NUMBERS_OF(en1), NUMBERS_OF(ef1), NUMBERS_OF(second1), NUMBERS_OF(second2),
    NUMBERS_OF(stiffness), NUMBERS_OF(damping), NUMBERS_OF(position), NUMBERS_OF(shape), NUMBERS_OF(shape2),
    WHOLE_OF(frame.node), WHOLE_OF(closure.node_a), NUMBERS_OF(arm.inertia), WHOLE_OF(arm.node),
    NUMBERS_OF(arm.joint.axis), NUMBERS_OF(arm.joint.child.position) };

static void put_description(FILE *out, const given *plain)
{
    given copy = *plain, *g = &copy;
    const soa_flexible bends = { .modes = 2,
        .nodes = 1,
        .position = g->position,
        .shape = g->shape,
        .shape2 = g->shape2,
        .mass = g->mass,
        .first = { g->first[0], g->first[1], g->first[2] },
        .ee = g->ee,
        .ef = g->ef,
        .en = g->en,
        .en1 = g->en1,
        .second = { g->second[0], g->second[1], g->second[2], g->second[3], g->second[4], g->second[5] },
        .ef1 = g->ef1,
        .second1 = g->second1,
        .second2 = g->second2,
        .stiffness = g->stiffness,
        .damping = g->damping };
    g->arm.flexible = g->bends ? &bends : NULL;
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_error error;
    int index[6] = { -9, -9, -9, -9, -9, -9 };
    const int modes = g->bends ? 2 : 0, nq = soa_joint_kind_nq(g->arm.joint.kind) + 1 + modes,
              nv = soa_joint_kind_nv(g->arm.joint.kind) + 1 + modes;
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
    if (status == SOA_OK && plain->moves) {
        put_states(out, model);
    }
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
        .coupling = { .name = "follow", .link = 0, .driver = -1, .coefficient = { 0.1, 0.5, 0.2, -0.3, 0.4 } },
        .closure = soa_closure_default("tie", SOA_CLOSE_SPHERICAL, 1, SOA_WORLD),
        .geometry = soa_geometry_default(1, SOA_SHAPE_BOX),
        .gravity = { 0, 0, -9.81 } };
    g.arm.joint.at = soa_pose_from_rpy((double[3]){ 0.4, 0.1, 0.2 }, (double[3]){ 0.3, -0.2, 0.1 });
    g.base.joint.axis[0] = 0.3;
    g.base.joint.axis[1] = 0.2;
    g.arm.joint.axis2[0] = 1.0;
    return g;
}

static void approve_odd(approved *a, const char *name, const given *g, int members, const member *of)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    given moves = *g;
    moves.moves = true;
    approved_case(a, name);
    put_description(out, &moves);
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
        if (soa_joint_kind_nq(kind) == 1) {
            g.coupling.link = 1;
            g.coupling.driver = 0;
        }
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
    given g = plain_description();
    approve_odd(&a, "the rest", &g, COUNT_OF(REST), REST);
    g.bends = true;
    for (int i = 0; i < 4; i++) {
        g.q[i] = 0.01 * (i + 1);
        g.v[i] = 0.1 * (i + 1);
    }
    g.arm.inertia = (soa_inertia){ 0 };
    g.mass = g.second[0] = g.second[3] = g.second[5] = 2.0;
    g.ee[0] = g.ee[3] = g.stiffness[0] = g.stiffness[3] = 1.0;
    g.ee[1] = g.ee[2] = 0.1;
    g.second2[18] = g.second2[21] = g.second2[23] = 0.5;
    g.arm.joint.child = soa_pose_from_rpy((double[3]){ 0.1, 0.2, 0.3 }, (double[3]){ 0.3, 0.2, 0.1 });
    g.ef[2] = g.en[1] = g.shape[5] = g.shape[9] = g.damping[0] = 0.2;
    approve_odd(&a, "a flexible link", &g, COUNT_OF(FLEXIBLE), FLEXIBLE);
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(odd_descriptions) };
    return cmocka_run_group_tests_name("approved_odd", tests, NULL, NULL);
}
