/* Force elements: their laws by hand, shapes against balls, fields against planes, refusals. */
#include <stdlib.h>

#include "force_kit.h"

/* The forces of a set at the state of the kit. */
static double forces_of(kit *k, int count, const soa_force *force, double *f)
{
    double power;
    soa_forces_free(k->forces);
    make(k, count, force);
    const double energy = apply(k, k->q, k->v, &power);
    memcpy(f, k->f, sizeof k->f);
    return energy;
}

static void expect_same(const double *x, const double *y)
{
    const double size = largest(6 * MOST, x);
    assert_true(size > 1.0);
    for (int i = 0; i < 6 * MOST; i++) {
        assert_true(fabs(x[i] - y[i]) <= 1e-12 * size);
    }
}

/* Heights that rise evenly, away from the edges. */
static void fields_are_planes_that_lean(void **state)
{
    (void)state;
    kit k;
    double f[6 * MOST], plane[6 * MOST], slope[2];
    const double at[3] = { 0.0 }, level[3] = { 0.0 }, lean[3] = { atan(0.2 / sqrt(1.01)), -atan(0.1), 0.0 };
    begin(&k, "quadruped", 8);
    make_hills(0.0);
    assert_true(fabs(soa_height_field_at(&HILLS, 0.3, -0.7, slope) + 0.11) < 1e-15);
    assert_true(fabs(slope[0] - 0.1) < 1e-14 && fabs(slope[1] - 0.2) < 1e-14);
    assert_true(soa_height_field_at(&HILLS, 99.0, 99.0, slope) == HEIGHT[GRID * GRID - 1] && slope[0] == 0.0);
    soa_force e = random_force(&k, SOA_FORCE_CONTACT, SOA_WORLD);
    e.length = 3.0;
    e.b.at = soa_pose_from_rpy(at, level);
    e.field = &HILLS;
    const double stored = forces_of(&k, 1, &e, f);
    e.field = NULL;
    e.b.at = soa_pose_from_rpy(at, lean);
    assert_true(fabs(forces_of(&k, 1, &e, plane) / stored - 1.0) < 1e-12);
    expect_same(f, plane);
    end(&k);
}

/* Between heights the mean of the nearest two and their neighbours, 9 to -1 (Catmull and Rom); heights beyond an edge mirror
 * those before it, and where there are none the ground goes on level. */
static void fields_are_cubic_and_end_level(void **state)
{
    (void)state;
    enum { COLUMNS = 5, ROWS = 4 };
    double z[ROWS * COLUMNS], slope[2], edge[2];
    unsigned long long seed = 4;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        z[i] = soa_model_random_number(&seed);
    }
    for (int along = 0; along < 2; along++) { /* x, then y */
        const int count = along == 0 ? COLUMNS : ROWS, others = along == 0 ? ROWS : COLUMNS;
        const int step = along == 0 ? 1 : COLUMNS, next = along == 0 ? COLUMNS : 1;
        const soa_height_field f = { COLUMNS, ROWS, 1.0, -2.0, 0.5, 0.25, z };
        for (int o = 0; o < others; o++) {
            const double *row = z + o * next;
            for (int i = 0; i < count; i++) {
                const double x = 1.0 + 0.5 * (along == 0 ? i : o), y = -2.0 + 0.25 * (along == 0 ? o : i);
                assert_true(fabs(soa_height_field_at(&f, x, y, slope) - row[i * step]) < 1e-15);
                const double between = i + 1 < count
                                           ? 9.0 * (row[i * step] + row[(i + 1) * step]) - row[abs(i - 1) * step] -
                                                 row[(i + 2 < count ? i + 2 : i) * step]
                                           : 16.0 * row[i * step];
                const double half[2] = { along == 0 ? 0.25 : 0.0, along == 0 ? 0.0 : 0.125 };
                assert_true(fabs(soa_height_field_at(&f, x + half[0], y + half[1], NULL) - between / 16.0) < 1e-14);
            }
            for (int side = 0; side < 2; side++) {
                const double at = side == 0 ? 0.0 : count - 1.0, beyond = side == 0 ? -1.5 : count + 0.5;
                const double where[2] = { along == 0 ? 1.0 + 0.5 * at : 1.1 + 0.5 * o,
                    along == 0 ? -1.95 + 0.25 * o : -2.0 + 0.25 * at };
                const double there[2] = { along == 0 ? 1.0 + 0.5 * beyond : where[0],
                    along == 0 ? where[1] : -2.0 + 0.25 * beyond };
                const double height = soa_height_field_at(&f, where[0], where[1], edge);
                assert_true(soa_height_field_at(&f, there[0], there[1], slope) == height);
                assert_true(slope[along] == 0.0 && edge[along] == 0.0 && slope[1 - along] == edge[1 - along]);
            }
        }
    }
}

