/* npy.c - files of NumPy: .npy, a heading in the notation of Python and numbers; .npz, a ZIP archive of such files.
 *
 * Archives are written and read without compression, as numpy.savez does, up to the 4 GB that plain ZIP can hold. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "record.h"

/* ---- headings ------------------------------------------------------------------------------------ */

enum { MAGIC = 8, ALIGNED = 64 };

/* '<' where the first byte of a number is the lowest. */
static char byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? '<' : '>';
}

static bool is_ascii(const char *text)
{
    while (*text > 0) {
        text++;
    }
    return *text == '\0';
}

/* Closes the notation in text, which starts behind `before` bytes of heading, and fills these in. */
static char *close_heading(char *text, size_t used, size_t *length, bool ascii)
{
    const size_t whole = (used + 1 + ALIGNED - 1) / ALIGNED * ALIGNED, rest = whole - MAGIC - 4;
    memset(text + used, ' ', whole - used);
    text[whole - 1] = '\n';
    memcpy(text, "\x93NUMPY", 6);
    text[6] = ascii ? 2 : 3;
    text[7] = 0;
    for (int i = 0; i < 4; i++) {
        text[MAGIC + i] = (char)(rest >> (8 * i) & 0xff);
    }
    *length = whole;
    return text;
}

char *npy_heading(int columns, const char *const *name, long rows, size_t *length)
{
    size_t room = 256;
    bool ascii = true;
    for (int i = 0; i < columns; i++) {
        room += 2 * strlen(name[i]) + 16;
        ascii = ascii && is_ascii(name[i]);
    }
    char *text = tool_take(room + ALIGNED, 1), *at = text + MAGIC + 4;
    at += sprintf(at, "{'descr': [");
    for (int i = 0; i < columns; i++) {
        *at++ = '(';
        *at++ = '\'';
        for (const char *c = name[i]; *c != '\0'; c++) {
            if (*c == '\'' || *c == '\\') {
                *at++ = '\\';
            }
            *at++ = (unsigned char)*c < ' ' ? '_' : *c;
        }
        at += sprintf(at, "', '%cf8'), ", byte_order());
    }
    at += sprintf(at, "], 'fortran_order': False, 'shape': (%12ld,), }", rows);
    return close_heading(text, (size_t)(at - text), length, ascii);
}

/* The heading of one column. */
static char *plain_heading(long rows, size_t *length)
{
    char *text = tool_take(256, 1);
    const int n =
        sprintf(text + MAGIC + 4, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%ld,), }", byte_order(), rows);
    return close_heading(text, MAGIC + 4 + (size_t)n, length, true);
}

/* ---- reading a heading ------------------------------------------------------------------------------- */

/* Text between the quotes at *at, unescaped in place; *at moves behind it. */
static char *quoted(char **at)
{
    char *begin = strchr(*at, '\''), *to = begin, *from = begin;
    if (begin == NULL) {
        return NULL;
    }
    for (from++; *from != '\'' && *from != '\0'; from++) {
        from += *from == '\\' && from[1] != '\0';
        *to++ = *from;
    }
    *at = from + (*from != '\0');
    *to = '\0';
    return begin;
}

/* Where the numbers begin, the text of the heading (ended) and its rows; 0: this is no heading. */
static size_t read_heading(char *bytes, size_t size, char **text, long *rows)
{
    if (size < MAGIC + 4 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        return 0;
    }
    size_t length = 0;
    const int wide = bytes[6] == 1 ? 2 : 4;
    for (int i = wide - 1; i >= 0; i--) {
        length = length << 8 | (unsigned char)bytes[MAGIC + i];
    }
    *text = bytes + MAGIC + wide;
    if (length < 2 || length > size - (size_t)(MAGIC + wide)) {
        return 0;
    }
    (*text)[length - 1] = '\0';
    const char *shape = strstr(*text, "'shape': (");
    *rows = shape != NULL ? strtol(shape + 10, NULL, 10) : -1;
    const bool plain = strstr(*text, "'fortran_order': False") != NULL;
    return plain && *rows >= 0 && *rows <= INT32_MAX ? (size_t)(MAGIC + wide) + length : 0;
}

/* ---- whole files ------------------------------------------------------------------------------------------ */

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    const long end = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0) {
        tool_fail("%s: the file cannot be read: %s", path, strerror(errno));
    }
    char *bytes = tool_take((size_t)end + 1, 1);
    rewind(file);
    *size = fread(bytes, 1, (size_t)end, file);
    (void)fclose(file);
    return bytes;
}

TOOL_ENDS static void fail_format(const char *path, const char *why)
{
    tool_fail("%s: this is not a recording of 'soa sim': %s", path, why);
}

void npy_read(const char *path, sheet *s)
{
    size_t size;
    char *bytes = read_bytes(path, &size), *text, type[8];
    long rows = 0;
    int columns = 0;
    const size_t data = read_heading(bytes, size, &text, &rows);
    snprintf(type, sizeof type, "'%cf8')", byte_order());
    for (const char *c = data > 0 ? strstr(text, type) : NULL; c != NULL; c = strstr(c + 1, type)) {
        columns++;
    }
    char *at = columns > 0 ? strchr(text, '[') : NULL;
    if (at == NULL || (size - data) / sizeof(double) / (size_t)columns < (size_t)rows) {
        fail_format(path, "it is not a table of named columns of 64-bit numbers, or its end is missing");
    }
    sheet_make(s, columns, (int)rows);
    for (int i = 0; i < columns; i++) {
        const char *name = quoted(&at);
        s->name[i] = tool_copy(name != NULL ? name : "");
        (void)quoted(&at);
    }
    for (size_t row = 0; row < (size_t)rows; row++) {
        for (size_t i = 0; i < (size_t)columns; i++) {
            memcpy(&s->number[i * (size_t)rows + row], bytes + data + (row * (size_t)columns + i) * sizeof(double),
                sizeof(double));
        }
    }
    tool_return(bytes);
}

