/* Published robots and broken files, where the folder SOA_ROBOTS is: the URDF rows
 * of its INDEX.md and the verdicts of bad/expected.tsv. */
#include <math.h>
#include <time.h>

#include "io/robots.h"
#include "io/urdf_same.h"

/* ---- robots ----------------------------------------------------------------------- */

static int named_joints(const soa_model *model)
{
    int n = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        n += soa_model_link(model, k)->joint.name != NULL;
    }
    return n;
}

static void check_robot(const robots_row *r)
{
    soa_model *model = robots_load(r->file);
    print_message("%s: %d links, %d dofs, %.4g kg, %d warnings\n", r->file, soa_model_links(model), soa_model_nv(model),
        soa_model_mass(model), soa_model_warnings(model));
    assert_int_equal(soa_model_links(model), r->links);
    assert_int_equal(named_joints(model), r->joints);
    assert_int_equal(soa_model_nv(model), r->dofs);
    assert_int_equal(soa_model_couplings(model), r->couplings);
    assert_int_equal(soa_model_closures(model), r->closures);
    assert_true(fabs(soa_model_mass(model) - r->mass) <= 5.01e-4 * r->mass); /* four digits are given */
    if (r->closures == 0) {
        soa_model *back = read_back(model);
        /* What hangs on a world that the file does not declare comes back on a link. */
        if (soa_model_links(back) == soa_model_links(model)) {
            assert_same(model, back);
        } else {
            assert_int_equal(soa_model_links(back), soa_model_links(model) + 1);
            assert_true(soa_model_mass(back) == soa_model_mass(model));
        }
        soa_model_free(back);
    }
    soa_model_free(model);
}

static void robots_of_the_index(void **state)
{
    (void)state;
    FILE *file = robots_open("INDEX.md");
    int rows = 0;
    for (robots_row r; robots_next(file, ".urdf", &r); rows++) {
        check_robot(&r);
    }
    fclose(file);
    assert_true(rows >= 20);
}

/* ---- broken files ----------------------------------------------------------------- */

static const char *verdict_of(const char *path, soa_error *error)
{
    soa_model *model;
    if (soa_load(path, NULL, &model, error) != SOA_OK) {
        assert_null(model);
        assert_string_equal(error->file, path);
        assert_true(error->line > 0);
        assert_true(error->text[0] != '\0');
        assert_null(strstr(error->text, "MUST_NOT_BE_READ"));
        return "reject";
    }
    const bool warned = soa_model_warnings(model) > 0;
    assert_true(isfinite(soa_model_mass(model)));
    soa_model_free(model);
    return warned ? "warn" : "accept";
}

static bool allows(char *verdicts, const char *verdict)
{
    for (char *s = strtok(verdicts, "|\r\n"); s; s = strtok(NULL, "|\r\n")) {
        if (strcmp(s, verdict) == 0) {
            return true;
        }
    }
    return false;
}

static void broken_files_get_their_verdict(void **state)
{
    (void)state;
    FILE *file = robots_open("bad/expected.tsv");
    char name[256], verdicts[256];
    int files = 0;
    while (fscanf(file, "%255s %255s", name, verdicts) == 2) {
        char path[1024];
        soa_error error;
        if (!strstr(name, ".urdf")) {
            continue;
        }
        snprintf(path, sizeof path, SOA_ROBOTS "/bad/%s", name);
        soa_error_clear(&error);
        const clock_t start = clock();
        const char *verdict = verdict_of(path, &error);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        print_message("%s: %s in %.3f s %d: %s\n", name, verdict, seconds, error.line, error.text);
        assert_true(allows(verdicts, verdict));
        assert_true(seconds < 2.0);
        files++;
    }
    fclose(file);
    assert_true(files >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_of_the_index),
        cmocka_unit_test(broken_files_get_their_verdict),
    };
    return robots_missing() ? ROBOTS_SKIP : cmocka_run_group_tests(tests, NULL, NULL);
}
