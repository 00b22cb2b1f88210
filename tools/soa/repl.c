/* repl.c - soa repl: expressions evaluated on a model as they are typed. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval.h"
#include "line.h"
#include "program.h"

typedef struct session {
    tool_call call; /* the options of the command line, changed by :set */
    const soa_model *model;
    soa_program *program;
    char *owned[TOOL_MAX_OPTIONS]; /* values of options that were set here */
    bool done;
} session;

/* ---- statements -------------------------------------------------------------------------------- */

static void evaluate_read(session *s, int first)
{
    tool_evaluation e = { .program = s->program, .first = first };
    tool_states states;
    bool any = false;
    for (int i = first; i < soa_program_statements(s->program); i++) {
        any = any || soa_program_statement(s->program, i).kind != SOA_STATEMENT_DECLARATION;
    }
    if (!any || tool_states_open(&s->call, s->model, true, &states) != TOOL_OK) {
        return;
    }
    if (tool_evaluate(&s->call, &states, 0, &e) == TOOL_OK) {
        (void)tool_evaluation_print(&e);
    }
    tool_evaluation_free(&e);
    tool_states_close(&states);
}

static void evaluate(session *s, const char *text)
{
    const int first = soa_program_statements(s->program);
    if (tool_program_add(s->program, text, NULL, SOA_READ_AGAIN) == TOOL_OK) {
        evaluate_read(s, first);
    }
}

/* The number of the statement made of the text; -1 after a message. */
static int add(session *s, const char *text, soa_reading reading)
{
    const int first = soa_program_statements(s->program);
    if (tool_program_add(s->program, text, NULL, reading) != TOOL_OK) {
        return -1;
    }
    const int count = soa_program_statements(s->program);
    if (count == first) {
        (void)tool_fail("an expression is missing");
        return -1;
    }
    return count - 1;
}

static void put(session *s, soa_status status, const soa_error *error, char *text)
{
    if (status == SOA_OK) {
        tool_put_text(&s->call, s->program, text);
    } else {
        (void)tool_fail_error(error);
    }
}

/* ---- commands ------------------------------------------------------------------------------------- */

static void do_type(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_AGAIN);
    soa_error error;
    char *said = NULL;
    if (statement >= 0) {
        const soa_status status = soa_program_type(s->program, statement, &said, &error);
        put(s, status, &error, said);
        fputc('\n', s->call.out);
    }
}

static void do_explain(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_AGAIN);
    soa_error error;
    char *said = NULL;
    if (statement >= 0) {
        const soa_status status =
            soa_program_explain(s->program, statement, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &said, &error);
        put(s, status, &error, said);
    }
}

static void do_simplify(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_AGAIN);
    soa_error error;
    char *cheapest = NULL, *report = NULL;
    if (statement >= 0) {
        (void)tool_limits_begin(&s->call, s->program);
        const soa_status status = soa_program_simplify(s->program, statement, SOA_ASCII, &cheapest, &report, &error);
        tool_limits_end();
        put(s, status, &error, cheapest);
        fputc('\n', s->call.out);
        if (status == SOA_OK) {
            tool_put_text(&s->call, s->program, report);
        }
    }
}

static void do_prove(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_EQUATION);
    soa_error error;
    soa_verdict verdict;
    char *said = NULL;
    if (statement >= 0) {
        (void)tool_limits_begin(&s->call, s->program);
        const soa_status status = soa_program_prove(s->program, statement, SOA_ASCII, &verdict, &said, &error);
        tool_limits_end();
        put(s, status, &error, said);
    }
}

/* The number in a list with commas that is not finite; NULL: there is none. */
static const char *not_finite(const char *list)
{
    for (const char *at = list; *at != '\0'; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        char *end;
        const double x = strtod(at, &end);
        if (end > at && !isfinite(x)) {
            return at;
        }
    }
    return NULL;
}

/* :set q 0,0.3 */
static void do_set(session *s, const char *text)
{
    const size_t length = strcspn(text, " \t=");
    const char *value = text + length + strspn(text + length, " \t=");
    for (int i = 0; s->call.command->options[i].name != NULL; i++) {
        const tool_option *o = &s->call.command->options[i];
        static const char *const STATE[] = { "q", "v", "tau", "vdot", "force" };
        bool state = false;
        for (size_t j = 0; j < sizeof STATE / sizeof STATE[0]; j++) {
            state = state || strcmp(o->name, STATE[j]) == 0;
        }
        if (state && strlen(o->name) == length && strncmp(o->name, text, length) == 0) {
            const char *odd = not_finite(value);
            if (odd != NULL) {
                (void)tool_fail("%s: '%.*s' is not a finite number", o->name, (int)strcspn(odd, ","), odd);
                return;
            }
            free(s->owned[i]);
            s->owned[i] = *value != '\0' ? strdup(value) : NULL;
            s->call.value[i] = s->owned[i];
            return;
        }
    }
    (void)tool_fail("what can be set is q, v, tau, vdot, force: ':set q 0,0.3,0'");
}

