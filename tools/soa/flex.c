/* flex.c - soa flex: a finite-element model reduced to a flexible link. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "json.h"
#include "module.h"
#include "soa/io.h"

const tool_option TOOL_FLEX_OPTIONS[] = {
    { "out", 'o', "FILE", "the flexible link as YAML, whole or not at all" },
    { "modes", 'm', "N", "clamped modes to keep; 10 if not given" },
    { "clamp", 'c', "NAME", "set or node at which the link is held; not given: the model comes clamped" },
    { "interface", 'i', "NAME", "set or node where things are attached; may be repeated" },
    { "node", 'n', "NAME", "set or node to look at, without modes of its own; may be repeated" },
    { "damping", 'd', "RATIO", "ratio of each mode to critical damping; 0 if not given" },
    { "json", 0, NULL, "what was kept as JSON" },
    { NULL, 0, NULL, NULL },
};

typedef struct job {
    tool_call *call;
    soa_fe *fe;
    soa_flexible *flexible;
    soa_reduction reduction;
    const char *interface[TOOL_MAX_GIVEN], *output[TOOL_MAX_GIVEN];
    double frequency[SOA_MAX_MODES], effective[6 * SOA_MAX_MODES];
} job;

/* ---- arguments --------------------------------------------------------------------------------- */

static void read_options(job *j)
{
    const char *modes = tool_value(j->call, "modes"), *damping = tool_value(j->call, "damping");
    char *end = NULL;
    j->reduction.modes = modes != NULL ? (int)strtol(modes, &end, 10) : 10;
    if (modes != NULL && (*modes == '\0' || *end != '\0' || j->reduction.modes < 1)) {
        tool_wrong_usage(j->call->command, "--modes '%s': give a whole number from 1 on", modes);
    }
    j->reduction.damping = damping != NULL ? strtod(damping, &end) : 0.0;
    if (damping != NULL && (*damping == '\0' || *end != '\0')) {
        tool_wrong_usage(j->call->command, "--damping '%s': give a ratio such as 0.005", damping);
    }
    j->reduction.clamp = tool_value(j->call, "clamp");
    while ((j->interface[j->reduction.interfaces] = tool_value_at(j->call, "interface", j->reduction.interfaces)) !=
           NULL) {
        j->reduction.interfaces++;
    }
    while ((j->output[j->reduction.outputs] = tool_value_at(j->call, "node", j->reduction.outputs)) != NULL) {
        j->reduction.outputs++;
    }
    j->reduction.interface = j->interface;
    j->reduction.output = j->output;
}

/* ---- reduction ------------------------------------------------------------------------------------ */

static void reduce(job *j)
{
    soa_error error;
    tool_must(soa_fe_load(j->call->operand[0], &TOOL_MEMORY, &j->fe, tool_error()));
    if (j->fe->dofs > SOA_MAX_DENSE_DOFS) {
        const module_fe_table *module = module_find("fe", "libarpack2-dev");
        j->reduction.solver = &module->solver;
    }
    if (soa_flexible_reduce(j->fe, &j->reduction, &TOOL_MEMORY, &j->flexible, &error) != SOA_OK) {
        tool_fail("%s: %s", j->call->operand[0], error.text);
    }
    tool_must(soa_flexible_frequencies(j->flexible, j->frequency, j->effective, tool_error()));
    if (j->reduction.clamp == NULL) {
        tool_note(j->call,
            "the model comes clamped: the mass that its supports hold is not in the matrices; export it free and "
            "name the supports with --clamp");
    }
}

/* A constraint mode is none of the clamped ones: those come first in the data. */
static bool is_constraint(const job *j, int mode)
{
    const int m = j->flexible->modes;
    const double omega = 2.0 * acos(-1.0) * j->frequency[mode], square = omega * omega;
    for (int i = 0; i < j->reduction.modes; i++) {
        if (fabs(j->flexible->stiffness[i * m + i] - square) <= 1e-9 * square) {
            return false;
        }
    }
    return true;
}

/* ---- output ----------------------------------------------------------------------------------------- */

/* The share of a mode in a rigid motion: 0..1. Order: along x, y, z, about x, y, z. */
static double share(const job *j, int mode, int column)
{
    static const int diagonal[3] = { 0, 3, 5 };
    const soa_flexible *f = j->flexible;
    const double whole = column < 3 ? f->mass : f->second[diagonal[column - 3]];
    return whole > 0.0 ? j->effective[6 * mode + (column + 3) % 6] / whole : 0.0;
}

