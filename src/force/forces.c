/* force/forces.c - a set of force elements: made, asked, applied. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
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

/* ---- kinds ------------------------------------------------------------------------------ */

static const char *const WORD[] = {
#define ROW(name, text, joint, pair, meaning) text,
    SOA_FORCE_LIST(ROW)
#undef ROW
};
SOA_WORDS(soa_force_kind, soa_force_kind, SOA_FORCE_KINDS, WORD)

static const struct {
    const char *meaning;
    bool joint, pair;
} KIND[] = {
#define ROW(name, text, joint, pair, meaning) { meaning, joint, pair },
    SOA_FORCE_LIST(ROW)
#undef ROW
};

static bool is_kind(soa_force_kind kind)
{
    return (unsigned)kind < SOA_FORCE_KINDS;
}

const char *soa_force_kind_meaning(soa_force_kind kind)
{
    return is_kind(kind) ? KIND[kind].meaning : "";
}

bool soa_force_kind_at_joint(soa_force_kind kind)
{
    return is_kind(kind) && KIND[kind].joint;
}

bool soa_force_kind_pair(soa_force_kind kind)
{
    return is_kind(kind) && KIND[kind].pair;
}

soa_force soa_force_default(const char *name, soa_force_kind kind)
{
    return (soa_force){ .name = name,
        .kind = kind,
        .a = { SOA_WORLD, soa_pose_identity() },
        .b = { SOA_WORLD, soa_pose_identity() },
        .link = SOA_WORLD,
        .shape = SOA_SHAPE_SPHERE,
        .speed = 1e-3,
        .exponent = 1.5,
        .lower = -HUGE_VAL,
        .upper = HUGE_VAL,
        .from = -HUGE_VAL,
        .to = HUGE_VAL };
}

double soa_height_field_at(const soa_height_field *field, double x, double y, double slope[2])
{
    double ignored[2];
    return real_field_at(field, x, y, slope ? slope : ignored);
}

double soa_series_at(const soa_series *series, double t)
{
    const double *x = series->x, *s = series->t;
    int low = 0, high = series->count - 1;
    if (!(t > s[low])) {
        return x[low];
    }
    if (!(t < s[high])) {
        return x[high];
    }
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(t < s[middle] ? &high : &low) = middle;
    }
    return x[low] + (x[high] - x[low]) * ((t - s[low]) / (s[high] - s[low]));
}

/* ---- what the joints of a model describe --------------------------------------------------- */

int soa_forces_of_model(const soa_model *model, int room, soa_force *force)
{
    int count = 0;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        const int link = body.link;
        if (body.flexible) {
            if (body.nv > 0 && count < room) {
                force[count] = soa_force_default(soa_model_link(model, link)->name, SOA_FORCE_ELASTIC);
                force[count].link = link;
            }
            count += body.nv > 0;
            continue;
        }
        const soa_joint *joint = &soa_model_link(model, link)->joint;
        const double number[] = { joint->stiffness, joint->damping, joint->friction };
        for (int i = 0; i < 3; i++) {
            if (number[i] == 0.0) {
                continue;
            }
            if (count < room) {
                soa_force *e = &force[count];
                *e = soa_force_default(joint->name, (soa_force_kind)(SOA_FORCE_JOINT_SPRING + i));
                e->link = link;
                e->reference = joint->spring_reference;
                *(i == 0 ? &e->stiffness : i == 1 ? &e->damping : &e->value) = number[i];
            }
            count++;
        }
    }
    return count;
}

/* ---- made ------------------------------------------------------------------------------------- */

static int add_point(soa_forces *s, soa_point point)
{
    s->point[s->points] = point;
    s->place[s->points] = (soa_force_point){ soa_model_link_body(s->model, point.link, NULL), s->points };
    return s->points++;
}

/* The point, and the origin of the link that carries its body. */
static int add_place(soa_forces *s, soa_point point)
{
    const int added = add_point(s, point), body = s->place[added].body;
    if (body != SOA_WORLD) {
        s->place[added].origin = add_point(s, (soa_point){ soa_model_body(s->model, body).link, soa_pose_identity() });
    }
    return added;
}

static soa_status add_element(soa_forces *s, const soa_force *force, soa_element *element, soa_error *error)
{
    *element = (soa_element){ .force = *force, .enabled = !force->inactive, .body = -1 };
    if (!is_kind(force->kind)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "force kind %d does not exist", (int)force->kind);
    }
    const soa_status status = soa_force_check(s->model, force, &element->body, error);
    if (status == SOA_OK && element->body < 0) {
        element->point_a = add_place(s, force->a);
        element->point_b = add_place(s, soa_force_kind_pair(force->kind) ? force->b : force->a);
    }
    return status;
}

