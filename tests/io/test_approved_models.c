/* Models in files with one defect or oddity each, and the texts that the writers make of models, beside what was approved. */
#include "io/approved_edits.h"
#include "soa/io.h"

/* The model as a native file, with rounded numbers and without those of flexible links unless they were read; to be freed. */
static char *native(const soa_model *model)
{
    char *text = NULL;
    size_t length;
    soa_error error;
    if (soa_write(model, SOA_YAML, NULL, &text, &length, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    char *rounded = approved_round(text), *to = rounded;
    soa_text_free(NULL, text);
    size_t deeper = 0; /* than this is left out, unless it is 0 */
    for (const char *line = rounded; *line; line += length) {
        const size_t indent = strspn(line, " ");
        length = strcspn(line, "\n") + 1;
        if (deeper == 0 || indent <= deeper) {
            const bool computed = strcmp(soa_model_name(model), "data") != 0;
            deeper = computed && strncmp(line + indent, "flexible:", 9) == 0 ? indent : 0;
            memmove(to, line, length);
            to += length;
        }
    }
    *to = '\0';
    return rounded;
}

/* The model in every format, or why a format has no words for it; to be freed. */
static char *written(const soa_model *model)
{
    char *all = NULL, *text = native(model);
    size_t length = 0;
    FILE *out = open_memstream(&all, &length);
    fputs(text, out);
    free(text);
    for (soa_format format = SOA_URDF; format <= SOA_MJCF; format++) {
        soa_error error;
        size_t bytes;
        if (soa_write(model, format, NULL, &text, &bytes, &error) == SOA_OK) {
            char *rounded = approved_round(text);
            fputs(rounded, out);
            free(rounded);
        } else {
            fprintf(out, "%s\n", error.text);
        }
        soa_text_free(NULL, text);
    }
    fclose(out);
    return all;
}

/* Warnings, and the lines of what is written that the file as it was has not. */
static void tell_model(FILE *out, const soa_model *model)
{
    for (int i = 0; i < soa_model_warnings(model); i++) {
        const soa_warning *w = soa_model_warning(model, i);
        fprintf(out, "warning %d: %s\n", w->source.line, w->text);
    }
    edited_new_lines(out, written(model));
}

static void read_model(FILE *out, const char *text, const char *file)
{
    soa_model *model = NULL;
    soa_error error;
    const char *dot = strrchr(file, '.');
    const soa_format format = strcmp(dot, ".urdf") == 0 ? SOA_URDF : strcmp(dot, ".xml") == 0 ? SOA_MJCF : SOA_YAML;
    if (soa_load_text(format, text, strlen(text), file, &edited_memory, &model, &error) == SOA_OK) {
        tell_model(out, model);
    } else {
        edited_refused(out, &error);
    }
    soa_model_free(model);
}

/* Files that another one names are read with it. */
static void read_beside(FILE *out, const char *text, const char *file)
{
    soa_model *model = NULL;
    soa_error error;
    const char *dot = strrchr(file, '.');
    edited_write(file, text);
    if (soa_load(strcmp(dot, ".yaml") == 0  ? "loop.urdf"
                 : strcmp(dot, ".obj") == 0 ? "robot.xml"
                                            : "main.xml",
            &edited_memory, &model, &error) == SOA_OK) {
        tell_model(out, model);
    } else {
        edited_refused(out, &error);
    }
    soa_model_free(model);
}

static void approve_file(const char *name, const char *file)
{
    edited_approve_files(name, 1, &file, read_model);
}

static void urdf_is_read(void **state)
{
    (void)state;
    approve_file("io-urdf", "robot.urdf");
}

static void mjcf_is_read(void **state)
{
    (void)state;
    approve_file("io-mjcf", "robot.xml");
}

static void native_files_are_read(void **state)
{
    (void)state;
    static const char *const file[] = { "system.yaml", "data.yaml", "plain.yaml", "both.yaml" };
    edited_approve_files("io-yaml", 4, file, read_model);
}

static void files_beside_are_read(void **state)
{
    (void)state;
    static const char *const file[] = { "loop.yaml", "tetra.obj", "main.xml", "body.xml", "face.stl" };
    edited_approve_files("io-beside", 5, file, read_beside);
}

/* ---- writers ----------------------------------------------------------------------------------------------------- */

static void approve_written(approved *a, const char *name, const soa_model *model)
{
    static const char *const part[] = { "urdf", "mjcf", "yaml" };
    approved_case(a, name);
    for (soa_format format = SOA_URDF; format < SOA_FORMATS; format++) {
        char *text = NULL;
        size_t length;
        soa_error error;
        if (format == SOA_YAML || soa_write(model, format, NULL, &text, &length, &error) == SOA_OK) {
            char *rounded = format == SOA_YAML ? native(model) : approved_round(text);
            approved_text(a, part[format], rounded);
            free(rounded);
        } else {
            approved_text(a, NULL, error.text);
        }
        soa_text_free(NULL, text);
    }
    approved_end(a);
}

static void models_are_written(void **state)
{
    (void)state;
    static const char *const others[] = { "chain:1", "chain:5", "tree:12,1", "tree:12,2", "tree:12,3", "tree:30,4",
        "flexible-chain:2,3" };
    static const char *const files[] = { "robot.urdf", "robot.xml", "system.yaml", "run-model.yaml" };
    assert_int_equal(chdir(".."), 0);
    approved a = approved_open("io-written");
    assert_int_equal(chdir(edited_folder), 0);
    for (int i = 0; i < soa_builtins() + 7 + 4; i++) {
        const int other = i - soa_builtins();
        const char *name = other < 0 ? soa_builtin_name(i) : other < 7 ? others[other] : files[other - 7];
        soa_model *model = NULL;
        if (other < 0 && strchr(name, ':')) {
            continue;
        }
        assert_int_equal(
            other < 7 ? soa_model_builtin(name, NULL, &model, NULL) : soa_load(name, NULL, &model, NULL), SOA_OK);
        approve_written(&a, name, model);
        soa_model_free(model);
    }
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urdf_is_read),
        cmocka_unit_test(mjcf_is_read),
        cmocka_unit_test(native_files_are_read),
        cmocka_unit_test(files_beside_are_read),
        cmocka_unit_test(models_are_written),
    };
    return cmocka_run_group_tests_name("approved_models", tests, edited_enter, edited_leave);
}