static void put_modes(const job *j)
{
    double sum[6] = { 0.0 };
    FILE *out = j->call->out;
    tool_put(j->call, INK_BOLD, "mode  frequency [Hz]   effective mass [%] along x, y, z     about x, y, z", 0);
    fputc('\n', out);
    for (int i = 0; i < j->flexible->modes; i++) {
        fprintf(out, "%4d  %14.7g    ", i + 1, j->frequency[i]);
        for (int c = 0; c < 6; c++) {
            fprintf(out, "%s%8.3f", c == 3 ? "      " : "", 100.0 * share(j, i, c));
            sum[c] += share(j, i, c);
        }
        fprintf(out, "%s\n", is_constraint(j, i) ? "  constraint" : "");
    }
    fprintf(out, " sum %*s", 19, "");
    for (int c = 0; c < 6; c++) {
        fprintf(out, "%s%8.3f", c == 3 ? "      " : "", 100.0 * sum[c]);
    }
    fputc('\n', out);
}

static void write_text(const job *j)
{
    const soa_flexible *f = j->flexible;
    const int constraint = f->modes - j->reduction.modes;
    fprintf(j->call->out, "%s: %d nodes, %d degrees of freedom, %.7g kg, centre of mass at %.6g %.6g %.6g\n",
        j->call->operand[0], j->fe->nodes, j->fe->dofs, f->mass, f->first[0] / f->mass, f->first[1] / f->mass,
        f->first[2] / f->mass);
    if (j->reduction.clamp != NULL) {
        fprintf(j->call->out, "clamped at %s; ", tool_clean(j->reduction.clamp));
    }
    fprintf(j->call->out, "kept %d clamped mode%s", j->reduction.modes, j->reduction.modes == 1 ? "" : "s");
    if (j->reduction.interfaces > 0) {
        fprintf(j->call->out, " and %d constraint mode%s at", constraint, constraint == 1 ? "" : "s");
        for (int i = 0; i < j->reduction.interfaces; i++) {
            fprintf(j->call->out, " %s", tool_clean(j->interface[i]));
        }
    }
    fputs("\n\n", j->call->out);
    put_modes(j);
    if (tool_value(j->call, "out") != NULL) {
        fprintf(j->call->out, "\nwritten to %s\n", tool_value(j->call, "out"));
    } else {
        fputs("\n-o FILE.yaml writes the flexible link\n", j->call->out);
    }
}

static json_t *mode_json(const job *j, int i)
{
    const double *e = j->effective + 6 * i;
    return json_pack("{s:o, s:s, s:o, s:o}", "frequency", json_number(j->frequency[i]), "kind",
        is_constraint(j, i) ? "constraint" : "clamped", "effective_mass", json_numbers(e + 3, 3), "effective_inertia",
        json_numbers(e, 3));
}

static void write_json(const job *j)
{
    const soa_flexible *f = j->flexible;
    json_writer writer = json_begin(j->call->out);
    json_field(&writer, "file", json_text(j->call->operand[0]));
    json_field(&writer, "nodes", json_integer(j->fe->nodes));
    json_field(&writer, "dofs", json_integer(j->fe->dofs));
    json_field(&writer, "clamp", json_text(j->reduction.clamp));
    json_field(&writer, "mass", json_number(f->mass));
    json_field(&writer, "first", json_numbers(f->first, 3));
    json_field(&writer, "second", json_numbers(f->second, 6));
    json_list(&writer, "interfaces");
    for (int i = 0; i < f->nodes; i++) {
        json_item(&writer, json_pack("{s:o, s:o}", "name", json_text(f->node_name[i]), "position",
                               json_numbers(f->position + 3 * i, 3)));
    }
    json_list_end(&writer);
    json_list(&writer, "modes");
    for (int i = 0; i < f->modes; i++) {
        json_item(&writer, mode_json(j, i));
    }
    json_list_end(&writer);
    json_field(&writer, "out", json_text(tool_value(j->call, "out")));
    json_field(&writer, "notes", tool_notes_json(j->call));
    json_end(&writer);
}

void tool_flex(tool_call *call)
{
    const char *path = tool_value(call, "out");
    job *j = tool_take(1, sizeof *j);
    j->call = call;
    read_options(j);
    reduce(j);
    if (path != NULL) {
        tool_must(soa_flexible_save(j->flexible, path, tool_error()));
    }
    if (tool_value(call, "json") != NULL) {
        write_json(j);
    } else {
        write_text(j);
    }
}
