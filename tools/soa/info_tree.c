/* info_tree.c - the tree of the links, drawn with lines, a row per joint. */
#include <math.h>

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

static const char *axis_text(const double axis[3])
{
    for (int i = 0; i < 3; i++) {
        if (fabs(fabs(axis[i]) - 1.0) < 1e-12) {
            return tool_text("%s%c", axis[i] < 0.0 ? "-" : "", "xyz"[i]);
        }
    }
    return tool_text("%.3g %.3g %.3g", axis[0], axis[1], axis[2]);
}

static const char *axes_text(const soa_joint *joint)
{
    const char *first = tool_has_axis(joint->kind) ? axis_text(joint->axis) : "";
    return joint->kind == SOA_UNIVERSAL ? tool_text("%s, %s", first, axis_text(joint->axis2)) : first;
}

/* The limits of the first coordinate; the JSON has those of the others. */
static const char *limits_text(const soa_joint *joint)
{
    const char *unit = joint->kind == SOA_PRISMATIC || joint->kind == SOA_PLANAR ? "m" : "rad";
    const double lower = joint->lower[0], upper = joint->upper[0];
    if (soa_joint_kind_nv(joint->kind) == 0 || (!isfinite(lower) && !isfinite(upper))) {
        return "";
    }
    if (joint->kind == SOA_SPHERICAL || !isfinite(lower)) {
        return tool_text("up to %.4g %s", upper, unit);
    }
    return isfinite(upper) ? tool_text("%.4g .. %.4g %s", lower, upper, unit) : tool_text("from %.4g %s", lower, unit);
}

/* What the file says of springs, damping, friction and armature. */
static const char *forces_text(const soa_joint *joint)
{
    const struct {
        const char *name;
        double value;
    } force[] = { { "spring", joint->stiffness }, { "damping", joint->damping }, { "friction", joint->friction },
        { "armature", joint->rotor.armature } };
    const char *text = "";
    for (size_t i = 0; i < sizeof force / sizeof force[0] && joint->kind != SOA_FIXED; i++) {
        if (force[i].value != 0.0) {
            text = tool_text("%s%s%s %.4g", text, text[0] != '\0' ? ", " : "", force[i].name, force[i].value);
        }
    }
    return text;
}

/* The body that a weld is merged into, or the node that it stands on, where others have limits. */
static const char *merged_text(const soa_model *model, int link)
{
    if (!tool_is_merged(model, link)) {
        const int node = soa_model_link(model, link)->node;
        return node == SOA_LINK_FRAME ? "" : tool_text("on node %d", node);
    }
    const int body = soa_model_link_body(model, link, NULL);
    const char *into = body == SOA_WORLD ? "the world" : tool_link_name(model, soa_model_body(model, body).link);
    return tool_text("merged into %s", tool_clean_into(tool_text("%s", ""), TOOL_CELL / 2, into));
}

static void fill_joint(const soa_model *model, int link, const char *cell[CELLS])
{
    const soa_joint *joint = &soa_model_link(model, link)->joint;
    const char *kind = soa_joint_kind_text(joint->kind);
    cell[CELL_JOINT] = joint->name != NULL ? tool_clean(joint->name) : "";
    cell[CELL_KIND] = joint->reversed ? tool_text("%s (reversed)", kind) : kind;
    cell[CELL_AXIS] = axes_text(joint);
    cell[CELL_LIMITS] = joint->kind == SOA_FIXED ? merged_text(model, link) : limits_text(joint);
    cell[CELL_FORCES] = forces_text(joint);
}

static const char *mass_text(const soa_link *link)
{
    const bool unknown = (link->flags & SOA_LINK_UNKNOWN_MASS) != 0;
    if ((link->flags & SOA_LINK_NO_INERTIA) != 0 && link->inertia.mass == 0.0) {
        return unknown ? "?" : "no mass";
    }
    return tool_text("%.4g kg%s", link->inertia.mass, unknown ? " + ?" : "");
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

static void print_row(const drawing *d, const char *lines, const char *cell[CELLS])
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

static void take_row(drawing *d, const char *lines, const char *cell[CELLS])
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
    const char *cell[CELLS] = { "" };
    char lines[(MOST_LEVELS + 2) * 8 + 32];
    int joints = 1;
    for (int k = soa_model_link(d->model, link)->parent; tool_is_virtual(d->model, k); joints++) {
        k = soa_model_link(d->model, k)->parent;
    }
    for (int row = 0; row < joints; row++) {
        int carrier = link;
        for (int i = joints - 1; i > row; i--) {
            carrier = soa_model_link(d->model, carrier)->parent;
        }
        cell[CELL_LINK] = row == 0 ? tool_clean(tool_link_name(d->model, link)) : "";
        cell[CELL_MASS] = row == 0 ? mass_text(soa_model_link(d->model, link)) : "";
        fill_joint(d->model, carrier, cell);
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

void tool_info_tree(const tool_call *call, const soa_model *model, const tool_tree *tree, bool all)
{
    drawing d = { .call = call, .model = model, .tree = tree, .most = all ? tree->links : MOST_ROWS };
    int links = 0;
    for (int k = 0; k < tree->links; k++) {
        links += tree->owner[k] == k;
    }
    d.more = tool_take((size_t)tree->links + 1, 1);
    d.measure = true;
    walk(&d);
    d.measure = false;
    tool_put(call, INK_BOLD, "world", 0);
    fputc('\n', call->out);
    const int shown = walk(&d);
    if (shown < links) {
        fprintf(call->out, "... and %d more links; --all shows them\n", links - shown);
    }
}
