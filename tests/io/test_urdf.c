/* Everything the URDF reader understands and everything it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "io/urdf_texts.h"

static soa_model *load(const char *text)
{
    soa_model *model;
    soa_error error;
    if (load_urdf(text, &model, &error) != SOA_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    }
    return model;
}

static const soa_link *link_of(const soa_model *model, const char *name)
{
    const soa_link *link = soa_model_link(model, soa_model_find_link(model, name));
    assert_non_null(link);
    return link;
}

static void assert_vector(const double *v, double x, double y, double z)
{
    assert_true(fabs(v[0] - x) < 1e-15 && fabs(v[1] - y) < 1e-15 && fabs(v[2] - z) < 1e-15);
}

/* How many warnings hold these words. */
static int warnings_with(const soa_model *model, const char *words)
{
    int n = 0;
    for (int i = 0; i < soa_model_warnings(model); i++) {
        n += strstr(soa_model_warning(model, i)->text, words) != NULL;
    }
    return n;
}

/* ---- what is read ----------------------------------------------------------------- */

/* A quarter turn about z takes x to y: ixx and iyy change places, ixz becomes iyz. */
static void inertia_is_turned_into_the_link(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(BODY("a", "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>\n<mass value='2'/>\n"
                                            "<inertia ixx='1' ixy='0' ixz='0.1' iyy='2' iyz='0' izz='2.5'/>\n")));
    const soa_inertia *inertia = &link_of(model, "a")->inertia;
    const double moment[6] = { 2, 0, 0, 1, 0.1, 2.5 };
    assert_true(inertia->mass == 2.0);
    assert_vector(inertia->com, 1, 2, 3);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(inertia->moment[i] - moment[i]) < 1e-15);
    }
    assert_int_equal(soa_model_warnings(model), 0);
    assert_string_equal(soa_model_name(model), "r");
    soa_model_free(model);
}

static void root_hangs_on_the_world(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(BODY("b", SOLID) LINK("a") JOINT("j", "fixed", "a", "b", "")));
    const soa_link *a = soa_model_link(model, 0);
    assert_string_equal(a->name, "a");
    assert_int_equal(a->parent, SOA_WORLD);
    assert_int_equal(a->joint.kind, SOA_FIXED);
    assert_null(a->joint.name);
    assert_int_equal(a->flags, SOA_LINK_NO_INERTIA);
    assert_int_equal(a->source.line, 7);
    const soa_link *b = soa_model_link(model, 1);
    assert_int_equal(b->parent, 0);
    assert_string_equal(b->joint.name, "j");
    assert_int_equal(b->flags, 0);
    assert_string_equal(b->joint.source.file, "r.urdf");
    assert_int_equal(b->joint.source.line, 8);
    assert_int_equal(soa_model_warnings(model), 0);
    soa_model_free(model);
}

static void joints_of_every_type(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("w") BODY("f", SOLID) BODY("r", SOLID) BODY("c", SOLID) BODY("p", SOLID)
            BODY("l", SOLID) BODY("n", SOLID) JOINT("jf", "fixed", "w", "f", "<axis xyz='0 0 0'/>")
                JOINT("jr", "revolute", "w", "r", "<origin xyz='1 0 0'/><axis xyz='0 2 0'/>" LIMITS)
                    JOINT("jc", "continuous", "w", "c", "<limit effort='5' velocity='6'/>") JOINT("jp", "prismatic",
                        "w", "p", LIMITS "<dynamics damping='0.5' friction='0.25'/><safety_controller/><calibration/>")
                        JOINT("jl", "planar", "w", "l", "<axis xyz='0 1 0'/>") JOINT("jn", "floating", "w", "n", "")));
    const soa_joint *revolute = &link_of(model, "r")->joint;
    assert_int_equal(link_of(model, "f")->joint.kind, SOA_FIXED);
    assert_int_equal(revolute->kind, SOA_REVOLUTE);
    assert_vector(revolute->at.position, 1, 0, 0);
    assert_true(revolute->axis[0] == 0.0 && revolute->axis[1] > 0.0 && revolute->axis[2] == 0.0);
    assert_true(revolute->lower[0] == -1.0 && revolute->upper[0] == 2.0);
    assert_true(revolute->effort[0] == 3.0 && revolute->velocity[0] == 4.0);
    const soa_joint *continuous = &link_of(model, "c")->joint;
    assert_int_equal(continuous->kind, SOA_CONTINUOUS);
    assert_vector(continuous->axis, 1, 0, 0);
    assert_true(isinf(continuous->lower[0]) && continuous->effort[0] == 5.0 && continuous->velocity[0] == 6.0);
    const soa_joint *prismatic = &link_of(model, "p")->joint;
    assert_int_equal(prismatic->kind, SOA_PRISMATIC);
    assert_true(prismatic->damping == 0.5 && prismatic->friction == 0.25);
    assert_int_equal(link_of(model, "l")->joint.kind, SOA_PLANAR);
    assert_int_equal(link_of(model, "n")->joint.kind, SOA_FREE);
    assert_int_equal(soa_model_nv(model), 1 + 1 + 1 + 3 + 6);
    assert_int_equal(soa_model_warnings(model), 0);
    soa_model_free(model);
}

