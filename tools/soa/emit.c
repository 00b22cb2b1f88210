/* emit.c - soa emit: C of an algorithm or an expression, for one robot or for any. */
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "emit_list.h"
#include "module.h"
#include "program.h"
#include "soa/io.h"

const tool_option TOOL_EMIT_OPTIONS[] = {
    { "model", 'm', "MODEL", "the robot; without it the sweeps for any tree" },
    { "out", 'o', "FILE", "where to write, whole or not at all; without it to standard output" },
    { "name", 'n', "NAME", "the name of the function; that of the algorithm if not given" },
    { "at", 0, "LINK[:x,y,z]", "a point, for jacobian, osim, kinematics; may be repeated" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "float", 0, NULL, "float instead of double" },
    { "lanes", 0, "N", "4, 8 or 16 states at once, in vectors; number i of all states, then number i + 1" },
    { "literal", 0, NULL, "every operation of the library in its order, for the same bits" },
    { "libm", 0, NULL, "sin and cos of <math.h>; without it the file brings its own" },
    { "forces", 0, NULL, "fd, closed-fd: springs, damping and dry friction of joints, and elastic forces act" },
    { "driver", 0, NULL, "a main that compares with numbers of the library" },
    { "data", 0, NULL, "the model as a constant that the library uses in place, and no function" },
    { "kernel", 0, NULL, "without a model: recursions as kernels of the library, in lanes" },
    { "count", 0, NULL, "print how many operations there are, and no C" },
    TOOL_PROGRAM_OPTIONS,
    { NULL, 0, NULL, NULL },
};

static const char *const NAME[] = {
#define EMIT_NAMES(name, word, inputs, third, outputs, equation) #name, word,
    EMIT_LIST(EMIT_NAMES)
#undef EMIT_NAMES
};

enum { NAMES = sizeof NAME / sizeof NAME[0] };

#define EMIT_WORD(name, word, inputs, third, outputs, equation) " " #name

static const char *name_at(int i)
{
    return NAME[i];
}

