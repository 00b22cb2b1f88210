/* A quadruped stands on four feet: which torques hold it, and how does it move about that stance?
 *
 * Trim: of all forces of the ground that carry the weight, the smallest; and the torques that hold the legs
 * against them. The feet stay where they are, so the trunk's six velocities z give all others, v = N z,
 * and with the torques u of the legs small displacements obey
 *     N* Mass N dz/dt = -N* K N x + N* S u,     K = d/dq (gravity - J* force)
 * K has the forces of the ground as they are, at feet that move with the legs. From this follow A and B, the steps
 * in time, and that the robot falls if nobody looks after it. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>
#include <string.h>

enum { NV = 18, NQ = 19, FEET = 4, R = 3 * FEET, Z = 6, X = 2 * Z, U = 12 };

static double J[R * NV], N[NV * Z], A[X * X], B[X * U], Ad[X * X], Bd[X * U];

/* x = a^-1 x for a regular n x n matrix and m columns. */
static void solve(int n, double *a, int m, double *x)
{
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++) {
            best = fabs(a[i * n + c]) > fabs(a[best * n + c]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            const double t = a[c * n + j];
            a[c * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        for (int j = 0; j < m; j++) {
            const double t = x[c * m + j];
            x[c * m + j] = x[best * m + j];
            x[best * m + j] = t;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == c ? 0.0 : a[i * n + c] / a[c * n + c];
            for (int j = 0; j < n; j++) {
                a[i * n + j] -= factor * a[c * n + j];
            }
            for (int j = 0; j < m; j++) {
                x[i * m + j] -= factor * x[c * m + j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            x[i * m + j] /= a[i * n + i];
        }
    }
}

/* Forces of the ground on the feet, world axes, and the torques that hold the stance. */
static void trim(const soa_model *model, soa_workspace *workspace, const double *q, double *force, double *T)
{
    double gravity[NV], S[Z * Z] = { 0.0 }, x[Z];
    soa_gravity_force(model, workspace, 1, q, gravity, NULL);
    memcpy(x, gravity, sizeof x);
    for (int r = 0; r < R; r++) { /* S = W W*, W what the feet do to the trunk */
        for (int e = 0; e < Z * Z; e++) {
            S[e] += J[r * NV + e / Z] * J[r * NV + e % Z];
        }
    }
    solve(Z, S, 1, x);
    memcpy(T, gravity, sizeof gravity);
    for (int r = 0; r < R; r++) {
        force[r] = 0.0;
        for (int i = 0; i < Z; i++) {
            force[r] += J[r * NV + i] * x[i];
        }
        for (int i = 0; i < NV; i++) {
            T[i] -= J[r * NV + i] * force[r];
        }
    }
}

/* N: the legs follow the trunk so that the feet stay, J N = 0. */
static void follow(void)
{
    double legs[R * U], x[U * Z];
    for (int r = 0; r < R; r++) {
        for (int i = 0; i < U; i++) {
            legs[r * U + i] = J[r * NV + Z + i];
        }
        for (int i = 0; i < Z; i++) {
            x[r * Z + i] = -J[r * NV + i];
        }
    }
    solve(U, legs, Z, x);
    for (int i = 0; i < Z; i++) {
        N[i * Z + i] = 1.0;
    }
    memcpy(N + Z * Z, x, sizeof x);
}

/* y = N* a N */
static void project(const double *a, double *y)
{
    for (int i = 0; i < Z; i++) {
        for (int j = 0; j < Z; j++) {
            y[i * Z + j] = 0.0;
            for (int e = 0; e < NV * NV; e++) {
                y[i * Z + j] += N[e / NV * Z + i] * a[e] * N[e % NV * Z + j];
            }
        }
    }
}

/* A and B of x = (trunk displacement; its velocity), u the torques. */
static void linearize(
    const soa_model *model, soa_workspace *workspace, const soa_point *foot, const double *q, const double *force)
{
    double K[NV * NV], ground[NV * NV], M[NV * NV], f[6 * FEET] = { 0.0 }, stiff[Z * Z], mass[Z * Z],
                                                          right[Z * (Z + U)];
    for (int r = 0; r < R; r++) {
        f[6 * (r / 3) + 3 + r % 3] = force[r];
    }
    soa_inverse_dynamics_derivatives(model, workspace, 1, q, NULL, NULL, NULL, K, NULL, M, NULL);
    soa_point_force_derivatives(model, workspace, FEET, foot, 1, q, f, ground, NULL, NULL);
    for (int e = 0; e < NV * NV; e++) {
        K[e] += ground[e];
    }
    project(K, stiff);
    project(M, mass);
    for (int i = 0; i < Z; i++) {
        for (int j = 0; j < Z + U; j++) {
            right[i * (Z + U) + j] = j < Z ? -stiff[i * Z + j] : N[j * Z + i];
        }
    }
    solve(Z, mass, Z + U, right);
    for (int i = 0; i < Z; i++) {
        A[i * X + Z + i] = 1.0;
        memcpy(A + (Z + i) * X, right + i * (Z + U), Z * sizeof *A);
        memcpy(B + (Z + i) * U, right + i * (Z + U) + Z, U * sizeof *B);
    }
}

/* How large the displacement of the trunk is some steps after a tilt of 2 mrad; feedback: the smallest torques that
 * make it come back as a damped oscillator. */
static double simulate(int steps, bool feedback)
{
    const double omega = 12.0;
    double x[X] = { 0.0, 2e-3 }, size = 0.0;
    for (int n = 0; n < steps; n++) {
        double u[U] = { 0.0 }, y[X] = { 0.0 }, S[Z * Z] = { 0.0 }, wanted[Z];
        for (int i = 0; i < Z; i++) { /* B u = wanted */
            const double *row = B + (Z + i) * U;
            wanted[i] = -omega * omega * x[i] - 2.0 * omega * x[Z + i];
            for (int j = 0; j < Z; j++) {
                wanted[i] -= A[(Z + i) * X + j] * x[j];
                for (int k = 0; k < U; k++) {
                    S[i * Z + j] += row[k] * B[(Z + j) * U + k];
                }
            }
        }
        solve(Z, S, 1, wanted);
        for (int e = 0; feedback && e < Z * U; e++) {
            u[e % U] += B[(Z + e / U) * U + e % U] * wanted[e / U];
        }
        for (int i = 0; i < X; i++) {
            for (int j = 0; j < X; j++) {
                y[i] += Ad[i * X + j] * x[j] + Bd[i * U + j] * u[j];
            }
        }
        memcpy(x, y, sizeof x);
    }
    for (int i = 0; i < Z; i++) {
        size = fmax(size, fabs(x[i]));
    }
    return size;
}

static void find_feet(const soa_model *model, soa_workspace *workspace, const double *q, soa_point *foot)
{
    static const char *const name[FEET] = { "FL_foot", "FR_foot", "RL_foot", "RR_foot" };
    double rows[6 * FEET * NV];
    for (int i = 0; i < FEET; i++) {
        soa_model_find_point(model, name[i], &foot[i], NULL);
    }
    soa_jacobian(model, workspace, FEET, foot, SOA_AXES_MIXED, 1, q, rows, NULL);
    for (int r = 0; r < R; r++) {
        memcpy(J + r * NV, rows + (6 * (r / 3) + 3 + r % 3) * NV, NV * sizeof *J);
    }
}

int main(void)
{
    const double dt = 2e-3;
    const int steps = 400;
    soa_model *model;
    soa_workspace *workspace;
    soa_error error;
    soa_point foot[FEET];
    double q[NQ], force[R], T[NV], weight = 0.0, left = 0.0;

    if (soa_model_builtin("quadruped", NULL, &model, &error) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    memcpy(q, soa_model_configuration(model, 0)->q, sizeof q); /* its stance */
    find_feet(model, workspace, q, foot);
    trim(model, workspace, q, force, T);
    follow();
    linearize(model, workspace, foot, q, force);
    for (int i = 0; i < FEET; i++) {
        printf("foot %d   ground %6.2f %6.2f %6.2f N   torques %6.3f %6.3f %6.3f N m\n", i, force[3 * i],
            force[3 * i + 1], force[3 * i + 2], T[6 + 3 * i], T[7 + 3 * i], T[8 + 3 * i]);
        weight += force[3 * i + 2];
    }
    for (int i = 0; i < Z; i++) {
        left = fmax(left, fabs(T[i]));
    }
    printf("together %.2f N; left on the trunk %.0e N\n", weight, left);
    soa_linear_workspace *room = NULL;
    if (soa_linear_workspace_new(X + U, NULL, &room, &error) != SOA_OK ||
        soa_linear_discrete(room, X, U, A, B, dt, Ad, Bd, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    soa_linear_workspace_free(room);
    const double alone = simulate(steps, false), held = simulate(steps, true);
    printf("a tilt of 2 mrad is after %.1f s: %.1f mrad with constant torques, %.0e mrad with feedback\n", steps * dt,
        1e3 * alone, 1e3 * held);
    soa_workspace_free(workspace);
    soa_model_free(model);
    return left > 1e-9 || alone < 4e-3 || held > 1e-5;
}
