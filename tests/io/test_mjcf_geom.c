/* Mass and moments of inertia from geoms: against integrals over slices, against
 * growing the solid (shells), and of meshes written by the test. */
#include "io/mjcf_text.h"

#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

/* The inertia of a body with these geoms. */
static soa_inertia inertia_of(const char *compiler, const char *geoms)
{
    char text[2048];
    snprintf(text, sizeof text, "<mujoco>%s<worldbody><body name=\"a\"><freejoint/>%s</body></worldbody></mujoco>",
        compiler, geoms);
    soa_model *model = must_load(text);
    const soa_inertia inertia = link_of(model, "a")->inertia;
    soa_model_free(model);
    return inertia;
}

/* ---- solids of revolution, slice by slice --------------------------------------------- */

typedef double profile(double z, double r, double half);

static double ball(double z, double r, double half)
{
    (void)half;
    return sqrt(fmax(0.0, r * r - z * z));
}

static double cylinder(double z, double r, double half)
{
    (void)z, (void)half;
    return r;
}

static double capsule(double z, double r, double half)
{
    return fabs(z) <= half ? r : ball(fabs(z) - half, r, 0.0);
}

/* Midpoint rule over discs of radius f(z), density 1000, |z| <= end. */
static soa_inertia by_slices(profile *f, double r, double half, double end)
{
    enum { SLICES = 200000 };
    soa_inertia sum = { 0 };
    const double dz = 2.0 * end / SLICES;
    for (int i = 0; i < SLICES; i++) {
        const double z = -end + (i + 0.5) * dz, radius = f(z, r, half);
        const double mass = 1000.0 * pi * radius * radius * dz;
        sum.mass += mass;
        sum.moment[0] += mass * (radius * radius / 4.0 + z * z);
        sum.moment[5] += mass * radius * radius / 2.0;
    }
    sum.moment[3] = sum.moment[0];
    return sum;
}

static void check_inertia(const soa_inertia *found, const soa_inertia *wanted, double relative)
{
    near("mass", relative * wanted->mass, found->mass, wanted->mass);
    near_numbers("com", relative * 10.0, 3, found->com, wanted->com);
    near_numbers("moment", relative * fabs(wanted->moment[0]), 6, found->moment, wanted->moment);
}

static void round_solids(void **state)
{
    (void)state;
    soa_inertia found = inertia_of("", "<geom size=\"0.5\"/>"), wanted = by_slices(ball, 0.5, 0.0, 0.5);
    check_inertia(&found, &wanted, 1e-9);
    found = inertia_of("", "<geom type=\"cylinder\" size=\"0.3 0.7\"/>");
    wanted = by_slices(cylinder, 0.3, 0.7, 0.7);
    check_inertia(&found, &wanted, 1e-9);
    found = inertia_of("", "<geom type=\"capsule\" size=\"0.3 0.7\"/>");
    wanted = by_slices(capsule, 0.3, 0.7, 1.0);
    check_inertia(&found, &wanted, 1e-9);
    found = inertia_of("", "<geom type=\"capsule\" fromto=\"0 0 -0.7 0 0 0.7\" size=\"0.3\"/>");
    check_inertia(&found, &wanted, 1e-9);
}

/* m/12 (b^2 + c^2) for a box of full sides; m/5 (b^2 + c^2) for an ellipsoid of half axes. */
static void straight_solids(void **state)
{
    (void)state;
    const double m = 1000.0 * 0.2 * 0.4 * 0.6, e = 1000.0 * 4.0 / 3.0 * pi * 0.1 * 0.2 * 0.3;
    const soa_inertia box = { m, { 0, 0, 0 },
        { m / 12 * (0.16 + 0.36), 0, 0, m / 12 * (0.04 + 0.36), 0, m / 12 * (0.04 + 0.16) } };
    const soa_inertia egg = { e, { 0, 0, 0 },
        { e / 5 * (0.04 + 0.09), 0, 0, e / 5 * (0.01 + 0.09), 0, e / 5 * (0.01 + 0.04) } };
    soa_inertia found = inertia_of("", "<geom type=\"box\" size=\"0.1 0.2 0.3\"/>");
    check_inertia(&found, &box, 1e-14);
    found = inertia_of("", "<geom type=\"ellipsoid\" size=\"0.1 0.2 0.3\"/>");
    check_inertia(&found, &egg, 1e-14);
}

