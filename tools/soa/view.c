/* view.c - soa view: a model and a recording of it in one page for a browser.
 *
 * The page (make web) holds a place for data, <script ... id="soa-data">null</script>, which is replaced by
 *     {"model": PATH, "files": {PATH: base64}, "meshes": {as written: base64}, "recording": CSV} */
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute.h"
#include "module.h"
#include "soa/io.h"

const tool_option TOOL_VIEW_OPTIONS[] = {
    { "out", 'o', "FILE", "where to write the page; without it a temporary file is shown in the browser" },
    { "base", 0, "fixed|free", "fixed: as in the file; free: on a free joint 'base'" },
    { NULL, 0, NULL, NULL },
};

#define PLACE "id=\"soa-data\">"

/* ---- files ------------------------------------------------------------------------------------ */

typedef struct bytes {
    char *data;
    size_t length;
} bytes;

/* A whole file; data is NULL if it cannot be read. */
static bytes read_file(const char *path)
{
    bytes b = { NULL, 0 };
    struct stat about;
    FILE *in = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= (off_t)SOA_MAX_FILE_BYTES
                   ? fopen(path, "rb")
                   : NULL;
    if (in == NULL) {
        return b;
    }
    b.length = (size_t)about.st_size;
    b.data = tool_take(b.length + 1, 1);
    if (fread(b.data, 1, b.length, in) != b.length) {
        b.data = NULL;
    }
    (void)fclose(in);
    return b;
}

/* The page as built beside the program, or as installed. */
static bytes find_page(void)
{
    static const char *const place[] = { "/web/soa.html", "/../web/soa.html", "/../share/soa/soa.html" };
    char folder[PATH_MAX], path[PATH_MAX + 64];
    tool_own_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        snprintf(path, sizeof path, "%s%s", folder, place[i]);
        const bytes page = read_file(path);
        if (page.data != NULL && strstr(page.data, PLACE) != NULL) {
            return page;
        }
    }
    tool_fail("the page is not there; 'make web' builds it, 'make install' then installs it");
}

/* A mesh as written in a model: beside the file that names it, or, by a "package://", in a folder above it, where the first
 * folders of its path may be absent. */
static bytes read_mesh(const soa_geometry *g)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    const char *scheme = strstr(g->mesh, "://");
    const char *name = scheme != NULL ? scheme + 3 : g->mesh;
    bytes b = { NULL, 0 };
    if (scheme == NULL && name[0] == '/') {
        return read_file(name);
    }
    snprintf(folder, sizeof folder, "%s", g->source.file != NULL ? g->source.file : "");
    char *last = strrchr(folder, '/');
    snprintf(last != NULL ? last : folder, 2, last != NULL ? "" : ".");
    for (int up = 0; up < (scheme != NULL ? 6 : 1) && b.data == NULL; up++) {
        for (const char *end = name; end != NULL && b.data == NULL;) {
            snprintf(path, sizeof path, "%s/%s", folder, end);
            b = read_file(path);
            const char *slash = scheme != NULL ? strchr(end, '/') : NULL;
            end = slash != NULL ? slash + 1 : NULL;
        }
        const size_t used = strlen(folder);
        snprintf(folder + used, sizeof folder - used, "/..");
    }
    return b;
}

/* ---- data --------------------------------------------------------------------------------------- */

static json_t *base64(const bytes *b)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = tool_take(4 * (b->length / 3 + 1) + 1, 1), *to = text;
    for (size_t i = 0; i < b->length; i += 3) {
        const unsigned char *s = (const unsigned char *)b->data + i;
        const size_t left = b->length - i;
        const unsigned word = (unsigned)s[0] << 16 | (left > 1 ? (unsigned)s[1] << 8 : 0u) | (left > 2 ? s[2] : 0u);
        *to++ = letter[word >> 18];
        *to++ = letter[word >> 12 & 63];
        *to++ = left > 1 ? letter[word >> 6 & 63] : '=';
        *to++ = left > 2 ? letter[word & 63] : '=';
    }
    json_t *value = json_stringn(text, (size_t)(to - text));
    tool_return(text);
    return value;
}

/* All meshes that can be read; a note tells of the others. */
static json_t *meshes_of(tool_call *call, const soa_model *model)
{
    json_t *meshes = json_object();
    int absent = 0;
    const char *first = "";
    for (int i = 0; i < soa_model_geometries(model); i++) {
        const soa_geometry *g = soa_model_geometry(model, i);
        if (g->mesh == NULL || json_object_get(meshes, g->mesh) != NULL) {
            continue;
        }
        const bytes mesh = read_mesh(g);
        if (mesh.data == NULL) {
            first = absent++ == 0 ? g->mesh : first;
        } else {
            json_set(meshes, g->mesh, base64(&mesh));
        }
        tool_return(mesh.data);
    }
    if (absent > 0) {
        tool_note(call, "%d mesh%s cannot be read, '%s' first; collision shapes or the inertia stand in", absent,
            absent > 1 ? "es" : "", first);
    }
    return meshes;
}

