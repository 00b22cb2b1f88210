/* force/force_check.c - what a force element must satisfy. */
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "force/force_set.h"
#include "model/model.h"

soa_status soa_force_refuse(const soa_force *e, soa_status status, soa_error *error, const char *why)
{
    return soa_fail(
        error, status, -1, "force '%s' (%s): %s", e->name ? e->name : "", soa_force_kind_text(e->kind), why);
}

static bool all_finite(int n, const double *x)
{
    bool finite = true;
    for (int i = 0; i < n; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

static soa_status check_numbers(const soa_force *e, soa_error *error)
{
    const double number[] = { e->stiffness, e->damping, e->reference, e->length, e->value, e->speed, e->exponent };
    const bool positive = e->stiffness >= 0.0 && e->damping >= 0.0 && e->length >= 0.0 && e->exponent >= 1.0;
    if (!all_finite(7, number) || !all_finite(6, e->wrench) || !all_finite(6, e->hold) || !all_finite(6, e->damp) ||
        isnan(e->lower) || isnan(e->upper) || isnan(e->from) || isnan(e->to)) {
        return soa_force_refuse(e, SOA_E_NUMBER, error, "a number is not finite");
    }
    if (!positive) {
        return soa_force_refuse(
            e, SOA_E_NUMBER, error, "stiffness, damping or length is negative, or the exponent below 1");
    }
    const bool smooth = e->kind == SOA_FORCE_JOINT_FRICTION || e->kind == SOA_FORCE_CONTACT;
    if (smooth && (e->value < 0.0 || !(e->speed > 0.0))) {
        return soa_force_refuse(e, SOA_E_NUMBER, error, "friction must not be negative and its speed must be positive");
    }
    if (!(e->holding >= 0.0 && isfinite(e->holding)) || !(e->restitution >= 0.0 && e->restitution <= 1.0)) {
        return soa_force_refuse(e, SOA_E_NUMBER, error, "holding must not be negative, restitution be from 0 to 1");
    }
    if (e->lower > e->upper) {
        return soa_force_refuse(e, SOA_E_NUMBER, error, "lower is above upper");
    }
    return SOA_OK;
}

static soa_status check_table(const soa_force *e, soa_error *error)
{
    const soa_series *s = &e->table;
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->t[i]) || !isfinite(s->x[i]) || (i > 0 && !(s->t[i] > s->t[i - 1]))) {
            return soa_force_refuse(e, SOA_E_NUMBER, error, "its table needs finite numbers and rising times");
        }
    }
    return SOA_OK;
}

static soa_status check_contact(const soa_force *e, soa_error *error)
{
    const soa_height_field *f = e->field;
    if ((e->shape != SOA_SHAPE_SPHERE && e->shape != SOA_SHAPE_CAPSULE && e->shape != SOA_SHAPE_BOX) ||
        !all_finite(3, e->size) || !(e->size[0] >= 0.0 && e->size[1] >= 0.0 && e->size[2] >= 0.0)) {
        return soa_force_refuse(
            e, SOA_E_NUMBER, error, "its shape must be a sphere, capsule or box, and no size negative");
    }
    if (!f) {
        return SOA_OK;
    }
    const double place[] = { f->x, f->y, f->step_x, f->step_y };
    if (f->columns < 2 || f->rows < 2 || !all_finite(4, place) || !(f->step_x > 0.0 && f->step_y > 0.0)) {
        return soa_force_refuse(
            e, SOA_E_NUMBER, error, "its height field needs two rows, two columns and positive spacings");
    }
    return f->height && all_finite(f->columns * f->rows, f->height)
               ? SOA_OK
               : soa_force_refuse(e, SOA_E_NUMBER, error, "a height of its field is not finite");
}

static soa_status check_joint(const soa_model *model, const soa_force *e, int *body, soa_error *error)
{
    const bool modal = e->kind == SOA_FORCE_ELASTIC;
    *body = -1;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body b = soa_model_body(model, k);
        *body = b.link == e->link && b.flexible == modal ? k : *body;
    }
    if (*body < 0) {
        return soa_force_refuse(
            e, SOA_E_NAME, error, modal ? "its link is not flexible" : "its link has no joint that moves");
    }
    const soa_joint_kind kind = soa_model_body(model, *body).kind;
    if (e->kind == SOA_FORCE_JOINT_SPRING && (kind == SOA_PLANAR || kind == SOA_FREE)) {
        return soa_force_refuse(
            e, SOA_E_UNSUPPORTED, error, "a planar or free joint has no angle to spring from; use a bushing");
    }
    const bool one =
        e->kind == SOA_FORCE_TORQUE || e->kind == SOA_FORCE_JOINT_LIMIT || e->kind == SOA_FORCE_JOINT_STOP || e->stick;
    if (one && soa_model_body(model, *body).nv != 1) {
        return soa_force_refuse(e, SOA_E_UNSUPPORTED, error, "it needs a joint with one coordinate");
    }
    return SOA_OK;
}

static soa_status check_points(const soa_model *model, const soa_force *e, soa_error *error)
{
    const int links = soa_model_links(model);
    if (e->a.link < SOA_WORLD || e->a.link >= links || e->b.link < SOA_WORLD || e->b.link >= links) {
        return soa_force_refuse(e, SOA_E_NAME, error, "the link of a point does not exist");
    }
    char item[SOA_ERROR_TEXT];
    snprintf(item, sizeof item, "force '%s' (%s)", e->name ? e->name : "", soa_force_kind_text(e->kind));
    const soa_description *d = &model->description;
    soa_status status = soa_check_node(d, e->a.link, e->a.node, item, (soa_source){ NULL, 0 }, error);
    SOA_NEXT(status, soa_check_node(d, e->b.link, e->b.node, item, (soa_source){ NULL, 0 }, error));
    return status;
}

soa_status soa_force_check(const soa_model *model, const soa_force *e, int *body, soa_error *error)
{
    soa_status status = check_numbers(e, error);
    SOA_NEXT(status, check_table(e, error));
    status = status == SOA_OK && e->kind == SOA_FORCE_CONTACT ? check_contact(e, error) : status;
    *body = -1;
    if (status != SOA_OK) {
        return status;
    }
    return soa_force_kind_at_joint(e->kind) ? check_joint(model, e, body, error) : check_points(model, e, error);
}
