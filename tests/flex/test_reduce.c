/* Matrices to links: the elements of a truss of springs and masses, what is refused, failing allocations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "flex/cube.h"
#include "soa/flex.h"

static const char *const top[] = { "top" };

static soa_status reduce(const soa_fe *fe, int modes, const char *clamp, const char *const *interface,
    const soa_allocator *allocator, soa_flexible **f, soa_error *error)
{
    const soa_reduction wish = {
        .modes = modes, .clamp = clamp, .interfaces = interface ? 1 : 0, .interface = interface
    };
    return soa_flexible_reduce(fe, &wish, allocator, f, error);
}

static void point_masses(void **state)
{
    (void)state;
    cube c;
    soa_flexible *f;
    soa_error error;
    make_cube(&c);
    if (reduce(&c.fe, 3, "BASE", top, NULL, &f, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(f->modes, 9);
    assert_int_equal(f->nodes, 1);
    assert_string_equal(f->node_name[0], "top");
    assert_true(fabs(f->mass - 36.0) < 1e-13);
    double first[3] = { 0.0 }, J = 0.0;
    for (int i = 0; i < CORNERS; i++) {
        const double *r = c.position + 3 * i;
        for (int d = 0; d < 3; d++) {
            first[d] += (1.0 + i) * r[d];
        }
        J += (1.0 + i) * (r[0] * r[0] + r[1] * r[1]);
    }
    for (int d = 0; d < 3; d++) {
        assert_true(fabs(f->first[d] - first[d]) < 1e-12);
        assert_true(fabs(f->position[d] - (d == 0 ? 1.0 : d == 1 ? 0.55 : 1.2)) < 1e-14);
    }
    assert_true(fabs(f->second[5] - J) < 1e-12);
    double frequency[9], effective[54];
    assert_int_equal(soa_flexible_frequencies(f, frequency, effective, &error), SOA_OK);
    for (int i = 0; i < 9; i++) {
        assert_true(i == 0 || frequency[i - 1] <= frequency[i]);
        assert_true(effective[6 * i + 3] >= 0.0 && effective[6 * i + 3] < 26.0);
    }
    soa_flexible_free(NULL, f);
}

/* All 12 modes kept: the motion of TOP under a force on it is that of K^-1; effective masses sum to what is not clamped. */
static void all_modes(void **state)
{
    (void)state;
    cube c;
    soa_flexible *f;
    soa_error error;
    double frequency[12], effective[72], sum[3] = { 0.0 };
    make_cube(&c);
    assert_int_equal(reduce(&c.fe, 12, "base", NULL, NULL, &f, &error), SOA_OK);
    assert_int_equal(soa_flexible_frequencies(f, frequency, effective, &error), SOA_OK);
    for (int i = 0; i < 12; i++) {
        for (int d = 0; d < 3; d++) {
            sum[d] += effective[6 * i + 3 + d];
        }
    }
    for (int d = 0; d < 3; d++) {
        assert_true(fabs(sum[d] - 26.0) < 1e-11);
    }
    soa_flexible_free(NULL, f);
}

/* Of equal masses that hang on a clamped top, the momentum is that of their mean motion. */
static void interfaces_move_as_their_nodes_do(void **state)
{
    (void)state;
    cube c;
    soa_flexible *f;
    soa_error error;
    static const char *const base[] = { "BASE" };
    make_cube(&c);
    for (int i = 0; i < DOFS; i++) {
        c.mass[i] = 1.0;
    }
    assert_int_equal(reduce(&c.fe, 4, "TOP", base, NULL, &f, &error), SOA_OK);
    for (int i = 0; i < f->modes; i++) {
        for (int d = 0; d < 3; d++) {
            assert_true(fabs(f->ef[3 * i + d] - 4.0 * f->shape[6 * i + 3 + d]) < 1e-12);
        }
    }
    soa_flexible_free(NULL, f);
}

/* Of twelve directions eleven modes and the loads of an interface leave one: together they are all modes. */
static void one_more_mode_is_a_mode(void **state)
{
    (void)state;
    cube c;
    soa_flexible *all, *others;
    soa_error error;
    make_cube(&c);
    assert_int_equal(reduce(&c.fe, 12, "BASE", NULL, NULL, &all, &error), SOA_OK);
    assert_int_equal(reduce(&c.fe, 11, "BASE", top, NULL, &others, &error), SOA_OK);
    assert_int_equal(others->modes, 12);
    for (int i = 0; i < 12; i++) {
        assert_true(fabs(others->stiffness[13 * i] / all->stiffness[13 * i] - 1.0) < 1e-10);
    }
    soa_flexible_free(NULL, all);
    soa_flexible_free(NULL, others);
}

