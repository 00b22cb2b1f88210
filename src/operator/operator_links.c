/* operator/operator_links.c - what the oracle takes from the description of the links. */
#include "operator/body_numbers.h"
#include "operator/oracle_frames.h"

/* ---- tree ---------------------------------------------------------------------------- */

/* The body that the joint of a link moves, or -1: the link is welded. */
static int body_started(const soa_model *m, int link)
{
    const int k = soa_joint_body(m, link);
    return k != SOA_WORLD && soa_model_body(m, k).link == link ? k : -1;
}

/* Whether a body holds a rotor where the joint of its link is placed, on a flexible link. */
static bool holds_rotor(soa_body body)
{
    return body.flexible && body.links + body.nv == 0;
}

/* A node of a flexible link at q. */
static frame node_frame(const soa_dense *d, int link, int node, number Pi[][6])
{
    const int k = soa_model_link_body(d->model, link, NULL);
    return soa_oracle_node(soa_model_link(d->model, link)->flexible, node, d->q + soa_model_body(d->model, k).q, Pi);
}

/* The frame of a link in the world, by climbing to it. */
static frame world_frame(const soa_dense *d, int link)
{
    frame W = frame_identity();
    while (link != SOA_WORLD) {
        const soa_link *l = soa_model_link(d->model, link);
        const int k = body_started(d->model, link);
        const double *q = k >= 0 ? d->q + soa_model_body(d->model, k).q : NULL;
        const frame joint = k >= 0 ? soa_oracle_joint(&l->joint, q) : frame_identity();
        const frame at_joint = compose(frame_of(&l->joint.at), compose(joint, frame_of(&l->joint.child)));
        number Pi[SOA_MAX_MODES][6];
        W = compose(at_joint, W);
        W = l->node > 0 ? compose(node_frame(d, l->parent, l->node, Pi), W) : W;
        link = l->parent;
    }
    return W;
}

/* The frame of link b in the frame of link a. */
static frame between(const soa_dense *d, int a, int b)
{
    return compose(inverse(d->W[a]), d->W[b]);
}

static void put_phi(soa_matrix A, int row, int col, frame F)
{
    number phi[6][6];
    phi_matrix(F, phi);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            *soa_matrix_entry(A, 6 * row + i, 6 * col + j) = phi[i][j];
        }
    }
}

/* What of a force in the frame F, given in a node, acts on the modes of body `row`: Pi* phi(F). */
static void put_modes(const soa_dense *d, soa_matrix A, int row, int col, const number Pi[][6], frame F)
{
    number phi[6][6];
    phi_matrix(F, phi);
    for (int i = 0; i < soa_body_modes(d->model, row); i++) {
        for (int j = 0; j < 36; j++) {
            *soa_matrix_entry(A, soa_body_index(d->model, row, 6 + i), 6 * col + j % 6) +=
                Pi[i][j / 6] * phi[j / 6][j % 6];
        }
    }
}

/* ---- inertias ------------------------------------------------------------------------- */

/* phi M phi* added to block k of the diagonal, M = [J  m p~; -m p~  m I] from an inertia. */
static void add_inertia(soa_matrix A, int k, frame F, const soa_inertia *inertia)
{
    const number p[3] = { inertia->com[0], inertia->com[1], inertia->com[2] }, m = inertia->mass;
    number t[3][3], M[6][6] = { { 0 } }, phi[6][6];
    tilde(p, t);
    phi_matrix(F, phi);
    for (int i = 0; i < 3; i++) {
        M[3 + i][3 + i] = m;
        for (int j = 0; j < 3; j++) {
            M[i][3 + j] = m * t[i][j];
            M[3 + i][j] = -m * t[i][j];
            M[i][j] = inertia->moment[sixth[i][j]];
            for (int l = 0; l < 3; l++) {
                M[i][j] -= m * t[i][l] * t[l][j];
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int a = 0; a < 36; a++) {
                *soa_matrix_entry(A, 6 * k + i, 6 * k + j) += phi[i][a / 6] * M[a / 6][a % 6] * phi[j][a % 6];
            }
        }
    }
}

