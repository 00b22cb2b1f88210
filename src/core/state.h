/* core/state.h - what an object remembers, written to memory and read back: one list of its parts does both. */
#ifndef SOA_CORE_STATE_H
#define SOA_CORE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef enum soa_state_way { SOA_STATE_MEASURE, SOA_STATE_SAVE, SOA_STATE_LOAD } soa_state_way;

/* Bytes on their way out of an object or into it. `used` counts; at its end it is the size of the state. */
typedef struct soa_state {
    soa_state_way way;
    char *at; /* NULL while it is measured; only read while it is loaded */
    size_t used;
} soa_state;

/* One part of the object: plain bytes without pointers. */
static inline void soa_state_pass(soa_state *state, void *part, size_t bytes)
{
    if (state->way == SOA_STATE_SAVE) {
        memcpy(state->at + state->used, part, bytes);
    } else if (state->way == SOA_STATE_LOAD) {
        memcpy(part, state->at + state->used, bytes);
    }
    state->used += bytes;
}

#endif
