/* What the MJCF reader refuses, with which line and words; includes; memory. */
#include "io/mjcf_text.h"

#include <unistd.h>

#include "counting.h"

typedef struct refusal {
    soa_status status;
    int line;
    const char *words;
    const char *text;
} refusal;

#define BODY(inside) WORLD("<body name=\"a\">\n" inside INERTIAL "</body>")

/* WORLD puts the bodies on line 3, BODY its inside on line 4. */
static const refusal refusals[] = {
    { SOA_E_SYNTAX, 1, "root element <robot> is not <mujoco>", "<robot/>" },
    { SOA_E_SYNTAX, 4, "unknown element in a body", BODY("<jiont/>") },
    { SOA_E_SYNTAX, 3, "the world has neither joints", WORLD("<joint/>") },
    { SOA_E_UNSUPPORTED, 4, "makes bodies", BODY("<composite/>") },
    { SOA_E_UNSUPPORTED, 3, "makes bodies", WORLD("<replicate/>") },
    { SOA_E_UNSUPPORTED, 3, "makes bodies", WORLD("<attach/>") },
    { SOA_E_UNSUPPORTED, 3, "makes bodies", WORLD("<flexcomp/>") },
    { SOA_E_NAME, 4, "unknown default class \"ghost\"", BODY("<joint class=\"ghost\"/>") },
    { SOA_E_NAME, 3, "unknown default class \"ghost\" in childclass", WORLD("<body childclass=\"ghost\"/>") },
    { SOA_E_NAME, 2, "defined twice",
        "<mujoco>\n<default><default class=\"d\"/><default class=\"d\"/></default></mujoco>" },
    { SOA_E_NAME, 1, "needs a class name", "<mujoco><default><default/></default></mujoco>" },
    { SOA_E_NAME, 3, "\"world\" is that of the world", WORLD("<body name=\"world\"/>") },
    { SOA_E_NAME, 3, "another link has this name", WORLD("<body name=\"a\"/><body name=\"a\"/>") },
    { SOA_E_NAME, 4, "another joint has this name", BODY("<joint name=\"j\"/><joint name=\"j\"/>") },
    { SOA_E_NUMBER, 3, "zero length", WORLD("<body quat=\"0 0 0 0\"/>") },
    { SOA_E_NUMBER, 3, "zaxis has no direction", WORLD("<body zaxis=\"0 0 0\"/>") },
    { SOA_E_NUMBER, 3, "xyaxes has no direction", WORLD("<body xyaxes=\"1 0 0 2 0 0\"/>") },
    { SOA_E_SYNTAX, 3, "more than one of quat", WORLD("<body quat=\"1 0 0 0\" euler=\"0 0 0\"/>") },
    { SOA_E_SYNTAX, 3, "3 numbers wanted, 2 found", WORLD("<body pos=\"1 2\"/>") },
    { SOA_E_NUMBER, 3, "nan", WORLD("<body pos=\"1 2 nan\"/>") },
    { SOA_E_SYNTAX, 1, "eulerseq", "<mujoco><compiler eulerseq=\"xyw\"/></mujoco>" },
    { SOA_E_SYNTAX, 1, "coordinate=\"global\"", "<mujoco><compiler coordinate=\"global\"/></mujoco>" },
    { SOA_E_SYNTAX, 1, "angle=\"gon\"", "<mujoco><compiler angle=\"gon\"/></mujoco>" },
    { SOA_E_JOINT, 4, "axis is zero", BODY("<joint axis=\"0 0 0\"/>") },
    { SOA_E_JOINT, 4, "axis is too long", BODY("<joint axis=\"1e200 0 0\"/>") },
    { SOA_E_SYNTAX, 4, "type=\"screw\"", BODY("<joint type=\"screw\"/>") },
    { SOA_E_JOINT, 4, "two rising numbers", BODY("<joint range=\"2 1\"/>") },
    { SOA_E_JOINT, 4, "two rising numbers", BODY("<joint limited=\"true\"/>") },
    { SOA_E_JOINT, 4, "range of a ball joint", BODY("<joint type=\"ball\" range=\"1 2\"/>") },
    { SOA_E_JOINT, 4, "more than 6", BODY("<freejoint/><joint/>") },
    { SOA_E_JOINT, 4, "ball joint cannot be followed", BODY("<joint type=\"ball\"/><joint/>") },
    { SOA_E_JOINT, 4, "only in a body that is a child of the world", BODY("<body><freejoint/></body>") },
    { SOA_E_JOINT, 1, "autolimits is false",
        "<mujoco><compiler autolimits=\"false\"/><worldbody><body><joint range=\"0 1\"/></body></worldbody></mujoco>" },
    { SOA_E_JOINT, 3, "mocap", WORLD("<body mocap=\"true\"><joint/>" INERTIAL "</body>") },
    { SOA_E_INERTIA, 4, "this is the second", BODY(INERTIAL) },
    { SOA_E_INERTIA, 4, "not positive definite",
        WORLD("<body>\n<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 -1 1\"/></body>") },
    { SOA_E_INERTIA, 4, "not positive definite",
        WORLD("<body>\n<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 2 0 0\"/></body>") },
    { SOA_E_INERTIA, 3, "not positive definite",
        "<mujoco><compiler boundinertia=\"0.1\"/><worldbody>\n<body>\n<inertial pos=\"0 0 0\" mass=\"1\" "
        "diaginertia=\"1 -1 1\"/></body></worldbody></mujoco>" },
    { SOA_E_INERTIA, 3, "mass is negative", WORLD("<body><inertial pos=\"0 0 0\" mass=\"-1\"/></body>") },
    { SOA_E_INERTIA, 3, "mass is missing", WORLD("<body><inertial pos=\"0 0 0\"/></body>") },
    { SOA_E_SYNTAX, 3, "pos is missing", WORLD("<body><inertial mass=\"1\"/></body>") },
    { SOA_E_SYNTAX, 3, "fullinertia stands alone",
        WORLD("<body><inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 0 0 0\" quat=\"1 0 0 0\"/></body>") },
    { SOA_E_NUMBER, 3, "size of a box: 3 positive numbers", WORLD("<body><geom type=\"box\" size=\"1 1\"/></body>") },
    { SOA_E_NUMBER, 3, "size of a sphere", WORLD("<body><geom size=\"-1\"/></body>") },
    { SOA_E_NUMBER, 3, "coincide", WORLD("<body><geom type=\"capsule\" size=\"1\" fromto=\"1 1 1 1 1 1\"/></body>") },
    { SOA_E_NUMBER, 3, "negative", WORLD("<body><geom size=\"1\" density=\"-1\"/></body>") },
    { SOA_E_NAME, 3, "unknown mesh \"m\"", WORLD("<body><geom type=\"mesh\" mesh=\"m\"/></body>") },
    { SOA_E_NAME, 1, "mesh \"m\" is defined twice",
        "<mujoco><asset><mesh name=\"m\"/><mesh name=\"m\"/></asset></mujoco>" },
    { SOA_E_NAME, 3, "another frame has this name", WORLD("<site name=\"s\"/><site name=\"s\"/>") },
    { SOA_E_FILE, 3, "in a text without a path", WORLD("<include file=\"other.xml\"/>") },
    { SOA_E_SYNTAX, 3, "attribute file is missing", WORLD("<include/>") },
    { SOA_E_JOINT, 4, "actuatorfrcrange must be two rising numbers", BODY("<joint actuatorfrcrange=\"2 1\"/>") },
    { SOA_E_SYNTAX, 4, "stiffness", BODY("<joint stiffness=\"1 2 3 4\"/>") },
    { SOA_E_SYNTAX, 4, "axis: 3 numbers wanted", BODY("<joint axis=\"1\"/>") },
    { SOA_E_NUMBER, 3, "xyaxes has no direction", WORLD("<body xyaxes=\"0 0 0 1 0 0\"/>") },
    { SOA_E_SYNTAX, 3, "fromto is for capsule", WORLD("<body><geom size=\"1\" fromto=\"0 0 0 1 1 1\"/></body>") },
    { SOA_E_UNSUPPORTED, 3, "shellinertia of an ellipsoid",
        WORLD("<body><geom type=\"ellipsoid\" size=\"1 2 3\" shellinertia=\"true\"/></body>") },
    { SOA_E_NUMBER, 3, "not a plain decimal number", WORLD("<body><geom size=\"one\"/></body>") },
    { SOA_E_SYNTAX, 3, "type=\"cone\"", WORLD("<body><geom type=\"cone\"/></body>") },
    { SOA_E_SYNTAX, 3, "pos: 3 numbers wanted", WORLD("<site name=\"s\" pos=\"1\"/>") },
    { SOA_E_SYNTAX, 3, "mocap=\"2\"", WORLD("<body mocap=\"2\"/>") },
    { SOA_E_SYNTAX, 3, "pos: 3 numbers wanted", WORLD("<frame pos=\"1\"/>") },
    { SOA_E_SYNTAX, 1, "gravity: 3 numbers wanted", "<mujoco><option gravity=\"1\"/></mujoco>" },
    { SOA_E_SYNTAX, 1, "gravity=\"off\"", "<mujoco><option><flag gravity=\"off\"/></option></mujoco>" },
    { SOA_E_SYNTAX, 1, "spring=\"off\"", "<mujoco><option><flag spring=\"off\"/></option></mujoco>" },
    { SOA_E_NAME, 3, "needs the attribute mesh", WORLD("<body><geom type=\"mesh\"/></body>") },
};

