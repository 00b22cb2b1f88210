/* io/scenario_table.c - the tables that a scenario names. */
#include "core/error.h"
#include "io/reader.h"
#include "io/scenario.h"

bool soa_scenario_table(soa_scenario *scenario, const soa_yaml *value, bool rising, soa_table *table)
{
    soa_error *error = value->file->error;
    const char *name;
    *table = (soa_table){ 0 };
    if (!soa_yaml_as_text(value, &name)) {
        return false;
    }
    const char *path = soa_file_beside(&scenario->arena, scenario->path, name);
    if (!soa_yaml_got(value, path)) {
        return false;
    }
    if (!soa_file_exists(path)) {
        return soa_yaml_fail(value, SOA_E_FILE, "the table '%.200s' does not exist", name);
    }
    soa_status status = soa_table_read(&scenario->arena, path, false, table, error);
    if (status == SOA_OK && table->rows == 0) {
        status = soa_fail_at(error, SOA_E_SYNTAX, path, 0, "the table has no rows of numbers");
    }
    for (int i = 1; i < table->rows && rising && status == SOA_OK; i++) {
        if (!(table->number[i] > table->number[i - 1])) {
            status = soa_fail_at(error, SOA_E_NUMBER, path, table->line[i], "times in the first column must rise");
        }
    }
    return soa_yaml_ok(value, status);
}
