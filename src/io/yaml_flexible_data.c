/* io/yaml_flexible_data.c - the numbers of a reduced flexible link, from and to YAML.
 *
 *     flexible:
 *       modes: 2
 *       mass: 1.5
 *       first: [...]      second: [...]      ee: [[...], [...]]  ...
 *       nodes:
 *         - {name: tip, at: [...], shape: [[rotation, displacement], ...], shape2: ...} */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "flex/fe.h"
#include "io/yaml_flexible.h"
#include "io/yaml_flow.h"

/* Arrays of the whole link: name, whether it may be left out, numbers in its innermost list, and how many times it is a list
 * over the modes. */
#define DATA_LIST(X)          \
    X(ee, false, 1, 2)        \
    X(stiffness, false, 1, 2) \
    X(damping, true, 1, 2)    \
    X(ef, false, 3, 1)        \
    X(en, false, 3, 1)        \
    X(en1, true, 3, 2)        \
    X(ef1, true, 3, 2)        \
    X(second1, true, 6, 1)    \
    X(second2, true, 6, 2)

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* Lists of lists: depth of them with m items each, then one of `width` numbers (1: the number itself). */
static soa_status read_nested(const soa_yaml *value, int m, int depth, int width, double **to, soa_error *error)
{
    if (depth == 0) {
        double *at = *to;
        *to += width;
        return width == 1 ? soa_yaml_as_number(value, at, error) : soa_yaml_as_numbers(value, width, at, error);
    }
    if (value->kind != SOA_YAML_SEQUENCE || value->count != m) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "a list of %d items is expected, one for each mode", m);
    }
    soa_status status = SOA_OK;
    for (const soa_yaml *item = value->child; item && status == SOA_OK; item = item->next) {
        status = read_nested(item, m, depth - 1, width, to, error);
    }
    return status;
}

typedef struct array {
    const char *key;
    bool optional;
    int width, depth;
    const double **numbers;
} array;

static soa_status read_array(const soa_yaml *mapping, const array *a, int m, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, a->key);
    if (!value) {
        *a->numbers = NULL;
        return a->optional
                   ? SOA_OK
                   : soa_yaml_fail(mapping, SOA_E_SYNTAX, error, "'%s' of the flexible link is missing", a->key);
    }
    double *to = soa_numbers_of(*a->numbers);
    return read_nested(value, m, a->depth, a->width, &to, error);
}

static soa_status read_arrays(const soa_yaml *mapping, soa_flexible *f, soa_error *error)
{
    const array arrays[] = {
#define ARRAY(name, optional, width, depth) { #name, optional, width, depth, &f->name },
        DATA_LIST(ARRAY)
#undef ARRAY
    };
    soa_status status = soa_yaml_number(mapping, "mass", &f->mass, error);
    status = status == SOA_OK ? soa_yaml_numbers(mapping, "first", 3, f->first, error) : status;
    status = status == SOA_OK ? soa_yaml_numbers(mapping, "second", 6, f->second, error) : status;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == SOA_OK; i++) {
        status = read_array(mapping, &arrays[i], f->modes, error);
    }
    return status;
}

static soa_status read_node(soa_flexible_block *block, soa_yaml *item, int i, const char **name, soa_error *error)
{
    static const char *const keys[] = { "name", "at", "shape", "shape2", NULL };
    soa_flexible *f = &block->data;
    const size_t m = (size_t)f->modes;
    const double *shape = f->shape + (size_t)i * m * 6, *shape2 = f->shape2 ? f->shape2 + (size_t)i * m * m * 3 : NULL;
    const array arrays[] = { { "shape", false, 6, 1, &shape }, { "shape2", false, 3, 2, &shape2 } };
    const char *text = NULL;
    soa_status status = soa_yaml_expect(item, "node", keys, error);
    status = status == SOA_OK ? soa_yaml_text(item, "name", &text, error) : status;
    status =
        status == SOA_OK ? soa_yaml_numbers(item, "at", 3, soa_numbers_of(f->position) + 3 * (size_t)i, error) : status;
    status = status == SOA_OK ? read_array(item, &arrays[0], f->modes, error) : status;
    status = status == SOA_OK && shape2 ? read_array(item, &arrays[1], f->modes, error) : status;
    if (status == SOA_OK && text) {
        *name = soa_arena_text(&block->arena, text);
        return *name ? SOA_OK : soa_fail_memory(error);
    }
    return status;
}

static soa_status read_nodes(soa_flexible_block *block, soa_yaml *first, soa_error *error)
{
    const char **names = soa_arena_take(&block->arena, (size_t)block->data.nodes + 1, sizeof *names);
    soa_status status = names ? SOA_OK : soa_fail_memory(error);
    bool any = false;
    int i = 0;
    for (soa_yaml *item = first; item && status == SOA_OK; item = item->next, i++) {
        status = read_node(block, item, i, &names[i], error);
        any = any || names[i];
    }
    block->data.node_name = any ? names : NULL;
    return status;
}

