/* io/yaml_flexible.c - flexible links described in a native YAML file: beams, plates, files. */
#include "io/yaml_flexible.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"

/* ---- small values ------------------------------------------------------------------------------------------- */

static soa_status read_count(const soa_yaml *mapping, const char *key, int *count, soa_error *error)
{
    double value = *count;
    const soa_status status = soa_yaml_number(mapping, key, &value, error);
    if (status == SOA_OK && (value != floor(value) || fabs(value) > 1e6)) {
        return soa_yaml_fail(
            soa_yaml_get(mapping, key), SOA_E_NUMBER, error, "'%s' is %g; give a whole number", key, value);
    }
    *count = (int)value;
    return status;
}

/* One word or a list of words, in the arena. */
static soa_status read_words(
    soa_yaml_reader *reader, const soa_yaml *mapping, const char *key, int *count, const char *const **words)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        return SOA_OK;
    }
    const bool list = value->kind == SOA_YAML_SEQUENCE;
    const char **texts = soa_arena_take(&reader->arena, (size_t)(list ? value->count : 1) + 1, sizeof *texts);
    soa_status status = texts ? SOA_OK : soa_fail_memory(reader->error);
    *words = texts;
    for (const soa_yaml *item = list ? value->child : value; status == SOA_OK && item;
         item = list ? item->next : NULL) {
        status = soa_yaml_as_text(item, &texts[(*count)++], reader->error);
    }
    return status;
}

static soa_status read_reduction(soa_yaml_reader *reader, const soa_yaml *mapping, soa_reduction *reduction)
{
    soa_error *error = reader->error;
    soa_status status = soa_yaml_number(mapping, "damping", &reduction->damping, error);
    status = status == SOA_OK ? read_count(mapping, "modes", &reduction->modes, error) : status;
    status = status == SOA_OK ? soa_yaml_text(mapping, "clamp", &reduction->clamp, error) : status;
    status = status == SOA_OK ? read_words(reader, mapping, "interface", &reduction->interfaces, &reduction->interface)
                              : status;
    status = status == SOA_OK ? read_words(reader, mapping, "output", &reduction->outputs, &reduction->output) : status;
    if (status == SOA_OK && !soa_yaml_get(mapping, "modes")) {
        return soa_yaml_fail(mapping, SOA_E_SYNTAX, error, "'modes' is missing; say how many clamped modes to keep");
    }
    return status;
}

/* What a maker says, at the place of the description. */
static soa_status at_place(const soa_yaml *place, soa_status status, const soa_error *why, soa_error *error)
{
    if (status == SOA_OK || status == SOA_E_MEMORY) {
        return status == SOA_OK ? status : soa_fail_memory(error);
    }
    return soa_yaml_fail(place, status, error, "%.400s", why->text);
}

/* ---- beams ------------------------------------------------------------------------------------------------- */

static soa_status read_axis(const soa_yaml *mapping, double axis[3], soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, "axis");
    if (!value || value->kind != SOA_YAML_SCALAR) {
        return value ? soa_yaml_numbers(mapping, "axis", 3, axis, error) : SOA_OK;
    }
    const char *text = value->text, *letter = text + (text[0] == '-');
    if (strlen(letter) != 1 || *letter < 'x' || *letter > 'z') {
        return soa_yaml_fail(
            value, SOA_E_SYNTAX, error, "'axis' is '%.40s'; give x, y, z, -x, -y, -z or [1, 0, 0]", text);
    }
    for (int i = 0; i < 3; i++) {
        axis[i] = *letter == "xyz"[i] ? (letter == text ? 1.0 : -1.0) : 0.0;
    }
    return SOA_OK;
}

/* A quantity of the section: a number, or one for each station. */
static soa_status read_stations(
    const soa_yaml *mapping, const char *key, soa_beam *beam, size_t member, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    double numbers[SOA_MAX_STATIONS];
    if (!value) {
        return soa_yaml_fail(mapping, SOA_E_SYNTAX, error, "'%s' is missing; give one", key);
    }
    const int count = value->kind == SOA_YAML_SEQUENCE ? value->count : 1;
    if (count < 1 || count > SOA_MAX_STATIONS || (count > 1 && beam->stations > 1 && count != beam->stations)) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error,
            "'%s' has %d stations from root to tip, others have %d; give one number or as many for all", key, count,
            beam->stations);
    }
    const soa_status status = value->kind == SOA_YAML_SEQUENCE ? soa_yaml_as_numbers(value, count, numbers, error)
                                                               : soa_yaml_as_number(value, numbers, error);
    if (status != SOA_OK) {
        return status;
    }
    beam->stations = count > beam->stations ? count : beam->stations;
    for (int i = 0; i < SOA_MAX_STATIONS; i++) {
        memcpy((char *)&beam->section[i] + member, &numbers[i < count ? i : count - 1], sizeof(double));
    }
    return SOA_OK;
}

