/* Loops that reach far inward side by side: rails with rungs, rings, trusses, nets. Fronts hold several bodies there; the
 * work grows with the number of loops. */
#include "closure/closure.h"
#include "closure/kinds.h"

/* ---- structures ------------------------------------------------------------------------------------- */

typedef struct structure {
    int rails;
    soa_joint_kind joint;
    bool bars; /* rungs are bodies that pins close; else distances */
    soa_closure_kind pin;
    bool diagonals, ring;
} structure;

static int add_bar(closed_kit *kit, soa_builder *b, const structure *s, int parent, double x, double z, bool rung)
{
    static int number;
    char name[16];
    int link_number = 0;
    (void)snprintf(name, sizeof name, "bar%d", number++);
    soa_link link = soa_link_default(name, parent, s->joint);
    link.joint.name = name;
    if (s->joint == SOA_REVOLUTE) {
        link.joint.axis[1] = 1.0, link.joint.axis[2] = 0.0;
    }
    link.joint.at.position[0] = x, link.joint.at.position[2] = z;
    link.inertia =
        (soa_inertia){ 1.0, { rung ? 0.3 : 0.0, 0.0, rung ? 0.0 : 0.25 }, { 0.05, 0.0, 0.0, 0.06, 0.0, 0.05 } };
    OK(kit, soa_builder_add_link(b, &link, &link_number, &kit->error));
    return link_number;
}

/* A pin about y between a point of link a and one of link b. */
static void add_pin(closed_kit *kit, soa_builder *b, const structure *s, int link_a, const double at_a[3], int link_b,
    const double at_b[3])
{
    soa_closure c = soa_closure_default("pin", s->pin, link_a, link_b);
    const double x[3] = { 1.0, 0.0, 0.0 };
    c.at_a = soa_pose_from_axis_angle(at_a, x, -1.5707963267948966);
    c.at_b = soa_pose_from_axis_angle(at_b, x, -1.5707963267948966);
    if (s->pin == SOA_CLOSE_GENERAL) {
        c.rows = 2;
        c.Q[0][3] = c.Q[1][4] = 1.0;
    }
    OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
}

static void add_distance(closed_kit *kit, soa_builder *b, int link_a, double z_a, int link_b, double z_b, double length)
{
    soa_closure c = soa_closure_default("rod", SOA_CLOSE_DISTANCE, link_a, link_b);
    c.at_a.position[2] = z_a, c.at_b.position[2] = z_b;
    c.distance = length;
    OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
}

static void add_bay(closed_kit *kit, soa_builder *b, const structure *s, int *last, int bay)
{
    const double end[3] = { 0.0, 0.0, 0.5 }, tip[3] = { 0.6, 0.0, 0.0 };
    for (int r = 0; r < s->rails; r++) {
        const int below = r > 0 ? last[r] : SOA_WORLD;
        last[r] = add_bar(kit, b, s, last[r], bay == 0 ? 0.6 * r : 0.0, bay == 0 ? 0.0 : 0.5, false);
        if (r > 0 && s->bars) {
            add_pin(kit, b, s, add_bar(kit, b, s, last[r - 1], 0.0, 0.5, true), tip, last[r], end);
        } else if (r > 0) {
            add_distance(kit, b, last[r - 1], 0.5, last[r], 0.5, 0.6);
        }
        if (r > 0 && s->diagonals) {
            const double foot = bay == 0 ? 0.0 : 0.5;
            add_distance(kit, b, last[r - 1], 0.5, bay == 0 ? last[r] : below, foot, sqrt(0.61));
        }
    }
}

static soa_model *build(closed_kit *kit, const structure *s, int bays)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    int last[16];
    for (int r = 0; r < s->rails; r++) {
        last[r] = SOA_WORLD;
    }
    for (int bay = 0; bay < bays; bay++) {
        add_bay(kit, b, s, last, bay);
    }
    for (int r = 0; s->ring && r < s->rails; r++) {
        const double end[3] = { 0.0, 0.0, 0.5 }, ground[3] = { 0.6 * r, 0.0, 0.5 * bays };
        add_pin(kit, b, s, last[r], end, SOA_WORLD, ground);
    }
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

static void begin(closed_kit *kit, const structure *s, int bays, soa_closed *closed)
{
    *kit = (closed_kit){ .seed = 3, .systems = 1 };
    kit->model[0] = build(kit, s, bays);
    kit_begin(kit, NULL);
    kit->set->plan.hold_above = 0;
    kit->set->plan.made = false;
    soa_model_neutral(kit->model[0], kit->q);
    for (int i = 0; i < kit->nv; i++) {
        kit->T[i] = some(kit);
    }
    OK(kit,
        soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, closed, &kit->error));
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static const structure structures[] = {
    { 2, SOA_SPHERICAL, false, SOA_CLOSE_GENERAL, false, false },   /* rails with rods */
    { 2, SOA_REVOLUTE, true, SOA_CLOSE_GENERAL, false, false },     /* a ladder of bars in the plane */
    { 2, SOA_REVOLUTE, true, SOA_CLOSE_SPHERICAL, false, false },   /* one row of each pin depends on others */
    { 2, SOA_REVOLUTE, true, SOA_CLOSE_REVOLUTE, false, false },    /* three of five do */
    { 2, SOA_REVOLUTE, true, SOA_CLOSE_GENERAL, false, true },      /* a ring */
    { 2, SOA_SPHERICAL, false, SOA_CLOSE_SPHERICAL, true, false },  /* a truss that may bend */
    { 2, SOA_REVOLUTE, false, SOA_CLOSE_GENERAL, true, false },     /* a truss in the plane, which cannot move */
    { 4, SOA_SPHERICAL, false, SOA_CLOSE_SPHERICAL, false, false }, /* a net */
};
enum { STRUCTURES = sizeof structures / sizeof *structures };

