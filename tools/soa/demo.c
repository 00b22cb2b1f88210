/* demo.c - soa demo: a short tour on a built-in model. */
#include <math.h>

#include "soa/dynamics.h"
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

#define DOFS 7

/* Without the sign of a zero that rounding left. */
static double tidy(double x)
{
    return fabs(x) < 5e-4 ? 0.0 : x;
}

/* The forces that hold the arm at rest, and how it would start to fall. */
static void show_dynamics(const tool_call *call, const soa_model *model)
{
    double hold[DOFS], fall[DOFS];
    const double rest[DOFS] = { 0.0 };
    soa_workspace *workspace = NULL;
    const soa_configuration *home = soa_model_configuration(model, 0);
    tool_must(soa_workspace_new(model, &TOOL_MEMORY, &workspace, tool_error()));
    tool_must(soa_gravity_force(model, workspace, 1, home->q, hold, tool_error()));
    tool_must(soa_forward_dynamics(model, workspace, 1, home->q, rest, rest, NULL, fall, tool_error()));
    fprintf(call->out, "\nAt '%s', at rest:\n", home->name);
    tool_put(call, INK_BOLD, "  joint      q, rad   holding torque, N m   let go: acceleration, rad/s^2\n", 0);
    for (int b = 0; b < soa_model_bodies(model); b++) {
        const soa_body body = soa_model_body(model, b);
        fprintf(call->out, "  %-8s%9.3f%22.3f%32.3f\n", soa_model_link(model, body.link)->joint.name, home->q[body.q],
            tidy(hold[body.v]), tidy(fall[body.v]));
    }
}

static void show_info(const tool_call *call, const soa_model *model)
{
    const tool_tree tree = tool_tree_make(model);
    fputs("$ soa info builtin:" MODEL "\n", call->out);
    tool_info_header(call, model, "builtin:" MODEL);
    fputc('\n', call->out);
    tool_info_tree(call, model, &tree, true);
}

void tool_demo(tool_call *call)
{
    const soa_model *model = tool_load("builtin:" MODEL);
    show_info(call, model);
    show_dynamics(call, model);
    fputs("\nNext:\n", call->out);
    for (size_t i = 0; i < sizeof NEXT / sizeof NEXT[0]; i++) {
        fputs("  ", call->out);
        tool_put(call, INK_BOLD, NEXT[i].command, 42);
        fprintf(call->out, "%s\n", NEXT[i].text);
    }
}