static soa_status read_beam(soa_yaml *mapping, soa_beam *beam, soa_error *error)
{
    static const char *const keys[] = { "length", "axis", "elements", "E", "G", "rho", "A", "Iy", "Iz", "J", "shear",
        "stiffening", NULL };
    soa_status status = soa_yaml_expect(mapping, NULL, keys, error);
    status = status == SOA_OK ? soa_yaml_number(mapping, "length", &beam->length, error) : status;
    status = status == SOA_OK ? read_axis(mapping, beam->axis, error) : status;
    status = status == SOA_OK ? read_count(mapping, "elements", &beam->elements, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "E", &beam->E, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "G", &beam->G, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "rho", &beam->rho, error) : status;
    status = status == SOA_OK ? read_stations(mapping, "A", beam, offsetof(soa_beam_section, A), error) : status;
    status = status == SOA_OK ? read_stations(mapping, "Iy", beam, offsetof(soa_beam_section, Iy), error) : status;
    status = status == SOA_OK ? read_stations(mapping, "Iz", beam, offsetof(soa_beam_section, Iz), error) : status;
    status = status == SOA_OK ? read_stations(mapping, "J", beam, offsetof(soa_beam_section, J), error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "shear", &beam->shear, error) : status;
    return status == SOA_OK ? soa_yaml_boolean(mapping, "stiffening", &beam->stiffening, error) : status;
}

static soa_status make_beam(
    soa_yaml_reader *reader, soa_yaml *value, const soa_reduction *reduction, soa_flexible **flexible)
{
    soa_beam beam = soa_beam_default();
    soa_error why;
    const soa_status status = read_beam(value, &beam, reader->error);
    return status == SOA_OK ? at_place(value, soa_flexible_beam(&beam, reduction, reader->allocator, flexible, &why),
                                  &why, reader->error)
                            : status;
}

/* ---- plates ------------------------------------------------------------------------------------------------- */

static soa_status read_plate(soa_yaml *mapping, soa_plate *plate, soa_error *error)
{
    static const char *const keys[] = { "length", "width", "thickness", "elements", "E", "nu", "rho", "clamp", NULL };
    double elements[2] = { plate->elements[0], plate->elements[1] };
    const char *clamp = "edge";
    soa_status status = soa_yaml_expect(mapping, NULL, keys, error);
    status = status == SOA_OK ? soa_yaml_number(mapping, "length", &plate->length, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "width", &plate->width, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "thickness", &plate->thickness, error) : status;
    status = status == SOA_OK ? soa_yaml_numbers(mapping, "elements", 2, elements, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "E", &plate->E, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "nu", &plate->nu, error) : status;
    status = status == SOA_OK ? soa_yaml_number(mapping, "rho", &plate->rho, error) : status;
    status = status == SOA_OK ? soa_yaml_text(mapping, "clamp", &clamp, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    if (strcmp(clamp, "edge") != 0 && strcmp(clamp, "point") != 0) {
        return soa_yaml_fail(
            soa_yaml_get(mapping, "clamp"), SOA_E_SYNTAX, error, "'clamp' is '%.40s'; give edge or point", clamp);
    }
    plate->at_point = clamp[0] == 'p';
    for (int i = 0; i < 2; i++) {
        if (elements[i] != floor(elements[i]) || !(elements[i] >= 1.0 && elements[i] <= SOA_MAX_ELEMENTS)) {
            return soa_yaml_fail(soa_yaml_get(mapping, "elements"), SOA_E_NUMBER, error,
                "'elements' has %g along %c; give whole numbers from 1 to %d", elements[i], "xy"[i], SOA_MAX_ELEMENTS);
        }
        plate->elements[i] = (int)elements[i];
    }
    return SOA_OK;
}

static soa_status make_plate(
    soa_yaml_reader *reader, soa_yaml *value, const soa_reduction *reduction, soa_flexible **flexible)
{
    soa_plate plate = soa_plate_default();
    soa_error why;
    const soa_status status = read_plate(value, &plate, reader->error);
    return status == SOA_OK ? at_place(value, soa_flexible_plate(&plate, reduction, reader->allocator, flexible, &why),
                                  &why, reader->error)
                            : status;
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* A native file that holds one flexible link. */
static soa_status read_native(soa_yaml_reader *reader, const char *path, soa_flexible **flexible)
{
    static const char *const keys[] = { "soa", "flexible", NULL };
    char *text;
    size_t length;
    soa_yaml *root;
    soa_status status = soa_file_read(&reader->arena, path, &text, &length, reader->error);
    status = status == SOA_OK ? soa_yaml_parse(&reader->arena, text, length, path, &root, reader->error) : status;
    if (status != SOA_OK) {
        return status;
    }
    soa_yaml *data = soa_yaml_get(root, "flexible");
    if (!data) {
        return soa_yaml_fail(root, SOA_E_SYNTAX, reader->error,
            "this is no flexible link: 'flexible' is missing; make the file with 'soa flex'");
    }
    status = soa_yaml_expect(root, NULL, keys, reader->error);
    return status == SOA_OK ? soa_yaml_flexible_data(reader, data, flexible) : status;
}

static bool is_native(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".yaml") == 0 || strcasecmp(dot, ".yml") == 0);
}

