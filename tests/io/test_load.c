/* Files by their ending and their root element; saving. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
#include "io/reader.h"
#include "io/urdf_texts.h"

static char folder[] = "soa-load-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails if a test left a file */
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const char *text)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* Loads a file with this name and text, then removes it. */
static soa_status load_as(const char *name, const char *text, soa_model **model, soa_error *error)
{
    const char *path = put(name, text);
    const soa_status status = soa_load(path, NULL, model, error);
    assert_int_equal(unlink(path), 0);
    assert_true(status == SOA_OK || strcmp(error->file, path) == 0);
    return status;
}

static void the_ending_tells_the_format(void **state)
{
    (void)state;
    static const char *const name[] = { "r.urdf", "R.URDF", "r.xml" };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        soa_model *model;
        soa_error error;
        assert_int_equal(load_as(name[i], ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
        assert_true(soa_model_mass(model) == 1.0);
        assert_string_equal(soa_model_link(model, 0)->source.file, path_of(name[i]));
        soa_model_free(model);
    }
}

static void other_files_are_refused(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    assert_int_equal(load_as("r.txt", ROBOT(LINK("a")), &model, &error), SOA_E_FILE);
    assert_int_equal(error.line, 0);
    assert_non_null(strstr(error.text, "name it .urdf"));
    assert_int_equal(load_as(".urdf", ROBOT(LINK("a")), &model, &error), SOA_OK); /* the folder stands before */
    soa_model_free(model);
    assert_int_equal(load_as("r.xml", "\n<html/>", &model, &error), SOA_E_SYNTAX);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.text, "root element <html> is neither <robot> (URDF) nor <mujoco> (MJCF)");
    assert_int_equal(load_as("r.xml", "", &model, &error), SOA_E_SYNTAX);
    assert_int_equal(load_as("r.urdf", "<mujoco/>", &model, &error), SOA_E_SYNTAX);
    assert_int_equal(soa_load(path_of("none.urdf"), NULL, &model, &error), SOA_E_FILE);
    assert_string_equal(error.file, path_of("none.urdf"));
    assert_null(model);
    assert_int_equal(soa_load_text(SOA_FORMATS, "", 0, NULL, NULL, &model, &error), SOA_E_ARGUMENT);
}

