/* expr/exact_system.c - random multibody systems in exact arithmetic: frames, joints, inertias, operators. */
#include <string.h>

#include "core/random.h"
#include "expr/exact_short.h"
#include "expr/parse.h"

/* ---- random numbers -------------------------------------------------------------------------------- */

/* A number in [-4, 4], a fraction with a small denominator. */
static uint32_t random_number(const soa_field *f, unsigned long long *seed)
{
    const long long num = (long long)(soa_random_bits(seed) % 9) - 4, den = 1 + (long long)(soa_random_bits(seed) % 3);
    return (uint32_t)((uint64_t)soa_field_of(f, num) * soa_field_inverse(f, soa_field_of(f, den)) % f->prime);
}

soa_exact soa_exact_random_matrix(soa_field *f, unsigned long long *seed, int rows, int cols)
{
    const soa_exact a = soa_exact_zero(f, rows, cols);
    for (int i = 0; i < rows * cols && f->status == SOA_OK; i++) {
        a.at[i] = random_number(f, seed);
    }
    return a;
}

/* ---- frames ------------------------------------------------------------------------------------------ */

static soa_exact scaled(system_ *s, uint32_t factor, soa_exact a)
{
    return soa_exact_add(&s->field, soa_exact_zero(&s->field, a.rows, a.cols), factor, a);
}

/* phi = [R  p~ R; 0  R] */
static soa_exact phi_of(system_ *s, soa_exact R, soa_exact p)
{
    const soa_exact phi = soa_exact_zero(&s->field, 6, 6);
    soa_exact_put(&s->field, phi, 0, 0, R);
    soa_exact_put(&s->field, phi, 3, 3, R);
    soa_exact_put(&s->field, phi, 0, 3, multiply(s, soa_exact_tilde(&s->field, p, 0), R));
    return phi;
}

/* (R, p) = (R, p) (R2, p2) */
static void compose(system_ *s, soa_exact *R, soa_exact *p, soa_exact R2, soa_exact p2)
{
    *p = add(s, *p, multiply(s, *R, p2));
    *R = multiply(s, *R, R2);
}

static soa_exact axis(system_ *s, int i)
{
    const soa_exact u = soa_exact_zero(&s->field, 3, 1);
    if (u.at) {
        u.at[i] = 1;
    }
    return u;
}

/* I + 2 (w v~ + v~ v~) / (w^2 + v.v), of a random quaternion; about one axis if it is given (0, 1, 2). */
static soa_exact turn(system_ *s, unsigned long long *seed, int about)
{
    soa_field *f = &s->field;
    const uint32_t w = 1;
    soa_exact v = soa_exact_random_matrix(f, seed, 3, 1);
    for (int i = 0; v.at && i < 3; i++) {
        v.at[i] = about < 0 || about == i ? v.at[i] : 0;
    }
    const soa_exact t = soa_exact_tilde(&s->field, v, 0), square = multiply(s, adjoint(s, v), v);
    const uint64_t length = square.at ? (w + (uint64_t)square.at[0]) % f->prime : 1;
    const uint32_t twice = (uint32_t)((uint64_t)2 * soa_field_inverse(f, (uint32_t)length) % f->prime);
    return add(s, soa_exact_identity(f, 3), scaled(s, twice, add(s, t, multiply(s, t, t))));
}

/* ---- joints ---------------------------------------------------------------------------------------------- */

/* A joint is motions one after another: turns about and slides along axes (3 + axis). The coordinates of a free and of a
 * spherical one are all taken in the moved frame. */
static const struct {
    int nv, motion[6];
    bool together;
} joint[] = {
    { 1, { 2 }, false },
    { 1, { 5 }, false },
    { 2, { 2, 0 }, false },
    { 2, { 5, 2 }, false },
    { 3, { 0, 1, 2 }, true },
    { 6, { 0, 1, 2, 3, 4, 5 }, true },
};

enum { UNIVERSAL = 2, JOINTS = sizeof joint / sizeof joint[0] };