/* Matrices of finite elements, reduced while they are loaded. */
static soa_status read_matrices(soa_yaml_reader *reader, soa_yaml *mapping, const char *path, soa_flexible **flexible)
{
    soa_reduction reduction = { 0 };
    soa_fe *fe = NULL;
    soa_error why;
    soa_status status = read_reduction(reader, mapping, &reduction);
    status = status == SOA_OK ? soa_fe_load(path, reader->allocator, &fe, reader->error) : status;
    if (status == SOA_OK) {
        status = soa_flexible_reduce(fe, &reduction, reader->allocator, flexible, &why);
        status = at_place(mapping, status, &why, reader->error);
    }
    soa_fe_free(fe);
    return status;
}

static soa_status make_file(soa_yaml_reader *reader, soa_yaml *mapping, soa_flexible **flexible)
{
    static const char *const reduced[] = { "file", NULL };
    const soa_yaml *value = soa_yaml_get(mapping, "file");
    const char *name = NULL;
    soa_status status = soa_yaml_as_text(value, &name, reader->error);
    if (status != SOA_OK) {
        return status;
    }
    if (!value->file[0]) {
        return soa_yaml_fail(value, SOA_E_FILE, reader->error,
            "names the file '%.200s', but a text without a path may not; save it as a file", name);
    }
    const char *path = soa_file_beside(&reader->arena, value->file, name);
    if (!path) {
        return soa_fail_memory(reader->error);
    }
    if (!soa_file_exists(path)) {
        return soa_yaml_fail(
            value, SOA_E_FILE, reader->error, "file '%.200s' does not exist; names are relative to this file", name);
    }
    if (is_native(path)) {
        status = soa_yaml_expect(mapping, NULL, reduced, reader->error);
        status = status == SOA_OK ? read_native(reader, path, flexible) : status;
    } else {
        status = read_matrices(reader, mapping, path, flexible);
    }
    if (status != SOA_OK && status != SOA_E_MEMORY && reader->error && soa_file_leaves(name)) {
        soa_file_hide(reader->error);
    }
    return status;
}

/* ---- the mapping --------------------------------------------------------------------------------------------- */

soa_status soa_yaml_flexible(soa_yaml_reader *reader, soa_yaml *mapping, soa_flexible **flexible)
{
    static const char *const keys[] = { "beam", "plate", "modes", "damping", "interface", NULL };
    static const char *const file_keys[] = { "file", "modes", "damping", "clamp", "interface", "output", NULL };
    soa_yaml *beam = soa_yaml_get(mapping, "beam"), *plate = soa_yaml_get(mapping, "plate");
    const bool file = soa_yaml_get(mapping, "file") != NULL;
    *flexible = NULL;
    if ((beam != NULL) + (plate != NULL) + file > 1) {
        return soa_yaml_fail(
            mapping, SOA_E_SYNTAX, reader->error, "'flexible' has several of beam, plate and file; give one of them");
    }
    if (!beam && !plate && !file && soa_yaml_get(mapping, "nodes")) {
        return soa_yaml_flexible_data(reader, mapping, flexible);
    }
    soa_status status = soa_yaml_expect(mapping, NULL, file ? file_keys : keys, reader->error);
    if (status != SOA_OK || file) {
        return status == SOA_OK ? make_file(reader, mapping, flexible) : status;
    }
    if (!beam && !plate) {
        return soa_yaml_fail(
            mapping, SOA_E_SYNTAX, reader->error, "'flexible' is empty; give a beam, a plate or a file");
    }
    soa_reduction reduction = { 0 };
    status = read_reduction(reader, mapping, &reduction);
    if (status != SOA_OK) {
        return status;
    }
    return beam ? make_beam(reader, beam, &reduction, flexible) : make_plate(reader, plate, &reduction, flexible);
}
