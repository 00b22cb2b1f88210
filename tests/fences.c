/* tests/fences.c - fences behind the arrays of a solution of closures, for tests.
 *
 * These arrays lie in one block (closure/stack.h), in pieces of whole SOA_ALIGNMENT bytes. Test programs are linked so that calls which
 * take them come here (ld --wrap): what an array leaves of its piece is a fence, and what writes there ends the program when
 * the memory is used again or released. Numbers of fronts have pieces of a few sizes, so their fences are longer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "closure/closure.h"

enum { FENCES = 4096, FENCE = 0xfc };

typedef struct fence {
    const soa_stack *stack;
    const char *memory; /* of the stack when the fence was made, and its size */
    size_t size;
    unsigned char *at;
    size_t bytes;
} fence;

static _Thread_local fence fences[FENCES];
static _Thread_local int count;

void *__real_soa_stack_take(soa_stack *stack, size_t n, size_t size);
double *__real_soa_stack_numbers(soa_stack *stack, size_t n);
void __real_soa_stack_spare(soa_stack *stack, double *numbers, size_t n);
void __real_soa_stack_begin(soa_stack *stack);
void __real_soa_closures_free(soa_closures *set);
void *__wrap_soa_stack_take(soa_stack *stack, size_t n, size_t size);
double *__wrap_soa_stack_numbers(soa_stack *stack, size_t n);
void __wrap_soa_stack_spare(soa_stack *stack, double *numbers, size_t n);
void __wrap_soa_stack_begin(soa_stack *stack);
void __wrap_soa_closures_free(soa_closures *set);

static void set_fence(const soa_stack *stack, void *from, void *end)
{
    if (from && from < end && count < FENCES) {
        const size_t bytes = (size_t)((char *)end - (char *)from);
        memset(from, FENCE, bytes);
        fences[count++] = (fence){ stack, stack->at, stack->size, from, bytes };
    }
}

static void look_at(const fence *f)
{
    for (size_t i = 0; i < f->bytes; i++) {
        if (f->at[i] != FENCE) {
            abort(); /* something was written behind an array */
        }
    }
}

/* Looks at all fences of the stack, which are no more then. A stack that has moved had new memory. */
static void end_fences(const soa_stack *stack)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (fences[i].stack != stack) {
            fences[left++] = fences[i];
        } else if (fences[i].memory == stack->at && fences[i].size == stack->size) {
            look_at(&fences[i]);
        }
    }
    count = left;
}

void *__wrap_soa_stack_take(soa_stack *stack, size_t n, size_t size)
{
    char *block = __real_soa_stack_take(stack, n, size);
    set_fence(stack, block ? block + n * size : NULL, stack->at + stack->used);
    return block;
}

/* Only new pieces have a fence; numbers that are used again may be more or fewer. */
double *__wrap_soa_stack_numbers(soa_stack *stack, size_t n)
{
    const size_t used = stack->used;
    double *numbers = __real_soa_stack_numbers(stack, n);
    if (stack->used > used) {
        set_fence(stack, numbers ? numbers + n : NULL, stack->at + stack->used);
    }
    return numbers;
}

/* The fence of numbers that are given back is no more. */
void __wrap_soa_stack_spare(soa_stack *stack, double *numbers, size_t n)
{
    for (int i = count; i-- > 0;) {
        if (fences[i].stack == stack && fences[i].at == (unsigned char *)(numbers + n)) {
            look_at(&fences[i]);
            fences[i] = fences[--count];
            break;
        }
    }
    __real_soa_stack_spare(stack, numbers, n);
}

void __wrap_soa_stack_begin(soa_stack *stack)
{
    end_fences(stack);
    __real_soa_stack_begin(stack);
}

void __wrap_soa_closures_free(soa_closures *set)
{
    if (set) {
        end_fences(&set->stack);
    }
    __real_soa_closures_free(set);
}
