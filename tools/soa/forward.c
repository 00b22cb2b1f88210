/* forward.c - forward dynamics of one model as compiled code, for simulations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

/* More joints than this, and code without loops is no faster than the library: it does not fit the caches. */
enum { MOST_VELOCITIES = 32 };

module_forward *module_compile_forward(const soa_model *model, char *why, size_t size)
{
    const module_emit_table *emit = module_look("emit");
    const module_jit_table *jit = module_look("jit");
    const module_emit_request request = {
        .model = model, .source = "sim", .what = "fd", .name = "soa_forward", .lanes = 1
    };
    module_forward *function = NULL;
    if (emit == NULL || jit == NULL) {
        snprintf(why, size, "the modules soa_emit.so and soa_jit.so are not there");
        return NULL;
    }
    if (soa_model_nv(model) > MOST_VELOCITIES || soa_model_closures(model) + soa_model_couplings(model) > 0) {
        snprintf(why, size, "it would not pay: the model is large, or closed");
        return NULL;
    }
    char *text = emit->emit(&request, why, size);
    void *symbol = text != NULL ? jit->load(text, "soa_forward", why, size) : NULL;
    memcpy(&function, &symbol, sizeof symbol);
    free(text);
    return function;
}
