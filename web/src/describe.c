/* describe.c - texts for JavaScript: the model as JSON. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

/* ---- writing ---------------------------------------------------------------------------- */

static bool make_room(page_writer *w, size_t more)
{
    if (w->failed || w->length + more + 1 <= w->room) {
        return !w->failed;
    }
    const size_t room = 2 * (w->length + more) + 1024;
    char *text = realloc(w->text, room);
    if (!text) {
        w->failed = true;
        return false;
    }
    w->text = text;
    w->room = room;
    return true;
}

void page_write(page_writer *w, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int n = vsnprintf(NULL, 0, format, list);
    if (n >= 0 && make_room(w, (size_t)n)) {
        vsnprintf(w->text + w->length, (size_t)n + 1, format, again);
        w->length += (size_t)n;
    }
    va_end(again);
    va_end(list);
}

void page_write_string(page_writer *w, const char *text)
{
    if (!text) {
        page_write(w, "null");
        return;
    }
    if (!make_room(w, 6 * strlen(text) + 2)) {
        return;
    }
    char *to = w->text + w->length;
    *to++ = '"';
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ') {
            to += snprintf(to, 7, "\\u%04x", c);
        } else {
            if (c == '"' || c == '\\') {
                *to++ = '\\';
            }
            *to++ = (char)c;
        }
    }
    *to++ = '"';
    *to = '\0';
    w->length = (size_t)(to - w->text);
}

void page_write_numbers(page_writer *w, int count, const double *numbers)
{
    page_write(w, "[");
    for (int i = 0; i < count; i++) {
        page_write(w, i > 0 ? "," : "");
        if (numbers[i] == 0.0 || numbers[i] == 1.0) {
            page_write(w, numbers[i] == 0.0 ? "0" : "1");
        } else if (isfinite(numbers[i])) {
            page_write(w, "%.17g", numbers[i]);
        } else {
            page_write(w, isnan(numbers[i]) ? "null" : numbers[i] > 0.0 ? "1e999" : "-1e999"); /* JSON's infinities */
        }
    }
    page_write(w, "]");
}

int page_give(page_writer *w)
{
    free(the_page.text);
    the_page.text = w->text;
    return w->failed || !w->text ? page_fail("out of memory") : 0;
}

/* ---- items --------------------------------------------------------------------------------- */

static void write_pose(page_writer *w, const char *key, const soa_pose *pose)
{
    page_write(w, ",\"%s\":", key);
    page_write_numbers(w, 12, &pose->rotation[0][0]); /* rotation, then position */
}

static void write_source(page_writer *w, const soa_source *source)
{
    page_write(w, ",\"line\":%d,\"file\":", source->line);
    page_write_string(w, source->file);
}

static void write_joint(page_writer *w, const soa_joint *joint)
{
    const int nv = soa_joint_kind_nv(joint->kind);
    page_write(w, ",\"joint\":{\"name\":");
    page_write_string(w, joint->name);
    page_write(w, ",\"kind\":\"%s\",\"nq\":%d,\"nv\":%d", soa_joint_kind_text(joint->kind),
        soa_joint_kind_nq(joint->kind), nv);
    write_pose(w, "at", &joint->at);
    write_pose(w, "child", &joint->child);
    page_write(w, ",\"axis\":");
    page_write_numbers(w, 3, joint->axis);
    page_write(w, ",\"lower\":");
    page_write_numbers(w, nv, joint->lower);
    page_write(w, ",\"upper\":");
    page_write_numbers(w, nv, joint->upper);
    page_write(w, ",\"damping\":%.17g}", joint->damping);
}

static void write_link(page_writer *w, const soa_model *model, int k, int *point)
{
    const soa_link *link = soa_model_link(model, k);
    const int body = soa_model_link_body(model, k, NULL), mover = soa_model_joint_body(model, k);
    const soa_body b = soa_model_body(model, mover);
    page_write(w, "%s{\"name\":", k > 0 ? "," : "");
    page_write_string(w, link->name);
    page_write(w, ",\"parent\":%d,\"node\":%d,\"body\":%d,\"mover\":%d,\"q\":%d,\"v\":%d,\"virtual\":%s", link->parent,
        link->node, body, mover, mover >= 0 ? b.q : -1, mover >= 0 ? b.v : -1,
        link->flags & SOA_LINK_VIRTUAL ? "true" : "false");
    page_write(w, ",\"mass\":%.17g,\"com\":", link->inertia.mass);
    page_write_numbers(w, 3, link->inertia.com);
    page_write(w, ",\"moment\":");
    page_write_numbers(w, 6, link->inertia.moment);
    write_joint(w, &link->joint);
    page_write_flexible(w, model, k, point);
    write_source(w, &link->source);
    page_write(w, "}");
}

static void write_geometry(page_writer *w, const soa_geometry *g, int i)
{
    page_write(w, "%s{\"link\":%d,\"shape\":\"%s\",\"visual\":%s,\"collision\":%s,\"size\":", i > 0 ? "," : "", g->link,
        soa_shape_text(g->shape), g->visual ? "true" : "false", g->collision ? "true" : "false");
    page_write_numbers(w, 3, g->size);
    write_pose(w, "at", &g->at);
    page_write(w, ",\"mesh\":");
    page_write_string(w, g->mesh);
    page_write(w, ",\"color\":");
    if (g->colored) {
        page_write_numbers(w, 4, g->color);
    } else {
        page_write(w, "null");
    }
    write_source(w, &g->source);
    page_write(w, "}");
}

