/* sim/group.c - the group of the motions of a joint: brackets and their series. */
#include "sim/group.h"

#include <math.h>
#include <string.h>

static void cross_add(double s, const double *a, const double *b, double *r)
{
    r[0] += s * (a[1] * b[2] - a[2] * b[1]);
    r[1] += s * (a[2] * b[0] - a[0] * b[2]);
    r[2] += s * (a[0] * b[1] - a[1] * b[0]);
}

/* Whether some motions of a joint do not commute. */
static bool turns(soa_joint_kind kind)
{
    return kind == SOA_SPHERICAL || kind == SOA_FREE || kind == SOA_PLANAR;
}

/* r = [a, b] of one joint; zero where its motions commute. */
static void bracket(soa_joint_kind kind, int nv, const double *a, const double *b, double *r)
{
    memset(r, 0, (size_t)nv * sizeof *r);
    if (kind == SOA_SPHERICAL || kind == SOA_FREE) {
        cross_add(1.0, a, b, r);
    }
    if (kind == SOA_FREE) {
        cross_add(1.0, a, b + 3, r + 3);
        cross_add(1.0, a + 3, b, r + 3);
    }
    if (kind == SOA_PLANAR) {
        r[0] = b[2] * a[1] - a[2] * b[1];
        r[1] = a[2] * b[0] - b[2] * a[0];
    }
}

/* r = v + [x, v]/2 + [x, [x, v]]/12 - [x, [x, [x, [x, v]]]]/720 of every joint. */
void sim_chart_rate(const soa_model *model, const double *x, const double *v, double *r)
{
    static const double series[] = { 0.5, 1.0 / 12, 0.0, -1.0 / 720 };
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        double term[SOA_JOINT_MAX_NV] = { 0.0 }, next[SOA_JOINT_MAX_NV];
        memcpy(r + body.v, v + body.v, (size_t)body.nv * sizeof *r);
        if (!turns(body.kind)) {
            continue;
        }
        memcpy(term, v + body.v, (size_t)body.nv * sizeof *term);
        for (int n = 0; n < 4; n++) {
            bracket(body.kind, body.nv, x + body.v, term, next);
            memcpy(term, next, (size_t)body.nv * sizeof *term);
            for (int i = 0; i < body.nv; i++) {
                r[body.v + i] += series[n] * term[i];
            }
        }
    }
}

/* r = W x = h g (x + h g G x + (h g G)^2 x + ...), cut where h^4 begins. */
void sim_chart_solve(const soa_model *model, double hg, const double *v, const double *x, double *r)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        double term[SOA_JOINT_MAX_NV] = { 0.0 }, next[SOA_JOINT_MAX_NV];
        for (int i = 0; i < body.nv; i++) {
            r[body.v + i] = hg * x[body.v + i];
        }
        if (!turns(body.kind)) {
            continue;
        }
        memcpy(term, r + body.v, (size_t)body.nv * sizeof *term);
        for (int n = 0; n < 3; n++) {
            bracket(body.kind, body.nv, term, v + body.v, next);
            for (int i = 0; i < body.nv; i++) {
                term[i] = 0.5 * hg * next[i];
                r[body.v + i] += term[i];
            }
        }
    }
}

/* r = ad_a* m, that is r.b = m.[a, b], of one joint. */
static void dual_bracket(soa_joint_kind kind, int nv, const double *a, const double *m, double *r)
{
    memset(r, 0, (size_t)nv * sizeof *r);
    if (kind == SOA_SPHERICAL || kind == SOA_FREE) {
        cross_add(-1.0, a, m, r);
    }
    if (kind == SOA_FREE) {
        cross_add(-1.0, a + 3, m + 3, r);
        cross_add(-1.0, a, m + 3, r + 3);
    }
    if (kind == SOA_PLANAR) {
        r[0] = a[2] * m[1];
        r[1] = -a[2] * m[0];
        r[2] = a[1] * m[0] - a[0] * m[1];
    }
}

void sim_dual_bracket(const soa_model *model, const double *x, const double *m, double *r)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        dual_bracket(body.kind, body.nv, x + body.v, m + body.v, r + body.v);
    }
}

/* The terms fall faster than those of exp |x|; 30 of them are exact for |x| up to 2. */
void sim_dual_series(const soa_model *model, int shift, const double *x, const double *m, double *r)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        double term[SOA_JOINT_MAX_NV] = { 0.0 }, next[SOA_JOINT_MAX_NV];
        memcpy(r + body.v, m + body.v, (size_t)body.nv * sizeof *r);
        if (!turns(body.kind)) {
            continue;
        }
        memcpy(term, m + body.v, (size_t)body.nv * sizeof *term);
        for (int n = 1; n <= 30; n++) {
            dual_bracket(body.kind, body.nv, x + body.v, term, next);
            for (int i = 0; i < body.nv; i++) {
                term[i] = next[i] / (n + shift);
                r[body.v + i] += term[i];
            }
        }
    }
}
