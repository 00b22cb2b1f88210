/* Finite-element files: CalculiX's own frequencies, one model in four formats, what is refused, failing allocations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
#include "flex/cube.h"
#include "soa/io.h"

static char folder[] = "soa-fe-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* ---- CalculiX ----------------------------------------------------------------------------------------------- */

/* What ccx 2.20 prints for the same model with ROOT held: *BOUNDARY ROOT, 1, 3, *FREQUENCY. */
static void calculix_frequencies(void **state)
{
    (void)state;
    static const double printed[10] = { 0.4938603E+02, 0.1428859E+03, 0.3532419E+03, 0.8149368E+03, 0.9087345E+03,
        0.1338325E+04, 0.2155764E+04, 0.2494423E+04, 0.2748823E+04, 0.3183084E+04 };
    const soa_reduction wish = { .modes = 10, .clamp = "ROOT" };
    soa_fe *fe;
    soa_flexible *f;
    soa_error error;
    if (soa_fe_load(SOA_SOURCE "/examples/flex/blade.inp", NULL, &fe, &error) != SOA_OK ||
        soa_flexible_reduce(fe, &wish, NULL, &f, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    double frequency[10];
    assert_int_equal(soa_flexible_frequencies(f, frequency, NULL, &error), SOA_OK);
    for (int i = 0; i < 10; i++) {
        assert_true(fabs(frequency[i] / printed[i] - 1.0) < 1e-6);
    }
    assert_true(fabs(f->mass - 0.6 * 0.06 * 0.02 * 2700.0) < 1e-9);
    assert_true(fabs(f->first[0] / f->mass - 0.3) < 1e-9);
    soa_flexible_free(NULL, f);
    soa_fe_free(fe);
}

/* ---- one model in other formats ------------------------------------------------------------------------------ */

static double dense[2][DOFS][DOFS];

static void make_dense(const cube *c)
{
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < c->fe.stiffness.entries; i++) {
        dense[0][c->row[i]][c->column[i]] += c->stiffness[i];
    }
    for (int i = 0; i < DOFS; i++) {
        dense[1][i][i] = c->mass[i];
    }
}

static void write_nodes(const cube *c)
{
    FILE *file = fopen(path_of("cube.nodes"), "w");
    assert_non_null(file);
    fprintf(file, "# name x y z set\n");
    for (int i = 0; i < CORNERS; i++) {
        fprintf(file, "%d, %.17g, %.17g, %.17g %s\n", i + 1, c->position[3 * i], c->position[3 * i + 1],
            c->position[3 * i + 2], i < 4 ? "BASE" : "TOP");
    }
    fclose(file);
}

static void write_matrix_market(void)
{
    FILE *file = fopen(path_of("cube.stiffness.mtx"), "w");
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%% dense\n%d %d\n", DOFS, DOFS);
    for (int i = 0; i < DOFS * DOFS; i++) {
        fprintf(file, "%.17g\n", dense[0][i % DOFS][i / DOFS]);
    }
    fclose(file);
    file = fopen(path_of("cube.mass.mtx"), "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", DOFS, DOFS, DOFS);
    for (int i = 0; i < DOFS; i++) {
        fprintf(file, "%d %d %.17g\n", i + 1, i + 1, dense[1][i][i]);
    }
    fclose(file);
}

static void write_op4(void)
{
    FILE *file = fopen(path_of("cube.op4"), "w");
    for (int k = 0; k < 2; k++) {
        fprintf(file, "%8d%8d%8d%8d%-8s%s\n", DOFS, DOFS, 6, 2, k == 0 ? "KAA" : "MAA", "1P,3E23.16");
        for (int c = 0; c < DOFS; c++) {
            fprintf(file, "%8d%8d%8d\n", c + 1, 1, DOFS);
            for (int r = 0; r < DOFS; r++) {
                fprintf(file, "%23.16E%s", dense[k][r][c], r % 3 == 2 ? "\n" : "");
            }
        }
        fprintf(file, "%8d%8d%8d\n%23.16E\n", DOFS + 1, 1, 1, 1.0);
    }
    fclose(file);
}

/* Free and wide fields; each pair once. */
static void write_nastran(const cube *c)
{
    FILE *file = fopen(path_of("cube.bdf"), "w");
    fprintf(file, "$ a cube\nBEGIN BULK\n");
    for (int i = 0; i < CORNERS; i++) {
        fprintf(file, "GRID*   %16d%16s%16.9g%16.9g*\n*       %16.9g\n", i + 1, "", c->position[3 * i],
            c->position[3 * i + 1], c->position[3 * i + 2]);
    }
    fprintf(file,
        "SET1,1,1,2,3,4\nSET1    2       5       6       7       8\nDMIG,KAAX,0,6,2,0,,,24\nDMIG,MAAX,0,6,2,0,,,24\n");
    for (int k = 0; k < 2; k++) {
        for (int col = 0; col < DOFS; col++) {
            fprintf(file, "DMIG*   %-16s%16d%16d%16s*\n", k == 0 ? "KAAX" : "MAAX", col / 3 + 1, col % 3 + 1, "");
            for (int row = col; row < DOFS; row++) {
                char number[32], *e;
                snprintf(number, sizeof number, "%.9E", dense[k][row][col]);
                e = strchr(number, 'E');
                *e = 'D';
                fprintf(file, "*       %16d%16d%16s%16s*\n", row / 3 + 1, row % 3 + 1, number, "");
            }
        }
    }
    fprintf(file, "ENDDATA\n");
    fclose(file);
}

static void frequencies_of(const soa_fe *fe, const char *clamp, double *frequency)
{
    const soa_reduction wish = { .modes = 12, .clamp = clamp };
    soa_flexible *f;
    soa_error error;
    if (soa_flexible_reduce(fe, &wish, NULL, &f, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(soa_flexible_frequencies(f, frequency, NULL, &error), SOA_OK);
    soa_flexible_free(NULL, f);
}

static void one_model_in_all_formats(void **state)
{
    (void)state;
    static const struct {
        const char *file, *clamp;
        double near;
    } formats[] = { { "cube.stiffness.mtx", "BASE", 1e-12 }, { "cube.op4", "BASE", 1e-12 },
        { "cube.bdf", "SET1", 1e-8 } };
    cube c;
    double expected[12], got[12];
    make_cube(&c);
    make_dense(&c);
    write_nodes(&c);
    write_matrix_market();
    write_op4();
    write_nastran(&c);
    frequencies_of(&c.fe, "BASE", expected);
    for (int i = 0; i < 3; i++) {
        soa_fe *fe;
        soa_error error;
        if (soa_fe_load(path_of(formats[i].file), NULL, &fe, &error) != SOA_OK) {
            fail_msg("%s:%d: %s", error.file, error.line, error.text);
        }
        frequencies_of(fe, formats[i].clamp, got);
        for (int k = 0; k < 12; k++) {
            assert_true(fabs(got[k] / expected[k] - 1.0) < formats[i].near);
        }
        soa_fe_free(fe);
    }
}

/* Lines that end in CR LF, sets of sets, a symmetric array: one mass on a spring in each direction. */
static void other_spellings(void **state)
{
    (void)state;
    soa_fe *fe;
    put("e.inp", "*NODE\r\n1, 0, 0, 0\r\n\r\n2000000000, 1.0\r\n*NSET, NSET=all, GENERATE\r\n"
                 "2000000000, 2000000000, 2000000000\r\n*NSET, NSET \t= both\r\nall, 1\r\n");
    put("e.dof", "1.1\n\n2000000000.1\n");
    put("e.sti", "1 1 3.0\n\n2 2 4.0\n");
    put("e.mas", "1 1 1.0\n2 2 1.0\n");
    assert_int_equal(soa_fe_load(path_of("e.inp"), NULL, &fe, NULL), SOA_OK);
    assert_int_equal(fe->sets, 2);
    assert_string_equal(fe->set_name[1], "BOTH");
    assert_int_equal(fe->set_start[2] - fe->set_start[1], 2);
    assert_int_equal(fe->dofs, 2);
    soa_fe_free(fe);
    put("f.stiffness.mtx", "%%MatrixMarket matrix array real symmetric\n3 3\n5\n1\n0\n6\n2\n7\n");
    put("f.mass.mtx", "%%MatrixMarket matrix array real general\n3 3\n1\n0\n0\n0\n1\n0\n0\n0\n1\n");
    put("f.nodes", "a 0 0 0\n");
    assert_int_equal(soa_fe_load(path_of("f.stiffness.mtx"), NULL, &fe, NULL), SOA_OK);
    static const double expected[3][3] = { { 5, 1, 0 }, { 1, 6, 2 }, { 0, 2, 7 } };
    double K[3][3] = { { 0 } };
    for (int i = 0; i < fe->stiffness.entries; i++) {
        K[fe->stiffness.row[i]][fe->stiffness.column[i]] = fe->stiffness.value[i];
        K[fe->stiffness.column[i]][fe->stiffness.row[i]] = fe->stiffness.value[i];
    }
    assert_memory_equal(K, expected, sizeof K);
    soa_fe_free(fe);
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void refuse(const char *name, int line, const char *text)
{
    soa_fe *fe;
    soa_error error;
    assert_int_not_equal(soa_fe_load(path_of(name), NULL, &fe, &error), SOA_OK);
    assert_null(fe);
    if (!strstr(error.text, text) || error.line != line) {
        fail_msg("%s:%d: '%s' does not say '%s' at line %d", error.file, error.line, error.text, text, line);
    }
}

static void refused_calculix(void **state)
{
    (void)state;
    put("a.inp", "*NODE\n1, 0, 0, 0\n2, 1.0\n");
    refuse("a.inp", 0, "a.dof' is missing");
    put("a.dof", "1.1\n2.1\n");
    put("a.sti", "1 1 1.0\n");
    put("a.mas", "1 1 1.0\n1 3 2.0\n");
    refuse("a.inp", 2, "'row column value' with rows from 1 to 2");
    put("a.dof", "1.1\n3.1\n");
    refuse("a.inp", 2, "node 3 is not in the .inp");
    put("a.dof", "1.1\n2.7\n");
    refuse("a.inp", 2, "direction 1 to 3");
    put("a.inp", "*NODE\n1, 0, 0, zero\n");
    refuse("a.inp", 2, "'zero' is no coordinate");
    put("a.inp", "*NODE\n1, 0, 0\n1, 1, 0\n");
    refuse("a.inp", 3, "node 1 is there twice");
    put("a.inp", "*NODE\n1, 0, 0\n*NSET, NSET=tip\n1, 7\n");
    refuse("a.inp", 4, "no node or set '7'");
    put("a.inp", "*NODE\n1, 0, 0\n*NSET\n1\n");
    refuse("a.inp", 3, "*NSET has no name");
    put("a.inp", "*TRANSFORM, NSET=x\n");
    refuse("a.inp", 1, "*TRANSFORM");
    put("a.inp", "*INCLUDE, INPUT=a.inp\n");
    refuse("a.inp", 1, "*INCLUDE");
    put("a.inp", "*NODE\none, 0, 0\n");
    refuse("a.inp", 2, "'one' is no node number");
    put("a.inp", "*NODE\n1, 0, 0\n*NSET, NSET=tip, GENERATE\n1\n");
    refuse("a.inp", 4, "write first, last, step");
    put("a.inp", "*NODE\n1, 0, 0\n*NSET, NSET=tip, GENERATE\n1, 1, 0\n");
    refuse("a.inp", 4, "the step must be positive");
    put("a.xyz", "");
    refuse("a.xyz", 0, "kind of finite-element file is unknown");
}

static void refused_matrices(void **state)
{
    (void)state;
    put("b.mtx", "");
    refuse("b.mtx", 0, "name the pair");
    put("b.mass.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 1 2\n");
    put("b.stiffness.mtx", "%%MatrixMarket matrix coordinate complex symmetric\n3 3 1\n1 1 2\n");
    refuse("b.stiffness.mtx", 1, "begin with");
    put("b.stiffness.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n1 1 2\n");
    refuse("b.stiffness.mtx", 2, "square matrix");
    put("b.stiffness.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 2\n");
    refuse("b.stiffness.mtx", 3, "2 entries are announced, 1 are there");
    put("b.stiffness.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 4 2\n");
    refuse("b.stiffness.mtx", 3, "'row column value'");
    put("b.stiffness.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 1 2\n");
    put("b.nodes", "a 0 0\n");
    refuse("b.stiffness.mtx", 1, "no number for z");
    put("b.nodes", "a 0 0 0\nb 1 0 0\n");
    refuse("b.stiffness.mtx", 2, "2 nodes do not fit matrices of 3 rows");
    put("b.nodes", "# name x y z\n\na 0 0 0\na 1 0 0\n");
    refuse("b.stiffness.mtx", 4, "node 'a' is there twice");
    put("b.mass.mtx", "%%MatrixMarket matrix array real symmetric\n6 6\n");
    refuse("b.stiffness.mtx", 2, "21 entries are announced, 0 are there");
    put("b.mass.mtx", "%%MatrixMarket matrix array integer general\n% large\n\n100000 100000\n1\n");
    refuse("b.stiffness.mtx", 5, "10000000000 entries are announced, 1 are there");
    put("b.mass.mtx", "%%MatrixMarket matrix array real symmetric\n3 3\nnone\n");
    refuse("b.stiffness.mtx", 3, "this is not a number");
    put("b.mass.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 2\n");
    refuse("b.stiffness.mtx", 0, "the mass matrix has 2 rows, the stiffness 3");
    put("b.mass.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% sizes?\n");
    refuse("b.stiffness.mtx", 2, "the sizes are missing");
    put("b.mass.mtx", "");
    refuse("b.stiffness.mtx", 0, "the file is empty");
    put("c.op4", "       3       3       6       2KAA     1P,3E23.16\n       1       0       8\n");
    refuse("c.op4", 2, "sparse form");
    put("c.op4", "       3       3       6       4KAA     1P,3E23.16\n");
    refuse("c.op4", 1, "type 4");
    put("c.op4", "       3       3       6       2KAA     1P,3E23.16\n       1       1       2\n 1.0\n");
    refuse("c.op4", 3, "number 2 is missing");
    put("c.op4", "\n       3       3       6\n");
    refuse("c.op4", 2, "no matrix begins here");
    put("c.op4", "       3       2       6       2KAA     1P,3E23.16\n");
    refuse("c.op4", 1, "matrix KAA is not square: 2 rows, 3 columns");
    put("c.op4", "       3       3       6       2KAA     1P,3E23.16\n       1       1       2\n");
    refuse("c.op4", 2, "matrix KAA ends early");
    put("c.op4", "       3       3       6       2KAA\n       1\n");
    refuse("c.op4", 2, "a column is expected");
    put("c.op4", "       3       3       6       2KAA\n      -1       1       2\n");
    refuse("c.op4", 2, "matrix KAA has a column -1");
    put("c.op4", "       3       3       6       2KAA\n");
    refuse("c.op4", 1, "matrix KAA has no end");
    put("c.op4", "       3       3       6       2KAA\n       4       1       1\n 1.0\n");
    refuse("c.op4", 0, "they have 3 and 0 rows");
    put("d.bdf", "GRID,1,,0.,0.,0.\nDMIG,KAAX,0,6,2\nDMIG,KAAX,1,1,,2,1,5.0\n");
    refuse("d.bdf", 3, "not a GRID above");
    put("d.bdf", "GRID,1,,0.,0.,0.\nSET1,7,1,2\n");
    refuse("d.bdf", 2, "SET1 7: there is no GRID 2 above");
    put("d.bdf",
        "GRID,1,,0.,0.,0.\nDMIG,BAAX,0,9,2\nDMIG,KAAX,1,1,,,,,+\n+,1,1,zero\n"); /* B and empty fields do not count */
    refuse("d.bdf", 4, "'1 1 zero' is not a GRID above");
    put("d.bdf", "GRID,1,,0.,0.,0.\nDMIG,KAAX,0,2,2\n");
    refuse("d.bdf", 2, "form 2");
    put("d.bdf", "GRID,1,,0.,0.,0.\nDMIG,KAAX,1,1,,1,1,5.0\n");
    refuse("d.bdf", 0, "the second is missing");
    put("d.bdf", "GRID,1,,0.,zero,0.\n");
    refuse("d.bdf", 1, "its coordinates are no numbers");
    put("d.bdf", "GRID,1,,,1.5-3,0.\nGRID,1,,0.,0.,0.\n");
    refuse("d.bdf", 2, "GRID 1 is there twice");
    put("d.bdf", "GRID,1,,0.,0.,0.,7\n");
    refuse("d.bdf", 1, "axes of its own");
    put("d.bdf", "GRID,1,3,0.,0.,0.\n");
    refuse("d.bdf", 1, "axes of its own");
}

static void failing_allocations(void **state)
{
    (void)state;
    static const char *const files[] = { "cube.bdf", "cube.op4", "cube.stiffness.mtx", "a.inp" };
    put("a.inp", "*INCLUDE, INPUT=b.inp\n*NSET, NSET=tip, GENERATE\n1, 2, 1\n");
    put("b.inp", "*NODE, NSET=all\n1, 0, 0, 0\n2, 1.0\n");
    put("a.dof", "1.1\n2.1\n");
    put("a.sti", "1 1 1.0\n");
    put("a.mas", "1 1 1.0\n");
    for (int i = 0; i < 4; i++) {
        soa_status status = SOA_E_MEMORY;
        for (int left = 0; status != SOA_OK; left++) {
            counting count;
            const soa_allocator allocator = counting_lack(&count, left);
            soa_fe *fe;
            soa_error error;
            status = soa_fe_load(path_of(files[i]), &allocator, &fe, &error);
            if (status != SOA_OK && status != SOA_E_MEMORY) {
                fail_msg("%s: %s", files[i], error.text);
            }
            assert_int_equal(status == SOA_OK, count.refused == 0);
            soa_fe_free(fe);
            assert_int_equal(count.open, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calculix_frequencies),
        cmocka_unit_test(one_model_in_all_formats),
        cmocka_unit_test(other_spellings),
        cmocka_unit_test(refused_calculix),
        cmocka_unit_test(refused_matrices),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