/* The frame moves by e_i along a motion if it is that of the velocity: the turn I + e u~, or the slide e u; in time e beta. */
static void move_by(system_ *s, int i, int velocity, int motion, soa_exact *R, soa_exact *p)
{
    const bool time = s->choice.moved[i] == SOA_EXACT_TIME;
    if (!time && s->choice.moved[i] != velocity) {
        return;
    }
    const soa_exact beta = soa_exact_vector(s, SOA_VECTOR_BETA);
    soa_field *f = &s->field;
    const soa_exact u = soa_exact_zero(f, 3, 1), none = soa_exact_zero(f, 3, 1), I = soa_exact_identity(f, 3);
    if (f->status == SOA_OK) {
        *soa_exact_entry(u, 1 << i, motion % 3, 0) = time ? *soa_exact_entry(beta, 0, velocity, 0) : 1;
        compose(s, R, p, motion < 3 ? add(s, I, soa_exact_tilde(&s->field, u, 0)) : I, motion < 3 ? none : u);
    }
}

/* Motions one after another; the columns of H* are those of the motions before, seen from the moved frame. */
static soa_exact joint_in_steps(system_ *s, soa_exact_body *b, unsigned long long *seed)
{
    soa_field *f = &s->field;
    soa_exact H_t = soa_exact_zero(f, 6, b->nv);
    for (int i = 0; i < b->nv; i++) {
        const int motion = joint[b->kind].motion[i];
        const soa_exact I = soa_exact_identity(f, 3), none = soa_exact_zero(f, 3, 1);
        soa_exact R = motion < 3 ? turn(s, seed, motion) : I;
        soa_exact p = motion < 3 ? none : scaled(s, random_number(f, seed), axis(s, motion % 3));
        for (int e = 0; e < f->order; e++) {
            move_by(s, e, b->v + i, motion, &R, &p);
        }
        compose(s, &b->R, &b->p, R, p);
        H_t = multiply(s, adjoint(s, phi_of(s, R, p)), H_t);
        if (H_t.at) {
            *soa_exact_entry(H_t, 0, motion, i) = 1;
        }
    }
    return H_t;
}

/* All motions in the moved frame: H* is constant. */
static soa_exact joint_together(system_ *s, soa_exact_body *b, unsigned long long *seed)
{
    soa_field *f = &s->field;
    const soa_exact H_t = soa_exact_zero(f, 6, b->nv);
    compose(s, &b->R, &b->p, turn(s, seed, -1), soa_exact_random_matrix(f, seed, 3, 1));
    for (int i = 0; i < b->nv && H_t.at; i++) {
        for (int e = 0; e < f->order; e++) {
            move_by(s, e, b->v + i, joint[b->kind].motion[i], &b->R, &b->p);
        }
        *soa_exact_entry(H_t, 0, joint[b->kind].motion[i], i) = 1;
    }
    return H_t;
}

/* The frame of a body in its parent's and in the world, and its joint's map. */
static void place_body(system_ *s, int k, unsigned long long *seed)
{
    soa_field *f = &s->field;
    soa_exact_body *b = &s->body[k];
    b->R = turn(s, seed, -1);
    b->p = soa_exact_random_matrix(f, seed, 3, 1);
    const soa_exact H_t = (joint[b->kind].together ? joint_together : joint_in_steps)(s, b, seed);
    soa_exact_put(f, s->op[SOA_OP_H], b->v, 6 * k, adjoint(s, H_t));
    b->R_w = b->parent < 0 ? soa_exact_identity(f, 3) : s->body[b->parent].R_w;
    b->p_w = b->parent < 0 ? soa_exact_zero(f, 3, 1) : s->body[b->parent].p_w;
    compose(s, &b->R_w, &b->p_w, b->R, b->p);
    if (b->parent >= 0) {
        soa_exact_put(f, s->op[SOA_OP_E_PHI], 6 * b->parent, 6 * k, phi_of(s, b->R, b->p));
    }
}

/* ---- inertias --------------------------------------------------------------------------------------------- */

