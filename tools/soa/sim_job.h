/* sim_job.h - a run of soa sim: what its files share. */
#ifndef SOA_TOOL_SIM_JOB_H
#define SOA_TOOL_SIM_JOB_H

#include "compute.h"
#include "record.h"
#include "soa/scenario.h"

/* The least margin of a contact, among the rows. */
typedef struct sim_margin {
    int closure, signal;
    double least, t; /* HUGE_VAL: it never was in contact */
} sim_margin;

typedef struct sim_job {
    tool_call *call;
    const char *out; /* folder, or NULL */
    bool resume;
    double interval; /* seconds between checkpoints; 0: none */
    soa_scenario *scenario;
    soa_sim *sim;
    bool compiled; /* forward dynamics are code for the model */
    int columns;
    int *column;       /* numbers of signals */
    const char **name; /* of these signals */
    double *row;       /* their values */
    recording rows;
    long next; /* number of the row that comes next */
    int margins;
    sim_margin *margin;
    double momentum[12];       /* at first; soa_momentum */
    unsigned long long origin; /* what tells this run from another: of scenario, model, columns */
    double before;             /* seconds that the run took until it was resumed */
    double began;              /* by the clock */
    double wall;
    soa_sim_report report;
    const char *status;
} sim_job;

/* ---- sim_resume.c ---- */

/* DIR/checkpoint: the state of the run between two rows. Every row that it counts is in the files. Of integrators from
 * outside there is none. */
void sim_checkpoint_write(sim_job *j);

/* Goes on from DIR/checkpoint; false: there is none. *csv_bytes: of result.csv. */
bool sim_checkpoint_read(sim_job *j, off_t *csv_bytes);
void sim_checkpoint_remove(const sim_job *j);

/* Sets j->origin; the simulation is at its beginning. */
void sim_find_origin(sim_job *j);

/* ---- sim_summary.c ---- */

/* soa_momentum of the present state; zeros if nothing that moves has mass. */
void sim_momentum(const sim_job *j, double momentum[12]);

/* summary.json, and the summary for people or, with --json, for programs. */
void sim_summarize(sim_job *j);

#endif
