/* Native models written in other formats: what a format cannot say is refused by name, what it says otherwise is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/io.h"

#define HEAD        "soa: 1\nname: m\nlinks:\n"
#define SOLID       "mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n"
#define LINK(x)     "- {name: " x ", joint: {name: j" x ", type: revolute}, " SOLID
#define ON(x, on)   "- {name: " x ", parent: " on ", joint: {name: j" x ", type: revolute}, " SOLID
#define BEARER(x)   "- {name: " x ", joint: {name: j" x ", type: revolute}, flags: [virtual]}\n"
#define BORNE(x, o) "- {name: " x ", parent: " o ", joint: {name: j" x ", type: revolute}, flags: [virtual]}\n"

static const struct {
    const char *text;
    soa_format format;
    bool refused;
    const char *words; /* of the message, or of what is written */
} list[] = {
    { HEAD "- {name: a, joint: {name: ja, type: spherical, reversed: true}, " SOLID, SOA_MJCF, true,
        "joint 'ja': is reversed and has more than one degree of freedom" },
    { HEAD LINK("a") LINK("b") "closures: [{name: c, kind: revolute, a: a, b: b}]\n", SOA_MJCF, true,
        "closure 'c': revolute" },
    { HEAD LINK("a") LINK("b") "closures: [{name: c, kind: spherical, a: a, b: b, at_a: {xyz: [0, 0, 1]}}]\n", SOA_MJCF,
        true, "closure 'c': its two points are apart" },
    { HEAD BEARER("u") ON("a", "u") "closures: [{name: c, kind: rigid, a: u, b: world}]\n", SOA_MJCF, true,
        "closure 'c': holds a link that only carries a joint" },
    { HEAD BEARER("u") BORNE("v", "u") BORNE("w", "v") BORNE("x", "w") BORNE("y", "x") BORNE("z", "y") ON("a", "z"),
        SOA_MJCF, true, "more than 6 joints move one body" },
    { HEAD LINK("a") "- {name: b, parent: a, joint: {type: fixed}}\n", SOA_MJCF, false, "1 bodies have no mass" },
    { HEAD LINK("a") LINK("b") "couplings: [{name: gear, joint: jb, driver: ja, coefficients: [0, 2]}]\n", SOA_MJCF,
        false, "<joint name=\"gear\" joint1=\"jb\" joint2=\"ja\"" },
    { HEAD LINK("a") "geometry: [{shape: mesh, mesh: m.dae, link: a}, {shape: mesh, mesh: m.stl, link: a}]\n", SOA_MJCF,
        false, "<!-- 1 meshes are left out: MuJoCo reads paths of STL, OBJ and MSH files. -->" },
    { HEAD
        "- {name: a, flexible: {beam: {length: 1, E: 1e11, G: 4e10, rho: 1000, A: 1e-4, Iy: 1e-9, Iz: 1e-9, J: 2e-9}, "
        "modes: 2}}\n",
        SOA_URDF, true, "link 'a' is flexible, which URDF cannot say; write native YAML" },
    { HEAD LINK("a") "frames: [{name: a, link: a}]\n", SOA_URDF, true, "a frame with the name of a link; rename it" },
    { HEAD "- {name: a, joint: {type: fixed}, " SOLID "frames: [{name: f, link: world}]\n", SOA_URDF, false,
        "<parent link=\"world\"/>" },
    { HEAD LINK("a") "frames: [{name: f, link: world}]\nclosures: [{name: c, kind: rigid, a: a, b: world}]\n", SOA_YAML,
        false, "link: world" },
};

static void said_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        soa_model *model;
        soa_error error;
        char *text = NULL;
        size_t length;
        if (soa_load_text(SOA_YAML, list[i].text, strlen(list[i].text), NULL, NULL, &model, &error) != SOA_OK) {
            fail_msg("%d: %s\n%s", error.line, error.text, list[i].text);
        }
        const soa_status status = soa_write(model, list[i].format, NULL, &text, &length, &error);
        const char *said = list[i].refused ? error.text : text;
        if (status != (list[i].refused ? SOA_E_UNSUPPORTED : SOA_OK) || !strstr(said, list[i].words)) {
            fail_msg("'%s' is not in\n%s", list[i].words, status == SOA_OK ? text : error.text);
        }
        soa_text_free(NULL, text);
        soa_model_free(model);
    }
}

/* Flags that a newer version may have. */
static void unknown_flags(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_link link = soa_link_default("a", SOA_WORLD, SOA_FIXED);
    soa_model *model;
    soa_error error;
    char *text = NULL;
    size_t length;
    link.flags = 1u << 20;
    assert_int_equal(soa_builder_add_link(b, &link, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    assert_int_equal(soa_write(model, SOA_YAML, NULL, &text, &length, &error), SOA_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "link 'a': its flags 1048576 are not all known"));
    assert_null(text);
    soa_model_free(model);
    soa_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(said_or_refused), cmocka_unit_test(unknown_flags) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
