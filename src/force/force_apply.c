/* force/force_apply.c - the forces, energies and powers of a set of elements at a state. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "dynamics/kernels.h"
#include "force/force_set.h"
#include "joint/rotation.h"

#define LAW(name)     real_##name
#define num           double
#define num_sqrt(x)   sqrt(x)
#define num_pow(x, y) pow(x, y)
#define num_asin(x)   asin(fmin(x, 1.0))
#define num_tan(x)    tan(x)
#define num_real(x)   (x)
#include "force/laws.kernel.h"

double soa_height_field_at(const soa_height_field *field, double x, double y, double slope[2])
{
    double ignored[2];
    return real_field_at(field, x, y, slope ? slope : ignored);
}

soa_status soa_forces_place(soa_forces *forces, const double *q, const double *v, soa_error *error)
{
    return forces->points == 0 ? SOA_OK
                               : soa_point_kinematics(forces->model, forces->workspace, forces->points, forces->point,
                                     1, q, v, NULL, forces->pose, forces->velocity, NULL, error);
}

/* The displacement of a spherical joint, x = log(neutral^-1 q), and its rate, dx = (I + x~/2 + c x~ x~) w. */
static void spherical_displacement(const double *neutral, const double *q, double *x, double *rate)
{
    double turn[4];
    soa_quaternion_between(neutral, q, turn);
    const vec3 u = soa_quaternion_log(turn);
    const double t2 = u.x * u.x + u.y * u.y + u.z * u.z, c = soa_log_curve(u), a[3] = { u.x, u.y, u.z };
    memcpy(x, a, sizeof a);
    for (int i = 0; rate && i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double skew = i == j ? 0.0 : (j == (i + 1) % 3 ? -a[3 - i - j] : a[3 - i - j]);
            rate[3 * i + j] = (i == j ? 1.0 - c * t2 : 0.0) + 0.5 * skew + c * a[i] * a[j];
        }
    }
}

void soa_joint_displacement(
    const soa_forces *forces, const soa_element *element, const double *q, double *x, double *rate)
{
    const soa_body body = soa_model_body(forces->model, element->body);
    const double *neutral = forces->neutral + body.q;
    if (body.kind == SOA_SPHERICAL) {
        spherical_displacement(neutral, q + body.q, x, rate);
        return;
    }
    const bool limit = element->force.kind == SOA_FORCE_JOINT_LIMIT;
    for (int i = 0; i < body.nv; i++) {
        x[i] = q[body.q + i] - (limit ? 0.0 : body.nv == 1 ? element->force.reference : neutral[i]);
        for (int j = 0; rate && j < body.nv; j++) {
            rate[body.nv * i + j] = i == j ? 1.0 : 0.0;
        }
    }
}

static void apply_joint(const soa_forces *s, const soa_element *e, double t, const double *q, const double *v,
    double *T, double *energy, double *power)
{
    const soa_body body = soa_model_body(s->model, e->body);
    double x[SOA_JOINT_MAX_NQ] = { 0.0 };
    const double value = e->force.table.count > 0 ? soa_series_at(&e->force.table, t) : e->force.value;
    soa_joint_displacement(s, e, q, x, NULL);
    for (int i = 0; i < body.nv; i++) {
        double stored;
        const double force = real_joint_law(&e->force, value, x[i], v[body.v + i], &stored);
        T[body.v + i] += force;
        *energy += stored;
        *power += force * v[body.v + i];
    }
}

/* The elastic forces of a flexible link. */
static void apply_elastic(const soa_forces *s, const soa_element *e, const double *q, const double *v, double *T,
    double *energy, double *power)
{
    const soa_body body = soa_model_body(s->model, e->body);
    const soa_flexible *f = soa_model_link(s->model, body.link)->flexible;
    for (int i = 0; i < body.nv; i++) {
        double stored;
        const double force = real_elastic(f, i, q + body.q, v + body.v, &stored);
        T[body.v + i] += force;
        *energy += stored;
        *power += force * v[body.v + i];
    }
}

/* A point as the laws see it. */
static real_frame frame_of(const soa_forces *s, int point)
{
    real_frame frame;
    const double *pose = s->pose + 12 * point, *V = s->velocity + 6 * point;
    memcpy(frame.R, pose, sizeof frame.R);
    memcpy(frame.p, pose + 9, sizeof frame.p);
    memcpy(frame.w, V, sizeof frame.w);
    memcpy(frame.v, V + 3, sizeof frame.v);
    return frame;
}

/* The wrench, shifted to the origin of the link of its body. */
static void add_wrench(const soa_forces *s, int point, const real_wrench *w, double *f)
{
    const soa_force_point *place = &s->place[point];
    if (place->body == SOA_WORLD) {
        return;
    }
    const double *p = s->pose + 12 * point + 9, *o = s->pose + 12 * place->origin + 9;
    const double arm[3] = { p[0] - o[0], p[1] - o[1], p[2] - o[2] };
    double *body = f + 6 * place->body, moment[3];
    real_cross(arm, w->force, moment);
    for (int i = 0; i < 3; i++) {
        body[i] += w->moment[i] + moment[i];
        body[i + 3] += w->force[i];
    }
}