/* Links follow the joints of the file, parents first. */
static void order_is_that_of_the_joints(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("c") LINK("b") LINK("a") LINK("d") JOINT("j3", "continuous", "b", "c", "")
            JOINT("j2", "continuous", "a", "b", "") JOINT("j4", "continuous", "a", "d", "")));
    const char *const body[] = { "b", "c", "d" };
    for (int k = 0; k < 3; k++) {
        assert_string_equal(soa_model_link(model, soa_model_body(model, k).link)->name, body[k]);
    }
    soa_model_free(model);
}

static void origin_by_quaternion(void **state)
{
    (void)state;
    soa_model *model =
        load(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin xyz='1 2 3' quat_xyzw='0 0 2 2'/>")));
    const soa_pose *at = &link_of(model, "b")->joint.at;
    assert_vector(at->position, 1, 2, 3);
    assert_vector(at->rotation[0], 0, -1, 0);
    assert_vector(at->rotation[1], 1, 0, 0);
    soa_model_free(model);
}

static void mimic_is_a_coupling(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(BODY("a", SOLID) BODY("b", SOLID) BODY("c", SOLID) BODY("d", SOLID)
            JOINT("j1", "continuous", "a", "b", "<mimic joint='j2' multiplier='-2' offset='0.5'/>")
                JOINT("j2", "continuous", "b", "c", "") JOINT("j3", "continuous", "c", "d", "<mimic joint='j2'/>")));
    assert_int_equal(soa_model_couplings(model), 2);
    const soa_coupling *first = soa_model_coupling(model, 0);
    assert_int_equal(first->link, soa_model_find_joint(model, "j1"));
    assert_int_equal(first->driver, soa_model_find_joint(model, "j2"));
    assert_true(first->coefficient[0] == 0.5 && first->coefficient[1] == -2.0 && first->coefficient[2] == 0.0);
    const soa_coupling *second = soa_model_coupling(model, 1);
    assert_true(second->coefficient[0] == 0.0 && second->coefficient[1] == 1.0);
    soa_model_free(model);
}

static void transmissions_give_the_ratio(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("a") BODY("b", SOLID) BODY("c", SOLID) BODY("d", SOLID)
            JOINT("j1", "continuous", "a", "b", "") JOINT("j2", "continuous", "a", "c", "") JOINT("j3", "continuous",
                "a", "d", "") "<transmission name='t1'><joint name='j1'/><actuator name='m'>"
                              "<mechanicalReduction> 50 </mechanicalReduction></actuator></transmission>\n"
                              "<transmission name='t2'><joint name='j2'/>"
                              "<mechanicalReduction>-1.5</mechanicalReduction></transmission>\n"
                              "<transmission name='t3'><joint name='j3'/></transmission>\n"
                              "<transmission name='t4'><joint name='j4'/>"
                              "<mechanicalReduction>1</mechanicalReduction></transmission>\n"));
    assert_true(link_of(model, "b")->joint.rotor.ratio == 50.0);
    assert_true(link_of(model, "c")->joint.rotor.ratio == -1.5);
    assert_true(link_of(model, "d")->joint.rotor.ratio == 0.0);
    assert_int_equal(warnings_with(model, "1 transmission of no joint"), 1);
    soa_model_free(model);
}

