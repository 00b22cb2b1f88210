/* A double pendulum falls: forward dynamics in a loop, and its energy stays.
 *
 * Steps are those of Runge and Kutta; soa_integrate moves q along a velocity. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>

enum { DOFS = 2, STEPS = 5000 };

/* vdot = Mass^-1 (T - C) with no torque at the joints. */
static void acceleration(const soa_model *model, soa_workspace *workspace, const double *q, const double *v, double *a)
{
    const double torque[DOFS] = { 0.0, 0.0 };
    soa_forward_dynamics(model, workspace, 1, q, v, torque, NULL, a, NULL);
}

static void step(const soa_model *model, soa_workspace *workspace, double h, double *q, double *v)
{
    static const double at[4] = { 0.0, 0.5, 0.5, 1.0 }, weight[4] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    double v_mean[DOFS] = { 0.0 }, a_mean[DOFS] = { 0.0 }, v_at[DOFS] = { v[0], v[1] }, a[DOFS] = { 0.0 }, q_at[DOFS];
    for (int stage = 0; stage < 4; stage++) {
        soa_integrate(model, q, v_at, at[stage] * h, q_at); /* along the velocity of the stage before */
        for (int i = 0; i < DOFS; i++) {
            v_at[i] = v[i] + at[stage] * h * a[i];
        }
        acceleration(model, workspace, q_at, v_at, a);
        for (int i = 0; i < DOFS; i++) {
            v_mean[i] += weight[stage] * v_at[i];
            a_mean[i] += weight[stage] * a[i];
        }
    }
    soa_integrate(model, q, v_mean, h, q);
    for (int i = 0; i < DOFS; i++) {
        v[i] += h * a_mean[i];
    }
}

int main(void)
{
    soa_model *model;
    soa_workspace *workspace;
    double q[DOFS] = { 2.0, 0.5 }, v[DOFS] = { 0.0, 0.0 }, energy[2], first = 0.0, now = 0.0;
    if (soa_model_builtin("double-pendulum", NULL, &model, NULL) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, NULL) != SOA_OK) {
        return 1;
    }
    for (int i = 0; i <= STEPS; i++) {
        soa_energy(model, workspace, 1, q, v, energy, NULL);
        now = energy[0] + energy[1];
        first = i == 0 ? now : first;
        if (i % 500 == 0) {
            printf("t %4.1f s   q %8.4f %8.4f   energy %.9f J\n", i * 1e-3, q[0], q[1], now);
        }
        step(model, workspace, 1e-3, q, v);
    }
    soa_workspace_free(workspace);
    soa_model_free(model);
    return fabs(now - first) > 1e-6 * fabs(first);
}
