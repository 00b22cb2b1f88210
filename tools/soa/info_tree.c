/* info_tree.c - the tree of the links, drawn with lines, a row per joint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define MOST_ROWS   200 /* without --all */
#define MOST_LEVELS 16  /* deeper ones are numbered instead of drawn */
#define WIDEST      44  /* of a column */

enum { CELL_LINK, CELL_MASS, CELL_JOINT, CELL_KIND, CELL_AXIS, CELL_LIMITS, CELL_FORCES, CELLS };

typedef struct drawing {
    const tool_call *call;
    const soa_model *model;
    const tool_tree *tree;
    char *more; /* per level: whether a sibling follows below */
    int width[CELLS];
    int most;
    bool measure;
} drawing;

/* ---- cells -------------------------------------------------------------------------- */

static void format_axis(char cell[TOOL_CELL], const double axis[3])
{
    cell[0] = '\0';
    for (int i = 0; i < 3; i++) {
        if (fabs(fabs(axis[i]) - 1.0) < 1e-12) {
            snprintf(cell, TOOL_CELL, "%s%c", axis[i] < 0.0 ? "-" : "", "xyz"[i]);
            return;
        }
    }
    snprintf(cell, TOOL_CELL, "%.3g %.3g %.3g", axis[0], axis[1], axis[2]);
}

static void format_axes(char cell[TOOL_CELL], const soa_joint *joint)
{
    cell[0] = '\0';
    if (tool_has_axis(joint->kind)) {
        format_axis(cell, joint->axis);
    }
    if (joint->kind == SOA_UNIVERSAL) {
        char second[TOOL_CELL / 2], both[TOOL_CELL];
        format_axis(both, joint->axis2);
        tool_clean(second, sizeof second, both);
        const size_t used = strlen(cell);
        snprintf(cell + used, TOOL_CELL - used, ", %s", second);
    }
}

/* Of the first coordinate; the others have theirs in the JSON. */
static void format_limits(char cell[TOOL_CELL], const soa_joint *joint)
{
    const char *unit = joint->kind == SOA_PRISMATIC || joint->kind == SOA_PLANAR ? "m" : "rad";
    const double lower = joint->lower[0], upper = joint->upper[0];
    cell[0] = '\0';
    if (soa_joint_kind_nv(joint->kind) == 0 || (!isfinite(lower) && !isfinite(upper))) {
        return;
    }
    if (joint->kind == SOA_SPHERICAL || !isfinite(lower)) {
        snprintf(cell, TOOL_CELL, "up to %.4g %s", upper, unit);
    } else if (!isfinite(upper)) {
        snprintf(cell, TOOL_CELL, "from %.4g %s", lower, unit);
    } else {
        snprintf(cell, TOOL_CELL, "%.4g .. %.4g %s", lower, upper, unit);
    }
}

/* What the file says of springs, damping, friction and armature. */
static void format_forces(char cell[TOOL_CELL], const soa_joint *joint)
{
    const struct {
        const char *name;
        double value;
    } force[] = { { "spring", joint->stiffness }, { "damping", joint->damping }, { "friction", joint->friction },
        { "armature", joint->rotor.armature } };
    cell[0] = '\0';
    for (size_t i = 0; i < sizeof force / sizeof force[0] && joint->kind != SOA_FIXED; i++) {
        const size_t used = strlen(cell);
        if (force[i].value != 0.0) {
            snprintf(cell + used, TOOL_CELL - used, "%s%s %.4g", used > 0 ? ", " : "", force[i].name, force[i].value);
        }
    }
}

/* A weld has the body it is merged into where others have limits. */
static void format_joint(const soa_model *model, int link, char cell[CELLS][TOOL_CELL])
{
    const soa_joint *joint = &soa_model_link(model, link)->joint;
    tool_clean(cell[CELL_JOINT], TOOL_CELL, joint->name != NULL ? joint->name : "");
    snprintf(
        cell[CELL_KIND], TOOL_CELL, "%s%s", soa_joint_kind_text(joint->kind), joint->reversed ? " (reversed)" : "");
    format_axes(cell[CELL_AXIS], joint);
    format_limits(cell[CELL_LIMITS], joint);
    format_forces(cell[CELL_FORCES], joint);
    if (joint->kind == SOA_FIXED) {
        char name[TOOL_CELL / 2];
        const int body = soa_model_link_body(model, link, NULL);
        const int into = body == SOA_WORLD ? SOA_WORLD : soa_model_body(model, body).link;
        tool_clean(name, sizeof name, tool_link_name(model, into));
        snprintf(cell[CELL_LIMITS], TOOL_CELL, "merged into %s", into == SOA_WORLD ? "the world" : name);
    }
}

static void format_mass(char cell[TOOL_CELL], const soa_link *link)
{
    const char *more = (link->flags & SOA_LINK_UNKNOWN_MASS) != 0 ? " + ?" : "";
    if ((link->flags & SOA_LINK_NO_INERTIA) != 0 && link->inertia.mass == 0.0) {
        snprintf(cell, TOOL_CELL, "%s", more[0] != '\0' ? "?" : "no mass");
    } else {
        snprintf(cell, TOOL_CELL, "%.4g kg%s", link->inertia.mass, more);
    }
}

