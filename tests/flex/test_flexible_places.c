/* Derivatives by the places of joints of trees with flexible links, against differences of trees whose joints stand elsewhere:
 * forces from particles alone, forces at points and closed loops from the library. */
#include "flex/sample.h"
#include "flex/slopes.h"

/* ---- differences ---------------------------------------------------------------------------------------- */

/* The tree with the frame of the joint of body k turned about, or moved along, its axis e % 3 by t. */
static tree displaced(const tree *from, int k, int e, double t)
{
    tree moved = *from;
    soa_builder *b = soa_builder_new(NULL);
    soa_error error;
    double gravity[3];
    soa_model_gravity(from->model, gravity);
    soa_builder_set_gravity(b, gravity);
    const soa_body body = soa_model_body(from->model, k);
    /* Modes, or what holds the rotor of a joint. */
    const bool in_place = body.flexible && soa_model_link(from->model, body.link)->joint.kind != SOA_FIXED;
    for (int l = 0; l < from->links; l++) {
        soa_link link = *soa_model_link(from->model, l);
        if (l == body.link && !in_place) {
            double at[3] = { 0.0 }, axis[3] = { e >= 3, 0.0, 0.0 };
            (e < 3 ? axis : at)[e % 3] = e < 3 ? 1.0 : t;
            const soa_pose by = soa_pose_from_axis_angle(at, axis, e < 3 ? t : 0.0);
            link.joint.at = soa_pose_compose(&link.joint.at, &by);
        }
        OK(soa_builder_add_link(b, &link, NULL, &error));
    }
    OK(soa_builder_finish(b, &moved.model, &error));
    soa_builder_free(b);
    return moved;
}

/* n numbers of y of a tree. */
typedef void of_tree(const tree *t, void *context, double *y);

typedef struct place_step {
    const tree *t;
    of_tree *f;
    void *context;
    int column;
} place_step;

static void place_step_at(void *context, double t, double *y)
{
    const place_step *s = context;
    const tree moved = displaced(s->t, s->column / 6, s->column % 6, t);
    s->f(&moved, s->context, y);
    soa_model_free(moved.model);
}

/* All columns: n rows of six numbers per body. */
static double *slopes_of(const tree *t, of_tree *f, void *context, int n)
{
    const int columns = 6 * soa_model_bodies(t->model);
    double *all = calloc((size_t)(n * columns), sizeof *all), *column = calloc((size_t)n, sizeof *column);
    for (int c = 0; c < columns; c++) {
        place_step step = { t, f, context, c };
        slope_at_zero(place_step_at, &step, n, column);
        for (int r = 0; r < n; r++) {
            all[r * columns + c] = column[r];
        }
    }
    free(column);
    return all;
}

/* ---- dynamics --------------------------------------------------------------------------------------------- */

static void force_of_particles(const tree *t, void *context, double *T)
{
    const sample *s = context;
    double *mass = calloc(MOST * MOST, sizeof *mass);
    particle_mechanics(t, s->q, s->v, s->vd, mass, T);
    free(mass);
}

/* dT, and with vdot that T makes Mass dvdot = -dT. */
static void places_change_dynamics(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 11; i++) {
        sample s = sample_open(5100u + i, i % 3 == 0);
        const int n = s.nv, columns = 6 * soa_model_bodies(s.t.model);
        double *dT = calloc((size_t)(2 * n * columns), sizeof *dT), *dvdot = dT + n * columns;
        double *slope = slopes_of(&s.t, force_of_particles, &s, n), *product = calloc((size_t)columns, sizeof *product);
        OK(soa_inverse_dynamics_placement(s.t.model, s.w, 1, s.q, s.v, s.vd, dT, &s.error));
        near_all("dT", (int)i, n * columns, dT, slope, 1e-9);
        OK(soa_forward_dynamics_placement(s.t.model, s.w, 1, s.q, s.v, s.T, dvdot, &s.error));
        for (int r = 0; r < n; r++) {
            for (int c = 0; c < columns; c++) {
                product[c] = 0.0;
                for (int k = 0; k < n; k++) {
                    product[c] -= s.mass[r * n + k] * dvdot[k * columns + c];
                }
            }
            near_all("Mass dvdot", (int)i, columns, product, slope + r * columns, 1e-8);
        }
        free(dT);
        free(slope);
        free(product);
        sample_close(&s);
    }
}

/* ---- forces at points --------------------------------------------------------------------------------------- */

typedef struct loads {
    const sample *s;
    soa_point point[2];
    double f[12];
} loads;

static void force_at_points(const tree *t, void *context, double *T)
{
    const loads *at = context;
    const int n = at->s->nv;
    soa_workspace *w;
    soa_error error;
    double J[12 * MOST];
    OK(soa_workspace_new(t->model, NULL, &w, &error));
    OK(soa_jacobian(t->model, w, 2, at->point, SOA_AXES_MIXED, 1, at->s->q, J, &error));
    for (int i = 0; i < n; i++) {
        T[i] = 0.0;
        for (int r = 0; r < 12; r++) {
            T[i] -= J[r * n + i] * at->f[r];
        }
    }
    soa_workspace_free(w);
}