static bool make_room(soa_forces *s)
{
    const size_t points = 4 * (size_t)s->count + 1, nv = (size_t)soa_model_nv(s->model);
    const soa_allocator *allocator = &s->allocator;
    s->element = soa_allocate(allocator, (size_t)s->count + 1, sizeof *s->element);
    s->point = soa_allocate(allocator, points, sizeof *s->point);
    s->place = soa_allocate(allocator, points, sizeof *s->place);
    s->pose = soa_allocate(allocator, points, 18 * sizeof *s->pose);
    s->neutral = soa_allocate(allocator, (size_t)soa_model_nq(s->model) + 1, sizeof *s->neutral);
    s->body_of = soa_allocate(allocator, nv + 1, sizeof *s->body_of);
    s->J = soa_allocate(allocator, points * (nv + 1), 12 * sizeof *s->J);
    return s->element && s->point && s->place && s->pose && s->neutral && s->body_of && s->J;
}

static soa_status fill(soa_forces *s, const soa_force *force, soa_error *error)
{
    if (!make_room(s)) {
        return soa_fail_memory(error);
    }
    s->velocity = s->pose + 12 * (4 * (size_t)s->count + 1);
    s->J_rate = s->J + 6 * (4 * (size_t)s->count + 1) * ((size_t)soa_model_nv(s->model) + 1);
    soa_model_neutral(s->model, s->neutral);
    for (int k = 0; k < soa_model_bodies(s->model); k++) {
        const soa_body body = soa_model_body(s->model, k);
        for (int i = 0; i < body.nv; i++) {
            s->body_of[body.v + i] = k;
        }
    }
    soa_status status = SOA_OK;
    for (int i = 0; i < s->count && status == SOA_OK; i++) {
        status = add_element(s, &force[i], &s->element[i], error);
    }
    status = status == SOA_OK ? soa_workspace_new(s->model, &s->allocator, &s->workspace, error) : status;
    return status == SOA_OK && s->points > 0 ? soa_workspace_reserve(s->workspace, s->points, error) : status;
}

soa_status soa_forces_new(const soa_model *model, int count, const soa_force *force, const soa_allocator *allocator,
    soa_forces **forces, soa_error *error)
{
    soa_error_clear(error);
    if (!model || !forces || count < 0 || (count > 0 && !force)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a set of forces needs a model and its elements");
    }
    const soa_allocator memory = allocator ? *allocator : soa_allocator_default();
    soa_forces *s = soa_allocate(&memory, 1, sizeof *s);
    *forces = NULL;
    if (!s) {
        return soa_fail_memory(error);
    }
    *s = (soa_forces){ .model = model, .allocator = memory, .count = count, .judged = NAN };
    const soa_status status = fill(s, force, error);
    if (status != SOA_OK) {
        soa_forces_free(s);
        return status;
    }
    *forces = s;
    return SOA_OK;
}

void soa_forces_free(soa_forces *forces)
{
    if (forces) {
        const soa_allocator allocator = forces->allocator;
        void *const block[] = { forces->element, forces->point, forces->place, forces->pose, forces->neutral,
            forces->body_of, forces->J };
        soa_workspace_free(forces->workspace);
        for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
            soa_release(&allocator, block[i]);
        }
        soa_release(&allocator, forces);
    }
}

/* ---- asked ------------------------------------------------------------------------------------ */

static bool is_element(const soa_forces *forces, int element)
{
    return forces && element >= 0 && element < forces->count;
}

int soa_forces_count(const soa_forces *forces)
{
    return forces ? forces->count : 0;
}

const soa_force *soa_forces_get(const soa_forces *forces, int element)
{
    return is_element(forces, element) ? &forces->element[element].force : NULL;
}

int soa_forces_find(const soa_forces *forces, const char *name)
{
    for (int i = 0; i < soa_forces_count(forces); i++) {
        const char *own = forces->element[i].force.name;
        if (own && name && strcmp(own, name) == 0) {
            return i;
        }
    }
    return -1;
}

soa_status soa_forces_enable(soa_forces *forces, int element, bool enabled, soa_error *error)
{
    soa_error_clear(error);
    if (!is_element(forces, element)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "force %d does not exist", element);
    }
    forces->element[element].enabled = enabled;
    return SOA_OK;
}

bool soa_forces_enabled(const soa_forces *forces, int element)
{
    return is_element(forces, element) && forces->element[element].enabled;
}

bool soa_forces_conservative(const soa_forces *forces, int element)
{
    const soa_force *e = soa_forces_get(forces, element);
    if (!e) {
        return false;
    }
    const bool always = e->from == -HUGE_VAL && e->to == HUGE_VAL;
    bool damped = e->damping > 0.0 || (e->kind == SOA_FORCE_CONTACT && e->value > 0.0);
    for (int i = 0; i < 6; i++) {
        damped = damped || (e->kind == SOA_FORCE_BUSHING && e->damp[i] != 0.0);
    }
    if (e->kind == SOA_FORCE_ELASTIC) {
        const soa_flexible *f = soa_model_link(forces->model, e->link)->flexible;
        for (int i = 0; f->damping && i < f->modes * f->modes; i++) {
            damped = damped || f->damping[i] != 0.0;
        }
    }
    const bool stores = e->kind == SOA_FORCE_ELASTIC || e->kind == SOA_FORCE_JOINT_SPRING ||
                        e->kind == SOA_FORCE_JOINT_LIMIT || e->kind == SOA_FORCE_SPRING ||
                        e->kind == SOA_FORCE_BUSHING || e->kind == SOA_FORCE_CONTACT;
    return stores && always && !damped && !e->field;
}

