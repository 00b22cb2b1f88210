/* info.c - soa info: what a model is made of, for people. */
#include <math.h>
#include <string.h>

#include "compute.h"

const tool_option TOOL_INFO_OPTIONS[] = {
    { "json", 0, NULL, "everything as JSON" },
    { "all", 'a', NULL, "the whole tree, however large" },
    { "frames", 'f', NULL, "list the frames and the configurations" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "ascii", 0, NULL, "draw the tree with plain characters" },
    { NULL, 0, NULL, NULL },
};

#define LABEL 16

char *tool_warning(const soa_model *model, int index)
{
    const soa_warning *w = soa_model_warning(model, index);
    return w->source.file == NULL ? tool_text("%s", w->text)
           : w->source.line == 0  ? tool_text("%s: %s", w->source.file, w->text)
                                  : tool_text("%s:%d: %s", w->source.file, w->source.line, w->text);
}

int tool_unknown_masses(const soa_model *model)
{
    int count = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        count += (soa_model_link(model, k)->flags & SOA_LINK_UNKNOWN_MASS) != 0;
    }
    return count;
}

/* ---- header ------------------------------------------------------------------------- */

static void put_label(const tool_call *call, const char *label)
{
    fputs("  ", call->out);
    tool_put(call, INK_FAINT, label, LABEL);
}

static void put_links(const tool_call *call, const soa_model *model)
{
    int links = 0, merged = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        if (!tool_is_virtual(model, k)) {
            links++;
            merged += tool_is_merged(model, k);
        }
    }
    put_label(call, "links");
    fprintf(call->out, "%d", links);
    if (merged > 0) {
        fprintf(call->out, " (%d merged into others or the world)", merged);
    }
    fputc('\n', call->out);
}

static void put_joints(const tool_call *call, const soa_model *model)
{
    int count[SOA_JOINT_KINDS] = { 0 }, total = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        const soa_link *link = soa_model_link(model, k);
        if (tool_is_joint(link)) {
            count[link->joint.kind]++;
            total++;
        }
    }
    put_label(call, "joints");
    fprintf(call->out, "%d", total);
    const char *before = " (";
    for (int kind = 0; kind < SOA_JOINT_KINDS; kind++) {
        if (count[kind] > 0) {
            fprintf(call->out, "%s%d %s", before, count[kind], soa_joint_kind_text((soa_joint_kind)kind));
            before = ", ";
        }
    }
    fputs(total > 0 ? ")\n" : "\n", call->out);
}

static void put_mass(const tool_call *call, const soa_model *model)
{
    const int unknown = tool_unknown_masses(model);
    put_label(call, "mass");
    fprintf(call->out, "%.6g kg", soa_model_mass(model));
    if (unknown > 0) {
        fprintf(call->out, " and more: of %d link%s the mass depends on absent files", unknown, unknown > 1 ? "s" : "");
    }
    fputc('\n', call->out);
}

static void put_count(const tool_call *call, const char *label, int count)
{
    put_label(call, label);
    fprintf(call->out, "%d\n", count);
}

/* "springs of 4 joints, damping of 18 joints" */
static void put_forces(const tool_call *call, const soa_model *model)
{
    const char *list = tool_forces_text(model);
    if (list[0] != '\0') {
        put_label(call, "joint forces");
        fprintf(call->out, "%s; they act in soa compute and soa sim\n", list);
    }
}

/* Velocities less those that couplings and closures hold in general configurations. */
static void put_dofs(const tool_call *call, const soa_model *model)
{
    const int nv = soa_model_nv(model), held = tool_info_rank(model);
    put_label(call, "dofs");
    fprintf(call->out, "%d (nq %d, nv %d", nv - held, soa_model_nq(model), nv);
    if (held > 0) {
        fprintf(call->out, "; couplings and closures hold %d", held);
    }
    fputs(")\n", call->out);
}

/* "boom: 6 modes, 1.2 to 40 Hz, 17 nodes" */
static void put_flexible(const tool_call *call, const soa_model *model)
{
    for (int k = 0; k < soa_model_links(model); k++) {
        const soa_link *link = soa_model_link(model, k);
        double frequency[SOA_MAX_MODES];
        if (link->flexible != NULL && soa_flexible_frequencies(link->flexible, frequency, NULL, NULL) == SOA_OK) {
            const int m = link->flexible->modes;
            put_label(call, "flexible");
            fprintf(call->out, "%s: %d mode%s, %.5g to %.5g Hz, %d node%s\n", tool_clean(link->name), m,
                m == 1 ? "" : "s", frequency[0], frequency[m - 1], link->flexible->nodes,
                link->flexible->nodes == 1 ? "" : "s");
        }
    }
}

void tool_info_header(const tool_call *call, const soa_model *model, const char *source)
{
    double g[3];
    soa_model_gravity(model, g);
    tool_put(call, INK_BOLD, tool_clean(soa_model_name(model)), 0);
    fputc('\n', call->out);
    put_label(call, "source");
    fprintf(call->out, "%s\n", tool_clean(source));
    put_links(call, model);
    put_joints(call, model);
    put_count(call, "bodies", soa_model_bodies(model));
    put_dofs(call, model);
    put_mass(call, model);
    put_label(call, "gravity");
    fprintf(call->out, "%.6g %.6g %.6g m/s^2\n", g[0], g[1], g[2]);
    put_forces(call, model);
    put_flexible(call, model);
    put_count(call, "mimics", soa_model_couplings(model));
    put_count(call, "closures", soa_model_closures(model));
    put_count(call, "frames", soa_model_frames(model));
    put_count(call, "configurations", soa_model_configurations(model));
}

