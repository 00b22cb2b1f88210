/* expr/exact_operator.c - operators and vectors of a system in exact arithmetic, each from its definition. */
#include "core/random.h"
#include "expr/exact_short.h"

static soa_exact get(system_ *s, soa_operator op)
{
    return soa_exact_operator(s, op);
}

static soa_exact identity(system_ *s)
{
    return soa_exact_identity(&s->field, 6 * s->bodies);
}

/* ---- operators ---------------------------------------------------------------------------------------- */

/* R(k) = M(k) + sum phi(k,j) R(j) phi*(k,j); P(k) the same with psi: less K D K* of the joints outboard.  [R] [P] */
static soa_exact inertias(system_ *s, bool articulated)
{
    soa_field *f = &s->field;
    const soa_exact P = soa_exact_copy(f, get(s, SOA_OP_M));
    for (int k = s->bodies - 1; k >= 0 && f->status == SOA_OK; k--) {
        const soa_exact_body *b = &s->body[k];
        if (b->parent < 0) {
            continue;
        }
        const int v = b->v, nv = b->nv, p = 6 * b->parent;
        const soa_exact phi = soa_exact_block(f, get(s, SOA_OP_E_PHI), p, 6 * k, 6, 6);
        const soa_exact P_k = soa_exact_block(f, P, 6 * k, 6 * k, 6, 6);
        soa_exact up = congruence(s, phi, P_k);
        if (articulated) {
            const soa_exact H = soa_exact_block(f, get(s, SOA_OP_H), v, 6 * k, nv, 6);
            const soa_exact D = add(s, congruence(s, H, P_k), soa_exact_block(f, get(s, SOA_OP_ARM), v, v, nv, nv));
            const soa_exact Gamma = soa_exact_block(f, get(s, SOA_OP_GAMMA), p, v, 6, nv);
            const soa_exact KD = add(s, multiply(s, multiply(s, phi, P_k), adjoint(s, H)), Gamma);
            up = subtract(s, up, congruence(s, KD, soa_exact_inverse(f, D)));
        }
        soa_exact_put(f, P, p, p, up);
    }
    return P;
}

/* The blocks of Omega on the diagonal, or those between branches: of bodies neither of which is outboard of the other. */
static soa_exact blocks_of_Omega(system_ *s, bool diagonal)
{
    soa_field *f = &s->field;
    const soa_exact Omega = get(s, SOA_OP_OMEGA), made = soa_exact_zero(f, 6 * s->bodies, 6 * s->bodies);
    for (int e = 0; e < s->bodies * s->bodies && f->status == SOA_OK; e++) {
        const int i = e / s->bodies, j = e % s->bodies;
        const bool apart = !soa_exact_outboard(s, i, j) && !soa_exact_outboard(s, j, i);
        if (diagonal ? i == j : apart) {
            soa_exact_put(f, made, 6 * i, 6 * j, soa_exact_block(f, Omega, 6 * i, 6 * j, 6, 6));
        }
    }
    return made;
}

/* H phi M phi* H* + H phi Gamma + Gamma* phi* H* + Arm  [I1] [GEAR] */
static soa_exact mass(system_ *s)
{
    const soa_exact H_phi = multiply(s, get(s, SOA_OP_H), get(s, SOA_OP_PHI));
    const soa_exact coupling = multiply(s, H_phi, get(s, SOA_OP_GAMMA));
    const soa_exact rotors = add(s, add(s, coupling, adjoint(s, coupling)), get(s, SOA_OP_ARM));
    return add(s, congruence(s, H_phi, get(s, SOA_OP_M)), rotors);
}

/* E_phi G + Gamma D^-1 */
static soa_exact gain(system_ *s)
{
    const soa_exact rotors = multiply(s, get(s, SOA_OP_GAMMA), get(s, SOA_OP_D_INV));
    return add(s, multiply(s, get(s, SOA_OP_E_PHI), get(s, SOA_OP_G)), rotors);
}

