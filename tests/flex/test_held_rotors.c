/* Rotors that flexible links carry: beside joints on massless links that are welded to the nodes. (particles.h has them too.) */
#include <stdio.h>

#include "flex/sample.h"
#include "soa/sim.h"

enum { TREES = 60 };

/* How the rotors of a tree are changed. */
typedef enum variant { AS_DRAWN, SPIN_ALONE, ON_LINK_FRAMES, VARIANTS } variant;

/* The tree with a rotor in every joint with one velocity; by_hand: such joints on flexible links are on pads at the nodes. */
static soa_model *with_rotors(const soa_model *tree_model, variant v, bool by_hand, int *held)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    double gravity[3];
    int index[LINKS];
    soa_model_gravity(tree_model, gravity);
    soa_builder_set_gravity(b, gravity);
    *held = 0;
    for (int l = 0; l < soa_model_links(tree_model); l++) {
        soa_link link = *soa_model_link(tree_model, l);
        const bool on_flexible = link.parent >= 0 && soa_model_link(tree_model, link.parent)->flexible;
        const bool turns = link.parent >= 0 && soa_joint_kind_nv(link.joint.kind) == 1;
        link.parent = link.parent >= 0 ? index[link.parent] : SOA_WORLD;
        if (turns) {
            link.joint.rotor = random_rotor(17u + (unsigned)l);
            link.node = v == ON_LINK_FRAMES ? SOA_LINK_FRAME : link.node;
        }
        if (v == SPIN_ALONE) {
            link.joint.rotor.mass = link.joint.rotor.transverse = 0.0;
        }
        if (turns && on_flexible && by_hand) {
            char name[] = "pad?";
            name[3] = (char)('0' + l);
            soa_link pad = soa_link_default(name, link.parent, SOA_FIXED);
            pad.node = link.node;
            OK(soa_builder_add_link(b, &pad, &link.parent, NULL));
            link.node = SOA_LINK_FRAME;
        }
        *held += turns && on_flexible;
        OK(soa_builder_add_link(b, &link, &index[l], NULL));
    }
    OK(soa_builder_finish(b, &model, NULL));
    soa_builder_free(b);
    return model;
}

/* All that dynamics and derivatives say of a state. */
typedef struct said {
    double T[MOST], vdot[MOST], Mass[MOST * MOST], energy[2], momentum[12], A[6 * MOST], dq[MOST * MOST],
        dv[MOST * MOST];
} said;

static void ask(const soa_model *m, const sample *s, said *x)
{
    soa_workspace *w = NULL;
    soa_error error;
    OK(soa_workspace_new(m, NULL, &w, &error));
    OK(soa_inverse_dynamics(m, w, 1, s->q, s->v, s->vd, NULL, x->T, &error));
    OK(soa_forward_dynamics(m, w, 1, s->q, s->v, s->T, NULL, x->vdot, &error));
    OK(soa_mass_matrix(m, w, 1, s->q, x->Mass, &error));
    OK(soa_energy(m, w, 1, s->q, s->v, x->energy, &error));
    OK(soa_momentum(m, w, 1, s->q, s->v, x->momentum, NULL, &error));
    OK(soa_centroidal_matrix(m, w, 1, s->q, x->A, &error));
    OK(soa_inverse_dynamics_derivatives(m, w, 1, s->q, s->v, s->vd, NULL, x->dq, x->dv, NULL, &error));
    soa_workspace_free(w);
}

static void rotors_are_as_on_pads(void **state)
{
    (void)state;
    int all = 0;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(2000u + (unsigned)i, i % 3 == 0);
        static said x[2];
        int held[2], bodies[2];
        for (int by_hand = 0; by_hand < 2; by_hand++) {
            soa_model *m = with_rotors(s.t.model, (variant)(i % VARIANTS), by_hand == 1, &held[by_hand]);
            assert_int_equal(soa_model_links(m), soa_model_links(s.t.model) + by_hand * held[by_hand]);
            bodies[by_hand] = soa_model_bodies(m);
            ask(m, &s, &x[by_hand]);
            soa_model_free(m);
        }
        assert_int_equal(bodies[0], bodies[1]);
        all += held[0];
        near_all("T", i, s.nv, x[0].T, x[1].T, 1e-12);
        near_all("vdot", i, s.nv, x[0].vdot, x[1].vdot, 1e-10);
        near_all("Mass", i, s.nv * s.nv, x[0].Mass, x[1].Mass, 1e-12);
        near_all("energy", i, 2, x[0].energy, x[1].energy, 1e-12);
        near_all("momentum", i, 12, x[0].momentum, x[1].momentum, 1e-12);
        near_all("A", i, 6 * s.nv, x[0].A, x[1].A, 1e-12);
        near_all("dT/dq", i, s.nv * s.nv, x[0].dq, x[1].dq, 1e-12);
        near_all("dT/dv", i, s.nv * s.nv, x[0].dv, x[1].dv, 1e-12);
        sample_close(&s);
    }
    assert_true(all > TREES / 2);
}

/* A controller finds the joint beyond the body that holds the rotor. */
static void controllers_find_the_joint(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(2000u + (unsigned)i, false);
        int held;
        soa_model *m = with_rotors(s.t.model, AS_DRAWN, false, &held);
        for (int l = 0; l < soa_model_links(m); l++) {
            const soa_link *link = soa_model_link(m, l), *parent = soa_model_link(m, link->parent);
            if (!parent || !parent->flexible || soa_joint_kind_nv(link->joint.kind) != 1) {
                continue;
            }
            const double kp = 7.0, kd = 0.1, target = 0.5;
            const double t[1] = { 0.0 }, x[1] = { target };
            const soa_path path = { .points = { 1, t, x } };
            const soa_controller c = {
                .kind = SOA_CONTROL_PD, .joints = 1, .link = &l, .kp = &kp, .kd = &kd, .reference = &path
            };
            soa_sim_setup setup = soa_sim_setup_default();
            soa_sim *sim = NULL;
            char name[32];
            setup.q = s.q;
            setup.controllers = 1;
            setup.controller = &c;
            OK(soa_sim_new(m, &setup, NULL, &sim, &s.error));
            snprintf(name, sizeof name, "tau.%s", link->joint.name);
            const double *value = soa_sim_signal_values(sim, &s.error);
            const double now = s.q[soa_model_body(m, soa_model_joint_body(m, l)).q];
            assert_true(fabs(value[soa_sim_signal_find(sim, name)] - kp * (target - now)) < 1e-12);
            soa_sim_free(sim);
            found++;
        }
        soa_model_free(m);
        sample_close(&s);
    }
    assert_true(found > TREES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotors_are_as_on_pads),
        cmocka_unit_test(controllers_find_the_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