/* A point on a node of the link, if it is flexible. */
static soa_point point_on(const tree *t, int link, unsigned long long *seed)
{
    const bool flexible = soa_model_link(t->model, link)->flexible;
    return (soa_point){ link, random_pose(seed, 0.3), flexible ? 1 + (int)(*seed % NODES) : 0 };
}

static void places_change_forces(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        sample s = sample_open(5200u + i, i % 3 == 0);
        unsigned long long seed = i;
        loads at = { &s, { point_on(&s.t, s.t.links - 1, &seed), point_on(&s.t, s.t.links / 2, &seed) }, { 0.0 } };
        const int size = s.nv * 6 * soa_model_bodies(s.t.model);
        double *dT = calloc((size_t)size, sizeof *dT);
        for (int r = 0; r < 12; r++) {
            at.f[r] = rnd(&seed);
        }
        double *slope = slopes_of(&s.t, force_at_points, &at, s.nv);
        OK(soa_workspace_reserve(s.w, 2, &s.error));
        OK(soa_point_force_placement(s.t.model, s.w, 2, at.point, 1, s.q, at.f, dT, &s.error));
        near_all("-d(J* f)", (int)i, size, dT, slope, 1e-9);
        free(dT);
        free(slope);
        sample_close(&s);
    }
}

/* ---- closed loops ----------------------------------------------------------------------------------------------- */

typedef struct loop {
    const sample *s;
    soa_closure closure;
    const double *f;
    int rows;
} loop;

static soa_closures *close_tree(const soa_model *m, const loop *l)
{
    soa_closures *set;
    soa_error error;
    OK(soa_closures_new(1, &m, NULL, NULL, &set, &error));
    OK(soa_closure_add(set, &l->closure, 0, 0, NULL, &error));
    return set;
}

/* vdot, then lambda. */
static void closed_motion(const tree *t, void *context, double *y)
{
    const loop *l = context;
    const sample *s = l->s;
    soa_error error;
    soa_closures *set = close_tree(t->model, l);
    OK(soa_closed_forward_dynamics(set, 1, s->q, s->v, s->T, l->f, y, NULL, NULL, &error));
    memcpy(y + s->nv, soa_closure_multipliers(set), (size_t)l->rows * sizeof *y);
    soa_closures_free(set);
}

/* Of the last link, at a node if it is flexible: to the world where it is, or by a distance to the first link. */
static soa_closure random_closure(const sample *s, unsigned i, unsigned long long *seed)
{
    static const soa_closure_kind kind[] = { SOA_CLOSE_DISTANCE, SOA_CLOSE_SPHERICAL, SOA_CLOSE_REVOLUTE };
    const soa_point on = point_on(&s->t, s->t.links - 1, seed), from = point_on(&s->t, 0, seed);
    const bool inside = i % 3 == 0;
    soa_closure c = soa_closure_default("tie", kind[i % 3], on.link, inside ? from.link : SOA_WORLD);
    soa_error error;
    double place[12], velocity[6], acceleration[6];
    c.at_a = on.at, c.node_a = on.node;
    c.distance = 1.0;
    if (inside) {
        c.at_b = from.at, c.node_b = from.node;
    } else {
        OK(soa_point_kinematics(s->t.model, s->w, 1, &on, 1, s->q, s->v, s->vd, place, velocity, acceleration, &error));
        memcpy(c.at_b.rotation, place, 9 * sizeof *place);
        memcpy(c.at_b.position, place + 9, 3 * sizeof *place);
    }
    return c;
}

static void places_change_loops(void **state)
{
    (void)state;
    int compared = 0;
    for (unsigned i = 0; i < 12; i++) {
        sample s = sample_open(5300u + i, true);
        unsigned long long seed = i;
        const int n = s.nv, bodies = soa_model_bodies(s.t.model), columns = 6 * bodies;
        double *f = calloc((size_t)columns, sizeof *f);
        for (int r = 0; r < columns; r++) {
            f[r] = i % 2 == 0 ? rnd(&seed) : 0.0;
        }
        loop l = { &s, random_closure(&s, i, &seed), f, 0 };
        soa_closures *set = close_tree(s.t.model, &l);
        soa_closed closed = { 0 };
        double vdot[MOST];
        l.rows = soa_closures_rows(set);
        OK(soa_closures_reserve_derivatives(set, &s.error));
        OK(soa_closed_forward_dynamics(set, 1, s.q, s.v, s.T, f, vdot, NULL, &closed, &s.error));
        if (closed.rank == l.rows && closed.condition < 1e4) {
            const int rows = n + l.rows;
            double *by = calloc((size_t)(rows * columns), sizeof *by);
            const soa_closed_derivatives out = { .vdot_placement = by, .lambda_placement = by + n * columns };
            double *slope = slopes_of(&s.t, closed_motion, &l, rows);
            OK(soa_closed_forward_dynamics_derivatives(set, 1, s.q, s.v, s.T, f, &out, &s.error));
            near_all("dvdot", (int)i, n * columns, by, slope, 1e-8);
            near_all("dlambda", (int)i, l.rows * columns, by + n * columns, slope + n * columns, 1e-8);
            free(by);
            free(slope);
            compared++;
        }
        free(f);
        soa_closures_free(set);
        sample_close(&s);
    }
    assert_true(compared >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_change_dynamics),
        cmocka_unit_test(places_change_forces),
        cmocka_unit_test(places_change_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
