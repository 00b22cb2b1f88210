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
    { "name", 'n', "NAME", "of the function; without it that of the algorithm" },
    { "at", 0, "LINK[:x,y,z]", "a point, for jacobian, osim, kinematics; may be repeated" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "float", 0, NULL, "float instead of double" },
    { "lanes", 0, "N", "4, 8 or 16 states at once, in vectors; number i of all states, then number i + 1" },
    { "literal", 0, NULL, "every operation of the library in its order, for the same bits" },
    { "libm", 0, NULL, "sin and cos of <math.h>; without it the file brings its own" },
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
static int hash_of(const soa_model *model, unsigned long long *hash)
{
    char *text = NULL;
    size_t length = 0;
    soa_error error;
    if (soa_write(model, SOA_YAML, NULL, &text, &length, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    *hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < length; i++) {
        *hash = (*hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
    }
    soa_text_free(NULL, text);
    return TOOL_OK;
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
static int check_data(const tool_call *call)
{
    static const char *const OTHER[] = { "at", "float", "lanes", "literal", "libm", "driver", "count", "let", "file" };
    const bool data = tool_value(call, "data") != NULL;
    if (data == (call->operands > 0)) {
        return tool_wrong_usage(call->command,
            data ? "--data writes the model itself; leave out '%s'" : "give an algorithm or an expression, or --data%s",
            what_of(call));
    }
    for (size_t i = 0; data && i < sizeof OTHER / sizeof OTHER[0]; i++) {
        if (tool_value(call, OTHER[i]) != NULL) {
            return tool_wrong_usage(call->command, "--data writes the model itself; leave out --%s", OTHER[i]);
        }
    }
    if (tool_value(call, "kernel") != NULL && (data || tool_value(call, "model") != NULL)) {
        return tool_wrong_usage(call->command, "--kernel is for any robot; leave out --%s", data ? "data" : "model");
    }
    return !data || tool_value(call, "model") != NULL
               ? TOOL_OK
               : tool_wrong_usage(call->command, "'--data' is of one robot; give '--model MODEL'");
}

/* What is wrong before anything is read. */
static int check_options(const tool_call *call)
{
    if (check_data(call) != TOOL_OK) {
        return TOOL_USAGE;
    }
    if (emit_lanes(call) == 0) {
        return tool_wrong_usage(call->command, "--lanes '%s': choose 4, 8 or 16", tool_value(call, "lanes"));
    }
    if (tool_value(call, "model") != NULL && is_algorithm(what_of(call)) &&
        (tool_value(call, "let") != NULL || tool_value(call, "file") != NULL)) {
        return tool_wrong_usage(
            call->command, "--let and --file are for expressions; '%s' is an algorithm", call->operand[0]);
    }
    return TOOL_OK;
}

static int write_text(const tool_call *call, char *text)
{
    const char *path = tool_value(call, "out");
    if (path == NULL) {
        fputs(text, call->out);
        return TOOL_OK;
    }
    return tool_write_text(path, text);
}

/* The operand as expressions of the language; TOOL_FAILED after a message, which has the algorithm that is near, or all if
 * the operand is one word. */
static int read_expression(tool_call *call, soa_program **program, int *first)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *what = call->operand[0], *nearest = tool_nearest(what, NAMES, name_at);
    soa_error error;
    int status = tool_program_read(call, NULL, SOA_READ_PROGRAM, program);
    *first = status == TOOL_OK ? soa_program_statements(*program) : 0;
    if (status != TOOL_OK || nearest == NULL) {
        status = status == TOOL_OK ? tool_program_read_more(what, SOA_READ_PROGRAM, *program) : status;
        if (status != TOOL_OK && strspn(what, LETTERS) == strlen(what)) {
            tool_note(call, "algorithms are" EMIT_LIST(EMIT_WORD));
        }
        return status;
    }
    return soa_program_read(*program, what, SOA_READ_PROGRAM, &error) == SOA_OK
               ? TOOL_OK
               : tool_fail("'%s' is not an algorithm; did you mean '%s'?", what, nearest);
}

static int emit_model(
    tool_call *call, const module_emit_table *module, const soa_model *model, soa_program *program, int first)
{
    tool_points points = { 0 };
    char why[SOA_ERROR_TEXT];
    module_emit_request request = {
        .model = model,
        .source = tool_value(call, "model"),
        .what = what_of(call),
        .program = program,
        .first = first,
        .name = tool_value(call, "name"),
        .lanes = emit_lanes(call),
        .single = tool_value(call, "float") != NULL,
        .literal = tool_value(call, "literal") != NULL,
        .libm = tool_value(call, "libm") != NULL,
        .driver = tool_value(call, "driver") != NULL,
        .count = tool_value(call, "count") != NULL,
        .data = tool_value(call, "data") != NULL,
    };
    int status = hash_of(model, &request.hash);
    if (status == TOOL_OK) {
        status = tool_points_get(call, model, &points);
    }
    if (status == TOOL_OK) {
        request.points = points.count;
        request.point = points.point;
        if (!is_closed(what_of(call)) && !request.data) {
            tool_note_open(call, model, "emitted C");
        }
        if (!request.data) {
            tool_note_forces(call, model);
        }
        char *text = module->emit(&request, why, sizeof why);
        status = text == NULL ? tool_fail("%s", why) : write_text(call, text);
        free(text);
    }
    tool_points_free(&points);
    return status;
}

/* Options that ask for one robot; NULL: there are none. */
static const char *needs_model(const tool_call *call)
{
    static const char *const OPTION[] = { "at", "base", "float", "lanes", "literal", "libm", "driver", "count" };
    for (size_t i = 0; i < sizeof OPTION / sizeof OPTION[0]; i++) {
        if (tool_value(call, OPTION[i]) != NULL) {
            return OPTION[i];
        }
    }
    return NULL;
}

/* The sweeps of expressions, for any tree. */
static int emit_sweeps(const tool_call *call, const module_emit_table *module, soa_program *program, int first)
{
    char why[SOA_ERROR_TEXT];
    const char *listed = sweeps_of(call->operand[0]);
    const module_emit_request request = { .what = listed != NULL ? listed : call->operand[0],
        .plain = is_plain(call->operand[0]),
        .program = program,
        .first = first,
        .name = tool_value(call, "name"),
        .kernel = tool_value(call, "kernel") != NULL };
    char *text = module->emit(&request, why, sizeof why);
    const int status = text == NULL ? tool_fail("%s", why) : write_text(call, text);
    free(text);
    return status;
}

/* What is asked for as expressions; NULL in *program: an algorithm for one robot. */
static int read_what(tool_call *call, soa_program **program, int *first)
{
    const char *what = call->operand[0], *source = tool_value(call, "model"), *sweeps = sweeps_of(what);
    if (source == NULL && needs_model(call) != NULL) {
        return tool_wrong_usage(call->command, "'--%s' is of one robot; give '--model MODEL'", needs_model(call));
    }
    if (source == NULL && sweeps != NULL) {
        const int status = tool_program_read(call, NULL, SOA_READ_PROGRAM, program);
        *first = status == TOOL_OK ? soa_program_statements(*program) : 0;
        return status == TOOL_OK ? tool_program_read_more(sweeps, SOA_READ_PROGRAM, *program) : status;
    }
    if (is_algorithm(what)) {
        return source != NULL ? TOOL_OK : tool_fail("'%s' is written for one robot; give '--model MODEL'", what);
    }
    return sweeps != NULL ? tool_fail("'%s' is written for any robot, 'fd' for one; leave out --model", what)
                          : read_expression(call, program, first);
}

int tool_emit(tool_call *call)
{
    const char *source = tool_value(call, "model");
    const module_emit_table *module = NULL;
    soa_program *program = NULL;
    soa_model *model = NULL;
    int first = 0, status = check_options(call);
    status = status == TOOL_OK && tool_value(call, "data") == NULL ? read_what(call, &program, &first) : status;
    if (status == TOOL_OK && program != NULL && soa_program_statements(program) == first) {
        status = tool_fail("there is no expression to emit");
    }
    if (status == TOOL_OK) {
        module = module_find("emit", "g++");
        status = module == NULL ? TOOL_FAILED : source == NULL ? TOOL_OK : tool_load_based(call, source, &model);
    }
    if (status == TOOL_OK) {
        status = source == NULL ? emit_sweeps(call, module, program, first)
                                : emit_model(call, module, model, program, first);
    }
    soa_model_free(model);
    soa_program_free(program);
    return status;
}
