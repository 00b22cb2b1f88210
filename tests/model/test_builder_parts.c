/* What a builder takes beside links, what finish refuses of it, and that memory may end anywhere. */
#include "two_links.h"

static soa_builder *builder_of_two(void)
{
    const two t = two_links();
    soa_builder *b = soa_builder_new(NULL);
    assert_int_equal(soa_builder_add_link(b, &t.base, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &t.arm, NULL, NULL), SOA_OK);
    return b;
}

/* Finishes and frees the builder; NULL words: must succeed. */
static void expect_finish(soa_builder *b, soa_status status, const char *words)
{
    soa_error error;
    soa_model *model;
    assert_int_equal(soa_builder_finish(b, &model, &error), status);
    if (words) {
        assert_null(model);
        assert_non_null(strstr(error.text, words));
    }
    soa_model_free(model);
    soa_builder_free(b);
}

static void frames_are_checked(void **state)
{
    (void)state;
    soa_error error;
    soa_builder *b = builder_of_two();
    soa_frame frame = soa_frame_default("tool", 1);
    assert_int_equal(soa_builder_add_frame(b, &frame, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_frame(b, &frame, NULL, &error), SOA_E_NAME);
    assert_int_equal(soa_builder_find_frame(b, "tool"), 0);
    assert_int_equal(soa_builder_find_frame(b, "hand"), SOA_NONE);
    frame = soa_frame_default("wrist", 5);
    assert_int_equal(soa_builder_add_frame(b, &frame, NULL, &error), SOA_OK);
    expect_finish(b, SOA_E_NAME, "its link 5 does not exist");
    b = builder_of_two();
    frame.link = SOA_WORLD;
    frame.at.position[0] = NAN;
    assert_int_equal(soa_builder_add_frame(b, &frame, NULL, &error), SOA_OK);
    expect_finish(b, SOA_E_ARGUMENT, "frame 'wrist': its placement");
}

static void couplings_are_checked(void **state)
{
    (void)state;
    static const struct {
        soa_coupling first, second;
        const char *words;
    } cases[] = {
        { { .link = 1, .driver = 0, .coefficient = { 0, 2 } }, { .link = -2 }, NULL },
        { { .link = 1, .driver = -1, .coefficient = { 0.5 } }, { .link = -2 }, NULL },
        { { .link = 1, .driver = 1 }, { .link = -2 }, "is coupled to itself" },
        { { .link = 9, .driver = 0 }, { .link = -2 }, "link 9 does not exist" },
        { { .link = 1, .driver = 0, .coefficient = { NAN } }, { .link = -2 }, "must be finite" },
        { { .link = 1, .driver = 0 }, { .link = 1, .driver = 0 }, "is coupled twice" },
        { { .link = 1, .driver = 0 }, { .link = 0, .driver = 1 }, "follows itself through its couplings" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        soa_builder *b = builder_of_two();
        assert_int_equal(soa_builder_add_coupling(b, &cases[i].first, NULL, NULL), SOA_OK);
        if (cases[i].second.link > -2) {
            assert_int_equal(soa_builder_add_coupling(b, &cases[i].second, NULL, NULL), SOA_OK);
        }
        const soa_status status = !cases[i].words                        ? SOA_OK
                                  : isnan(cases[i].first.coefficient[0]) ? SOA_E_NUMBER
                                                                         : SOA_E_COUPLING;
        expect_finish(b, status, cases[i].words);
    }
    soa_builder *b = builder_of_two();
    soa_link ball = heavy("ball", 1, "socket");
    ball.joint = soa_joint_default("socket", SOA_SPHERICAL);
    assert_int_equal(soa_builder_add_link(b, &ball, NULL, NULL), SOA_OK);
    const soa_coupling coupling = { .link = 1, .driver = 2 };
    assert_int_equal(soa_builder_add_coupling(b, &coupling, NULL, NULL), SOA_OK);
    expect_finish(b, SOA_E_COUPLING, "joint 'socket': is spherical and cannot be coupled");
}

static void closures_are_checked(void **state)
{
    (void)state;
    static const struct {
        soa_closure c;
        const char *words; /* NULL: it is accepted */
    } cases[] = {
        { { .kind = SOA_CLOSE_RIGID }, NULL },
        { { .kind = SOA_CLOSURE_KINDS }, "does not exist" },
        { { .kind = SOA_CLOSE_RIGID, .b = 4 }, "does not exist" },
        { { .kind = SOA_CLOSE_RIGID, .b = 1 }, "joins a link to itself" },
        { { .kind = SOA_CLOSE_RIGID, .at_a.position = { 0.0, NAN } }, "a placement is not" },
        { { .kind = SOA_CLOSE_RIGID, .distance = INFINITY }, "must be finite and not negative" },
        { { .kind = SOA_CLOSE_RIGID, .friction = -0.1 }, "must be finite and not negative" },
        { { .kind = SOA_CLOSE_SOFT_FINGER, .twist = -0.1 }, "twist must be finite" },
        { { .kind = SOA_CLOSE_SOFT_FINGER, .twist = INFINITY }, "twist must be finite" },
        { { .kind = SOA_CLOSE_DISTANCE }, "a distance must be positive" },
        { { .kind = SOA_CLOSE_GENERAL }, "1 to 6 rows of Q" },
        { { .kind = SOA_CLOSE_GENERAL, .rows = 7 }, "1 to 6 rows of Q" },
        { { .kind = SOA_CLOSE_GENERAL,
              .rows = 6,
              .Q = { { 1 }, { 0, 1 }, { 0, 0, 1 }, { 0, 0, 0, 1 }, { 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, -1 } } },
            NULL },
        { { .kind = SOA_CLOSE_GENERAL, .rows = 2, .Q = { { 1 }, { 0 } } }, "a row of Q is zero" },
        { { .kind = SOA_CLOSE_GENERAL, .rows = 1, .Q = { { 1, 0, NAN } } }, "must be finite" },
        { { .kind = SOA_CLOSE_SLIDING, .slip = { 1.0, 1.0, 0.0 } }, NULL },
        { { .kind = SOA_CLOSE_SLIDING, .slip = { 1.0, 0.0, 1e-8 } }, "slip must be a direction" },
        { { .kind = SOA_CLOSE_SLIDING, .slip = { 1.0, 0.0, 1e-10 } }, NULL }, /* but for rounding */
        { { .kind = SOA_CLOSE_SLIDING, .slip = { 0.0, 1.0, 1e-10 } }, NULL },
        { { .kind = SOA_CLOSE_SLIDING, .slip = { 0.0, NAN, 0.0 } }, "slip must be a direction" },
        { { .kind = SOA_CLOSE_SLIDING, .slip = { NAN, 0.0, 0.0 } }, "slip must be a direction" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_closure c = cases[i].c;
        c.name = "loop";
        c.a = 1;
        c.b = c.b ? c.b : SOA_WORLD;
        memcpy(c.at_a.rotation, soa_pose_identity().rotation, sizeof c.at_a.rotation);
        c.at_b = soa_pose_identity();
        soa_builder *b = builder_of_two();
        assert_int_equal(soa_builder_add_closure(b, &c, NULL, NULL), SOA_OK);
        expect_finish(b, cases[i].words ? SOA_E_CLOSURE : SOA_OK, cases[i].words);
    }
    assert_int_equal(soa_closure_kind_rows(SOA_CLOSE_REVOLUTE), 5);
    assert_int_equal(soa_closure_kind_rows(SOA_CLOSURE_KINDS), 0);
    assert_string_equal(soa_closure_kind_text(SOA_CLOSURE_KINDS), "unknown closure");
    assert_int_equal(soa_closure_kind_find("soft-finger"), SOA_CLOSE_SOFT_FINGER);
    assert_int_equal(soa_closure_kind_find("glue"), SOA_CLOSURE_KINDS);
    assert_int_equal(soa_closure_kind_find(NULL), SOA_CLOSURE_KINDS);
}

/* What a kind does not use is not ignored in silence. */
static void closures_tell_what_is_not_used(void **state)
{
    (void)state;
    static const struct {
        soa_closure c;
        const char *words; /* NULL: no warning */
    } cases[] = {
        { { .kind = SOA_CLOSE_RIGID, .friction = 0.5 }, "a rigid closure has no friction (unless it is one_sided)" },
        { { .kind = SOA_CLOSE_RIGID, .friction = 0.5, .one_sided = true }, NULL },
        { { .kind = SOA_CLOSE_SPHERICAL, .friction = 0.5 }, "a spherical closure has no friction; it is not used" },
        { { .kind = SOA_CLOSE_PLANE, .one_sided = true }, "no one_sided" },
        { { .kind = SOA_CLOSE_POINT, .friction = 0.5 }, NULL },
        { { .kind = SOA_CLOSE_POINT, .twist = 0.5 }, "no twist" },
        { { .kind = SOA_CLOSE_SOFT_FINGER, .twist = 0.5 }, NULL },
        { { .kind = SOA_CLOSE_REVOLUTE, .distance = 0.5 }, "no distance" },
        { { .kind = SOA_CLOSE_DISTANCE, .distance = 0.5 }, NULL },
        { { .kind = SOA_CLOSE_POINT, .slip = { 1.0, 0.0, 0.0 } }, "no slip" },
        { { .kind = SOA_CLOSE_SLIDING, .slip = { 1.0, 0.0, 0.0 } }, NULL },
        { { .kind = SOA_CLOSE_RIGID, .rows = 1 }, "no Q" },
        { { .kind = SOA_CLOSE_RIGID, .nonholonomic = true }, "no nonholonomic" },
        { { .kind = SOA_CLOSE_LINE, .friction = 0.5 }, "a line closure has no friction" },
        { { .kind = SOA_CLOSE_POINT, .slip = { 0.0, 0.0, 1.0 } }, "no slip" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        soa_closure c = cases[i].c;
        soa_model *model;
        soa_error error;
        c.name = "loop", c.a = 1, c.b = SOA_WORLD;
        c.at_a = c.at_b = soa_pose_identity();
        soa_builder *b = builder_of_two();
        assert_int_equal(soa_builder_add_closure(b, &c, NULL, NULL), SOA_OK);
        assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
        assert_int_equal(soa_model_warnings(model), cases[i].words ? 1 : 0);
        if (cases[i].words) {
            assert_non_null(strstr(soa_model_warning(model, 0)->text, cases[i].words));
        }
        soa_model_free(model);
        soa_builder_free(b);
    }
}

static void geometries_are_checked(void **state)
{
    (void)state;
    static const struct {
        soa_geometry g;
        const char *words; /* NULL: it is taken */
    } cases[] = {
        { { .link = 1, .shape = SOA_SHAPE_BOX, .size = { 1, 2, 3 } }, NULL },
        { { .link = SOA_WORLD, .shape = SOA_SHAPE_SPHERE, .size = { 1, NAN, -1 }, .name = "ball", .material = "red" },
            NULL },
        { { .link = 1, .shape = SOA_SHAPE_MESH, .size = { 1, -1, 1 }, .mesh = "arm.stl" }, NULL },
        { { .link = 5, .shape = SOA_SHAPE_BOX, .size = { 1, 1, 1 } }, "its link does not exist" },
        { { .link = 0, .shape = SOA_SHAPES }, "its shape does not exist" },
        { { .link = 0, .shape = SOA_SHAPE_BOX, .size = { 1, NAN, 1 } }, "negative or not finite" },
        { { .link = 0, .shape = SOA_SHAPE_BOX, .size = { 1, -1, 1 } }, "negative or not finite" },
        { { .link = 0, .shape = SOA_SHAPE_BOX, .size = { 1, 1, 1 }, .colored = true, .color = { NAN } },
            "negative or not finite" },
        { { .link = 0, .shape = SOA_SHAPE_BOX, .size = { 1, 1, 1 }, .at.position = { INFINITY } },
            "its placement is not" },
        { { .link = 0, .shape = SOA_SHAPE_BOX, .size = { 1, 1, 1 }, .mesh = "arm.stl" }, "needs the name of a file" },
        { { .link = 0, .shape = SOA_SHAPE_MESH, .size = { 1, 1, 1 }, .mesh = "" }, "needs the name of a file" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        soa_geometry g = cases[i].g;
        soa_builder *b = builder_of_two();
        memcpy(g.at.rotation, soa_pose_identity().rotation, sizeof g.at.rotation);
        assert_int_equal(soa_builder_add_geometry(b, &g, NULL, NULL), SOA_OK);
        expect_finish(b, cases[i].words ? SOA_E_ARGUMENT : SOA_OK, cases[i].words);
    }
    for (int shape = 0; shape <= SOA_SHAPES; shape++) {
        assert_int_equal(soa_shape_find(soa_shape_text((soa_shape)shape)), shape);
    }
    assert_int_equal(soa_shape_find(NULL), SOA_SHAPES);
    assert_int_equal(soa_shape_sizes(SOA_SHAPES), 0);
}

/* Links without mass at the ends of a tree: one line each, and one for all if they are many. */
static void massless_joints_are_told(void **state)
{
    (void)state;
    for (int leaves = 1; leaves < 40; leaves += 38) {
        soa_builder *b = builder_of_two();
        soa_model *model;
        for (int i = 0; i < leaves; i++) {
            char name[16];
            snprintf(name, sizeof name, "leaf%d", i);
            const soa_link leaf = soa_link_default(name, 1, SOA_REVOLUTE);
            assert_int_equal(soa_builder_add_link(b, &leaf, NULL, NULL), SOA_OK);
        }
        assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
        assert_int_equal(soa_model_warnings(model), 1);
        assert_non_null(strstr(soa_model_warning(model, 0)->text,
            leaves == 1 ? "link 'leaf0': its joint moves nothing" : "39 joints move nothing"));
        soa_model_free(model);
        soa_builder_free(b);
    }
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Texts of some length, so that blocks of the arena end at different items. */
static int text_length;

static const char *text_of(int number)
{
    static char text[32][20000];
    memset(text[number], 'a' + number, (size_t)text_length);
    text[number][text_length] = '\0';
    return text[number];
}

static const char *name_of(int number)
{
    const char *text = text_of(number);
    return text + (text_length > 1000 ? text_length - 1000 : 0);
}

/* Every kind of item, each text in a block of its own; then the model again with another gravity and on a free joint. */
static soa_status make_all(const soa_allocator *allocator, soa_model *made[3])
{
    const double q[2] = { 0.1, 0.2 }, v[2] = { 0.3, 0.4 }, gravity[3] = { 0, 0, -1 };
    soa_builder *b = soa_builder_new(allocator);
    if (!b) {
        return SOA_E_MEMORY;
    }
    soa_link base = heavy(name_of(0), SOA_WORLD, name_of(1)), arm = heavy(name_of(2), 0, name_of(3)),
             hand = heavy(name_of(21), 1, name_of(22));
    base.joint.kind = SOA_FIXED;
    soa_frame frame = soa_frame_default(name_of(4), 1);
    soa_coupling coupling = {
        .name = name_of(5), .link = 2, .driver = 1, .coefficient = { 0, 2 }, .source = { text_of(6), 1 }
    };
    soa_closure closure = soa_closure_default(name_of(7), SOA_CLOSE_RIGID, 1, SOA_WORLD);
    soa_geometry geometry = soa_geometry_default(1, SOA_SHAPE_MESH);
    base.source.file = text_of(8), base.joint.source.file = text_of(9), base.inertia_source.file = text_of(10);
    frame.source.file = text_of(11), closure.source.file = text_of(12), closure.friction = 0.5;
    geometry.name = name_of(13), geometry.mesh = text_of(14), geometry.material = text_of(15),
    geometry.source.file = text_of(16);
    soa_status status = soa_builder_set_name(b, name_of(17), NULL);
    status = status ? status : soa_builder_add_link(b, &base, NULL, NULL);
    status = status ? status : soa_builder_add_link(b, &arm, NULL, NULL);
    status = status ? status : soa_builder_add_link(b, &hand, NULL, NULL);
    status = status ? status : soa_builder_add_frame(b, &frame, NULL, NULL);
    status = status ? status : soa_builder_add_coupling(b, &coupling, NULL, NULL);
    status = status ? status : soa_builder_add_closure(b, &closure, NULL, NULL);
    status = status ? status : soa_builder_add_geometry(b, &geometry, NULL, NULL);
    status = status ? status : soa_builder_add_configuration(b, name_of(18), 2, q, 2, v, NULL);
    status = status ? status : soa_builder_warn(b, (soa_source){ text_of(19), 1 }, NULL, "%s", "a remark");
    arm.joint.name = name_of(20), arm.name = name_of(2);
    status = status ? status : soa_builder_set_link(b, 1, &arm, NULL);
    status = status ? status : soa_builder_finish(b, &made[0], NULL);
    soa_builder_free(b);
    status = status ? status : soa_model_with_gravity(made[0], gravity, &made[1], NULL);
    return status ? status : soa_model_free_base(made[0], &made[2], NULL);
}

static void memory_ends_anywhere(void **state)
{
    (void)state;
    static const int lengths[] = { 3, 700, 1500, 3000, 5000, 9000, 17000 };
    soa_status status = SOA_E_MEMORY;
    for (int n = 0, kind = 0; kind < 14; kind += status == SOA_OK, n = status == SOA_OK ? 0 : n + 1) {
        soa_model *made[3] = { NULL };
        counting c;
        text_length = lengths[kind / 2];
        const soa_allocator allocator = counting_on(&c, n);
        c.once = kind % 2 == 1; /* this block alone is refused, or all after it too */
        status = make_all(&allocator, made);
        assert_int_equal(status, c.refused == 0 ? SOA_OK : SOA_E_MEMORY);
        for (int i = 0; i < 3; i++) {
            soa_model_free(made[i]);
        }
        assert_int_equal(c.open, 0);
        assert_true(n < 1000);
    }
}

static void configurations_follow_the_bodies(void **state)
{
    (void)state;
    soa_error error;
    /* tip (ball) is added before its parent: bodies are ordered base, tip. */
    soa_builder *b = soa_builder_new(NULL);
    soa_link tip = heavy("tip", 1, "socket");
    tip.joint = soa_joint_default("socket", SOA_SPHERICAL);
    soa_link base = heavy("base", SOA_WORLD, "shoulder");
    assert_int_equal(soa_builder_add_link(b, &tip, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &base, NULL, &error), SOA_OK);
    const double q[5] = { 0.0, 2.0, 0.0, 0.0, 0.7 }, v[4] = { 1, 2, 3, 4 };
    assert_int_equal(soa_builder_add_configuration(b, "home", 5, q, 4, v, &error), SOA_OK);
    assert_int_equal(soa_builder_add_configuration(b, "rest", 5, q, 0, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_configuration(b, "", 5, q, 0, NULL, &error), SOA_E_NAME);
    assert_int_equal(soa_builder_add_configuration(b, "none", -1, q, 0, NULL, &error), SOA_E_ARGUMENT);
    soa_model *model;
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    assert_int_equal(soa_model_configurations(model), 2);
    const soa_configuration *home = soa_model_configuration(model, 0);
    const double expect_q[5] = { 0.7, 0.0, 1.0, 0.0, 0.0 }, expect_v[4] = { 4, 1, 2, 3 };
    assert_memory_equal(home->q, expect_q, sizeof expect_q); /* reordered and normalised */
    assert_memory_equal(home->v, expect_v, sizeof expect_v);
    assert_null(soa_model_configuration(model, 1)->v);
    assert_null(soa_model_configuration(model, 2));
    soa_model_free(model);

    const double zero[5] = { 0 }, wild[4] = { 0, INFINITY, 0, 0 };
    assert_int_equal(soa_builder_add_configuration(b, "zero", 5, zero, 0, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_E_CONFIGURATION);
    assert_non_null(strstr(error.text, "configuration 'zero': joint 'socket'"));
    soa_builder_free(b);

    b = builder_of_two();
    assert_int_equal(soa_builder_add_configuration(b, "short", 1, q, 0, NULL, &error), SOA_OK);
    expect_finish(b, SOA_E_CONFIGURATION, "has 1 coordinates and 0 velocities; the model has 2 and 2");
    b = builder_of_two();
    assert_int_equal(soa_builder_add_configuration(b, "wild", 2, q, 2, wild, &error), SOA_OK);
    expect_finish(b, SOA_E_NUMBER, "velocity 1 is not finite");
}

static void a_builder_can_be_asked_and_changed(void **state)
{
    (void)state;
    soa_error error;
    soa_builder *b = builder_of_two();
    assert_int_equal(soa_builder_links(b), 2);
    assert_int_equal(soa_builder_find_link(b, "arm"), 1);
    assert_int_equal(soa_builder_find_joint(b, "elbow"), 1);
    assert_int_equal(soa_builder_find_joint(b, "knee"), SOA_NONE);
    assert_null(soa_builder_link(b, 2));
    soa_link arm = *soa_builder_link(b, 1);
    arm.joint.name = "knee";
    assert_int_equal(soa_builder_set_link(b, 1, &arm, &error), SOA_OK);
    assert_int_equal(soa_builder_find_joint(b, "knee"), 1);
    assert_int_equal(soa_builder_find_joint(b, "elbow"), SOA_NONE);
    arm.joint.name = "shoulder";
    assert_int_equal(soa_builder_set_link(b, 1, &arm, &error), SOA_E_NAME);
    assert_int_equal(soa_builder_set_link(b, 0, &arm, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_set_link(b, 5, &arm, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_set_name(b, "", &error), SOA_E_NAME);
    assert_int_equal(soa_builder_set_name(b, "two", &error), SOA_OK);
    const double moon[3] = { 0, 0, -1.62 }, nowhere[3] = { 0, NAN, 0 };
    soa_builder_set_gravity(b, moon);
    soa_model *model;
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    double g[3];
    soa_model_gravity(model, g);
    assert_true(g[2] == -1.62);
    assert_string_equal(soa_model_name(model), "two");
    soa_model_free(model);
    soa_builder_set_gravity(b, nowhere);
    expect_finish(b, SOA_E_NUMBER, "gravity must be three finite numbers");
    b = soa_builder_new(NULL);
    expect_finish(b, SOA_E_TREE, "has no links");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_checked),
        cmocka_unit_test(couplings_are_checked),
        cmocka_unit_test(closures_are_checked),
        cmocka_unit_test(closures_tell_what_is_not_used),
        cmocka_unit_test(geometries_are_checked),
        cmocka_unit_test(massless_joints_are_told),
        cmocka_unit_test(memory_ends_anywhere),
        cmocka_unit_test(configurations_follow_the_bodies),
        cmocka_unit_test(a_builder_can_be_asked_and_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