static void refuse(const soa_fe *fe, int modes, const char *clamp, const char *const *interface, const char *text)
{
    soa_flexible *f;
    soa_error error;
    assert_int_not_equal(reduce(fe, modes, clamp, interface, NULL, &f, &error), SOA_OK);
    assert_null(f);
    assert_int_equal(error.body, -1);
    if (!strstr(error.text, text)) {
        fail_msg("'%s' does not say '%s'", error.text, text);
    }
}

static void refusals(void **state)
{
    (void)state;
    cube c;
    const char *const line[] = { "LINE" };
    static const char *const with_line[] = { "BASE", "LINE" };
    make_cube(&c);
    refuse(&c.fe, 3, NULL, NULL, "name what to clamp");
    refuse(&c.fe, 3, "nowhere", NULL, "no set or node 'nowhere'; a set is 'BASE'");
    refuse(&c.fe, 0, "BASE", NULL, "'modes' is 0");
    refuse(&c.fe, 13, "BASE", NULL, "only 12 modes with mass");
    c.fe.set_name = with_line;
    c.set_start[2] = 6;
    refuse(&c.fe, 3, "BASE", line, "its 2 nodes lie on a line");
    c.set_start[2] = 5;
    refuse(&c.fe, 3, "BASE", line, "its 1 node lies on a line");
    c.set_start[2] = 6;
    refuse(&c.fe, 3, "LINE", NULL, "not positive definite");
    c.stiffness[0] *= 1.001; /* a support: spring to the ground */
    refuse(&c.fe, 3, "BASE", NULL, "resists when it");
    make_cube(&c);
    int held = 0;
    while (c.row[held] != 6 || c.column[held] != 6) {
        held++;
    }
    c.stiffness[held] += 1.0; /* the third corner, which stands beside the axis z, is held along x */
    refuse(&c.fe, 3, "BASE", NULL, "turns about z as a whole, at degree of freedom 7;");
    c.stiffness[1] += 50.0;
    refuse(&c.fe, 3, "BASE", NULL, "not symmetric");
    make_cube(&c);
    c.row[5] = DOFS;
    refuse(&c.fe, 3, "BASE", NULL, "has row 25");
    make_cube(&c);
    c.stiffness[7] = NAN;
    char words[64];
    snprintf(words, sizeof words, "not finite at row %d, column %d", c.row[7] + 1, c.column[7] + 1);
    refuse(&c.fe, 3, "BASE", NULL, words);
    make_cube(&c);
    c.mass[0] = 0.0;
    refuse(&c.fe, 3, "BASE", NULL, "gives 35, 36 and 36 kg along x, y and z; export");
    make_cube(&c);
    c.direction[1] = 3;
    refuse(&c.fe, 3, "BASE", NULL, "are the same");
    make_cube(&c);
    c.position[4] = INFINITY;
    refuse(&c.fe, 3, "BASE", NULL, "position of node 2");
    make_cube(&c);
    c.position[3 * CORNERS - 1] = NAN;
    refuse(&c.fe, 3, "BASE", NULL, "position of node 8");
    make_cube(&c);
    c.direction[2] = 7;
    refuse(&c.fe, 3, "BASE", NULL, "degree of freedom 3 moves node 1 in direction 7, which is none");
    c.direction[0] = -1;
    refuse(&c.fe, 3, "BASE", NULL, "degree of freedom 1 moves node 1 in direction -1, which is none");
    c.direction[0] = 3;
    c.node[1] = CORNERS;
    refuse(&c.fe, 3, "BASE", NULL, "degree of freedom 2 moves node 9 in direction 4, which is none");
    c.node[1] = -1;
    refuse(&c.fe, 3, "BASE", NULL, "degree of freedom 2 moves node 0 in direction 4, which is none");
    make_cube(&c);
    refuse(&c.fe, 60, "BASE", top, "60 modes and 6 constraint modes are more than 64; keep fewer modes");
    c.fe.dofs = 49;
    refuse(&c.fe, 3, "BASE", NULL, "a model of 8 nodes has 49 degrees of freedom; each node has at most six");
}

/* A rigid piece with mass 2 and moments 3, 4, 5 on springs of its own for each direction: w^2 = k / m, and the node moves
 * as its own six numbers say. */
