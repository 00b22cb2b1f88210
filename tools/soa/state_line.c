/* state_line.c - the line of a states file on which an item stands, for messages.
 *
 * The file has been read as JSON before: its text is known to be well formed. */
#include <stdbool.h>
#include <string.h>

#include "compute.h"

typedef struct cursor {
    const char *at;
    int line;
} cursor;

static void step(cursor *c)
{
    c->line += *c->at == '\n';
    c->at++;
}

static void skip_blanks(cursor *c)
{
    while (*c->at != '\0' && strchr(" \t\r\n,:", *c->at) != NULL) {
        step(c);
    }
}

/* Past a text in quotes. */
static void skip_text(cursor *c)
{
    for (c->at++; *c->at != '\0' && *c->at != '"'; step(c)) {
        c->at += *c->at == '\\' && c->at[1] != '\0';
    }
    c->at += *c->at == '"';
}

/* Past one value, whatever it is. */
static void skip_value(cursor *c)
{
    int depth = 0;
    skip_blanks(c);
    do {
        if (*c->at == '"') {
            skip_text(c);
        } else if (*c->at == '[' || *c->at == '{') {
            depth++;
            step(c);
        } else if (*c->at == ']' || *c->at == '}') {
            depth--;
            step(c);
        } else {
            while (*c->at != '\0' && strchr("[]{}\", \t\r\n:", *c->at) == NULL) {
                step(c);
            }
        }
        skip_blanks(c);
    } while (depth > 0 && *c->at != '\0');
}

/* To the value of a member of the object here; names with escapes are not found. */
static bool enter_member(cursor *c, const char *name)
{
    skip_blanks(c);
    if (*c->at != '{') {
        return false;
    }
    step(c);
    skip_blanks(c);
    while (*c->at == '"') {
        const char *key = c->at + 1;
        skip_text(c);
        const size_t length = (size_t)(c->at - key) - 1;
        skip_blanks(c);
        if (strlen(name) == length && strncmp(name, key, length) == 0) {
            return true;
        }
        skip_value(c);
    }
    return false;
}

/* To item `index` of the list here. */
static bool enter_item(cursor *c, int index)
{
    skip_blanks(c);
    if (*c->at != '[') {
        return false;
    }
    step(c);
    for (int i = 0; i < index; i++) {
        skip_value(c);
    }
    skip_blanks(c);
    return *c->at != '\0' && *c->at != ']';
}

int tool_state_line(const char *text, int state, const char *member, const char *name, int index)
{
    cursor c = { text, 1 };
    if (!enter_member(&c, "states") || !enter_item(&c, state)) {
        return 0;
    }
    int line = c.line;
    if (member != NULL && enter_member(&c, member)) {
        line = c.line;
        const bool found = name == NULL || enter_member(&c, name);
        line = found ? c.line : line;
        line = found && index >= 0 && enter_item(&c, index) ? c.line : line;
    }
    return line;
}