/* A thin coat on a solid weighs the difference of two solids. */
static void check_shell(const char *type, double a, double b, double c, double grow)
{
    const double h = 1e-4;
    char geom[3][160];
    for (int i = 0; i < 3; i++) {
        const double d = i == 0 ? 0.0 : i == 1 ? h : -h;
        snprintf(geom[i], sizeof geom[i], "<geom type=\"%s\" density=\"1\" size=\"%.10f %.10f %.10f\"%s/>", type, a + d,
            b + grow * d, c + grow * d, i == 0 ? " shellinertia=\"true\"" : "");
    }
    const soa_inertia shell = inertia_of("", geom[0]), big = inertia_of("", geom[1]), small = inertia_of("", geom[2]);
    near(type, 1e-6 * shell.mass, shell.mass, (big.mass - small.mass) / (2 * h));
    for (int i = 0; i < 6; i++) {
        near(type, 1e-6 * shell.moment[0], shell.moment[i], (big.moment[i] - small.moment[i]) / (2 * h));
    }
}

static void shells(void **state)
{
    (void)state;
    check_shell("sphere", 0.5, 0.1, 0.1, 0.0);
    check_shell("capsule", 0.3, 0.7, 0.1, 0.0);
    check_shell("cylinder", 0.3, 0.7, 0.1, 1.0);
    check_shell("box", 0.3, 0.4, 0.7, 1.0);
}

/* ---- sums and rules --------------------------------------------------------------------- */

/* Two point-like spheres of 1 and 3 kg, 4 m apart. */
static void sums(void **state)
{
    (void)state;
    const soa_inertia found =
        inertia_of("", "<geom size=\"1e-6\" mass=\"1\" pos=\"1 0 0\"/><geom size=\"1e-6\" mass=\"3\" pos=\"5 0 0\"/>");
    const soa_inertia wanted = { 4.0, { 4.0, 0.0, 0.0 }, { 0, 0, 0, 12.0, 0, 12.0 } };
    near("mass", 1e-14, found.mass, wanted.mass);
    near_numbers("com", 1e-14, 3, found.com, wanted.com);
    near_numbers("moment", 1e-10, 6, found.moment, wanted.moment);
}

static void rules(void **state)
{
    (void)state;
    const char *both = "<geom size=\"1\" mass=\"2\" group=\"1\"/><geom size=\"1\" mass=\"5\" group=\"3\"/>";
    const char *written = "<inertial pos=\"0 0 0\" mass=\"9\" diaginertia=\"1 1 1\"/><geom size=\"1\" mass=\"2\"/>";
    near("all groups", 1e-14, inertia_of("", both).mass, 7.0);
    near("group 3", 0.0, inertia_of("<compiler inertiagrouprange=\"2 3\"/>", both).mass, 5.0);
    near("auto", 0.0, inertia_of("", written).mass, 9.0);
    near("true", 0.0, inertia_of("<compiler inertiafromgeom=\"true\"/>", written).mass, 2.0);
    near("false", 0.0, inertia_of("<compiler inertiafromgeom=\"false\"/>", "<geom size=\"1\"/>").mass, 0.0);
    near("plane", 0.0, inertia_of("", "<geom type=\"plane\" size=\"1 1 1\"/><geom size=\"1\" mass=\"2\"/>").mass, 2.0);
    near("bound", 0.0, inertia_of("<compiler boundmass=\"0.5\" boundinertia=\"0.1\"/>", "").mass, 0.5);
    near("total", 1e-14, inertia_of("<compiler settotalmass=\"70\"/>", both).mass, 70.0);
    const char *size = "<default><geom size=\"9 0.7\" density=\"1\"/></default>";
    near("size and density of a class", 1e-12, inertia_of(size, "<geom type=\"cylinder\" size=\"0.3\"/>").mass,
        pi * 0.09 * 1.4);
}

