/* tests/io/round.h - a model and what comes back after it was written and read: the same system.
 *
 * Links, joints and frames are found by name. Coordinates agree but for two kinds of joints in MJCF, which
 * places free bodies in the world and turns balls about the axes of their link. */
#ifndef SOA_TESTS_IO_ROUND_H
#define SOA_TESTS_IO_ROUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "soa/io.h"
#include "soa/soa.h"

#define ROUND_TOLERANCE 1e-12

typedef struct round_trip {
    const char *label;
    soa_format format;
    const soa_model *m, *back;
    int *v; /* for each velocity of m, that of back */
} round_trip;

static inline void round_near(const round_trip *r, const char *what, double scale, double x, double y)
{
    const bool same = x == y || fabs(x - y) <= ROUND_TOLERANCE * (scale + fabs(x));
    if (!same) {
        fail_msg("%s, format %d: %s: %.17g became %.17g", r->label, (int)r->format, what, x, y);
    }
}

static inline void round_near_pose(const round_trip *r, const char *what, const soa_pose *x, const soa_pose *y)
{
    for (int i = 0; i < 9; i++) {
        round_near(r, what, 1.0, x->rotation[i / 3][i % 3], y->rotation[i / 3][i % 3]);
    }
    for (int i = 0; i < 3; i++) {
        round_near(r, what, 1.0, x->position[i], y->position[i]);
    }
}

/* ---- which is which ---------------------------------------------------------------- */

/* A link of m in back; the word world cannot be the name of a body in MJCF. */
static inline int round_link(const round_trip *r, int link)
{
    if (link < 0) {
        return link;
    }
    const char *name = soa_model_link(r->m, link)->name;
    int there = soa_model_find_link(r->back, name);
    if (there < 0 && r->format == SOA_MJCF && strcmp(name, "world") == 0) {
        there = soa_model_find_link(r->back, "world_link");
    }
    if (there < 0) {
        fail_msg("%s, format %d: link '%s' is gone", r->label, (int)r->format, name);
    }
    return there;
}

/* In URDF a link's frame is the moving side of its joint. */
static inline soa_pose round_inside(const round_trip *r, int link)
{
    const soa_link *l = soa_model_link(r->m, link);
    return r->format == SOA_URDF && l && l->joint.kind != SOA_FIXED ? l->joint.child : soa_pose_identity();
}

/* Joints of two velocities are two joints in MJCF: the body's own and that of its carrier. */
static inline void round_match(const round_trip *r)
{
    for (int k = 0; k < soa_model_bodies(r->m); k++) {
        const soa_body body = soa_model_body(r->m, k);
        int other = soa_model_link_body(r->back, round_link(r, body.link), NULL);
        for (int left = body.nv; left > 0;) {
            const soa_body there = soa_model_body(r->back, other);
            assert_true(there.nv > 0 && there.nv <= left);
            left -= there.nv;
            for (int i = 0; i < there.nv; i++) {
                r->v[body.v + left + i] = there.v + i;
            }
            other = there.parent;
        }
    }
}

/* ---- coordinates ------------------------------------------------------------------- */

static inline void round_turn_back(const soa_pose *pose, const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = pose->rotation[0][i] * x[0] + pose->rotation[1][i] * x[1] + pose->rotation[2][i] * x[2];
    }
}

static inline void round_free(const round_trip *r, const soa_link *link, const double *q, double *out)
{
    soa_pose parent = soa_pose_identity();
    soa_model_link_body(r->m, link->parent, &parent);
    const soa_pose at = soa_pose_compose(&parent, &link->joint.at), moved = soa_pose_from_quaternion(q + 4, q);
    const soa_pose pose = soa_pose_compose(&at, &moved);
    soa_pose_quaternion(&pose, out);
    memcpy(out + 4, pose.position, 3 * sizeof *out);
}

/* q and v of m as those of back. Bodies with one coordinate per velocity have both in the same order. */
static inline void round_state(const round_trip *r, const double *q, const double *v, double *q_back, double *v_back)
{
    for (int k = 0; k < soa_model_bodies(r->m); k++) {
        const soa_body body = soa_model_body(r->m, k);
        const soa_link *link = soa_model_link(r->m, body.link);
        const soa_body there = soa_model_body(r->back, soa_model_link_body(r->back, round_link(r, body.link), NULL));
        double *to = q_back + there.q;
        if (r->format == SOA_MJCF && body.kind == SOA_FREE) {
            round_free(r, link, q + body.q, to);
        } else if (r->format == SOA_MJCF && body.kind == SOA_SPHERICAL) {
            to[0] = q[body.q];
            round_turn_back(&link->joint.child, q + body.q + 1, to + 1);
        } else if (body.nq == there.nq) {
            memcpy(to, q + body.q, (size_t)body.nq * sizeof *q);
        } else {
            const soa_body carrier = soa_model_body(r->back, there.parent);
            q_back[carrier.q] = q[body.q];
            to[0] = q[body.q + 1];
        }
        for (int i = 0; i < body.nv; i++) {
            v_back[r->v[body.v + i]] = v[body.v + i];
        }
        if (r->format == SOA_MJCF && body.kind == SOA_SPHERICAL) {
            round_turn_back(&link->joint.child, v + body.v, v_back + there.v);
        }
    }
}