static bool is_algorithm(const char *what)
{
    for (int i = 0; i < NAMES; i++) {
        if (strcmp(NAME[i], what) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether closures and couplings act in it. */
static bool is_closed(const char *what)
{
    return strcmp(what, "closed-fd") == 0 || strcmp(what, "closed-forward-dynamics") == 0;
}

/* Algorithms for any tree, as expressions. */
static const struct {
    const char *name, *text;
} SWEEPS[] = {
    { "fd", "betadot = Mass^-1 (T - C)" },
    { "fd:1", "betadot = (I - H psi K)' D^-1 (I - H psi K) (T - C)" },
    { "fd:2", "betadot = (I - H psi K)' D^-1 (I - H psi K) (T - C); alpha = phi' (H' betadot + a)" },
    { "fd:3", "betadot = (I - H psi K)' D^-1 (T - H psi (K T + M phi' a + b))" },
    { "fd:4", "betadot = (I - H psi K)' D^-1 ((I - H psi K) T - H psi b - H psi~ P a) - K' psi' taubar' a - G' a" },
    { "id", "Mass betadot + C" },
    { "bias", "C" },
    { "gravity", "H phi M phi' g" },
    { "mass", "Mass" },
    { "massinv", "Mass^-1" },
    { "jacobian", "J" },
    { "osim", "Lambda" },
};

/* Whether a name stands for an expression that holds without rotors alone. */
static bool is_plain(const char *what)
{
    return strcmp(what, "fd:3") == 0 || strcmp(what, "fd:4") == 0;
}

/* The text of an algorithm for any tree; NULL: there is none of that name. */
static const char *sweeps_of(const char *what)
{
    for (size_t i = 0; i < sizeof SWEEPS / sizeof SWEEPS[0]; i++) {
        if (strcmp(SWEEPS[i].name, what) == 0) {
            return SWEEPS[i].text;
        }
    }
    return NULL;
}

/* FNV-1a of the model as YAML: what the model says, whatever its file looks like. */
static unsigned long long hash_of(const soa_model *model)
{
    char *text = NULL;
    size_t length = 0;
    tool_must(soa_write(model, SOA_YAML, &TOOL_MEMORY, &text, &length, tool_error()));
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
    }
    return hash;
}

static const char *what_of(const tool_call *call)
{
    return call->operands > 0 ? call->operand[0] : "";
}

/* 0: what --lanes says is none of the numbers. */
static int emit_lanes(const tool_call *call)
{
    const char *text = tool_value(call, "lanes");
    static const struct {
        const char *text;
        int lanes;
    } CHOICE[] = { { "4", 4 }, { "8", 8 }, { "16", 16 } };
    for (size_t i = 0; text != NULL && i < sizeof CHOICE / sizeof CHOICE[0]; i++) {
        if (strcmp(CHOICE[i].text, text) == 0) {
            return CHOICE[i].lanes;
        }
    }
    return text == NULL ? 1 : 0;
}

/* --data stands for what is emitted, and nothing shapes it but a name. */
static void check_data(const tool_call *call)
{
    static const char *const OTHER[] = { "at", "float", "lanes", "literal", "libm", "forces", "driver", "count", "let",
        "file" };
    const bool data = tool_value(call, "data") != NULL;
    if (data == (call->operands > 0)) {
        tool_wrong_usage(call->command,
            data ? "--data writes the model itself; leave out '%s'" : "give an algorithm or an expression, or --data%s",
            what_of(call));
    }
    for (size_t i = 0; data && i < sizeof OTHER / sizeof OTHER[0]; i++) {
        if (tool_value(call, OTHER[i]) != NULL) {
            tool_wrong_usage(call->command, "--data writes the model itself; leave out --%s", OTHER[i]);
        }
    }
    if (tool_value(call, "kernel") != NULL && (data || tool_value(call, "model") != NULL)) {
        tool_wrong_usage(call->command, "--kernel is for any robot; leave out --%s", data ? "data" : "model");
    }
    if (data && tool_value(call, "model") == NULL) {
        tool_wrong_usage(call->command, "'--data' is of one robot; give '--model MODEL'");
    }
}

/* What is wrong before anything is read. */
static void check_options(const tool_call *call)
{
    check_data(call);
    if (emit_lanes(call) == 0) {
        tool_wrong_usage(call->command, "--lanes '%s': choose 4, 8 or 16", tool_value(call, "lanes"));
    }
    if (tool_value(call, "model") != NULL && is_algorithm(what_of(call)) &&
        (tool_value(call, "let") != NULL || tool_value(call, "file") != NULL)) {
        tool_wrong_usage(call->command, "--let and --file are for expressions; '%s' is an algorithm", call->operand[0]);
    }
}

static void write_emitted(const tool_call *call, const module_emit_request *request)
{
    const module_emit_table *module = module_find("emit", "g++");
    const char *path = tool_value(call, "out");
    char why[SOA_ERROR_TEXT], *made = module->emit(request, why, sizeof why);
    if (made == NULL) {
        tool_fail("%s", why);
    }
    char *text = tool_copy(made);
    free(made);
    if (path == NULL) {
        fputs(text, call->out);
    } else {
        tool_write_text(path, text);
    }
}

/* What is asked for as expressions: the statements from `first` on; program NULL: it is an algorithm for one robot. */
typedef struct demand {
    tool_call *call;
    soa_program *program;
    int first;
} demand;

/* The definitions of the options, then a text. */
static void read_program(demand *r, const char *text)
{
    r->program = tool_program_read(r->call, NULL, SOA_READ_PROGRAM);
    r->first = soa_program_statements(r->program);
    if (text != NULL) {
        tool_program_read_more(text, SOA_READ_PROGRAM, r->program);
    }
}

/* The operand, unless it is nearly the name of an algorithm. */
static void read_operand(void *context)
{
    demand *r = context;
    const char *what = r->call->operand[0];
    read_program(r, tool_nearest(what, NAMES, name_at) == NULL ? what : NULL);
}

/* The operand as expressions of the language. Messages have the algorithm that is near, or all if the operand is one word. */
static void read_expression(demand *r)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *what = r->call->operand[0], *nearest = tool_nearest(what, NAMES, name_at);
    const int status = tool_try(read_operand, r);
    if (status != TOOL_OK && strspn(what, LETTERS) == strlen(what)) {
        tool_note(r->call, "algorithms are" EMIT_LIST(EMIT_WORD));
    }
    if (status != TOOL_OK) {
        tool_end(status);
    }
    if (nearest != NULL && soa_program_read(r->program, what, SOA_READ_PROGRAM, NULL) != SOA_OK) {
        tool_fail("'%s' is not an algorithm; did you mean '%s'?", what, nearest);
    }
}

static void emit_model(const demand *r, const char *source)
{
    tool_call *call = r->call;
    const soa_model *model = tool_load_based(call, source);
    tool_points points;
    module_emit_request request = {
        .model = model,
        .source = source,
        .hash = hash_of(model),
        .what = what_of(call),
        .program = r->program,
        .first = r->first,
        .name = tool_value(call, "name"),
        .lanes = emit_lanes(call),
        .single = tool_value(call, "float") != NULL,
        .literal = tool_value(call, "literal") != NULL,
        .libm = tool_value(call, "libm") != NULL,
        .forces = tool_value(call, "forces") != NULL,
        .driver = tool_value(call, "driver") != NULL,
        .count = tool_value(call, "count") != NULL,
        .data = tool_value(call, "data") != NULL,
    };
    tool_points_get(call, model, &points);
    request.points = points.count;
    request.point = points.point;
    if (!is_closed(what_of(call)) && !request.data) {
        tool_note_open(call, model, "emitted C");
    }
    if (!request.data && !request.forces) {
        tool_note_forces(call, model);
    }
    write_emitted(call, &request);
}

/* Options that ask for one robot; NULL: there are none. */
static const char *needs_model(const tool_call *call)
{
    static const char *const OPTION[] = { "at", "base", "float", "lanes", "literal", "libm", "forces", "driver",
        "count" };
    for (size_t i = 0; i < sizeof OPTION / sizeof OPTION[0]; i++) {
        if (tool_value(call, OPTION[i]) != NULL) {
            return OPTION[i];
        }
    }
    return NULL;
}

/* The sweeps of expressions, for any tree. */
static void emit_sweeps(const demand *r)
{
    const tool_call *call = r->call;
    const char *listed = sweeps_of(call->operand[0]);
    const module_emit_request request = { .what = listed != NULL ? listed : call->operand[0],
        .plain = is_plain(call->operand[0]),
        .program = r->program,
        .first = r->first,
        .name = tool_value(call, "name"),
        .kernel = tool_value(call, "kernel") != NULL };
    write_emitted(call, &request);
}

static void read_what(demand *r)
{
    const tool_call *call = r->call;
    const char *what = call->operand[0], *source = tool_value(call, "model"), *sweeps = sweeps_of(what);
    if (source == NULL && needs_model(call) != NULL) {
        tool_wrong_usage(call->command, "'--%s' is of one robot; give '--model MODEL'", needs_model(call));
    }
    if (source == NULL && sweeps != NULL) {
        read_program(r, sweeps);
    } else if (is_algorithm(what) && source == NULL) {
        tool_fail("'%s' is written for one robot; give '--model MODEL'", what);
    } else if (!is_algorithm(what) && sweeps != NULL) {
        tool_fail("'%s' is written for any robot, 'fd' for one; leave out --model", what);
    } else if (!is_algorithm(what)) {
        read_expression(r);
    }
}

void tool_emit(tool_call *call)
{
    const char *source = tool_value(call, "model");
    demand r = { .call = call };
    check_options(call);
    if (tool_value(call, "data") == NULL) {
        read_what(&r);
    }
    if (r.program != NULL && soa_program_statements(r.program) == r.first) {
        tool_fail("there is no expression to emit");
    }
    if (source == NULL) {
        emit_sweeps(&r);
    } else {
        emit_model(&r, source);
    }
}