/* A matrix with principal moments 1e-6, 2, 2 about turned axes is raised to 0.1, 2, 2. */
static void bounds(void **state)
{
    (void)state;
    const char *rod = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1e-6 2 2\" euler=\"10 20 30\"/>";
    const soa_inertia found = inertia_of("<compiler boundinertia=\"0.1\"/>", rod);
    const char *thick = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.1 2 2\" euler=\"10 20 30\"/>";
    const soa_inertia wanted = inertia_of("", thick);
    near_numbers("bound", 1e-14, 6, found.moment, wanted.moment);
    const soa_inertia ball_like =
        inertia_of("<compiler balanceinertia=\"true\"/>", "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 4\"/>");
    const double two[6] = { 2, 0, 0, 2, 0, 2 };
    near_numbers("balanced", 1e-14, 6, ball_like.moment, two);
}

/* fullinertia is xx yy zz xy xz yz. */
static void full_inertia(void **state)
{
    (void)state;
    const soa_inertia found = inertia_of("", "<inertial pos=\"1 2 3\" mass=\"1\" fullinertia=\"4 5 6 0.1 0.2 0.3\"/>");
    const double wanted[6] = { 4, 0.1, 0.2, 5, 0.3, 6 };
    near_numbers("moment", 0.0, 6, found.moment, wanted);
}

/* ---- meshes ----------------------------------------------------------------------------- */

/* A box of sides 1, 2, 3 from the origin: corners by bits x y z, faces outward. */
static const int quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 }, { 2, 6, 7, 3 }, { 0, 4, 6, 2 },
    { 1, 3, 7, 5 } };

static void corner(int i, double p[3])
{
    p[0] = i & 1;
    p[1] = i & 2;
    p[2] = 3 * (i >> 2);
}

static void write_obj(FILE *file)
{
    for (int i = 0; i < 8; i++) {
        double p[3];
        corner(i, p);
        fprintf(file, "v %g %g %g\n", p[0], p[1], p[2]);
    }
    for (int f = 0; f < 6; f++) {
        fprintf(file, "f %d/1/1 %d//2 %d %d\n", quads[f][0] + 1, quads[f][1] + 1, quads[f][2] - 8, quads[f][3] + 1);
    }
}

static void write_stl(FILE *file, bool binary)
{
    const uint32_t facets = 12;
    const char header[80] = "solid or not";
    fwrite(header, binary ? 80 : 0, 1, file);
    fwrite(&facets, binary ? 4 : 0, 1, file);
    fprintf(file, "%s", binary ? "" : "solid box\n");
    for (int f = 0; f < 12; f++) {
        const int *q = quads[f / 2], three[3] = { q[0], q[1 + f % 2], q[2 + f % 2] };
        float facet[12] = { 0 };
        for (int i = 0; i < 3; i++) {
            double p[3];
            corner(three[i], p);
            facet[3 + 3 * i] = (float)p[0], facet[4 + 3 * i] = (float)p[1], facet[5 + 3 * i] = (float)p[2];
            if (!binary) {
                fprintf(file, "  vertex %g %g %g\n", p[0], p[1], p[2]);
            }
        }
        fwrite(facet, binary ? sizeof facet : 0, 1, file);
        fwrite(header + 20, binary ? 2 : 0, 1, file);
    }
}

static void check_mesh(const char *folder, const char *attributes, const char *geom, const soa_inertia *wanted)
{
    char path[512], text[2048];
    snprintf(path, sizeof path, "%s/main.xml", folder);
    snprintf(text, sizeof text,
        "<mujoco><compiler meshdir=\"meshes\"/><asset><mesh name=\"m\" %s/></asset><worldbody><body name=\"a\">"
        "<freejoint/><geom type=\"mesh\" mesh=\"m\" %s/></body></worldbody></mujoco>",
        attributes, geom);
    soa_model *model;
    soa_error error;
    if (soa_load_text(SOA_MJCF, text, strlen(text), path, NULL, &model, &error) != SOA_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    }
    check_inertia(&link_of(model, "a")->inertia, wanted, 1e-13);
    soa_model_free(model);
}

