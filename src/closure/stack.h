/* closure/stack.h - the memory of one solution, taken once and used again and again. */
#ifndef SOA_CLOSURE_STACK_H
#define SOA_CLOSURE_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers of a front that is no more, to be used again. */
typedef struct soa_spare {
    struct soa_spare *next;
} soa_spare;

enum { SOA_SPARE_SIZES = 48 };

/* Memory for the fronts of one solution. What is taken stays, but for the numbers of fronts; what is borrowed, from the
 * other end, is given back. */
typedef struct soa_stack {
    char *at;
    size_t size, used, borrowed;
    bool overflow;
    soa_spare *spare[SOA_SPARE_SIZES]; /* by soa_spare_class */
} soa_stack;

/* Makes all memory free again. */
void soa_stack_begin(soa_stack *stack);

/* Takes a block; NULL: there is no room. */
void *soa_stack_take(soa_stack *stack, size_t count, size_t size);

/* Takes a block from the other end; setting stack->borrowed to what it was gives it back. */
void *soa_stack_borrow(soa_stack *stack, size_t count, size_t size);

/* Takes so many numbers for a front, and gives them back to be used again. */
double *soa_stack_numbers(soa_stack *stack, size_t count);
void soa_stack_spare(soa_stack *stack, double *numbers, size_t count);

#endif