/* M = [J  m p~; -m p~  m I] at the frame of the body; J = tr(S) I - S - m p~ p~, S = L L* + I what the mass is spread. */
static void add_inertia(system_ *s, int k, unsigned long long *seed)
{
    soa_field *f = &s->field;
    const soa_exact I = soa_exact_identity(f, 3), M = s->op[SOA_OP_M];
    const soa_exact S = add(s, congruence(s, soa_exact_random_matrix(f, seed, 3, 3), I), I);
    const uint32_t m = soa_field_of(f, 1 + (long long)(soa_random_bits(seed) % 5));
    const soa_exact p = scaled(s, 1, soa_exact_tilde(&s->field, soa_exact_random_matrix(f, seed, 3, 1), 0)),
                    mp = scaled(s, m, p);
    uint64_t trace = 0;
    for (int i = 0; i < 3 && f->status == SOA_OK; i++) {
        trace += *soa_exact_entry(S, 0, i, i);
    }
    const soa_exact J = subtract(s, scaled(s, (uint32_t)(trace % f->prime), I), S);
    soa_exact_put(f, M, 6 * k, 6 * k, subtract(s, J, multiply(s, mp, p)));
    soa_exact_put(f, M, 6 * k, 6 * k + 3, mp);
    soa_exact_put(f, M, 6 * k + 3, 6 * k, adjoint(s, mp));
    soa_exact_put(f, M, 6 * k + 3, 6 * k + 3, scaled(s, m, I));
}

/* A rotor of spin inertia j and gear ratio r about u: Arm = r^2 j + armature; Gamma = r j u and M + j u u* at the parent. */
static void add_rotor(system_ *s, int k, unsigned long long *seed)
{
    soa_field *f = &s->field;
    const soa_exact_body *b = &s->body[k];
    const soa_exact u = soa_exact_random_matrix(f, seed, 3, 1), I = soa_exact_identity(f, b->nv);
    const uint32_t r = soa_field_of(f, 2 + (long long)(soa_random_bits(seed) % 7)), j = 3;
    const uint32_t rj = (uint32_t)((uint64_t)r * j % f->prime);
    soa_exact_put(f, s->op[SOA_OP_ARM], b->v, b->v, scaled(s, (uint32_t)(((uint64_t)r * rj + 1) % f->prime), I));
    if (b->parent >= 0 && b->nv == 1) {
        soa_exact_put(f, s->op[SOA_OP_GAMMA], 6 * b->parent, b->v, scaled(s, rj, u));
        soa_exact_put(f, s->op[SOA_OP_M], 6 * b->parent, 6 * b->parent, scaled(s, j, multiply(s, u, adjoint(s, u))));
    }
}

/* A point with world axes somewhere on body k. */
static void add_point(system_ *s, int point, int k, unsigned long long *seed)
{
    soa_field *f = &s->field;
    const soa_exact_body *b = &s->body[k];
    const soa_exact at = soa_exact_random_matrix(f, seed, 3, 1);
    soa_exact_put(f, s->op[SOA_OP_B], 6 * k, 6 * point, phi_of(s, adjoint(s, b->R_w), at));
}

/* ---- the tree ---------------------------------------------------------------------------------------------- */

bool soa_exact_outboard(const soa_exact_system *system, int k, int j)
{
    while (j > k) {
        j = system->body[j].parent;
    }
    return j == k;
}

int soa_exact_size(const soa_exact_system *system, soa_space space)
{
    const int size[] = { [SOA_SPACE_ANY] = 1,
        [SOA_SPACE_JOINT] = system->nv,
        [SOA_SPACE_BODY] = 6 * system->bodies,
        [SOA_SPACE_POINT] = 6 * SOA_EXACT_POINTS,
        [SOA_SPACE_CONSTRAINT] = SOA_EXACT_ROWS,
        [SOA_SPACE_ONE] = 1 };
    return size[space];
}

/* What body k sits on, -1: the world. With an odd seed bodies 0 .. depth - 1 are a chain, body depth sits on its base, and the
 * last body on that or, if the seed is a multiple of 3, on the world. With an even one every body sits on any before it or,
 * unless the base is free, on the world. */
static int parent_of(const system_ *s, int k, int depth, unsigned long long *seed)
{
    const bool chain = s->choice.seed % 2 == 1;
    const int before = (int)(soa_random_bits(seed) % (unsigned)(k + 1));
    if (chain) {
        return k < depth ? k - 1 : k == depth ? 0 : s->choice.seed % 3 ? depth : -1;
    }
    return k > 0 && s->choice.seed % 4 == 0 ? before % k : before - 1;
}

/* Body 1 has a joint whose map changes with its second coordinate. If the seed is a multiple of 4 the base is free, and so is
 * the last body on what it sits on: then Lambda has an inverse. */
