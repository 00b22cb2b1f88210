/* call.c - options and operands of a command, and its help. */
#include <getopt.h>
#include <string.h>

#include "tool.h"

#define HELP 0x100 /* getopt's answer for --help; option i is HELP + 1 + i */

static void make_options(const tool_command *command, struct option *longs, char *shorts)
{
    int n = 0;
    *shorts++ = ':';
    *shorts++ = 'h';
    for (const tool_option *o = command->options; o->name != NULL && n < TOOL_MAX_OPTIONS; o++, n++) {
        longs[n] = (struct option){ o->name, o->argument ? required_argument : no_argument, NULL, HELP + 1 + n };
        if (o->letter != 0) {
            *shorts++ = o->letter;
            if (o->argument != NULL) {
                *shorts++ = ':';
            }
        }
    }
    longs[n] = (struct option){ "help", no_argument, NULL, HELP };
    longs[n + 1] = (struct option){ NULL, 0, NULL, 0 };
    *shorts = '\0';
}

static int option_of_letter(const tool_command *command, int letter)
{
    for (int i = 0; command->options[i].name != NULL; i++) {
        if (command->options[i].letter == letter) {
            return i;
        }
    }
    return -1;
}

static void check_operands(const tool_call *call)
{
    const tool_command *command = call->command;
    if (!call->help && call->operands < command->least) {
        tool_wrong_usage(command, "an argument is missing; write 'soa %s %s'", command->name, command->usage);
    }
    if (!call->help && call->operands > command->most) {
        tool_wrong_usage(command, "'%s' is one argument too many; write 'soa %s%s%s'", call->operand[command->most],
            command->name, command->usage[0] == '\0' ? "" : " ", command->usage);
    }
}

void tool_parse(tool_call *call, int count, char **word)
{
    struct option longs[TOOL_MAX_OPTIONS + 2];
    char shorts[2 * TOOL_MAX_OPTIONS + 3];
    int answer;

    make_options(call->command, longs, shorts);
    opterr = 0;
    while ((answer = getopt_long(count, word, shorts, longs, NULL)) != -1) {
        if (answer == '?') {
            tool_wrong_usage(call->command, "'%s' is not an option of 'soa %s'", word[optind - 1], word[0]);
        }
        if (answer == ':') {
            tool_wrong_usage(call->command, "'%s' needs a value", word[optind - 1]);
        }
        if (answer == 'h' || answer == HELP) {
            call->help = true;
            continue;
        }
        const int i = answer > HELP ? answer - HELP - 1 : option_of_letter(call->command, answer);
        call->value[i] = optarg != NULL ? optarg : "";
        if (call->given == TOOL_MAX_GIVEN) {
            tool_wrong_usage(call->command, "more than %d options", TOOL_MAX_GIVEN);
        }
        call->value_given[call->given].option = i;
        call->value_given[call->given++].value = call->value[i];
    }
    call->operands = count - optind;
    call->operand = word + optind;
    check_operands(call);
}

const char *tool_value(const tool_call *call, const char *option)
{
    for (int i = 0; call->command->options[i].name != NULL; i++) {
        if (strcmp(call->command->options[i].name, option) == 0) {
            return call->value[i];
        }
    }
    return NULL;
}

const char *tool_value_at(const tool_call *call, const char *option, int i)
{
    for (int n = 0; n < call->given; n++) {
        const tool_option *given = &call->command->options[call->value_given[n].option];
        if (strcmp(given->name, option) == 0 && i-- == 0) {
            return call->value_given[n].value;
        }
    }
    return NULL;
}

void tool_help(FILE *out, const tool_command *command)
{
    fprintf(out, "soa %s - %s\n\nusage: soa %s %s\n", command->name, command->summary, command->name, command->usage);
    if (command->text != NULL) {
        fprintf(out, "\n%s\n", command->text);
    }
    fputs("\noptions:\n", out);
    for (const tool_option *o = command->options; o->name != NULL; o++) {
        char left[TOOL_CELL];
        const char letter[] = { '-', o->letter, ',', ' ', '\0' };
        snprintf(left, sizeof left, "%s--%s%s%s", o->letter != 0 ? letter : "", o->name, o->argument != NULL ? " " : "",
            o->argument != NULL ? o->argument : "");
        fprintf(out, "  %-24s%s\n", left, o->text);
    }
    fprintf(out, "  %-24s%s\n", "-h, --help", "this text");
}
