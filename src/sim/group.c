/* sim/group.c - the group of the motions of a joint: brackets and their series. */
#include "sim/group.h"

#include <string.h>

#include "sens/turning.h"

/* Whether some motions of a joint do not commute. */
static bool turns(soa_joint_kind kind)
{
    return kind == SOA_SPHERICAL || kind == SOA_FREE || kind == SOA_PLANAR;
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
            joint_bracket(body.kind, body.nv, false, x + body.v, term, next);
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
            joint_bracket(body.kind, body.nv, false, term, v + body.v, next);
            for (int i = 0; i < body.nv; i++) {
                term[i] = 0.5 * hg * next[i];
                r[body.v + i] += term[i];
            }
        }
    }
}

void sim_dual_bracket(const soa_model *model, const double *x, const double *m, double *r)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        memset(r + body.v, 0, (size_t)body.nv * sizeof *r);
        if (turns(body.kind)) {
            joint_bracket(body.kind, body.nv, true, x + body.v, m + body.v, r + body.v);
        }
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
            joint_bracket(body.kind, body.nv, true, x + body.v, term, next);
            for (int i = 0; i < body.nv; i++) {
                term[i] = next[i] / (n + shift);
                r[body.v + i] += term[i];
            }
        }
    }
}