static void check_refusal(const refusal *r, const char *path)
{
    soa_model *model;
    soa_error error;
    const soa_status status = soa_load_text(SOA_MJCF, r->text, strlen(r->text), path, NULL, &model, &error);
    if (status != r->status || error.line != r->line || !strstr(error.text, r->words)) {
        fail_msg("%s\nstatus %d, line %d: %s\nwanted %d, line %d: %s", r->text, status, error.line, error.text,
            r->status, r->line, r->words);
    }
    assert_null(model);
}

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        check_refusal(&refusals[i], NULL);
    }
}

#define EQUALITY(inside)                                                                          \
    "<mujoco><worldbody><body name=\"a\"><joint name=\"j\"/>" INERTIAL "</body><body name=\"b\">" \
    "<joint name=\"w\" type=\"ball\"/>" INERTIAL "</body></worldbody>\n<equality>" inside "</equality></mujoco>"
#define KEY(inside)                                                                                             \
    "<mujoco><worldbody><body name=\"a\"><joint name=\"j\"/>" INERTIAL "</body></worldbody>\n<keyframe>" inside \
    "</keyframe></mujoco>"

static void refused_references(void **state)
{
    (void)state;
    static const refusal list[] = {
        { SOA_E_NAME, 2, "unknown body \"ghost\" in body2",
            EQUALITY("<connect body1=\"a\" body2=\"ghost\" anchor=\"0 0 0\"/>") },
        { SOA_E_SYNTAX, 2, "anchor is missing", EQUALITY("<connect body1=\"a\"/>") },
        { SOA_E_SYNTAX, 2, "name the bodies", EQUALITY("<weld/>") },
        { SOA_E_NAME, 2, "unknown site \"s\"", EQUALITY("<weld site1=\"s\" site2=\"t\"/>") },
        { SOA_E_CLOSURE, 2, "to itself", EQUALITY("<weld body1=\"a\" body2=\"a\"/>") },
        { SOA_E_NAME, 2, "unknown joint \"ghost\"", EQUALITY("<joint joint1=\"j\" joint2=\"ghost\"/>") },
        { SOA_E_COUPLING, 2, "neither hinge nor slide", EQUALITY("<joint joint1=\"w\"/>") },
        { SOA_E_SYNTAX, 2, "site1 and site2 stand alone", EQUALITY("<weld site1=\"s\" site2=\"t\" body1=\"a\"/>") },
        { SOA_E_NAME, 2, "unknown default class \"ghost\"", EQUALITY("<weld class=\"ghost\"/>") },
        { SOA_E_SYNTAX, 2, "active=\"yes\"", EQUALITY("<weld active=\"yes\"/>") },
        { SOA_E_SYNTAX, 2, "unknown element in <equality>", EQUALITY("<glue/>") },
        { SOA_E_CONFIGURATION, 2, "qvel has 0 numbers; the model has 1", KEY("<key qvel=\"\"/>") },
        { SOA_E_SYNTAX, 2, "qpos: at most 1 numbers wanted, 2 found", KEY("<key qpos=\"1 2\"/>") },
        { SOA_E_SYNTAX, 2, "unknown element in <keyframe>", KEY("<lock/>") },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        check_refusal(&list[i], NULL);
    }
}

