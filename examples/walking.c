/* A quadruped treads on the spot: its feet are closures that come and go while it runs.
 *
 * The legs follow a trot by springs and dampers at the joints. A foot that is set down gets
 * a point contact with friction where it stands, and the velocities become the nearest that
 * the contacts allow; a foot that is lifted, or would pull, loses it. Nothing is
 * rebuilt and nothing allocates while it walks. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>

enum { NQ = 19, NV = 18, LEGS = 4, STEPS = 4000 };

static const char *const FOOT[LEGS] = { "FL_foot", "FR_foot", "RL_foot", "RR_foot" };
static const double STAND[3] = { 0.0, 0.75, -1.5 };

static soa_model *model;
static soa_workspace *workspace;
static soa_closures *set;
static int contact[LEGS] = { -1, -1, -1, -1 };

/* How far leg i is to be lifted at time t: diagonal pairs take turns, with four feet down between. */
static double lift(int leg, double t)
{
    const double period = 0.6, phase = fmod(t / period + (leg == 0 || leg == 3 ? 0.0 : 0.5), 1.0);
    return t > 0.6 && phase < 0.35 ? 0.35 * sin(3.14159265358979 * phase / 0.35) : 0.0;
}

static int foot_position(int leg, const double *q, double position[3])
{
    static double pose[64 * 12];
    const soa_frame *frame = soa_model_frame(model, soa_model_find_frame(model, FOOT[leg]));
    if (soa_kinematics(model, workspace, 1, q, NULL, NULL, pose, NULL, NULL, NULL) != SOA_OK) {
        return -1;
    }
    const double *at = pose + 12 * frame->link;
    for (int i = 0; i < 3; i++) {
        position[i] = at[9 + i];
        for (int j = 0; j < 3; j++) {
            position[i] += at[3 * i + j] * frame->at.position[j];
        }
    }
    return frame->link;
}

static void set_down(int leg, double *q, double *v)
{
    soa_closure foot = soa_closure_default(FOOT[leg], SOA_CLOSE_POINT, SOA_WORLD, SOA_WORLD);
    foot.a = foot_position(leg, q, foot.at_b.position);
    foot.at_a = soa_model_frame(model, soa_model_find_frame(model, FOOT[leg]))->at;
    foot.friction = 0.8;
    soa_closure_add(set, &foot, 0, 0, &contact[leg], NULL);
    soa_closure_project_velocity(set, SOA_METRIC_MASS, q, v, NULL, NULL);
}

static void take_up(int leg)
{
    soa_closure_remove(set, contact[leg], NULL);
    contact[leg] = -1;
}

/* Springs and dampers towards the trot, and a share of the weight. */
static void drive(double t, const double *q, const double *v, double *T)
{
    for (int i = 0; i < 6; i++) {
        T[i] = 0.0;
    }
    for (int i = 6; i < NV; i++) {
        const int leg = (i - 6) / 3, joint = (i - 6) % 3;
        const double raised = lift(leg, t);
        const double aim = STAND[joint] + (joint == 1 ? raised : joint == 2 ? -2.0 * raised : 0.0);
        T[i] = 250.0 * (aim - q[i + 1]) - 6.0 * v[i];
    }
}

int main(void)
{
    const double h = 5e-4;
    double q[NQ], v[NV] = { 0.0 }, T[NV], vdot[NV], position[3];
    int changes = 0, least = LEGS;
    soa_closed closed = { 0 };
    soa_error error;
    if (soa_model_builtin("quadruped", NULL, &model, &error) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK ||
        soa_closures_new(1, (const soa_model *const[]){ model }, NULL, NULL, &set, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const soa_configuration *stand = soa_model_configuration(model, 0);
    for (int i = 0; i < NQ; i++) {
        q[i] = stand->q[i];
    }
    for (int n = 0; n <= STEPS; n++) {
        const double t = n * h;
        int down = 0;
        for (int leg = 0; leg < LEGS; leg++) {
            const bool lifted = lift(leg, t) > 0.02;
            soa_closure_load load;
            if (contact[leg] >= 0 && (lifted || (n > 0 && soa_closure_force(set, contact[leg], &load, NULL) == SOA_OK &&
                                                    load.normal < 0.0))) {
                take_up(leg);
                changes++;
            } else if (contact[leg] < 0 && !lifted && foot_position(leg, q, position) >= 0 && position[2] < 1e-3) {
                set_down(leg, q, v);
                changes++;
            }
            down += contact[leg] >= 0;
        }
        least = down < least ? down : least;
        drive(t, q, v, T);
        if (soa_closed_forward_dynamics(set, q, v, T, NULL, vdot, &closed, &error) != SOA_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        if (n % 200 == 0) {
            printf("t %4.2f s   height %6.3f m   feet", t, q[6]);
            for (int leg = 0; leg < LEGS; leg++) {
                soa_closure_load load = { .normal = 0.0 };
                if (contact[leg] >= 0) {
                    soa_closure_force(set, contact[leg], &load, NULL);
                }
                printf("  %7.2f N", load.normal);
            }
            printf("   rank %2d of %2d\n", closed.rank, closed.rows);
        }
        for (int i = 0; i < NV; i++) {
            v[i] += h * vdot[i];
        }
        soa_integrate(model, q, v, h, q);
    }
    printf("%d changes of the feet; %d feet down at the least; height %.3f m\n", changes, least, q[6]);
    soa_closures_free(set);
    soa_workspace_free(workspace);
    soa_model_free(model);
    return !(q[6] > 0.2 && q[6] < 0.4 && changes > 8);
}