static void ratios_that_are_none_are_left_out(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("a") BODY("b", SOLID) BODY("c", SOLID) JOINT("j1", "continuous", "a", "b", "")
            JOINT("j2", "continuous", "a", "c", "") "<transmission><joint name='j1'/>"
                                                    "<mechanicalReduction>ratio</mechanicalReduction></transmission>\n"
                                                    "<transmission><joint name='j2'/>"
                                                    "<mechanicalReduction>0</mechanicalReduction></transmission>\n"));
    assert_true(link_of(model, "b")->joint.rotor.ratio == 0.0 && link_of(model, "c")->joint.rotor.ratio == 0.0);
    assert_int_equal(warnings_with(model, "is no ratio; it is left out"), 2);
    soa_model_free(model);
}

static void frames_are_read(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("a") "<frame name='tip' link='a' xyz='0 0 1' rpy='0 0 0'/>"));
    const soa_frame *frame = soa_model_frame(model, soa_model_find_frame(model, "tip"));
    assert_int_equal(frame->link, 0);
    assert_int_equal(frame->source.line, 3);
    assert_vector(frame->at.position, 0, 0, 1);
    soa_model_free(model);
}

/* Shapes, their colours from the link or the robot, and what is not understood. */
static void geometry_is_kept(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT("<material name='red'><color rgba='1 0 0 1'/></material>\n<link name='a'>\n"
                                  "<visual name='v'><origin xyz='1 2 3'/><geometry><box size='1 2 3'/></geometry>"
                                  "<material name='red'/></visual>\n"
                                  "<collision><geometry><cylinder radius='0.5' length='4'/></geometry></collision>\n"
                                  "<visual><geometry><mesh filename='package://p/m.stl' scale='1 1 -1'/></geometry>"
                                  "<material name=''><color rgba='0 0.5 0 1'/></material></visual>\n"
                                  "<visual><geometry><sphere/></geometry></visual>\n"
                                  "<visual><geometry><torus/></geometry></visual></link>\n"));
    assert_int_equal(soa_model_geometries(model), 3);
    const soa_geometry *box = soa_model_geometry(model, 0), *tube = soa_model_geometry(model, 1),
                       *mesh = soa_model_geometry(model, 2);
    assert_true(box->shape == SOA_SHAPE_BOX && box->visual && !box->collision && box->link == 0);
    assert_string_equal(box->name, "v");
    assert_string_equal(box->material, "red");
    assert_true(box->colored && box->color[0] == 1.0 && box->color[1] == 0.0);
    assert_vector(box->at.position, 1, 2, 3);
    assert_vector(box->size, 1, 2, 3);
    assert_true(tube->shape == SOA_SHAPE_CYLINDER && !tube->visual && tube->collision && !tube->colored);
    assert_true(tube->size[0] == 0.5 && tube->size[1] == 4.0);
    assert_true(mesh->shape == SOA_SHAPE_MESH && !mesh->material && mesh->colored && mesh->color[1] == 0.5);
    assert_string_equal(mesh->mesh, "package://p/m.stl");
    assert_vector(mesh->size, 1, 1, -1);
    assert_int_equal(warnings_with(model, "2 <visual> or <collision> left out"), 1);
    soa_model_free(model);
}

/* ---- what is remarked ------------------------------------------------------------- */

static void undeclared_world(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(BODY("a", SOLID) JOINT("j", "continuous", "world", "a", "")));
    assert_int_equal(soa_model_links(model), 1);
    assert_int_equal(soa_model_link(model, 0)->parent, SOA_WORLD);
    assert_string_equal(soa_model_link(model, 0)->joint.name, "j");
    assert_int_equal(soa_model_warnings(model), 1);
    assert_int_equal(warnings_with(model, "'world' is not declared"), 1);
    assert_int_equal(soa_model_warning(model, 0)->source.line, 7);
    soa_model_free(model);
}

static void missing_limits_are_none(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("a") BODY("b", SOLID) BODY("c", SOLID) BODY("d", SOLID)
            JOINT("j1", "revolute", "a", "b", "") JOINT("j2", "prismatic", "a", "c", "<limit effort='1' velocity='0'/>")
                JOINT("j3", "prismatic", "a", "d", "<limit upper='1' effort='0' velocity='0'/>")));
    assert_int_equal(warnings_with(model, "2 joints without limits although the type has them, 'j1' the first"), 1);
    assert_true(isinf(link_of(model, "b")->joint.lower[0]) && isinf(link_of(model, "c")->joint.upper[0]));
    assert_true(link_of(model, "c")->joint.effort[0] == 1.0 && link_of(model, "c")->joint.velocity[0] == 0.0);
    assert_true(link_of(model, "d")->joint.lower[0] == 0.0 && link_of(model, "d")->joint.upper[0] == 1.0);
    soa_model_free(model);
}

