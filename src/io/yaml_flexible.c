/* io/yaml_flexible.c - flexible links described in a native YAML file: beams, plates, files. */
#include "io/yaml_flexible.h"

#include <math.h>
#include <string.h>
/* One word or a list of words, in the arena. */
static const char *const *read_words(soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, int *count)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    const bool list = value && value->kind == SOA_YAML_SEQUENCE;
    const char **texts =
        value ? soa_arena_take(&reader->arena, (size_t)(list ? value->count : 1) + 1, sizeof *texts) : NULL;
    if (!value || !soa_yaml_got(value, texts)) {
        return NULL;
    }
    for (const soa_yaml *item = list ? value->child : value; item; item = list ? item->next : NULL) {
        texts[(*count)++] = soa_yaml_as_text(item);
    }
    return texts;
}

static soa_reduction read_reduction(soa_yaml_reader *reader, const soa_yaml *mapping)
{
    soa_reduction reduction = { 0 };
    soa_yaml_number(mapping, "damping", &reduction.damping);
    soa_yaml_count(mapping, "modes", &reduction.modes);
    soa_yaml_text(mapping, "clamp", &reduction.clamp);
    reduction.interface = read_words(reader, mapping, "interface", &reduction.interfaces);
    reduction.output = read_words(reader, mapping, "output", &reduction.outputs);
    if (!soa_yaml_get(mapping, "modes")) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'modes' is missing; say how many clamped modes to keep");
    }
    return reduction;
}

/* ---- beams ------------------------------------------------------------------------------------------------- */

static void read_axis(const soa_yaml *mapping, double axis[3])
{
    const soa_yaml *value = soa_yaml_get(mapping, "axis");
    if (!value || value->kind != SOA_YAML_SCALAR) {
        soa_yaml_numbers(mapping, "axis", 3, axis);
        return;
    }
    const char *text = value->text, *letter = text + (text[0] == '-');
    if (strlen(letter) != 1 || *letter < 'x' || *letter > 'z') {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'axis' is '%.40s'; give x, y, z, -x, -y, -z or [1, 0, 0]", text);
    }
    for (int i = 0; i < 3; i++) {
        axis[i] = *letter == "xyz"[i] ? (letter == text ? 1.0 : -1.0) : 0.0;
    }
}

/* A quantity of the section: a number, or one for each station. */
static void read_stations(const soa_yaml *mapping, const char *key, soa_beam *beam, size_t member)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    double numbers[SOA_MAX_STATIONS] = { 0.0 };
    const int count = value && value->kind == SOA_YAML_SEQUENCE ? value->count : 1;
    if (!value) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'%s' is missing; give one", key);
    } else if (count < 1 || count > SOA_MAX_STATIONS || (count > 1 && beam->stations > 1 && count != beam->stations)) {
        soa_yaml_fail(value, SOA_E_SYNTAX,
            "'%s' has %d stations from root to tip, others have %d; give one number or as many for all", key, count,
            beam->stations);
    } else {
        soa_yaml_as_few(value, count, numbers);
        beam->stations = count > beam->stations ? count : beam->stations;
        for (int i = 0; i < SOA_MAX_STATIONS; i++) {
            memcpy((char *)&beam->section[i] + member, &numbers[i < count ? i : count - 1], sizeof(double));
        }
    }
}

static soa_flexible *make_beam(soa_yaml_reader *reader, soa_yaml *mapping, const soa_reduction *reduction)
{
    static const soa_yaml_field fields[] = { SOA_YAML_INTO("length", NUMBERS, soa_beam, length), SOA_YAML_KEY("axis"),
        SOA_YAML_INTO("elements", COUNT, soa_beam, elements), SOA_YAML_INTO("E", NUMBERS, soa_beam, E),
        SOA_YAML_INTO("G", NUMBERS, soa_beam, G), SOA_YAML_INTO("rho", NUMBERS, soa_beam, rho), SOA_YAML_KEY("A"),
        SOA_YAML_KEY("Iy"), SOA_YAML_KEY("Iz"), SOA_YAML_KEY("J"), SOA_YAML_INTO("shear", NUMBERS, soa_beam, shear),
        SOA_YAML_INTO("stiffening", YES, soa_beam, stiffening), SOA_YAML_END };
    soa_beam beam = soa_beam_default();
    soa_flexible *flexible = NULL;
    soa_yaml_fields(mapping, NULL, fields, &beam);
    read_axis(mapping, beam.axis);
    read_stations(mapping, "A", &beam, offsetof(soa_beam_section, A));
    read_stations(mapping, "Iy", &beam, offsetof(soa_beam_section, Iy));
    read_stations(mapping, "Iz", &beam, offsetof(soa_beam_section, Iz));
    read_stations(mapping, "J", &beam, offsetof(soa_beam_section, J));
    if (soa_yaml_ok(mapping)) {
        soa_yaml_said(
            mapping, soa_flexible_beam(&beam, reduction, reader->kit.allocator, &flexible, soa_yaml_error(mapping)));
    }
    return flexible;
}

/* ---- plates ------------------------------------------------------------------------------------------------- */