/* What is read in another way than it was written is remarked on; so is a limit of several coordinates in URDF. */
static void remarks(void **state)
{
    (void)state;
    static const struct {
        soa_format format;
        const char *words, *text;
    } list[] = {
        { SOA_MJCF, "qpos of joint 'w' is a quaternion of zero length; it is read as 1 0 0 0",
            "<mujoco><worldbody><body name=\"a\"><joint name=\"w\" type=\"ball\"/>" INERTIAL
            "</body></worldbody><keyframe><key qpos=\"0 0 0 0\"/></keyframe></mujoco>" },
        { SOA_MJCF, "springdamper of joints skipped", BODY("<joint springdamper=\"1 1\"/>") },
        { SOA_URDF, "limits of a joint with several coordinates are not read",
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
            "ixy=\"0\" "
            "ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link><joint name=\"j\" type=\"planar\"><parent "
            "link=\"a\"/><child link=\"b\"/><limit lower=\"0\" upper=\"1\" effort=\"1\" "
            "velocity=\"1\"/></joint></robot>" },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        soa_model *model;
        soa_error error;
        bool said = false;
        if (soa_load_text(list[i].format, list[i].text, strlen(list[i].text), NULL, NULL, &model, &error) != SOA_OK) {
            fail_msg("%s", error.text);
        }
        for (int k = 0; k < soa_model_warnings(model); k++) {
            said = said || strstr(soa_model_warning(model, k)->text, list[i].words);
        }
        assert_true(said);
        soa_model_free(model);
    }
    const refusal missing = { SOA_E_FILE, 3, "cannot open included file \"other.xml\"",
        WORLD("<include file=\"other.xml\"/>") };
    check_refusal(&missing, "nowhere/main.xml");
}

