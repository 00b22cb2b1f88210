/* tests/peers/mujoco_compare.c - the numbers of a model in soa and in MuJoCo. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/mujoco_peer.h"
#include "soa/dynamics.h"

enum { STATES = 20 };

static const double tolerance = 1e-9;

/* A body of ours and the first of its joints of theirs. */
typedef struct match {
    soa_body body;
    const soa_joint *joint;
    soa_pose base;     /* free: where the joint stands in the world */
    int id;            /* of their joint */
    double turn[3][3]; /* free, spherical: the block of T that is not the identity */
} match;

typedef struct pair {
    const char *name;
    const soa_model *ours;
    const mjModel *theirs;
    soa_workspace *work;
    mjData *data;
    match *match;
    int bodies, nq, nv;
    double *q, *v, *T;     /* a state of ours */
    double *mass, *scale;  /* Mass by rows; square roots of its diagonal */
    double *drift;         /* T_dot v */
    double *a, *b, *c, *x; /* scratch, nv each */
    double worst[3];       /* Mass, C, vdot: largest difference found, relative */
} pair;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* ---- joints --------------------------------------------------------------------------- */

static int their_type(soa_joint_kind kind)
{
    switch (kind) {
    case SOA_FREE:
        return mjJNT_FREE;
    case SOA_SPHERICAL:
        return mjJNT_BALL;
    case SOA_PRISMATIC:
        return mjJNT_SLIDE;
    default:
        return mjJNT_HINGE;
    }
}

/* By name. A joint without one in MuJoCo follows the joint of the body before. */
static int find_joint(const pair *p, int body, const soa_joint *joint)
{
    const int id = joint->name ? mj_name2id(p->theirs, mjOBJ_JOINT, joint->name) : -1;
    if (id >= 0) {
        return id;
    }
    const match *before = &p->match[body - 1];
    const int next = body == 0 ? 0 : before->id + (before->body.nq == 2 ? 2 : 1);
    const char *name = next < p->theirs->njnt ? mj_id2name(p->theirs, mjOBJ_JOINT, next) : "beyond the last";
    if (name && name[0]) {
        fail_msg("%s: MuJoCo has no joint %s, but %s", p->name, joint->name, name);
    }
    return next;
}

static void match_joints(pair *p)
{
    for (int k = 0; k < p->bodies; k++) {
        match *m = &p->match[k];
        m->body = soa_model_body(p->ours, k);
        const soa_link *link = soa_model_link(p->ours, m->body.link);
        m->joint = &link->joint;
        m->id = find_joint(p, k, m->joint);
        assert_int_equal(p->theirs->jnt_type[m->id], their_type(m->body.kind));
        if (m->body.kind == SOA_FREE) {
            m->base = soa_pose_identity();
            assert_int_equal(
                link->parent == SOA_WORLD ? SOA_WORLD : soa_model_link_body(p->ours, link->parent, &m->base),
                SOA_WORLD);
            m->base = soa_pose_compose(&m->base, &m->joint->at);
        }
    }
}

/* ---- coordinates ----------------------------------------------------------------------- */

static void matrix_times(double m[3][3], const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2];
    }
}

static void transpose_times(double m[3][3], const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = m[0][i] * x[0] + m[1][i] * x[1] + m[2][i] * x[2];
    }
}

