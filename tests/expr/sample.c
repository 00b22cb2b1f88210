/* expr/sample.c - small random systems on which expressions are evaluated. */
#include <stdio.h>

#include "core/error.h"
#include "core/random.h"
#include "expr/dense_value.h"
#include "expr/graph.h"
#include "model/model.h"

enum { BODIES_LEAST = 2, BODIES_MOST = 6, TRIES = 200 };

static soa_status set_up(soa_sample *sample, unsigned long long *seed, const soa_allocator *allocator, soa_error *error)
{
    const int nq = soa_model_nq(sample->model), links = soa_model_links(sample->model);
    sample->q = soa_allocate(allocator, (size_t)nq + 1, sizeof *sample->q);
    if (!sample->q) {
        return soa_fail_memory(error);
    }
    soa_random_configuration(sample->model, seed, sample->q);
    for (int i = 0; i < SOA_SAMPLE_POINTS; i++) { /* on the last link and on any */
        const int link = i == 0 ? links - 1 : (int)(soa_random_bits(seed) % (unsigned)links);
        const double position[3] = { 0.1, -0.2 * (i + 1), 0.3 }, axis[3] = { 0.6, 0.0, 0.8 };
        sample->point[i] = (soa_point){ link, soa_pose_from_axis_angle(position, axis, 0.5 + i) };
    }
    return soa_dense_new(sample->model, sample->q, SOA_SAMPLE_POINTS, sample->point, allocator, &sample->dense, error);
}

soa_status soa_sample_new(
    soa_sample *sample, unsigned long long *seed, bool rotors, const soa_allocator *allocator, soa_error *error)
{
    *sample = (soa_sample){ 0 };
    for (int i = 0; i < TRIES; i++) {
        const unsigned long long number = (*seed)++;
        sample->bodies = BODIES_LEAST + (int)(number % (BODIES_MOST - BODIES_LEAST + 1));
        snprintf(sample->name, sizeof sample->name, "tree:%d,%llu", sample->bodies, number);
        soa_status status = soa_model_builtin(sample->name, allocator, &sample->model, error);
        if (status != SOA_OK) {
            return status;
        }
        if (soa_has_rotors(sample->model) == rotors) {
            unsigned long long configuration = number;
            status = set_up(sample, &configuration, allocator, error);
            if (status != SOA_OK) {
                soa_sample_free(sample);
            }
            return status;
        }
        soa_model_free(sample->model);
        sample->model = NULL;
    }
    return soa_fail(error, SOA_E_LIMIT, -1, "no random tree is found; try another seed");
}

void soa_sample_free(soa_sample *sample)
{
    if (sample->model) {
        soa_allocator allocator = sample->model->allocator;
        soa_dense_free(sample->dense);
        soa_release(&allocator, sample->q);
        soa_model_free(sample->model);
    }
    *sample = (soa_sample){ 0 };
}
