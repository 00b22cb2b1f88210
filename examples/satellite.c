/* A satellite unfolds its solar arrays: the bus turns, the momentum stays.
 *
 * The hinges move as prescribed (hybrid dynamics), everything else follows. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>

enum { NQ = 11, NV = 10, STEPS = 20000 };

int main(void)
{
    const double h = 1e-3;
    soa_model *model;
    soa_workspace *workspace;
    soa_error error;
    double q[NQ], v[NV] = { 0.01, 0.0, 0.02 }, T[NV], vdot[NV], momentum[12], first[6] = { 0.0 }, drift = 0.0;
    bool prescribed[NV] = { false }; /* the bus moves freely, no force acts on it */

    if (soa_model_builtin("satellite", NULL, &model, &error) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    soa_model_neutral(model, q);
    for (int i = 6; i < NV; i++) {
        prescribed[i] = true;
    }
    for (int n = 0; n <= STEPS; n++) {
        soa_momentum(model, workspace, 1, q, v, momentum, NULL, NULL);
        for (int i = 0; i < 6; i++) {
            first[i] = n == 0 ? momentum[6 + i] : first[i];
            drift = fmax(drift, fabs(momentum[6 + i] - first[i]));
        }
        if (n % 4000 == 0) {
            printf("t %4.1f s   north hinge %6.3f rad   bus turns at %9.6f %9.6f %9.6f rad/s   momentum %7.4f %7.4f "
                   "%7.4f N m s\n",
                n * h, q[8], v[0], v[1], v[2], momentum[6], momentum[7], momentum[8]);
        }
        for (int i = 0; i < NV; i++) { /* hinges: smoothly by 45 degrees in ten seconds; drives: at rest */
            const double t = n * h, rate = 2.0 * 3.14159265358979 / 10.0;
            T[i] = 0.0;
            vdot[i] = (i == 7 || i == 9) && t < 10.0 ? 0.125 * rate * rate * sin(rate * t) : 0.0;
        }
        if (soa_hybrid_dynamics(model, workspace, prescribed, 1, q, v, NULL, T, vdot, &error) != SOA_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        for (int i = 0; i < NV; i++) {
            v[i] += h * vdot[i];
        }
        soa_integrate(model, q, v, h, q);
    }
    printf("largest drift of the momentum %.1e\n", drift);
    soa_workspace_free(workspace);
    soa_model_free(model);
    return drift > 1e-3;
}