static void write_lists(page_writer *w, const soa_model *model)
{
    page_write(w, ",\"frames\":[");
    for (int i = 0; i < soa_model_frames(model); i++) {
        const soa_frame *frame = soa_model_frame(model, i);
        page_write(w, "%s{\"name\":", i > 0 ? "," : "");
        page_write_string(w, frame->name);
        page_write(w, ",\"link\":%d,\"node\":%d", frame->link, frame->node);
        write_pose(w, "at", &frame->at);
        page_write(w, "}");
    }
    page_write(w, "],\"closures\":[");
    for (int i = 0; i < soa_model_closures(model); i++) {
        const soa_closure *c = soa_model_closure(model, i);
        page_write(w, "%s{\"name\":", i > 0 ? "," : "");
        page_write_string(w, c->name);
        page_write(w, ",\"kind\":\"%s\",\"a\":%d,\"b\":%d,\"node_a\":%d,\"node_b\":%d", soa_closure_kind_text(c->kind),
            c->a, c->b, c->node_a, c->node_b);
        write_pose(w, "at_a", &c->at_a);
        write_pose(w, "at_b", &c->at_b);
        page_write(w, "}");
    }
    page_write(w, "],\"couplings\":[");
    for (int i = 0; i < soa_model_couplings(model); i++) {
        const soa_coupling *c = soa_model_coupling(model, i);
        page_write(w, "%s{\"link\":%d,\"driver\":%d}", i > 0 ? "," : "", c->link, c->driver);
    }
    page_write(w, "],\"configurations\":[");
    for (int i = 0; i < soa_model_configurations(model); i++) {
        const soa_configuration *c = soa_model_configuration(model, i);
        page_write(w, "%s{\"name\":", i > 0 ? "," : "");
        page_write_string(w, c->name);
        page_write(w, ",\"q\":");
        page_write_numbers(w, soa_model_nq(model), c->q);
        page_write(w, "}");
    }
    page_write(w, "],\"warnings\":[");
    for (int i = 0; i < soa_model_warnings(model); i++) {
        const soa_warning *warning = soa_model_warning(model, i);
        page_write(w, "%s{\"text\":", i > 0 ? "," : "");
        page_write_string(w, warning->text);
        write_source(w, &warning->source);
        page_write(w, "}");
    }
    page_write(w, "]");
}

/* The model as JSON, in page_text. */
int PAGE(page_describe)(void)
{
    const soa_model *model = the_page.model;
    page_writer w = { 0 };
    double gravity[3];
    soa_model_gravity(model, gravity);
    page_write(&w, "{\"name\":");
    page_write_string(&w, soa_model_name(model));
    page_write(&w, ",\"nq\":%d,\"nv\":%d,\"mass\":%.17g,\"gravity\":", soa_model_nq(model), soa_model_nv(model),
        soa_model_mass(model));
    page_write_numbers(&w, 3, gravity);
    page_write(&w, ",\"bodies\":[");
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body b = soa_model_body(model, k);
        page_write(&w, "%s{\"parent\":%d,\"link\":%d,\"q\":%d,\"v\":%d,\"nq\":%d,\"nv\":%d,\"flexible\":%s}",
            k > 0 ? "," : "", b.parent, b.link, b.q, b.v, b.nq, b.nv, b.flexible ? "true" : "false");
    }
    page_write(&w, "],\"links\":[");
    int point = 2 * soa_model_closures(model);
    for (int k = 0; k < soa_model_links(model); k++) {
        write_link(&w, model, k, &point);
    }
    page_write(&w, "],\"geometries\":[");
    for (int i = 0; i < soa_model_geometries(model); i++) {
        write_geometry(&w, soa_model_geometry(model, i), i);
    }
    page_write(&w, "]");
    write_lists(&w, model);
    page_write(&w, "}");
    return page_give(&w);
}

/* Names and texts of the built-in models. */
int PAGE(page_builtins)(void)
{
    page_writer w = { 0 };
    page_write(&w, "[");
    for (int i = 0; i < soa_builtins(); i++) {
        page_write(&w, "%s{\"name\":", i > 0 ? "," : "");
        page_write_string(&w, soa_builtin_name(i));
        page_write(&w, ",\"text\":");
        page_write_string(&w, soa_builtin_text(i));
        page_write(&w, "}");
    }
    page_write(&w, "]");
    return page_give(&w);
}

/* The model as native YAML, for an export. */
int PAGE(page_yaml)(void)
{
    page *p = &the_page;
    char *text = NULL;
    size_t length = 0;
    const soa_status status = soa_write(p->model, SOA_YAML, NULL, &text, &length, &p->error);
    page_writer w = { 0 };
    if (status == SOA_OK) {
        page_write(&w, "%s", text);
    }
    soa_text_free(NULL, text);
    return status == SOA_OK ? page_give(&w) : page_end(status);
}
