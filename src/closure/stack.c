/* closure/stack.c - the memory of one solution. */
#include <string.h>

#include "closure/closure.h"

static size_t rounded(size_t count, size_t size)
{
    return (count * size + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT;
}

void soa_stack_begin(soa_stack *stack)
{
    stack->used = stack->borrowed = 0;
    stack->overflow = false;
    memset(stack->spare, 0, sizeof stack->spare);
}

static bool has_room(soa_stack *stack, size_t bytes)
{
    if (stack->overflow || bytes > stack->size - stack->used - stack->borrowed) {
        stack->overflow = true;
        return false;
    }
    return true;
}

void *soa_stack_take(soa_stack *stack, size_t count, size_t size)
{
    const size_t bytes = rounded(count, size);
    if (!has_room(stack, bytes)) {
        return NULL;
    }
    void *block = stack->at + stack->used;
    stack->used += bytes;
    return block;
}

void *soa_stack_borrow(soa_stack *stack, size_t count, size_t size)
{
    const size_t bytes = rounded(count, size);
    if (!has_room(stack, bytes)) {
        return NULL;
    }
    stack->borrowed += bytes;
    return stack->at + stack->size - stack->borrowed;
}

/* ---- numbers of fronts ---------------------------------------------------------------------------- */

enum { SMALL_FRONT = SOA_MAX_LANES * (9 + SOA_MAX_LANES) };

/* Small fronts have one size; of larger ones each is half as large again as the one before, or twice. */
static int class_of(size_t count, size_t *size)
{
    int i = 0;
    for (*size = SMALL_FRONT; *size < count; i++) {
        *size += i % 2 == 0 ? *size / 2 : *size / 3;
    }
    return i;
}

double *soa_stack_numbers(soa_stack *stack, size_t count)
{
    size_t size;
    const int i = class_of(count, &size);
    if (i >= SOA_SPARE_SIZES || !stack->spare[i]) {
        return soa_stack_take(stack, size, sizeof(double));
    }
    soa_spare *spare = stack->spare[i];
    stack->spare[i] = spare->next;
    return (double *)(void *)spare;
}

void soa_stack_spare(soa_stack *stack, double *numbers, size_t count)
{
    size_t size;
    const int i = class_of(count, &size);
    if (i < SOA_SPARE_SIZES) {
        soa_spare *spare = (soa_spare *)(void *)numbers;
        spare->next = stack->spare[i];
        stack->spare[i] = spare;
    }
}