/* q of one joint, and the turn of its velocities. */
static void convert_q(const pair *p, match *m, const double *q, double *theirs)
{
    double *to = theirs + p->theirs->jnt_qposadr[m->id];
    if (m->body.kind == SOA_FREE) {
        const soa_pose moved = soa_pose_from_quaternion(q + 4, q);
        const soa_pose pose = soa_pose_compose(&m->base, &moved);
        memcpy(to, pose.position, sizeof pose.position);
        soa_pose_quaternion(&pose, to + 3);
        memcpy(m->turn, pose.rotation, sizeof pose.rotation);
    } else if (m->body.kind == SOA_SPHERICAL) {
        /* Theirs is from link to link, ours between the sides of the joint. */
        const soa_pose turned = soa_pose_from_quaternion((double[3]){ 0.0, 0.0, 0.0 }, q);
        const soa_pose inverse = soa_pose_inverse(&m->joint->child);
        const soa_pose right = soa_pose_compose(&turned, &m->joint->child);
        const soa_pose pose = soa_pose_compose(&inverse, &right);
        soa_pose_quaternion(&pose, to);
        mju_scl(to, to, to[0] * q[0] < 0.0 ? -1.0 : 1.0, 4);
        memcpy(m->turn, inverse.rotation, sizeof inverse.rotation);
    } else {
        memcpy(to, q, (size_t)m->body.nq * sizeof *q);
    }
}

/* y = T x, x = T* y. */
static void to_theirs(const pair *p, const double *x, double *y)
{
    for (int k = 0; k < p->bodies; k++) {
        match *m = &p->match[k];
        const double *from = x + m->body.v;
        double *to = y + p->theirs->jnt_dofadr[m->id];
        if (m->body.kind == SOA_FREE) {
            matrix_times(m->turn, from + 3, to);
            memcpy(to + 3, from, 3 * sizeof *to);
        } else if (m->body.kind == SOA_SPHERICAL) {
            matrix_times(m->turn, from, to);
        } else {
            memcpy(to, from, (size_t)m->body.nv * sizeof *to);
        }
    }
}

static void to_ours(const pair *p, const double *y, double *x)
{
    for (int k = 0; k < p->bodies; k++) {
        match *m = &p->match[k];
        const double *from = y + p->theirs->jnt_dofadr[m->id];
        double *to = x + m->body.v;
        if (m->body.kind == SOA_FREE) {
            transpose_times(m->turn, from, to + 3);
            memcpy(to, from + 3, 3 * sizeof *to);
        } else if (m->body.kind == SOA_SPHERICAL) {
            transpose_times(m->turn, from, to);
        } else {
            memcpy(to, from, (size_t)m->body.nv * sizeof *to);
        }
    }
}

/* T_dot v: d/dt (R linear) = R (angular x linear) of free bodies. */
static void compute_drift(const pair *p)
{
    memset(p->drift, 0, (size_t)p->nv * sizeof *p->drift);
    for (int k = 0; k < p->bodies; k++) {
        match *m = &p->match[k];
        const double *w = p->v + m->body.v, *l = w + 3;
        if (m->body.kind == SOA_FREE) {
            const double cross[3] = { w[1] * l[2] - w[2] * l[1], w[2] * l[0] - w[0] * l[2], w[0] * l[1] - w[1] * l[0] };
            matrix_times(m->turn, cross, p->drift + p->theirs->jnt_dofadr[m->id]);
        }
    }
}

/* A random state in both, and what MuJoCo derives from it: no contacts, no
 * springs, no dampers, no actuators. */
static void set_state(pair *p, unsigned long long *seed)
{
    soa_random_configuration(p->ours, seed, p->q);
    for (int i = 0; i < p->nv; i++) {
        p->v[i] = 3.0 * soa_model_random_number(seed);
        p->T[i] = 10.0 * soa_model_random_number(seed);
    }
    for (int k = 0; k < p->bodies; k++) {
        convert_q(p, &p->match[k], p->q + p->match[k].body.q, p->data->qpos);
    }
    to_theirs(p, p->v, p->data->qvel);
    compute_drift(p);
    mj_kinematics(p->theirs, p->data);
    mj_comPos(p->theirs, p->data);
    mj_crb(p->theirs, p->data);
    mj_factorM(p->theirs, p->data);
    mj_comVel(p->theirs, p->data);
}

/* ---- comparisons ------------------------------------------------------------------------- */

