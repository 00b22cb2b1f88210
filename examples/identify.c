/* The inertial parameters of a robot arm from noisy measurements.
 *
 * Torques are linear in the parameters, T = Y(q, v, vdot) pi. Many samples of a motion, one under
 * the other, give equations for pi, solved by least squares. Some parameters have no
 * effect or only together: those directions keep the value of a rough first guess. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>
#include <string.h>

enum { N = 7, LINKS = 8, P = SOA_PARAMETERS * LINKS, SAMPLES = 2000, TESTS = 200 };

static double Y[N * P], A[P][P], b[P], pi_true[P], guess[P], found[P];

/* A motion that shakes every joint with several frequencies. */
static void motion(double t, double *q, double *v, double *vdot)
{
    for (int i = 0; i < N; i++) {
        q[i] = v[i] = vdot[i] = 0.0;
        for (int k = 1; k <= 4; k++) {
            const double w = 0.9 * k * (1.0 + 0.13 * i), a = 0.8 / k, phase = 1.7 * i * k;
            q[i] += a * sin(w * t + phase);
            v[i] += a * w * cos(w * t + phase);
            vdot[i] -= a * w * w * sin(w * t + phase);
        }
    }
}

/* Nearly normal, of unit variance: the sum of twelve numbers in [-1/2, 1/2). */
static double noise(unsigned long long *seed)
{
    double sum = 0.0;
    for (int i = 0; i < 12; i++) {
        sum += 0.5 * soa_model_random_number(seed);
    }
    return sum;
}

/* x solves A x = b, A symmetric and positive definite, by A = L L*. */
static void solve(double *x)
{
    for (int j = 0; j < P; j++) {
        for (int i = j; i < P; i++) {
            for (int k = 0; k < j; k++) {
                A[i][j] -= A[i][k] * A[j][k];
            }
            A[i][j] = i == j ? sqrt(A[i][j]) : A[i][j] / A[j][j];
        }
    }
    memcpy(x, b, sizeof b);
    for (int i = 0; i < P; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= A[i][k] * x[k];
        }
        x[i] /= A[i][i];
    }
    for (int i = P - 1; i >= 0; i--) {
        for (int k = i + 1; k < P; k++) {
            x[i] -= A[k][i] * x[k];
        }
        x[i] /= A[i][i];
    }
}

/* Least squares for the change of the guess that explains the measured torques; a weak pull to no
 * change decides what the motion cannot. */
static void identify(const soa_model *model, soa_workspace *workspace, double torque_noise)
{
    unsigned long long seed = 7;
    for (int s = 0; s < SAMPLES; s++) {
        double q[N], v[N], vdot[N], T[N];
        motion(0.05 * s, q, v, vdot);
        soa_inverse_dynamics(model, workspace, 1, q, v, vdot, NULL, T, NULL); /* the measurement */
        soa_regressor(model, workspace, 1, q, v, vdot, Y, NULL);
        for (int i = 0; i < N; i++) {
            double residual = T[i] + torque_noise * noise(&seed);
            for (int p = 0; p < P; p++) {
                residual -= Y[i * P + p] * guess[p];
            }
            for (int p = 0; p < P; p++) {
                b[p] += Y[i * P + p] * residual;
                for (int r = 0; r <= p; r++) {
                    A[p][r] += Y[i * P + p] * Y[i * P + r];
                }
            }
        }
    }
    for (int p = 0; p < P; p++) {
        A[p][p] += 1e-2;
    }
    solve(found);
    for (int p = 0; p < P; p++) {
        found[p] += guess[p];
    }
}

/* The root mean square of the error of the torques that parameters predict for other motions. */
static double prediction(const soa_model *model, soa_workspace *workspace, const double *parameters)
{
    double sum = 0.0;
    for (int s = 0; s < TESTS; s++) {
        double q[N], v[N], vdot[N], T[N];
        motion(1000.3 + 0.31 * s, q, v, vdot);
        soa_inverse_dynamics(model, workspace, 1, q, v, vdot, NULL, T, NULL);
        soa_regressor(model, workspace, 1, q, v, vdot, Y, NULL);
        for (int i = 0; i < N; i++) {
            for (int p = 0; p < P; p++) {
                T[i] -= Y[i * P + p] * parameters[p];
            }
            sum += T[i] * T[i];
        }
    }
    return sqrt(sum / (TESTS * N));
}

int main(void)
{
    const double torque_noise = 0.2;
    soa_model *model;
    soa_workspace *workspace;
    soa_error error;
    if (soa_model_builtin("arm7", NULL, &model, &error) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    unsigned long long seed = 3;
    soa_model_parameters(model, pi_true);
    for (int p = 0; p < P; p++) { /* as if from drawings: a third off */
        guess[p] = pi_true[p] * (1.0 + 0.33 * soa_model_random_number(&seed));
    }
    identify(model, workspace, torque_noise);
    const double before = prediction(model, workspace, guess), after = prediction(model, workspace, found);
    printf("%d samples of %d torques, noise %.2f N m\n", SAMPLES, N, torque_noise);
    printf("error of predicted torques: %.3f N m with the guess, %.4f N m with what was found\n", before, after);
    double *changed = found + SOA_PARAMETERS * 4 + 3, first = changed[0]; /* what is known is known well enough: */
    changed[0] += 0.05;                                                   /* link4's first moment, by 50 g m */
    printf("with the first moment of link4 off by 0.05 kg m: %.3f N m\n", prediction(model, workspace, found));
    changed[0] = first;
    soa_workspace_free(workspace);
    soa_model_free(model);
    return after > 0.1 * torque_noise || after > 0.1 * before;
}
