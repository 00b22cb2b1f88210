/* tests/bits/model_rows.c - configurations, what a model tells of its description and bodies, and poses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

/* ---- configurations ------------------------------------------------------------------------------------ */

enum { TIMES = 6, PLACES = TIMES + 6 };
static const double DT[TIMES] = { 0.0, 1e-9, 1e-4, 0.3, 3.14159265358979312, 20.0 };

static void configuration_rows(const char *name, const soa_model *model)
{
    unsigned long long seed = 13;
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    double *q = bits_numbers(PLACES * nq), *v = bits_numbers(nv), *w = bits_numbers(nv), *rate = bits_numbers(nq);
    hash h = hash_begin(SOA_OK);
    bits_random(&seed, nv, v);
    for (int i = 0; i < 4; i++) {
        soa_random_configuration(model, &seed, q + (size_t)(TIMES + i) * nq);
    }
    soa_model_neutral(model, q + (TIMES + 4) * nq);
    soa_integrate(model, q + (TIMES + 4) * nq, v, 1e-9, q + (TIMES + 5) * nq);
    for (int i = 0; i < TIMES; i++) {
        soa_integrate(model, q + TIMES * nq, v, DT[i], q + (size_t)i * nq);
    }
    print_single(name, "integrate", SOA_OK, hash_numbers(h, PLACES * nq, q));
    for (size_t i = 0; i < PLACES * PLACES; i++) {
        soa_difference(model, q + i / PLACES * nq, q + i % PLACES * nq, w);
        h = hash_numbers(h, nv, w);
    }
    print_single(name, "difference", SOA_OK, h);
    soa_model_rates(model, q, v, rate);
    print_single(name, "model_rates", SOA_OK, hash_numbers(hash_begin(SOA_OK), nq, rate));
    for (size_t i = 0; i < nq; i++) {
        q[i] *= 3.0;
    }
    hash checked = hash_begin(soa_check_configuration(model, q, NULL));
    const soa_status status = soa_normalize(model, q, NULL);
    print_single(name, "normalize", status, hash_numbers(checked, nq, q));
    soa_couple(model, q, v);
    print_single(name, "couple", SOA_OK, hash_numbers(hash_numbers(hash_begin(SOA_OK), nq, q), nv, v));
    bits_free(q);
    bits_free(v);
    bits_free(w);
    bits_free(rate);
}

/* ---- descriptions ----------------------------------------------------------------------------------------- */

static hash hash_whole(hash h, double x)
{
    return hash_numbers(h, 1, &x);
}

static hash hash_text(hash h, const char *text)
{
    for (; text && *text; text++) {
        h = hash_whole(h, *text);
    }
    return h;
}

static hash hash_pose(hash h, const soa_pose *p)
{
    return hash_numbers(hash_numbers(h, 9, &p->rotation[0][0]), 3, p->position);
}

static hash hash_inertia(hash h, const soa_inertia *inertia)
{
    return hash_numbers(hash_numbers(hash_whole(h, inertia->mass), 3, inertia->com), 6, inertia->moment);
}

static hash hash_joint(hash h, const soa_joint *j)
{
    const double numbers[] = { j->kind, j->pitch, j->reference, j->reversed, j->damping, j->friction, j->stiffness,
        j->spring_reference, j->rotor.armature, j->rotor.ratio, j->rotor.spin, j->rotor.transverse, j->rotor.mass };
    h = hash_numbers(hash_text(h, j->name), sizeof numbers / sizeof numbers[0], numbers);
    h = hash_numbers(hash_numbers(h, 3, j->rotor.axis), 3, j->rotor.com);
    h = hash_pose(hash_pose(h, &j->at), &j->child);
    h = hash_numbers(hash_numbers(hash_numbers(h, 3, j->axis), 3, j->axis2), SOA_JOINT_MAX_NQ, j->neutral);
    h = hash_numbers(hash_numbers(h, SOA_JOINT_MAX_NV, j->lower), SOA_JOINT_MAX_NV, j->upper);
    return hash_numbers(hash_numbers(h, SOA_JOINT_MAX_NV, j->velocity), SOA_JOINT_MAX_NV, j->effort);
}

