/* output.c - messages, the terminal, and letting the result out. */
#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool.h"

/* One line: control characters of what was typed do not reach the terminal. */
static void print_message(const char *format, va_list arguments)
{
    char text[SOA_ERROR_FILE + SOA_ERROR_TEXT + 64], clean[sizeof text];
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "soa: %s\n", tool_clean_into(clean, sizeof clean, text));
}

void tool_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

void tool_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    tool_end(TOOL_FAILED);
}

/* What the command is about, for messages that know nothing else. */
static const char *subject;

void tool_set_subject(const char *file)
{
    subject = file;
}

void tool_fail_memory(void)
{
    tool_fail("%s%sout of memory", subject != NULL ? subject : "", subject != NULL ? ": " : "");
}

static soa_error last_error;

soa_error *tool_error(void)
{
    soa_error_clear(&last_error);
    return &last_error;
}

void tool_say_error(void)
{
    char message[SOA_ERROR_FILE + SOA_ERROR_TEXT + 32];
    if (last_error.status == SOA_E_MEMORY && last_error.file[0] == '\0') {
        tool_fail_memory();
    }
    tool_say("%s", soa_error_message(&last_error, message, sizeof message));
}

void tool_must(soa_status status)
{
    if (status != SOA_OK) {
        tool_say_error();
        tool_end(TOOL_FAILED);
    }
}

void tool_must_for(int first, int state, soa_status status)
{
    const char *text = last_error.text;
    state = state < 0 ? last_error.state : state;
    if (status == SOA_OK) {
        return;
    }
    if (state < 0) {
        tool_fail("%s", text);
    }
    char own[32]; /* the library counts from the first state of the call */
    const int length = snprintf(own, sizeof own, "state %d: ", last_error.state);
    text += strncmp(text, own, (size_t)length) == 0 ? length : 0;
    tool_fail("state %d: %s", first + state, text);
}

void tool_wrong_usage(const tool_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'soa %s%s--help'.\n", command != NULL ? command->name : "", command != NULL ? " " : "");
    tool_end(TOOL_USAGE);
}

void tool_note(tool_call *call, const char *format, ...)
{
    char text[SOA_ERROR_TEXT], clean[sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "soa: note: %s\n", tool_clean_into(clean, sizeof clean, text));
    if (call->notes < TOOL_MAX_NOTES) {
        call->note[call->notes++] = tool_copy(text);
    }
}

int tool_columns(const tool_call *call)
{
    enum { ANY = 160 };
    struct winsize size;
    (void)call;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : ANY;
}

tool_style tool_style_of(int descriptor)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    const bool plain = (no_colour != NULL && no_colour[0] != '\0') || terminal == NULL || strcmp(terminal, "dumb") == 0;
    return (tool_style){
        .colour = !plain && isatty(descriptor) == 1,
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
}

int tool_write(const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(STDOUT_FILENO, text, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0 && errno == EPIPE) {
            return TOOL_OK;
        }
        if (written < 0) {
            tool_say("cannot write the output: %s; give it room or another place", strerror(errno));
            return TOOL_FAILED;
        }
        text += written;
        length -= (size_t)written;
    }
    return TOOL_OK;
}

/* ---- nearest word ----------------------------------------------------------------- */

#define LONGEST 32

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes of one character and swaps of neighbours between two words. */
static int edits(const char *a, const char *b)
{
    int cost[LONGEST + 1][LONGEST + 1];
    const int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST) {
        return LONGEST;
    }
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const int change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(change, 1 + least(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[m][n];
}

const char *tool_nearest(const char *word, int count, const char *(*at)(int index))
{
    const char *nearest = NULL;
    int fewest = 1 + least(3, (int)strlen(word) / 2);
    for (int i = 0; i < count; i++) {
        const int n = edits(word, at(i));
        if (n < fewest) {
            fewest = n;
            nearest = at(i);
        }
    }
    return nearest;
}

/* ---- text for people ----------------------------------------------------------------- */

/* A text that stays until so many more have been made. */
enum { TEXTS = 16, TEXT_SIZE = 2048 };

char *tool_text(const char *format, ...)
{
    static char text[TEXTS][TEXT_SIZE];
    static unsigned made;
    char *own = text[made++ % TEXTS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(own, TEXT_SIZE, format, arguments);
    va_end(arguments);
    return own;
}

char *tool_clean(const char *text)
{
    return tool_clean_into(tool_text("%s", ""), TOOL_CELL, text);
}

char *tool_clean_into(char *buffer, size_t size, const char *text)
{
    size_t n = strlen(text) < size ? strlen(text) : size - 1;
    while (n > 0 && text[n] != '\0' && ((unsigned char)text[n] & 0xc0) == 0x80) {
        n--;
    }
    memcpy(buffer, text, n);
    buffer[n] = '\0';
    return soa_printable(buffer);
}

int tool_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

void tool_put(const tool_call *call, tool_ink ink, const char *text, int width)
{
    static const char *const START[] = { "", "\033[1m", "\033[2m", "\033[33m" };
    const bool inked = call->style.colour && ink != INK_PLAIN && text[0] != '\0';
    fprintf(call->out, "%s%s%s", inked ? START[ink] : "", text, inked ? "\033[0m" : "");
    const int blanks = width - tool_width(text);
    if (blanks > 0) {
        fprintf(call->out, "%*s", blanks, "");
    }
}