/* What acts between two links does not see how the whole moves. */
static void common_motions_are_not_seen(void **state)
{
    (void)state;
    static const soa_force_kind KIND[] = { SOA_FORCE_SPRING, SOA_FORCE_BUSHING, SOA_FORCE_CONTACT };
    kit k;
    begin(&k, "quadruped", 11); /* v begins with the motion of its trunk */
    for (int i = 0; i < 3; i++) {
        const soa_force e = random_force(&k, KIND[i], 2);
        double wrench[6], again[6];
        soa_forces_free(k.forces);
        make(&k, 1, &e);
        soa_force_report report = { .wrench = wrench };
        assert_int_equal(soa_forces_apply(k.forces, 0.0, k.q, k.v, k.T, k.f, &report, &k.error), SOA_OK);
        for (int j = 0; j < 6; j++) {
            k.v[j] += random_between(&k, -2, 2);
        }
        report.wrench = again;
        assert_int_equal(soa_forces_apply(k.forces, 0.0, k.q, k.v, k.T, k.f, &report, &k.error), SOA_OK);
        for (int j = 0; j < 6; j++) {
            assert_true(fabs(again[j] - wrench[j]) <= 1e-12 * largest(6, wrench));
        }
    }
    end(&k);
}

/* A ball joint behind others has turned by an angle: its spring stores stiffness angle^2 / 2. */
static void ball_springs_store_their_angle(void **state)
{
    (void)state;
    kit k;
    int behind = 0;
    begin(&k, "tree:12,5", 3);
    for (int b = 0; b < soa_model_bodies(k.model); b++) {
        const soa_body body = soa_model_body(k.model, b);
        if (body.kind == SOA_SPHERICAL) {
            soa_force e = soa_force_default("ball", SOA_FORCE_JOINT_SPRING);
            double power;
            const double *quaternion = k.q + body.q, angle = 2.0 * acos(fabs(quaternion[0]));
            e.link = body.link;
            e.stiffness = 7.0;
            soa_forces_free(k.forces);
            make(&k, 1, &e);
            assert_true(fabs(apply(&k, k.q, k.v, &power) - 3.5 * angle * angle) < 1e-12);
            behind += body.q > 0;
        }
    }
    assert_true(behind > 0);
    end(&k);
}

static void shapes_are_their_balls(void **state)
{
    (void)state;
    for (int i_shape = 0; i_shape < 2; i_shape++) {
        const soa_shape shape = i_shape == 0 ? SOA_SHAPE_CAPSULE : SOA_SHAPE_BOX;
        kit k;
        double f[6 * MOST], sum[6 * MOST];
        const double level[3] = { 0.0 };
        const int balls = shape == SOA_SHAPE_BOX ? 8 : 2;
        begin(&k, "quadruped", 9);
        soa_force e = random_force(&k, SOA_FORCE_CONTACT, SOA_WORLD), ball[8];
        e.shape = shape;
        e.size[0] = shape == SOA_SHAPE_BOX ? 0.4 : 0.0;
        e.size[1] = shape == SOA_SHAPE_BOX ? 0.6 : 0.0;
        e.size[2] = 0.8;
        for (int i = 0; i < balls; i++) {
            const int corner = shape == SOA_SHAPE_BOX ? i : 4 * i;
            const double at[3] = { (corner & 1 ? 0.5 : -0.5) * e.size[0], (corner & 2 ? 0.5 : -0.5) * e.size[1],
                (corner & 4 ? 0.5 : -0.5) * e.size[2] };
            const soa_pose place = soa_pose_from_rpy(at, level);
            ball[i] = e;
            ball[i].shape = SOA_SHAPE_SPHERE;
            ball[i].a.at = soa_pose_compose(&e.a.at, &place);
        }
        const double stored = forces_of(&k, 1, &e, f);
        assert_true(fabs(forces_of(&k, balls, ball, sum) / stored - 1.0) < 1e-12);
        expect_same(f, sum);
        end(&k);
    }
}

