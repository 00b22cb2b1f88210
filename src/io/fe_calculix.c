/* io/fe_calculix.c - CalculiX: nodes and sets of NAME.inp, matrices of NAME.sti, NAME.mas and NAME.dof.
 *
 * The export of "*FREQUENCY, SOLVER=MATRIXSTORAGE": lines "row column value" of one triangle, and for each row a line
 * "node.direction". Of the .inp only nodes and node sets are read. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
                char *text = soa_arena_text_n(&block->arena, value, strcspn(value, ", \t"));
                soa_got(&block->outcome, text);
                return text;
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

static void read_node(soa_lines *lines, const section *s)
{
    char *at = lines->line, *name = soa_word(&at), *word;
    double x[3] = { 0.0 };
    int number;
    if (!name) {
        return;
    }
    if (!soa_word_integer(name, &number)) {
        soa_lines_fail(lines, "'%.40s' is no node number", name);
    }
    for (int d = 0; d < 3 && (word = soa_word(&at)); d++) {
        if (!soa_word_number(word, &x[d])) {
            soa_lines_fail(lines, "node %s: '%.40s' is no coordinate", name, word);
        }
    }
    if (!soa_fe_add_node(lines->block, name, x)) {
        soa_lines_fail(lines, "node %s is there twice", name);
    }
    if (s->set) {
        soa_fe_add_to_set(lines->block, s->set, lines->block->name.count - 1);
    }
}

/* A node, or all nodes of another set. */
static void add_member(const soa_lines *lines, const char *set, char *word)
{
    soa_fe_block *block = lines->block;
    const int node = soa_names_find(&block->index, word);
    if (node >= 0) {
        soa_fe_add_to_set(block, set, node);
        return;
    }
    upper(word);
    const int other = soa_names_find(&block->sets, word), pairs = block->set_of.count;
    if (other < 0) {
        soa_lines_fail(lines, "set %s: there is no node or set '%.40s' above this line", set, word);
    }
    for (int i = 0; other >= 0 && i < pairs && soa_ok(&block->outcome); i++) {
        if (*(int *)soa_array_at(&block->set_of, i) == other) {
            soa_fe_add_to_set(block, set, *(int *)soa_array_at(&block->in_set, i));
        }
    }
}

static void generate(soa_lines *lines, const char *set)
{
    char *at = lines->line, *word[3], text[24];
    int value[3] = { 0, 0, 1 };
    for (int i = 0; i < 3; i++) {
        word[i] = soa_word(&at);
        if ((word[i] || i < 2) && !soa_word_integer(word[i], &value[i])) {
            soa_lines_fail(lines, "set %s: write first, last, step", set);
            return;
        }
    }
    if (value[2] < 1) {
        soa_lines_fail(lines, "set %s: the step must be positive", set);
    }
    for (long long i = value[0]; i <= value[1] && soa_ok(&lines->block->outcome); i += value[2]) {
        snprintf(text, sizeof text, "%lld", i);
        add_member(lines, set, text);
    }
}

static void read_members(soa_lines *lines, const section *s)
{
    char *at = lines->line, *word;
    if (s->generate) {
        generate(lines, s->set);
        return;
    }
    while (soa_ok(&lines->block->outcome) && (word = soa_word(&at))) {
        add_member(lines, s->set, word);
    }
}

/* ---- NAME.inp ------------------------------------------------------------------------------------------------------ */

static void read_keyword(soa_lines *lines, section *s)
{
    *s = (section){ .kind = OTHER };
    upper(lines->line);
    const char *line = lines->line;
    if (is_keyword(line, "*TRANSFORM")) {
        soa_lines_fail(lines, "*TRANSFORM turns degrees of freedom; give the model in global axes");
    }
    if (is_keyword(line, "*NODE") || is_keyword(line, "*NSET")) {
        s->kind = line[2] == 'O' ? NODES : SET;
        s->set = parameter(lines->block, line, "NSET");
        s->generate = strstr(line, "GENERATE") != NULL;
        if (s->kind == SET && !s->set) {
            soa_lines_fail(lines, "*NSET has no name; write *NSET, NSET=TIP");
        }
    }
}

