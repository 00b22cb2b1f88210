/* program.c - reading programs of the operator language, and saying where they are wrong. */
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

/* ---- files --------------------------------------------------------------------------------- */

/* A program is text that someone wrote. */
enum { LARGEST = 1 << 20 };

char *tool_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file != NULL ? malloc(LARGEST + 1) : NULL;
    if (text == NULL) {
        (void)(file == NULL ? tool_fail("%s: the file cannot be read: %s", path, strerror(errno)) : tool_fail_memory());
    } else {
        const size_t length = fread(text, 1, LARGEST, file);
        text[length] = '\0';
        const char *why = ferror(file)             ? strerror(errno)
                          : length == LARGEST      ? "it is too large for a program"
                          : strlen(text) != length ? "it is not text"
                                                   : NULL;
        if (why != NULL) {
            (void)tool_fail("%s: the file cannot be read: %s", path, why);
            free(text);
            text = NULL;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return text;
}

/* ---- limits ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;
static void (*handler_before)(int) = SIG_DFL;

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

int tool_limits_begin(const tool_call *call, soa_program *program)
{
    const char *text = tool_value(call, "seconds");
    double seconds = 10.0;
    const int numbers = text != NULL ? tool_read_numbers("seconds", text, 1, &seconds) : 1;
    if (numbers != 1 || seconds < 0.0) {
        return numbers < 0 ? TOOL_FAILED : tool_fail("--seconds %s: give one number that is not negative", text);
    }
    interrupted = 0;
    handler_before = signal(SIGINT, on_interrupt);
    soa_program_limit(program, seconds, is_interrupted, NULL);
    return TOOL_OK;
}

void tool_limits_end(void)
{
    (void)signal(SIGINT, handler_before);
}

/* ---- errors ------------------------------------------------------------------------------------ */

int tool_fail_text(const soa_error *error, const char *text, const char *file)
{
    char caret[2048];
    if (error->line < 1) {
        return tool_fail("%s", error->text);
    }
    if (file != NULL) {
        (void)tool_fail("%s:%d: %s", file, error->line, error->text);
    } else if (error->line > 1) {
        (void)tool_fail("line %d, column %d: %s", error->line, error->column, error->text);
    } else {
        (void)tool_fail("column %d: %s", error->column, error->text);
    }
    char *at = soa_error_caret(error, text, caret, sizeof caret);
    for (char *line = strtok(at, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        fprintf(stderr, "  %s\n", soa_printable(line));
    }
    return TOOL_FAILED;
}

/* ---- programs ------------------------------------------------------------------------------------- */

int tool_program_add(soa_program *program, const char *text, const char *file, soa_reading reading)
{
    soa_error error;
    return soa_program_read(program, text, reading, &error) == SOA_OK ? TOOL_OK : tool_fail_text(&error, text, file);
}

static int add_file(soa_program *program, const char *path, soa_reading reading)
{
    char *text = tool_read_file(path);
    const int status = text == NULL ? TOOL_FAILED : tool_program_add(program, text, path, reading);
    free(text);
    return status;
}

bool tool_program_is_file(const char *text)
{
    const size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".soa") == 0;
}

int tool_program_read_more(const char *text, soa_reading reading, soa_program *program)
{
    return tool_program_is_file(text) ? add_file(program, text, reading)
                                      : tool_program_add(program, text, NULL, reading);
}

static int read_all(const tool_call *call, const char *text, soa_reading reading, soa_program *program)
{
    const char *more;
    int status = TOOL_OK;
    for (int i = 0; status == TOOL_OK && (more = tool_value_at(call, "file", i)) != NULL; i++) {
        status = add_file(program, more, SOA_READ_PROGRAM);
    }
    for (int i = 0; status == TOOL_OK && (more = tool_value_at(call, "let", i)) != NULL; i++) {
        status = tool_program_add(program, more, NULL, SOA_READ_PROGRAM);
    }
    return status == TOOL_OK && text != NULL ? tool_program_read_more(text, reading, program) : status;
}

int tool_program_read(const tool_call *call, const char *text, soa_reading reading, soa_program **program)
{
    soa_error error;
    if (soa_program_new(NULL, program, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    const int status = read_all(call, text, reading, *program);
    if (status != TOOL_OK) {
        soa_program_free(*program);
        *program = NULL;
    }
    return status;
}

soa_notation tool_notation(const tool_call *call)
{
    return tool_value(call, "latex") != NULL     ? SOA_LATEX
           : tool_value(call, "unicode") != NULL ? SOA_UNICODE
                                                 : SOA_ASCII;
}

/* Whether all was written is seen when the file is closed. */
static int write_text(void *context, FILE *out)
{
    fputs(context, out);
    return TOOL_OK;
}

int tool_write_text(const char *path, char *text)
{
    return tool_file_write(path, write_text, text);
}

void tool_put_text(const tool_call *call, soa_program *program, char *text)
{
    if (text != NULL) {
        fputs(text, call->out);
    }
    soa_program_text_free(program, text);
}