static void make_tree(system_ *s, int depth, unsigned long long *seed)
{
    s->bodies = depth + 2 < SOA_EXACT_BODIES ? depth + 2 : SOA_EXACT_BODIES;
    for (int k = 0; k < s->bodies; k++) {
        soa_exact_body *b = &s->body[k];
        b->parent = parent_of(s, k, depth, seed);
        b->kind = (int)(soa_random_bits(seed) % (s->choice.single ? 2 : JOINTS - 1));
        b->kind = k == 1 && !s->choice.single ? UNIVERSAL : b->kind;
        const bool free = s->choice.seed % 4 == 0 && !s->choice.single && (k == 0 || k == s->bodies - 1);
        b->kind = free ? JOINTS - 1 : b->kind;
        b->v = s->nv;
        b->nv = joint[b->kind].nv;
        b->together = joint[b->kind].together;
        s->nv += b->nv;
    }
}

/* The first coordinate of that joint: q_1, beta_1 and T_1 are of one. */
static int first_of_joint(const soa_terms *terms, int coordinate)
{
    const char *of = strchr(soa_terms_about(terms, coordinate)->name, '_');
    for (int i = 0; i < coordinate; i++) {
        const char *name = soa_terms_about(terms, i)->name;
        const soa_by by = soa_derivative_by(name);
        if (by != SOA_BY_NOTHING && by != SOA_BY_TIME && strcmp(strchr(name, '_'), of) == 0) {
            return i;
        }
    }
    return coordinate;
}

int soa_exact_motion(const soa_exact_system *system, const soa_term *coordinate)
{
    const soa_terms *terms = system->field.terms;
    const soa_by by = soa_derivative_by(soa_terms_about(terms, coordinate->variable)->name);
    if (by == SOA_BY_TIME) {
        return SOA_EXACT_TIME;
    }
    int before = 0;
    for (int i = 0, first = first_of_joint(terms, coordinate->variable); i < first; i++) {
        const soa_by other = soa_derivative_by(soa_terms_about(terms, i)->name);
        before += other != SOA_BY_NOTHING && other != SOA_BY_TIME && first_of_joint(terms, i) == i;
    }
    const int nv = system->nv;
    const int first = system->choice.seed % 2 ? (int)(system->choice.seed % (unsigned)nv) : system->body[1].v + 1;
    return before >= nv ? -1
                        : (before + first) % nv + (by == SOA_BY_VELOCITY   ? SOA_EXACT_VELOCITY
                                                      : by == SOA_BY_FORCE ? SOA_EXACT_FORCE
                                                                           : 0);
}

soa_exact_system soa_exact_system_of(soa_arena *arena, soa_terms *terms, const soa_exact_choice *choice)
{
    static const uint64_t prime[] = { 2147483647, 2147483563, 2147483399 };
    unsigned long long seed = choice->seed;
    soa_exact_system s = { .field = { arena, terms, prime[seed % 3], choice->order, SOA_OK }, .choice = *choice };
    s.terms = terms->table.count;
    s.known = soa_arena_take(arena, (size_t)s.terms + 1, sizeof *s.known);
    s.field.status = s.known ? SOA_OK : SOA_E_MEMORY;
    make_tree(&s, choice->depth < SOA_EXACT_BODIES ? choice->depth : SOA_EXACT_BODIES, &seed);
    const int bodies = 6 * s.bodies, points = 6 * SOA_EXACT_POINTS;
    s.op[SOA_OP_H] = soa_exact_zero(&s.field, s.nv, bodies);
    s.op[SOA_OP_M] = soa_exact_zero(&s.field, bodies, bodies);
    s.op[SOA_OP_E_PHI] = soa_exact_zero(&s.field, bodies, bodies);
    s.op[SOA_OP_ARM] = soa_exact_zero(&s.field, s.nv, s.nv);
    s.op[SOA_OP_GAMMA] = soa_exact_zero(&s.field, bodies, s.nv);
    s.op[SOA_OP_B] = soa_exact_zero(&s.field, bodies, points);
    s.op[SOA_OP_A] = soa_exact_random_matrix(&s.field, &seed, SOA_EXACT_ROWS, points);
    for (int k = 0; k < s.bodies; k++) {
        place_body(&s, k, &seed);
        add_inertia(&s, k, &seed);
        if (choice->rotors) {
            add_rotor(&s, k, &seed);
        }
    }
    for (int i = 0; i < SOA_EXACT_POINTS; i++) { /* at the end of the chain, and on another body */
        add_point(&s, i, i == 0 ? s.bodies - 3 : s.bodies - 1, &seed);
    }
    return s;
}
