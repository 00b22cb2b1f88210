/* sweep/vars.kernel.h - the variables of the sweeps, and reading and writing lanes.
 *
 * Symbol table (k a body, p its parent, i a velocity):
 *     X[k]      phi(p,k): rotation and l                          position
 *     crossing[k]  cosine and sine of theta, joints about z       screw
 *     H[i]      column of H*, only of joints with several dofs    position
 *     V[k] a[k] velocity, velocity-dependent acceleration         velocity
 *     b[k]      velocity-dependent force; z[k] while it gathers   velocity, inward
 *     alpha[k]  acceleration                                      outward
 *     R[k]      composite inertia                                 composite
 *     composite[k]  the same in vectors, for one state            composite
 *     P[k]      articulated inertia                               articulated
 *     Q[slot]   P of joints about z in the fast sweeps            articulated
 *     U[i] G[i] columns of P H* and P H* D^-1                     articulated
 *     D_inv[i]  row of D^-1, as many columns as its joint has     articulated
 *     eps[i]    T - H z                                           inward
 *     z[k]      one more force per body                           reference.soa
 *     Y[k]      Upsilon                                           outward
 *     W[k]      body frame in the world                           placement
 *     place[k]  the same by columns, for one state                placement
 *     H_dot[i]  rate of H[i]                                      Coriolis
 *     K[k] p[k] what of B, p the linear momentum, is not zero     Coriolis
 *     N         H psi B                                           operational space
 *     constants, fields  rows by velocity, one state only: fields.h
 *     AV[k]     alpha and V, as pairs                             fast inverse dynamics
 *     F[k]      moment and force on the body, as pairs            fast inverse dynamics
 *     block_pose[j], block_rate[j]  newton_mixed.kernel.h          inverse dynamics, large models
 *     y[i]      what goes to call->y                              fast forward and inverse dynamics
 *     in        inputs, gathered                                  lanes
 *     node, turn, seat, Pi, second, bent, square, eliminated, acceleration  flexible_sweeps.kernel.h
 * All in body frames, but W, and but where a kernel says otherwise. */
#ifndef SOA_SWEEP_VARS_KERNEL_H
#define SOA_SWEEP_VARS_KERNEL_H

#include "spatial/articulated.h"
#include "spatial/cross.h"
#include "spatial/pair.h"
#include "spatial/quad.h"
#include "spatial/sincos.h"
#include "sweep/call.h"
#include "sweep/fields.h"

enum { D_COLUMNS = SOA_JOINT_MAX_NV };

/* Two motions. */
typedef struct motion_pair {
    pair3 w, v;
} motion_pair;

/* A node of a flexible link: where it is, and Jl of its rotation vector theta. */
typedef struct node_vars {
    vec3 l;
    mat3 Jl;
} node_vars;

/* theta of a node and series of it (flexible_node.kernel.h). */
typedef struct turn_vars {
    vec3 theta;
    real C, B1, C1;
} turn_vars;

/* What the recursions of Mass^-1 keep of a body, and of a flexible link in place on it, in one piece. */
typedef struct seat_vars {
    pose X;
    node_vars node; /* that carries the body */
    motion V, a;
} seat_vars;

typedef struct vars {
    pose *X;
    real *theta;
    real (*crossing)[2];
    motion *V, *a, *alpha;
    force *b, *z;
    articulated *P, *Q;
    motion *H;
    force *U, *G;
    real (*D_inv)[D_COLUMNS];
    real *eps;
    rigid *R;
    articulated *Y;
    pose *W;
#if LANES == 1
    frame *place;
    quad_rigid *composite;
#endif
    real *x; /* one more number per velocity */
    motion *H_dot;
    mat3 *K;
    vec3 *p;
    motion_pair *AV;
    pair3 *F;
    pose *block_pose;
    motion_pair *block_rate;
    real *y, *in;
    real *N;   /* H psi B: SOA_MAX_LANES numbers, six in use, per point and velocity */
    int *path; /* bodies from some body to the base */
    double *constants, *fields;
    node_vars *node;
    turn_vars *turn;
    seat_vars *seat;
    real *Pi, *second, *bent, *square, *eliminated, *acceleration;
    bool whole;   /* modes are eliminated, or kept, as they are: the matrices are those of soa_body_rest.square */
    bool turning; /* some columns are fixed in the inboard body: FIELD_V_turn is in use */
} vars;

