/* emit/closed_order.c - the order of pivots, from the compliance of the rows in several states that satisfy the closures. */
#include "emit/closed.h"

#include "closure/closure.h"

enum { SAMPLES = 8, TRIES = 40 };

soa_closures *closed_set(emit_job *job)
{
    const soa_model *model = job->request->model;
    soa_closures *set = NULL;
    soa_error error;
    if (soa_closures_new(1, &model, NULL, NULL, &set, &error) != SOA_OK) {
        emit_refuse(job, "%s", error.text);
        return NULL;
    }
    const char *slides = NULL;
    for (int i = 0; i < soa_closures_count(set); i++) {
        const soa_closure *c = soa_closure_enabled(set, i) ? soa_closure_get(set, i) : NULL;
        slides = c != NULL && c->kind == SOA_CLOSE_SLIDING ? soa_closure_name(set, i) : slides;
    }
    if (slides == NULL && soa_closures_rows(set) > 0) {
        return set;
    }
    if (slides != NULL) {
        emit_refuse(job, "closure '%s' slides; friction is not emitted", slides);
    } else {
        emit_refuse(job, "the model has no closure and no coupling; emit 'fd'");
    }
    soa_closures_free(set);
    return NULL;
}

/* Steps of modes become small deformations. */
static void scale_modes(const soa_model *model, double *step)
{
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        for (int i = 0; body->joint_class == SOA_CLASS_MODAL && i < body->nv; i++) {
            step[body->v + i] *= body->rest->modal->scale[i];
        }
    }
}

/* Near the first configuration of the model, or the neutral one: nearer with every try. */
bool closed_state(
    soa_closures *set, const soa_model *model, unsigned long long *seed, double *q, double *v, soa_error *error)
{
    const soa_configuration *start = soa_model_configuration(model, 0);
    const int nv = model->nv;
    double *step = calloc((size_t)(nv + model->nq) + 1, sizeof *step), *from = step + nv;
    bool found = false;
    if (step != NULL && start != NULL) {
        memcpy(from, start->q, (size_t)model->nq * sizeof *from);
    } else if (step != NULL) {
        soa_model_neutral(model, from);
    }
    for (int i = 0; step != NULL && !found && i < TRIES; i++) {
        soa_projection projection;
        const double far = 1.0 / (1.0 + 0.2 * i);
        for (int k = 0; k < nv; k++) {
            step[k] = far * soa_model_random_number(seed);
            v[k] = soa_model_random_number(seed);
        }
        scale_modes(model, step);
        soa_integrate(model, from, step, 1.0, q);
        found = soa_closure_project(set, SOA_METRIC_IDENTITY, 1e-13, 1, q, v, &projection, error) == SOA_OK;
    }
    free(step);
    return found;
}

/* J Mass^-1 J* at q. */
static bool compliance(
    soa_closures *set, const soa_model *model, soa_workspace *workspace, const double *q, double *S, soa_error *error)
{
    const int n = set->rows, nv = model->nv;
    double *J = calloc((size_t)(2 * n * nv + nv * nv) + 1, sizeof *J), *X = J + n * nv, *inverse = X + n * nv;
    const bool good = J != NULL && soa_closure_jacobian(set, 1, q, J, error) == SOA_OK &&
                      soa_mass_inverse(model, workspace, 1, q, inverse, error) == SOA_OK;
    for (int i = 0; good && i < n * nv; i++) {
        for (int k = 0; k < nv; k++) {
            X[i] += J[i / nv * nv + k] * inverse[k * nv + i % nv];
        }
    }
    for (int i = 0; good && i < n * n; i++) {
        S[i] = 0.0;
        for (int k = 0; k < nv; k++) {
            S[i] += X[i / n * nv + k] * J[i % n * nv + k];
        }
    }
    free(J);
    return good;
}

/* What is left of the compliance of a row that is not taken yet, in the sample where least is. A row that nothing moves but
 * rounding has none. */
