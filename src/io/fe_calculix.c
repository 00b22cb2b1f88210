/* io/fe_calculix.c - CalculiX: nodes and sets of NAME.inp, matrices of NAME.sti, NAME.mas and NAME.dof.
 *
 * The export of "*FREQUENCY, SOLVER=MATRIXSTORAGE": lines "row column value" of one triangle, and for each row a line
 * "node.direction". Of the .inp only nodes and node sets are read. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "io/fe_file.h"

enum { MOST_INCLUDES = 16 };

/* What data lines are for. */
typedef struct section {
    enum { OTHER, NODES, SET } kind;
    const char *set; /* of NODES: may be NULL */
    bool generate;
} section;

static void upper(char *text)
{
    for (; *text; text++) {
        *text = (char)toupper((unsigned char)*text);
    }
}

/* The value of "KEY=value" in a keyword line, or NULL. The line is in upper case. */
static char *parameter(soa_fe_block *block, const char *line, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = strchr(line, ','); at; at = strchr(at, ',')) {
        at++;
        at += strspn(at, " \t");
        if (strncasecmp(at, key, length) == 0) {
            const char *value = at + length + strspn(at + length, " \t");
            if (*value == '=') {
                value += 1 + strspn(value + 1, " \t");
                return soa_arena_text_n(&block->arena, value, strcspn(value, ", \t"));
            }
        }
    }
    return NULL;
}

static bool is_keyword(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && (line[length] == '\0' || strchr(", \t", line[length]));
}

/* ---- data lines ---------------------------------------------------------------------------------------------------- */

static soa_status read_node(soa_fe_block *block, soa_lines *lines, const section *s)
{
    char *at = lines->line, *name = soa_word(&at), *word;
    double x[3] = { 0.0 };
    int number;
    if (!name) {
        return SOA_OK;
    }
    if (!soa_word_integer(name, &number)) {
        return soa_lines_fail(block, lines, "'%.40s' is no node number", name);
    }
    for (int d = 0; d < 3 && (word = soa_word(&at)); d++) {
        if (!soa_word_number(word, &x[d])) {
            return soa_lines_fail(block, lines, "node %s: '%.40s' is no coordinate", name, word);
        }
    }
    soa_status status = soa_fe_add_node(block, name, x);
    if (status == SOA_E_NAME) {
        return soa_lines_fail(block, lines, "node %s is there twice", name);
    }
    return status == SOA_OK && s->set ? soa_fe_add_to_set(block, s->set, block->name.count - 1) : status;
}

/* All nodes of another set. */
static soa_status add_set(soa_fe_block *block, const char *set, int other)
{
    soa_status status = SOA_OK;
    const int pairs = block->set_of.count;
    for (int i = 0; i < pairs && status == SOA_OK; i++) {
        const int of = *(int *)soa_array_at(&block->set_of, i), node = *(int *)soa_array_at(&block->in_set, i);
        status = of == other ? soa_fe_add_to_set(block, set, node) : SOA_OK;
    }
    return status;
}

static soa_status add_member(soa_fe_block *block, const soa_lines *lines, const char *set, char *word)
{
    const int node = soa_names_find(&block->index, word);
    if (node >= 0) {
        return soa_fe_add_to_set(block, set, node);
    }
    upper(word);
    const int other = soa_names_find(&block->sets, word);
    return other >= 0
               ? add_set(block, set, other)
               : soa_lines_fail(block, lines, "set %s: there is no node or set '%.40s' above this line", set, word);
}

static soa_status generate(soa_fe_block *block, soa_lines *lines, const char *set)
{
    char *at = lines->line, *word[3], text[24];
    int value[3] = { 0, 0, 1 };
    for (int i = 0; i < 3; i++) {
        word[i] = soa_word(&at);
        if ((word[i] || i < 2) && !soa_word_integer(word[i], &value[i])) {
            return soa_lines_fail(block, lines, "set %s: write first, last, step", set);
        }
    }
    if (value[2] < 1) {
        return soa_lines_fail(block, lines, "set %s: the step must be positive", set);
    }
    soa_status status = SOA_OK;
    for (long long i = value[0]; i <= value[1] && status == SOA_OK; i += value[2]) {
        snprintf(text, sizeof text, "%lld", i);
        status = add_member(block, lines, set, text);
    }
    return status;
}

static soa_status read_members(soa_fe_block *block, soa_lines *lines, const section *s)
{
    if (s->generate) {
        return generate(block, lines, s->set);
    }
    char *at = lines->line, *word;
    soa_status status = SOA_OK;
    while (status == SOA_OK && (word = soa_word(&at))) {
        status = add_member(block, lines, s->set, word);
    }
    return status;
}

/* ---- NAME.inp ------------------------------------------------------------------------------------------------------ */