static void equals_the_dense_equations(void **state)
{
    (void)state;
    for (int i = 0; i < STRUCTURES; i++) {
        closed_kit kit;
        soa_closed closed;
        begin(&kit, &structures[i], 30, &closed);
        const int rows = closed.rows;
        assert_true(kit.set->plan.holds);
        double *vdot = calloc((size_t)(kit.nv + rows), sizeof *vdot);
        assert_int_equal(dense_solve(&kit, vdot, vdot + kit.nv), closed.rank);
        NEAR(kit.nv, kit.vdot, vdot, 1e-9);
        NEAR(rows, soa_closure_multipliers(kit.set), vdot + kit.nv, 1e-9);
        free(vdot);
        kit_end(&kit);
    }
}

static double bytes_per_bay(const structure *s, int bays)
{
    closed_kit kit;
    soa_closed closed;
    begin(&kit, s, bays, &closed);
    const double bytes = (double)kit.set->stack.used / bays;
    double *missed = calloc((size_t)closed.rows, sizeof *missed);
    const soa_closed_input in = { .q = kit.q, .v = kit.v };
    kit.set->table->locate(kit.set, &in);
    kit.set->table->accelerate(kit.set, &in, kit.vdot, missed);
    assert_true(largest(closed.rows, missed) < 1e-8 * fmax(1.0, largest(kit.nv, kit.vdot)));
    free(missed);
    kit_end(&kit);
    return bytes;
}

static void work_grows_with_the_loops(void **state)
{
    (void)state;
    for (int i = 0; i < STRUCTURES; i++) {
        const double few = bytes_per_bay(&structures[i], 50), many = bytes_per_bay(&structures[i], 400);
        assert_true(many < 1.5 * few); /* over three doublings */
    }
}

/* Random systems, made to hold bodies. */
static void any_system_may_hold(void **state)
{
    (void)state;
    int systems = 0;
    for (int n = 0; n < 400; n++) {
        closed_kit kit = { .seed = 5000ull + (unsigned)n, .systems = 1 + n % 4 };
        for (int s = 0; s < kit.systems; s++) {
            make_tree(&kit, s, 2 + some_of(&kit, 12 / kit.systems));
        }
        kit_begin(&kit, NULL);
        kit_state(&kit);
        kit.set->plan.hold_above = 0;
        for (int i = some_of(&kit, 5); i >= 0; i--) {
            if (soa_closures_rows(kit.set) + 7 < kit.nv) {
                (void)add_some(&kit, (soa_closure_kind)((n + i) % SOA_CLOSE_SLIDING));
            }
        }
        const int rows = soa_closures_rows(kit.set);
        double *vdot = calloc((size_t)(kit.nv + rows) + 1, sizeof *vdot);
        soa_closed closed;
        if (rows > 0 && dense_solve(&kit, vdot, vdot + kit.nv) == rows &&
            soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error) ==
                SOA_OK &&
            !closed.rounded) {
            systems += kit.set->plan.holds;
            NEAR(kit.nv, kit.vdot, vdot, 1e-11 * closed.condition);
            NEAR(rows, soa_closure_multipliers(kit.set), vdot + kit.nv, 1e-11 * closed.condition);
        }
        free(vdot);
        kit_end(&kit);
    }
    assert_true(systems > 100);
}

/* Bodies are held if more rows than hold_above are at one joint. An outer rail of a net hands its rows to the first bar of the next
 * one, whose second joint they then cross, but for those of the first bay, beside as many to the rail on the other side. */
static void holds_above_a_number_of_rows(void **state)
{
    (void)state;
    enum { BAYS = 100 };
    closed_kit kit;
    soa_closed closed;
    begin(&kit, &structures[7], BAYS, &closed);
    for (int fewer = 0; fewer < 2; fewer++) {
        kit.set->plan.hold_above = 2 * (BAYS - 1) - fewer;
        soa_plan_closures(kit.set);
        assert_int_equal(kit.set->plan.holds, fewer == 1);
    }
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_dense_equations),
        cmocka_unit_test(work_grows_with_the_loops),
        cmocka_unit_test(any_system_may_hold),
        cmocka_unit_test(holds_above_a_number_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
