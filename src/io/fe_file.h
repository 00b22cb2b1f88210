/* io/fe_file.h - what the readers of finite-element files share. */
#ifndef SOA_IO_FE_FILE_H
#define SOA_IO_FE_FILE_H

#include "core/names.h"
#include "core/outcome.h"
#include "io/reader.h"
#include "soa/flex.h"

/* A matrix that is being read. */
typedef struct soa_fe_entries {
    soa_array row, column, value;
} soa_fe_entries;

/* Arrays of a model that is being read: name, items. */
#define SOA_FE_ARRAY_LIST(X)   \
    X(name, char *)            \
    X(position, double[3])     \
    X(node, int)               \
    X(direction, int)          \
    X(set_name, char *)        \
    X(set_of, int)             \
    X(in_set, int)             \
    X(stiffness.row, int)      \
    X(stiffness.column, int)   \
    X(stiffness.value, double) \
    X(mass.row, int)           \
    X(mass.column, int)        \
    X(mass.value, double)

/* A model that is being read; data is what the user gets. What fails is kept in the outcome. */
typedef struct soa_fe_block {
    soa_fe data; /* first: the user has its address */
    soa_allocator allocator;
    soa_outcome outcome;
    soa_arena arena;                    /* names */
    soa_array name, position;           /* of nodes: const char *, double[3] */
    soa_array node, direction;          /* of dofs */
    soa_array set_name, set_of, in_set; /* sets, and pairs of set and node */
    soa_fe_entries stiffness, mass;
    soa_names index, sets; /* nodes and sets by name */
} soa_fe_block;

/* A text, line by line. Lines are cut out of it. */
typedef struct soa_lines {
    soa_fe_block *block;
    const char *path;
    char *next; /* NULL: none is left */
    char *line;
    int number;
} soa_lines;

/* There is no next line after a failure. */
soa_lines soa_lines_open(soa_fe_block *block, const char *path);
bool soa_lines_next(soa_lines *lines);
void soa_lines_fail(const soa_lines *lines, const char *format, ...) SOA_PRINTF(2, 3);

/* The next word of a line, at *at, which moves behind it; separators are spaces and commas. NULL: none is left. */
char *soa_word(char **at);

/* A number: all of a word. Fortran's D is an exponent too. */
bool soa_word_number(const char *word, double *number);
bool soa_word_integer(const char *word, int *number);

/* Each adds one item; a node only if none has its name: false. Entries that are zero are left out. */
bool soa_fe_add_node(soa_fe_block *block, const char *name, const double position[3]);
void soa_fe_add_dof(soa_fe_block *block, int node, int direction);
void soa_fe_add_to_set(soa_fe_block *block, const char *set, int node);
void soa_fe_add_entry(soa_fe_block *block, soa_fe_entries *matrix, int row, int column, double value);

/* The path of a file with another ending beside this one: NAME + ending, where NAME is the path without its own. */
char *soa_fe_beside(soa_fe_block *block, const char *path, size_t stem, const char *ending);

/* Nodes from NAME.nodes, then dofs for matrices of so many rows. */
void soa_fe_read_nodes(soa_fe_block *block, const char *path, int rows);

typedef void soa_fe_reader(soa_fe_block *block, const char *path);
soa_fe_reader soa_fe_read_calculix, soa_fe_read_nastran, soa_fe_read_op4, soa_fe_read_matrix_market;

#endif
