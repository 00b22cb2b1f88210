/* closure/load.c - what a closure does: its wrench, normal force and cone. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"

static double along(const double R[3][3], int axis, const double x[3])
{
    return R[0][axis] * x[0] + R[1][axis] * x[1] + R[2][axis] * x[2];
}

static void contact(const soa_closure *c, const soa_tie_place *p, soa_closure_load *load)
{
    const double *force = load->wrench_on_a + 3;
    load->contact = true;
    load->normal = along(p->R_b, 2, force);
    load->tangential = hypot(along(p->R_b, 0, force), along(p->R_b, 1, force));
    load->twist = along(p->R_b, 2, load->wrench_on_a);
    load->cone_margin = c->friction * load->normal - load->tangential;
    if (c->kind == SOA_CLOSE_SOFT_FINGER && c->twist > 0.0) {
        load->cone_margin = fmin(load->cone_margin, c->twist * load->normal - fabs(load->twist));
    }
    load->holds = load->normal >= 0.0 && (c->kind == SOA_CLOSE_SLIDING || load->cone_margin >= 0.0);
}

soa_status soa_closure_force(const soa_closures *set, int closure, soa_closure_load *load, soa_error *error)
{
    const soa_tie *tie = set ? soa_tie_at(set, closure) : NULL;
    if (!tie || !tie->enabled || !load) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set has no enabled closure number %d", closure);
    }
    *load = (soa_closure_load){ .holds = true };
    if (tie->coupling) {
        load->wrench_on_a[0] = set->last.lambda[tie->first]; /* the joint force on the coupled joint */
        return SOA_OK;
    }
    const soa_tie_place *p = &set->place[closure];
    memcpy(load->point, p->p, sizeof load->point);
    for (int r = 0; r < tie->rows; r++) {
        const int row = tie->first + r;
        for (int i = 0; i < 6; i++) {
            load->wrench_on_a[i] += set->row[row].W[i] * set->last.lambda[row];
        }
    }
    if (tie->closure.kind == SOA_CLOSE_SLIDING) {
        for (int i = 0; i < 6; i++) {
            load->wrench_on_a[i] += p->wrench[i];
        }
    }
    if (soa_kind_contact(&tie->closure)) {
        contact(&tie->closure, p, load);
    }
    return soa_closed_finite(set, (soa_closed_result){ "wrench", load->wrench_on_a, 6, SOA_IN_ALL }, error);
}