/* The recording as CSV, with all digits. */
static json_t *csv_of(const sheet *s)
{
    tool_gathered csv;
    FILE *out = tool_gather(&csv);
    for (int i = 0; out != NULL && i < s->columns; i++) {
        fprintf(out, "%s%s", i > 0 ? "," : "", s->name[i]);
    }
    for (int k = 0; out != NULL && k < s->rows; k++) {
        for (int i = 0; i < s->columns; i++) {
            fprintf(out, "%s%.17g", i > 0 ? "," : "\n", s->number[(size_t)i * (size_t)s->rows + (size_t)k]);
        }
    }
    if (!tool_gather_end(&csv, out)) {
        free(csv.text);
        tool_fail_memory();
    }
    json_t *value = json_text(csv.text);
    free(csv.text);
    return value;
}

static json_t *model_text(const soa_model *model)
{
    bytes text;
    tool_must(soa_write(model, SOA_YAML, &TOOL_MEMORY, &text.data, &text.length, tool_error()));
    return base64(&text);
}

/* ---- the page ------------------------------------------------------------------------------------- */

typedef struct job {
    bytes page;
    char *data;
} job;

/* '<' stands only inside of texts, where it may be written as a code: so no text ends the script. */
static void write_page(void *context, FILE *out)
{
    const job *j = context;
    const char *place = strstr(j->page.data, PLACE) + strlen(PLACE);
    const char *rest = strstr(place, "</script>");
    if (rest == NULL) {
        tool_fail("the page is damaged; 'make web' builds it anew");
    }
    fwrite(j->page.data, 1, (size_t)(place - j->page.data), out);
    for (const char *s = j->data; *s != '\0'; s++) {
        if (*s == '<') {
            fputs("\\u003c", out);
        } else {
            fputc(*s, out);
        }
    }
    fwrite(rest, 1, j->page.length - (size_t)(rest - j->page.data), out);
}

/* What the page calls the model: its name, as a file. */
static const char *file_of(const soa_model *model)
{
    char *name = tool_text("%s.yaml", soa_model_name(model)[0] != '\0' ? soa_model_name(model) : "model");
    for (char *c = name; *c != '\0'; c++) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                           *c == '_' || (*c == '.' && c > name);
        *c = plain ? *c : '-';
    }
    return name;
}

/* The page for a model, with a recording (NULL: none), whole or not at all. */
static void write_view(tool_call *call, const soa_model *model, const sheet *rows, const char *path)
{
    job j = { .page = find_page() };
    json_t *files = json_object(), *data = json_object();
    const char *file = file_of(model);
    json_set(files, file, model_text(model));
    json_set(data, "model", json_text(file));
    json_set(data, "files", files);
    json_set(data, "meshes", meshes_of(call, model));
    json_set(data, "recording", rows != NULL ? csv_of(rows) : json_null());
    j.data = json_dumps(data, JSON_COMPACT);
    tool_file_write(path, write_page, &j);
}

/* ---- the browser ------------------------------------------------------------------------------------- */

extern char **environ;

/* Asks the desktop for a browser, and says where the page is. */
static void show(const tool_call *call, const char *path)
{
    char *const words[] = { (char *)"xdg-open", (char *)path, NULL };
    pid_t child;
    int state = 0;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&quiet, STDOUT_FILENO, STDERR_FILENO);
    const bool ran =
        posix_spawnp(&child, "xdg-open", &quiet, NULL, words, environ) == 0 && waitpid(child, &state, 0) == child;
    const bool shown = ran && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    posix_spawn_file_actions_destroy(&quiet);
    fprintf(call->out, shown ? "%s: shown in the browser\n" : "%s: open it in a browser\n", path);
}

char *view_folder(void)
{
    const char *folder = getenv("TMPDIR");
    char *name = record_path(folder != NULL && folder[0] != '\0' ? folder : "/tmp", "soa-XXXXXX");
    if (mkdtemp(name) == NULL) {
        tool_fail("no temporary folder can be made: %s; say where to write", strerror(errno));
    }
    return name;
}

void view_recording(tool_call *call, const soa_model *model, const char *folder)
{
    sheet rows;
    const char *path = record_path(folder, "view.html");
    sheet_read(folder, &rows);
    write_view(call, model, &rows, path);
    show(call, path);
}

void tool_view(tool_call *call)
{
    const char *out = tool_value(call, "out");
    const bool recorded = call->operands > 1;
    const soa_model *model = tool_load_based(call, call->operand[0]);
    sheet rows;
    if (recorded) {
        sheet_read(call->operand[1], &rows);
    }
    const char *path = out != NULL ? out : record_path(view_folder(), "view.html");
    write_view(call, model, recorded ? &rows : NULL, path);
    if (out == NULL) {
        show(call, path);
    } else {
        fprintf(call->out, "%s: open it in a browser\n", out);
    }
}