static void a_node_with_rotations(void **state)
{
    (void)state;
    enum { OWN = 6, ALL = 2 * OWN };
    static const double inertia[OWN] = { 3.0, 4.0, 5.0, 2.0, 2.0, 2.0 };
    static const char *const name[] = { "root", "tip" };
    double position[6] = { 0.0 }, k[4 * OWN], m[ALL], frequency[OWN], w2[OWN];
    int node[ALL], direction[ALL], row[4 * OWN], column[4 * OWN], at[ALL];
    for (int i = 0; i < ALL; i++) {
        node[i] = i / OWN;
        direction[i] = i % OWN;
        m[i] = inertia[i % OWN];
        at[i] = i;
    }
    for (int i = 0; i < 4 * OWN; i++) {
        row[i] = i % OWN + (i / OWN % 2) * OWN;
        column[i] = i % OWN + (i / OWN / 2) * OWN;
        k[i] = (row[i] == column[i] ? 1.0 : -1.0) * 100.0 * (1 + i % OWN);
    }
    const soa_fe fe = { .nodes = 2,
        .position = position,
        .dofs = ALL,
        .node = node,
        .direction = direction,
        .stiffness = { 4 * OWN, row, column, k, true },
        .mass = { ALL, at, at, m, false },
        .node_name = name };
    const soa_reduction wish = { .modes = OWN, .clamp = "root", .outputs = 1, .output = name + 1 };
    soa_flexible *f;
    soa_error error;
    if (soa_flexible_reduce(&fe, &wish, NULL, &f, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(soa_flexible_frequencies(f, frequency, NULL, &error), SOA_OK);
    for (int i = 0; i < OWN; i++) {
        w2[i] = 100.0 * (1 + i) / inertia[i];
    }
    for (int i = 0; i < OWN; i++) { /* each is there: 33.3, 50, 60, 200, 250, 300 */
        assert_true(fabs(pow(2.0 * acos(-1.0) * frequency[i], 2.0) - w2[i]) < 1e-9);
        double size = 0.0; /* mode i moves the node in direction i alone, by 1 / sqrt(m) */
        for (int d = 0; d < OWN; d++) {
            size += f->shape[OWN * i + d] * f->shape[OWN * i + d];
        }
        assert_true(fabs(size - 1.0 / inertia[i]) < 1e-12);
    }
    soa_flexible_free(NULL, f);
}

static void refused_beams(void **state)
{
    (void)state;
    soa_beam beam = soa_beam_default();
    const soa_reduction wish = { .modes = 2 };
    soa_flexible *f;
    soa_error error;
    assert_int_equal(soa_flexible_beam(&beam, &wish, NULL, &f, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "'length' is 0"));
    beam.length = beam.E = beam.G = beam.rho = 1.0;
    beam.section[0] = (soa_beam_section){ 1.0, 1.0, NAN, 1.0 };
    assert_int_equal(soa_flexible_beam(&beam, &wish, NULL, &f, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "'Iz'"));
    soa_plate plate = soa_plate_default();
    plate.length = plate.width = plate.thickness = plate.E = plate.rho = 1.0;
    plate.nu = 0.6;
    assert_int_equal(soa_flexible_plate(&plate, &wish, NULL, &f, &error), SOA_E_NUMBER);
    plate.nu = 0.3;
    plate.elements[0] = plate.elements[1] = 20;
    assert_int_equal(soa_flexible_plate(&plate, &wish, NULL, &f, &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "module fe"));
}

/* Every allocation fails once; nothing leaks and the error is that of memory. */
static void failing_allocations(void **state)
{
    (void)state;
    cube c;
    soa_beam beam = soa_beam_default();
    const char *const last[] = { "last" };
    const soa_reduction wish = { .modes = 2, .interfaces = 1, .interface = last };
    soa_plate plate = soa_plate_default();
    make_cube(&c);
    beam.length = beam.E = beam.G = beam.rho = 1.0;
    beam.section[0] = (soa_beam_section){ 1.0, 1.0, 2.0, 1.0 };
    beam.elements = 2;
    beam.stiffening = true;
    plate.length = plate.width = plate.thickness = plate.E = plate.rho = 1.0;
    plate.elements[0] = plate.elements[1] = 2;
    for (int kind = 0; kind < 3; kind++) {
        soa_status status = SOA_E_MEMORY;
        int left = 0;
        for (; status != SOA_OK; left++) {
            counting count;
            const soa_allocator allocator = counting_lack(&count, left);
            soa_flexible *f;
            soa_error error;
            status = kind == 0   ? soa_flexible_beam(&beam, &wish, &allocator, &f, &error)
                     : kind == 1 ? soa_flexible_plate(&plate, &wish, &allocator, &f, &error)
                                 : reduce(&c.fe, 2, "BASE", top, &allocator, &f, &error);
            assert_int_equal(status, count.refused == 0 ? SOA_OK : SOA_E_MEMORY);
            soa_flexible_free(&allocator, f);
            assert_int_equal(count.open, 0);
        }
        assert_true(left > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more_mode_is_a_mode),
        cmocka_unit_test(interfaces_move_as_their_nodes_do),
        cmocka_unit_test(point_masses),
        cmocka_unit_test(all_modes),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_node_with_rotations),
        cmocka_unit_test(refused_beams),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
