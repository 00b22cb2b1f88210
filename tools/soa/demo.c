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

/* The forces that hold the arm at rest, and how it would start to fall. */
static soa_status compute(const soa_model *model, const double *q, double *hold, double *fall, soa_error *error)
{
    const double rest[DOFS] = { 0.0 };
    soa_workspace *workspace = NULL;
    soa_status status = soa_workspace_new(model, NULL, &workspace, error);
    if (status == SOA_OK) {
        status = soa_gravity_force(model, workspace, 1, q, hold, error);
    }
    if (status == SOA_OK) {
        status = soa_forward_dynamics(model, workspace, 1, q, rest, rest, NULL, fall, error);
    }
    soa_workspace_free(workspace);
    return status;
}

/* Without the sign of a zero that rounding left. */
static double tidy(double x)
{
    return fabs(x) < 5e-4 ? 0.0 : x;
}

static int show_dynamics(const tool_call *call, const soa_model *model)
{
    double hold[DOFS], fall[DOFS];
    soa_error error;
    const soa_configuration *home = soa_model_configuration(model, 0);
    if (compute(model, home->q, hold, fall, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    fprintf(call->out, "\nAt '%s', at rest:\n", home->name);
    tool_put(call, INK_BOLD, "  joint      q, rad   holding torque, N m   let go: acceleration, rad/s^2\n", 0);
    for (int b = 0; b < soa_model_bodies(model); b++) {
        const soa_body body = soa_model_body(model, b);
        fprintf(call->out, "  %-8s%9.3f%22.3f%32.3f\n", soa_model_link(model, body.link)->joint.name, home->q[body.q],
            tidy(hold[body.v]), tidy(fall[body.v]));
    }
    return TOOL_OK;
}

static int show_info(const tool_call *call, const soa_model *model)
{
    tool_tree tree;
    int status = tool_tree_make(model, &tree);
    if (status == TOOL_OK) {
        fputs("$ soa info builtin:" MODEL "\n", call->out);
        tool_info_header(call, model, "builtin:" MODEL);
        fputc('\n', call->out);
        status = tool_info_tree(call, model, &tree, true);
        tool_tree_free(&tree);
    }
    return status;
}

int tool_demo(tool_call *call)
{
    soa_model *model = NULL;
    int status = tool_load("builtin:" MODEL, &model);
    if (status == TOOL_OK) {
        status = show_info(call, model);
    }
    if (status == TOOL_OK) {
        status = show_dynamics(call, model);
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
