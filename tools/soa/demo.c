/* demo.c - soa demo: a short tour on a built-in model. */
#include "tool.h"

#define MODEL "arm7"

typedef struct step {
    const char *command;
    const char *text;
} step;

static const step NEXT[] = {
    { "soa info builtin:hexapod", "a mechanism with closed loops" },
    { "soa info robot.urdf", "your own robot; also MJCF .xml and native .yaml" },
    { "soa info builtin:arm7 --json", "the same for a program" },
    { "soa convert builtin:arm7 -o arm7.yaml", "a file to start from" },
    { "soa models", "every built-in model" },
    { "soa --help", "every command" },
};

int tool_demo(tool_call *call)
{
    soa_model *model = NULL;
    tool_tree tree;
    int status = tool_load("builtin:" MODEL, &model);
    if (status != TOOL_OK) {
        return status;
    }
    status = tool_tree_make(model, &tree);
    if (status == TOOL_OK) {
        fputs("$ soa info builtin:" MODEL "\n", call->out);
        tool_info_header(call, model, "builtin:" MODEL);
        fputc('\n', call->out);
        status = tool_info_tree(call, model, &tree, true);
        tool_tree_free(&tree);
    }
    soa_model_free(model);
    fputs("\nNext:\n", call->out);
    for (size_t i = 0; i < sizeof NEXT / sizeof NEXT[0]; i++) {
        fputs("  ", call->out);
        tool_put(call, INK_BOLD, NEXT[i].command, 42);
        fprintf(call->out, "%s\n", NEXT[i].text);
    }
    return status;
}
