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
    const char *line; /* that is being done */
    bool done;
} session;

/* ---- statements -------------------------------------------------------------------------------- */

static void evaluate(session *s, const char *text)
{
    tool_evaluation e = { .program = s->program, .first = soa_program_statements(s->program) };
    tool_states states;
    bool any = false;
    tool_program_add(s->program, text, NULL, SOA_READ_AGAIN);
    for (int i = e.first; i < soa_program_statements(s->program); i++) {
        any = any || soa_program_statement(s->program, i).kind != SOA_STATEMENT_DECLARATION;
    }
    if (any) {
        tool_states_open(&s->call, s->model, true, &states);
        tool_evaluate(&s->call, &states, 0, &e);
        tool_evaluation_print(&e);
        tool_evaluation_free(&e);
        tool_states_close(&states);
    }
}

/* The number of the statement made of the text. */
static int add(session *s, const char *text, soa_reading reading)
{
    const int first = soa_program_statements(s->program);
    tool_program_add(s->program, text, NULL, reading);
    const int count = soa_program_statements(s->program);
    if (count == first) {
        tool_fail("an expression is missing");
    }
    return count - 1;
}

/* ---- commands ------------------------------------------------------------------------------------- */

static void do_type(session *s, const char *text)
{
    char *said = NULL;
    tool_must(soa_program_type(s->program, add(s, text, SOA_READ_AGAIN), &said, tool_error()));
    tool_put_text(&s->call, s->program, said);
    fputc('\n', s->call.out);
}

static void do_explain(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_AGAIN);
    char *said = NULL;
    tool_must(soa_program_explain(s->program, statement, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &said, tool_error()));
    tool_put_text(&s->call, s->program, said);
}

static void do_simplify(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_AGAIN);
    char *cheapest = NULL, *report = NULL;
    tool_limits_begin(&s->call, s->program);
    tool_must(soa_program_simplify(s->program, statement, SOA_ASCII, &cheapest, &report, tool_error()));
    tool_put_text(&s->call, s->program, cheapest);
    fputc('\n', s->call.out);
    tool_put_text(&s->call, s->program, report);
}

static void do_prove(session *s, const char *text)
{
    const int statement = add(s, text, SOA_READ_EQUATION);
    soa_verdict verdict;
    char *said = NULL;
    tool_limits_begin(&s->call, s->program);
    tool_must(soa_program_prove(s->program, statement, SOA_ASCII, &verdict, &said, tool_error()));
    tool_put_text(&s->call, s->program, said);
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
                tool_fail("%s: '%.*s' is not a finite number", o->name, (int)strcspn(odd, ","), odd);
            }
            s->call.value[i] = *value != '\0' ? tool_copy(value) : NULL;
            return;
        }
    }
    tool_fail("what can be set is q, v, tau, vdot, force: ':set q 0,0.3,0'");
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
    for (int i = 0; i < COMMANDS; i++) {
        if (strlen(COMMAND[i].name) == length && strncmp(COMMAND[i].name, line, length) == 0) {
            COMMAND[i].run(s, rest);
            return;
        }
    }
    const char *word = tool_text("%.*s", (int)(length < 31 ? length : 31), line);
    const char *nearest = tool_nearest(word, COMMANDS, command_name);
    tool_fail("'%s' is not a command; %s%s", word, nearest ? "did you mean " : "see :help", nearest ? nearest : "");
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

static void do_line(void *context)
{
    session *s = context;
    const char *text = s->line + strspn(s->line, " \t");
    if (*text == ':') {
        do_command(s, text);
    } else if (*text != '\0') {
        evaluate(s, text);
    }
}

static void read_lines(session *s)
{
    char *line;
    bool lost = false;
    while (!s->done && !lost && (line = tool_line_read("soa> ")) != NULL) {
        s->line = line;
        (void)tool_try(do_line, s); /* a failure ends the line alone */
        tool_limits_end();
        lost = fflush(s->call.out) != 0 || ferror(s->call.out) != 0;
        free(line);
    }
    if (lost) {
        tool_fail("cannot write the output: %s; give it room or another place", strerror(errno));
    }
}

void tool_repl(tool_call *call)
{
    session s = { .call = *call };
    s.program = tool_program_read(call, NULL, SOA_READ_PROGRAM);
    s.model = tool_load_based(call, call->operand[0]);
    s.call.out = stdout;
    completed = s.program;
    tool_line_begin(word_at);
    tool_note_open(call, s.model, "operators other than A");
    tool_note_forces(call, s.model);
    if (isatty(STDIN_FILENO)) {
        printf("%s: %d bodies, %d degrees of freedom. ':help' says more, ':quit' leaves.\n",
            tool_clean(soa_model_name(s.model)), soa_model_bodies(s.model), soa_model_nv(s.model));
    }
    read_lines(&s);
    tool_line_end();
}
