/* io/fe_file.c - models of finite elements from files: what the formats share. */
#include "io/fe_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "core/number.h"

/* ---- lines and words ------------------------------------------------------------------------------------------ */

soa_status soa_lines_open(soa_fe_block *block, const char *path, soa_lines *lines)
{
    size_t length;
    *lines = (soa_lines){ .path = path };
    return soa_file_read(&block->arena, path, &lines->next, &length, block->error);
}

bool soa_lines_next(soa_lines *lines)
{
    if (!lines->next || !*lines->next) {
        return false;
    }
    lines->line = lines->next;
    lines->number++;
    char *end = strchr(lines->line, '\n');
    lines->next = end ? end + 1 : NULL;
    if (end) {
        *end = '\0';
    }
    const size_t length = strlen(lines->line);
    if (length > 0 && lines->line[length - 1] == '\r') {
        lines->line[length - 1] = '\0';
    }
    return true;
}

soa_status soa_lines_fail(soa_fe_block *block, const soa_lines *lines, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const soa_status status = soa_vfail_at(block->error, SOA_E_SYNTAX, lines->path, lines->number, format, arguments);
    va_end(arguments);
    return status;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

char *soa_word(char **at)
{
    char *start = *at;
    while (is_separator(*start)) {
        start++;
    }
    if (!*start) {
        *at = start;
        return NULL;
    }
    char *end = start;
    while (*end && !is_separator(*end)) {
        end++;
    }
    *at = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

bool soa_word_number(const char *word, double *number)
{
    char copy[64];
    const size_t length = word ? strlen(word) : 0;
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    for (size_t i = 0; i <= length; i++) {
        copy[i] = word[i] == 'D' || word[i] == 'd' ? 'e' : word[i];
    }
    const char *end = soa_number_read(copy, number);
    return end && !*end;
}

bool soa_word_integer(const char *word, int *number)
{
    char *end;
    const long value = word ? strtol(word, &end, 10) : 0;
    if (!word || !*word || *end || value < -2000000000L || value > 2000000000L) {
        return false;
    }
    *number = (int)value;
    return true;
}

/* ---- items --------------------------------------------------------------------------------------------------------- */

static void *push(soa_fe_block *block, soa_array *array)
{
    return soa_array_push(array, &block->allocator);
}

static bool push_int(soa_fe_block *block, soa_array *array, int value)
{
    int *at = push(block, array);
    if (at) {
        *at = value;
    }
    return at != NULL;
}

static const char *push_name(soa_fe_block *block, soa_array *array, soa_names *names, const char *name)
{
    const char **at = push(block, array);
    if (!at || !(*at = soa_arena_text(&block->arena, name)) ||
        !soa_names_add(names, &block->allocator, *at, array->count - 1)) {
        return NULL;
    }
    return *at;
}

soa_status soa_fe_add_node(soa_fe_block *block, const char *name, const double position[3])
{
    if (soa_names_find(&block->index, name) >= 0) {
        return SOA_E_NAME;
    }
    double *at = push_name(block, &block->name, &block->index, name) ? push(block, &block->position) : NULL;
    if (!at) {
        return soa_fail_memory(block->error);
    }
    memcpy(at, position, 3 * sizeof *at);
    return SOA_OK;
}

soa_status soa_fe_add_dof(soa_fe_block *block, int node, int direction)
{
    return push_int(block, &block->node, node) && push_int(block, &block->direction, direction)
               ? SOA_OK
               : soa_fail_memory(block->error);
}

soa_status soa_fe_add_to_set(soa_fe_block *block, const char *set, int node)
{
    int at = soa_names_find(&block->sets, set);
    if (at < 0) {
        at = block->set_name.count;
        if (!push_name(block, &block->set_name, &block->sets, set)) {
            return soa_fail_memory(block->error);
        }
    }
    return push_int(block, &block->set_of, at) && push_int(block, &block->in_set, node) ? SOA_OK
                                                                                        : soa_fail_memory(block->error);
}

soa_status soa_fe_add_entry(soa_fe_block *block, soa_fe_entries *matrix, int row, int column, double value)
{
    double *at = push_int(block, &matrix->row, row) && push_int(block, &matrix->column, column)
                     ? push(block, &matrix->value)
                     : NULL;
    if (!at) {
        return soa_fail_memory(block->error);
    }
    *at = value;
    return SOA_OK;
}

char *soa_fe_beside(soa_fe_block *block, const char *path, size_t stem, const char *ending)
{
    const size_t size = stem + strlen(ending) + 1;
    char *name = soa_arena_take(&block->arena, size, 1);
    if (name) {
        snprintf(name, size, "%.*s%s", (int)stem, path, ending);
    }
    return name;
}

/* ---- NAME.nodes --------------------------------------------------------------------------------------------------- */

static soa_status read_node_line(soa_fe_block *block, soa_lines *lines)
{
    char *at = lines->line, *name = soa_word(&at), *set;
    double x[3];
    if (!name || *name == '#') {
        return SOA_OK;
    }
    for (int d = 0; d < 3; d++) {
        if (!soa_word_number(soa_word(&at), &x[d])) {
            return soa_lines_fail(block, lines, "node '%.40s' has no number for %c; write: name x y z", name, "xyz"[d]);
        }
    }
    soa_status status = soa_fe_add_node(block, name, x);
    if (status == SOA_E_NAME) {
        return soa_lines_fail(block, lines, "node '%.40s' is there twice", name);
    }
    while (status == SOA_OK && (set = soa_word(&at))) {
        status = soa_fe_add_to_set(block, set, block->name.count - 1);
    }
    return status;
}

soa_status soa_fe_read_nodes(soa_fe_block *block, const char *path, int rows)
{
    soa_lines lines;
    soa_status status = soa_lines_open(block, path, &lines);
    while (status == SOA_OK && soa_lines_next(&lines)) {
        status = read_node_line(block, &lines);
    }
    const int nodes = block->name.count;
    if (status == SOA_OK && (nodes == 0 || (rows != 3 * nodes && rows != 6 * nodes))) {
        return soa_lines_fail(
            block, &lines, "%d nodes do not fit matrices of %d rows; a node has 3 or 6 rows", nodes, rows);
    }
    for (int i = 0; status == SOA_OK && i < rows; i++) {
        const int each = rows / nodes, d = i % each;
        status = soa_fe_add_dof(block, i / each, d < 3 ? 3 + d : d - 3);
    }
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* Pairs of set and node to the nodes of each set. */
static bool finish_sets(soa_fe_block *block)
{
    const int sets = block->set_name.count, pairs = block->set_of.count;
    const int *of = block->set_of.items, *in = block->in_set.items;
    int *start = soa_arena_take(&block->arena, (size_t)sets + 2, sizeof *start);
    int *nodes = soa_arena_take(&block->arena, (size_t)pairs + 1, sizeof *nodes);
    if (!start || !nodes) {
        return false;
    }
    for (int i = 0; i < pairs; i++) {
        start[of[i] + 2]++;
    }
    for (int i = 0; i < sets; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int i = 0; i < pairs; i++) {
        nodes[start[of[i] + 1]++] = in[i];
    }
    block->data.sets = sets;
    block->data.set_name = block->set_name.items;
    block->data.set_start = start;
    block->data.set_node = nodes;
    return true;
}

static soa_fe_matrix finish_matrix(const soa_fe_entries *e, bool both)
{
    return (soa_fe_matrix){ e->row.count, e->row.items, e->column.items, e->value.items, both };
}

static void finish(soa_fe_block *block)
{
    soa_fe *fe = &block->data;
    fe->nodes = block->name.count;
    fe->node_name = block->name.items;
    fe->position = block->position.items;
    fe->dofs = block->node.count;
    fe->node = block->node.items;
    fe->direction = block->direction.items;
    fe->stiffness = finish_matrix(&block->stiffness, fe->stiffness.both);
    fe->mass = finish_matrix(&block->mass, fe->mass.both);
}

static soa_status read_format(soa_fe_block *block, const char *path)
{
    static const struct {
        const char *ending;
        soa_status (*read)(soa_fe_block *, const char *);
    } formats[] = { { ".inp", soa_fe_read_calculix }, { ".bdf", soa_fe_read_nastran }, { ".dat", soa_fe_read_nastran },
        { ".pch", soa_fe_read_nastran }, { ".op4", soa_fe_read_op4 }, { ".mtx", soa_fe_read_matrix_market } };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++) {
        if (strcasecmp(dot, formats[i].ending) == 0) {
            return formats[i].read(block, path);
        }
    }
    return soa_fail_at(block->error, SOA_E_FILE, path, 0,
        "the kind of finite-element file is unknown; name it .inp (CalculiX), .bdf (NASTRAN), .op4 or .stiffness.mtx");
}

static soa_fe_block *new_block(const soa_allocator *allocator, soa_error *error)
{
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    soa_fe_block *block = soa_allocate(&from, 1, sizeof *block);
    if (block) {
        *block = (soa_fe_block){ .allocator = from,
            .error = error,
            .name = soa_array_of(sizeof(char *)),
            .position = soa_array_of(3 * sizeof(double)),
            .node = soa_array_of(sizeof(int)),
            .direction = soa_array_of(sizeof(int)),
            .set_name = soa_array_of(sizeof(char *)),
            .set_of = soa_array_of(sizeof(int)),
            .in_set = soa_array_of(sizeof(int)) };
        const soa_fe_entries none = { soa_array_of(sizeof(int)), soa_array_of(sizeof(int)),
            soa_array_of(sizeof(double)) };
        block->stiffness = block->mass = none;
        block->arena = soa_arena_on(&block->allocator);
    }
    return block;
}

soa_status soa_fe_load(const char *path, const soa_allocator *allocator, soa_fe **fe, soa_error *error)
{
    soa_error_clear(error);
    if (!path || !fe) {
        return soa_fail_null(error, path ? "the place of the model" : "the path");
    }
    *fe = NULL;
    soa_fe_block *block = new_block(allocator, error);
    soa_status status = block ? read_format(block, path) : soa_fail_memory(error);
    if (status == SOA_OK && !finish_sets(block)) {
        status = soa_fail_memory(error);
    }
    if (status != SOA_OK) {
        soa_fe_free(block ? &block->data : NULL);
        return status;
    }
    finish(block);
    *fe = &block->data;
    return SOA_OK;
}

void soa_fe_free(soa_fe *fe)
{
    if (!fe) {
        return;
    }
    soa_fe_block *block = (soa_fe_block *)(void *)fe; /* its first member */
    soa_array *const arrays[] = { &block->name, &block->position, &block->node, &block->direction, &block->set_name,
        &block->set_of, &block->in_set, &block->stiffness.row, &block->stiffness.column, &block->stiffness.value,
        &block->mass.row, &block->mass.column, &block->mass.value };
    const soa_allocator from = block->allocator;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        soa_array_free(arrays[i], &from);
    }
    soa_names_free(&block->index, &from);
    soa_names_free(&block->sets, &from);
    soa_arena_free(&block->arena);
    soa_release(&from, block);
}
