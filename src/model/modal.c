/* model/modal.c - flexible links in the frames of their bodies.
 *
 * With the link frame at t, turned by R, in the body frame, a particle at x in the link stands at R x + t in the body, so
 *     ef' = R ef,  en' = R en + t x ef',  second1' = R second1 R* + 2 (t . ef') - t ef'* - ef' t*
 * and the same for en1, second2 with ef1. Nodes stand at R x + t and turn and move by R times their shapes. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

static void turn(const double R[3][3], const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
    }
}

static void add_cross(const double *t, const double *x, double *y)
{
    y[0] += t[1] * x[2] - t[2] * x[1];
    y[1] += t[2] * x[0] - t[0] * x[2];
    y[2] += t[0] * x[1] - t[1] * x[0];
}

/* Six numbers of a symmetric matrix: R S R* + 2 (t . f) - t f* - f t* */
static void move_second(const soa_pose *frame, const double *S, const double *f, double *y)
{
    static const int at[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    const double *t = frame->position;
    const double tf = t[0] * f[0] + t[1] * f[1] + t[2] * f[2];
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double sum = (i == j ? 2.0 * tf : 0.0) - t[i] * f[j] - f[i] * t[j];
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    sum += S ? frame->rotation[i][a] * S[at[a][b]] * frame->rotation[j][b] : 0.0;
                }
            }
            y[at[i][j]] = sum;
        }
    }
}

/* n vectors ef, the en and second that go with them; each may be NULL. */
typedef struct vectors {
    const double *ef, *en, *second;
} vectors;

/* false: no memory. Results that would be zero stay NULL. */
static bool move(soa_model *m, const soa_pose *frame, size_t n, vectors from, vectors *to)
{
    *to = (vectors){ NULL, NULL, NULL };
    double *ef = soa_arena_take(&m->arena, 3 * n + 1, sizeof *ef);
    double *en = soa_arena_take(&m->arena, 3 * n + 1, sizeof *en);
    double *second = soa_arena_take(&m->arena, 6 * n + 1, sizeof *second);
    if (!ef || !en || !second) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (from.ef) {
            turn(frame->rotation, from.ef + 3 * i, ef + 3 * i);
        }
        if (from.en) {
            turn(frame->rotation, from.en + 3 * i, en + 3 * i);
        }
        add_cross(frame->position, ef + 3 * i, en + 3 * i);
        move_second(frame, from.second ? from.second + 6 * i : NULL, ef + 3 * i, second + 6 * i);
    }
    to->ef = from.ef ? ef : NULL;
    to->en = from.ef || from.en ? en : NULL;
    to->second = from.ef || from.second ? second : NULL;
    return true;
}