/* ---- lists -------------------------------------------------------------------------- */

static void put_title(const tool_call *call, const char *title)
{
    fputc('\n', call->out);
    tool_put(call, INK_BOLD, title, 0);
    fputc('\n', call->out);
}

/* finger2 = 0.1 + 2 finger1 - 3 finger1^2 */
static void put_coupling(const tool_call *call, const soa_model *model, const soa_coupling *c)
{
    const char *driver = c->driver >= 0 ? tool_clean(tool_joint_name(model, c->driver)) : "";
    bool first = true;
    fprintf(call->out, "  %s =", tool_clean(tool_joint_name(model, c->link)));
    for (int i = 0; i < (c->driver >= 0 ? SOA_COUPLING_TERMS : 1); i++) {
        const double x = c->coefficient[i];
        if (x == 0.0) {
            continue;
        }
        fprintf(call->out, " %s%.6g", first ? (x < 0.0 ? "-" : "") : (x < 0.0 ? "- " : "+ "), fabs(x));
        if (i > 0) {
            fprintf(call->out, i > 1 ? " %s^%d" : " %s", driver, i);
        }
        first = false;
    }
    fputs(first ? " 0\n" : "\n", call->out);
}

static const char *closure_label(const soa_closure *c)
{
    return tool_clean(c->name != NULL ? c->name : "(unnamed)");
}

static void put_closure(const tool_call *call, const soa_model *model, const soa_closure *c, int width)
{
    fputs("  ", call->out);
    tool_put(call, INK_PLAIN, closure_label(c), width);
    fprintf(call->out, " %-12s %s - %s%s\n", soa_closure_kind_text(c->kind), tool_clean(tool_link_name(model, c->a)),
        tool_clean(tool_link_name(model, c->b)), c->inactive ? " (inactive)" : "");
}

static void put_closures(const tool_call *call, const soa_model *model)
{
    int width = 20;
    if (soa_model_closures(model) > 0) {
        put_title(call, "closures");
    }
    for (int i = 0; i < soa_model_closures(model); i++) {
        const int needed = tool_width(closure_label(soa_model_closure(model, i)));
        width = needed > width ? needed : width;
    }
    for (int i = 0; i < soa_model_closures(model); i++) {
        put_closure(call, model, soa_model_closure(model, i), width);
    }
}

static void put_constraints(const tool_call *call, const soa_model *model)
{
    if (soa_model_couplings(model) > 0) {
        put_title(call, "mimics");
    }
    for (int i = 0; i < soa_model_couplings(model); i++) {
        put_coupling(call, model, soa_model_coupling(model, i));
    }
    put_closures(call, model);
    tool_info_redundancy(call, model);
}

static void put_frames(const tool_call *call, const soa_model *model)
{
    if (soa_model_frames(model) > 0) {
        put_title(call, "frames");
    }
    for (int i = 0; i < soa_model_frames(model); i++) {
        const soa_frame *f = soa_model_frame(model, i);
        const double *p = f->at.position;
        fprintf(call->out, "  %-24s on %-24s at %.4g %.4g %.4g\n", tool_clean(f->name),
            tool_clean(tool_link_name(model, f->link)), p[0], p[1], p[2]);
    }
    if (soa_model_configurations(model) > 0) {
        put_title(call, "configurations");
    }
    for (int i = 0; i < soa_model_configurations(model); i++) {
        const soa_configuration *c = soa_model_configuration(model, i);
        fprintf(call->out, "  %-24s q", tool_clean(c->name));
        for (int j = 0; j < soa_model_nq(model); j++) {
            fprintf(call->out, " %.4g", c->q[j]);
        }
        fputc('\n', call->out);
    }
}

/* What the numbers of joints with several of them mean. */
static void put_coordinates(const tool_call *call, const soa_model *model)
{
    bool there[SOA_JOINT_KINDS] = { false }, any = false;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_joint_kind kind = soa_model_body(model, k).kind;
        there[kind] = soa_joint_kind_nv(kind) > 1;
        any = any || there[kind];
    }
    if (any) {
        put_title(call, "coordinates");
    }
    for (int kind = 0; kind < SOA_JOINT_KINDS; kind++) {
        if (there[kind]) {
            fprintf(call->out, "  %-12s %s\n", soa_joint_kind_text((soa_joint_kind)kind),
                soa_joint_kind_coordinates((soa_joint_kind)kind));
        }
    }
}

static void put_warnings(const tool_call *call, const soa_model *model)
{
    if (soa_model_warnings(model) > 0) {
        put_title(call, "warnings");
    }
    for (int i = 0; i < soa_model_warnings(model); i++) {
        fputs("  ", call->out);
        tool_put(call, INK_WARNING, soa_printable(tool_warning(model, i)), 0);
        fputc('\n', call->out);
    }
}

void tool_info(tool_call *call)
{
    const soa_model *model = tool_load_based(call, call->operand[0]);
    const tool_tree tree = tool_tree_make(model);
    if (tool_value(call, "json") != NULL) {
        tool_info_json(call, model, &tree);
        return;
    }
    if (tool_value(call, "ascii") != NULL) {
        call->style.utf8 = false;
    }
    tool_info_header(call, model, call->operand[0]);
    fputc('\n', call->out);
    tool_info_tree(call, model, &tree, tool_value(call, "all") != NULL);
    put_coordinates(call, model);
    put_constraints(call, model);
    if (tool_value(call, "frames") != NULL) {
        put_frames(call, model);
    }
    put_warnings(call, model);
}