static soa_exact made_of(system_ *s, soa_operator op)
{
    soa_field *f = &s->field;
    switch (op) {
    case SOA_OP_PHI:
        return soa_exact_inverse(f, subtract(s, identity(s), get(s, SOA_OP_E_PHI)));
    case SOA_OP_PHI_STRICT:
        return subtract(s, get(s, SOA_OP_PHI), identity(s));
    case SOA_OP_J:
        return adjoint(s, multiply(s, multiply(s, get(s, SOA_OP_H), get(s, SOA_OP_PHI)), get(s, SOA_OP_B)));
    case SOA_OP_R:
        return inertias(s, false);
    case SOA_OP_P:
        return inertias(s, true);
    case SOA_OP_D:
        return add(s, congruence(s, get(s, SOA_OP_H), get(s, SOA_OP_P)), get(s, SOA_OP_ARM));
    case SOA_OP_D_INV:
        return soa_exact_inverse(f, get(s, SOA_OP_D));
    case SOA_OP_G:
        return multiply(s, multiply(s, get(s, SOA_OP_P), adjoint(s, get(s, SOA_OP_H))), get(s, SOA_OP_D_INV));
    case SOA_OP_K:
        return gain(s);
    case SOA_OP_TAU:
        return multiply(s, get(s, SOA_OP_G), get(s, SOA_OP_H));
    case SOA_OP_TAUBAR:
        return subtract(s, identity(s), get(s, SOA_OP_TAU));
    case SOA_OP_E_PSI:
        return subtract(s, get(s, SOA_OP_E_PHI), multiply(s, get(s, SOA_OP_K), get(s, SOA_OP_H)));
    case SOA_OP_PSI:
        return soa_exact_inverse(f, subtract(s, identity(s), get(s, SOA_OP_E_PSI)));
    case SOA_OP_PSI_STRICT:
        return subtract(s, get(s, SOA_OP_PSI), identity(s));
    case SOA_OP_OMEGA:
        return congruence(s, adjoint(s, multiply(s, get(s, SOA_OP_H), get(s, SOA_OP_PHI))), get(s, SOA_OP_MASS_INV));
    case SOA_OP_UPS:
        return blocks_of_Omega(s, true);
    case SOA_OP_BRANCH:
        return blocks_of_Omega(s, false);
    case SOA_OP_LAMBDA:
        return congruence(s, get(s, SOA_OP_J), get(s, SOA_OP_MASS_INV));
    case SOA_OP_MASS:
        return mass(s);
    case SOA_OP_MASS_INV:
        return soa_exact_inverse(f, get(s, SOA_OP_MASS));
    default:
        return soa_exact_zero(f, 1, 1);
    }
}

soa_exact soa_exact_operator(soa_exact_system *system, soa_operator op)
{
    if (!system->op[op].at) {
        const soa_exact made = made_of(system, op);
        system->op[op] = system->field.status == SOA_OK ? made : (soa_exact){ made.rows, made.cols, NULL };
        return made;
    }
    return system->op[op];
}

/* ---- operators of the user's -------------------------------------------------------------------------- */

static unsigned long long seed_of(const system_ *s, const char *name)
{
    unsigned long long seed = s->choice.seed;
    for (; *name; name++) {
        seed = seed * 31 + (unsigned char)*name;
    }
    return seed;
}

/* Whether numbers of body j enter those of body k. */
static bool reaches(const system_ *s, soa_kind kind, int k, int j)
{
    return soa_kind_sees(kind) & (k == j                           ? SOA_SELF
                                     : soa_exact_outboard(s, k, j) ? SOA_OUTBOARD
                                     : soa_exact_outboard(s, j, k) ? SOA_INBOARD
                                                                   : SOA_ELSEWHERE);
}

/* The body of number i of a space; points are on no body that a kind could tell. */
static int body_of(const system_ *s, soa_space space, int i)
{
    int k = space == SOA_SPACE_BODY ? i / 6 : 0;
    while (space == SOA_SPACE_JOINT && k + 1 < s->bodies && s->body[k + 1].v <= i) {
        k++;
    }
    return k;
}

soa_exact soa_exact_declared(soa_exact_system *s, const soa_variable *about)
{
    soa_field *f = &s->field;
    unsigned long long seed = seed_of(s, about->name);
    const soa_space to = about->type.to.space, from = about->type.from.space;
    const soa_exact a = soa_exact_random_matrix(f, &seed, soa_exact_size(s, to), soa_exact_size(s, from));
    const bool bodies =
        (to == SOA_SPACE_BODY || to == SOA_SPACE_JOINT) && (from == SOA_SPACE_BODY || from == SOA_SPACE_JOINT);
    for (int i = 0; bodies && f->status == SOA_OK && i < a.rows * a.cols; i++) {
        a.at[i] = reaches(s, about->causality, body_of(s, to, i / a.cols), body_of(s, from, i % a.cols)) ? a.at[i] : 0;
    }
    if (about->positive) {
        return add(s, multiply(s, a, adjoint(s, a)), soa_exact_identity(f, a.rows));
    }
    return about->symmetric ? add(s, a, adjoint(s, a)) : a;
}