static void near(const pair *p, const char *what, double scale, int n, const double *found, const double *wanted)
{
    for (int i = 0; i < n; i++) {
        if (!(fabs(found[i] - wanted[i]) <= tolerance * scale)) {
            fail_msg("%s: %s[%d] is %.17g, in MuJoCo %.17g", p->name, what, i, found[i], wanted[i]);
        }
    }
}

/* Forces (power -1) or accelerations (power 1), each weighed by its inertia. */
static void near_weighed(pair *p, int which, const char *what, const double *found, const double *wanted, int power)
{
    double largest = 0.0;
    for (int i = 0; i < p->nv; i++) {
        const double weight = power > 0 ? p->scale[i] : 1.0 / p->scale[i];
        largest = fmax(largest, weight * fabs(wanted[i]));
    }
    for (int i = 0; i < p->nv; i++) {
        const double weight = power > 0 ? p->scale[i] : 1.0 / p->scale[i];
        const double off = weight * fabs(found[i] - wanted[i]) / fmax(largest, 1e-300);
        p->worst[which] = fmax(p->worst[which], off);
        if (!(off <= tolerance)) {
            fail_msg("%s: %s[%d] is %.17g, in MuJoCo %.17g", p->name, what, i, found[i], wanted[i]);
        }
    }
}

static void must(const pair *p, soa_status status, const soa_error *error)
{
    if (status != SOA_OK) {
        fail_msg("%s: %s", p->name, error->text);
    }
}

/* |Mass_ij - theirs| against sqrt(Mass_ii Mass_jj). */
static void compare_mass(pair *p)
{
    soa_error error;
    double *full = numbers(p->nv * p->nv);
    must(p, soa_mass_matrix(p->ours, p->work, 1, p->q, p->mass, &error), &error);
    mj_fullM(p->theirs, full, p->data->qM);
    for (int i = 0; i < p->nv; i++) {
        p->scale[i] = sqrt(p->mass[i * p->nv + i]);
    }
    for (int j = 0; j < p->nv; j++) {
        memset(p->x, 0, (size_t)p->nv * sizeof *p->x);
        p->x[j] = 1.0;
        to_theirs(p, p->x, p->a);
        mju_mulMatVec(p->b, full, p->a, p->nv, p->nv);
        to_ours(p, p->b, p->c);
        for (int i = 0; i < p->nv; i++) {
            const double off = fabs(p->mass[i * p->nv + j] - p->c[i]) / (p->scale[i] * p->scale[j]);
            p->worst[0] = fmax(p->worst[0], off);
            if (!(off <= tolerance)) {
                fail_msg("%s: Mass(%d,%d) is %.17g, in MuJoCo %.17g", p->name, i, j, p->mass[i * p->nv + j], p->c[i]);
            }
        }
    }
    free(full);
}

/* Also leaves Mass' vdot' = T' - C' in `a`, for forward dynamics. */
static void compare_bias(pair *p)
{
    soa_error error;
    mj_rne(p->theirs, p->data, 0, p->a);
    mj_mulM(p->theirs, p->data, p->b, p->drift);
    mju_addTo(p->b, p->a, p->nv);
    to_ours(p, p->b, p->c);
    must(p, soa_bias_force(p->ours, p->work, 1, p->q, p->v, p->x, &error), &error);
    near_weighed(p, 1, "bias force", p->x, p->c, -1);
    to_theirs(p, p->T, p->b);
    mju_sub(p->a, p->b, p->a, p->nv);
}

static void compare_acceleration(pair *p)
{
    soa_error error;
    mj_solveM(p->theirs, p->data, p->b, p->a, 1);
    mju_subFrom(p->b, p->drift, p->nv);
    to_ours(p, p->b, p->c);
    for (soa_method method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
        must(p, soa_forward_dynamics_by(p->ours, p->work, method, 1, p->q, p->v, p->T, NULL, p->x, &error), &error);
        near_weighed(p, 2, "acceleration", p->x, p->c, 1);
    }
}