/* Only what has an end, and not too far away, is read. */
static void pipes_and_huge_files_are_refused(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    assert_int_equal(mkfifo(path_of("pipe.urdf"), 0600), 0);
    assert_int_equal(soa_load(path_of("pipe.urdf"), NULL, &model, &error), SOA_E_FILE);
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_int_equal(load_urdf(ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
    assert_int_equal(soa_save(model, SOA_URDF, path_of("pipe.urdf"), &error), SOA_E_FILE);
    assert_non_null(strstr(error.text, "not replaced"));
    soa_model_free(model);
    assert_int_equal(unlink(path_of("pipe.urdf")), 0);
    assert_int_equal(soa_load(folder, NULL, &model, &error), SOA_E_FILE);
    put("huge.urdf", "");
    assert_int_equal(truncate(path_of("huge.urdf"), (off_t)SOA_MAX_FILE_BYTES + 1), 0); /* takes no space */
    assert_int_equal(soa_load(path_of("huge.urdf"), NULL, &model, &error), SOA_E_FILE);
    assert_non_null(strstr(error.text, "MiB"));
    assert_null(model);
    assert_int_equal(unlink(path_of("huge.urdf")), 0);
}

static void saved_files_are_whole(void **state)
{
    (void)state;
    soa_model *model, *back;
    soa_error error;
    assert_int_equal(load_urdf(ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
    assert_int_equal(soa_save(model, SOA_URDF, put("r.urdf", "old"), &error), SOA_OK);
    assert_int_equal(soa_load(path_of("r.urdf"), NULL, &back, &error), SOA_OK);
    assert_true(soa_model_mass(back) == 1.0);
    assert_int_equal(unlink(path_of("r.urdf")), 0);
    assert_int_equal(soa_save(model, SOA_URDF, path_of("no/r.urdf"), &error), SOA_E_FILE);
    assert_int_equal(soa_save(model, SOA_FORMATS, path_of("r.urdf"), &error), SOA_E_ARGUMENT);
    assert_int_not_equal(access(path_of("r.urdf"), F_OK), 0);
    soa_model_free(model);
    soa_model_free(back);
}

/* A file that may not grow is an error, and what was there before stays. */
static void full_disks_are_told(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    struct rlimit usual, small;
    char line[8] = "";
    assert_int_equal(load_urdf(ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
    put("r.urdf", "old");
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    small = usual;
    small.rlim_cur = 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const soa_status status = soa_save(model, SOA_URDF, path_of("r.urdf"), &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    signal(SIGXFSZ, before);
    assert_int_equal(status, SOA_E_FILE);
    assert_non_null(strstr(error.text, "cannot be written: File too large"));
    FILE *file = fopen(path_of("r.urdf"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, "old");
    assert_int_equal(unlink(path_of("r.urdf")), 0); /* nothing else is there: the folder can be removed at the end */
    soa_model_free(model);
}

/* Without a descriptor no file is opened; a file that is shorter than it says is not taken for whole. */
static void unreadable_files_are_told(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    struct rlimit usual, none;
    put("r.urdf", "<robot/>");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = usual;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const soa_status status = soa_load(path_of("r.urdf"), NULL, &model, &error);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_int_equal(status, SOA_E_FILE);
    assert_non_null(strstr(error.text, "cannot be opened: Too many open files"));
    assert_int_equal(unlink(path_of("r.urdf")), 0);
    if (access("/sys/devices/system/cpu/online", R_OK) == 0) { /* which says that it has 4096 bytes */
        assert_int_equal(symlink("/sys/devices/system/cpu/online", path_of("n.urdf")), 0);
        assert_int_equal(soa_load(path_of("n.urdf"), NULL, &model, &error), SOA_E_FILE);
        assert_non_null(strstr(error.text, "cannot be read to its end"));
        assert_int_equal(unlink(path_of("n.urdf")), 0);
    }
}

/* Names of temporary files that are taken are left alone, and the descriptor 0 is as good as any. */
static void temporary_files_do_not_collide(void **state)
{
    (void)state;
    soa_model *model, *back;
    soa_error error;
    char taken[64];
    assert_int_equal(load_urdf(ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
    snprintf(taken, sizeof taken, "r.urdf.%ld-0", (long)getpid());
    put(taken, "mine");
    const int input = dup(0);
    for (int closed = 0; closed < 2; closed++) {
        if (closed) {
            close(0);
        }
        assert_int_equal(soa_save(model, SOA_URDF, path_of("r.urdf"), &error), SOA_OK);
        assert_int_equal(soa_load(path_of("r.urdf"), NULL, &back, &error), SOA_OK);
        soa_model_free(back);
        assert_int_equal(unlink(path_of("r.urdf")), 0);
    }
    if (input >= 0) {
        dup2(input, 0);
        close(input);
    }
    char mine[8] = "";
    FILE *file = fopen(path_of(taken), "r");
    assert_non_null(file);
    assert_non_null(fgets(mine, sizeof mine, file));
    fclose(file);
    assert_string_equal(mine, "mine");
    for (int i = 1; i < 100; i++) {
        snprintf(taken, sizeof taken, "r.urdf.%ld-%d", (long)getpid(), i);
        put(taken, "mine");
    }
    assert_int_equal(soa_save(model, SOA_URDF, path_of("r.urdf"), &error), SOA_E_FILE);
    assert_non_null(strstr(error.text, "cannot be written: File exists"));
    for (int i = 0; i < 100; i++) {
        snprintf(taken, sizeof taken, "r.urdf.%ld-%d", (long)getpid(), i);
        assert_int_equal(unlink(path_of(taken)), 0);
    }
    soa_model_free(model);
}

/* What is missing is a status, never a crash. */
static void null_is_refused(void **state)
{
    (void)state;
    soa_model *model = NULL;
    soa_error error;
    char *text;
    size_t length;
    assert_int_equal(soa_load(NULL, NULL, &model, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_load("r.urdf", NULL, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_load_text(SOA_URDF, NULL, 0, NULL, NULL, &model, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_load_text(SOA_URDF, "", 0, NULL, NULL, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_write(NULL, SOA_URDF, NULL, &text, &length, &error), SOA_E_ARGUMENT);
    assert_int_equal(load_urdf(ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
    assert_int_equal(soa_write(model, SOA_URDF, NULL, NULL, &length, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_write(model, SOA_URDF, NULL, &text, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_save(model, SOA_URDF, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_save(NULL, SOA_URDF, "r.urdf", &error), SOA_E_ARGUMENT);
    soa_text_free(NULL, NULL);
    soa_model_free(model);
}

static void no_memory(void **state)
{
    (void)state;
    const char *path = put("r.xml", ROBOT(BODY("a", SOLID)));
    soa_status status = SOA_E_MEMORY;
    for (int n = 0; status != SOA_OK; n++) {
        assert_true(n < 200);
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        soa_model *model;
        soa_error error;
        status = soa_load(path, &allocator, &model, &error);
        assert_int_equal(status, c.refused == 0 ? SOA_OK : SOA_E_MEMORY);
        if (status != SOA_OK) {
            assert_string_equal(error.file, path);
            assert_non_null(strstr(error.text, "out of memory"));
        }
        soa_model_free(model);
        assert_int_equal(c.open, 0);
    }
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ending_tells_the_format),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(pipes_and_huge_files_are_refused),
        cmocka_unit_test(saved_files_are_whole),
        cmocka_unit_test(full_disks_are_told),
        cmocka_unit_test(unreadable_files_are_told),
        cmocka_unit_test(temporary_files_do_not_collide),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