soa_exact soa_exact_selector(soa_exact_system *s, const soa_variable *about)
{
    const soa_space space = about->type.to.space;
    const int size = soa_exact_size(s, space), parts = space == SOA_SPACE_POINT ? size / 6 : s->bodies;
    unsigned long long seed = seed_of(s, about->body);
    const int number = soa_body_number(about->body);
    const int part = number >= 0 ? number - 1 : (int)(soa_random_bits(&seed) % (unsigned)parts);
    const soa_exact made = soa_exact_zero(&s->field, size, size);
    if (part < 0 || part >= parts) {
        s->field.status = SOA_E_UNSUPPORTED;
    }
    for (int i = 0; i < size && s->field.status == SOA_OK; i++) {
        *soa_exact_entry(made, 0, i, i) = (space == SOA_SPACE_POINT ? i / 6 : body_of(s, space, i)) == part;
    }
    return made;
}

/* ---- vectors of the state -------------------------------------------------------------------------------- */

/* The matrix of w x and v x, for a body's six numbers: [w~  0; v~  w~] for motions, [w~  v~; 0  w~] for forces. */
static soa_exact cross(system_ *s, soa_exact V, bool forces)
{
    soa_field *f = &s->field;
    const soa_exact t = soa_exact_zero(f, 6, 6), w = soa_exact_tilde(f, V, 0), v = soa_exact_tilde(f, V, 3);
    soa_exact_put(f, t, 0, 0, w);
    soa_exact_put(f, t, 3, 3, w);
    soa_exact_put(f, t, forces ? 0 : 3, forces ? 3 : 0, v);
    return t;
}

/* -g at the bodies on the base, in their axes. */
static soa_exact gravity(system_ *s)
{
    soa_field *f = &s->field;
    const soa_exact g = soa_exact_zero(f, 6 * s->bodies, 1), up = soa_exact_zero(f, 3, 1);
    for (int k = 0; k < s->bodies && f->status == SOA_OK; k++) {
        up.at[2] = 10;
        if (s->body[k].parent < 0) {
            soa_exact_put(f, g, 6 * k + 3, 0, multiply(s, adjoint(s, s->body[k].R), up));
        }
    }
    return g;
}

/* a(k) = V(k) x h + sum beta_i beta_l h_i x h_l, over motions i before l of one joint, h = sum beta_i h_i; and -g.  [A] */
static soa_exact acceleration(system_ *s)
{
    soa_field *f = &s->field;
    const soa_exact a = soa_exact_copy(f, gravity(s)), V = soa_exact_vector(s, SOA_VECTOR_V);
    const soa_exact H = get(s, SOA_OP_H), beta = soa_exact_vector(s, SOA_VECTOR_BETA);
    for (int k = 0; k < s->bodies && f->status == SOA_OK; k++) {
        const soa_exact_body *b = &s->body[k];
        soa_exact before = soa_exact_zero(f, 6, 1);
        for (int i = 0; i < b->nv; i++) {
            const soa_exact h_i = adjoint(s, soa_exact_block(f, H, b->v + i, 6 * k, 1, 6));
            const soa_exact h = multiply(s, h_i, soa_exact_block(f, beta, b->v + i, 0, 1, 1));
            if (!b->together) {
                soa_exact_put(f, a, 6 * k, 0, multiply(s, cross(s, before, false), h));
            }
            before = add(s, before, h);
        }
        const soa_exact V_k = soa_exact_block(f, V, 6 * k, 0, 6, 1);
        soa_exact_put(f, a, 6 * k, 0, multiply(s, cross(s, V_k, false), before));
    }
    return a;
}

