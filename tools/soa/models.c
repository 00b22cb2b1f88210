/* models.c - soa models: the built-in models. */
#include <string.h>

#include "json.h"
#include "tool.h"

const tool_option TOOL_MODELS_OPTIONS[] = {
    { "json", 0, NULL, "the list as JSON" },
    { NULL, 0, NULL, NULL },
};

/* A built-in with arguments has no size of its own. */
static bool has_size(int builtin)
{
    return strchr(soa_builtin_name(builtin), ':') == NULL;
}

static void models_json(const tool_call *call)
{
    json_writer writer = json_begin(call->out);
    json_list(&writer, "models");
    for (int i = 0; i < soa_builtins(); i++) {
        soa_model *model = NULL;
        if (has_size(i)) {
            tool_must(soa_model_builtin(soa_builtin_name(i), &TOOL_MEMORY, &model, tool_error()));
        }
        json_t *bodies = model == NULL ? json_null() : json_integer(soa_model_bodies(model));
        json_t *nv = model == NULL ? json_null() : json_integer(soa_model_nv(model));
        json_t *mass = model == NULL ? json_null() : json_number(soa_model_mass(model));
        json_item(&writer, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", json_text(soa_builtin_name(i)), "text",
                               json_text(soa_builtin_text(i)), "bodies", bodies, "nv", nv, "mass", mass));
    }
    json_list_end(&writer);
    json_end(&writer);
}

void tool_models(tool_call *call)
{
    if (tool_value(call, "json") != NULL) {
        models_json(call);
        return;
    }
    tool_put(call, INK_BOLD, "name                    bodies  dofs  what it is\n", 0);
    for (int i = 0; i < soa_builtins(); i++) {
        soa_model *model = NULL;
        if (!has_size(i)) {
            fprintf(call->out, "%-24s%6s%6s  %s\n", soa_builtin_name(i), "N", "", soa_builtin_text(i));
            continue;
        }
        tool_must(soa_model_builtin(soa_builtin_name(i), &TOOL_MEMORY, &model, tool_error()));
        fprintf(call->out, "%-24s%6d%6d  %s\n", soa_builtin_name(i), soa_model_bodies(model), soa_model_nv(model),
            soa_builtin_text(i));
    }
    fputs("\nUse one as 'builtin:NAME', for example 'soa info builtin:arm7'.\n", call->out);
}