/* The depth of a ball is that of which its energy tells; a shape is as deep as its deepest ball; others have none. */
static void depths_follow_from_energies(void **state)
{
    (void)state;
    kit k;
    const double level[3] = { 0.0 };
    begin(&k, "quadruped", 10);
    make_hills(0.3);
    for (int field = 0; field < 2; field++) {
        double energy[4], depth[4], most = 0.0;
        soa_force e[4] = { random_force(&k, SOA_FORCE_CONTACT, 2) };
        e[0].field = field ? &HILLS : NULL;
        for (int i = 1; i < 3; i++) {
            const double at[3] = { 0.0, 0.0, i == 1 ? -0.4 : 0.4 };
            const soa_pose place = soa_pose_from_rpy(at, level);
            e[i] = e[0];
            e[i].a.at = soa_pose_compose(&e[0].a.at, &place);
        }
        e[0].shape = SOA_SHAPE_CAPSULE;
        e[0].size[2] = 0.8;
        e[3] = random_force(&k, SOA_FORCE_DRAG, SOA_WORLD);
        const soa_force_report report = { .energy = energy, .depth = depth };
        soa_forces_free(k.forces);
        make(&k, 4, e);
        assert_int_equal(soa_forces_apply(k.forces, 0.0, k.q, k.v, k.T, k.f, &report, &k.error), SOA_OK);
        for (int i = 1; i < 3; i++) {
            const double p = e[i].exponent + 1.0;
            assert_true(fabs(depth[i] - pow(energy[i] * p / e[i].stiffness, 1.0 / p)) < 1e-13 * depth[i]);
            most = fmax(most, depth[i]);
        }
        assert_true(most > 0.0 && (field ? depth[0] >= most : depth[0] == most) && depth[3] == 0.0);
    }
    end(&k);
}

/* Which elements have an energy alone, and that damping, friction and an end take it away. */
static void conservative_elements_are_told(void **state)
{
    (void)state;
    static const struct {
        soa_force_kind kind;
        size_t at; /* of a number that is positive; 0: none */
        bool yes;
    } cases[] = {
        { SOA_FORCE_SPRING, 0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, damping), false },
        { SOA_FORCE_SPRING, offsetof(soa_force, value), true },
        { SOA_FORCE_SPRING, offsetof(soa_force, damp[5]), true },
        { SOA_FORCE_SPRING, offsetof(soa_force, to), false },
        { SOA_FORCE_SPRING, offsetof(soa_force, from), false },
        { SOA_FORCE_BUSHING, 0, true },
        { SOA_FORCE_BUSHING, offsetof(soa_force, damp[5]), false },
        { SOA_FORCE_CONTACT, 0, true },
        { SOA_FORCE_CONTACT, offsetof(soa_force, value), false },
        { SOA_FORCE_JOINT_SPRING, 0, true },
        { SOA_FORCE_JOINT_LIMIT, 0, true },
        { SOA_FORCE_TORQUE, 0, false },
        { SOA_FORCE_DRAG, 0, false },
        { SOA_FORCE_WRENCH, 0, false },
        { SOA_FORCE_JOINT_DAMPER, 0, false },
        { SOA_FORCE_JOINT_FRICTION, 0, false },
        { SOA_FORCE_JOINT_STOP, 0, false },
    };
    kit k;
    begin(&k, "arm7", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = random_force(&k, cases[i].kind, SOA_WORLD);
        e.damping = e.value = 0.0;
        memset(e.damp, 0, sizeof e.damp);
        if (cases[i].at) {
            *(double *)((char *)&e + cases[i].at) = 1.0;
        }
        make(&k, 1, &e);
        assert_int_equal(soa_forces_conservative(k.forces, 0), cases[i].yes);
        assert_false(soa_forces_conservative(k.forces, 1));
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
    soa_flexible still; /* the same beams, first with their damping and then without it */
    begin(&k, "flexible-chain:2,3", 1);
    soa_force e = soa_force_default("bend", SOA_FORCE_ELASTIC);
    e.link = 1;
    make(&k, 1, &e);
    assert_false(soa_forces_conservative(k.forces, 0));
    soa_builder *b = soa_builder_new(NULL);
    soa_link link = *soa_model_link(k.model, 1);
    still = *link.flexible;
    still.damping = NULL;
    link.flexible = &still;
    link.parent = SOA_WORLD;
    link.node = 0;
    e.link = 0;
    soa_model *free_of_it;
    soa_forces *forces;
    assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &free_of_it, NULL), SOA_OK);
    assert_int_equal(soa_forces_new(free_of_it, 1, &e, NULL, &forces, NULL), SOA_OK);
    assert_true(soa_forces_conservative(forces, 0));
    soa_forces_free(forces);
    soa_model_free(free_of_it);
    soa_builder_free(b);
    end(&k);
    assert_string_equal(soa_force_kind_meaning(SOA_FORCE_KINDS), "");
    assert_true(soa_force_kind_meaning(SOA_FORCE_SPRING)[0] != '\0');
}