/* What exporters write for "none", and what has no meaning, is a remark. */
static void harmless_oddities(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(BODY("a", SOLID) BODY("b", SOLID) BODY("c", SOLID) JOINT("j", "continuous", "a", "b",
        "<limit effort='-1' velocity='-2.5'/>") JOINT("k", "fixed", "b", "c", "<mimic joint='j' multiplier='2'/>")));
    assert_true(isinf(link_of(model, "b")->joint.effort[0]) && isinf(link_of(model, "b")->joint.velocity[0]));
    assert_int_equal(warnings_with(model, "joint 'j': the limit of effort is -1; a negative one is taken as none"), 1);
    assert_int_equal(warnings_with(model, "the limit of velocity is -2.5"), 1);
    assert_int_equal(warnings_with(model, "joint 'k': is fixed and cannot mimic another"), 1);
    assert_int_equal(soa_model_couplings(model), 0);
    soa_model_free(model);
}

/* Infinite limits are none; a joint that mimics a fixed one is held; attributes that are not known are named. */
static void more_oddities(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(BODY("a", SOLID) BODY("b", SOLID) BODY("c", SOLID) BODY("d", SOLID)
            JOINT("j", "revolute", "a", "b", "<limit lower='-inf' upper='INF' effort='inf' velocity='+Infinity'/>")
                JOINT("f", "fixed", "b", "c", "") JOINT("k", "revolute", "c", "d",
                    "<limit uper='2' upper='1'/><dynamics K='7000' damping='1' x:y='2'/>"
                    "<mimic joint='f' multiplier='2' offset='0.25'/>")));
    const soa_joint *j = &link_of(model, "b")->joint;
    assert_true(isinf(j->lower[0]) && isinf(j->upper[0]) && isinf(j->effort[0]) && isinf(j->velocity[0]));
    assert_int_equal(soa_model_couplings(model), 1);
    assert_true(soa_model_coupling(model, 0)->driver < 0 && soa_model_coupling(model, 0)->coefficient[0] == 0.25);
    assert_int_equal(
        warnings_with(model, "joint 'k': mimics 'f', which is fixed; it is held where the offset says"), 1);
    assert_int_equal(warnings_with(model, "the attribute uper of <limit> (and 1 more) is not known here"), 1);
    soa_model_free(model);
}

static void what_is_left_out_is_said_once(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT("<material name='m'/><gazebo><x/></gazebo><mujoco/><drake:x/>"
                                  "<link name='a'><visual><geometry><mesh filename='none.stl'/></geometry></visual>"
                                  "<collision/><drake:y/></link>\n"));
    assert_int_equal(soa_model_warnings(model), 0);
    soa_model_free(model);
    model = load(ROBOT("\n<lnk name='a'/><link name='a'><mass/></link>\n"));
    assert_int_equal(soa_model_warnings(model), 1);
    assert_int_equal(warnings_with(model, "<lnk> (and 1 more) is no element"), 1);
    assert_int_equal(soa_model_warning(model, 0)->source.line, 3);
    soa_model_free(model);
}

static void massless_links_are_counted(void **state)
{
    (void)state;
    soa_model *model = load(ROBOT(LINK("a") LINK("b") LINK("c") BODY("d", SOLID) JOINT("j1", "continuous", "a", "b", "")
            JOINT("j2", "continuous", "b", "c", "") JOINT("j3", "fixed", "c", "d", "")));
    assert_int_equal(warnings_with(model, "2 moving links without <inertial>, 'b' the first"), 1);
    soa_model_free(model);
    model = load(ROBOT(BODY("a", "<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>")));
    assert_int_equal(warnings_with(model, "products of inertia that are not given"), 1);
    soa_model_free(model);
}

