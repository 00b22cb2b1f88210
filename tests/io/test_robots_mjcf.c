/* Published robots and broken files, where the folder SOA_ROBOTS is: the MJCF rows
 * of its INDEX.md, the verdicts of bad/expected.tsv, and robots that are there both
 * as MJCF and as URDF. */
#include <time.h>

#include "io/mjcf_text.h"
#include "io/robots.h"

/* ---- the table -------------------------------------------------------------------------- */

static void check_row(const robots_row *r)
{
    soa_model *model = robots_load(r->file);
    int links = 0, joints = 0;
    double mass = 0.0;
    char words[80];
    for (int i = 0; i < soa_model_links(model); i++) {
        const soa_link *link = soa_model_link(model, i);
        links += !(link->flags & SOA_LINK_VIRTUAL);
        joints += link->joint.kind != SOA_FIXED;
        mass += link->inertia.mass;
    }
    const int found[] = { links, joints, soa_model_nv(model), soa_model_couplings(model), soa_model_closures(model) };
    const int wanted[] = { r->links, r->joints, r->dofs, r->couplings, r->closures };
    for (int i = 0; i < 5; i++) {
        if (found[i] != wanted[i]) {
            fail_msg("%s: count %d is %d, not %d", r->file, i, found[i], wanted[i]);
        }
    }
    /* The table gives four digits. */
    near(r->file, 5.1e-4 * r->mass, mass, r->mass);
    snprintf(words, sizeof words, "%d mesh geoms in", r->unknown);
    assert_true(warns(model, r->unknown > 0 ? words : "mesh geoms in") == (r->unknown > 0));
    soa_model_free(model);
}

static void table(void **state)
{
    (void)state;
    FILE *file = robots_open("INDEX.md");
    int rows = 0;
    for (robots_row r; robots_next(file, ".xml", &r); rows++) {
        check_row(&r);
    }
    fclose(file);
    assert_true(rows >= 18);
}

/* ---- broken files ------------------------------------------------------------------------ */

static void broken_files(void **state)
{
    (void)state;
    FILE *file = robots_open("bad/expected.tsv");
    char line[ROBOTS_LINE], name[256], verdicts[256];
    int files = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%255[^\t]\t%255s", name, verdicts) != 2 || !strstr(name, ".xml")) {
            continue;
        }
        char path[ROBOTS_PATH];
        soa_model *model;
        soa_error error;
        snprintf(path, sizeof path, SOA_ROBOTS "/bad/%s", name);
        const soa_status status = soa_load(path, NULL, &model, &error);
        const char *verdict = status != SOA_OK ? "reject" : soa_model_warnings(model) > 0 ? "warn" : "accept";
        if (!strstr(verdicts, verdict) || (status != SOA_OK && (!error.file[0] || error.line == 0))) {
            fail_msg("%s: %s (%d: %s)", name, verdict, error.line, error.text);
        }
        soa_model_free(model);
        files++;
    }
    fclose(file);
    assert_true(files >= 12);
}

/* ---- the same robot twice ----------------------------------------------------------------- */

/* Moving bodies in the order of their joints; both files name them in the same order. The two
 * files were rounded differently: tolerances are relative to the robot's largest moment. */
static void check_pair(const char *urdf, const char *mjcf, double relative, bool moments)
{
    soa_model *a = robots_load(urdf), *b = robots_load(mjcf);
    assert_int_equal(soa_model_nv(a), soa_model_nv(b));
    assert_int_equal(soa_model_bodies(a), soa_model_bodies(b));
    near("mass", relative * soa_model_mass(a), soa_model_mass(a), soa_model_mass(b));
    for (int k = 0; moments && k < soa_model_bodies(a); k++) {
        const soa_body x = soa_model_body(a, k), y = soa_model_body(b, k);
        double p[3], q[3];
        soa_inertia_principal(&x.inertia, p);
        soa_inertia_principal(&y.inertia, q);
        near("body mass", relative * x.inertia.mass + 1e-12, y.inertia.mass, x.inertia.mass);
        near_numbers("principal moments", relative * p[2] + 1e-9, 3, q, p);
    }
    soa_model_free(a);
    soa_model_free(b);
}

static void twins(void **state)
{
    (void)state;
    check_pair("panda/panda.urdf", "panda_mjcf/panda.xml", 1e-4, true);
    check_pair("iiwa14/iiwa14_primitive_collision.urdf", "iiwa14_mjcf/iiwa14.xml", 1e-4, true);
    check_pair("as2/as2.urdf", "as2/as2.xml", 1e-4, true);
    check_pair("simple_humanoid/simple_humanoid.urdf", "simple_humanoid/simple_humanoid.xml", 1e-4, true);
}

/* ---- written and read back ----------------------------------------------------------------- */

static void check_written(const char *name)
{
    soa_model *model = robots_load(name), *back;
    soa_error error;
    char *text;
    size_t length;
    if (soa_write(model, SOA_MJCF, NULL, &text, &length, &error) != SOA_OK ||
        soa_load_text(SOA_MJCF, text, length, "back.xml", NULL, &back, &error) != SOA_OK) {
        fail_msg("%s: %d: %s", name, error.line, error.text);
    }
    soa_text_free(NULL, text);
    assert_int_equal(soa_model_links(back), soa_model_links(model));
    assert_int_equal(soa_model_nq(back), soa_model_nq(model));
    assert_int_equal(soa_model_closures(back), soa_model_closures(model));
    near("mass", 1e-12, soa_model_mass(back), soa_model_mass(model));
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body x = soa_model_body(model, k), y = soa_model_body(back, k);
        near_numbers("moment", 1e-12, 6, y.inertia.moment, x.inertia.moment);
        near_numbers("com", 1e-12, 3, y.inertia.com, x.inertia.com);
    }
    soa_model_free(model);
    soa_model_free(back);
}

static void written(void **state)
{
    (void)state;
    check_written("panda_mjcf/panda.xml");
    check_written("cassie/cassie.xml");
    check_written("mujoco_humanoid/humanoid.xml");
    check_written("talos/talos_position.xml");
    check_written("flybody/fruitfly.xml");
    check_written("ms_human_700/MS-Human-700.xml");
}

/* 22 files, 2856 sites: well below 60 ms; the bound is loose for slow builds. */
static void fast_enough(void **state)
{
    (void)state;
    const clock_t start = clock();
    soa_model_free(robots_load("ms_human_700/MS-Human-700.xml"));
    const double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("ms_human_700: %.1f ms\n", ms);
    assert_true(ms < 600.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(twins),
        cmocka_unit_test(written),
        cmocka_unit_test(fast_enough),
    };
    return robots_missing() ? ROBOTS_SKIP : cmocka_run_group_tests(tests, NULL, NULL);
}
