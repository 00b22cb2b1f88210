/* Published robots, where the folder SOA_ROBOTS is: written as YAML they come back, and closures are read beside. */
#include <dirent.h>

#include "io/robots.h"
#include "io/yaml_round.h"

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

/* Every file of one folder that loads; parts of others that do not are no matter here. */
static int check_folder(const char *folder)
{
    int loaded = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[1024];
        soa_model *model;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if ((ends_with(path, ".urdf") || ends_with(path, ".xml")) && soa_load(path, NULL, &model, NULL) == SOA_OK) {
            check_round_trip(model, path);
            soa_model_free(model);
            loaded++;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return loaded;
}

static void robots_come_back(void **state)
{
    (void)state;
    DIR *dir = opendir(SOA_ROBOTS);
    assert_non_null(dir);
    int loaded = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/%s", SOA_ROBOTS, entry->d_name);
        loaded += entry->d_name[0] == '.' ? 0 : check_folder(folder);
    }
    closedir(dir);
    print_message("%d robots written and read back\n", loaded);
    assert_true(loaded >= 20);
}

static void parallel_robots_close(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int closures;
    } list[] = { { "delta/robot.urdf", 3 }, { "five_bar/robot.urdf", 1 } };
    for (size_t i = 0; i < 2; i++) {
        soa_model *m = robots_load(list[i].file);
        assert_int_equal(soa_model_closures(m), list[i].closures);
        soa_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_come_back),
        cmocka_unit_test(parallel_robots_close),
    };
    return robots_missing() ? ROBOTS_SKIP : cmocka_run_group_tests(tests, NULL, NULL);
}
