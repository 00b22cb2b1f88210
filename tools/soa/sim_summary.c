/* sim_summary.c - how a run of soa sim went, for people and for programs. */
#include <math.h>
#include <string.h>

#include "sim_job.h"
#include "vary.h"

/* ---- what is told --------------------------------------------------------------------------------- */

/* The names of works are "work.KIND.NAME". */
static const char WORK[] = "work.";

static bool is_work(const sim_job *j, int signal)
{
    return strncmp(soa_sim_signal_name(j->sim, signal), WORK, sizeof WORK - 1) == 0;
}

void sim_momentum(const sim_job *j, double momentum[12])
{
    soa_workspace *workspace = NULL;
    const soa_model *model = soa_scenario_model(j->scenario);
    const double *q = soa_sim_q(j->sim), *v = soa_sim_v(j->sim);
    tool_must(soa_workspace_new(model, &TOOL_MEMORY, &workspace, tool_error()));
    const soa_status status = soa_momentum(model, workspace, 1, q, v, momentum, NULL, tool_error());
    if (status == SOA_E_SINGULAR) { /* nothing that moves has mass */
        memset(momentum, 0, 12 * sizeof *momentum);
        return;
    }
    tool_must(status);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static json_t *events_json(const sim_job *j)
{
    json_t *list = json_array();
    for (int i = 0; i < j->report.events; i++) {
        const soa_event_record *e = &j->report.event[i];
        json_t *item = json_object();
        json_set(item, "t", json_number(e->t));
        json_set(item, "name", json_text(soa_scenario_event_name(j->scenario, e->event)));
        json_set(item, "energy", json_number(e->energy));
        json_add(list, item);
    }
    return list;
}

static json_t *works_json(const sim_job *j, const double *value)
{
    json_t *works = json_object();
    for (int i = 0; i < soa_sim_signals(j->sim); i++) {
        if (is_work(j, i)) {
            json_set(works, soa_sim_signal_name(j->sim, i) + sizeof WORK - 1, json_number(value[i]));
        }
    }
    return works;
}

static json_t *margins_json(const sim_job *j)
{
    json_t *list = json_array();
    for (int i = 0; i < j->margins; i++) {
        const sim_margin *m = &j->margin[i];
        if (m->least < HUGE_VAL) {
            json_t *item = json_object();
            json_set(item, "closure", json_text(soa_closure_name(soa_sim_closures(j->sim), m->closure)));
            json_set(item, "margin", json_number(m->least));
            json_set(item, "t", json_number(m->t));
            json_add(list, item);
        }
    }
    return list;
}

static json_t *energy_json(const sim_job *j, const double *value)
{
    const soa_sim_report *r = &j->report;
    json_t *energy = json_object();
    json_set(energy, "initial", json_number(r->initial));
    json_set(energy, "final", json_number(r->final));
    json_set(energy, "work", json_number(r->work));
    json_set(energy, "drift", json_number(r->drift));
    json_set(energy, "exchanged", json_number(r->exchanged));
    json_set(energy, "works", works_json(j, value));
    return energy;
}

typedef struct page {
    const sim_job *job;
    const double *value; /* of all signals at the end */
    double momentum[12]; /* at the end */
} page;

static void write_json(void *context, FILE *out)
{
    const page *p = context;
    const sim_job *j = p->job;
    const soa_sim_report *r = &j->report;
    const double t = soa_sim_time(j->sim);
    json_writer w = json_begin(out);
    json_t *violation = json_object(), *momentum = json_object();
    json_set(violation, "position", json_number(r->position));
    json_set(violation, "velocity", json_number(r->velocity));
    json_set(violation, "branches_kept", json_integer(r->branches_kept));
    json_set(violation, "branches_changed", json_integer(r->branches_changed));
    json_set(momentum, "initial", json_numbers(j->momentum + 6, 6));
    json_set(momentum, "final", json_numbers(p->momentum + 6, 6));
    json_field(&w, "scenario", json_text(soa_scenario_name(j->scenario)));
    json_field(&w, "model", json_text(soa_model_name(soa_scenario_model(j->scenario))));
    json_field(&w, "method", json_text(soa_sim_method_text(soa_scenario_setup(j->scenario)->method)));
    json_field(&w, "dynamics", json_text(j->compiled ? "compiled" : "library"));
    json_field(&w, "t", json_number(t));
    json_field(&w, "steps", json_integer(r->steps));
    json_field(&w, "rejected", json_integer(r->rejected));
    json_field(&w, "evaluations", json_integer(r->evaluations));
    json_field(&w, "wall_s", json_number(j->wall));
    json_field(&w, "real_time_factor", json_number(t / fmax(j->wall, 1e-9)));
    json_field(&w, "energy", energy_json(j, p->value));
    json_field(&w, "momentum", momentum);
    json_field(&w, "violation", violation);
    if (r->spun_link > 0) {
        json_t *spun = json_object();
        json_set(spun, "link", json_text(soa_model_link(soa_scenario_model(j->scenario), r->spun_link - 1)->name));
        json_set(spun, "t", json_number(r->spun_time));
        json_set(spun, "rate", json_number(r->spun_rate));
        json_field(&w, "spun", spun);
    }
    json_field(&w, "margins", margins_json(j));
    json_field(&w, "events", events_json(j));
    json_field(&w, "status", json_text(j->status));
    json_end(&w);
}

/* ---- text --------------------------------------------------------------------------------------------- */

static void put_works(const page *p, FILE *out)
{
    const sim_job *j = p->job;
    for (int i = 0; i < soa_sim_signals(j->sim); i++) {
        if (is_work(j, i) && p->value[i] != 0.0) {
            fprintf(out, "work         %-12.6g J by %s\n", p->value[i],
                tool_clean(soa_sim_signal_name(j->sim, i) + sizeof WORK - 1));
        }
    }
}

static void put_momentum(const page *p, FILE *out)
{
    static const char *const unit[] = { "N m s", "N s" };
    for (int half = 1; half >= 0; half--) {
        const double *a = p->job->momentum + 6 + 3 * half, *b = p->momentum + 6 + 3 * half;
        fprintf(out, "%-12s [%.6g, %.6g, %.6g] at first, [%.6g, %.6g, %.6g] at last, in %s\n",
            half == 1 ? "momentum" : "angular", a[0], a[1], a[2], b[0], b[1], b[2], unit[half]);
    }
}

static void put_contacts(const page *p, FILE *out)
{
    const sim_job *j = p->job;
    for (int i = 0; i < j->margins; i++) {
        const sim_margin *m = &j->margin[i];
        if (m->least < HUGE_VAL) {
            fprintf(out, "margin       %.6g N left before '%s' slips, at t = %g s\n", m->least,
                tool_clean(soa_closure_name(soa_sim_closures(j->sim), m->closure)), m->t);
        }
    }
}

static void put_events(const page *p, FILE *out)
{
    const soa_sim_report *r = &p->job->report;
    for (int i = 0; i < r->events; i++) {
        const soa_event_record *e = &r->event[i];
        fprintf(
            out, "event        t = %.9f s  %s", e->t, tool_clean(soa_scenario_event_name(p->job->scenario, e->event)));
        fprintf(out, fabs(e->energy) > 1e-12 * r->exchanged ? "  (%+.6g J)\n" : "\n", e->energy);
    }
}

static void put_files(const sim_job *j, FILE *out)
{
    const unsigned formats = j->rows.formats;
    if (j->out == NULL) {
        fputs("\n--out DIR writes the recording\n", out);
        return;
    }
    fprintf(out, "\nwrote %s/summary.json%s%s%s; 'soa plot %s q' draws it\n", j->out,
        (formats & RECORD_CSV) != 0 ? ", result.csv" : "", (formats & RECORD_NPZ) != 0 ? ", result.npz" : "",
        (formats & RECORD_HDF5) != 0 ? ", result.h5" : "", j->out);
    if (strcmp(j->status, "interrupted") == 0 && !soa_sim_method_outside(soa_scenario_setup(j->scenario)->method)) {
        fputs("--resume goes on from here\n", out);
    }
}

static void put_text(const page *p, FILE *out)
{
    const sim_job *j = p->job;
    const soa_sim_report *r = &j->report;
    const double t = soa_sim_time(j->sim);
    fprintf(out, "%s: %s at t = %.9g s\n\n", tool_clean(soa_scenario_name(j->scenario)), j->status, t);
    fprintf(out, "steps        %ld by %s, %ld rejected, %ld evaluations\n", r->steps,
        soa_sim_method_text(soa_scenario_setup(j->scenario)->method), r->rejected, r->evaluations);
    if (j->compiled) {
        fprintf(out, "dynamics     compiled for this model\n");
    }
    fprintf(out, "time         %.3g s, %.4g times real time\n", j->wall, t / fmax(j->wall, 1e-9));
    fprintf(out, "energy       %.9g J at first, %.9g J at last, work %.9g J\n", r->initial, r->final, r->work);
    fprintf(out, "drift        %.2e J, %.1e of the %.3g J in play\n", r->drift,
        fabs(r->drift) / fmax(r->exchanged, 1e-300), r->exchanged);
    put_works(p, out);
    put_momentum(p, out);
    if (soa_sim_closures(j->sim) != NULL) {
        fprintf(out, "closures     at most %.1e open, %.1e per second\n", r->position, r->velocity);
    }
    if (r->branches_kept > 0) {
        fprintf(out, "branch       kept at %d dead points, where branches of positions cross\n", r->branches_kept);
    }
    if (r->branches_changed > 0) {
        fprintf(out, "branch       changed %d times: a dead point was passed too fast; take shorter steps\n",
            r->branches_changed);
    }
    if (r->spun_link > 0) {
        const soa_link *link = soa_model_link(soa_scenario_model(j->scenario), r->spun_link - 1);
        fprintf(out,
            "warning      link '%s' turns at %.4g rad/s at t = %.4g s: without stiffening its modes cannot bear that "
            "and "
            "diverge; give its beam 'stiffening: true'\n",
            tool_clean(link->name), r->spun_rate, r->spun_time);
    }
    put_contacts(p, out);
    put_events(p, out);
    put_files(j, out);
}

void sim_summarize(sim_job *j)
{
    page p = { .job = j };
    j->wall = j->before + tool_clock() - j->began;
    p.value = soa_sim_signal_values(j->sim, tool_error());
    if (p.value == NULL) {
        tool_say_error();
        tool_end(TOOL_FAILED);
    }
    tool_must(soa_sim_report_get(j->sim, &j->report, tool_error()));
    sim_momentum(j, p.momentum);
    if (j->out != NULL) {
        tool_file_write(record_path(j->out, "summary.json"), write_json, &p);
    }
    if (tool_value(j->call, "json") != NULL) {
        write_json(&p, j->call->out);
    } else {
        put_text(&p, j->call->out);
    }
}