soa_status soa_yaml_flexible_data(soa_yaml_reader *reader, soa_yaml *mapping, soa_flexible **flexible)
{
    static const char *const keys[] = { "modes", "mass", "first", "second", "nodes",
#define KEY(name, optional, width, depth) #name,
        DATA_LIST(KEY)
#undef KEY
            NULL };
    soa_yaml *nodes = NULL;
    double modes = 0.0;
    soa_status status = soa_yaml_expect(mapping, NULL, keys, reader->error);
    status = status == SOA_OK ? soa_yaml_number(mapping, "modes", &modes, reader->error) : status;
    status = status == SOA_OK ? soa_yaml_items(mapping, "nodes", &nodes, reader->error) : status;
    if (status != SOA_OK) {
        return status;
    }
    if (!(modes >= 1.0 && modes <= SOA_MAX_MODES) || modes != floor(modes)) {
        return soa_yaml_fail(mapping, SOA_E_LIMIT, reader->error, "'modes' is %g; give 1 to %d", modes, SOA_MAX_MODES);
    }
    const int count = soa_yaml_get(mapping, "nodes") ? soa_yaml_get(mapping, "nodes")->count : 0;
    soa_flexible_block *block =
        soa_flexible_new(reader->allocator, (int)modes, count, nodes && soa_yaml_get(nodes, "shape2"));
    if (!block) {
        return soa_fail_memory(reader->error);
    }
    if (!block->data.ef1) { /* it may be given without the shapes of nodes */
        block->data.ef1 = soa_arena_take(&block->arena, (size_t)(modes * modes) * 3, sizeof(double));
    }
    status = block->data.ef1 ? read_arrays(mapping, &block->data, reader->error) : soa_fail_memory(reader->error);
    status = status == SOA_OK ? read_nodes(block, nodes, reader->error) : status;
    if (status != SOA_OK) {
        soa_flexible_free(reader->allocator, &block->data);
        return status;
    }
    *flexible = &block->data;
    return SOA_OK;
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

/* Lists of lists as in read_nested, in one line. */
static void write_nested(soa_yaml_flow *flow, int m, int depth, int width, const double **x)
{
    if (depth == 0 && width == 1) {
        soa_text_number(flow->text, *(*x)++);
        return;
    }
    if (depth == 0) {
        soa_flow_numbers(flow, *x, width);
        *x += width;
        return;
    }
    for (int i = 0; i < m; i++) {
        soa_text_add(flow->text, i == 0 ? "[" : ", ");
        write_nested(flow, m, depth - 1, width, x);
    }
    soa_text_add(flow->text, "]");
}

/* A key with a line for each mode. */
static void write_array(soa_yaml_flow *flow, const array *a, int m, int indent)
{
    const double *x = *a->numbers;
    if (!x) {
        return;
    }
    soa_text_add(flow->text, "%*s%s:\n", indent, "", a->key);
    for (int i = 0; i < m; i++) {
        soa_text_add(flow->text, "%*s- ", indent + 2, "");
        write_nested(flow, m, a->depth - 1, a->width, &x);
        soa_text_add(flow->text, "\n");
    }
}

static void write_node(soa_yaml_flow *flow, const soa_flexible *f, int i, int indent)
{
    const size_t m = (size_t)f->modes;
    const double *shape = f->shape + (size_t)i * m * 6, *shape2 = f->shape2 ? f->shape2 + (size_t)i * m * m * 3 : NULL;
    const array arrays[] = { { "shape", false, 6, 1, &shape }, { "shape2", true, 3, 2, &shape2 } };
    soa_text_add(flow->text, "%*s- ", indent, "");
    if (f->node_name && f->node_name[i]) {
        soa_text_add(flow->text, "name: ");
        soa_flow_word(flow, f->node_name[i]);
        soa_text_add(flow->text, "\n%*s", indent + 2, "");
    }
    soa_text_add(flow->text, "at: ");
    soa_flow_numbers(flow, f->position + 3 * (size_t)i, 3);
    soa_text_add(flow->text, "\n");
    write_array(flow, &arrays[0], f->modes, indent + 2);
    write_array(flow, &arrays[1], f->modes, indent + 2);
}

void soa_yaml_write_flexible(soa_text *text, const soa_flexible *flexible, int indent)
{
    const soa_flexible *f = flexible;
    soa_flexible copy = *f; /* only to have places that are not constant */
    const array arrays[] = {
#define ARRAY(name, optional, width, depth) { #name, optional, width, depth, &copy.name },
        DATA_LIST(ARRAY)
#undef ARRAY
    };
    soa_yaml_flow flow = { text, false };
    soa_text_add(text, "%*sflexible:\n%*smodes: %d\n%*smass: ", indent, "", indent + 2, "", f->modes, indent + 2, "");
    soa_text_number(text, f->mass);
    soa_text_add(text, "\n%*sfirst: ", indent + 2, "");
    soa_flow_numbers(&flow, f->first, 3);
    soa_text_add(text, "\n%*ssecond: ", indent + 2, "");
    soa_flow_numbers(&flow, f->second, 6);
    soa_text_add(text, "\n");
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        write_array(&flow, &arrays[i], f->modes, indent + 2);
    }
    soa_text_add(text, f->nodes > 0 ? "%*snodes:\n" : "%*snodes: []\n", indent + 2, "");
    for (int i = 0; i < f->nodes; i++) {
        write_node(&flow, f, i, indent + 4);
    }
}