static void meshes(void **state)
{
    (void)state;
    char folder[] = "soa-mjcf-XXXXXX", path[512];
    assert_non_null(mkdtemp(folder));
    static const char *const names[] = { "meshes/box.obj", "meshes/binary.stl", "meshes/text.STL" };
    snprintf(path, sizeof path, "%s/meshes", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        if (i == 0) {
            write_obj(file);
        } else {
            write_stl(file, i == 1);
        }
        fclose(file);
    }
    const soa_inertia solid = { 6000, { 0.5, 1, 1.5 }, { 6500, 0, 0, 5000, 0, 2500 } };
    const soa_inertia light = { 12, { 0.5, 1, 1.5 }, { 13, 0, 0, 10, 0, 5 } };
    const soa_inertia twice = { 48000, { -1, 2, 3 }, { 208000, 0, 0, 160000, 0, 80000 } };
    const soa_inertia moved = { 6000, { 1, 1.5, 0.5 }, { 5000, 0, 0, 2500, 0, 6500 } };
    /* Mean squares of x, y, z over pairs of faces of areas 12, 6, 4, times the area. */
    const double xx = 0.25 * (12 + 6 / 3.0 + 4 / 3.0), yy = 12 / 3.0 + 6 + 4 / 3.0,
                 zz = 2.25 * (12 / 3.0 + 6 / 3.0 + 4);
    const soa_inertia shell = { 22, { 0.5, 1, 1.5 }, { yy + zz, 0, 0, xx + zz, 0, xx + yy } };
    check_mesh(folder, "file=\"box.obj\" inertia=\"shell\"", "density=\"1\"", &shell);
    check_mesh(folder, "file=\"box.obj\"", "", &solid);
    check_mesh(folder, "file=\"box.obj\" inertia=\"exact\"", "mass=\"12\"", &light);
    check_mesh(folder, "file=\"binary.stl\"", "", &solid);
    check_mesh(folder, "file=\"text.STL\"", "", &solid);
    check_mesh(folder, "file=\"binary.stl\" scale=\"-2 2 2\" inertia=\"exact\"", "", &twice);
    check_mesh(folder, "file=\"box.obj\" refquat=\"1 1 1 1\"", "", &moved);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/meshes", folder);
    rmdir(path);
    rmdir(folder);
}

/* Broken mesh files: refused with their own name and line. */
static void broken_meshes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        soa_status status;
        const char *words;
    } list[] = {
        { "m.obj", "v 0 0 0\nv 1 x 0\n", SOA_E_SYNTAX, "m.obj, line 2: three numbers wanted" },
        { "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", SOA_E_SYNTAX, "line 4: a face names a point that is not" },
        { "m.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", SOA_E_SYNTAX, "line 3: a face has fewer than three points" },
        { "m.obj", "v 0 0 0\nf 0 1 1\n", SOA_E_SYNTAX, "line 2: a face names a point that is not there" },
        { "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SOA_E_INERTIA, "encloses no volume" },
        { "m.obj", "# nothing\n", SOA_E_INERTIA, "has no faces" },
        { "m.stl", "solid x\nvertex 1 2 3\nvertex 1 2 3\n", SOA_E_SYNTAX, "line 4: the last facet has fewer" },
        { "m.stl", "solid x\nvertex 1 2\n", SOA_E_SYNTAX, "line 2: three numbers wanted" },
        { "m.stl", "no STL at all", SOA_E_SYNTAX, "m.stl: this is no STL file" },
        { "m.stl", NULL, SOA_E_SYNTAX, "m.stl: a coordinate is not a finite number" },
    };
    char folder[] = "soa-mjcf-XXXXXX", path[512], main_path[512], text[512];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list[i].name);
        snprintf(main_path, sizeof main_path, "%s/main.xml", folder);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        if (list[i].text) {
            fputs(list[i].text, file);
        } else { /* one binary facet of NaNs */
            unsigned char bytes[84 + 50] = { 0 };
            bytes[80] = 1;
            memset(bytes + 84, 0xff, 48);
            assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
        }
        fclose(file);
        snprintf(text, sizeof text,
            "<mujoco><asset>\n<mesh name=\"m\" file=\"%s\"/></asset><worldbody><body><joint/>"
            "<geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>",
            list[i].name);
        soa_model *model;
        soa_error error;
        const soa_status status = soa_load_text(SOA_MJCF, text, strlen(text), main_path, NULL, &model, &error);
        if (status != list[i].status || error.line != 2 || !strstr(error.text, list[i].words)) {
            fail_msg("%zu: status %d, %s:%d: %s", i, (int)status, error.file, error.line, error.text);
        }
        assert_string_equal(error.file, main_path);
        assert_null(model);
        unlink(path);
    }
    rmdir(folder);
}

