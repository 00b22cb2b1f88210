/* memory.c - memory of the program that need not be freed, and the way out of a command.
 *
 * A failure ends the command wherever it is found (tool_end), so nothing in the program asks whether a step went well. Blocks
 * are kept in a list, so that the program can return them all at its end. Loops return what each round takes. */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "tool.h"

/* ---- the way out ---------------------------------------------------------------------------------- */

static jmp_buf *way_out;
static int ended;

void tool_end(int status)
{
    ended = status;
    longjmp(*way_out, 1);
}

int tool_try(void (*run)(void *context), void *context)
{
    jmp_buf here;
    jmp_buf *const before = way_out;
    way_out = &here;
    if (setjmp(here) == 0) {
        run(context);
        ended = TOOL_OK;
    }
    way_out = before;
    return ended;
}

/* ---- blocks --------------------------------------------------------------------------------------- */

/* Stands before the bytes of a block. Those of the library are aligned, and threads of a sweep take and return some. */
typedef struct block {
    struct block *older, *newer;
    size_t size;
    bool aligned;
} block;

static block *newest[2];                                 /* by `aligned` */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list of aligned ones */

/* The bytes of a new block, which begin behind its head. */
static void *enlist(block *b, size_t size, bool aligned)
{
    *b = (block){ .older = newest[aligned], .size = size, .aligned = aligned };
    if (b->older != NULL) {
        b->older->newer = b;
    }
    newest[aligned] = b;
    return b + 1;
}

static void strike(const block *b)
{
    *(b->newer != NULL ? &b->newer->older : &newest[b->aligned]) = b->older;
    if (b->older != NULL) {
        b->older->newer = b->newer;
    }
}

static void *take_plain(size_t size)
{
    block *b = size <= SIZE_MAX - sizeof *b ? calloc(1, sizeof *b + size) : NULL;
    return b != NULL ? enlist(b, size, false) : NULL;
}

static void *take_aligned(void *context, size_t size)
{
    (void)context;
    const soa_allocator below = soa_allocator_default();
    char *bytes = size <= SIZE_MAX - SOA_ALIGNMENT ? below.allocate(below.context, SOA_ALIGNMENT + size) : NULL;
    if (bytes == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    void *memory = enlist((block *)(void *)(bytes + SOA_ALIGNMENT) - 1, size, true);
    pthread_mutex_unlock(&lock);
    return memory;
}

static void return_aligned(void *context, void *memory)
{
    (void)context;
    const soa_allocator below = soa_allocator_default();
    if (memory != NULL) {
        pthread_mutex_lock(&lock);
        strike((const block *)memory - 1);
        pthread_mutex_unlock(&lock);
        below.release(below.context, (char *)memory - SOA_ALIGNMENT);
    }
}

const soa_allocator TOOL_MEMORY = { take_aligned, return_aligned, NULL };

void tool_return(void *memory)
{
    block *b = memory != NULL ? (block *)memory - 1 : NULL;
    if (b != NULL && b->aligned) {
        return_aligned(NULL, memory);
    } else if (b != NULL) {
        strike(b);
        free(b);
    }
}

void tool_return_all(void)
{
    for (int aligned = 0; aligned < 2; aligned++) {
        for (block *b = newest[aligned], *older; b != NULL; b = older) {
            older = b->older;
            tool_return(b + 1);
        }
    }
}

void *tool_take(size_t count, size_t size)
{
    void *memory = size == 0 || count <= SIZE_MAX / size ? take_plain(count * size) : NULL;
    if (memory == NULL) {
        tool_fail_memory();
    }
    return memory;
}

void *tool_grow(void *memory, size_t size)
{
    char *grown = tool_take(size, 1);
    if (memory != NULL) {
        const size_t before = ((const block *)memory - 1)->size;
        memcpy(grown, memory, before < size ? before : size);
        tool_return(memory);
    }
    return grown;
}

char *tool_copy(const char *text)
{
    return strcpy(tool_take(strlen(text) + 1, 1), text);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static bool watched, lacking;

/* Memory for jansson. */
static void *take_json(size_t size)
{
    void *memory = take_plain(size);
    lacking = lacking || memory == NULL;
    if (memory == NULL && !watched) {
        tool_fail_memory();
    }
    return memory;
}

void json_use_memory(void)
{
    json_set_alloc_funcs(take_json, tool_return);
}

void json_watch_memory(void)
{
    watched = true;
    lacking = false;
}

bool json_out_of_memory(void)
{
    watched = false;
    return lacking;
}