static void read_deck(soa_fe_block *block, const char *path, int depth)
{
    soa_lines lines = soa_lines_open(block, path);
    section s = { .kind = OTHER };
    while (soa_lines_next(&lines)) {
        if (lines.line[0] == '*' && lines.line[1] == '*') {
            continue;
        }
        if (strncasecmp(lines.line, "*INCLUDE", 8) == 0) {
            char *name = parameter(block, lines.line, "INPUT");
            char *inner = name && depth < MOST_INCLUDES ? soa_file_beside(&block->arena, path, name) : NULL;
            if (name && depth < MOST_INCLUDES && soa_got(&block->outcome, inner)) {
                read_deck(block, inner, depth + 1);
            } else {
                soa_lines_fail(&lines, "*INCLUDE needs INPUT=FILE, at most %d deep", MOST_INCLUDES);
            }
        } else if (lines.line[0] == '*') {
            read_keyword(&lines, &s);
        } else if (s.kind != OTHER) {
            (s.kind == NODES ? read_node : read_members)(&lines, &s);
        }
    }
}

/* ---- matrices ------------------------------------------------------------------------------------------------------- */

static void read_dofs(soa_fe_block *block, const char *path)
{
    soa_lines lines = soa_lines_open(block, path);
    while (soa_lines_next(&lines)) {
        char *at = lines.line, *word = soa_word(&at), *dot = word ? strrchr(word, '.') : NULL;
        int direction;
        if (!word) {
            continue;
        }
        if (!dot || !soa_word_integer(dot + 1, &direction) || direction < 1 || direction > 3) {
            soa_lines_fail(&lines, "'%.40s' is not node.direction with direction 1 to 3", word);
            return;
        }
        *dot = '\0';
        const int node = soa_names_find(&block->index, word);
        if (node < 0) {
            soa_lines_fail(&lines,
                "node %.40s is not in the .inp; elements with nodes of their own (C3D8I, beams, shells) cannot be "
                "read: use C3D20 or C3D10",
                word);
        }
        soa_fe_add_dof(block, node, 2 + direction);
    }
}

static void read_matrix(soa_fe_block *block, const char *path, soa_fe_entries *matrix)
{
    soa_lines lines = soa_lines_open(block, path);
    const int rows = block->node.count;
    while (soa_lines_next(&lines)) {
        char *at = lines.line, *word = soa_word(&at);
        int row, column;
        double value;
        if (!word) {
            continue;
        }
        if (!soa_word_integer(word, &row) || !soa_word_integer(soa_word(&at), &column) ||
            !soa_word_number(soa_word(&at), &value) || row < 1 || column < 1 || row > rows || column > rows) {
            soa_lines_fail(&lines, "this is not 'row column value' with rows from 1 to %d", rows);
            return;
        }
        soa_fe_add_entry(block, matrix, row - 1, column - 1, value);
    }
}

void soa_fe_read_calculix(soa_fe_block *block, const char *path)
{
    static const char *const endings[] = { ".dof", ".sti", ".mas" };
    const size_t stem = strlen(path) - strlen(".inp");
    const char *beside[3];
    for (int i = 0; i < 3; i++) {
        beside[i] = soa_fe_beside(block, path, stem, endings[i]);
        if (beside[i] && !soa_file_exists(beside[i])) {
            soa_halt(&block->outcome, SOA_E_FILE, path, 0,
                "'%.200s' is missing; export the matrices with *FREQUENCY, SOLVER=MATRIXSTORAGE and run ccx",
                beside[i]);
        }
    }
    read_deck(block, path, 0);
    read_dofs(block, beside[0]);
    read_matrix(block, beside[1], &block->stiffness);
    read_matrix(block, beside[2], &block->mass);
}