/* A joint of many coordinates takes no torque, limit, stop or dry friction, a free one no spring, a rigid link no modes. */
static void joints_take_what_fits(void **state)
{
    (void)state;
    static const struct {
        soa_force_kind kind;
        bool stick;
        soa_status status;
    } cases[] = { { SOA_FORCE_JOINT_SPRING, false, SOA_E_UNSUPPORTED }, { SOA_FORCE_TORQUE, false, SOA_E_UNSUPPORTED },
        { SOA_FORCE_JOINT_LIMIT, false, SOA_E_UNSUPPORTED }, { SOA_FORCE_JOINT_STOP, false, SOA_E_UNSUPPORTED },
        { SOA_FORCE_JOINT_FRICTION, true, SOA_E_UNSUPPORTED }, { SOA_FORCE_JOINT_FRICTION, false, SOA_OK },
        { SOA_FORCE_JOINT_DAMPER, false, SOA_OK }, { SOA_FORCE_ELASTIC, false, SOA_E_NAME } };
    kit k;
    begin(&k, "satellite", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = soa_force_default("x", cases[i].kind);
        e.stick = cases[i].stick;
        e.link = soa_model_body(k.model, 0).link; /* a free joint carries it */
        assert_int_equal(soa_forces_new(k.model, 1, &e, NULL, &k.forces, &k.error), cases[i].status);
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
}

static void expect_refusal(kit *k, soa_force e, soa_status status)
{
    soa_forces *forces = NULL;
    assert_int_equal(soa_forces_new(k->model, 1, &e, NULL, &forces, &k->error), status);
    assert_null(forces);
    assert_true(k->error.text[0] != '\0' && k->error.body == -1);
}

static void bad_elements_are_refused(void **state)
{
    (void)state;
    kit k;
    begin(&k, "arm7", 1);
    soa_force e = random_force(&k, SOA_FORCE_SPRING, 0);
    const int beyond[] = { SOA_WORLD - 1, soa_model_links(k.model) };
    for (int i = 0; i < 4; i++) {
        soa_force out = e;
        *(i % 2 ? &out.a.link : &out.b.link) = beyond[i / 2];
        expect_refusal(&k, out, SOA_E_NAME);
        out = e;
        *(i % 2 ? &out.a.node : &out.b.node) = 1;
        expect_refusal(&k, out, SOA_E_NAME);
    }
    e = soa_force_default("x", SOA_FORCE_TORQUE);
    expect_refusal(&k, e, SOA_E_NAME);
    const double t[] = { 0.0, 0.0 }, x[] = { 1.0, 2.0 };
    e.link = soa_model_body(k.model, 0).link;
    e.table = (soa_series){ 2, t, x };
    expect_refusal(&k, e, SOA_E_NUMBER);
    e = random_force(&k, SOA_FORCE_CONTACT, SOA_WORLD);
    e.size[1] = -1.0;
    expect_refusal(&k, e, SOA_E_NUMBER);
    e.size[1] = 0.0;
    e.shape = SOA_SHAPE_MESH;
    expect_refusal(&k, e, SOA_E_NUMBER);
    const double heights[] = { 0.0, 1.0, 2.0, NAN };
    soa_height_field field = { 2, 2, 0.0, 0.0, 1.0, 1.0, heights };
    e.shape = SOA_SHAPE_SPHERE;
    e.field = &field;
    expect_refusal(&k, e, SOA_E_NUMBER);
    field.rows = 1;
    expect_refusal(&k, e, SOA_E_NUMBER);
    e = soa_force_default("x", (soa_force_kind)99);
    expect_refusal(&k, e, SOA_E_ARGUMENT);
    e = random_force(&k, SOA_FORCE_SPRING, 0);
    e.b = e.a;
    make(&k, 1, &e);
    assert_int_equal(soa_forces_apply(k.forces, 0.0, k.q, k.v, k.T, k.f, NULL, &k.error), SOA_E_SINGULAR);
    end(&k);
}

/* Each number alone beyond what it may be, and at its bounds. */
static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        soa_force_kind kind;
        size_t at;
        double value;
        bool good;
    } cases[] = {
        { SOA_FORCE_SPRING, offsetof(soa_force, stiffness), 0.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, stiffness), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, damping), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, length), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, length), INFINITY, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, reference), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, wrench[5]), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, hold[5]), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, damp[5]), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, lower), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, upper), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, from), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, to), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, exponent), 1.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, exponent), 0.9, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, holding), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, holding), INFINITY, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, restitution), 1.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, restitution), 1.1, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, restitution), -0.1, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, lower), 9.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, lower), 9.1, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, value), -1.0, true },
        { SOA_FORCE_CONTACT, offsetof(soa_force, value), -1.0, false },
        { SOA_FORCE_JOINT_FRICTION, offsetof(soa_force, value), -1.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, value), 0.0, true },
        { SOA_FORCE_CONTACT, offsetof(soa_force, speed), 0.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, size[0]), -1.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, size[2]), -1.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, size[1]), INFINITY, false },
    };
    kit k;
    begin(&k, "arm7", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = random_force(&k, cases[i].kind, SOA_WORLD); /* upper is 9 */
        *(double *)((char *)&e + cases[i].at) = cases[i].value;
        if (cases[i].good) {
            make(&k, 1, &e);
            soa_forces_free(k.forces);
            k.forces = NULL;
        } else {
            expect_refusal(&k, e, SOA_E_NUMBER);
        }
    }
    end(&k);
}

