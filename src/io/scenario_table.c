/* io/scenario_table.c - tables of numbers in CSV files beside a scenario. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "io/reader.h"
#include "io/scenario.h"

/* Cuts the line at commas; the cells stay in its text. */
static int cut(char *line, char **cell, int most)
{
    int count = 0;
    for (char *c = line; c && count < most; count++) {
        char *comma = strchr(c, ',');
        cell[count] = c + strspn(c, " \t");
        if (comma) {
            *comma++ = '\0';
        }
        c = comma;
    }
    return count;
}

static bool is_number(const char *text, double *x)
{
    const char *end = soa_number_read(text, x);
    return end && end[strspn(end, " \t\r")] == '\0';
}

static void trim(char *cell)
{
    size_t n = strlen(cell);
    while (n > 0 && strchr(" \t\r", cell[n - 1])) {
        cell[--n] = '\0';
    }
}

enum { MOST_COLUMNS = 256 };

/* The rows of a text whose first line may hold names. */
static soa_status read_rows(
    soa_scenario *s, char *text, const char *path, bool rising, soa_table *table, soa_error *error)
{
    int lines = 1, line = 0;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
    }
    double *number = NULL;
    for (char *next = text; next && *next;) {
        char *cell[MOST_COLUMNS], *begin = next, *end = strchr(next, '\n');
        double x;
        next = end ? end + 1 : NULL;
        if (end) {
            *end = '\0';
        }
        line++;
        if (begin[strspn(begin, " \t\r")] == '\0' || begin[0] == '#') {
            continue;
        }
        const int count = cut(begin, cell, MOST_COLUMNS);
        if (!number) {
            table->columns = count;
            number = soa_scenario_take(s, (size_t)lines * (size_t)count, sizeof *number, error);
            table->name = soa_scenario_take(s, (size_t)count, sizeof *table->name, error);
            if (!number || !table->name) {
                return SOA_E_MEMORY;
            }
            table->number = number;
            if (!is_number(cell[0], &x)) {
                for (int i = 0; i < count; i++) {
                    trim(cell[i]);
                    table->name[i] = cell[i];
                }
                continue;
            }
            table->name = NULL;
        }
        if (count != table->columns) {
            return soa_fail_at(
                error, SOA_E_SYNTAX, path, line, "this row has %d cells, the first %d", count, table->columns);
        }
        for (int i = 0; i < count; i++) {
            if (!is_number(cell[i], &number[(size_t)i * (size_t)lines + (size_t)table->rows])) {
                return soa_fail_at(error, SOA_E_NUMBER, path, line, "cell %d is not a finite number", i + 1);
            }
        }
        table->rows++;
        if (rising && table->rows > 1 && !(number[table->rows - 1] > number[table->rows - 2])) {
            return soa_fail_at(error, SOA_E_NUMBER, path, line, "times in the first column must rise");
        }
    }
    table->stride = lines;
    return table->rows > 0 ? SOA_OK : soa_fail_at(error, SOA_E_SYNTAX, path, 0, "the table has no rows of numbers");
}

soa_status soa_scenario_table(
    soa_scenario *scenario, const soa_yaml *value, bool rising, soa_table *table, soa_error *error)
{
    const char *name;
    char *text;
    size_t length;
    *table = (soa_table){ 0 };
    soa_status status = soa_yaml_as_text(value, &name, error);
    if (status != SOA_OK) {
        return status;
    }
    const char *path = soa_file_beside(&scenario->arena, scenario->path, name);
    if (!path) {
        return soa_fail_memory(error);
    }
    if (!soa_file_exists(path)) {
        return soa_yaml_fail(value, SOA_E_FILE, error, "the table '%.200s' does not exist", name);
    }
    status = soa_file_read(&scenario->arena, path, &text, &length, error);
    return status == SOA_OK ? read_rows(scenario, text, path, rising, table, error) : status;
}