/* What a motor adds to the body of the joint's parent, and at the joint. [GEAR] */
static void add_rotor(soa_dense *d, int k, int link)
{
    const soa_link *l = soa_model_link(d->model, link);
    const soa_rotor *rotor = &l->joint.rotor;
    const soa_body body = soa_model_body(d->model, k);
    for (int i = 0; i < body.nv; i++) {
        *soa_matrix_entry(d->op[SOA_OP_ARM], body.v + i, body.v + i) =
            rotor->armature + (number)rotor->ratio * rotor->ratio * rotor->spin;
    }
    if (body.parent == SOA_WORLD || (rotor->spin == 0.0 && rotor->transverse == 0.0 && rotor->mass == 0.0)) {
        return;
    }
    const soa_body carrier = soa_model_body(d->model, body.parent);
    const frame F = holds_rotor(carrier) ? frame_identity() : between(d, carrier.link, l->parent);
    number u[3] = { 0 };
    if (rotor->axis[0] != 0.0 || rotor->axis[1] != 0.0 || rotor->axis[2] != 0.0) {
        unit(rotor->axis, u);
    }
    for (int i = 0; i < 3; i++) {
        *soa_matrix_entry(d->op[SOA_OP_GAMMA], 6 * body.parent + i, body.v) =
            rotor->ratio * rotor->spin * (F.R[i][0] * u[0] + F.R[i][1] * u[1] + F.R[i][2] * u[2]);
    }
    if (rotor->mass > 0.0 || rotor->transverse > 0.0) {
        soa_inertia inertia = { rotor->mass, { rotor->com[0], rotor->com[1], rotor->com[2] }, { 0.0 } };
        for (int i = 0, e = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, e++) {
                inertia.moment[e] =
                    (double)((i == j ? rotor->transverse : 0) + (rotor->spin - rotor->transverse) * u[i] * u[j]);
            }
        }
        add_inertia(d->op[SOA_OP_M], body.parent, F, &inertia);
    }
}

/* ---- all --------------------------------------------------------------------------------- */

/* The body k of the modes of a link: its inertia, H = [0 I], and that it stands where its joint's body j does. */
static bool add_modes(soa_dense *d, const soa_link *l, int k, int j)
{
    const soa_body body = soa_model_body(d->model, k);
    const int n = soa_body_numbers(d->model, k);
    const soa_matrix M = soa_matrix_zero(&d->arena, n, n);
    if (M.at) {
        soa_oracle_modal_inertia(l->flexible, d->q + body.q, M);
    }
    for (int i = 0; M.at && i < n * n; i++) {
        *soa_matrix_entry(d->op[SOA_OP_M], soa_body_index(d->model, k, i / n), soa_body_index(d->model, k, i % n)) =
            M.at[i];
    }
    for (int i = 0; i < body.nv; i++) {
        *soa_matrix_entry(d->op[SOA_OP_H], body.v + i, soa_body_index(d->model, k, 6 + i)) = 1;
    }
    if (j != k) {
        put_phi(d->op[SOA_OP_E_PHI], j, k, frame_identity());
    }
    return M.at != NULL;
}

/* E_phi from body k at W, whose joint is that of a link, to its parent; by way of the body that holds its rotor. */
static void add_crossing(soa_dense *d, const soa_link *l, int k, frame W)
{
    const soa_matrix E_phi = d->op[SOA_OP_E_PHI];
    int parent = soa_model_body(d->model, k).parent;
    number Pi[SOA_MAX_MODES][6];
    const frame P = d->W[l->parent], N = l->node > 0 ? compose(P, node_frame(d, l->parent, l->node, Pi)) : P;
    if (holds_rotor(soa_model_body(d->model, parent))) {
        put_phi(E_phi, parent, k, compose(inverse(N), W));
        k = parent;
        W = N;
        parent = soa_model_body(d->model, k).parent;
    }
    put_phi(E_phi, parent, k, compose(inverse(d->W[soa_model_body(d->model, parent).link]), W));
    if (l->node > 0) {
        put_modes(d, E_phi, parent, k, Pi, compose(inverse(N), W));
    }
}