static void do_names(session *s, const char *text)
{
    (void)text;
    for (int i = 0; i < SOA_OPERATORS; i++) {
        fprintf(s->call.out, "  %-10s %s\n", soa_operator_text((soa_operator)i),
            soa_operator_about((soa_operator)i, false).meaning);
    }
    for (int i = 0; i < SOA_VECTORS; i++) {
        const soa_vector_info info = soa_vector_about((soa_vector_id)i);
        fprintf(s->call.out, "  %-10s %s\n", info.text, info.meaning);
    }
    for (int i = 0; i < soa_program_statements(s->program); i++) {
        const soa_statement_info info = soa_program_statement(s->program, i);
        if (info.name[0] != '\0') {
            fprintf(s->call.out, "  %-10s %s\n", info.name, info.text);
        }
    }
}

static void do_quit(session *s, const char *text)
{
    (void)text;
    s->done = true;
}

static void do_help(session *s, const char *text);

static const struct {
    const char *name, *usage, *text;
    void (*run)(session *s, const char *text);
} COMMAND[] = {
    { ":type", ":type EXPR", "its type", do_type },
    { ":explain", ":explain EXPR", "type, cost and sweeps", do_explain },
    { ":simplify", ":simplify EXPR", "the cheapest equal expression", do_simplify },
    { ":prove", ":prove A = B", "whether it holds for all systems", do_prove },
    { ":set", ":set q NUMBERS", "the state: q, v, tau, vdot, force", do_set },
    { ":names", ":names", "what names mean", do_names },
    { ":help", ":help", "this list", do_help },
    { ":quit", ":quit", "leave", do_quit },
};

enum { COMMANDS = sizeof COMMAND / sizeof COMMAND[0] };

static void do_help(session *s, const char *text)
{
    (void)text;
    fputs("  EXPR               its value on the model\n"
          "  name = EXPR        a definition, and its value\n"
          "  x: joint force = 1, 2, 3\n"
          "                     a vector of your own\n",
        s->call.out);
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(s->call.out, "  %-18s %s\n", COMMAND[i].usage, COMMAND[i].text);
    }
}

static const char *command_name(int i)
{
    return COMMAND[i].name;
}

static void do_command(session *s, const char *line)
{
    const size_t length = strcspn(line, " \t");
    const char *rest = line + length + strspn(line + length, " \t");
    char word[32];
    for (int i = 0; i < COMMANDS; i++) {
        if (strlen(COMMAND[i].name) == length && strncmp(COMMAND[i].name, line, length) == 0) {
            COMMAND[i].run(s, rest);
            return;
        }
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), line);
    const char *nearest = tool_nearest(word, COMMANDS, command_name);
    (void)tool_fail(
        "'%s' is not a command; %s%s", word, nearest ? "did you mean " : "see :help", nearest ? nearest : "");
}

/* ---- completion ------------------------------------------------------------------------------------- */

static const soa_program *completed; /* of the session that reads lines; there is one */

static const char *word_at(int i)
{
    const int operators = SOA_OPERATORS + COMMANDS, vectors = operators + SOA_VECTORS;
    return i < COMMANDS    ? COMMAND[i].name
           : i < operators ? soa_operator_text((soa_operator)(i - COMMANDS))
           : i < vectors   ? soa_vector_about((soa_vector_id)(i - operators)).text
           : completed && i < vectors + soa_program_statements(completed)
               ? soa_program_statement(completed, i - vectors).name
               : NULL;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static int read_lines(session *s)
{
    char *line;
    bool lost = false;
    while (!s->done && !lost && (line = tool_line_read("soa> ")) != NULL) {
        const char *text = line + strspn(line, " \t");
        if (*text == ':') {
            do_command(s, text);
        } else if (*text != '\0') {
            evaluate(s, text);
        }
        lost = fflush(s->call.out) != 0 || ferror(s->call.out) != 0;
        free(line);
    }
    return lost ? tool_fail("cannot write the output: %s; give it room or another place", strerror(errno)) : TOOL_OK;
}

int tool_repl(tool_call *call)
{
    soa_model *model = NULL;
    session s = { .call = *call };
    int status = tool_program_read(call, NULL, SOA_READ_PROGRAM, &s.program);
    status = status == TOOL_OK ? tool_load_based(call, call->operand[0], &model) : status;
    if (status == TOOL_OK) {
        s.model = model;
        s.call.out = stdout;
        completed = s.program;
        tool_line_begin(word_at);
        tool_note_open(call, model, "operators other than A");
        tool_note_forces(call, model);
        if (isatty(STDIN_FILENO)) {
            char name[TOOL_CELL];
            printf("%s: %d bodies, %d degrees of freedom. ':help' says more, ':quit' leaves.\n",
                tool_clean(name, sizeof name, soa_model_name(model)), soa_model_bodies(model), soa_model_nv(model));
        }
        status = read_lines(&s);
        tool_line_end();
        completed = NULL;
    }
    for (int i = 0; i < TOOL_MAX_OPTIONS; i++) {
        free(s.owned[i]);
    }
    soa_program_free(s.program);
    soa_model_free(model);
    return status;
}
