/* io/scenario_table.c - the tables that a scenario names. */
#include "io/reader.h"
#include "io/scenario.h"

soa_table soa_scenario_table(soa_scenario *scenario, const soa_yaml *value, bool rising)
{
    soa_outcome *outcome = value->file->outcome;
    const char *name = soa_yaml_as_text(value);
    soa_table table = { 0 };
    const char *path = soa_file_beside(&scenario->arena, scenario->path, name);
    if (soa_yaml_got(value, path) && !soa_file_exists(path)) {
        soa_yaml_fail(value, SOA_E_FILE, "the table '%.200s' does not exist", name);
    }
    if (!soa_ok(outcome)) {
        return table;
    }
    soa_keep(outcome, soa_table_read(&scenario->arena, path, false, &table, outcome->error));
    if (table.rows == 0) {
        soa_halt(outcome, SOA_E_SYNTAX, path, 0, "the table has no rows of numbers");
    }
    for (int i = 1; i < table.rows && rising && soa_ok(outcome); i++) {
        if (!(table.number[i] > table.number[i - 1])) {
            soa_halt(outcome, SOA_E_NUMBER, path, table.line[i], "times in the first column must rise");
        }
    }
    return table;
}
