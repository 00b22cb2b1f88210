/* What MJCF says about places, joints, defaults, equalities and keyframes. */
#include "io/mjcf_text.h"

static const double pi = 3.14159265358979323846;

/* ---- places ------------------------------------------------------------------------ */

/* The rotation of a body given by an attribute, under a <compiler>. */
static void check_rotation(const char *compiler, const char *attribute, const double wanted[9])
{
    char text[1024];
    snprintf(text, sizeof text,
        "<mujoco>%s<worldbody><body name=\"a\" pos=\"1 2 3\" %s>" INERTIAL "</body></worldbody></mujoco>", compiler,
        attribute);
    soa_model *model = must_load(text);
    const soa_pose *at = &link_of(model, "a")->joint.at;
    const double position[3] = { 1.0, 2.0, 3.0 };
    near_numbers(attribute, 1e-15, 9, &at->rotation[0][0], wanted);
    near_numbers("position", 0.0, 3, at->position, position);
    soa_model_free(model);
}

/* Rotations by 90 degrees, written down by hand. */
static void orientations(void **state)
{
    (void)state;
    const double about_z[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
    const double about_x[9] = { 1, 0, 0, 0, 0, -1, 0, 1, 0 };
    const double z_to_x[9] = { 0, 0, 1, 0, 1, 0, -1, 0, 0 };
    const double x_then_new_z[9] = { 0, -1, 0, 0, 0, -1, 1, 0, 0 }; /* Rx Rz */
    const double x_then_old_z[9] = { 0, 0, 1, 1, 0, 0, 0, 1, 0 };   /* Rz Rx */
    const char *radian = "<compiler angle=\"radian\"/>";
    check_rotation("", "quat=\"2 0 0 2\"", about_z);
    check_rotation("", "axisangle=\"0 0 3 90\"", about_z);
    check_rotation(radian, "axisangle=\"0 0 3 1.5707963267948966\"", about_z);
    check_rotation("", "euler=\"0 0 90\"", about_z);
    check_rotation(radian, "euler=\"1.5707963267948966 0 0\"", about_x);
    check_rotation("", "xyaxes=\"0 5 0 -1 1 0\"", about_z);
    check_rotation("", "zaxis=\"4 0 0\"", z_to_x);
    check_rotation("", "euler=\"90 0 90\"", x_then_new_z);
    check_rotation("<compiler eulerseq=\"XYZ\"/>", "euler=\"90 0 90\"", x_then_old_z);
    check_rotation("<compiler eulerseq=\"zyx\"/>", "euler=\"90 0 90\"", x_then_old_z);
}

static void opposite_z(void **state)
{
    (void)state;
    const double half_turn[9] = { 1, 0, 0, 0, -1, 0, 0, 0, -1 };
    check_rotation("", "zaxis=\"0 0 -1\"", half_turn);
}

/* Frames move what is in them and set the class of it. */
static void frames(void **state)
{
    (void)state;
    soa_model *model = must_load("<mujoco><default><default class=\"d\"><joint damping=\"7\"/></default></default>"
                                 "<worldbody><frame pos=\"1 0 0\" euler=\"0 0 90\"><body name=\"a\" pos=\"1 0 0\">"
                                 "<frame pos=\"0 0 2\" euler=\"90 0 0\" childclass=\"d\"><frame pos=\"0 1 0\">"
                                 "<joint name=\"j\" pos=\"0 0 1\" axis=\"0 0 1\"/><site name=\"s\" pos=\"1 0 0\"/>"
                                 "</frame></frame>" INERTIAL "</body></frame></worldbody></mujoco>");
    const soa_joint *j = &link_of(model, "a")->joint;
    const double axis[3] = { 0, -1, 0 }, at[3] = { 2, 1, 3 }, site[3] = { 1, 0, 3 };
    const double back[3] = { 0, 1, -3 };
    near_numbers("at", 1e-15, 3, j->at.position, at);
    near_numbers("child", 1e-15, 3, j->child.position, back);
    near_numbers("axis", 1e-15, 3, j->axis, axis);
    near("damping", 0.0, j->damping, 7.0);
    near_numbers("site", 1e-15, 3, soa_model_frame(model, 0)->at.position, site);
    soa_model_free(model);
}

/* ---- joints ------------------------------------------------------------------------ */

static void joint_figures(void **state)
{
    (void)state;
    soa_model *model = must_load(
        WORLD("<body name=\"a\"><joint name=\"h\" axis=\"0 2 0\" pos=\"0 0 1\" range=\"-90 45\""
              " ref=\"30\" springref=\"60\" stiffness=\"5\" damping=\"0.5\" armature=\"0.01\""
              " frictionloss=\"0.2\" actuatorfrcrange=\"-8 8\"/>" INERTIAL
              "<body name=\"b\"><joint name=\"s\" type=\"slide\" range=\"-1 2\" ref=\"0.5\"/>" INERTIAL
              "<body name=\"c\"><joint type=\"ball\" range=\"0 90\" name=\"w\"/>" INERTIAL "</body></body></body>"
              "<body name=\"f\" pos=\"1 2 3\" quat=\"0 1 0 0\"><freejoint name=\"r\"/>" INERTIAL "</body>"));
    const soa_joint *h = &link_of(model, "a")->joint, *s = &link_of(model, "b")->joint;
    const soa_joint *w = &link_of(model, "c")->joint, *f = &link_of(model, "f")->joint;
    const double found[] = { h->lower[0], h->upper[0], h->reference, h->spring_reference, h->stiffness, h->damping,
        h->rotor.armature, h->friction, h->effort[0], h->at.position[2], h->child.position[2] };
    const double wanted[] = { -pi / 2, pi / 4, pi / 6, pi / 3, 5, 0.5, 0.01, 0.2, 8, 1, -1 };
    near_numbers("hinge", 1e-15, 11, found, wanted);
    assert_int_equal(h->kind, SOA_REVOLUTE);
    assert_int_equal(s->kind, SOA_PRISMATIC);
    near("slide", 0.0, s->upper[0], 2.0);
    near("slide ref", 0.0, s->reference, 0.5);
    assert_int_equal(w->kind, SOA_SPHERICAL);
    near("ball", 1e-15, w->upper[0], pi / 2);
    const double neutral[7] = { 0, 1, 0, 0, 1, 2, 3 };
    assert_int_equal(f->kind, SOA_FREE);
    near_numbers("free", 1e-15, 7, f->neutral, neutral);
    assert_int_equal(soa_model_nv(model), 1 + 1 + 3 + 6);
    soa_model_free(model);
}

static void limits(void **state)
{
    (void)state;
    soa_model *model =
        must_load(WORLD("<body name=\"a\"><joint/>" INERTIAL
                        "<body name=\"b\"><joint limited=\"false\" range=\"0 1\"/>" INERTIAL "</body></body>"));
    assert_int_equal(link_of(model, "a")->joint.kind, SOA_CONTINUOUS);
    assert_true(isinf(link_of(model, "b")->joint.upper[0]));
    assert_string_equal(link_of(model, "a")->joint.name, "a/joint");
    soa_model_free(model);
}

/* Slide along x, then hinge about z at (1, 0, 0): two links, the first a carrier. */
static void several_joints(void **state)
{
    (void)state;
    soa_model *model =
        must_load(WORLD("<body name=\"a\" pos=\"0 5 0\"><joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>"
                        "<joint type=\"hinge\" pos=\"1 0 0\"/>" INERTIAL "<body>" INERTIAL
                        "</body></body><body name=\"body3\">" INERTIAL "</body><body>" INERTIAL "</body>"));
    const soa_link *carrier = link_of(model, "a/x"), *a = link_of(model, "a");
    assert_int_equal(carrier->flags, SOA_LINK_VIRTUAL);
    assert_int_equal(carrier->parent, SOA_WORLD);
    assert_int_equal(a->parent, soa_model_find_link(model, "a/x"));
    near("carrier's place", 0.0, carrier->joint.at.position[1], 5.0);
    near("hinge's place", 0.0, a->joint.at.position[0], 1.0);
    near("hinge's way back", 0.0, a->joint.child.position[0], -1.0);
    near("carrier's mass", 0.0, carrier->inertia.mass, 0.0);
    assert_int_equal(link_of(model, "body2")->parent, soa_model_find_link(model, "a"));
    assert_int_equal(link_of(model, "body4")->parent, SOA_WORLD);
    soa_model_free(model);
}

/* ---- default classes ---------------------------------------------------------------- */

static void default_classes(void **state)
{
    (void)state;
    soa_model *model = must_load(
        "<mujoco><default><joint damping=\"1\" armature=\"2\"/><default class=\"p\"><joint armature=\"3\"/>"
        "<default class=\"q\"><joint stiffness=\"4\"/></default></default></default>"
        "<default><joint damping=\"9\"/></default>"
        "<worldbody><body name=\"a\"><joint/>" INERTIAL "<body name=\"b\" childclass=\"p\"><joint/>" INERTIAL
        "<body name=\"c\"><joint class=\"q\" armature=\"5\"/>" INERTIAL "</body></body></body></worldbody></mujoco>");
    const soa_joint *a = &link_of(model, "a")->joint, *b = &link_of(model, "b")->joint,
                    *c = &link_of(model, "c")->joint;
    const double found[] = { a->damping, a->rotor.armature, b->damping, b->rotor.armature, b->stiffness, c->damping,
        c->rotor.armature, c->stiffness };
    /* p and q were made before the second <default>: they keep damping 1. */
    const double wanted[] = { 9, 2, 1, 3, 0, 1, 5, 4 };
    near_numbers("defaults", 0.0, 8, found, wanted);
    soa_model_free(model);
}

/* ---- equalities ---------------------------------------------------------------------- */

#define TWO                                                                                    \
    "<worldbody><body name=\"a\" pos=\"0 0 1\"><joint name=\"ja\" ref=\"0.5\"/>" INERTIAL      \
    "<site name=\"sa\" pos=\"1 0 0\"/></body><body name=\"b\" pos=\"2 0 0\" quat=\"1 0 0 1\">" \
    "<joint name=\"jb\" ref=\"0.25\"/>" INERTIAL "<site name=\"sb\" pos=\"0 1 0\"/></body></worldbody>"
#define RADIAN "<mujoco><compiler angle=\"radian\"/>"

static void connect(void **state)
{
    (void)state;
    soa_model *model = must_load(RADIAN TWO "<equality><connect body1=\"a\" body2=\"b\" anchor=\"1 2 3\"/>"
                                            "<connect name=\"n\" body1=\"a\" anchor=\"0 0 0\" active=\"false\"/>"
                                            "<connect site1=\"sa\" site2=\"sb\"/></equality></mujoco>");
    const soa_closure *c = soa_model_closure(model, 0), *world = soa_model_closure(model, 1);
    const soa_closure *sites = soa_model_closure(model, 2);
    const double on_a[3] = { 1, 2, 3 }, on_b[3] = { 2, 1, 4 }, high[3] = { 0, 0, 1 }, of_b[3] = { 0, 1, 0 };
    assert_int_equal(c->kind, SOA_CLOSE_SPHERICAL);
    near_numbers("on a", 0.0, 3, c->at_a.position, on_a);
    near_numbers("on b", 1e-15, 3, c->at_b.position, on_b);
    assert_int_equal(world->b, SOA_WORLD);
    assert_true(world->inactive && !c->inactive);
    near_numbers("in the world", 1e-15, 3, world->at_b.position, high);
    near_numbers("site", 0.0, 3, sites->at_b.position, of_b);
    soa_model_free(model);
}

/* Without relpose the bodies are held as they stand; with it as it says. */
static void weld(void **state)
{
    (void)state;
    soa_model *model = must_load(
        RADIAN TWO "<equality><weld body1=\"a\" body2=\"b\" anchor=\"1 0 0\"/>"
                   "<weld body1=\"a\" body2=\"b\" relpose=\"1 2 3 0 2 0 0\" anchor=\"4 5 6\"/></equality></mujoco>");
    const soa_closure *stands = soa_model_closure(model, 0), *said = soa_model_closure(model, 1);
    const double on_a[3] = { 2, 1, -1 }, turned[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
    const double place[3] = { 1, 2, 3 }, half[9] = { 1, 0, 0, 0, -1, 0, 0, 0, -1 }, anchor[3] = { 4, 5, 6 };
    assert_int_equal(stands->kind, SOA_CLOSE_RIGID);
    near_numbers("standing", 1e-15, 3, stands->at_a.position, on_a);
    near_numbers("turned", 1e-15, 9, &stands->at_a.rotation[0][0], turned);
    near_numbers("relpose", 0.0, 3, said->at_a.position, place);
    near_numbers("relpose turns", 1e-15, 9, &said->at_a.rotation[0][0], half);
    near_numbers("anchor", 0.0, 3, said->at_b.position, anchor);
    soa_model_free(model);
}

/* y - 0.5 = 1 + 2 d + 3 d^2 + d^3 + 2 d^4 with d = x - 0.25, at some x. */
static void coupling(void **state)
{
    (void)state;
    soa_model *model = must_load(RADIAN TWO "<equality><joint joint1=\"ja\" joint2=\"jb\" polycoef=\"1 2 3 1 2\"/>"
                                            "<joint joint1=\"jb\" polycoef=\"0.5\"/></equality></mujoco>");
    const soa_coupling *c = soa_model_coupling(model, 0), *fixed = soa_model_coupling(model, 1);
    assert_int_equal(c->driver, soa_model_find_joint(model, "jb"));
    for (double x = -2.0; x <= 2.0; x += 0.5) {
        const double d = x - 0.25;
        const double y = 0.5 + 1 + 2 * d + 3 * d * d + d * d * d + 2 * d * d * d * d;
        const double *k = c->coefficient;
        near("coupling", 1e-13, k[0] + k[1] * x + k[2] * x * x + k[3] * x * x * x + k[4] * x * x * x * x, y);
    }
    assert_int_equal(fixed->driver, -1);
    near("constant", 1e-15, fixed->coefficient[0], 0.75);
    soa_model_free(model);
}

/* ---- keyframes ----------------------------------------------------------------------- */

/* A free body turned by 90 degrees about z: world x is its -y. */
static void keyframes(void **state)
{
    (void)state;
    soa_model *model = must_load(
        RADIAN "<worldbody><body name=\"a\"><freejoint/>" INERTIAL "<body name=\"h\"><joint ref=\"0.3\"/>" INERTIAL
               "</body></body></worldbody><keyframe><key name=\"k\" qpos=\"1 2 3 2 0 0 2 0.7\" qvel=\"1 0 5 6 7 8 9\"/>"
               "<key/></keyframe></mujoco>");
    const soa_configuration *k = soa_model_configuration(model, 0), *bare = soa_model_configuration(model, 1);
    const double r = sqrt(0.5);
    const double q[8] = { r, 0, 0, r, 1, 2, 3, 0.7 }, v[7] = { 6, 7, 8, 0, -1, 5, 9 };
    const double neutral[8] = { 1, 0, 0, 0, 0, 0, 0, 0.3 };
    near_numbers("q", 1e-15, 8, k->q, q);
    near_numbers("v", 1e-15, 7, k->v, v);
    assert_string_equal(bare->name, "key1");
    near_numbers("neutral", 0.0, 8, bare->q, neutral);
    assert_null(bare->v);
    soa_model_free(model);
}

/* ---- the rest ------------------------------------------------------------------------ */

static void gravity_and_remarks(void **state)
{
    (void)state;
    soa_model *model = must_load(
        "<mujoco model=\"m\"><option gravity=\"1 2 3\"/><worldbody><body name=\"a\">" INERTIAL "</body></worldbody>"
        "<actuator><motor/><motor/></actuator><tendon><fixed/></tendon><visual/><statistic/><stranger/></mujoco>");
    const double wanted[3] = { 1, 2, 3 };
    double gravity[3];
    soa_model_gravity(model, gravity);
    near_numbers("gravity", 0.0, 3, gravity, wanted);
    assert_string_equal(soa_model_name(model), "m");
    assert_true(warns(model, "2 actuators skipped") && warns(model, "1 tendons skipped") && warns(model, "<stranger>"));
    assert_int_equal(soa_model_warnings(model), 3);
    soa_model_free(model);

    model = must_load(WORLD("<body name=\"a\"><joint axs=\"1 0 0\"/>" INERTIAL "</body>"));
    assert_true(warns(model, "1 unknown attributes skipped; the first is axs of <joint>"));
    soa_model_free(model);

    model = must_load("<mujoco><option><flag gravity=\"disable\"/></option><worldbody><body>" INERTIAL
                      "</body></worldbody></mujoco>");
    soa_model_gravity(model, gravity);
    near("gravity switched off", 0.0, gravity[2], 0.0);
    soa_model_free(model);
}

/* Geoms as shapes: lengths in full, colours from classes and materials, roles by group and contact bits. */
static void geometry_is_kept(void **state)
{
    (void)state;
    soa_model *model = must_load(
        "<mujoco><compiler meshdir='parts'/><default><geom rgba='0 1 0 1'/></default><asset>"
        "<material name='steel' rgba='0.5 0.5 0.6 1'/>"
        "<mesh name='m' file='sub/m.msh' scale='2 2 2' refpos='1 0 0'/><hfield name='h' size='1 1 1 1'/></asset>"
        "<worldbody><geom type='plane' size='0 3 1'/><body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint/>"
        "<geom type='capsule' fromto='0 0 0 0 0 2' size='0.1' contype='0' conaffinity='0'/>"
        "<frame pos='0 0 1'><geom type='box' size='1 2 3' material='steel' group='3'/></frame>"
        "<geom type='mesh' mesh='m'/><geom type='hfield' hfield='h'/></body></worldbody></mujoco>");
    assert_int_equal(soa_model_geometries(model), 4);
    const soa_geometry *floor = soa_model_geometry(model, 0), *rod = soa_model_geometry(model, 1),
                       *box = soa_model_geometry(model, 2), *mesh = soa_model_geometry(model, 3);
    assert_true(floor->link == SOA_WORLD && floor->shape == SOA_SHAPE_PLANE);
    assert_true(floor->size[0] == 0.0 && floor->size[1] == 6.0 && floor->size[2] == 0.0);
    assert_true(rod->shape == SOA_SHAPE_CAPSULE && rod->size[0] == 0.1 && rod->size[1] == 2.0);
    assert_true(rod->visual && !rod->collision && rod->at.position[2] == 1.0 && rod->color[1] == 1.0);
    assert_true(box->shape == SOA_SHAPE_BOX && !box->visual && box->collision && box->size[2] == 6.0);
    assert_true(box->at.position[2] == 1.0 && strcmp(box->material, "steel") == 0);
    assert_string_equal(mesh->mesh, "parts/sub/m.msh");
    assert_true(mesh->size[0] == 2.0 && mesh->at.position[0] == -2.0);
    assert_true(warns(model, "1 geoms cannot be kept as shapes"));
    soa_model_free(model);
}

/* A mesh is moved by each number of refpos, also by one alone. */
static void meshes_are_moved(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char text[400];
        snprintf(text, sizeof text,
            "<mujoco><asset><mesh name='m' file='m.msh' scale='2 3 4' refpos='%d %d %d'/></asset><worldbody><body>"
            "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint/><geom type='mesh' mesh='m' pos='5 6 "
            "7'/></body>"
            "</worldbody></mujoco>",
            i & 1, i >> 1 & 1, i >> 2);
        soa_model *model = must_load(text);
        const double *at = soa_model_geometry(model, 0)->at.position;
        assert_true(at[0] == 5.0 - 2.0 * (i & 1) && at[1] == 6.0 - 3.0 * (i >> 1 & 1) && at[2] == 7.0 - 4.0 * (i >> 2));
        soa_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations),
        cmocka_unit_test(meshes_are_moved),
        cmocka_unit_test(opposite_z),
        cmocka_unit_test(frames),
        cmocka_unit_test(joint_figures),
        cmocka_unit_test(limits),
        cmocka_unit_test(several_joints),
        cmocka_unit_test(default_classes),
        cmocka_unit_test(connect),
        cmocka_unit_test(weld),
        cmocka_unit_test(coupling),
        cmocka_unit_test(keyframes),
        cmocka_unit_test(gravity_and_remarks),
        cmocka_unit_test(geometry_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
