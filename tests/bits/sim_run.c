/* tests/bits/sim_run.c - one simulation. */
#include <stdlib.h>

#include "bits.h"

/* Where a run has arrived. */
hash hash_sim(hash h, const soa_model *model, soa_sim *sim)
{
    const double *signal = soa_sim_signal_values(sim, NULL);
    h = hash_rounded(h, (size_t)soa_model_nq(model), soa_sim_q(sim));
    h = hash_rounded(h, (size_t)soa_model_nv(model), soa_sim_v(sim));
    for (int i = 0; signal && i < soa_sim_signals(sim); i++) {
        h = hash_rounded(h, 1, signal + i);
    }
    return h;
}

/* The account of a run too. Steps of Newton's method in a variational step are left out: the last one may be due to rounding. */
static hash hash_account(hash h, const soa_model *model, const soa_sim_setup *setup, soa_sim *sim)
{
    soa_sim_report r;
    h = hash_sim(h, model, sim);
    h += (hash)soa_sim_report_get(sim, &r, NULL);
    const double account[] = { (double)r.steps, (double)r.rejected,
        setup->method == SOA_VARIATIONAL ? 0.0 : (double)r.evaluations, r.initial, r.final, r.work, r.drift,
        r.exchanged, r.position, r.velocity, r.branches_kept, r.branches_changed, (double)r.impacts, r.impact_energy,
        r.spun_link, r.spun_time, r.spun_rate, r.events, soa_sim_time(sim), soa_sim_stopped(sim) };
    h = hash_rounded(h, sizeof account / sizeof account[0], account);
    for (int i = 0; i < r.events; i++) {
        const double event[] = { r.event[i].t, r.event[i].event, r.event[i].energy };
        h = hash_rounded(h, 3, event);
    }
    return h;
}

/* Runs, saves half way, and goes on from there in a second simulation. */
void bits_run(const char *name, const char *algorithm, const soa_model *model, const soa_sim_setup *setup, double end)
{
    soa_sim *sim = NULL, *again = NULL;
    soa_status status = soa_sim_new(model, setup, NULL, &sim, NULL);
    hash h = hash_begin(status);
    if (status == SOA_OK && soa_sim_new(model, setup, NULL, &again, NULL) == SOA_OK) {
        for (int i = 1; i <= 4 && status == SOA_OK; i++) {
            status = soa_sim_advance(sim, end * i / 8.0, NULL);
            h = hash_rounded(h, (size_t)soa_model_nv(model), soa_sim_v(sim));
        }
        const size_t size = soa_sim_saved_size(sim);
        void *saved = calloc(size + 1, 1);
        h += (hash)soa_sim_save(sim, saved, NULL) + (hash)soa_sim_restore(again, saved, size, NULL);
        free(saved);
        status = status == SOA_OK ? soa_sim_advance(again, end, NULL) : status;
        h = hash_account(h, model, setup, again);
        h += (hash)soa_sim_step(again, 1e-3, NULL);
        h = hash_account(h, model, setup, again);
    }
    print_single(name, algorithm, status, h);
    soa_sim_free(sim);
    soa_sim_free(again);
}
