/* main.c - the program soa: finds the command and runs it. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "tool.h"

static const char *command_name(int index)
{
    return tool_command_at(index)->name;
}

static const tool_command *find_command(const char *name)
{
    for (int i = 0; i < tool_commands(); i++) {
        if (strcmp(tool_command_at(i)->name, name) == 0) {
            return tool_command_at(i);
        }
    }
    return NULL;
}

static void print_overview(FILE *out)
{
    fputs("soa - the Spatial Operator Algebra: dynamics of multibody systems\n\n"
          "usage: soa COMMAND [ARGUMENT]... [OPTION]...\n\n",
        out);
    for (int i = 0; i < tool_commands(); i++) {
        fprintf(out, "  %-12s%s\n", tool_command_at(i)->name, tool_command_at(i)->summary);
    }
    fputs("\nMODEL is a .urdf file, an MJCF .xml file, a native .yaml file, or builtin:NAME.\n"
          "'soa COMMAND --help' says more; start with 'soa demo' or 'soa info builtin:arm7'.\n",
        out);
}

static void unknown_command(const char *name)
{
    const char *nearest = tool_nearest(name, tool_commands(), command_name);
    if (nearest != NULL) {
        tool_wrong_usage(NULL, "'%s' is not a command; did you mean '%s'?", name, nearest);
    }
    tool_wrong_usage(NULL, "'%s' is not a command; see the list", name);
}

/* Runs something into memory, then lets the result out. */
static void let_out(void (*run)(void *call), tool_call *call)
{
    tool_gathered result;
    call->out = tool_gather(&result);
    int status = call->out != NULL ? tool_try(run, call) : TOOL_OK;
    const bool whole = tool_gather_end(&result, call->out);
    if (whole && (status == TOOL_OK || call->keep)) {
        const int written = tool_write(result.text, result.length);
        status = status == TOOL_OK ? written : status;
    }
    free(result.text);
    if (!whole && status == TOOL_OK) {
        tool_fail_memory();
    }
    tool_end(status);
}

static void run_command(void *context)
{
    tool_call *call = context;
    if (call->help) {
        tool_help(call->out, call->command);
    } else {
        call->command->run(call);
    }
}

static void print_version(void *context)
{
    const tool_call *call = context;
    fprintf(call->out, "soa %s\n", soa_version());
}

static void print_help(void *context)
{
    const tool_call *call = context;
    print_overview(call->out);
}

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* Whether the word is an option of the command, or letters of options. */
static bool is_option(const tool_command *command, const char *word)
{
    if (word[1] == '-' || word[1] == 'h' || word[1] == '\0') {
        return true;
    }
    for (const tool_option *o = command->options; o->name != NULL; o++) {
        if (o->letter == word[1]) {
            return true;
        }
    }
    return false;
}

/* Whether the next word is the value of this one: --q NUMBERS. */
static bool takes_next(const tool_command *command, const char *word)
{
    const size_t length = strlen(word);
    for (const tool_option *o = command->options; o->name != NULL && length > 1 && word[0] == '-'; o++) {
        const bool named = word[1] == '-' ? length > 2 && strncmp(o->name, word + 2, length - 2) == 0
                                          : length == 2 && o->letter == word[1];
        if (named && o->argument != NULL) {
            return true;
        }
    }
    return false;
}

/* An expression (usage shows it in quotes) may begin with a sign: with a blank before it, it is no option. */
static void guard_sign(const tool_command *command, int count, char **word)
{
    for (int i = 2; i < count && strchr(command->usage, '"') != NULL; i++) {
        const bool sign = word[i][0] == '-' && word[i][1] != '-' && !takes_next(command, word[i - 1]);
        if (sign && (strpbrk(word[i], " (") != NULL || !is_option(command, word[i]))) {
            const size_t size = strlen(word[i]) + 2;
            char *copy = tool_take(size, 1);
            snprintf(copy, size, " %s", word[i]);
            word[i] = copy;
            return;
        }
    }
}

/* The command line. */
typedef struct words {
    int count;
    char **word;
} words;

static void run_program(void *context)
{
    const words *w = context;
    tool_call call = { .style = tool_style_of(STDOUT_FILENO) };
    if (w->count < 2) {
        print_overview(stderr);
        tool_end(TOOL_USAGE);
    }
    if (is_any(w->word[1], "--version", "-V")) {
        let_out(print_version, &call);
    }
    call.help = is_any(w->word[1], "--help", "-h") || strcmp(w->word[1], "help") == 0;
    if (call.help && w->count == 2) {
        let_out(print_help, &call);
    }
    const char *name = call.help ? w->word[2] : w->word[1];
    if (!call.help && name[0] == '-') {
        tool_wrong_usage(NULL, "'%s' is not an option of soa; options of a command stand after it", name);
    }
    call.command = find_command(name);
    if (call.command == NULL) {
        unknown_command(name);
    }
    guard_sign(call.command, w->count, w->word);
    if (!call.help) {
        tool_parse(&call, w->count - 1, w->word + 1);
    }
    let_out(run_command, &call);
}

int main(int count, char **word)
{
    words w = { count, word };
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
    setlocale(LC_CTYPE, "");
    json_use_memory();
    const int status = tool_try(run_program, &w);
    tool_return_all();
    return status;
}