/* ---- dynamics ---------------------------------------------------------------------- */

static inline double *round_numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline double round_largest(const double *x, size_t n)
{
    double most = 1e-6;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* y = Mass x + C of both, x in the coordinates of each: bias for x = 0, mass column by column as x differs. */
static inline void round_forces(const round_trip *r, const double *q, const double *v, const double *vdot)
{
    const size_t nq = (size_t)soa_model_nq(r->m), nv = (size_t)soa_model_nv(r->m);
    soa_workspace *w, *w_back;
    double *q_b = round_numbers(nq), *v_b = round_numbers(nv), *a_b = round_numbers(nv), *T = round_numbers(nv),
           *T_b = round_numbers(nv), *expected = round_numbers(nv), *ignored = round_numbers(nq);
    assert_int_equal(soa_workspace_new(r->m, NULL, &w, NULL), SOA_OK);
    assert_int_equal(soa_workspace_new(r->back, NULL, &w_back, NULL), SOA_OK);
    round_state(r, q, v, q_b, v_b);
    round_state(r, q, vdot, ignored, a_b);
    assert_int_equal(soa_inverse_dynamics(r->m, w, 1, q, v, vdot, NULL, T, NULL), SOA_OK);
    assert_int_equal(soa_inverse_dynamics(r->back, w_back, 1, q_b, v_b, a_b, NULL, T_b, NULL), SOA_OK);
    round_state(r, q, T, ignored, expected);
    const double scale = round_largest(T, nv);
    for (size_t i = 0; i < nv; i++) {
        round_near(r, "force", 100.0 * scale, expected[i], T_b[i]);
    }
    soa_workspace_free(w);
    soa_workspace_free(w_back);
    double *const all[] = { q_b, v_b, a_b, T, T_b, expected, ignored };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

static inline soa_pose round_pose(const double pose[12])
{
    soa_pose p;
    memcpy(p.rotation, pose, sizeof p.rotation);
    memcpy(p.position, pose + 9, sizeof p.position);
    return p;
}

static inline soa_pose round_place(const double *poses, int link, const soa_pose *at)
{
    const soa_pose in_world = link < 0 ? soa_pose_identity() : round_pose(poses + 12 * link);
    return soa_pose_compose(&in_world, at);
}

/* What a closure of kind spherical or rigid holds together, seen in the world. */
static inline void round_closure(
    const round_trip *r, const soa_closure *c, const soa_closure *d, const double *poses, const double *poses_b)
{
    const soa_pose a = round_place(poses, c->a, &c->at_a), b = round_place(poses, c->b, &c->at_b);
    const soa_pose a_b = round_place(poses_b, d->a, &d->at_a), b_b = round_place(poses_b, d->b, &d->at_b);
    assert_int_equal(c->kind, d->kind);
    assert_true(c->inactive == d->inactive);
    for (int i = 0; i < 3; i++) {
        round_near(r, "closure", 10.0, a.position[i] - b.position[i], a_b.position[i] - b_b.position[i]);
    }
    if (c->kind == SOA_CLOSE_RIGID) {
        const soa_pose b_inv = soa_pose_inverse(&b), b_b_inv = soa_pose_inverse(&b_b);
        const soa_pose x = soa_pose_compose(&a, &b_inv), y = soa_pose_compose(&a_b, &b_b_inv);
        round_near_pose(r, "closure", &x, &y);
    }
}

static inline void round_kinematics(const round_trip *r, const double *q, const double *v)
{
    soa_workspace *w, *w_back;
    const size_t nq = (size_t)soa_model_nq(r->m), nv = (size_t)soa_model_nv(r->m);
    double *q_b = round_numbers(nq), *v_b = round_numbers(nv), *x = round_numbers(12 * (size_t)soa_model_links(r->m)),
           *y = round_numbers(12 * (size_t)soa_model_links(r->back));
    assert_int_equal(soa_workspace_new(r->m, NULL, &w, NULL), SOA_OK);
    assert_int_equal(soa_workspace_new(r->back, NULL, &w_back, NULL), SOA_OK);
    round_state(r, q, v, q_b, v_b);
    assert_int_equal(soa_kinematics(r->m, w, 1, q, NULL, NULL, x, NULL, NULL, NULL), SOA_OK);
    assert_int_equal(soa_kinematics(r->back, w_back, 1, q_b, NULL, NULL, y, NULL, NULL, NULL), SOA_OK);
    for (int k = 0; k < soa_model_links(r->m); k++) {
        const soa_pose inside = round_inside(r, k), none = soa_pose_identity();
        const soa_pose expected = round_place(x, k, &none), is = round_place(y, round_link(r, k), &inside);
        round_near_pose(r, soa_model_link(r->m, k)->name, &expected, &is);
    }
    for (int k = 0; k < soa_model_frames(r->m); k++) {
        const soa_frame *frame = soa_model_frame(r->m, k);
        soa_point point;
        assert_int_equal(soa_model_find_point(r->back, frame->name, &point, NULL), SOA_OK);
        const soa_pose expected = round_place(x, frame->link, &frame->at), is = round_place(y, point.link, &point.at);
        if (soa_model_find_link(r->m, frame->name) < 0) {
            round_near_pose(r, frame->name, &expected, &is);
        }
    }
    assert_int_equal(soa_model_closures(r->m), soa_model_closures(r->back));
    for (int k = 0; k < soa_model_closures(r->m); k++) {
        round_closure(r, soa_model_closure(r->m, k), soa_model_closure(r->back, k), x, y);
    }
    soa_workspace_free(w);
    soa_workspace_free(w_back);
    free(q_b), free(v_b), free(x), free(y);
}

/* ---- figures ----------------------------------------------------------------------- */

static inline void round_joint(const round_trip *r, const soa_joint *a, const soa_joint *b, int first)
{
    const bool several = soa_joint_kind_nv(a->kind) > 1 && soa_joint_kind_nv(b->kind) == 1;
    const int nv = a->kind == SOA_SPHERICAL ? 1 : soa_joint_kind_nv(b->kind);
    round_near(r, "damping", 0.0, a->damping, b->damping);
    round_near(r, "friction", 0.0, a->friction, b->friction);
    round_near(r, "stiffness", 0.0, a->stiffness, b->stiffness);
    round_near(r, "armature", 0.0, a->rotor.armature, b->rotor.armature);
    round_near(r, "spin", 0.0, a->rotor.spin, b->rotor.spin);
    if (a->stiffness != 0.0 && soa_joint_kind_nq(a->kind) == 1) {
        round_near(r, "spring", 1.0, a->spring_reference, b->spring_reference);
    }
    for (int i = 0; i < nv; i++) {
        const int at = several ? first : i;
        round_near(r, "lower", 1.0, a->lower[at], b->lower[i]);
        round_near(r, "upper", 1.0, a->upper[at], b->upper[i]);
        if (r->format != SOA_MJCF) {
            round_near(r, "velocity", 1.0, a->velocity[at], b->velocity[i]);
            round_near(r, "effort", 1.0, a->effort[at], b->effort[i]);
        }
    }
}

static inline void round_figures(const round_trip *r)
{
    for (int k = 0; k < soa_model_bodies(r->m); k++) {
        const soa_body body = soa_model_body(r->m, k);
        const int there = soa_model_link_body(r->back, round_link(r, body.link), NULL);
        const soa_body other = soa_model_body(r->back, there);
        const soa_joint *joint = &soa_model_link(r->m, body.link)->joint;
        round_joint(r, joint, &soa_model_link(r->back, other.link)->joint, body.nv - 1);
        if (other.nv < body.nv) {
            round_joint(r, joint, &soa_model_link(r->back, soa_model_body(r->back, other.parent).link)->joint, 0);
        }
    }
    assert_int_equal(soa_model_couplings(r->m), soa_model_couplings(r->back));
    for (int k = 0; k < soa_model_couplings(r->m); k++) {
        const soa_coupling *c = soa_model_coupling(r->m, k);
        const int link = round_link(r, c->link);
        int i = 0;
        while (i < soa_model_couplings(r->back) && soa_model_coupling(r->back, i)->link != link) {
            i++;
        }
        const soa_coupling *d = soa_model_coupling(r->back, i);
        assert_non_null(d);
        assert_int_equal(d->driver, round_link(r, c->driver));
        for (int t = 0; t < SOA_COUPLING_TERMS; t++) {
            round_near(r, "coupling", 1.0, c->coefficient[t], d->coefficient[t]);
        }
    }
}

/* ---- geometry ---------------------------------------------------------------------- */

/* MuJoCo does not load a file with other meshes. */
static inline bool round_mjcf_mesh(const soa_geometry *g)
{
    const size_t n = g->mesh ? strlen(g->mesh) : 0;
    const char *ending = n > 4 ? g->mesh + n - 4 : "";
    return !g->mesh ||
           (!strstr(g->mesh, "://") &&
               (strcasecmp(ending, ".stl") == 0 || strcasecmp(ending, ".obj") == 0 || strcasecmp(ending, ".msh") == 0));
}

/* The geometry after number `i` that shows on the link in this role; -1: there is none. URDF has neither planes nor
 * ellipsoids and no item that is drawn and touches; MJCF has no other meshes than STL, OBJ and MSH. */
static inline int round_shown(const soa_model *model, soa_format format, int link, bool visual, int i)
{
    for (i++; i < soa_model_geometries(model); i++) {
        const soa_geometry *g = soa_model_geometry(model, i);
        const bool sayable = format == SOA_URDF   ? g->shape != SOA_SHAPE_PLANE && g->shape != SOA_SHAPE_ELLIPSOID
                             : format == SOA_MJCF ? round_mjcf_mesh(g)
                                                  : true;
        if (g->link == link && (visual ? g->visual : g->collision) && sayable) {
            return i;
        }
    }
    return -1;
}

static inline void round_geometry(const round_trip *r)
{
    for (int k = 0; k < 2 * soa_model_links(r->m); k++) {
        const int link = k / 2, there = round_link(r, link);
        const bool visual = k % 2 == 0;
        const soa_pose inside = round_inside(r, link);
        int i = -1, j = -1;
        do {
            i = round_shown(r->m, r->format, link, visual, i);
            j = round_shown(r->back, r->format, there, visual, j);
            assert_int_equal(i < 0, j < 0);
            if (i < 0) {
                break;
            }
            const soa_geometry *a = soa_model_geometry(r->m, i), *b = soa_model_geometry(r->back, j);
            const soa_pose at = soa_pose_compose(&inside, &a->at);
            assert_int_equal(a->shape, b->shape);
            round_near_pose(r, "geometry", &at, &b->at);
            for (int n = 0; n < soa_shape_sizes(a->shape); n++) {
                round_near(r, "size", 0.0, a->size[n], b->size[n]);
            }
            assert_true(!a->mesh == !b->mesh && (!a->mesh || strcmp(a->mesh, b->mesh) == 0));
            if (visual || r->format != SOA_URDF) {
                assert_true(!a->material == !b->material && (!a->material || strcmp(a->material, b->material) == 0));
                for (int n = 0; n < 4 && a->colored; n++) {
                    round_near(r, "color", 0.0, a->color[n], b->color[n]);
                }
            }
        } while (true);
    }
}

/* ---- the whole --------------------------------------------------------------------- */

/* true: written, read and the same; false: the format cannot say the model, which is told. */
static inline bool round_through(const soa_model *m, soa_format format, const char *label)
{
    enum { STATES = 3 };
    soa_error error;
    char *text;
    size_t length;
    soa_model *back;
    soa_status status = soa_write(m, format, NULL, &text, &length, &error);
    if (status == SOA_E_UNSUPPORTED && format != SOA_YAML) {
        assert_true(strlen(error.text) > 20);
        return false;
    }
    if (status != SOA_OK) {
        fail_msg("%s, format %d: %s", label, (int)format, error.text);
    }
    if (soa_load_text(format, text, length, "back", NULL, &back, &error) != SOA_OK) {
        fail_msg("%s, format %d, line %d: %s", label, (int)format, error.line, error.text);
    }
    const size_t nq = (size_t)soa_model_nq(m), nv = (size_t)soa_model_nv(m);
    round_trip r = { label, format, m, back, calloc(nv + 1, sizeof *r.v) };
    assert_non_null(r.v);
    assert_int_equal(soa_model_nq(back), soa_model_nq(m));
    assert_int_equal(soa_model_nv(back), soa_model_nv(m));
    round_match(&r);
    round_figures(&r);
    round_geometry(&r);
    double *q = round_numbers(nq), *v = round_numbers(nv), *vdot = round_numbers(nv);
    unsigned long long seed = 7;
    soa_model_neutral(m, q);
    for (int s = 0; s < STATES; s++) {
        round_kinematics(&r, q, v);
        round_forces(&r, q, v, vdot);
        soa_random_configuration(m, &seed, q);
        for (size_t i = 0; i < nv; i++) {
            v[i] = soa_model_random_number(&seed);
            vdot[i] = 10.0 * soa_model_random_number(&seed);
        }
    }
    free(q), free(v), free(vdot), free(r.v);
    soa_text_free(NULL, text);
    soa_model_free(back);
    return true;
}

#endif
