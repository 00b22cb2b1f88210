/* tests/io/test_allocation.c - every allocation on the way to a model may fail.
 *
 * Each job is run with its 1st, 2nd, ... allocation failing until it needs fewer:
 * every run before that must end in SOA_E_MEMORY with nothing leaked. Once with a
 * failing soa_allocator; and once, where the C library is glibc and no sanitizer
 * owns malloc, with malloc itself failing, so that expat and libyaml are met too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "io/rich_texts.h"
#include "soa/io.h"

/* ---- what counts and fails ------------------------------------------------------ */

static struct {
    bool on;
    long until; /* allocations that succeed before one fails */
    long live;  /* blocks not yet released */
    bool failed;
} meter;

static bool may_allocate(void)
{
    if (meter.until-- == 0) {
        meter.failed = true;
        return false;
    }
    return true;
}

#if defined(SOA_FAIL_MALLOC) && defined(__GLIBC__)
#define MALLOC_FAILS 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

/* These take the place of the library's in the whole program, shared libraries included. */
SOA_API void *malloc(size_t size)
{
    void *block = meter.on && !may_allocate() ? NULL : __libc_malloc(size);
    meter.live += meter.on && block;
    return block;
}

SOA_API void *calloc(size_t count, size_t size)
{
    void *block = meter.on && !may_allocate() ? NULL : __libc_calloc(count, size);
    meter.live += meter.on && block;
    return block;
}

SOA_API void *realloc(void *old, size_t size)
{
    void *block = meter.on && !may_allocate() ? NULL : __libc_realloc(old, size);
    meter.live += meter.on && block && !old;
    return block;
}

SOA_API void free(void *block)
{
    meter.live -= meter.on && block;
    __libc_free(block);
}
#else
#define MALLOC_FAILS 0
#endif

static void *meter_allocate(void *context, size_t size)
{
    const soa_allocator *usual = context;
    void *block = may_allocate() ? usual->allocate(usual->context, size) : NULL;
    meter.live += block != NULL;
    return block;
}

static void meter_release(void *context, void *block)
{
    const soa_allocator *usual = context;
    meter.live -= block != NULL;
    usual->release(usual->context, block);
}

/* ---- jobs ----------------------------------------------------------------------- */

typedef soa_status job(const soa_allocator *allocator, soa_error *error);

static soa_status load_and_write(soa_format format, const char *text, const soa_allocator *allocator, soa_error *error)
{
    soa_model *model;
    soa_status status = soa_load_text(format, text, strlen(text), NULL, allocator, &model, error);
    const soa_format formats[] = { SOA_YAML, format };
    for (int i = 0; i < 2 && status == SOA_OK; i++) {
        char *out;
        size_t length;
        status = soa_write(model, formats[i], allocator, &out, &length, error);
        soa_text_free(allocator, out);
    }
    soa_model_free(model);
    return status;
}

static soa_status load_urdf(const soa_allocator *allocator, soa_error *error)
{
    return load_and_write(SOA_URDF, RICH_URDF, allocator, error);
}

static soa_status load_mjcf(const soa_allocator *allocator, soa_error *error)
{
    return load_and_write(SOA_MJCF, RICH_MJCF, allocator, error);
}

static soa_status load_yaml(const soa_allocator *allocator, soa_error *error)
{
    return load_and_write(SOA_YAML, RICH_YAML, allocator, error);
}