static bool add_link(soa_dense *d, int link)
{
    const soa_link *l = soa_model_link(d->model, link);
    const int of = soa_model_link_body(d->model, link, NULL), k = soa_joint_body(d->model, link);
    if (of == SOA_WORLD) {
        return true;
    }
    if (l->flexible && !add_modes(d, l, of, k)) {
        return false;
    }
    const soa_body body = soa_model_body(d->model, k);
    if (!l->flexible) {
        add_inertia(d->op[SOA_OP_M], k, between(d, body.link, link), &l->inertia);
    }
    if (body.link != link) {
        return true;
    }
    number H_t[6][6];
    const int count = l->joint.kind == SOA_FIXED ? 0 : soa_oracle_columns(&l->joint, d->q + body.q, H_t);
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < 6; i++) {
            *soa_matrix_entry(d->op[SOA_OP_H], body.v + c, 6 * k + i) = H_t[c][i];
        }
    }
    if (body.parent != SOA_WORLD) {
        add_crossing(d, l, k, d->W[link]);
    }
    if (count > 0) {
        add_rotor(d, k, link);
    }
    return true;
}

/* phi from a point, world axes, to the frame of the body's link. */
static void add_point(soa_dense *d, int i, const soa_point *point)
{
    const int k = point->link == SOA_WORLD ? SOA_WORLD : soa_model_link_body(d->model, point->link, NULL);
    if (k != SOA_WORLD) {
        number Pi[SOA_MAX_MODES][6];
        const frame N = point->node > 0 ? compose(d->W[point->link], node_frame(d, point->link, point->node, Pi))
                                        : d->W[point->link];
        frame at = compose(N, frame_of(&point->at));
        memcpy(at.R, frame_identity().R, sizeof at.R);
        if (point->node > 0) {
            put_modes(d, d->op[SOA_OP_B], k, i, Pi, compose(inverse(N), at));
        }
        put_phi(d->op[SOA_OP_B], k, i, compose(inverse(d->W[soa_model_body(d->model, k).link]), at));
    }
}

bool soa_dense_links(soa_dense *d, const soa_point *point)
{
    const int links = soa_model_links(d->model), n = d->size;
    d->W = soa_arena_take(&d->arena, (size_t)links, sizeof *d->W);
    d->owner = soa_arena_take(&d->arena, (size_t)n, sizeof *d->owner);
    d->op[SOA_OP_H] = soa_matrix_zero(&d->arena, d->nv, n);
    d->op[SOA_OP_M] = soa_matrix_zero(&d->arena, n, n);
    d->op[SOA_OP_E_PHI] = soa_matrix_zero(&d->arena, n, n);
    d->op[SOA_OP_B] = soa_matrix_zero(&d->arena, n, 6 * d->points);
    d->op[SOA_OP_ARM] = soa_matrix_zero(&d->arena, d->nv, d->nv);
    d->op[SOA_OP_GAMMA] = soa_matrix_zero(&d->arena, n, d->nv);
    const soa_operator made[] = { SOA_OP_H, SOA_OP_M, SOA_OP_E_PHI, SOA_OP_B, SOA_OP_ARM, SOA_OP_GAMMA };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (!d->W || !d->owner || !d->op[made[i]].at) {
            return false;
        }
    }
    for (int k = 0; k < d->n; k++) {
        for (int i = 0; i < soa_body_numbers(d->model, k); i++) {
            d->owner[soa_body_index(d->model, k, i)] = k;
        }
    }
    bool complete = true;
    for (int l = 0; l < links; l++) {
        d->W[l] = world_frame(d, l);
    }
    for (int l = 0; l < links; l++) {
        complete = complete && add_link(d, l);
    }
    for (int i = 0; i < d->points; i++) {
        add_point(d, i, &point[i]);
    }
    return complete;
}
