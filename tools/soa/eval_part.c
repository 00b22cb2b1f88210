/* eval_part.c - what stands alone in soa eval: P(4), phi[elbow,hand], trace( ), diag( ), logdet( ), dot( ).
 *
 * The operator is never a matrix of all bodies if a part of it is enough: a block is what A makes of the unit vectors of one
 * body, and the blocks of a memoryless A all come from six vectors (more with modes) that have a one at every body. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"
#include "program.h"

/* ---- text -------------------------------------------------------------------------------------------- */

static const char *const WORD[] = {
    [TOOL_PART_TRACE] = "trace",
    [TOOL_PART_DIAGONAL] = "diag",
    [TOOL_PART_LOGDET] = "logdet",
    [TOOL_PART_DOT] = "dot",
};

/* Whether what opens at `open` closes at `last`. */
static bool encloses(const char *open, const char *last)
{
    int depth = 0;
    for (const char *at = open; at <= last; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth == 0) {
            return at == last;
        }
    }
    return false;
}

static bool is_name(const char *begin, const char *end)
{
    bool name = begin < end && !isdigit((unsigned char)*begin);
    for (const char *at = begin; at < end; at++) {
        name = name && (isalnum((unsigned char)*at) || strchr("_~\\{}", *at) != NULL || (unsigned char)*at >= 0x80);
    }
    return name;
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* "4", "link4", "elbow, hand" between begin and end. */
static bool read_bodies(const char *begin, const char *end, tool_part *part)
{
    const char *comma = memchr(begin, ',', (size_t)(end - begin));
    const char *from[2] = { begin, comma != NULL ? comma + 1 : begin }, *to[2] = { comma != NULL ? comma : end, end };
    for (int i = 0; i < 2; i++) {
        for (; from[i] < to[i] && *from[i] == ' '; from[i]++) {
        }
        for (; from[i] < to[i] && to[i][-1] == ' '; to[i]--) {
        }
        const size_t length = (size_t)(to[i] - from[i]);
        if (length == 0 || length >= sizeof part->body[i] || memchr(from[i], ',', length) != NULL) {
            return false;
        }
        memcpy(part->body[i], from[i], length);
        part->body[i][length] = '\0';
    }
    return true;
}

/* P(4), P[4], P[link4], phi[elbow,hand], (H phi)[elbow,hand]; where the bodies begin, or NULL. */
static char *find_block(char *begin, char *last, tool_part *part)
{
    char *open = last;
    while (open > begin && *open != '(' && *open != '[') {
        open--;
    }
    const bool bracket = *open == '[' && *last == ']';
    if (!(bracket || (*open == '(' && *last == ')')) || open == begin || !encloses(open, last) ||
        !(is_name(begin, open) || (bracket && *begin == '(' && encloses(begin, open - 1))) ||
        !read_bodies(open + 1, last, part)) {
        return NULL;
    }
    return bracket || (is_number(part->body[0]) && is_number(part->body[1])) ? open : NULL;
}

/* Blanks stand where the words of the part stood, so that columns stay what they are. */
static bool find(const char *text, tool_part *part)
{
    const char *semicolon = strrchr(text, ';');
    part->text = strpbrk(text, "#\n") == NULL ? strdup(text) : NULL;
    if (part->text == NULL) {
        return false;
    }
    char *begin = part->text + (semicolon != NULL ? semicolon + 1 - text : 0), *last = begin + strlen(begin);
    begin += strspn(begin, " ");
    while (last > begin && last[-1] == ' ') {
        *--last = '\0';
    }
    part->shown = strdup(begin);
    if (begin == last-- || part->shown == NULL) {
        return false;
    }
    for (tool_part_kind kind = TOOL_PART_TRACE; kind <= TOOL_PART_DOT; kind++) {
        const size_t length = strlen(WORD[kind]);
        if (strncmp(begin, WORD[kind], length) == 0 && begin[length] == '(' && encloses(begin + length, last)) {
            memset(begin, ' ', length);
            part->kind = kind;
            part->operand = begin + length;
            return true;
        }
    }
    char *open = find_block(begin, last, part);
    if (open != NULL) {
        memset(open, ' ', strlen(open));
        part->kind = TOOL_PART_BLOCK;
        part->operand = begin;
    }
    return open != NULL;
}

void tool_part_free(tool_part *part)
{
    free(part->text);
    free(part->shown);
    *part = (tool_part){ 0 };
}

int tool_part_read(const char *text, soa_reading reading, soa_program *program, tool_part *part)
{
    soa_error error, second;
    *part = (tool_part){ 0 };
    if (soa_program_read(program, text, reading, &error) == SOA_OK) {
        return TOOL_OK;
    }
    if (!find(text, part)) {
        return tool_fail_text(&error, text, NULL);
    }
    return soa_program_read(program, part->text, reading, &second) == SOA_OK
               ? TOOL_OK
               : tool_fail_text(&second, part->text, NULL);
}

/* ---- what is computed for it -------------------------------------------------------------------------- */

static int body_of(const soa_model *model, const char *name, int *body)
{
    soa_error error;
    soa_point point;
    const int bodies = soa_model_bodies(model);
    if (is_number(name)) {
        const long number = strtol(name, NULL, 10);
        *body = (int)number - 1;
        return number >= 1 && number <= bodies
                   ? TOOL_OK
                   : tool_fail("there is no body %s; bodies count from 1 to %d", name, bodies);
    }
    if (soa_model_find_point(model, name, &point, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    *body = soa_model_link_body(model, point.link, NULL);
    return *body >= 0 ? TOOL_OK : tool_fail("'%s' is welded to the world; it is no body that moves", name);
}

static bool has_bodies(soa_space space)
{
    return space == SOA_SPACE_BODY || space == SOA_SPACE_JOINT;
}

static int check_part(const soa_model *model, tool_part *part)
{
    const soa_statement_info *a = &part->about;
    const bool vector = a->from_space == SOA_SPACE_ONE;
    if (a->kind == SOA_STATEMENT_DECLARATION || a->to_space == SOA_SPACE_ANY || a->name[0] != '\0') {
        return tool_fail("'%s' is no expression whose parts can be shown", part->shown);
    }
    if (part->kind == TOOL_PART_DOT) {
        return TOOL_OK;
    }
    if (part->kind == TOOL_PART_BLOCK) {
        if (!has_bodies(a->to_space) || !(vector || has_bodies(a->from_space)) ||
            (vector && strcmp(part->body[0], part->body[1]) != 0)) {
            return tool_fail("'%s': only what is of bodies or joints has a block at a body", part->shown);
        }
        const int status = body_of(model, part->body[0], &part->row);
        return status == TOOL_OK ? body_of(model, part->body[1], &part->col) : status;
    }
    return a->from_space == a->to_space && has_bodies(a->to_space)
               ? TOOL_OK
               : tool_fail("'%s': %s( ) is for operators from joints to joints or from bodies to bodies", part->shown,
                     WORD[part->kind]);
}

/* The derivatives along all velocities. */
static int read_rates(const soa_model *model, soa_program *program, const tool_part *part)
{
    enum { MOST_RATES = 64 };
    const int nv = soa_model_nv(model);
    if (nv > MOST_RATES) {
        return tool_fail("dot( ) is for models of at most %d velocities; this one has %d", MOST_RATES, nv);
    }
    int status = TOOL_OK;
    const size_t size = strlen(part->operand) + 32;
    char *text = malloc(size);
    for (int i = 0; text != NULL && i < nv && status == TOOL_OK; i++) {
        snprintf(text, size, "d(%s, q_%d)", part->operand, i + 1);
        status = tool_program_add(program, text, NULL, SOA_READ_PROGRAM);
    }
    free(text);
    return text != NULL ? status : tool_fail_memory();
}

/* A applied to a vector that is asked with; D instead of Mass: they have the same determinant [I4]. */
static int read_probe(soa_program *program, tool_part *part)
{
    soa_error error;
    char *written = NULL;
    const soa_statement_info a = part->about;
    if (a.from_space == SOA_SPACE_ONE) {
        part->first--;
        return TOOL_OK;
    }
    if (soa_program_print(program, part->first - 1, SOA_ASCII, &written, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    const bool mass = part->kind == TOOL_PART_LOGDET && strcmp(written, "Mass") == 0;
    const char *operand = mass ? "D" : part->operand;
    soa_program_text_free(program, written);
    const size_t size = strlen(operand) + 256;
    char *text = malloc(size);
    if (text == NULL) {
        return tool_fail_memory();
    }
    const char *space = soa_space_text(a.from_space), *side = soa_side_text(a.from_side);
    snprintf(text, size, TOOL_PROBE "%s_%s: %s %s; (%s) " TOOL_PROBE "%s_%s", space, side, space, side, operand, space,
        side);
    const int status = tool_program_add(program, text, NULL, SOA_READ_AGAIN);
    free(text);
    part->blocks = mass || a.causality == SOA_KIND_MEMORYLESS;
    part->first++;
    return status;
}

int tool_part_open(const soa_model *model, soa_program *program, tool_part *part)
{
    if (part->kind == TOOL_PART_NONE) {
        return TOOL_OK;
    }
    part->first = soa_program_statements(program);
    part->about = soa_program_statement(program, part->first - 1);
    part->about.text = part->shown;
    const int status = check_part(model, part);
    return status != TOOL_OK             ? status
           : part->kind == TOOL_PART_DOT ? read_rates(model, program, part)
                                         : read_probe(program, part);
}