/* ---- applied ---------------------------------------------------------------------------------- */

bool soa_element_acts(const soa_forces *forces, const soa_element *element, double t)
{
    const double when = isnan(forces->judged) ? t : forces->judged;
    return element->enabled && !element->left && when >= element->force.from && when < element->force.to;
}

bool soa_forces_acts(const soa_forces *forces, int i, double t)
{
    soa_element element = forces->element[i];
    element.left = false;
    return soa_element_acts(forces, &element, t);
}

void soa_forces_leave(soa_forces *forces, int i)
{
    forces->element[i].left = true;
}

void soa_forces_judge(soa_forces *forces, double t)
{
    forces->judged = t;
}

void soa_forces_pass(soa_forces *forces, soa_state *state)
{
    soa_state_pass(state, &forces->judged, sizeof forces->judged);
    for (int i = 0; i < forces->count; i++) {
        soa_state_pass(state, &forces->element[i].enabled, sizeof forces->element[i].enabled);
    }
}

soa_status soa_forces_place(soa_forces *forces, const double *q, const double *v, soa_error *error)
{
    return forces->points == 0 ? SOA_OK
                               : soa_point_kinematics(forces->model, forces->workspace, forces->points, forces->point,
                                     1, q, v, NULL, forces->pose, forces->velocity, NULL, error);
}

/* Of a spherical joint x = log(neutral^-1 q) and dx = (I + x~/2 + c x~ x~) w. */
static void spherical_displacement(const double *neutral, const double *q, double *x, double *rate)
{
    double turn[4];
    soa_quaternion_between(neutral, q, turn);
    const vec3 u = soa_quaternion_log(turn);
    const double t2 = u.x * u.x + u.y * u.y + u.z * u.z, t = sqrt(t2), a[3] = { u.x, u.y, u.z };
    const double c = t2 < 1e-8 ? 1.0 / 12.0 + t2 / 720.0 : (1.0 - 0.5 * t / tan(0.5 * t)) / t2;
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

/* T = -K eta - C etadot of a flexible link, energy eta* K eta / 2. */
static void apply_elastic(const soa_forces *s, const soa_element *e, const double *q, const double *v, double *T,
    double *energy, double *power)
{
    const soa_body body = soa_model_body(s->model, e->body);
    const soa_flexible *f = soa_model_link(s->model, body.link)->flexible;
    for (int i = 0; i < body.nv; i++) {
        double elastic = 0.0, damped = 0.0;
        for (int j = 0; j < body.nv; j++) {
            elastic -= f->stiffness[i * body.nv + j] * q[body.q + j];
            damped -= f->damping ? f->damping[i * body.nv + j] * v[body.v + j] : 0.0;
        }
        T[body.v + i] += elastic + damped;
        *energy -= 0.5 * elastic * q[body.q + i];
        *power += (elastic + damped) * v[body.v + i];
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
    memcpy(wrench, on_a.moment, sizeof on_a.moment);
    memcpy(wrench + 3, on_a.force, sizeof on_a.force);
    return SOA_OK;
}

soa_status soa_forces_apply(soa_forces *forces, double t, const double *q, const double *v, double *T, double *f,
    const soa_force_report *report, soa_error *error)
{
    soa_error_clear(error);
    if (!forces || !q || !v || !T || (!f && forces->points > 0)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "forces, q, v, T or f is missing");
    }
    soa_status status = soa_forces_place(forces, q, v, error);
    for (int i = 0; i < forces->count && status == SOA_OK; i++) {
        const soa_element *e = &forces->element[i];
        double energy = 0.0, power = 0.0, wrench[6] = { 0.0 };
        if (soa_element_acts(forces, e, t) && e->force.kind == SOA_FORCE_ELASTIC) {
            apply_elastic(forces, e, q, v, T, &energy, &power);
        } else if (soa_element_acts(forces, e, t) && e->body >= 0) {
            apply_joint(forces, e, t, q, v, T, &energy, &power);
        } else if (soa_element_acts(forces, e, t)) {
            status = apply_points(forces, e, f, &energy, &power, wrench, error);
        }
        if (report && report->energy) {
            report->energy[i] = energy;
        }
        if (report && report->power) {
            report->power[i] = power;
        }
        if (report && report->wrench) {
            memcpy(report->wrench + 6 * (size_t)i, wrench, sizeof wrench);
        }
        if (report && report->depth && status == SOA_OK) {
            report->depth[i] = e->force.kind == SOA_FORCE_CONTACT ? depth_of(forces, e) : 0.0;
        }
    }
    return status;
}
