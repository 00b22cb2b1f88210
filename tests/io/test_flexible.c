/* Flexible links in native YAML: beams, plates, files, nodes; data that read back to the last bit; refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/reader.h"
#include "soa/io.h"

#define BEAM                                                                                                      \
    "beam: {length: 2.0, axis: y, elements: 4, E: 7e10, G: 2.7e10, rho: 2700, A: 4e-4, Iy: 1.3e-8, Iz: 2e-8, J: " \
    "2.6e-8"

/* The description of a text; path NULL: it names no files. */
static soa_builder *read_text(const char *text, const char *path, soa_status expected, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    soa_builder *builder = soa_builder_new(NULL);
    soa_error_clear(error);
    if (soa_yaml_read(builder, text, strlen(text), path, &usual, error) != expected) {
        fail_msg("line %d: %s", error->line, error->text);
    }
    return builder;
}

static void beams_and_nodes(void **state)
{
    (void)state;
    static const char text[] = "soa: 1\n"
                               "links:\n"
                               "  - {name: hand, parent: boom, joint: {name: wrist, type: revolute, axis: [0, 0, 1], "
                               "node: last}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n"
                               "  - name: boom\n"
                               "    joint: {name: hinge, type: revolute, axis: [0, 0, 1]}\n"
                               "    flexible: {" BEAM "}, modes: 3, damping: 0.01}\n"
                               "    frames: [{name: tip, node: 5}, {name: middle, node: 3, at: {xyz: [0, 0, 0.1]}}]\n"
                               "  - {name: panel, flexible: {plate: {length: 1, width: 0.5, thickness: 0.01, elements: "
                               "[2, 2], E: 7e10, rho: 2700}, modes: 2}}\n"
                               "frames: [{name: edge, link: panel, node: last}]\n"
                               "closures: [{kind: distance, a: tip, b: panel, node_b: 9, distance: 1}]\n";
    soa_error error;
    soa_builder *b = read_text(text, NULL, SOA_OK, &error);
    const soa_flexible *f = soa_builder_link(b, 1)->flexible;
    assert_int_equal(f->modes, 3);
    assert_int_equal(f->nodes, 5);
    assert_true(f->position[3 * 4 + 1] == 2.0);
    assert_true(fabs(f->damping[0] - 0.02 * sqrt(f->stiffness[0])) < 1e-12);
    assert_int_equal(soa_builder_link(b, 0)->node, 5);
    assert_int_equal(soa_builder_link(b, 2)->flexible->nodes, 9);
    soa_builder_free(b);
}

static void equal(size_t count, const double *a, const double *b)
{
    assert_true((a == NULL) == (b == NULL));
    assert_true(a == NULL || memcmp(a, b, count * sizeof *a) == 0);
}

static void check_same(const soa_flexible *a, const soa_flexible *b)
{
    const size_t m = (size_t)a->modes, n = (size_t)a->nodes;
    assert_int_equal(a->modes, b->modes);
    assert_int_equal(a->nodes, b->nodes);
    assert_true(a->mass == b->mass);
    equal(3, a->first, b->first);
    equal(6, a->second, b->second);
    equal(3 * n, a->position, b->position);
    equal(6 * n * m, a->shape, b->shape);
    equal(3 * n * m * m, a->shape2, b->shape2);
    equal(m * m, a->ee, b->ee);
    equal(m * m, a->stiffness, b->stiffness);
    equal(m * m, a->damping, b->damping);
    equal(3 * m, a->ef, b->ef);
    equal(3 * m, a->en, b->en);
    equal(3 * m * m, a->en1, b->en1);
    equal(3 * m * m, a->ef1, b->ef1);
    equal(6 * m, a->second1, b->second1);
    equal(6 * m * m, a->second2, b->second2);
}