/* What moves no node by more than a fiftieth of the largest arm, or radian, in all modes together. */
static double small_scale(const soa_flexible *f, int i)
{
    double arm = 0.0, most = 0.0;
    for (int t = 0; t < f->nodes; t++) {
        const double *p = f->position + 3 * (size_t)t;
        arm = fmax(arm, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    for (int t = 0; t < f->nodes; t++) {
        const double *s = f->shape + 6 * ((size_t)t * (size_t)f->modes + (size_t)i);
        most = fmax(most, sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
        most = fmax(most, arm > 0.0 ? sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5]) / arm : 0.0);
    }
    return most > 0.0 ? 0.02 / (most * f->modes) : 0.01;
}

/* N from ef, en and second, each of which may be NULL; bounds: of its numbers, and of ef. */
static void moments(const double *ef, const double *en, const double *J, double bound, double bound_ef, double *y)
{
    static const int across[3] = { 4, 2, 1 }, along[3] = { 0, 3, 5 }; /* yz xz xy, and the diagonal */
    const double half = J ? 0.5 * (J[0] + J[3] + J[5]) : 0.0;
    for (int e = 0; e < 3; e++) {
        const double S = J ? -J[across[e]] : 0.0, E = en ? en[e] : 0.0;
        y[e] = ef ? ef[e] : 0.0;
        y[SOA_MODAL_TURN + e] = 0.5 * (S + E);
        y[SOA_MODAL_TURN + 3 + e] = 0.5 * (S - E);
        y[SOA_MODAL_DIAGONAL + e] = J ? 0.5 * (half - J[along[e]]) : 0.0;
    }
    soa_clear_rounding(3, bound_ef, y);
    soa_clear_rounding(SOA_MODAL_N - 3, bound, y + SOA_MODAL_TURN);
}

/* N at rest. By the inequality of Schwarz it is bounded by ee and the inertia of the link. false: no memory. */
static bool make_constants(soa_model *m, const soa_body_data *body, vectors zero, const double *ee, soa_modal *to)
{
    const size_t n = (size_t)to->modes;
    double *x = soa_arena_take(&m->arena, SOA_MODAL_N * n, sizeof *x);
    double *er = soa_arena_take(&m->arena, 6 * n, sizeof *er);
    const double J = fabs(body->inertia[4]) + fabs(body->inertia[7]) + fabs(body->inertia[9]);
    for (size_t i = 0; x && er && i < n; i++) {
        double *N = x + SOA_MODAL_N * i;
        const double size = sqrt(fabs(ee[i * n + i]));
        /* Checked links have all of them. */
        moments(zero.ef + 3 * i, zero.en + 3 * i, zero.second + 6 * i, size * sqrt(J),
            size * sqrt(fabs(body->inertia[0])), N);
        for (size_t e = 0; e < 3; e++) {
            er[6 * i + e] = N[SOA_MODAL_TURN + e] - N[SOA_MODAL_TURN + 3 + e];
            er[6 * i + 3 + e] = N[e];
        }
    }
    to->er = er;
    return x && er &&
           soa_make_modal_table(
               m, (soa_modal_source){ x, SOA_MODAL_N, n, 1, SOA_MODAL_N, SOA_MODAL_N }, &to->constant) &&
           soa_make_modal_table(m, (soa_modal_source){ x, n, SOA_MODAL_N, SOA_MODAL_N, 1, n }, &to->constant_t);
}

/* What modes add to N of each other. false: no memory. */
static bool make_bent(soa_model *m, const double *ee, vectors one, soa_modal *to)
{
    const size_t n = (size_t)to->modes, stride = soa_modal_stride(n);
    const double *matrix[SOA_MODAL_N];
    double *all = soa_arena_take(&m->arena, SOA_MODAL_N * n * stride, sizeof *all);
    for (size_t at = 0; all && at < n * n; at++) {
        const size_t i = at / n, j = at % n;
        double N[SOA_MODAL_N];
        moments(one.ef ? one.ef + 3 * at : NULL, one.en ? one.en + 3 * at : NULL,
            one.second ? one.second + 6 * at : NULL, sqrt(fabs(ee[i * n + i] * ee[j * n + j])), 0.0, N);
        for (size_t c = 0; c < SOA_MODAL_N; c++) {
            all[(c * n + j) * stride + i] = N[c];
        }
    }
    to->bends = all;
    for (int c = 0; all && c < SOA_MODAL_N; c++) {
        const double *part = all + (size_t)c * n * stride;
        bool any = false;
        for (size_t i = 0; i < n * stride; i++) {
            any = any || part[i] != 0.0;
        }
        if (any) {
            matrix[to->parts] = part;
            to->part[to->parts++] = c;
            to->linear += c < SOA_MODAL_DIAGONAL;
        }
    }
    return all && soa_make_modal_stack(m, n, to->parts, matrix, &to->bent);
}

/* The tables by eta, etadot and etaddot. false: no memory. */
static bool make_by(soa_model *m, const soa_flexible *f, vectors one, soa_modal *to)
{
    const size_t n = (size_t)f->modes;
    return make_bent(m, f->ee, one, to) && soa_make_modal_stack(m, n, 1, &to->ee, &to->mass) &&
           soa_make_modal_parts(m, n, (soa_modal_pairs){ one.en, 3, 0, SOA_MODAL_SKEW, f->ee }, &to->turned) &&
           soa_make_modal_parts(m, n, (soa_modal_pairs){ one.en, 3, 0, SOA_MODAL_SYMMETRIC, f->ee }, &to->quadratic) &&
           soa_make_modal_parts(m, n, (soa_modal_pairs){ one.ef, 3, 3, SOA_MODAL_PLAIN, NULL }, &to->quadratic);
}

/* false: no memory. */
static bool make_node(soa_model *m, const soa_pose *frame, const soa_flexible *f, size_t t, soa_modal_node *node)
{
    const size_t n = (size_t)f->modes;
    double *turned = soa_arena_take(&m->arena, 6 * n, sizeof *turned);
    double *turned2 = f->shape2 ? soa_arena_take(&m->arena, 3 * n * n, sizeof *turned2) : NULL;
    if (!turned || (f->shape2 && !turned2)) {
        return false;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        turn(frame->rotation, f->shape + 6 * n * t + 3 * i, turned + 3 * i);
    }
    for (size_t i = 0; turned2 && i < n * n; i++) {
        turn(frame->rotation, f->shape2 + 3 * n * n * t + 3 * i, turned2 + 3 * i);
    }
    turn(frame->rotation, f->position + 3 * t, node->position);
    for (int e = 0; e < 3; e++) {
        node->position[e] += frame->position[e];
    }
    for (size_t i = 0; i < 2 * n; i++) {
        soa_clear_rounding(3, 0.0, turned + 3 * i);
    }
    node->rows = soa_make_modal_rows(m, n, turned, 6);
    return node->rows && soa_make_modal_table(m, (soa_modal_source){ turned, 6, n, 1, 6, 6 }, &node->shape) &&
           soa_make_modal_table(m, (soa_modal_source){ turned, n, 6, 6, 1, n }, &node->shape_t) &&
           soa_make_modal_parts(m, n, (soa_modal_pairs){ turned2, 3, 0, SOA_MODAL_PLAIN, NULL }, &node->second);
}

static bool is_identity(size_t n, const double *x)
{
    bool is = true;
    for (size_t i = 0; i < n * n; i++) {
        is = is && fabs(x[i] - (i % (n + 1) == 0 ? 1.0 : 0.0)) <= SOA_MODAL_ROUNDING;
    }
    return is;
}

/* All that is constant. false: no memory. */
static bool make_tables(soa_model *m, const soa_body_data *body, const soa_flexible *f, soa_modal *modal)
{
    const soa_body_rest *rest = body->rest;
    const size_t n = (size_t)f->modes;
    double *scale = soa_arena_take(&m->arena, n, sizeof *scale);
    soa_modal_node *node = soa_arena_take(&m->arena, (size_t)f->nodes + 1, sizeof *node);
    vectors zero, one;
    if (!scale || !node || !move(m, &rest->frame, n, (vectors){ f->ef, f->en, f->second1 }, &zero) ||
        !move(m, &rest->frame, n * n, (vectors){ f->ef1, f->en1, f->second2 }, &one)) {
        return false;
    }
    for (int i = 0; i < f->modes; i++) {
        scale[i] = small_scale(f, i);
    }
    bool done = true;
    for (int t = 0; done && t < f->nodes; t++) {
        done = make_node(m, &rest->frame, f, (size_t)t, &node[t]);
    }
    *modal = (soa_modal){ .modes = f->modes,
        .ee = soa_make_modal_rows(m, n, f->ee, n),
        .unit = is_identity(n, f->ee),
        .node = node,
        .scale = scale,
        .given = f };
    return done && modal->ee && make_constants(m, body, zero, f->ee, modal) && make_by(m, f, one, modal);
}

enum { LOOK_BACK = 64 }; /* bodies: links that repeat stand near each other */

/* An earlier link with the same data in the same frame, or NULL. */
static const soa_modal *same_link(const soa_model *m, int k, const soa_flexible *f)
{
    for (int j = k - 1; j >= 0 && j >= k - LOOK_BACK; j--) {
        const soa_modal *modal = m->rest[j].modal;
        if (modal && memcmp(&m->rest[j].frame, &m->rest[k].frame, sizeof m->rest[k].frame) == 0 &&
            soa_flexible_same(modal->given, f)) {
            return modal;
        }
    }
    return NULL;
}

static bool make_modal(soa_model *m, int k)
{
    soa_body_rest *rest = m->body[k].rest;
    const soa_flexible *f = soa_description_link(&m->description, rest->link)->flexible;
    m->modes += f->modes;
    m->most_modes = f->modes > m->most_modes ? f->modes : m->most_modes;
    rest->modal = same_link(m, k, f);
    if (!rest->modal) {
        soa_modal *modal = soa_arena_take(&m->arena, 1, sizeof *modal);
        rest->modal = modal && make_tables(m, &m->body[k], f, modal) ? modal : NULL;
    }
    return rest->modal;
}

/* Body k stands on a node of its parent, which comes first. */
static void add_port(soa_model *m, int k)
{
    soa_body_rest *rest = m->body[k].rest, *on = m->body[m->body[k].parent].rest;
    soa_pose axes = soa_pose_identity();
    memcpy(axes.rotation, on->frame.rotation, sizeof axes.rotation);
    rest->on_node = soa_pose_compose(&axes, &rest->at);
    rest->port = m->ports;
    m->ports += (int)soa_modal_stride((size_t)m->body[m->body[k].parent].nv);
    rest->beside = on->carried;
    on->carried = k;
    on->carries++;
    m->most_carried = on->carries > m->most_carried ? on->carries : m->most_carried;
}

bool soa_make_modal(soa_model *m)
{
    bool done = true;
    for (int k = 0; done && m->flexible && k < m->bodies; k++) {
        soa_body_data *body = &m->body[k];
        body->rest->massless = true;
        body->rest->first = m->modes;
        body->rest->seat = body->rest->in_place ? m->rest[body->parent].seat : m->seats++;
        for (int i = 0; i < 10; i++) {
            body->rest->massless = body->rest->massless && body->inertia[i] == 0.0;
        }
        if (body->joint_class == SOA_CLASS_MODAL && body->nv > 0) {
            done = make_modal(m, k);
        }
        if (body->rest->node > 0) {
            add_port(m, k);
        }
        if (body->rest->in_place && body->parent == k - 1) {
            m->body[k - 1].rest->hands_on = true;
        }
    }
    for (int k = 0; done && m->flexible && k < m->bodies; k++) {
        done = !m->rest[k].modal || soa_make_modal_ports(m, k);
    }
    return done;
}

int soa_joint_body(const soa_model *m, int link)
{
    const int k = m->place[link].body;
    const bool hinged = soa_description_link(&m->description, link)->joint.kind != SOA_FIXED;
    return k >= 0 && hinged && m->body[k].joint_class == SOA_CLASS_MODAL ? m->body[k].parent : k;
}

soa_status soa_refuse_flexible(const soa_model *m, const char *what, soa_error *error)
{
    for (int i = 0; m && m->flexible && i < m->description.link.count; i++) {
        const soa_link *link = soa_description_link(&m->description, i);
        if (link->flexible) {
            return soa_fail(error, SOA_E_UNSUPPORTED, -1,
                "link '%s' is flexible, and %s cannot take flexible links yet", link->name, what);
        }
    }
    return SOA_OK;
}
