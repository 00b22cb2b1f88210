/* tutor.c - soa tutor: the derivations of the papers, each step proved and shown on a robot. */
#include <math.h>
#include <string.h>

#include "program.h"

typedef struct tutor_step {
    const char *says, *equation;
} tutor_step;

enum { STEPS_MOST = 10 };

typedef struct tutor_derivation {
    const char *name, *title, *model, *first_point, *second_point; /* NULL: no point */
    tutor_step step[STEPS_MOST];
    const char *result; /* whose recursion ends the derivation */
} tutor_derivation;

/* Labels are those of docs/theory.md. */
static const tutor_derivation DERIVATION[] = {
    { "dynamics", "Forward dynamics without a mass matrix", "arm7", "tool", NULL,
        { { "Velocities go from body to body outward; stacked, one operator phi' does it.", "V = E_phi' V + H' beta" },
            { "phi gathers forces inward. It is the inverse of I - E_phi, which looks one body far.",
                "phi^-1 = I - E_phi" },
            { "The mass matrix is a product of operators.", "Mass = H phi M phi' H'" },
            { "The articulated inertia P of each body replaces M; what it leaves behind is seen through the gain K.",
                "phi M phi' = P + phi~ P + P phi~' + phi K D K' phi'" },
            { "So Mass has square factors, and D is one small block per joint.",
                "Mass = (I + H phi K) D (I + H phi K)'" },
            { "The inverse of a factor has the same form: psi goes from body to body across joints that give way.",
                "(I + H phi K)^-1 = I - H psi K" },
            { "Therefore the inverse of Mass is a filter inward and a smoother outward.",
                "Mass^-1 = (I - H psi K)' D^-1 (I - H psi K)" },
            { "The filter absorbs the sweep that gathers bias forces.", "(I - H psi K) H phi = H psi" },
            { "Forward dynamics: one recursion out, one in, one out.",
                "Mass^-1 (T - C) = (I - H psi K)' D^-1 (T - H psi (K T + M phi' a + b))" } },
        "Mass^-1 (T - C)" },
    { "operational", "The operational-space inertia", "arm7", "tool", NULL,
        { { "The Jacobian is a product of operators: joint velocities, outward, to the points.", "J = B' phi' H'" },
            { "The inverse of the operational-space inertia, as it is defined.", "Lambda = J Mass^-1 J'" },
            { "The filter turns phi into psi.", "(I - H psi K) J' = H psi B" },
            { "No mass matrix is left.", "Lambda = B' psi' H' D^-1 H psi B" },
            { "What stands between B' and B is the operational-space compliance kernel.",
                "Omega = psi' H' D^-1 H psi" },
            { "Its diagonal blocks come from one recursion outward, those of one branch from them by psi, and X is what"
              " joins branches.",
                "Omega = Ups + psi~' Ups + Ups psi~ + X" },
            { "The acceleration of the points by forces at them.", "J Mass^-1 J' f_c = B' psi' H' D^-1 H psi B f_c" } },
        "J Mass^-1 J' f_c" },
    { "closed", "Closed chains: two arms that hold each other", "dual-arm", "left/tool", "right/tool",
        { { "Without the closure each arm moves freely; A picks the gap that opens between the hands.",
              "A J Mass^-1 T = A B' psi' H' D^-1 (I - H psi K) T" },
            { "A force at the closure opens the gap by a small matrix.",
                "A J Mass^-1 J' A' = A B' psi' H' D^-1 H psi B A'" },
            { "What that force does to the joints is one filter and one smoother.",
                "Mass^-1 J' A' = (I - H psi K)' D^-1 H psi B A'" },
            { "The force that closes the gap leaves none.",
                "A J (Mass^-1 T - Mass^-1 J' A' (A Lambda A')^-1 A J Mass^-1 T) = 0" },
            { "The closed inverse of Mass is the free one less a correction of small rank, between the same factors.",
                "Mass^-1 - Mass^-1 J' A' (A Lambda A')^-1 A J Mass^-1 = (I - H psi K)' (D^-1 - D^-1 H psi B A' "
                "(A Lambda A')^-1 A B' psi' H' D^-1) (I - H psi K)" },
            { "It leaves alone what the closure allows: applying it twice is applying it once.",
                "(Mass^-1 - Mass^-1 J' A' (A Lambda A')^-1 A J Mass^-1) Mass (Mass^-1 - Mass^-1 J' A' (A Lambda A')^-1 "
                "A J Mass^-1) = Mass^-1 - Mass^-1 J' A' (A Lambda A')^-1 A J Mass^-1" } },
        "Mass^-1 T - Mass^-1 J' A' (A Lambda A')^-1 A J Mass^-1 T" },
};

enum { DERIVATIONS = sizeof DERIVATION / sizeof DERIVATION[0] };

/* ---- on a robot -------------------------------------------------------------------------------------------- */

/* A random state: q, and beta, T, betadot and f_c alike. */
typedef struct robot {
    soa_model *model;
    soa_point point[2];
    int points;
    double *q, *given;
} robot;

static void robot_new(const tutor_derivation *d, robot *r)
{
    const char *const name[] = { d->first_point, d->second_point };
    *r = (robot){ 0 };
    tool_must(soa_model_builtin(d->model, &TOOL_MEMORY, &r->model, tool_error()));
    for (int i = 0; i < 2 && name[i] != NULL; i++) {
        tool_must(soa_model_find_point(r->model, name[i], &r->point[r->points++], tool_error()));
    }
    const size_t nv = (size_t)soa_model_nv(r->model) + 12;
    r->q = tool_take((size_t)soa_model_nq(r->model) + 1, sizeof *r->q);
    r->given = tool_take(nv, sizeof *r->given);
    for (size_t i = 0; i < nv; i++) {
        r->given[i] = sin(1.0 + 2.3 * (double)i);
    }
    unsigned long long seed = 1;
    soa_random_configuration(r->model, &seed, r->q);
}