/* A file of a reduced link, with and without foreshortening, and one from finite elements. */
static void files(void **state)
{
    (void)state;
    char folder[] = "soa-flexible-XXXXXX", path[64], model[64];
    static const char *const sources[] = { "{" BEAM "}, modes: 3, damping: 0.01}",
        "{" BEAM ", stiffening: true}, modes: 2, interface: last}",
        "{file: " SOA_SOURCE "/examples/flex/blade.inp, clamp: ROOT, modes: 4, interface: [TIP], output: ROOT}" };
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/link.yaml", folder);
    snprintf(model, sizeof model, "%s/model.yaml", folder);
    for (int i = 0; i < 3; i++) {
        char text[1024];
        soa_error error;
        snprintf(text, sizeof text, "soa: 1\nlinks: [{name: boom, flexible: %s}]\n", sources[i]);
        soa_builder *made = read_text(text, model, SOA_OK, &error);
        const soa_flexible *f = soa_builder_link(made, 0)->flexible;
        assert_int_equal(soa_flexible_save(f, path, &error), SOA_OK);
        soa_builder *again =
            read_text("soa: 1\nlinks: [{name: boom, flexible: {file: link.yaml}}]\n", model, SOA_OK, &error);
        check_same(f, soa_builder_link(again, 0)->flexible);
        if (i == 2) {
            assert_string_equal(f->node_name[0], "TIP");
            assert_string_equal(f->node_name[1], "ROOT");
        }
        soa_builder_free(made);
        soa_builder_free(again);
    }
    soa_error error;
    soa_builder *named = read_text("soa: 1\nlinks: [{name: boom, flexible: {file: link.yaml}}, "
                                   "{name: foot, parent: boom, joint: {type: fixed, node: ROOT}}]\n",
        model, SOA_OK, &error);
    assert_int_equal(soa_builder_link(named, 1)->node, 2);
    soa_builder_free(named);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("soa: 1\nlinks: []\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    soa_builder_free(
        read_text("soa: 1\nlinks: [{name: boom, flexible: {file: link.yaml}}]\n", model, SOA_E_SYNTAX, &error));
    assert_non_null(strstr(error.text, "this is no flexible link: 'flexible' is missing"));
    assert_non_null(strstr(error.file, "link.yaml"));
    remove(path);
    rmdir(folder);
}

static void refuse(const char *flexible, int line, const char *why)
{
    char text[2048];
    soa_error error;
    const soa_allocator usual = soa_allocator_default();
    soa_builder *b = soa_builder_new(NULL);
    snprintf(text, sizeof text, "soa: 1\nlinks:\n  - name: boom\n    flexible: %s\n", flexible);
    soa_error_clear(&error);
    assert_int_not_equal(soa_yaml_read(b, text, strlen(text), "none.yaml", &usual, &error), SOA_OK);
    if (!strstr(error.text, why) || error.line != line) {
        fail_msg("line %d: '%s' does not say '%s' at line %d", error.line, error.text, why, line);
    }
    soa_builder_free(b);
}

static void refusals(void **state)
{
    (void)state;
    refuse("{}", 4, "give a beam, a plate or a file");
    refuse("{" BEAM "}}", 4, "'modes' is missing");
    refuse("{" BEAM "}, modes: 2.5}", 4, "whole number");
    refuse("{" BEAM "}, modes: 0}", 4, "'modes' is 0");
    refuse("{" BEAM "}, modes: 100}", 4, "give 1 to 64");
    refuse("{" BEAM "}, modes: 3, damping: 2}", 4, "'damping' is 2");
    refuse("{" BEAM "}, modes: 3, interface: first}", 4, "'first' is clamped");
    refuse("{" BEAM "}, modes: 3, interface: 9}", 4, "'9' is no node");
    refuse("{" BEAM ", shear: 3}, modes: 3}", 4, "'shear' is 3");
    refuse("{" BEAM "}, plate: {}, modes: 3}", 4, "several of beam, plate and file");
    refuse("{beam: {length: 1, elements: 2, E: 1, G: 1, rho: 1, A: [1, 2], Iy: [1, 2, 3], Iz: 1, J: 1}, modes: 1}", 4,
        "'Iy' has 3 stations");
    refuse("{beam: {length: 1, axis: w, E: 1, G: 1, rho: 1, A: 1, Iy: 1, Iz: 1, J: 1}, modes: 1}", 4, "'axis' is 'w'");
    refuse("{beam: {length: -1, E: 1, G: 1, rho: 1, A: 1, Iy: 1, Iz: 1, J: 1}, modes: 1}", 4, "'length' is -1");
    refuse(
        "{plate: {length: 1, width: 1, thickness: 1, E: 1, rho: 1, clamp: corner}, modes: 1}", 4, "give edge or point");
    refuse("{file: nowhere.yaml}", 4, "does not exist");
    refuse("{modes: 1, nodes: []}", 4, "'ee' of the flexible link is missing");
    refuse("{modes: 2, mass: 1, ee: [[1, 0]], nodes: []}", 4, "a list of 2 items is expected");
    refuse("{modes: 1000, nodes: []}", 4, "'modes' is 1000; give 1 to 64");
    refuse("{" BEAM "}, modes: 1}\n    frames: [{name: tip, node: 8}]", 5, "has no node '8'; it has 5");
    refuse("{" BEAM "}, modes: 1}\n  - {name: c, frames: [{name: tip, node: 8}]}", 5, "which is not flexible");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_and_nodes),
        cmocka_unit_test(files),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
