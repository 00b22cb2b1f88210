/* A quadruped trots: its feet are closures that come and go while it runs.
 *
 * The legs follow the gait by springs and dampers at the joints. A foot that comes down gets a
 * point contact with friction where it stands, and the velocities become the nearest that
 * the contacts allow; a foot that is to be lifted, or would pull, loses it. Nothing is
 * rebuilt and nothing allocates while it walks. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>
#include <string.h>

enum { NQ = 19, NV = 18, LEGS = 4, LINKS = 64, STEPS = 8000, SHOWN = 400 };

static const char *const FOOT[LEGS] = { "FL_foot", "FR_foot", "RL_foot", "RR_foot" };
static const double STAND[3] = { 0.0, 0.75, -1.5 };
static const double STEP = 5e-4, BEGIN = 0.5, PERIOD = 0.5, IN_THE_AIR = 0.4, PI = 3.14159265358979;

typedef struct walker {
    soa_model *model;
    soa_workspace *workspace;
    soa_closures *set;
    double q[NQ], v[NV], vdot[NV];
    int contact[LEGS];   /* its closure; -1: in the air */
    double lifted[LEGS]; /* when it lost its contact */
    int changes, fewest; /* of contacts; feet on the ground */
    int slipping;        /* steps with a foot outside its friction cone */
    soa_closed solved;
} walker;

/* ---- gait -------------------------------------------------------------------------------- */

/* From 0 to 1, diagonal pairs by turns: IN_THE_AIR of it in the air, then on the ground. */
static double phase(int leg, double t)
{
    return t < BEGIN ? 1.0 : fmod((t - BEGIN) / PERIOD + (leg == 0 || leg == 3 ? 0.0 : 0.5), 1.0);
}

/* How far the knee is pulled in, in radians. */
static double lift(int leg, double t)
{
    const double x = phase(leg, t), s = sin(PI * x / IN_THE_AIR);
    return x < IN_THE_AIR ? 0.15 * s * s : 0.0;
}

/* How far the leg is swung to the front: forward in the air, back on the ground. */
static double swing(int leg, double t)
{
    const double x = phase(leg, t), reach = 0.1 * fmin(1.0, fmax(0.0, t - BEGIN));
    return x < IN_THE_AIR ? -reach * cos(PI * x / IN_THE_AIR)
                          : reach * (1.0 - 2.0 * (x - IN_THE_AIR) / (1.0 - IN_THE_AIR));
}

static void drive(const walker *w, double t, double *T)
{
    memset(T, 0, NV * sizeof *T);
    for (int i = 6; i < NV; i++) {
        const int leg = (i - 6) / 3, joint = (i - 6) % 3;
        const double raised = lift(leg, t);
        const double aim = STAND[joint] + (joint == 1 ? raised - swing(leg, t) : joint == 2 ? -2.0 * raised : 0.0);
        T[i] = 600.0 * (aim - w->q[i + 1]) - 8.0 * w->v[i];
    }
}

/* ---- feet -------------------------------------------------------------------------------- */

static soa_point foot_point(const walker *w, int leg)
{
    soa_point point;
    soa_model_find_point(w->model, FOOT[leg], &point, NULL);
    return point;
}

/* Where the foot is and how fast it rises. */
static double foot_motion(const walker *w, int leg, double position[3])
{
    const soa_point point = foot_point(w, leg);
    double pose[12], velocity[6];
    soa_point_kinematics(w->model, w->workspace, 1, &point, 1, w->q, w->v, NULL, pose, velocity, NULL, NULL);
    memcpy(position, pose + 9, 3 * sizeof *position);
    return velocity[5];
}

static void set_down(walker *w, int leg, const double position[3])
{
    const soa_point point = foot_point(w, leg);
    soa_closure foot = soa_closure_default(FOOT[leg], SOA_CLOSE_POINT, point.link, SOA_WORLD);
    foot.at_a = point.at;
    memcpy(foot.at_b.position, position, 3 * sizeof *position);
    foot.friction = 0.8;
    soa_closure_add(w->set, &foot, 0, 0, &w->contact[leg], NULL);
    soa_closure_project_velocity(w->set, SOA_METRIC_MASS, 1, w->q, w->v, NULL, NULL);
    w->changes++;
}