/* Words about what is read but not used. */
static void remarks(void **state)
{
    (void)state;
    soa_model *model = must_load(
        "<mujoco><option density=\"1\"><flag spring=\"disable\"/></option><compiler settotalmass=\"5\"/><worldbody>"
        "<body name=\"a\" gravcomp=\"1\"><joint name=\"j\" actuatorfrcrange=\"-1 2\" damping=\"1 2\"/>"
        "<plugin plugin=\"p\"/><site pos=\"1 1 1\"/>"
        "<geom type=\"sdf\" mesh=\"none\"/><geom size=\"1\"/></body></worldbody>"
        "<equality><joint joint1=\"j\" active=\"false\"/><tendon tendon1=\"t\"/></equality></mujoco>");
    static const char *const words[] = { "surrounding medium", "spring=\"disable\"", "settotalmass is skipped",
        "gravcomp", "force", "damping", "plugin", "inactive joint equalities", "tendon or flex equalities" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!warns(model, words[i])) {
            for (int w = 0; w < soa_model_warnings(model); w++) {
                print_message("%s\n", soa_model_warning(model, w)->text);
            }
            fail_msg("no warning says \"%s\"", words[i]);
        }
    }
    assert_int_equal(soa_model_couplings(model), 0);
    assert_int_equal(soa_model_frames(model), 0);
    soa_model_free(model);
}

/* Never silently zero. */
static void absent_meshes(void **state)
{
    (void)state;
    soa_model *model = must_load("<mujoco><asset><mesh file=\"x/there_is_none.stl\"/></asset><worldbody>"
                                 "<body name=\"a\"><joint/><geom size=\"1\" mass=\"2\"/>"
                                 "<geom type=\"mesh\" mesh=\"there_is_none\"/></body>"
                                 "<body name=\"b\"><joint/><geom size=\"1\"/>"
                                 "<geom type=\"mesh\" mesh=\"there_is_none\" density=\"0\"/></body>"
                                 "<body name=\"c\"><joint/><geom type=\"mesh\" mesh=\"there_is_none\" mass=\"3\"/>"
                                 "</body></worldbody></mujoco>");
    assert_true(link_of(model, "a")->flags & SOA_LINK_UNKNOWN_MASS);
    assert_false(link_of(model, "b")->flags & SOA_LINK_UNKNOWN_MASS);
    assert_true(link_of(model, "c")->flags & SOA_LINK_UNKNOWN_MASS);
    assert_true(warns(model, "1 mesh geoms in 1 links have an unknown mass"));
    assert_true(warns(model, "1 mesh geoms have a known mass but unknown moments"));
    near("known part", 0.0, link_of(model, "a")->inertia.mass, 2.0);
    near("known mass", 0.0, link_of(model, "c")->inertia.mass, 3.0);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_solids),
        cmocka_unit_test(straight_solids),
        cmocka_unit_test(shells),
        cmocka_unit_test(sums),
        cmocka_unit_test(rules),
        cmocka_unit_test(bounds),
        cmocka_unit_test(full_inertia),
        cmocka_unit_test(meshes),
        cmocka_unit_test(broken_meshes),
        cmocka_unit_test(remarks),
        cmocka_unit_test(absent_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