static soa_status read_keyword(soa_fe_block *block, soa_lines *lines, section *s)
{
    *s = (section){ .kind = OTHER };
    upper(lines->line);
    const char *line = lines->line;
    if (is_keyword(line, "*TRANSFORM")) {
        return soa_lines_fail(block, lines, "*TRANSFORM turns degrees of freedom; give the model in global axes");
    }
    if (is_keyword(line, "*NODE") || is_keyword(line, "*NSET")) {
        s->kind = line[2] == 'O' ? NODES : SET;
        s->set = parameter(block, line, "NSET");
        s->generate = strstr(line, "GENERATE") != NULL;
        if (s->kind == SET && !s->set) {
            return soa_lines_fail(block, lines, "*NSET has no name; write *NSET, NSET=TIP");
        }
    }
    return SOA_OK;
}

static soa_status read_deck(soa_fe_block *block, const char *path, int depth)
{
    soa_lines lines;
    section s = { .kind = OTHER };
    soa_status status = soa_lines_open(block, path, &lines);
    while (status == SOA_OK && soa_lines_next(&lines)) {
        if (lines.line[0] == '*' && lines.line[1] == '*') {
            continue;
        }
        if (strncasecmp(lines.line, "*INCLUDE", 8) == 0) {
            char *name = parameter(block, lines.line, "INPUT");
            char *inner = name && depth < MOST_INCLUDES ? soa_file_beside(&block->arena, path, name) : NULL;
            status = inner ? read_deck(block, inner, depth + 1)
                           : soa_lines_fail(block, &lines, "*INCLUDE needs INPUT=FILE, at most %d deep", MOST_INCLUDES);
        } else if (lines.line[0] == '*') {
            status = read_keyword(block, &lines, &s);
        } else if (s.kind != OTHER) {
            status = s.kind == NODES ? read_node(block, &lines, &s) : read_members(block, &lines, &s);
        }
    }
    return status;
}

/* ---- matrices ------------------------------------------------------------------------------------------------------- */

static soa_status read_dofs(soa_fe_block *block, const char *path)
{
    soa_lines lines;
    soa_status status = soa_lines_open(block, path, &lines);
    while (status == SOA_OK && soa_lines_next(&lines)) {
        char *at = lines.line, *word = soa_word(&at), *dot = word ? strrchr(word, '.') : NULL;
        int direction;
        if (!word) {
            continue;
        }
        if (!dot || !soa_word_integer(dot + 1, &direction) || direction < 1 || direction > 3) {
            return soa_lines_fail(block, &lines, "'%.40s' is not node.direction with direction 1 to 3", word);
        }
        *dot = '\0';
        const int node = soa_names_find(&block->index, word);
        if (node < 0) {
            return soa_lines_fail(block, &lines,
                "node %.40s is not in the .inp; elements with nodes of their own (C3D8I, beams, shells) cannot be "
                "read: use "
                "C3D20 or C3D10",
                word);
        }
        status = soa_fe_add_dof(block, node, 2 + direction);
    }
    return status;
}

static soa_status read_matrix(soa_fe_block *block, const char *path, soa_fe_entries *matrix)
{
    soa_lines lines;
    soa_status status = soa_lines_open(block, path, &lines);
    while (status == SOA_OK && soa_lines_next(&lines)) {
        char *at = lines.line, *word = soa_word(&at);
        int row, column;
        double value;
        if (!word) {
            continue;
        }
        if (!soa_word_integer(word, &row) || !soa_word_integer(soa_word(&at), &column) ||
            !soa_word_number(soa_word(&at), &value) || row < 1 || column < 1 || row > block->node.count ||
            column > block->node.count) {
            return soa_lines_fail(
                block, &lines, "this is not 'row column value' with rows from 1 to %d", block->node.count);
        }
        status = value == 0.0 ? SOA_OK : soa_fe_add_entry(block, matrix, row - 1, column - 1, value);
    }
    return status;
}

soa_status soa_fe_read_calculix(soa_fe_block *block, const char *path)
{
    static const char *const endings[] = { ".dof", ".sti", ".mas" };
    const size_t stem = strlen(path) - strlen(".inp");
    const char *beside[3];
    for (int i = 0; i < 3; i++) {
        if (!(beside[i] = soa_fe_beside(block, path, stem, endings[i]))) {
            return soa_fail_memory(block->error);
        }
        if (!soa_file_exists(beside[i])) {
            return soa_fail_at(block->error, SOA_E_FILE, path, 0,
                "'%.200s' is missing; export the matrices with *FREQUENCY, SOLVER=MATRIXSTORAGE and run ccx",
                beside[i]);
        }
    }
    soa_status status = read_deck(block, path, 0);
    status = status == SOA_OK ? read_dofs(block, beside[0]) : status;
    status = status == SOA_OK ? read_matrix(block, beside[1], &block->stiffness) : status;
    return status == SOA_OK ? read_matrix(block, beside[2], &block->mass) : status;
}