static void compare_poses(const pair *p)
{
    soa_error error;
    double *pose = numbers(12 * soa_model_links(p->ours));
    must(p, soa_kinematics(p->ours, p->work, 1, p->q, NULL, NULL, pose, NULL, NULL, &error), &error);
    for (int id = 1; id < p->theirs->nbody; id++) {
        const char *name = mj_id2name(p->theirs, mjOBJ_BODY, id);
        const int link = name ? soa_model_find_link(p->ours, name) : -1;
        if (link >= 0) {
            double rotation[9];
            mju_quat2Mat(rotation, p->data->xquat + 4 * id);
            near(p, name, 1.0, 9, pose + 12 * link, rotation);
            near(p, name, 1.0 + mju_norm3(p->data->xpos + 3 * id), 3, pose + 12 * link + 9, p->data->xpos + 3 * id);
        } else {
            assert_true(!name || !name[0]);
        }
    }
    free(pose);
}

/* ---- pairs -------------------------------------------------------------------------------- */

static void open_pair(pair *p, const char *name, const soa_model *ours, const mjModel *theirs)
{
    soa_error error;
    *p = (pair){ .name = name, .ours = ours, .theirs = theirs, .bodies = soa_model_bodies(ours) };
    p->nq = soa_model_nq(ours);
    p->nv = soa_model_nv(ours);
    if (p->nq != theirs->nq || p->nv != theirs->nv) {
        fail_msg("%s: nq, nv are %d, %d, in MuJoCo %d, %d", name, p->nq, p->nv, theirs->nq, theirs->nv);
    }
    must(p, soa_workspace_new(ours, NULL, &p->work, &error), &error);
    p->data = mj_makeData(theirs);
    p->match = calloc((size_t)p->bodies + 1, sizeof *p->match);
    assert_non_null(p->data);
    assert_non_null(p->match);
    p->q = numbers(p->nq + 9 * p->nv + p->nv * p->nv);
    double **part[] = { &p->v, &p->T, &p->scale, &p->drift, &p->a, &p->b, &p->c, &p->x, &p->mass };
    double *at = p->q + p->nq;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++, at += p->nv) {
        *part[i] = at;
    }
    match_joints(p);
}

static void close_pair(pair *p)
{
    soa_workspace_free(p->work);
    mj_deleteData(p->data);
    free(p->match);
    free(p->q);
}

void compare_models(const char *name, const soa_model *ours, mjModel *theirs)
{
    unsigned long long seed = 7;
    pair p;
    compare_inertias(name, ours, theirs);
    open_pair(&p, name, ours, theirs);
    for (int i = 0; i < STATES; i++) {
        set_state(&p, &seed);
        compare_poses(&p);
        compare_mass(&p);
        compare_bias(&p);
        compare_acceleration(&p);
    }
    print_message("%-44s nv %3d: mass matrix %.0e, bias %.0e, acceleration %.0e\n", name, p.nv, p.worst[0], p.worst[1],
        p.worst[2]);
    close_pair(&p);
}

void compare_keyframes(const char *name, const soa_model *ours, const mjModel *theirs)
{
    pair p;
    open_pair(&p, name, ours, theirs);
    for (int i = 0; i < soa_model_configurations(ours); i++) {
        const soa_configuration *key = soa_model_configuration(ours, i);
        const int id = mj_name2id(theirs, mjOBJ_KEY, key->name);
        assert_true(id >= 0);
        for (int k = 0; k < p.bodies; k++) {
            convert_q(&p, &p.match[k], key->q + p.match[k].body.q, p.data->qpos);
        }
        to_theirs(&p, key->v ? key->v : p.v, p.data->qvel);
        near(&p, "qpos of a keyframe", 1.0, p.nq, p.data->qpos, theirs->key_qpos + id * p.nq);
        near(&p, "qvel of a keyframe", 1.0, p.nv, p.data->qvel, theirs->key_qvel + id * p.nv);
    }
    close_pair(&p);
}
