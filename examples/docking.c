/* Two satellites dock: two systems become one, without a model being rebuilt.
 *
 * They drift towards each other, their antennas meet, a rigid closure is switched on. The
 * velocities become the nearest (in kinetic energy) that the closure allows: what a
 * latch does. Momentum stays; energy is lost once. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>

enum { NQ = 11, NV = 10, STEPS = 20000 };

static soa_model *model;
static soa_workspace *workspace;

/* Momentum of both, about the origin of the world. */
static void momentum_of(const double *q, const double *v, double sum[6], double *energy)
{
    *energy = 0.0;
    for (int i = 0; i < 6; i++) {
        sum[i] = 0.0;
    }
    for (int s = 0; s < 2; s++) {
        double m[12], e[2];
        soa_momentum(model, workspace, 1, q + s * NQ, v + s * NV, m, NULL, NULL);
        soa_energy(model, workspace, 1, q + s * NQ, v + s * NV, e, NULL);
        *energy += e[0];
        for (int i = 0; i < 3; i++) { /* about the centre of mass -> about the origin */
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            sum[i] += m[6 + i] + m[j] * m[9 + k] - m[k] * m[9 + j];
            sum[3 + i] += m[9 + i];
        }
    }
}

/* -0.000 is 0.000 */
static double shown(double x)
{
    return fabs(x) < 5e-5 ? 0.0 : x;
}

static void print_state(const char *when, double t, const double *q, const double *v)
{
    double p[6], energy;
    momentum_of(q, v, p, &energy);
    printf("%-9s %6.2f %9.4f   %9.4f %9.4f %9.4f   %9.4f %9.4f %9.4f %9.5f\n", when, t, shown(q[NQ + 6] - q[6] - 2.6),
        shown(p[3]), shown(p[4]), shown(p[5]), shown(p[0]), shown(p[1]), shown(p[2]), energy);
}

int main(void)
{
    const double h = 1e-3;
    double q[2 * NQ], v[2 * NV] = { 0.0 }, vdot[2 * NV], before[6], after[6], energy;
    soa_closures *set;
    soa_closed closed = { 0 };
    soa_error error;
    int dock = 0;
    if (soa_model_builtin("satellite", NULL, &model, &error) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK ||
        soa_closures_new(2, (const soa_model *const[]){ model, model }, NULL, NULL, &set, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    soa_model_neutral(model, q);
    soa_model_neutral(model, q + NQ);
    q[NQ] = 0.0; /* the second stands on its head ... */
    q[NQ + 1] = 1.0;
    q[NQ + 6] = 2.6 + 0.3; /* ... 0.3 m above the antenna of the first */
    v[NV + 5] = 0.05;      /* and comes down (its own z is downward), slightly turning */
    v[NV + 2] = 0.002;
    soa_point antenna;
    soa_model_find_point(model, "antenna", &antenna, NULL);
    soa_closure port = soa_closure_default("port", SOA_CLOSE_RIGID, antenna.link, antenna.link);
    port.at_a = port.at_b = antenna.at;
    port.inactive = true;
    soa_closure_add(set, &port, 0, 1, &dock, &error);
    printf("Two satellites of %.0f kg meet antenna to antenna and latch: momentum stays, energy is lost once.\n\n",
        soa_model_mass(model));
    printf("            time  distance   momentum, N s                   about the origin, N m s          energy\n");
    printf("               s         m           x         y         z           x         y         z         J\n");
    print_state("approach", 0.0, q, v);
    momentum_of(q, v, before, &energy);
    for (int n = 0; n < STEPS; n++) {
        if (!soa_closure_enabled(set, dock) && q[NQ + 6] - q[6] <= 2.6) {
            print_state("touch", n * h, q, v);
            if (soa_closure_hold_here(set, dock, q, &error) != SOA_OK ||
                soa_closure_enable(set, dock, true, &error) != SOA_OK ||
                soa_closure_project_velocity(set, SOA_METRIC_MASS, 1, q, v, NULL, &error) != SOA_OK) {
                fprintf(stderr, "%s\n", error.text);
                return 1;
            }
            print_state("latched", n * h, q, v);
        }
        if (soa_closed_forward_dynamics(set, 1, q, v, NULL, NULL, vdot, NULL, &closed, &error) != SOA_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        for (int i = 0; i < 2 * NV; i++) {
            v[i] += h * vdot[i];
        }
        soa_integrate(model, q, v, h, q);
        soa_integrate(model, q + NQ, v + NV, h, q + NQ);
    }
    print_state("docked", STEPS * h, q, v);
    momentum_of(q, v, after, &energy);
    double drift = 0.0;
    for (int i = 0; i < 6; i++) {
        drift = fmax(drift, fabs(after[i] - before[i]));
    }
    printf("\n%d rows hold the two together, rank %d; momentum drifted by %.1e\n", closed.rows, closed.rank, drift);
    soa_closures_free(set);
    soa_workspace_free(workspace);
    soa_model_free(model);
    return closed.rank != 6 || drift > 1e-2;
}