static soa_status add_parts(soa_builder *b, soa_error *error)
{
    soa_link first = soa_link_default("first", SOA_WORLD, SOA_SPHERICAL), second = first;
    first.joint.name = "ball";
    first.inertia = (soa_inertia){ 1.0, { 0, 0, 0 }, { 1, 0, 0, 1, 0, 1 } };
    second = soa_link_default("second", 0, SOA_FIXED);
    const soa_frame frame = soa_frame_default("tip", 1);
    const soa_closure closure = soa_closure_default("tie", SOA_CLOSE_POINT, 1, SOA_WORLD);
    const double q[4] = { 1, 0, 0, 0 }, v[3] = { 1, 2, 3 };
    soa_status status = soa_builder_set_name(b, "by hand", error);
    status = status == SOA_OK ? soa_builder_add_link(b, &first, NULL, error) : status;
    status = status == SOA_OK ? soa_builder_add_link(b, &second, NULL, error) : status;
    status = status == SOA_OK ? soa_builder_add_frame(b, &frame, NULL, error) : status;
    status = status == SOA_OK ? soa_builder_add_closure(b, &closure, NULL, error) : status;
    status = status == SOA_OK ? soa_builder_add_configuration(b, "home", 4, q, 3, v, error) : status;
    return status == SOA_OK ? soa_builder_warn(b, (soa_source){ "hand", 1 }, error, "%d", 1) : status;
}

/* A model built by hand, attached twice to another. */
static soa_status build(const soa_allocator *allocator, soa_error *error)
{
    soa_builder *part_builder = soa_builder_new(allocator), *builder = soa_builder_new(allocator);
    soa_model *part = NULL, *whole = NULL;
    soa_status status = SOA_E_MEMORY;
    if (part_builder && builder) {
        status = add_parts(part_builder, error);
        status = status == SOA_OK ? soa_builder_finish(part_builder, &part, error) : status;
        status = status == SOA_OK ? soa_builder_attach(builder, part, "l", SOA_WORLD, NULL, error) : status;
        status = status == SOA_OK ? soa_builder_attach(builder, part, "r", 1, NULL, error) : status;
        status = status == SOA_OK ? soa_builder_finish(builder, &whole, error) : status;
    } else {
        error->status = SOA_E_MEMORY;
    }
    soa_model_free(part);
    soa_model_free(whole);
    soa_builder_free(part_builder);
    soa_builder_free(builder);
    return status;
}

/* ---- runs ----------------------------------------------------------------------- */

static long run_until_it_succeeds(job *work, const soa_allocator *allocator, bool through_malloc)
{
    enum { MOST = 100000 };
    for (long n = 0; n < MOST; n++) {
        soa_error error = { .status = SOA_OK };
        meter.until = n;
        meter.live = 0;
        meter.failed = false;
        meter.on = through_malloc;
        const soa_status status = work(allocator, &error);
        meter.on = false;
        if (!meter.failed) {
            if (status != SOA_OK) {
                fail_msg("%s", error.text);
            }
            assert_int_equal(meter.live, 0);
            return n;
        }
        if (status != SOA_E_MEMORY || error.status != SOA_E_MEMORY || meter.live != 0) {
            fail_msg(
                "allocation %ld failed: status %d (%s), %ld blocks left", n + 1, (int)status, error.text, meter.live);
        }
    }
    fail_msg("no end after %d allocations", MOST);
    return 0;
}

/* parses: with a library that has its own use of malloc. */
static void check_job(job *work, bool parses)
{
    soa_allocator usual = soa_allocator_default();
    const soa_allocator failing = { meter_allocate, meter_release, &usual };
    const long blocks = run_until_it_succeeds(work, &failing, false);
    assert_true(blocks > 5);
    if (MALLOC_FAILS) {
        assert_true(run_until_it_succeeds(work, NULL, true) >= blocks + parses);
    }
}

static void urdf_survives(void **state)
{
    (void)state;
    check_job(load_urdf, true);
}

static void mjcf_survives(void **state)
{
    (void)state;
    check_job(load_mjcf, true);
}

static void yaml_survives(void **state)
{
    (void)state;
    check_job(load_yaml, true);
}

static void building_survives(void **state)
{
    (void)state;
    check_job(build, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urdf_survives),
        cmocka_unit_test(mjcf_survives),
        cmocka_unit_test(yaml_survives),
        cmocka_unit_test(building_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
