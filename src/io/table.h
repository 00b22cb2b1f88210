/* io/table.h - tables of numbers in CSV files, inside: columns of numbers, perhaps below a line of names. Blank lines and those
 * that begin with '#' do not count. */
#ifndef SOA_IO_TABLE_H
#define SOA_IO_TABLE_H

#include "core/memory.h"
#include "soa/scenario.h"

typedef struct soa_table {
    int rows, columns;
    const char **name; /* NULL: no names */
    double *number;    /* column after column, `stride` numbers apart */
    int stride;
    int *line; /* of each row, in the file */
} soa_table;

/* recording: cells may be empty, which is NaN, and what follows the last line end does not count. */
soa_status soa_table_read(soa_arena *arena, const char *path, bool recording, soa_table *table, soa_error *error);

#endif
