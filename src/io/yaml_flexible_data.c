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
static void read_nested(const soa_yaml *value, int m, int depth, int width, double **to)
{
    if (depth == 0) {
        double *at = *to;
        *to += width;
        if (width == 1) {
            soa_yaml_as_number(value, at);
        } else {
            soa_yaml_as_numbers(value, width, at);
        }
        return;
    }
    if (value->kind != SOA_YAML_SEQUENCE || value->count != m) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "a list of %d items is expected, one for each mode", m);
        return;
    }
    for (const soa_yaml *item = value->child; item; item = item->next) {
        read_nested(item, m, depth - 1, width, to);
    }
}

typedef struct array {
    const char *key;
    bool optional;
    int width, depth;
    const double **numbers;
} array;

static void read_array(const soa_yaml *mapping, const array *a, int m)
{
    const soa_yaml *value = soa_yaml_get(mapping, a->key);
    double *to = soa_numbers_of(*a->numbers);
    if (value) {
        read_nested(value, m, a->depth, a->width, &to);
        return;
    }
    *a->numbers = NULL;
    if (!a->optional) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'%s' of the flexible link is missing", a->key);
    }
}

static void read_arrays(const soa_yaml *mapping, soa_flexible *f)
{
    const array arrays[] = {
#define ARRAY(name, optional, width, depth) { #name, optional, width, depth, &f->name },
        DATA_LIST(ARRAY)
#undef ARRAY
    };
    soa_yaml_number(mapping, "mass", &f->mass);
    soa_yaml_numbers(mapping, "first", 3, f->first);
    soa_yaml_numbers(mapping, "second", 6, f->second);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        read_array(mapping, &arrays[i], f->modes);
    }
}

static void read_node(soa_flexible_block *block, soa_yaml *item, int i, const char **name)
{
    static const char *const keys[] = { "name", "at", "shape", "shape2", NULL };
    soa_flexible *f = &block->data;
    const size_t m = (size_t)f->modes;
    const double *shape = f->shape + (size_t)i * m * 6, *shape2 = f->shape2 ? f->shape2 + (size_t)i * m * m * 3 : NULL;
    const array arrays[] = { { "shape", false, 6, 1, &shape }, { "shape2", false, 3, 2, &shape2 } };
    const char *text = NULL;
    soa_yaml_expect(item, "node", keys);
    soa_yaml_text(item, "name", &text);
    soa_yaml_numbers(item, "at", 3, soa_numbers_of(f->position) + 3 * (size_t)i);
    read_array(item, &arrays[0], f->modes);
    if (shape2) {
        read_array(item, &arrays[1], f->modes);
    }
    if (text) {
        *name = soa_arena_text(&block->arena, text);
        soa_yaml_got(item, *name);
    }
}

static void read_nodes(soa_flexible_block *block, const soa_yaml *mapping, soa_yaml *first)
{
    const char **names = soa_arena_take(&block->arena, (size_t)block->data.nodes + 1, sizeof *names);
    bool any = false;
    int i = 0;
    for (soa_yaml *item = first; soa_yaml_got(mapping, names) && item; item = item->next, i++) {
        read_node(block, item, i, &names[i]);
        any = any || names[i];
    }
    block->data.node_name = any ? names : NULL;
}

soa_flexible *soa_yaml_flexible_data(soa_yaml_reader *reader, soa_yaml *mapping)
{
    static const char *const keys[] = { "modes", "mass", "first", "second", "nodes",
#define KEY(name, optional, width, depth) #name,
        DATA_LIST(KEY)
#undef KEY
            NULL };
    double modes = 0.0;
    soa_yaml_expect(mapping, NULL, keys);
    soa_yaml_number(mapping, "modes", &modes);
    soa_yaml *nodes = soa_yaml_items(mapping, "nodes");
    if (!(modes >= 1.0 && modes <= SOA_MAX_MODES) || modes != floor(modes)) {
        soa_yaml_fail(mapping, SOA_E_LIMIT, "'modes' is %g; give 1 to %d", modes, SOA_MAX_MODES);
    }
    if (!soa_yaml_ok(mapping)) {
        return NULL;
    }
    const int count = nodes ? nodes->parent->count : 0;
    soa_flexible_block *block =
        soa_flexible_new(reader->kit.allocator, (int)modes, count, nodes && soa_yaml_get(nodes, "shape2"));
    if (!soa_yaml_got(mapping, block)) {
        return NULL;
    }
    if (!block->data.ef1) { /* it may be given without the shapes of nodes */
        block->data.ef1 = soa_arena_take(&block->arena, (size_t)(modes * modes) * 3, sizeof(double));
    }
    if (soa_yaml_got(mapping, block->data.ef1)) {
        read_arrays(mapping, &block->data);
        read_nodes(block, mapping, nodes);
    }
    if (soa_yaml_ok(mapping)) {
        return &block->data;
    }
    soa_flexible_free(reader->kit.allocator, &block->data);
    return NULL;
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