/* The laws of soa/force.h by hand, at q = 0.7, v = -0.4. */
static void joint_laws_have_their_values(void **state)
{
    (void)state;
    kit k;
    begin(&k, "pendulum", 1);
    const int link = soa_model_body(k.model, 0).link;
    const struct {
        soa_force e;
        double T, energy;
    } cases[] = {
        { { .kind = SOA_FORCE_TORQUE, .value = 3.0 }, 3.0, 0.0 },
        { { .kind = SOA_FORCE_JOINT_SPRING, .stiffness = 10.0, .reference = 0.2 }, -5.0, 1.25 },
        { { .kind = SOA_FORCE_JOINT_DAMPER, .damping = 2.0 }, 0.8, 0.0 },
        { { .kind = SOA_FORCE_JOINT_FRICTION, .value = 3.0, .speed = 0.3 }, 2.4, 0.0 },
        { { .kind = SOA_FORCE_JOINT_LIMIT, .lower = -1.0, .upper = 0.5, .stiffness = 10.0, .damping = 0.25 }, -1.8,
            0.2 },
        { { .kind = SOA_FORCE_JOINT_LIMIT, .lower = 1.0, .upper = 2.0, .stiffness = 10.0, .damping = 0.25 }, 3.3,
            0.45 },
        { { .kind = SOA_FORCE_JOINT_LIMIT, .lower = 0.5, .upper = 1.0, .stiffness = 10.0, .damping = 0.25 }, 0.0, 0.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = cases[i].e;
        double power;
        e.link = link;
        e.exponent = 1.5, e.from = -INFINITY, e.to = INFINITY;
        make(&k, 1, &e);
        assert_true(fabs(apply(&k, (double[]){ 0.7 }, (double[]){ -0.4 }, &power) - cases[i].energy) < 1e-14);
        assert_true(fabs(k.T[0] - cases[i].T) < 1e-14 && fabs(power + 0.4 * k.T[0]) < 1e-14);
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
}

/* The same at points: a free body at (0.3, 0.4, 0), turned about z by a right angle, moves with (1, 2, 2) m/s. */
static void point_laws_have_their_values(void **state)
{
    (void)state;
    kit k;
    begin(&k, "satellite", 1);
    const double half = sqrt(0.5), q[MOST] = { half, 0.0, 0.0, half, 0.3, 0.4, 0.0 };
    const struct {
        soa_force e;
        double w, wrench[6], energy; /* w: angular velocity about z */
    } cases[] = {
        { { .kind = SOA_FORCE_DRAG, .damping = 2.0, .value = 0.5 }, 0.0, { 0, 0, 0, -3.5, -7.0, -7.0 }, 0.0 },
        { { .kind = SOA_FORCE_WRENCH, .wrench = { 1, 2, 3, 4, 5, 6 } }, 0.0, { 1, 2, 3, 4, 5, 6 }, 0.0 },
        { { .kind = SOA_FORCE_WRENCH, .wrench = { 1, 2, 3, 4, 5, 6 }, .in_body = true }, 0.0, { -2, 1, 3, -5, 4, 6 },
            0.0 },
        { { .kind = SOA_FORCE_SPRING, .stiffness = 10.0, .length = 0.1, .damping = 2.0 }, 0.0,
            { 0, 0, 0, -5.04, -6.72, 0.0 }, 0.8 },
        { { .kind = SOA_FORCE_BUSHING, .hold = { 1, 2, 0, 4, 5, 6 }, .damp = { 1, 2, 3, 0.1, 0.2, 0.3 } }, 0.5,
            { 0, 0, -1.5, -1.3, -2.4, -0.6 }, 0.58 },
        { { .kind = SOA_FORCE_CONTACT,
              .shape = SOA_SHAPE_SPHERE,
              .length = 1.0,
              .stiffness = 10.0,
              .exponent = 1.5,
              .damping = 0.2,
              .value = 0.6,
              .speed = 2.0 },
            0.0, { -0.8, 0.4, 0, -0.8, -1.6, 4.0 }, 4.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = cases[i].e;
        double v[MOST] = { 0, 0, cases[i].w, 2.0, -1.0, 2.0 }, wrench[6], energy; /* in the axes of the body */
        e.a = (soa_point){ soa_model_body(k.model, 0).link, soa_pose_identity() };
        e.b = (soa_point){ SOA_WORLD, soa_pose_identity() };
        e.exponent = 1.5, e.from = -INFINITY, e.to = INFINITY;
        make(&k, 1, &e);
        const soa_force_report report = { .energy = &energy, .wrench = wrench };
        assert_int_equal(soa_forces_apply(k.forces, 0.0, q, v, k.T, k.f, &report, &k.error), SOA_OK);
        assert_true(fabs(energy - cases[i].energy) < 1e-14);
        for (int j = 0; j < 6; j++) {
            assert_true(fabs(wrench[j] - cases[i].wrench[j]) < 1e-14);
        }
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
}

static void series_are_joined_by_lines(void **state)
{
    (void)state;
    const double t[] = { 0.0, 1.0, 3.0 }, x[] = { 1.0, 2.0, -2.0 };
    const soa_series s = { 3, t, x };
    assert_true(soa_series_at(&s, -1.0) == 1.0 && soa_series_at(&s, 5.0) == -2.0);
    assert_true(soa_series_at(&s, 0.5) == 1.5 && soa_series_at(&s, 2.0) == 0.0 && soa_series_at(&s, 1.0) == 2.0);
}

/* A torque over time of which one number is known is that number, whatever its value says. */
static void one_number_is_a_table(void **state)
{
    (void)state;
    kit k;
    const double t = 2.0, x = 5.0;
    begin(&k, "arm7", 1);
    soa_force e = soa_force_default("motor", SOA_FORCE_TORQUE);
    e.link = soa_model_body(k.model, 0).link;
    e.value = 3.0;
    e.table = (soa_series){ 1, &t, &x };
    make(&k, 1, &e);
    assert_int_equal(soa_forces_apply(k.forces, 0.0, k.q, k.v, k.T, NULL, NULL, &k.error), SOA_OK);
    assert_true(k.T[0] == 5.0);
    end(&k);
}

/* What is missing in a call is said. */
static void incomplete_calls_are_refused(void **state)
{
    (void)state;
    kit k;
    begin(&k, "arm7", 1);
    const soa_force e = random_force(&k, SOA_FORCE_DRAG, SOA_WORLD);
    make(&k, 1, &e);
    soa_forces *made = NULL;
    double *q = k.q, *v = k.v, *T = k.T, *f = k.f, x[7 * 14 * 3];
#define MISSING(call)                                                           \
    assert_int_equal(call, SOA_E_ARGUMENT);                                     \
    assert_true(k.error.text[0] != '\0' && made == NULL && k.error.body == -1); \
    soa_error_clear(&k.error)
    MISSING(soa_forces_new(NULL, 1, &e, NULL, &made, &k.error));
    MISSING(soa_forces_new(k.model, 1, &e, NULL, NULL, &k.error));
    MISSING(soa_forces_new(k.model, 1, NULL, NULL, &made, &k.error));
    MISSING(soa_forces_new(k.model, -1, &e, NULL, &made, &k.error));
    MISSING(soa_forces_apply(NULL, 0.0, q, v, T, f, NULL, &k.error));
    MISSING(soa_forces_apply(k.forces, 0.0, NULL, v, T, f, NULL, &k.error));
    MISSING(soa_forces_apply(k.forces, 0.0, q, NULL, T, f, NULL, &k.error));
    MISSING(soa_forces_apply(k.forces, 0.0, q, v, NULL, f, NULL, &k.error));
    MISSING(soa_forces_apply(k.forces, 0.0, q, v, T, NULL, NULL, &k.error));
    MISSING(soa_forces_derivatives(NULL, 0.0, q, v, x, x, &k.error));
    MISSING(soa_forces_derivatives(k.forces, 0.0, NULL, v, x, x, &k.error));
    MISSING(soa_forces_derivatives(k.forces, 0.0, q, NULL, x, x, &k.error));
    MISSING(soa_forces_derivatives(k.forces, 0.0, q, v, NULL, x, &k.error));
    MISSING(soa_forces_derivatives(k.forces, 0.0, q, v, x, NULL, &k.error));
    MISSING(soa_forces_linear(NULL, 0.0, q, v, x, x, NULL, x, &k.error));
    MISSING(soa_forces_linear(k.forces, 0.0, q, v, NULL, x, NULL, x, &k.error));
    MISSING(soa_forces_linear(k.forces, 0.0, q, v, x, NULL, NULL, x, &k.error));
    MISSING(soa_forces_linear(k.forces, 0.0, q, v, x, x, NULL, NULL, &k.error));
#undef MISSING
    end(&k);
}

/* Elements are found by name, and asked; what is no element is said. */
static void elements_are_found(void **state)
{
    (void)state;
    kit k;
    begin(&k, "arm7", 1);
    soa_force e[2] = { random_force(&k, SOA_FORCE_SPRING, 0), random_force(&k, SOA_FORCE_DRAG, 0) };
    e[0].name = "rope", e[1].name = NULL;
    make(&k, 2, e);
    assert_int_equal(soa_forces_find(k.forces, "rope"), 0);
    assert_int_equal(soa_forces_find(k.forces, "chain"), -1);
    assert_int_equal(soa_forces_find(k.forces, NULL), -1);
    assert_true(soa_forces_enabled(k.forces, 0));
    assert_int_equal(soa_forces_enable(k.forces, 0, false, &k.error), SOA_OK);
    assert_false(soa_forces_enabled(k.forces, 0));
    assert_false(soa_forces_enabled(k.forces, 2));
    assert_int_equal(soa_forces_enable(k.forces, 2, true, &k.error), SOA_E_ARGUMENT);
    assert_string_equal(k.error.text, "force 2 does not exist");
    end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_planes_that_lean),
        cmocka_unit_test(fields_are_cubic_and_end_level),
        cmocka_unit_test(common_motions_are_not_seen),
        cmocka_unit_test(ball_springs_store_their_angle),
        cmocka_unit_test(shapes_are_their_balls),
        cmocka_unit_test(depths_follow_from_energies),
        cmocka_unit_test(conservative_elements_are_told),
        cmocka_unit_test(joints_take_what_fits),
        cmocka_unit_test(bad_elements_are_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(joint_laws_have_their_values),
        cmocka_unit_test(point_laws_have_their_values),
        cmocka_unit_test(one_number_is_a_table),
        cmocka_unit_test(incomplete_calls_are_refused),
        cmocka_unit_test(elements_are_found),
        cmocka_unit_test(series_are_joined_by_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
