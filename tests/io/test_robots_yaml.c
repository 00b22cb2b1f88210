/* Published robots, where the folder SOA_ROBOTS is: written as YAML they come back, and closures are read beside. */
#include "io/robots.h"
#include "io/yaml_round.h"

static void robots_come_back(void **state)
{
    (void)state;
    const int loaded = robots_visit_all("", check_round_trip);
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
