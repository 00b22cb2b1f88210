/* sim/spin.c - flexible links that turn faster than their data can bear.
 *
 * Without second-order displacements a link does not stiffen when it turns. In axes that turn with w its modes then feel
 *     K - 1/2 w . second2 w
 * which bends them away once it is not positive definite any more: a failure of the data, not of the link. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "sim/sim_system.h"

/* 1/2 w . J w, J six numbers. */
static double half_square(const double *J, const double w[3])
{
    return 0.5 * (J[0] * w[0] * w[0] + J[3] * w[1] * w[1] + J[5] * w[2] * w[2]) + J[1] * w[0] * w[1] +
           J[2] * w[0] * w[2] + J[4] * w[1] * w[2];
}

static bool bears(const soa_flexible *f, const double w[3], double *A)
{
    const size_t m = (size_t)f->modes;
    for (size_t i = 0; i < m * m; i++) {
        A[i] = f->stiffness[i] - half_square(f->second2 + 6 * i, w);
    }
    return soa_cholesky(m, A, 0.0).rank == m;
}

/* A link that is looked at: it could stiffen, and its data leave that out. */
static const soa_flexible *watched(const soa_model *m, int link)
{
    const soa_flexible *f = soa_model_link(m, link)->flexible;
    return f && f->second2 && !f->ef1 ? f : NULL;
}

void sim_spin_take(soa_sim *sim)
{
    const int links = soa_model_links(sim->model);
    bool any = false;
    for (int i = 0; i < links; i++) {
        any = any || watched(sim->model, i);
    }
    sim->spin =
        any ? soa_arena_take(&sim->arena, 18 * (size_t)links + SOA_MAX_MODES * SOA_MAX_MODES, sizeof *sim->spin) : NULL;
}

soa_status sim_spin_look(soa_sim *sim, soa_error *error)
{
    if (!sim->spin || sim->report.spun_link > 0) {
        return SOA_OK;
    }
    const int links = soa_model_links(sim->model);
    double *pose = sim->spin, *V = pose + 12 * (size_t)links, *A = V + 6 * (size_t)links;
    const soa_status status =
        soa_kinematics(sim->model, sim->workspace, 1, sim->y_front, sim->y_front + sim->nq, NULL, pose, V, NULL, error);
    for (int i = 0; status == SOA_OK && i < links && sim->report.spun_link == 0; i++) {
        const soa_flexible *f = watched(sim->model, i);
        const double *R = pose + 12 * (size_t)i, *x = V + 6 * (size_t)i;
        double w[3];
        for (int e = 0; e < 3; e++) {
            w[e] = R[e] * x[0] + R[3 + e] * x[1] + R[6 + e] * x[2];
        }
        if (f && !bears(f, w, A)) {
            sim->report.spun_link = i + 1;
            sim->report.spun_time = sim->front;
            sim->report.spun_rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        }
    }
    return status;
}