/* ---- includes -------------------------------------------------------------------------- */

static void put(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static soa_status load(const char *folder, const char *name, soa_model **model, soa_error *error)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return soa_load(path, NULL, model, error);
}

static const char *const files[] = { "main.xml", "part.xml", "loop.xml", "twice.xml", "wrong.xml", "bad.xml", NULL };

/* Elements in included files lie as deep as the place where they are included; files may be many, not too many. */
static void included_limits(void **state)
{
    (void)state;
    char folder[] = "soa-mjcf-XXXXXX", name[32], path[512];
    static char text[64 * (SOA_MAX_INCLUDES + 2)];
    soa_model *model;
    soa_error error;
    assert_non_null(mkdtemp(folder));
    for (int file = 0; file < 2; file++) { /* each is 200 bodies deep */
        size_t used = (size_t)snprintf(text, sizeof text, file ? "<mujocoinclude>" : "<mujoco><worldbody>");
        for (int i = 0; i < 400; i++) {
            const char *inside = i == 200 && !file ? "<include file=\"1.xml\"/>" : "";
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", inside, i < 200 ? "<body>" : "</body>");
        }
        snprintf(text + used, sizeof text - used, file ? "</mujocoinclude>" : "</worldbody></mujoco>");
        put(folder, file ? "1.xml" : "0.xml", text);
    }
    assert_int_equal(load(folder, "0.xml", &model, &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "nested deeper than 256"));
    size_t used = (size_t)snprintf(text, sizeof text, "<mujoco><worldbody>");
    for (int i = 1; i <= SOA_MAX_INCLUDES + 1; i++) {
        snprintf(name, sizeof name, "%d.xml", i);
        put(folder, name, "<mujocoinclude/>");
        used += (size_t)snprintf(text + used, sizeof text - used, "<include file=\"%s\"/>", name);
    }
    snprintf(text + used, sizeof text - used, "</worldbody></mujoco>");
    put(folder, "0.xml", text);
    assert_int_equal(load(folder, "0.xml", &model, &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "more than 256 included files"));
    for (int i = 0; i <= SOA_MAX_INCLUDES + 1; i++) {
        snprintf(path, sizeof path, "%s/%d.xml", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

/* A class of defaults may have many elements, not too many; names may be long, not too long. */
static void long_texts(void **state)
{
    (void)state;
    static char text[32 * 1100];
    soa_model *model;
    soa_error error;
    size_t used = (size_t)snprintf(text, sizeof text, "<mujoco><default>");
    for (int i = 0; i < 1001; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "<joint damping=\"1\"/>");
    }
    snprintf(text + used, sizeof text - used, "</default><worldbody/></mujoco>");
    assert_int_equal(soa_load_text(SOA_MJCF, text, strlen(text), NULL, NULL, &model, &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "made of more than 1000 elements"));
    snprintf(text, sizeof text, "<robot name=\"r\"><link name=\"%1100d\"/></robot>", 1);
    assert_int_equal(soa_load_text(SOA_URDF, text, strlen(text), NULL, NULL, &model, &error), SOA_E_NAME);
    assert_non_null(strstr(error.text, "the attribute name is longer than 1024 bytes"));
}

static void includes(void **state)
{
    (void)state;
    char folder[] = "soa-mjcf-XXXXXX", path[512];
    soa_model *model;
    soa_error error;
    assert_non_null(mkdtemp(folder));
    put(folder, "main.xml",
        WORLD("<body name=\"first\">" INERTIAL "</body><include file=\"part.xml\"/>"
              "<body name=\"last\">" INERTIAL "</body>"));
    put(folder, "part.xml",
        "<mujocoinclude>\n<body name=\"p\">" INERTIAL "</body><body name=\"q\">" INERTIAL "</body></mujocoinclude>");
    put(folder, "loop.xml", WORLD("<include file=\"loop.xml\"/>"));
    put(folder, "twice.xml", WORLD("<include file=\"part.xml\"/><include file=\"part.xml\"/>"));
    put(folder, "wrong.xml", "<html><body/></html>");
    put(folder, "bad.xml", WORLD("<include file=\"wrong.xml\"/>"));

    assert_int_equal(load(folder, "main.xml", &model, &error), SOA_OK);
    assert_int_equal(soa_model_links(model), 4);
    assert_int_equal(soa_model_find_link(model, "q"), 2);
    assert_int_equal(soa_model_find_link(model, "last"), 3);
    assert_non_null(strstr(link_of(model, "q")->source.file, "part.xml"));
    soa_model_free(model);
    assert_int_equal(load(folder, "loop.xml", &model, &error), SOA_E_FILE);
    assert_non_null(strstr(error.text, "already included"));
    assert_int_equal(error.line, 3);
    assert_int_equal(load(folder, "twice.xml", &model, &error), SOA_E_FILE);
    assert_int_equal(load(folder, "bad.xml", &model, &error), SOA_E_SYNTAX);
    assert_non_null(strstr(error.file, "wrong.xml"));
    assert_non_null(strstr(error.text, "(included by "));
    assert_non_null(strstr(error.text, "bad.xml, line 3)"));
    put(folder, "bad.xml", WORLD("<include file=\".\"/>"));
    assert_int_equal(load(folder, "bad.xml", &model, &error), SOA_E_FILE);
    assert_non_null(strstr(error.file, "bad.xml"));
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.text, "this is a folder"));
    for (int i = 0; files[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Each request fails in turn; nothing leaks. */
static void memory_runs_out(void **state)
{
    (void)state;
    const char *text =
        "<mujoco model=\"m\"><default><default class=\"c\"><geom size=\"1\"/></default></default><asset><mesh "
        "name=\"m\"/></asset><worldbody><body name=\"a\" childclass=\"c\"><joint/><joint/><geom/><site "
        "name=\"s\"/></body>"
        "<body>" INERTIAL "<joint name=\"j\"/></body></worldbody><equality><connect body1=\"a\" anchor=\"0 0 0\"/>"
        "<joint joint1=\"j\"/></equality><keyframe><key/></keyframe><actuator><motor/></actuator></mujoco>";
    soa_status status = SOA_E_MEMORY;
    int n = 0;
    for (; status == SOA_E_MEMORY && n < 10000; n++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        soa_model *model;
        soa_error error;
        status = soa_load_text(SOA_MJCF, text, strlen(text), "t.xml", &allocator, &model, &error);
        assert_int_equal(status == SOA_OK, c.refused == 0);
        soa_model_free(model);
        assert_int_equal(c.open, 0);
    }
    assert_int_equal(status, SOA_OK);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(refused_references),
        cmocka_unit_test(remarks),
        cmocka_unit_test(includes),
        cmocka_unit_test(included_limits),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
