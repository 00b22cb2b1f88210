/* report.c - the results as a table and as JSON. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bench.h"

/* ---- table ----------------------------------------------------------------------------- */

static void print_machine(const bench_run *run, FILE *out)
{
    const bench_machine *m = &run->machine;
    fprintf(out, "%s, %d cores, load %.2f, %s; %d lanes; soa built with %s\n", m->cpu, m->cores, m->load, m->date,
        m->lanes, BENCH_C_COMPILER);
    for (int p = BENCH_FIRST_PEER; p < run->peers; p++) {
        fprintf(out, "%s%s %s", p > BENCH_FIRST_PEER ? ", " : "", run->peer[p]->name, run->peer[p]->version);
    }
    fprintf(out, "; adapters built with %s\n", BENCH_CXX_COMPILER);
}

static void print_cell(const bench_cell *cell, double ratio, FILE *out)
{
    if (cell->verdict == BENCH_TIMED) {
        fprintf(out, " %10.2f", ratio);
    } else {
        fprintf(out, " %10s", cell->verdict == BENCH_DIFFERS ? "differs" : "-");
    }
}

static void print_row(const bench_run *run, const bench_table *table, const bench_row *row, bool batch, FILE *out)
{
    const bench_cell *soa = &row->cell[batch ? BENCH_BATCH : BENCH_SOA];
    char name[64];
    snprintf(name, sizeof name, "%s%s", bench_algorithm_text(row->algorithm), batch ? ", batch" : "");
    fprintf(out, "%-12.12s %-28s %10.0f", table->robot, name, soa->ns);
    for (int p = BENCH_FIRST_PEER; p < run->peers; p++) {
        const bench_cell *cell = &row->cell[p];
        print_cell(cell, batch ? cell->batch_ratio : cell->ratio, out);
    }
    fprintf(out, "\n");
}

/* What closures cost each library. */
static void print_open(const bench_run *run, const bench_table *table, FILE *out)
{
    const bench_row *row = &table->row[BENCH_CLOSED_DYNAMICS];
    for (int p = 0; p < run->peers; p++) {
        if (row->cell[p].verdict == BENCH_TIMED) {
            fprintf(out, "%-12.12s %s: the closed system takes %.2f times the time of the open one\n", table->robot,
                run->peer[p]->name, row->cell[p].open_ratio);
        }
    }
}

static void print_agreement(const bench_run *run, int p, FILE *out)
{
    double worst = 0.0;
    for (int t = 0; t < run->tables; t++) {
        for (int a = 0; a < BENCH_ALGORITHMS; a++) {
            const bench_cell *cell = &run->table[t].row[a].cell[p];
            if (cell->verdict == BENCH_TIMED) {
                worst = fmax(worst, cell->difference);
            } else if (cell->verdict == BENCH_DIFFERS) {
                fprintf(out, "%s differs by %.1e: %s, %s\n", run->peer[p]->name, cell->difference, run->table[t].robot,
                    bench_algorithm_text((bench_algorithm)a));
            }
        }
    }
    fprintf(out, "%-12s agrees with soa to %.1e in all that was timed\n", run->peer[p]->name, worst);
}

void bench_print(const bench_run *run, FILE *out)
{
    print_machine(run, out);
    fprintf(out, "\nTime of each library over time of soa (above 1: soa is faster)\n\n%-12s %-28s %10s", "robot",
        "algorithm", "soa ns");
    for (int p = BENCH_FIRST_PEER; p < run->peers; p++) {
        fprintf(out, " %10.10s", run->peer[p]->name);
    }
    fprintf(out, "\n");
    for (int t = 0; t < run->tables; t++) {
        const bench_table *table = &run->table[t];
        for (int a = 0; a < BENCH_ALGORITHMS; a++) {
            if (table->row[a].cell[BENCH_SOA].verdict == BENCH_TIMED) {
                print_row(run, table, &table->row[a], false, out);
            }
        }
        for (int a = 0; a < BENCH_ALGORITHMS; a++) {
            if (table->row[a].cell[BENCH_BATCH].verdict == BENCH_TIMED) {
                print_row(run, table, &table->row[a], true, out);
            }
        }
        print_open(run, table, out);
        fprintf(out, "\n");
    }
    for (int p = BENCH_FIRST_PEER; p < run->peers; p++) {
        print_agreement(run, p, out);
    }
}

/* ---- JSON ------------------------------------------------------------------------------ */

static json_t *machine_json(const bench_machine *m)
{
    return json_pack("{s:s, s:i, s:f, s:s, s:i, s:s, s:s}", "cpu", m->cpu, "cores", m->cores, "load", m->load, "date",
        m->date, "lanes", m->lanes, "c_compiler", BENCH_C_COMPILER, "cxx_compiler", BENCH_CXX_COMPILER);
}

static json_t *cell_json(const bench_run *run, const bench_table *table, const bench_row *row, int p)
{
    const bench_cell *cell = &row->cell[p];
    const bool timed = cell->verdict == BENCH_TIMED;
    json_t *j = json_pack("{s:s, s:i, s:s, s:s, s:s, s:b}", "robot", table->robot, "nv", table->nv, "algorithm",
        bench_algorithm_text(row->algorithm), "library", run->peer[p]->name, "version", run->peer[p]->version, "agrees",
        timed);
    if (isfinite(cell->difference)) {
        json_object_set_new(j, "difference", json_real(cell->difference));
    }
    if (timed) {
        json_object_set_new(j, "ns", json_real(cell->ns));
        json_object_set_new(j, "ratio", json_real(cell->ratio));
    }
    if (timed && cell->open_ratio > 0.0) {
        json_object_set_new(j, "open_ratio", json_real(cell->open_ratio));
    }
    if (timed && cell->batch_ratio > 0.0) {
        json_object_set_new(j, "batch_ratio", json_real(cell->batch_ratio));
    }
    return j;
}

bool bench_write_json(const bench_run *run, const char *path)
{
    json_t *results = json_array();
    for (int t = 0; t < run->tables; t++) {
        for (int a = 0; a < BENCH_ALGORITHMS; a++) {
            const bench_row *row = &run->table[t].row[a];
            for (int p = 0; p < run->peers; p++) {
                if (row->cell[p].verdict != BENCH_ABSENT) {
                    json_array_append_new(results, cell_json(run, &run->table[t], row, p));
                }
            }
        }
    }
    json_t *root = json_pack("{s:s, s:o, s:i, s:i, s:o}", "version", run->peer[BENCH_SOA]->version, "machine",
        machine_json(&run->machine), "states", BENCH_STATES, "batch", BENCH_BATCH_STATES, "results", results);
    const bool written = root != NULL && json_dump_file(root, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    if (!written) {
        fprintf(stderr, "bench_peers: cannot write %s\n", path);
    }
    json_decref(root);
    return written;
}