/* How deep the deepest ball of a contact is in the ground. */
static double depth_of(const soa_forces *s, const soa_element *e)
{
    const real_frame a = frame_of(s, e->point_a), b = frame_of(s, e->point_b);
    double most = -HUGE_VAL, p[3], n[3];
    for (int k = 0; k < real_balls(&e->force); k++) {
        real_centre(&e->force, &a, k, p);
        const double r[3] = { p[0] - b.p[0], p[1] - b.p[1], p[2] - b.p[2] };
        most = fmax(most, e->force.length - real_above(&e->force, &b, r, n));
    }
    return most;
}

static double power_of(const real_frame *frame, const real_wrench *w)
{
    return real_dot(w->moment, frame->w) + real_dot(w->force, frame->v);
}

static void put_wrench(const real_wrench *w, double to[6])
{
    memcpy(to, w->moment, sizeof w->moment);
    memcpy(to + 3, w->force, sizeof w->force);
}

static soa_status apply_points(const soa_forces *s, const soa_element *e, double *f, double *energy, double *power,
    double wrench[6], soa_error *error)
{
    const real_frame a = frame_of(s, e->point_a), b = frame_of(s, e->point_b);
    real_wrench on_a, on_b;
    *energy = real_point_law(&e->force, &a, &b, &on_a, &on_b);
    if (!isfinite(on_a.force[0] + on_a.force[1] + on_a.force[2])) {
        return soa_force_refuse(
            &e->force, SOA_E_SINGULAR, error, "its force is not finite here; do its points coincide?");
    }
    add_wrench(s, e->point_a, &on_a, f);
    add_wrench(s, e->point_b, &on_b, f);
    *power = power_of(&a, &on_a) + power_of(&b, &on_b);
    put_wrench(&on_a, wrench);
    if (s->nodes) {
        put_wrench(&on_a, s->wrench + 6 * e->point_a);
        put_wrench(&on_b, s->wrench + 6 * e->point_b);
    }
    return SOA_OK;
}

/* What the wrenches on nodes do to the modes that move these. */
static soa_status apply_nodes(soa_forces *s, const double *q, double *T, soa_error *error)
{
    soa_call call = { .points = s->points, .point = s->point, .q.at = q, .g.at = s->wrench, .y.at = s->column };
    const soa_status status = soa_run(s->workspace, s->model, SOA_KERNEL_node_forces, 1, &call, error);
    for (int i = 0; i < soa_model_nv(s->model) && status == SOA_OK; i++) {
        T[i] += s->column[i];
    }
    return status;
}

static void put_report(const soa_force_report *report, int i, double energy, double power, const double wrench[6])
{
    if (report && report->energy) {
        report->energy[i] = energy;
    }
    if (report && report->power) {
        report->power[i] = power;
    }
    if (report && report->wrench) {
        memcpy(report->wrench + 6 * (size_t)i, wrench, 6 * sizeof *wrench);
    }
}

soa_status soa_forces_apply(soa_forces *forces, double t, const double *q, const double *v, double *T, double *f,
    const soa_force_report *report, soa_error *error)
{
    soa_error_clear(error);
    if (!forces || !q || !v || !T || (!f && forces->points > 0)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "forces, q, v, T or f is missing");
    }
    soa_status status = soa_forces_place(forces, q, v, error);
    if (forces->nodes) {
        memset(forces->wrench, 0, 6 * (size_t)forces->points * sizeof *forces->wrench);
    }
    for (int i = 0; i < forces->count && status == SOA_OK; i++) {
        const soa_element *e = &forces->element[i];
        double energy = 0.0, power = 0.0, wrench[6] = { 0.0 };
        if (soa_element_acts(forces, e, t) && e->force.kind == SOA_FORCE_ELASTIC) {
            apply_elastic(forces, e, q, v, T, &energy, &power);
        } else if (soa_element_acts(forces, e, t) && e->body >= 0) {
            apply_joint(forces, e, t, q, v, T, &energy, &power);
        } else if (f && soa_element_acts(forces, e, t)) { /* f is there if an element is at points */
            status = apply_points(forces, e, f, &energy, &power, wrench, error);
        }
        put_report(report, i, energy, power, wrench);
        if (report && report->depth && status == SOA_OK) {
            report->depth[i] = e->force.kind == SOA_FORCE_CONTACT ? depth_of(forces, e) : 0.0;
        }
    }
    return status == SOA_OK && forces->nodes ? apply_nodes(forces, q, T, error) : status;
}
