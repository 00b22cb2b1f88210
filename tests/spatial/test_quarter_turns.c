/* The 24 rotations that take axes to axes, whose numbers are exactly 0, 1 and -1: quaternions and angles of each give it back, also where
 * a pitch of a quarter turn leaves yaw and roll open. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "soa/spatial.h"

static void check_near(const soa_pose *a, const soa_pose *b)
{
    for (int i = 0; i < 9; i++) {
        assert_true(fabs(a->rotation[i / 3][i % 3] - b->rotation[i / 3][i % 3]) <= 1e-15);
    }
}

static void every_quarter_turn(void **state)
{
    (void)state;
    const double origin[3] = { 0.0, 0.0, 0.0 };
    int rotations = 0;
    for (int n = 0; n < 9 * 8; n++) { /* the images of the first two axes, with their signs */
        const int i = n / 24, j = n / 8 % 3, k = 3 - i - j;
        const double a = n & 1 ? -1.0 : 1.0, b = n & 2 ? -1.0 : 1.0;
        if (i == j || n & 4) {
            continue;
        }
        soa_pose X = soa_pose_identity();
        for (int r = 0; r < 3; r++) {
            X.rotation[r][0] = r == i ? a : 0.0;
            X.rotation[r][1] = r == j ? b : 0.0;
            X.rotation[r][2] = r == k ? ((j - i + 3) % 3 == 1 ? a * b : -a * b) : 0.0;
        }
        double wxyz[4], rpy[3];
        soa_pose_quaternion(&X, wxyz);
        soa_pose_rpy(&X, rpy);
        const soa_pose by_quaternion = soa_pose_from_quaternion(origin, wxyz), by_rpy = soa_pose_from_rpy(origin, rpy);
        check_near(&by_quaternion, &X);
        check_near(&by_rpy, &X);
        rotations++;
    }
    assert_int_equal(rotations, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_quarter_turn) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