/* ---- archives ---------------------------------------------------------------------------------------------- */

static uint32_t crc_of(const void *bytes, size_t size, uint32_t crc)
{
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++) {
            x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
        }
        table[i] = x;
    }
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 0xff];
    }
    return ~crc;
}

/* Numbers of 2 and 4 bytes, lowest first: "24" writes two. */
static void put(FILE *out, const char *widths, const uint32_t *number)
{
    for (; *widths != '\0'; widths++, number++) {
        for (int i = 0; i < *widths - '0'; i++) {
            fputc((int)(*number >> (8 * i) & 0xff), out);
        }
    }
}

static uint32_t get(const char *bytes, int width)
{
    uint32_t x = 0;
    for (int i = width - 1; i >= 0; i--) {
        x = x << 8 | (unsigned char)bytes[i];
    }
    return x;
}

enum { LOCAL = 30, CENTRAL = 46, END = 22, UTF8 = 0x800 };

/* A member of the archive: a column. */
typedef struct member {
    char *heading;
    size_t length; /* of the heading */
    uint32_t crc, size, offset;
} member;

static void write_archive(void *context, FILE *out)
{
    const sheet *s = context;
    const size_t bytes = (size_t)s->rows * sizeof(double);
    member *m = tool_take((size_t)s->columns + 1, sizeof *m);
    uint32_t offset = 0, size = 0;
    for (int i = 0; i < s->columns; i++) {
        const double *x = s->number + (size_t)i * (size_t)s->rows;
        const uint32_t name = (uint32_t)strlen(s->name[i]) + 4;
        m[i].heading = plain_heading(s->rows, &m[i].length);
        m[i].crc = crc_of(x, bytes, crc_of(m[i].heading, m[i].length, 0));
        m[i].size = (uint32_t)(m[i].length + bytes);
        m[i].offset = offset;
        put(out, "42222244422",
            (const uint32_t[]){ 0x04034b50, 20, UTF8, 0, 0, 0x21, m[i].crc, m[i].size, m[i].size, name, 0 });
        fprintf(out, "%s.npy", s->name[i]);
        fwrite(m[i].heading, 1, m[i].length, out);
        fwrite(x, 1, bytes, out);
        offset += LOCAL + name + m[i].size;
    }
    for (int i = 0; i < s->columns; i++) {
        const uint32_t name = (uint32_t)strlen(s->name[i]) + 4;
        put(out,
            "422222244422222"
            "44",
            (const uint32_t[]){ 0x02014b50, 20, 20, UTF8, 0, 0, 0x21, m[i].crc, m[i].size, m[i].size, name, 0, 0, 0, 0,
                0, m[i].offset });
        fprintf(out, "%s.npy", s->name[i]);
        size += CENTRAL + name;
    }
    const uint32_t count = (uint32_t)s->columns;
    put(out, "42222442", (const uint32_t[]){ 0x06054b50, 0, 0, count, count, size, offset, 0 });
}

void npz_write(const char *path, const sheet *s)
{
    const double each = 8.0 * s->rows + 1200.0;
    if (each * s->columns > 4.0e9 || s->columns > 65000) {
        tool_fail("%s: the recording is larger than the 4 GB of a ZIP archive; result.npy beside it holds it", path);
    }
    sheet copy = *s;
    tool_file_write(path, write_archive, &copy);
}

/* The member whose entry of the directory is at `entry`: its numbers into column i. */
static bool read_member(sheet *s, int i, char *bytes, size_t size, const char *entry)
{
    const size_t name = get(entry + 28, 2), local = get(entry + 42, 4), length = get(entry + 20, 4);
    if (get(entry + 10, 2) != 0 || name < 5 || local + LOCAL > size) {
        return false;
    }
    const size_t at = local + LOCAL + get(bytes + local + 26, 2) + get(bytes + local + 28, 2);
    char *text;
    long rows = 0;
    const size_t data = at < size && length <= size - at ? read_heading(bytes + at, length, &text, &rows) : 0;
    const char type[] = { '\'', byte_order(), 'f', '8', '\'', '\0' };
    if (data == 0 || strstr(text, type) == NULL || strchr(text, '[') != NULL ||
        (length - data) / sizeof(double) < (size_t)rows) {
        return false;
    }
    if (i == 0) {
        sheet_make(s, s->columns, (int)rows);
    }
    s->name[i] = memcpy(tool_take(name, 1), entry + CENTRAL, name - 4);
    memcpy(s->number + (size_t)i * (size_t)s->rows, bytes + at + data, (size_t)rows * sizeof(double));
    return rows == s->rows;
}

void npz_read(const char *path, sheet *s)
{
    size_t size;
    char *bytes = read_bytes(path, &size);
    const char *end = size >= END ? bytes + size - END : bytes;
    bool good = size >= END && get(end, 4) == 0x06054b50;
    s->columns = good ? (int)get(end + 10, 2) : 0;
    size_t at = good ? get(end + 16, 4) : 0;
    good = good && s->columns > 0;
    for (int i = 0; i < s->columns && good; i++) {
        good = at + CENTRAL <= size && get(bytes + at, 4) == 0x02014b50 &&
               at + CENTRAL + get(bytes + at + 28, 2) <= size && read_member(s, i, bytes, size, bytes + at);
        at += good ? CENTRAL + get(bytes + at + 28, 2) + get(bytes + at + 30, 2) + get(bytes + at + 32, 2) : 0;
    }
    if (!good) {
        fail_format(path, "it is not an archive of lists of 64-bit numbers without compression");
    }
}