static void take_up(walker *w, int leg, double t)
{
    soa_closure_remove(w->set, w->contact[leg], NULL);
    w->contact[leg] = -1;
    w->lifted[leg] = t;
    w->changes++;
}

/* The force that presses the foot on the ground, in the last solution. */
static double press(const walker *w, int leg)
{
    soa_closure_load load = { .normal = 0.0 };
    if (w->contact[leg] >= 0 && soa_closure_force(w->set, w->contact[leg], &load, NULL) != SOA_OK) {
        return 0.0; /* set down after the last solution */
    }
    return load.normal;
}

static void change_feet(walker *w, double t)
{
    int down = 0;
    bool pulls[LEGS];
    for (int leg = 0; leg < LEGS; leg++) { /* before any change: it makes the last solution void */
        pulls[leg] = press(w, leg) < 0.0;
    }
    for (int leg = 0; leg < LEGS; leg++) {
        const bool high = lift(leg, t) > 0.02;
        double position[3];
        if (w->contact[leg] >= 0 && (high || pulls[leg])) {
            take_up(w, leg, t);
        } else if (w->contact[leg] < 0 && !high && t - w->lifted[leg] > 0.03 && foot_motion(w, leg, position) <= 0.0 &&
                   position[2] < 1e-3) {
            set_down(w, leg, position);
        }
        down += w->contact[leg] >= 0;
    }
    w->fewest = down < w->fewest ? down : w->fewest;
}

/* ---- walking ----------------------------------------------------------------------------- */

static void print_state(const walker *w, double t)
{
    printf("%5.2f %9.3f %9.3f", t, w->q[4], w->q[6]);
    for (int leg = 0; leg < LEGS; leg++) {
        if (w->contact[leg] >= 0) {
            printf(" %8.1f", press(w, leg));
        } else {
            printf(" %8s", "-");
        }
    }
    printf("    %2d of %2d\n", w->solved.rank, w->solved.rows);
}

static soa_status walk(walker *w, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int n = 0; n <= STEPS && status == SOA_OK; n++) {
        double T[NV];
        change_feet(w, n * STEP);
        drive(w, n * STEP, T);
        status = soa_closed_forward_dynamics(w->set, 1, w->q, w->v, T, NULL, w->vdot, NULL, &w->solved, error);
        w->slipping += w->solved.broken > 0;
        if (n % SHOWN == 0) {
            print_state(w, n * STEP);
        }
        for (int i = 0; i < NV; i++) {
            w->v[i] += STEP * w->vdot[i];
        }
        soa_integrate(w->model, w->q, w->v, STEP, w->q);
    }
    return status;
}

int main(void)
{
    walker w = { .contact = { -1, -1, -1, -1 }, .lifted = { -1.0, -1.0, -1.0, -1.0 }, .fewest = LEGS };
    soa_error error;
    if (soa_model_builtin("quadruped", NULL, &w.model, &error) != SOA_OK ||
        soa_workspace_new(w.model, NULL, &w.workspace, &error) != SOA_OK ||
        soa_closures_new(1, (const soa_model *const[]){ w.model }, NULL, NULL, &w.set, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    memcpy(w.q, soa_model_configuration(w.model, 0)->q, sizeof w.q);
    printf("A quadruped of %.1f kg stands, then trots; a foot is a contact with friction while it is down.\n\n",
        soa_model_mass(w.model));
    printf(" time   forward    height   front l  front r   rear l   rear r   rank of\n");
    printf("    s         m         m        N        N        N        N      rows\n");
    const soa_status status = walk(&w, &error);
    if (status != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("\n%d contacts came or went, %d feet at least were down, %.1f %% of the time one would slip\n", w.changes,
        w.fewest, 100.0 * w.slipping / STEPS);
    const bool walked = w.q[6] > 0.25 && w.q[6] < 0.4 && w.q[4] > 0.3 && fabs(w.q[5]) < 0.1 && w.changes > 30;
    soa_closures_free(w.set);
    soa_workspace_free(w.workspace);
    soa_model_free(w.model);
    return !walked;
}