/* The arrays one after another from block on; NULL: only the size is wanted. N
 * comes last: it grows with the points. Fields lie over arrays that are not in use with them. */
static inline size_t vars_place(const soa_model *m, int points, char *block, vars *w)
{
    const size_t n = (size_t)m->bodies, nv = (size_t)m->nv;
    size_t used = 0;
    void *at;
#define PLACE(field, count)             \
    at = block ? block + used : NULL;   \
    memcpy(&w->field, &at, sizeof at);  \
    used += (count) * sizeof *w->field; \
    used = (used + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT
    PLACE(X, n);
    PLACE(theta, n + SOA_MAX_LANES); /* sines are taken in whole vectors */
    PLACE(crossing, n + SOA_MAX_LANES);
    PLACE(path, n);
    PLACE(AV, n);
    PLACE(F, n);
    PLACE(block_pose, m->order ? SOA_BLOCK_BODIES : 0);
    PLACE(block_rate, m->order ? SOA_BLOCK_BODIES : 0);
    PLACE(V, n);
    PLACE(H, nv);
    PLACE(W, n);
    PLACE(a, n);
    PLACE(b, n);
    PLACE(alpha, n);
#if LANES == 1
    PLACE(constants, CONSTANTS * soa_places(m));
    const size_t fields = used;
    w->fields = block ? (void *)(block + used) : NULL;
#else
    w->constants = w->fields = NULL;
#endif
    PLACE(P, n);
    PLACE(Q, (size_t)m->slots);
    PLACE(U, nv);
    PLACE(G, nv);
    PLACE(D_inv, nv);
    PLACE(eps, nv);
    PLACE(R, n);
    PLACE(Y, n);
#if LANES == 1
    PLACE(place, n);
    PLACE(composite, n);
#endif
    PLACE(x, nv);
    PLACE(z, n);
    PLACE(H_dot, nv);
    PLACE(K, n);
    PLACE(p, n);
#if LANES == 1
    const size_t needed = fields + (FIELDS + SOA_PATH_ROWS) * soa_places(m) * sizeof(double);
    used = used < needed ? needed : used;
#endif
    PLACE(y, LANES > 1 ? nv : 0);
    PLACE(in, LANES > 1 ? (size_t)m->nq + 4 * nv + 6 * n + 6 * (size_t)points : 0);
    PLACE(node, m->flexible ? n : 0);
    PLACE(turn, m->flexible ? n : 0);
    PLACE(seat, (size_t)m->seats);
    w->whole = false;
    const size_t modes = (size_t)m->most_modes;
    PLACE(Pi, m->flexible ? 6 * (size_t)m->slots * soa_modal_stride(modes) : 0);
    PLACE(second, 3 * (size_t)m->ports);
    PLACE(bent, SOA_MODAL_N * soa_modal_stride(modes));
    PLACE(square, (size_t)(m->squares > m->port_squares ? m->squares : m->port_squares));
    PLACE(eliminated, (modes + 12 * (size_t)m->most_carried) * soa_modal_rows(modes));
    PLACE(acceleration, m->flexible ? nv : 0);
    PLACE(N, SOA_MAX_LANES * nv * (size_t)points);
#undef PLACE
    return used;
}

/* What a block of work begins with, if it is prepared. */
static inline size_t vars_header(void)
{
    return (sizeof(vars) + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT;
}

static inline vars vars_of(const soa_call *call)
{
    if (call->prepared) {
        return *(const vars *)call->work;
    }
    vars w;
    vars_place(call->model, 0, (char *)call->work, &w);
    return w;
}

/* The variables of a call. They are copied into `room` only if the work is not prepared. */
KERNEL const vars *vars_at(const soa_call *call, vars *room)
{
    if (call->prepared) {
        return (const vars *)call->work;
    }
    vars_place(call->model, 0, (char *)call->work, room);
    return room;
}

/* ---- lanes from and to states ------------------------------------------------------ */

/* Number i of each state; inputs are gathered (lanes.kernel.h). */
KERNEL real in_get(const soa_call *call, soa_in in, size_t i)
{
    (void)call;
    return real_load(in.at + i * LANES);
}

KERNEL void out_put(const soa_call *call, soa_out out, size_t i, real x)
{
#if LANES == 1
    (void)call;
    out.at[i] = x;
#else
    if (call->whole) {
        for (int lane = 0; lane < LANES; lane++) {
            out.at[(size_t)lane * out.stride + i] = real_get(x, lane);
        }
    } else if (call->spacing != 1 && call->count == LANES) {
        real_store(out.at + i * LANES, x);
    } else {
        const size_t stride = call->spacing == 1 ? out.stride : 1;
        for (int lane = 0; lane < call->count; lane++) {
            out.at[(size_t)lane * stride + i * call->spacing] = real_get(x, lane);
        }
    }
#endif
}

/* Numbers 0 .. n - 1 of each state. */
static inline void out_zero(const soa_call *call, soa_out out, size_t n)
{
#if LANES == 1
    if (call->spacing == 1) {
        memset(out.at, 0, n * sizeof(double));
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out.at[i * call->spacing] = 0.0;
    }
#else
    for (int lane = 0; call->spacing == 1 && lane < call->count; lane++) {
        memset(out.at + (size_t)lane * out.stride, 0, n * sizeof(double));
    }
    for (size_t i = 0; call->spacing != 1 && i < n; i++) {
        out_put(call, out, i, real_set(0.0));
    }
#endif
}

KERNEL vec3 in_vec3(const soa_call *call, soa_in in, size_t i)
{
    return (vec3){ in_get(call, in, i), in_get(call, in, i + 1), in_get(call, in, i + 2) };
}

KERNEL void out_vec3(const soa_call *call, soa_out out, size_t i, vec3 v)
{
    out_put(call, out, i, v.x);
    out_put(call, out, i + 1, v.y);
    out_put(call, out, i + 2, v.z);
}

/* ---- what may differ from state to state: soa_call.M ------------------------------------ */

/* Whether each state is of a model of its own. */
KERNEL bool has_own(const soa_call *call)
{
    return LANES > 1 && __builtin_expect(call->M.at != NULL, 0);
}

/* M of a body. */
KERNEL rigid body_inertia(const soa_call *call, const soa_body_data *body)
{
    if (has_own(call)) {
        const size_t i = 10 * (size_t)(body - call->model->body);
        return (rigid){ in_get(call, call->M, i), in_vec3(call, call->M, i + 1),
            { in_get(call, call->M, i + 4), in_get(call, call->M, i + 5), in_get(call, call->M, i + 6),
                in_get(call, call->M, i + 7), in_get(call, call->M, i + 8), in_get(call, call->M, i + 9) } };
    }
    return rigid_set(body->inertia);
}

/* ---- failure ------------------------------------------------------------------------ */

static inline void call_begin(soa_call *call)
{
    for (int lane = 0; lane < SOA_MAX_LANES; lane++) {
        call->failed[lane] = -1;
    }
}

/* Lanes in which the mask is not set failed at the body. */
KERNEL void call_require(soa_call *call, real_int mask, int body)
{
    if (__builtin_expect(!real_all(mask), 0)) {
        for (int lane = 0; lane < LANES; lane++) {
#if LANES == 1
            const bool good = mask != 0;
#else
            const bool good = mask[lane] != 0;
#endif
            if (!good && call->failed[lane] < 0) {
                call->failed[lane] = body;
            }
        }
    }
}

#endif