/* A robot may be without a name; then it is called a model. */
static void robots_without_name(void **state)
{
    (void)state;
    static const char *const text[] = { "<robot>" LINK("a") "</robot>", "<robot name=''>" LINK("a") "</robot>" };
    for (int i = 0; i < 2; i++) {
        soa_model *model = load(text[i]);
        assert_string_equal(soa_model_name(model), "model");
        soa_model_free(model);
    }
}

/* ---- what is refused -------------------------------------------------------------- */

static const struct refusal {
    const char *text;
    soa_status status;
    int line;
    const char *message; /* or its beginning */
} refused[] = {
    { "<mujoco/>", SOA_E_SYNTAX, 1, "root element <mujoco> is not <robot>" },
    { ROBOT(""), SOA_E_TREE, 1, "robot 'r': there are no links" },
    { ROBOT("<link/>"), SOA_E_NAME, 2, "<link>: the attribute name is missing" },
    { ROBOT("<link name=''/>"), SOA_E_NAME, 2, "link '': the attribute name is empty" },
    { ROBOT("<link name='${p}_a'/>"), SOA_E_SYNTAX, 2, "link '${p}_a': name=\"${p}_a\" looks like xacro" },
    { ROBOT(LINK("a") "<xacro:include filename='x'/>"), SOA_E_SYNTAX, 3, "<xacro:include>: this is xacro" },
    { ROBOT(LINK("a") LINK("a")), SOA_E_NAME, 3, "link 'a': defined twice, here and in line 2" },
    { ROBOT(LINK("a") LINK("b")), SOA_E_TREE, 3, "link 'b': a second root link, beside 'a'" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "world", "a", "")), SOA_E_TREE, 3,
        "link 'b': a second root link, beside 'world'" },
    { ROBOT(BODY("a", "<inertia ixx='1'/>")), SOA_E_SYNTAX, 3, "link 'a': inertial: the mass is missing" },
    { ROBOT(BODY("a", "<mass/>")), SOA_E_SYNTAX, 4, "link 'a': mass: the mass is missing" },
    { ROBOT(BODY("a", "<mass value='1'/>")), SOA_E_SYNTAX, 3, "link 'a': inertial: <inertia> is missing" },
    { ROBOT(BODY("a", "<mass value='1'/><inertia ixx='1' izz='1'/>")), SOA_E_SYNTAX, 4,
        "link 'a': inertia: iyy is missing" },
    { ROBOT(BODY("a", SOLID "<mass value='2'/>")), SOA_E_SYNTAX, 6, "<mass> of this <inertial> was already given in" },
    { ROBOT(BODY("a", "<origin xyz='0 0'/>" SOLID)), SOA_E_SYNTAX, 4, "link 'a': origin: xyz: 3 numbers wanted" },
    { ROBOT(BODY("a", "<mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>")), SOA_E_INERTIA,
        3, "link 'a': mass" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>")),
        SOA_E_SYNTAX, 5, "joint 'j': origin: both rpy and quat_xyzw" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin quat_xyzw='0 0 0 0'/>")), SOA_E_NUMBER, 5,
        "joint 'j': origin: quat_xyzw is zero" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "c", "")), SOA_E_TREE, 4,
        "joint 'j': child link 'c' does not exist" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "c", "b", "")), SOA_E_TREE, 4,
        "joint 'j': parent link 'c' does not exist" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "b", "b", "")), SOA_E_TREE, 4,
        "joint 'j': parent and child are the same link 'b'" },
    { ROBOT(LINK("a") "\n<joint name='j' type='fixed'><child link='a'/></joint>"), SOA_E_TREE, 4,
        "joint 'j': <parent link=\"...\"/> is missing" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "a", "b", "")), SOA_E_TREE, 6,
        "joint 'k': link 'b' already is the child of joint 'j' in line 4" },
    { ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "") JOINT("j", "fixed", "b", "c", "")),
        SOA_E_NAME, 7, "joint 'j': defined twice, here and in line 5" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")), SOA_E_TREE, 4,
        "link 'b': hangs on itself" },
    { ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "c", "b", "") JOINT("k", "fixed", "b", "c", "")),
        SOA_E_TREE, 5, "link 'b': hangs on itself" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "helical", "a", "b", "")), SOA_E_JOINT, 4,
        "joint 'j': unknown type 'helical'; URDF has fixed" },
    { ROBOT(LINK("a") LINK("b") "<joint name='j'>" ENDS("a", "b") "</joint>"), SOA_E_JOINT, 4,
        "joint 'j': the type is missing" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>")), SOA_E_JOINT, 5,
        "joint 'j': axis is zero; give a direction such as \"0 0 1\"" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 1e200 0'/>")), SOA_E_JOINT, 4,
        "joint 'j': axis is too long; give a direction such as \"0 0 1\"" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "\n<limit lower='1.5' upper='-1'/>")), SOA_E_JOINT, 6,
        "joint 'j': limit: lower limit 1.5 is above upper limit -1" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<dynamics damping='-1'/>")), SOA_E_JOINT, 5,
        "joint 'j': dynamics: damping is negative" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<dynamics friction='much'/>")), SOA_E_NUMBER, 5,
        "joint 'j': dynamics: friction=\"much\" is not a plain decimal number" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='0' upper='nan'/>")), SOA_E_NUMBER, 5,
        "joint 'j': limit: upper=\"nan\"" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='ghost'/>")), SOA_E_COUPLING, 5,
        "joint 'j': mimic: there is no joint 'ghost'" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='j'/>")), SOA_E_COUPLING, 5,
        "joint 'j': mimic: the joint mimics itself" },
    { ROBOT(LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic/>")), SOA_E_NAME, 5,
        "joint 'j': mimic: the attribute joint is missing" },
    { ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<mimic joint='k'/>")
              JOINT("k", "continuous", "a", "c", "<mimic joint='j'/>")),
        SOA_E_COUPLING, 0, "joint '" },
    { ROBOT(LINK("a") "<frame name='f' link='b'/>"), SOA_E_NAME, 3, "frame 'f': link 'b' does not exist" },
};