static hash hash_links(hash h, const soa_model *m)
{
    for (int i = 0; i < soa_model_links(m); i++) {
        const soa_link *link = soa_model_link(m, i);
        const double numbers[] = { link->parent, link->node, link->flags, soa_model_find_link(m, link->name) };
        h = hash_inertia(hash_joint(hash_numbers(hash_text(h, link->name), 4, numbers), &link->joint), &link->inertia);
    }
    for (int i = 0; i < soa_model_frames(m); i++) {
        const soa_frame *frame = soa_model_frame(m, i);
        h = hash_pose(hash_whole(hash_whole(hash_text(h, frame->name), frame->link), frame->node), &frame->at);
    }
    for (int i = 0; i < soa_model_closures(m); i++) {
        const soa_closure *c = soa_model_closure(m, i);
        const double numbers[] = { c->kind, c->a, c->b, c->node_a, c->node_b, c->friction, c->distance, c->rows };
        h = hash_pose(hash_pose(hash_numbers(hash_text(h, c->name), 8, numbers), &c->at_a), &c->at_b);
    }
    for (int i = 0; i < soa_model_couplings(m); i++) {
        const soa_coupling *c = soa_model_coupling(m, i);
        h = hash_numbers(hash_whole(hash_whole(h, c->link), c->driver), SOA_COUPLING_TERMS, c->coefficient);
    }
    for (int i = 0; i < soa_model_geometries(m); i++) {
        const soa_geometry *g = soa_model_geometry(m, i);
        h = hash_pose(hash_numbers(hash_whole(hash_whole(h, g->link), g->shape), 3, g->size), &g->at);
    }
    return h;
}

static hash hash_bodies(hash h, const soa_model *m)
{
    for (int i = 0; i < soa_model_bodies(m); i++) {
        const soa_body b = soa_model_body(m, i);
        const double numbers[] = { b.parent, b.link, b.kind, b.q, b.v, b.nq, b.nv, b.links, b.flexible };
        h = hash_inertia(hash_numbers(h, 9, numbers), &b.inertia);
    }
    for (int i = 0; i < soa_model_links(m); i++) {
        soa_pose at;
        h = hash_whole(h, soa_model_link_body(m, i, &at));
        h = hash_pose(h, &at);
    }
    return h;
}

static void made_row(const char *name, const char *algorithm, soa_status status, soa_model *made)
{
    hash h = hash_begin(status);
    if (made) {
        double g[3];
        soa_model_gravity(made, g);
        h = hash_bodies(hash_links(hash_numbers(h, 3, g), made), made);
    }
    print_single(name, algorithm, status, h);
    soa_model_free(made);
}

void bits_models(const char *name, const soa_model *model)
{
    const size_t parameters = SOA_PARAMETERS * (size_t)soa_model_links(model);
    double *pi = bits_numbers(parameters);
    hash h = hash_begin(SOA_OK);
    soa_model *made = NULL;
    configuration_rows(name, model);
    print_single(name, "links", SOA_OK, hash_links(hash_whole(h, soa_model_mass(model)), model));
    print_single(name, "bodies", SOA_OK, hash_bodies(h, model));
    soa_model_parameters(model, pi);
    for (size_t i = 0; i < parameters; i += SOA_PARAMETERS) {
        const soa_inertia inertia = soa_inertia_from_parameters(pi + i);
        h = hash_inertia(hash_numbers(h, SOA_PARAMETERS, pi + i), &inertia);
    }
    print_single(name, "model_parameters", SOA_OK, h);
    const int nv = soa_model_nv(model) < 12 ? soa_model_nv(model) : 12;
    for (int i = 0; i < nv * nv * nv; i++) {
        h = hash_whole(h, (double)soa_christoffel_index(model, i / nv / nv, i / nv % nv, i % nv));
    }
    print_single(name, "christoffel_index", SOA_OK, h);
    soa_status status = soa_model_free_base(model, &made, NULL);
    made_row(name, "model_free_base", status, made);
    status = soa_model_with_gravity(model, (double[3]){ 1.0, 2.0, -3.0 }, &made, NULL);
    made_row(name, "model_with_gravity", status, made);
    bits_free(pi);
}

/* ---- poses, inertias, numbers over time, matrices --------------------------------------------------------------- */