static double least_left(int n, int samples, const double *S, const double *whole, int row)
{
    double least = 1.0;
    for (int s = 0; s < samples; s++) {
        double largest = 0.0;
        for (int i = 0; i < n; i++) {
            largest = whole[s * n + i] > largest ? whole[s * n + i] : largest;
        }
        const double all = whole[s * n + row], left = S[(s * n + row) * n + row];
        const double part = all > 1e-20 * largest ? left / all : 0.0;
        least = part < least ? part : least;
    }
    return least;
}

static void take(int n, double *S, int p)
{
    const double pivot = S[p * n + p];
    for (int i = 0; i < n; i++) {
        const double factor = S[i * n + p] / pivot;
        for (int j = 0; i != p && j < n; j++) {
            S[i * n + j] -= j == p ? 0.0 : factor * S[p * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        S[i * n + p] = S[p * n + i] = 0.0;
    }
}

/* Row after row the one of which most is left, with its compliance on the average. *rank: how many of them are independent. */
static bool choose(int n, int samples, double *S, closed_pivot *order, int *rank)
{
    double *whole = calloc((size_t)(samples * n) + 1, sizeof *whole);
    bool *taken = calloc((size_t)n + 1, sizeof *taken);
    const bool good = whole != NULL && taken != NULL;
    for (int i = 0; good && i < samples * n; i++) {
        whole[i] = S[i * n + i % n];
    }
    *rank = 0;
    for (int at = 0; good && at < n; at++) {
        int best = -1;
        double most = -1.0;
        for (int row = 0; row < n; row++) {
            const double left = taken[row] ? -1.0 : least_left(n, samples, S, whole, row);
            if (!taken[row] && (best < 0 || left > most)) {
                best = row, most = left;
            }
        }
        order[at] = (closed_pivot){ .row = best };
        for (int s = 0; s < samples; s++) {
            order[at].typical += whole[s * n + best] / samples;
        }
        taken[best] = true;
        if (most > CLOSED_LEAST) {
            *rank = at + 1;
            for (int s = 0; s < samples; s++) {
                take(n, S + s * n * n, best);
            }
        }
    }
    free(whole);
    free(taken);
    return good;
}

/* S of states that satisfy the closures, one after another; how many there are. */
static int sample(soa_closures *set, const soa_model *model, double *S, soa_error *error)
{
    const int n = set->rows;
    unsigned long long seed = 7;
    soa_workspace *workspace = NULL;
    double *q = calloc((size_t)(model->nq + model->nv) + 1, sizeof *q);
    const bool good = q != NULL && soa_workspace_new(model, NULL, &workspace, error) == SOA_OK;
    int samples = 0;
    for (int i = 0; good && i < SAMPLES; i++) {
        samples += closed_state(set, model, &seed, q, q + model->nq, error) &&
                   compliance(set, model, workspace, q, S + samples * n * n, error);
    }
    free(q);
    soa_workspace_free(workspace);
    return samples;
}

bool closed_order(emit_job *job, soa_closures *set, closed_pivot *order, int *rank)
{
    const int n = set->rows;
    soa_redundancy known;
    soa_error error;
    double *S = calloc((size_t)(SAMPLES * n * n) + 1, sizeof *S);
    const bool ready = S != NULL && soa_closures_redundancy(set, &known, &error) == SOA_OK;
    const int samples = ready ? sample(set, job->request->model, S, &error) : 0;
    bool good = samples > 0;
    if (ready && !good) {
        emit_refuse(job, "%s", error.text);
    } else if (good && (known.rounded || known.undecided)) {
        good = emit_refuse(
            job, "rows of %s depend on each other but for rounding; give their frames more digits", known.closures);
    }
    good = good && choose(n, samples, S, order, rank);
    if (good && *rank != known.rank) {
        good = emit_refuse(job, "%d rows are independent in some states and %d in others; no order of pivots fits all",
            *rank, known.rank);
    }
    free(S);
    return good;
}