static void refusals_name_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct refusal *r = &refused[i];
        soa_model *model;
        soa_error error;
        const soa_status status = load_urdf(r->text, &model, &error);
        if (status != r->status || error.status != r->status || model || (r->line > 0 && error.line != r->line) ||
            error.line == 0 || strncmp(error.text, r->message, strlen(r->message)) != 0) {
            fail_msg("status %d, %s:%d: %s\nwanted %d, line %d: %s\n%s", (int)status, error.file, error.line,
                error.text, (int)r->status, r->line, r->message, r->text);
        }
        assert_string_equal(error.file, "r.urdf");
    }
}

/* Whichever request for memory fails, nothing is lost and the status says it. */
static void no_memory(void **state)
{
    (void)state;
    const char *text = ROBOT("<zz/>" BODY("a", SOLID) BODY("b", SOLID) BODY("c", SOLID)
            JOINT("j1", "revolute", "a", "b", "") JOINT("j2", "continuous", "b", "c", "<mimic joint='j1'/>"));
    soa_status status = SOA_E_MEMORY;
    int n = 0;
    for (; status != SOA_OK; n++) {
        assert_true(n < 500);
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        soa_model *model;
        soa_error error;
        status = soa_load_text(SOA_URDF, text, strlen(text), "r.urdf", &allocator, &model, &error);
        assert_true(status == SOA_OK || (status == SOA_E_MEMORY && error.status == status && !model));
        assert_int_equal(status == SOA_OK, c.refused == 0);
        soa_model_free(model);
        assert_int_equal(c.open, 0);
    }
    assert_true(n > 5);
}

static void no_error_wanted(void **state)
{
    (void)state;
    soa_model *model;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(load_urdf(refused[i].text, &model, NULL), refused[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_is_turned_into_the_link),
        cmocka_unit_test(root_hangs_on_the_world),
        cmocka_unit_test(joints_of_every_type),
        cmocka_unit_test(order_is_that_of_the_joints),
        cmocka_unit_test(origin_by_quaternion),
        cmocka_unit_test(mimic_is_a_coupling),
        cmocka_unit_test(transmissions_give_the_ratio),
        cmocka_unit_test(ratios_that_are_none_are_left_out),
        cmocka_unit_test(frames_are_read),
        cmocka_unit_test(geometry_is_kept),
        cmocka_unit_test(undeclared_world),
        cmocka_unit_test(missing_limits_are_none),
        cmocka_unit_test(harmless_oddities),
        cmocka_unit_test(more_oddities),
        cmocka_unit_test(what_is_left_out_is_said_once),
        cmocka_unit_test(massless_links_are_counted),
        cmocka_unit_test(robots_without_name),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(no_error_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
