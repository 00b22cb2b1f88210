/* emit/data_flexible.c - flexible links of a model that is written as a constant: their data, tables and ports.
 *
 * Arrays stand where they are used, as (const double[]){ ... }, with a zero behind them as in the library, so none is empty. Links
 * that share tables share them here. */
#include "emit/data.h"

/* ---- arrays -------------------------------------------------------------------------------------------- */

/* ".name = (const double[]){ 1, 2, 0 }, " */
static void put_array_of(text *to, const char *name, size_t n, const double *x)
{
    if (x != NULL) {
        put(to, ".%s = (const double[]){ ", name);
        data_numbers(to, n, 0, x);
        put(to, n > 0 ? ", 0 }, " : "0 }, ");
    }
}

static void put_shorts(text *to, const char *name, int n, const unsigned short *x)
{
    put(to, ".%s = (const unsigned short[]){ ", name);
    for (int i = 0; i < n; i++) {
        put(to, "%d, ", x[i]);
    }
    put(to, "0 }, ");
}

static void put_parts(text *to, int n, const int *x)
{
    put(to, ".part = { ");
    for (int i = 0; i < n; i++) {
        put(to, "%d, ", x[i]);
    }
    put(to, n == 0 ? "0 }, " : "}, ");
}

/* ---- tables -------------------------------------------------------------------------------------------- */

/* apart: from a column to the next. */
static void put_block(text *to, const soa_modal_block *b, size_t apart)
{
    put(to, "{ .rows = %d, .columns = %d, ", b->rows, b->columns);
    put_shorts(to, "row", b->rows, b->row);
    put_shorts(to, "column", b->columns, b->column);
    put_array_of(to, "x", (size_t)b->columns * apart, b->x);
    put(to, "}, ");
}

/* where: ".name" or "[1]". */
static void put_table(text *to, const char *where, const soa_modal_table *table)
{
    put(to, "\n  %s = { .blocks = %d, .whole = ", where, table->blocks);
    put_block(to, &table->whole, soa_modal_stride((size_t)table->whole.rows));
    put(to, table->blocks > 0 ? "\n    .block = (const soa_modal_block[]){ " : "");
    for (int i = 0; i < table->blocks; i++) {
        put_block(to, &table->block[i], (size_t)table->block[i].rows);
    }
    put(to, table->blocks > 0 ? "} }, " : "}, ");
}

static void put_parts_of(text *to, const char *name, const soa_modal_parts *parts)
{
    put(to, "\n  .%s = { .count = %d, ", name, parts->count);
    if (parts->count > 0) {
        put(to, ".x = { ");
        for (int i = 0; i < parts->count; i++) {
            char at[16];
            snprintf(at, sizeof at, "[%d]", i);
            put_table(to, at, &parts->x[i]);
        }
        put(to, "}, ");
        put_parts(to, parts->count, parts->part);
    }
    put(to, "}, ");
}

/* ---- links --------------------------------------------------------------------------------------------- */

static void put_flexible(text *to, const soa_flexible *f, int link)
{
    const size_t n = (size_t)f->nodes, m = (size_t)f->modes;
    put(to, "static const soa_flexible flexible_%d = { .modes = %d, .nodes = %d, .mass = ", link, f->modes, f->nodes);
    data_numbers(to, 1, 0, &f->mass);
    put(to, ", .first = { ");
    data_numbers(to, 3, 0, f->first);
    put(to, " }, .second = { ");
    data_numbers(to, 6, 0, f->second);
    put(to, " },\n  ");
#define PUT(name, words, count, optional, block) put_array_of(to, #name, count, f->name);
    SOA_FLEXIBLE_ARRAYS(PUT)
#undef PUT
    put(to, f->node_name != NULL ? "\n  .node_name = (const char *const[]){ " : "");
    for (int i = 0; f->node_name != NULL && i < f->nodes; i++) {
        data_text(to, f->node_name[i]);
        put(to, ", ");
    }
    put(to, f->node_name != NULL ? "NULL } };\n\n" : "};\n\n");
}

static void put_nodes(text *to, const soa_modal *modal)
{
    const size_t stride = soa_modal_stride((size_t)modal->modes);
    put(to, modal->given->nodes > 0 ? "\n  .node = (const soa_modal_node[]){\n" : "");
    for (int i = 0; i < modal->given->nodes; i++) {
        const soa_modal_node *node = &modal->node[i];
        put(to, "  { .position = { ");
        data_numbers(to, 3, 0, node->position);
        put(to, " }, ");
        put_array_of(to, "rows", 6 * stride, node->rows);
        put_table(to, ".shape", &node->shape);
        put_table(to, ".shape_t", &node->shape_t);
        put_parts_of(to, "second", &node->second);
        put(to, "},\n");
    }
    put(to, modal->given->nodes > 0 ? "  }, " : "");
}

