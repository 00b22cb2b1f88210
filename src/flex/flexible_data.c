/* flex/flexible_data.c - the data of a flexible link: memory, springs, frequencies. */
#include <math.h>
#include <string.h>

#include "core/eigen.h"
#include "core/error.h"
#include "flex/fe.h"

soa_flexible_block *soa_flexible_new(const soa_allocator *allocator, int modes, int nodes, bool second)
{
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    soa_flexible_block *block = soa_allocate(&from, 1, sizeof *block);
    if (!block) {
        return NULL;
    }
    *block = (soa_flexible_block){ .data = { .modes = modes, .nodes = nodes }, .allocator = from };
    block->arena = soa_arena_on(&block->allocator);
    const size_t m = (size_t)modes, n = (size_t)nodes;
    soa_flexible *f = &block->data;
    const struct {
        const double **to;
        size_t count;
        bool wanted;
    } arrays[] = { { &f->position, n * 3, true }, { &f->shape, n * m * 6, true }, { &f->shape2, n * m * m * 3, second },
        { &f->ee, m * m, true }, { &f->ef, m * 3, true }, { &f->en, m * 3, true }, { &f->en1, m * m * 3, true },
        { &f->ef1, m * m * 3, second }, { &f->second1, m * 6, true }, { &f->second2, m * m * 6, true },
        { &f->stiffness, m * m, true }, { &f->damping, m * m, true } };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (arrays[i].wanted) {
            *arrays[i].to = soa_arena_take(&block->arena, arrays[i].count, sizeof(double));
        }
    }
    if (block->arena.failed) {
        soa_flexible_free(&from, f);
        return NULL;
    }
    return block;
}

void soa_flexible_free(const soa_allocator *allocator, soa_flexible *flexible)
{
    (void)allocator; /* the block knows where it came from */
    if (flexible) {
        soa_flexible_block *block = (soa_flexible_block *)(void *)flexible; /* its first member */
        const soa_allocator from = block->allocator;
        soa_arena_free(&block->arena);
        soa_release(&from, block);
    }
}

soa_status soa_flexible_give(soa_flexible_block *block, soa_status status, soa_flexible **flexible, soa_error *error)
{
    if (!block) {
        return soa_fail_memory(error);
    }
    if (status == SOA_OK) {
        *flexible = &block->data;
    } else {
        soa_flexible_free(NULL, &block->data);
    }
    return status;
}

void soa_flexible_springs(soa_flexible_block *block, const double *value, double ratio)
{
    const int m = block->data.modes;
    for (int i = 0; i < m; i++) {
        soa_numbers_of(block->data.stiffness)[i * m + i] = value[i];
        soa_numbers_of(block->data.damping)[i * m + i] = 2.0 * ratio * sqrt(value[i]);
    }
}

/* Numbers that only rounding made: below this much of the largest of their kind. */
#define ROUNDING 1e-13

static void tidy(size_t count, const double *numbers)
{
    double largest = 0.0;
    for (size_t i = 0; numbers && i < count; i++) {
        largest = fmax(largest, fabs(numbers[i]));
    }
    for (size_t i = 0; numbers && i < count; i++) {
        if (fabs(numbers[i]) <= ROUNDING * largest) {
            soa_numbers_of(numbers)[i] = 0.0;
        }
    }
}

void soa_flexible_tidy(soa_flexible_block *block)
{
    soa_flexible *f = &block->data;
    const size_t m = (size_t)f->modes, n = (size_t)f->nodes;
    tidy(3, f->first);
    tidy(6, f->second);
    tidy(m * 3, f->ef);
    tidy(m * 3, f->en);
    tidy(m * m * 3, f->en1);
    tidy(m * m * 3, f->ef1);
    tidy(m * 6, f->second1);
    tidy(m * m * 6, f->second2);
    tidy(n * m * 6, f->shape);
    tidy(n * m * m * 3, f->shape2);
}

/* ---- frequencies -------------------------------------------------------------------------------------- */

/* stiffness x = omega^2 ee x; a mode's share of the rigid motions is (x* e)^2 for the columns e of en and ef. */
static soa_status frequencies(
    soa_arena *arena, const soa_flexible *f, double *frequency, double *effective, soa_error *error)
{
    const size_t m = (size_t)f->modes;
    double *A = soa_arena_take(arena, m * m, sizeof *A), *B = soa_arena_take(arena, m * m, sizeof *B);
    double *work = soa_arena_take(arena, m, sizeof *work);
    if (arena->failed) {
        return soa_fail_memory(error);
    }
    memcpy(A, f->ee, m * m * sizeof *A);
    memcpy(B, f->stiffness, m * m * sizeof *B);
    if (soa_pencil(m, A, B, frequency, work) != SOA_PENCIL_OK) {
        return soa_fail(error, SOA_E_INERTIA, -1, "the modal mass 'ee' is not positive definite");
    }
    for (size_t i = 0; i < m; i++) {
        frequency[i] = sqrt(fmax(0.0, frequency[i])) / (2.0 * acos(-1.0));
        for (size_t q = 0; effective && q < 6; q++) {
            double share = 0.0;
            for (size_t k = 0; k < m; k++) {
                share += B[i * m + k] * (q < 3 ? f->en[3 * k + q] : f->ef[3 * k + q - 3]);
            }
            effective[6 * i + q] = share * share;
        }
    }
    return SOA_OK;
}

soa_status soa_flexible_frequencies(
    const soa_flexible *flexible, double *frequency, double *effective, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    soa_arena arena = soa_arena_on(&usual);
    soa_error_clear(error);
    if (!flexible || !frequency) {
        return soa_fail_null(error, flexible ? "the place of the frequencies" : "the flexible link");
    }
    if (flexible->modes < 1 || !flexible->ee || !flexible->stiffness) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the flexible link has no modes, no modal mass or no stiffness");
    }
    const soa_status status = frequencies(&arena, flexible, frequency, effective, error);
    soa_arena_free(&arena);
    return status;
}
