/* program.c - reading programs of the operator language, and saying where they are wrong. */
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "compute.h"

/* ---- files --------------------------------------------------------------------------------- */

/* A program is text that someone wrote. */
enum { LARGEST = 1 << 20 };

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        tool_fail("%s: the file cannot be read: %s", path, strerror(errno));
    }
    char *text = tool_take(LARGEST + 1, 1);
    const size_t length = fread(text, 1, LARGEST, file);
    const char *why = ferror(file)             ? strerror(errno)
                      : length == LARGEST      ? "it is too large for a program"
                      : strlen(text) != length ? "it is not text"
                                               : NULL;
    (void)fclose(file);
    if (why != NULL) {
        tool_fail("%s: the file cannot be read: %s", path, why);
    }
    return text;
}

/* ---- limits ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;
static void (*handler_before)(int);
static bool limited;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

void tool_limits_begin(const tool_call *call, soa_program *program)
{
    const char *text = tool_value(call, "seconds");
    double seconds = 10.0;
    const int numbers = text != NULL ? tool_read_numbers("seconds", text, 1, &seconds) : 1;
    if (numbers != 1 || seconds < 0.0) {
        tool_fail("--seconds %s: give one number that is not negative", text);
    }
    interrupted = 0;
    handler_before = signal(SIGINT, on_interrupt);
    limited = true;
    soa_program_limit(program, seconds, is_interrupted, NULL);
}

void tool_limits_end(void)
{
    if (limited) {
        (void)signal(SIGINT, handler_before);
    }
    limited = false;
}

/* ---- errors ------------------------------------------------------------------------------------ */

/* The message of an error in a text, and the line with a caret below it. */
TOOL_ENDS static void fail_text(const soa_error *error, const char *text, const char *file)
{
    char caret[2048];
    if (error->line < 1) {
        tool_fail("%s", error->text);
    }
    if (file != NULL) {
        tool_say("%s:%d: %s", file, error->line, error->text);
    } else if (error->line > 1) {
        tool_say("line %d, column %d: %s", error->line, error->column, error->text);
    } else {
        tool_say("column %d: %s", error->column, error->text);
    }
    char *at = soa_error_caret(error, text, caret, sizeof caret);
    for (char *line = strtok(at, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        fprintf(stderr, "  %s\n", soa_printable(line));
    }
    tool_end(TOOL_FAILED);
}

/* ---- programs ------------------------------------------------------------------------------------- */

void tool_program_add(soa_program *program, const char *text, const char *file, soa_reading reading)
{
    soa_error error;
    if (soa_program_read(program, text, reading, &error) != SOA_OK) {
        fail_text(&error, text, file);
    }
}

/* Whether a text names a file: it ends in .soa. */
static bool is_file(const char *text)
{
    const size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".soa") == 0;
}

void tool_program_read_more(const char *text, soa_reading reading, soa_program *program)
{
    const bool file = is_file(text);
    tool_program_add(program, file ? read_file(text) : text, file ? text : NULL, reading);
}

soa_program *tool_program_read(const tool_call *call, const char *text, soa_reading reading)
{
    const char *more;
    soa_program *program;
    tool_must(soa_program_new(&TOOL_MEMORY, &program, tool_error()));
    for (int i = 0; (more = tool_value_at(call, "file", i)) != NULL; i++) {
        tool_program_add(program, read_file(more), more, SOA_READ_PROGRAM);
    }
    for (int i = 0; (more = tool_value_at(call, "let", i)) != NULL; i++) {
        tool_program_add(program, more, NULL, SOA_READ_PROGRAM);
    }
    if (text != NULL) {
        tool_program_read_more(text, reading, program);
    }
    return program;
}

soa_notation tool_notation(const tool_call *call)
{
    return tool_value(call, "latex") != NULL     ? SOA_LATEX
           : tool_value(call, "unicode") != NULL ? SOA_UNICODE
                                                 : SOA_ASCII;
}

/* Whether all was written is seen when the file is closed. */
static void write_text(void *context, FILE *out)
{
    fputs(context, out);
}

void tool_write_text(const char *path, char *text)
{
    tool_file_write(path, write_text, text);
}

void tool_put_text(const tool_call *call, soa_program *program, char *text)
{
    fputs(text, call->out);
    soa_program_text_free(program, text);
}
