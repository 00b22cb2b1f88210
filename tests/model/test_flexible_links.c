/* Flexible data of a link that is made of particles, and data that no particles have. */
#include "two_links.h"

#include "soa/flexible.h"

enum { PARTICLES = 3, MODES = 5, NUMBERS = 1 + 3 + 6 + 6 * MODES };

/* Mass and moments, and the modal integrals behind them in x, so that each number can be changed. */
typedef struct particles {
    double x[NUMBERS], ee[MODES * MODES], stiffness[MODES * MODES];
} particles;

/* Three particles that modes move at random. They have nine velocities, fewer than the link has with its modes: the kinetic
 * energy of some motions is zero, and changes of a number, up or down, make it negative. */
static particles some_particles(unsigned long long *seed)
{
    particles p = { .x = { 0.0 } };
    double *first = p.x + 1, *second = p.x + 4, *ef = p.x + 10, *en = ef + 3 * MODES;
    for (int k = 0; k < PARTICLES; k++) {
        const double m = 1.5 + soa_model_random_number(seed);
        double r[3], u[MODES][3];
        for (int i = 0; i < 3 * (MODES + 1); i++) {
            *(i < 3 ? &r[i] : &u[i / 3 - 1][i % 3]) = soa_model_random_number(seed);
        }
        p.x[0] += m;
        for (int i = 0, at = 0; i < 3; i++) {
            first[i] += m * r[i];
            for (int j = i; j < 3; j++) {
                second[at++] += m * ((i == j ? r[0] * r[0] + r[1] * r[1] + r[2] * r[2] : 0.0) - r[i] * r[j]);
            }
        }
        for (int a = 0; a < MODES; a++) {
            for (int i = 0; i < 3; i++) {
                const int j = (i + 1) % 3, l = (i + 2) % 3;
                ef[3 * a + i] += m * u[a][i];
                en[3 * a + i] += m * (r[j] * u[a][l] - r[l] * u[a][j]);
            }
            for (int b = 0; b < MODES; b++) {
                p.ee[a * MODES + b] += m * (u[a][0] * u[b][0] + u[a][1] * u[b][1] + u[a][2] * u[b][2]);
                p.stiffness[a * MODES + b] = a == b;
            }
        }
    }
    return p;
}

static soa_status finish(const particles *p, soa_error *error)
{
    soa_flexible f = { .modes = MODES, .mass = p->x[0], .ee = p->ee, .stiffness = p->stiffness };
    memcpy(f.first, p->x + 1, sizeof f.first);
    memcpy(f.second, p->x + 4, sizeof f.second);
    f.ef = p->x + 10, f.en = f.ef + 3 * MODES;
    soa_link link = soa_link_default("beam", SOA_WORLD, SOA_REVOLUTE);
    link.flexible = &f;
    soa_model *model = NULL;
    soa_builder *b = soa_builder_new(NULL);
    assert_int_equal(soa_builder_add_link(b, &link, NULL, error), SOA_OK);
    const soa_status status = soa_builder_finish(b, &model, error);
    soa_builder_free(b);
    soa_model_free(model);
    return status;
}

static void energies_are_not_negative(void **state)
{
    (void)state;
    unsigned long long seed = 4;
    for (int n = 0; n < 20; n++) {
        const particles p = some_particles(&seed);
        soa_error error;
        assert_int_equal(finish(&p, &error), SOA_OK);
        for (int i = 0; i < NUMBERS; i++) {
            int refused = 0;
            for (int sign = -1; sign <= 1; sign += 2) {
                particles changed = p;
                changed.x[i] += 1e-3 * sign;
                if (finish(&changed, &error) != SOA_OK) {
                    assert_int_equal(error.status, SOA_E_INERTIA);
                    assert_non_null(strstr(error.text, "contradict each other"));
                    refused++;
                }
            }
            assert_in_range(refused, 1, 2);
        }
    }
}

/* The joint of a flexible link moves one body, its modes are another; of rigid links both are one. */
static void joints_and_modes_are_bodies(void **state)
{
    (void)state;
    soa_error error;
    soa_model *m;
    assert_int_equal(soa_model_builtin("flexible-chain:2,3", NULL, &m, &error), SOA_OK);
    for (int link = 0; link < 2; link++) {
        const int joint = soa_model_joint_body(m, link), modes = soa_model_link_body(m, link, NULL);
        assert_int_equal(joint, 2 * link);
        assert_int_equal(modes, 2 * link + 1);
        assert_int_equal(soa_model_body(m, joint).v, 4 * link);
        assert_int_equal(soa_model_body(m, joint).nv, 1);
    }
    assert_int_equal(soa_model_joint_body(m, 2), SOA_NONE);
    assert_int_equal(soa_model_joint_body(m, SOA_WORLD), SOA_NONE);
    assert_int_equal(soa_model_joint_body(NULL, 0), SOA_NONE);
    soa_model_free(m);
    assert_int_equal(soa_model_builtin("humanoid", NULL, &m, &error), SOA_OK);
    for (int link = 0; link < soa_model_links(m); link++) {
        const bool moves = soa_model_link(m, link)->joint.kind != SOA_FIXED;
        assert_int_equal(soa_model_joint_body(m, link), moves ? soa_model_link_body(m, link, NULL) : SOA_NONE);
    }
    soa_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_and_modes_are_bodies),
        cmocka_unit_test(energies_are_not_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