/* ---- rows --------------------------------------------------------------------------- */

/* The lines left of a name; `under` the rows below the first of a link. */
static void format_lines(const drawing *d, int level, bool under, char *lines, size_t size)
{
    const bool utf8 = d->call->style.utf8;
    const int drawn = level < MOST_LEVELS ? level : MOST_LEVELS;
    size_t used = 0;
    lines[0] = '\0';
    for (int i = 0; i < drawn; i++) {
        const char *line = d->more[i] ? (utf8 ? "\u2502  " : "|  ") : "   ";
        used += (size_t)snprintf(lines + used, size - used, "%s", line);
    }
    if (level > MOST_LEVELS) {
        used += (size_t)snprintf(lines + used, size - used, "(%d) ", level + 1);
    }
    const char *branch = d->more[level] ? (utf8 ? "\u251c\u2500 " : "|- ") : (utf8 ? "\u2514\u2500 " : "`- ");
    const char *trunk = d->more[level] ? (utf8 ? "\u2502  " : "|  ") : "   ";
    snprintf(lines + used, size - used, "%s", under ? trunk : branch);
}

static void print_row(const drawing *d, const char *lines, char cell[CELLS][TOOL_CELL])
{
    static const tool_ink INK[CELLS] = { INK_BOLD, INK_PLAIN, INK_PLAIN, INK_FAINT, INK_PLAIN, INK_PLAIN, INK_FAINT };
    int last = CELLS - 1;
    while (last > 0 && cell[last][0] == '\0') {
        last--;
    }
    tool_put(d->call, INK_FAINT, lines, 0);
    for (int i = 0; i <= last; i++) {
        const int taken = i == CELL_LINK ? tool_width(lines) : 0;
        tool_put(d->call, INK[i], cell[i], i < last ? d->width[i] - taken : 0);
        if (i < last) {
            fputs("  ", d->call->out);
        }
    }
    fputc('\n', d->call->out);
}

static void take_row(drawing *d, const char *lines, char cell[CELLS][TOOL_CELL])
{
    if (!d->measure) {
        print_row(d, lines, cell);
        return;
    }
    for (int i = 0; i < CELLS; i++) {
        int width = tool_width(cell[i]) + (i == CELL_LINK ? tool_width(lines) : 0);
        const int most = i == CELL_LINK ? WIDEST + 3 * MOST_LEVELS : WIDEST;
        width = width < most ? width : most;
        d->width[i] = width > d->width[i] ? width : d->width[i];
    }
}

/* Rows of a link: one for each of its joints, the innermost first. */
static void take_link(drawing *d, int link, int level)
{
    char cell[CELLS][TOOL_CELL], lines[(MOST_LEVELS + 2) * 8 + 32];
    int joints = 1;
    for (int k = soa_model_link(d->model, link)->parent; tool_is_virtual(d->model, k); joints++) {
        k = soa_model_link(d->model, k)->parent;
    }
    for (int row = 0; row < joints; row++) {
        int carrier = link;
        for (int i = joints - 1; i > row; i--) {
            carrier = soa_model_link(d->model, carrier)->parent;
        }
        cell[CELL_LINK][0] = cell[CELL_MASS][0] = '\0';
        if (row == 0) {
            tool_clean(cell[CELL_LINK], TOOL_CELL, tool_link_name(d->model, link));
            format_mass(cell[CELL_MASS], soa_model_link(d->model, link));
        }
        format_joint(d->model, carrier, cell);
        format_lines(d, level, row > 0, lines, sizeof lines);
        take_row(d, lines, cell);
    }
}

/* Parents before children, children in the order of the file, without recursion:
 * a chain may be a million links deep. Returns how many links were taken. */
static int walk(drawing *d)
{
    const tool_tree *t = d->tree;
    int count = 0, level = 0;
    for (int k = t->root; k >= 0 && count < d->most; count++) {
        d->more[level] = t->sibling[k] >= 0;
        take_link(d, k, level);
        if (t->child[k] >= 0) {
            k = t->child[k];
            level++;
            continue;
        }
        while (k >= 0 && t->sibling[k] < 0) {
            k = t->parent[k];
            level--;
        }
        k = k >= 0 ? t->sibling[k] : -1;
    }
    return count;
}

int tool_info_tree(const tool_call *call, const soa_model *model, const tool_tree *tree, bool all)
{
    drawing d = { .call = call, .model = model, .tree = tree, .most = all ? tree->links : MOST_ROWS };
    int links = 0;
    for (int k = 0; k < tree->links; k++) {
        links += tree->owner[k] == k;
    }
    d.more = calloc((size_t)tree->links + 1, 1);
    if (d.more == NULL) {
        return tool_fail_memory();
    }
    d.measure = true;
    walk(&d);
    d.measure = false;
    tool_put(call, INK_BOLD, "world", 0);
    fputc('\n', call->out);
    const int shown = walk(&d);
    if (shown < links) {
        fprintf(call->out, "... and %d more links; --all shows them\n", links - shown);
    }
    free(d.more);
    return TOOL_OK;
}