/* b(k) = V(k) x M(k) V(k), and of rotors on body k the moment V(k) x Gamma beta.  [B] [GEAR] */
static soa_exact gyroscopic(system_ *s)
{
    soa_field *f = &s->field;
    const soa_exact V = soa_exact_vector(s, SOA_VECTOR_V), beta = soa_exact_vector(s, SOA_VECTOR_BETA);
    const soa_exact momentum = add(s, multiply(s, get(s, SOA_OP_M), V), multiply(s, get(s, SOA_OP_GAMMA), beta));
    const soa_exact b = soa_exact_zero(f, 6 * s->bodies, 1);
    for (int k = 0; k < s->bodies && f->status == SOA_OK; k++) {
        const soa_exact V_k = soa_exact_block(f, V, 6 * k, 0, 6, 1);
        const soa_exact h = soa_exact_block(f, momentum, 6 * k, 0, 6, 1);
        soa_exact_put(f, b, 6 * k, 0, multiply(s, cross(s, V_k, true), h));
    }
    return b;
}

/* What armature adds to C where velocities turn with the link: Arm w x v of the velocities (w; v) of a free joint. */
static soa_exact turning_armature(system_ *s)
{
    soa_field *f = &s->field;
    const soa_exact made = soa_exact_zero(f, s->nv, 1), beta = soa_exact_vector(s, SOA_VECTOR_BETA);
    for (int k = 0; k < s->bodies && f->status == SOA_OK; k++) {
        const soa_exact_body *b = &s->body[k];
        if (b->nv == 6) {
            const soa_exact V = soa_exact_block(f, beta, b->v, 0, 6, 1);
            const soa_exact w = soa_exact_block(f, cross(s, V, false), 0, 0, 3, 3);
            const soa_exact Arm = soa_exact_block(f, get(s, SOA_OP_ARM), b->v + 3, b->v + 3, 3, 3);
            const soa_exact v = soa_exact_block(f, V, 3, 0, 3, 1);
            soa_exact_put(f, made, b->v + 3, 0, multiply(s, Arm, multiply(s, w, v)));
        }
    }
    return made;
}

/* What was given by e0, e1, ...: a velocity or force by 1, beta in time by betadot; how others move in time is not known. */
static void move_given(system_ *s, soa_vector_id vector, soa_exact x)
{
    soa_field *f = &s->field;
    const int offset = vector == SOA_VECTOR_BETA ? SOA_EXACT_VELOCITY : vector == SOA_VECTOR_T ? SOA_EXACT_FORCE : -1;
    for (int i = 0; i < f->order && f->status == SOA_OK; i++) {
        const int moved = s->choice.moved[i];
        if (offset > 0 && moved >= offset && moved < offset + x.rows) {
            *soa_exact_entry(x, 1 << i, moved - offset, 0) = 1;
        } else if (moved == SOA_EXACT_TIME && vector == SOA_VECTOR_BETA) {
            unsigned long long seed = s->choice.seed * SOA_VECTORS + (unsigned)SOA_VECTOR_BETADOT + 1;
            const soa_exact rate = soa_exact_random_matrix(f, &seed, x.rows, 1);
            for (int v = 0; v < x.rows && f->status == SOA_OK; v++) {
                *soa_exact_entry(x, 1 << i, v, 0) = *soa_exact_entry(rate, 0, v, 0);
            }
        } else if (moved == SOA_EXACT_TIME) {
            f->status = SOA_E_UNSUPPORTED;
        }
    }
}

soa_exact soa_exact_vector(soa_exact_system *system, soa_vector_id vector)
{
    soa_exact *known = &system->vector[vector];
    if (known->at || system->field.status != SOA_OK) {
        return *known;
    }
    unsigned long long seed = system->choice.seed * SOA_VECTORS + (unsigned)vector + 1;
    const soa_vector_info about = soa_vector_about(vector);
    switch (vector) {
    case SOA_VECTOR_V:
        *known = multiply(system, adjoint(system, multiply(system, get(system, SOA_OP_H), get(system, SOA_OP_PHI))),
            soa_exact_vector(system, SOA_VECTOR_BETA));
        break;
    case SOA_VECTOR_A:
        *known = acceleration(system);
        break;
    case SOA_VECTOR_B:
        *known = gyroscopic(system);
        break;
    case SOA_VECTOR_G:
        *known = gravity(system);
        break;
    case SOA_VECTOR_B_ARM:
        *known = turning_armature(system);
        break;
    default: /* given with the state */
        *known = soa_exact_random_matrix(&system->field, &seed, soa_exact_size(system, about.space), 1);
        move_given(system, vector, *known);
    }
    return *known;
}