/* The points move together. */
static void set_rows(const robot *r, soa_runner *runner)
{
    double rows[6 * 12] = { 0.0 };
    for (int i = 0; i < 6; i++) {
        rows[13 * i] = 1.0;
        rows[13 * i + 6] = -1.0;
    }
    if (r->points == 2) {
        tool_must(soa_runner_set_constraints(runner, 6, rows, tool_error()));
    }
}

/* The largest numbers of the outputs of a program. */
static void run(const robot *r, const soa_compiled *compiled, int outputs, double *largest)
{
    soa_runner *runner = NULL;
    double *value[2];
    tool_must(soa_runner_new(compiled, r->points, r->point, &TOOL_MEMORY, &runner, tool_error()));
    set_rows(r, runner);
    for (int i = 0; i < soa_compiled_inputs(compiled); i++) {
        tool_must(soa_runner_bind(runner, soa_compiled_input_info(compiled, i).name, r->given, tool_error()));
    }
    for (int i = 0; i < outputs; i++) {
        const char *name = soa_compiled_output_info(compiled, i).name;
        value[i] = tool_take((size_t)soa_runner_numbers(runner, name), sizeof **value);
        tool_must(soa_runner_bind_output(runner, name, value[i], tool_error()));
    }
    tool_must(soa_runner_run(runner, 1, r->q, tool_error()));
    for (int i = 0; i < outputs; i++) {
        const int numbers = soa_runner_numbers(runner, soa_compiled_output_info(compiled, i).name);
        largest[i] = 0.0;
        for (int j = 0; j < numbers; j++) {
            largest[i] = fmax(largest[i], fabs(value[i][j]));
        }
    }
}

/* The left side and the difference of both, as they are written. */
static void show_on_robot(const tool_call *call, const tutor_derivation *d, const robot *r, const char *equation)
{
    const char *equal = strstr(equation, " = ");
    const int left = (int)(equal - equation);
    soa_compiled *compiled = NULL;
    double largest[2] = { 0.0, 0.0 };
    const char *text = tool_text("%.*s; %.*s - (%s)", left, equation, left, equation, equal + 3);
    soa_program *program = tool_program_read(call, text, SOA_READ_PROGRAM);
    tool_must(soa_compile(r->model, program, SOA_AS_WRITTEN, 0, NULL, &compiled, tool_error()));
    run(r, compiled, 2, largest);
    fprintf(call->out, "   on builtin:%s the sides differ by %.1g; their numbers reach %.3g\n", d->model, largest[1],
        largest[0]);
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

static void show_step(const tool_call *call, const tutor_derivation *d, const robot *r, int i)
{
    const tutor_step *step = &d->step[i];
    soa_verdict verdict = SOA_OPEN;
    char *text = NULL;
    fprintf(call->out, "\n%d. %s\n", i + 1, step->says);
    tool_put(call, INK_BOLD, step->equation, 0);
    fputc('\n', call->out);
    soa_program *program = tool_program_read(call, step->equation, SOA_READ_EQUATION);
    tool_must(soa_program_prove(program, 0, SOA_ASCII, &verdict, &text, tool_error()));
    const char *steps = strchr(text, '\n'), *end = strstr(text, "\ncertificate");
    const int shown = steps != NULL && end != NULL ? (int)(end - steps) : 0;
    fprintf(call->out, "   %.*s:%.*s\n", (int)strcspn(text, "\n"), text, shown, shown > 0 ? steps : "");
    if (verdict != SOA_PROVED) {
        tool_fail("this is not proved");
    }
    show_on_robot(call, d, r, step->equation);
}

static void show_result(const tool_call *call, const tutor_derivation *d)
{
    char *cheapest = NULL, *report = NULL, *text = NULL;
    soa_program *program = tool_program_read(call, d->result, SOA_READ_PROGRAM);
    tool_must(soa_program_simplify(program, 0, SOA_ASCII, &cheapest, &report, tool_error()));
    tool_program_add(program, cheapest, NULL, SOA_READ_AGAIN);
    tool_must(soa_program_explain(program, 1, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &text, tool_error()));
    fprintf(call->out, "\nSo %s\nis computed by\n%s", d->result, text);
}

static void show(const tool_call *call, const tutor_derivation *d)
{
    robot r;
    robot_new(d, &r);
    tool_put(call, INK_BOLD, d->title, 0);
    fputc('\n', call->out);
    for (int i = 0; i < STEPS_MOST && d->step[i].says != NULL; i++) {
        show_step(call, d, &r, i);
    }
    show_result(call, d);
}

void tool_tutor(tool_call *call)
{
    const char *name = call->operands > 0 ? call->operand[0] : NULL;
    int shown = 0;
    for (int i = 0; i < DERIVATIONS; i++) {
        if (name == NULL || strcmp(name, DERIVATION[i].name) == 0) {
            fputs(shown++ > 0 ? "\n\n" : "", call->out);
            show(call, &DERIVATION[i]);
        }
    }
    if (shown == 0) {
        tool_fail("'%s' is no derivation; choose dynamics, operational or closed", name);
    }
}