static void pose_row(const char *name, soa_pose p)
{
    const soa_inertia body = { 2.0, { 0.1, -0.2, 0.3 }, { 0.5, 0.02, -0.03, 0.6, 0.04, 0.7 } };
    const soa_pose inverse = soa_pose_inverse(&p), twice = soa_pose_compose(&p, &p);
    const soa_inertia moved = soa_inertia_transform(&p, &body), both = soa_inertia_add(&moved, &body);
    double quaternion[4], rpy[3], moments[3];
    hash h = hash_inertia(hash_inertia(hash_pose(hash_pose(hash_begin(SOA_OK), &inverse), &twice), &moved), &both);
    soa_pose_quaternion(&p, quaternion);
    soa_pose_rpy(&p, rpy);
    soa_inertia_principal(&both, moments);
    h = hash_numbers(hash_numbers(h, 4, quaternion), 3, rpy);
    print_single(name, "pose", SOA_OK, hash_numbers(hash_pose(h, &p), 3, moments));
}

static void pose_rows(void)
{
    static const double ANGLE[] = { 0.0, 1e-9, 0.3, 1.57079632679489656, -1.57079632679489656, 3.14159265358979312,
        -2.5, 1e5, -1e9 };
    enum { ANGLES = sizeof ANGLE / sizeof ANGLE[0] };
    unsigned long long seed = 4;
    for (int i = 0; i < ANGLES * ANGLES; i++) {
        const double position[3] = { 0.1, -2.0, 1e3 };
        double rpy[3] = { ANGLE[i % ANGLES], ANGLE[i / ANGLES], ANGLE[(3 * i + 1) % ANGLES] }, wxyz[4];
        pose_row("rpy", soa_pose_from_rpy(position, rpy));
        bits_random(&seed, 4, wxyz);
        wxyz[i % 4] *= 10.0;
        pose_row("quaternion", soa_pose_from_quaternion(position, wxyz));
        pose_row("axis and angle", soa_pose_from_axis_angle(position, wxyz, ANGLE[i % ANGLES]));
    }
}

static void matrix_rows(void)
{
    enum { ROWS = 5, INPUTS = 2 };
    static const double SCALE[] = { 1e-3, 0.5, 20.0 };
    unsigned long long seed = 6;
    soa_linear_workspace *w = NULL;
    double A[ROWS * ROWS], B[ROWS * INPUTS], E[ROWS * ROWS], Ad[ROWS * ROWS], Bd[ROWS * INPUTS];
    (void)soa_linear_workspace_new(ROWS + INPUTS, NULL, &w, NULL);
    for (int s = 0; s < 3; s++) {
        bits_random(&seed, ROWS * ROWS, A);
        bits_random(&seed, ROWS * INPUTS, B);
        for (int i = 0; i < ROWS * ROWS; i++) {
            A[i] *= SCALE[s];
        }
        const soa_status status = soa_linear_exponential(w, ROWS, A, E, NULL);
        print_single("matrices", "linear_exponential", status, hash_numbers(hash_begin(status), ROWS * ROWS, E));
        const soa_status steps = soa_linear_discrete(w, ROWS, INPUTS, A, B, 0.1, Ad, Bd, NULL);
        const hash h = hash_numbers(hash_begin(steps), ROWS * ROWS, Ad);
        print_single("matrices", "linear_discrete", steps, hash_numbers(h, ROWS * INPUTS, Bd));
    }
    soa_linear_workspace_free(w);
}

static void curve_rows(void)
{
    static const double T[] = { -1.0, 0.0, 0.2, 1.0, 3.0 }, X[] = { 2.0, -1.0, 4.0, 4.0, 0.5 };
    double heights[20];
    unsigned long long seed = 7;
    bits_random(&seed, 20, heights);
    const soa_height_field field = { 5, 4, -1.0, -2.0, 0.5, 1.0, heights };
    for (int count = 1; count <= 5; count++) {
        const soa_series series = { count, T, X };
        for (double t = -1.5; t < 3.5; t += 0.1) {
            double x[4] = { soa_series_at(&series, t) };
            hash h = hash_numbers(hash_begin(SOA_OK), 1, x);
            for (int timing = SOA_TIMING_LINEAR; timing <= SOA_TIMING_SMOOTH; timing++) {
                const soa_path path = { series, (soa_timing)timing };
                soa_path_at(&path, t, x);
                h = hash_numbers(h, 3, x);
            }
            print_single("curves", "series_at, path_at", SOA_OK, h);
            x[0] = soa_height_field_at(&field, t, 1.3 * t - 0.7, x + 1);
            print_single("curves", "height_field_at", SOA_OK, hash_numbers(hash_begin(SOA_OK), 3, x));
        }
    }
}

void bits_spatial(void)
{
    pose_rows();
    matrix_rows();
    curve_rows();
}