static soa_flexible *make_plate(soa_yaml_reader *reader, soa_yaml *mapping, const soa_reduction *reduction)
{
    static const soa_yaml_field fields[] = { SOA_YAML_INTO("length", NUMBERS, soa_plate, length),
        SOA_YAML_INTO("width", NUMBERS, soa_plate, width), SOA_YAML_INTO("thickness", NUMBERS, soa_plate, thickness),
        SOA_YAML_KEY("elements"), SOA_YAML_INTO("E", NUMBERS, soa_plate, E),
        SOA_YAML_INTO("nu", NUMBERS, soa_plate, nu), SOA_YAML_INTO("rho", NUMBERS, soa_plate, rho),
        SOA_YAML_KEY("clamp"), SOA_YAML_END };
    static const char *const clamps[] = { "edge", "point", NULL };
    soa_plate plate = soa_plate_default();
    soa_flexible *flexible = NULL;
    double elements[2] = { plate.elements[0], plate.elements[1] };
    soa_yaml_fields(mapping, NULL, fields, &plate);
    soa_yaml_numbers(mapping, "elements", 2, elements);
    plate.at_point = soa_yaml_word(mapping, "clamp", clamps, 0) == 1;
    for (int i = 0; i < 2; i++) {
        if (elements[i] != floor(elements[i]) || !(elements[i] >= 1.0 && elements[i] <= SOA_MAX_ELEMENTS)) {
            soa_yaml_fail(soa_yaml_get(mapping, "elements"), SOA_E_NUMBER,
                "'elements' has %g along %c; give whole numbers from 1 to %d", elements[i], "xy"[i], SOA_MAX_ELEMENTS);
            return NULL;
        }
        plate.elements[i] = (int)elements[i];
    }
    if (soa_yaml_ok(mapping)) {
        soa_yaml_said(
            mapping, soa_flexible_plate(&plate, reduction, reader->kit.allocator, &flexible, soa_yaml_error(mapping)));
    }
    return flexible;
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* A native file that holds one flexible link. */
static soa_flexible *read_native(soa_yaml_reader *reader, const char *path)
{
    static const char *const keys[] = { "soa", "flexible", NULL };
    soa_outcome *outcome = &reader->kit.outcome;
    char *text;
    size_t length;
    if (!soa_keep(outcome, soa_file_read(&reader->arena, path, &text, &length, outcome->error))) {
        return NULL;
    }
    soa_yaml *root = soa_yaml_parse(&reader->arena, text, length, path, outcome);
    soa_yaml *data = root ? soa_yaml_get(root, "flexible") : NULL;
    if (root && !data) {
        soa_yaml_fail(
            root, SOA_E_SYNTAX, "this is no flexible link: 'flexible' is missing; make the file with 'soa flex'");
    } else if (root) {
        soa_yaml_expect(root, NULL, keys);
    }
    return soa_ok(outcome) ? soa_yaml_flexible_data(reader, data) : NULL;
}

/* Matrices of finite elements, reduced while they are loaded. */
static soa_flexible *read_matrices(soa_yaml_reader *reader, soa_yaml *mapping, const char *path)
{
    const soa_reduction reduction = read_reduction(reader, mapping);
    const soa_allocator *allocator = reader->kit.allocator;
    soa_flexible *flexible = NULL;
    soa_fe *fe = NULL;
    if (soa_yaml_ok(mapping)) {
        soa_yaml_step(mapping, soa_fe_load(path, allocator, &fe, soa_yaml_error(mapping)));
    }
    if (fe) {
        soa_yaml_said(mapping, soa_flexible_reduce(fe, &reduction, allocator, &flexible, soa_yaml_error(mapping)));
    }
    soa_fe_free(fe);
    return flexible;
}

static soa_flexible *make_file(soa_yaml_reader *reader, soa_yaml *mapping)
{
    static const char *const reduced[] = { "file", NULL };
    const soa_yaml *value = soa_yaml_get(mapping, "file");
    const char *path = soa_yaml_path(reader, value);
    const bool native = path && soa_yaml_is_native(path);
    if (native) {
        soa_yaml_expect(mapping, NULL, reduced);
    }
    if (!path || !soa_yaml_ok(mapping)) {
        return NULL;
    }
    soa_flexible *flexible = native ? read_native(reader, path) : read_matrices(reader, mapping, path);
    soa_yaml_took(value);
    return flexible;
}

/* ---- the mapping --------------------------------------------------------------------------------------------- */

soa_flexible *soa_yaml_flexible(soa_yaml_reader *reader, soa_yaml *mapping)
{
    static const char *const keys[] = { "beam", "plate", "modes", "damping", "interface", NULL };
    static const char *const file_keys[] = { "file", "modes", "damping", "clamp", "interface", "output", NULL };
    soa_yaml *beam = soa_yaml_get(mapping, "beam"), *plate = soa_yaml_get(mapping, "plate");
    const bool file = soa_yaml_get(mapping, "file") != NULL;
    if ((beam != NULL) + (plate != NULL) + file > 1) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'flexible' has several of beam, plate and file; give one of them");
        return NULL;
    }
    if (!beam && !plate && !file && soa_yaml_get(mapping, "nodes")) {
        return soa_yaml_flexible_data(reader, mapping);
    }
    soa_yaml_expect(mapping, NULL, file ? file_keys : keys);
    if (file) {
        return soa_yaml_ok(mapping) ? make_file(reader, mapping) : NULL;
    }
    if (!beam && !plate) {
        soa_yaml_fail(mapping, SOA_E_SYNTAX, "'flexible' is empty; give a beam, a plate or a file");
        return NULL;
    }
    const soa_reduction reduction = read_reduction(reader, mapping);
    return beam ? make_beam(reader, beam, &reduction) : make_plate(reader, plate, &reduction);
}