static void put_modal(text *to, const soa_modal *modal, int k, int link)
{
    const size_t n = (size_t)modal->modes, square = n * soa_modal_stride(n);
    put(to, "static const soa_modal modal_%d = { .modes = %d, .parts = %d, .linear = %d, .unit = %d, ", k, modal->modes,
        modal->parts, modal->linear, modal->unit);
    put(to, ".given = &flexible_%d, ", link);
    put_parts(to, modal->parts, modal->part);
    put_array_of(to, "ee", square, modal->ee);
    put_array_of(to, "er", 6 * n, modal->er);
    put_array_of(to, "bends", SOA_MODAL_N * square, modal->bends);
    put_array_of(to, "scale", n, modal->scale);
    put_table(to, ".constant", &modal->constant);
    put_table(to, ".constant_t", &modal->constant_t);
    put_table(to, ".bent", &modal->bent);
    put_table(to, ".mass", &modal->mass);
    put_parts_of(to, "turned", &modal->turned);
    put_parts_of(to, "quadratic", &modal->quadratic);
    put_nodes(to, modal);
    put(to, "};\n\n");
}

static void put_ports(text *to, const soa_modal_ports *ports, int k)
{
    const size_t r = (size_t)ports->modes;
    put(to, "static const soa_modal_ports ports_%d = { .modes = %d, .bent = %d, .bent_at = %zu, .room_at = %zu, ", k,
        ports->modes, ports->bent, ports->bent_at, ports->room_at);
    put_parts(to, ports->bent, ports->part);
    put_array_of(to, "ee", r * soa_modal_stride(r), ports->ee);
    put_array_of(to, "er", 6 * r, ports->er);
    put_array_of(to, "inertia", SOA_ARTICULATED_NUMBERS, ports->inertia);
    put_table(to, ".by_eta", &ports->by_eta);
    put_table(to, ".by_force", &ports->by_force);
    put_table(to, ".by_motion", &ports->by_motion);
    put(to, "};\n\n");
}

/* ---- the model ----------------------------------------------------------------------------------------- */

enum { LOOK_BACK = 64 }; /* bodies, as in model/modal.c and modal_ports.c: no links share what is farther apart */

/* The first body with the tables of the modes of body k; with its ports. */
static int first_modal(const soa_model *m, int k)
{
    for (int j = k; j >= 0 && j >= k - LOOK_BACK; j--) {
        k = m->rest[j].modal == m->rest[k].modal ? j : k;
    }
    return k;
}

static int first_ports(const soa_model *m, int k)
{
    for (int j = k; j >= 0 && j >= k - LOOK_BACK; j--) {
        k = m->rest[j].ports == m->rest[k].ports ? j : k;
    }
    return k;
}

void data_flexible(text *to, const soa_model *m)
{
    for (int i = 0; i < m->description.link.count; i++) {
        const soa_flexible *f = soa_description_link(&m->description, i)->flexible;
        if (f != NULL) {
            put_flexible(to, f, i);
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_rest *rest = &m->rest[k];
        if (rest->modal != NULL && first_modal(m, k) == k) {
            put_modal(to, rest->modal, k, rest->link);
        }
        if (rest->ports != NULL && first_ports(m, k) == k) {
            put_ports(to, rest->ports, k);
        }
    }
}

void data_flexible_body(text *to, const soa_model *m, int k)
{
    const soa_body_rest *rest = &m->rest[k];
    const soa_modal_ports *on = rest->port_rows != NULL ? m->rest[m->body[k].parent].ports : NULL;
    if (rest->modal != NULL) {
        put(to, ".modal = &modal_%d, ", first_modal(m, k));
    }
    if (rest->ports != NULL) {
        put(to, ".ports = &ports_%d, ", first_ports(m, k));
    }
    if (on != NULL) {
        put_array_of(to, "port_rows", 6 * soa_modal_stride((size_t)on->modes), rest->port_rows);
        put(to, ".port_still = (const unsigned char[]){ ");
        for (int i = 0; i < on->modes; i++) {
            put(to, "%d, ", rest->port_still[i]);
        }
        put(to, "0 }, ");
    }
}
