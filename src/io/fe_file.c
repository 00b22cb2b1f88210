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

soa_lines soa_lines_open(soa_fe_block *block, const char *path)
{
    size_t length;
    soa_lines lines = { .block = block, .path = path };
    if (soa_ok(&block->outcome)) {
        soa_keep(&block->outcome, soa_file_read(&block->arena, path, &lines.next, &length, block->outcome.error));
    }
    return lines;
}

bool soa_lines_next(soa_lines *lines)
{
    if (!soa_ok(&lines->block->outcome) || !lines->next || !*lines->next) {
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

void soa_lines_fail(const soa_lines *lines, const char *format, ...)
{
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    soa_halt(&lines->block->outcome, SOA_E_SYNTAX, lines->path, lines->number, "%s", text);
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

/* One more item; NULL after a failure. */
static void *push(soa_fe_block *block, soa_array *array)
{
    void *item = soa_ok(&block->outcome) ? soa_array_push(array, &block->allocator) : NULL;
    return soa_got(&block->outcome, item) ? item : NULL;
}

static void push_int(soa_fe_block *block, soa_array *array, int value)
{
    int *at = push(block, array);
    if (at) {
        *at = value;
    }
}

static void push_name(soa_fe_block *block, soa_array *array, soa_names *names, const char *name)
{
    const char **at = push(block, array);
    if (at && (!soa_got(&block->outcome, *at = soa_arena_text(&block->arena, name)) ||
                  !soa_names_add(names, &block->allocator, *at, array->count - 1))) {
        soa_halt_memory(&block->outcome);
    }
}

bool soa_fe_add_node(soa_fe_block *block, const char *name, const double position[3])
{
    const bool new = soa_names_find(&block->index, name) < 0;
    if (new) {
        push_name(block, &block->name, &block->index, name);
        double *at = push(block, &block->position);
        if (at) {
            memcpy(at, position, 3 * sizeof *at);
        }
    }
    return new;
}

void soa_fe_add_dof(soa_fe_block *block, int node, int direction)
{
    push_int(block, &block->node, node);
    push_int(block, &block->direction, direction);
}

void soa_fe_add_to_set(soa_fe_block *block, const char *set, int node)
{
    const int known = soa_names_find(&block->sets, set), at = known < 0 ? block->set_name.count : known;
    if (known < 0) {
        push_name(block, &block->set_name, &block->sets, set);
    }
    push_int(block, &block->set_of, at);
    push_int(block, &block->in_set, node);
}

void soa_fe_add_entry(soa_fe_block *block, soa_fe_entries *matrix, int row, int column, double value)
{
    if (value == 0.0) {
        return;
    }
    push_int(block, &matrix->row, row);
    push_int(block, &matrix->column, column);
    double *at = push(block, &matrix->value);
    if (at) {
        *at = value;
    }
}

char *soa_fe_beside(soa_fe_block *block, const char *path, size_t stem, const char *ending)
{
    const size_t size = stem + strlen(ending) + 1;
    char *name = soa_arena_take(&block->arena, size, 1);
    if (soa_got(&block->outcome, name)) {
        snprintf(name, size, "%.*s%s", (int)stem, path, ending);
    }
    return name;
}

/* ---- NAME.nodes --------------------------------------------------------------------------------------------------- */

static void read_node_line(soa_lines *lines)
{
    char *at = lines->line, *name = soa_word(&at), *set;
    double x[3];
    if (!name || *name == '#') {
        return;
    }
    for (int d = 0; d < 3; d++) {
        if (!soa_word_number(soa_word(&at), &x[d])) {
            soa_lines_fail(lines, "node '%.40s' has no number for %c; write: name x y z", name, "xyz"[d]);
            return;
        }
    }
    if (!soa_fe_add_node(lines->block, name, x)) {
        soa_lines_fail(lines, "node '%.40s' is there twice", name);
    }
    while ((set = soa_word(&at))) {
        soa_fe_add_to_set(lines->block, set, lines->block->name.count - 1);
    }
}

void soa_fe_read_nodes(soa_fe_block *block, const char *path, int rows)
{
    soa_lines lines = soa_lines_open(block, path);
    while (soa_lines_next(&lines)) {
        read_node_line(&lines);
    }
    const int nodes = block->name.count;
    if (nodes == 0 || (rows != 3 * nodes && rows != 6 * nodes)) {
        soa_lines_fail(&lines, "%d nodes do not fit matrices of %d rows; a node has 3 or 6 rows", nodes, rows);
    }
    for (int i = 0; soa_ok(&block->outcome) && i < rows; i++) {
        const int each = rows / nodes, d = i % each;
        soa_fe_add_dof(block, i / each, d < 3 ? 3 + d : d - 3);
    }
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* Pairs of set and node to the nodes of each set. */
static void finish_sets(soa_fe_block *block)
{
    const int sets = block->set_name.count, pairs = block->set_of.count;
    const int *of = block->set_of.items, *in = block->in_set.items;
    int *start = soa_arena_take(&block->arena, (size_t)sets + 2, sizeof *start);
    int *nodes = soa_arena_take(&block->arena, (size_t)pairs + 1, sizeof *nodes);
    if (!soa_got(&block->outcome, start) || !soa_got(&block->outcome, nodes)) {
        return;
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

static void read_format(soa_fe_block *block, const char *path)
{
    static const struct {
        const char *ending;
        soa_fe_reader *read;
    } formats[] = { { ".inp", soa_fe_read_calculix }, { ".bdf", soa_fe_read_nastran }, { ".dat", soa_fe_read_nastran },
        { ".pch", soa_fe_read_nastran }, { ".op4", soa_fe_read_op4 }, { ".mtx", soa_fe_read_matrix_market } };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++) {
        if (strcasecmp(dot, formats[i].ending) == 0) {
            formats[i].read(block, path);
            return;
        }
    }
    soa_halt(&block->outcome, SOA_E_FILE, path, 0,
        "the kind of finite-element file is unknown; name it .inp (CalculiX), .bdf (NASTRAN), .op4 or .stiffness.mtx");
}

static soa_fe_block *new_block(const soa_allocator *allocator, soa_error *error)
{
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    soa_fe_block *block = soa_allocate(&from, 1, sizeof *block);
    if (block) {
        *block = (soa_fe_block){ .allocator = from, .outcome = { error, SOA_OK } };
#define ARRAY(name, item) block->name = soa_array_of(sizeof(item));
        SOA_FE_ARRAY_LIST(ARRAY)
#undef ARRAY
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
    if (!block) {
        return soa_fail_memory(error);
    }
    read_format(block, path);
    if (soa_ok(&block->outcome)) {
        finish_sets(block);
        finish(block);
    }
    const soa_status status = block->outcome.status;
    if (status == SOA_OK) {
        *fe = &block->data;
    } else {
        soa_fe_free(&block->data);
    }
    return status;
}

void soa_fe_free(soa_fe *fe)
{
    if (!fe) {
        return;
    }
    soa_fe_block *block = (soa_fe_block *)(void *)fe; /* its first member */
    const soa_allocator from = block->allocator;
#define ARRAY(name, item) soa_array_free(&block->name, &from);
    SOA_FE_ARRAY_LIST(ARRAY)
#undef ARRAY
    soa_names_free(&block->index, &from);
    soa_names_free(&block->sets, &from);
    soa_arena_free(&block->arena);
    soa_release(&from, block);
}
