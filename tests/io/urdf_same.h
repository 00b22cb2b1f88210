/* tests/io/urdf_same.h - a model written as URDF and read back, and comparing. */
#ifndef SOA_TESTS_IO_URDF_SAME_H
#define SOA_TESTS_IO_URDF_SAME_H

#include <math.h>
#include <string.h>

#include "soa/io.h"

static inline soa_model *read_back(const soa_model *model)
{
    soa_model *back;
    soa_error error;
    char *text;
    size_t length;
    if (soa_write(model, SOA_URDF, NULL, &text, &length, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(strlen(text), length);
    if (soa_load_text(SOA_URDF, text, length, "back.urdf", NULL, &back, &error) != SOA_OK) {
        fail_msg("%d: %s\n%s", error.line, error.text, text);
    }
    soa_text_free(NULL, text);
    return back;
}

static inline void assert_near(const char *what, double tolerance, int n, const double *a, const double *b)
{
    for (int i = 0; i < n; i++) {
        if (!(a[i] == b[i] || fabs(a[i] - b[i]) <= tolerance)) {
            fail_msg("%s: %.17g became %.17g", what, a[i], b[i]);
        }
    }
}

static inline void assert_same_joint(const soa_joint *a, const soa_joint *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_true(!a->name == !b->name && (!a->name || strcmp(a->name, b->name) == 0));
    assert_near("rotation", 1e-12, 9, &a->at.rotation[0][0], &b->at.rotation[0][0]);
    assert_near("position", 0.0, 3, a->at.position, b->at.position);
    if (a->kind != SOA_FIXED) {
        assert_near("axis", 0.0, 3, a->axis, b->axis);
        assert_near("lower", 0.0, 1, a->lower, b->lower);
        assert_near("upper", 0.0, 1, a->upper, b->upper);
        assert_near("velocity", 0.0, 1, a->velocity, b->velocity);
        assert_near("effort", 0.0, 1, a->effort, b->effort);
        assert_near("damping", 0.0, 1, &a->damping, &b->damping);
        assert_near("friction", 0.0, 1, &a->friction, &b->friction);
        assert_near("ratio", 0.0, 1, &a->rotor.ratio, &b->rotor.ratio);
    }
}

/* Links, joints and couplings, in the same order. */
static inline void assert_same(const soa_model *a, const soa_model *b)
{
    assert_string_equal(soa_model_name(a), soa_model_name(b));
    assert_int_equal(soa_model_links(a), soa_model_links(b));
    assert_int_equal(soa_model_couplings(a), soa_model_couplings(b));
    for (int k = 0; k < soa_model_links(a); k++) {
        const soa_link *x = soa_model_link(a, k), *y = soa_model_link(b, k);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->parent, y->parent);
        assert_int_equal(x->flags, y->flags);
        assert_true(x->inertia.mass == y->inertia.mass);
        assert_near("com", 0.0, 3, x->inertia.com, y->inertia.com);
        assert_near("moment", 0.0, 6, x->inertia.moment, y->inertia.moment);
        assert_same_joint(&x->joint, &y->joint);
    }
    for (int k = 0; k < soa_model_couplings(a); k++) {
        const soa_coupling *x = soa_model_coupling(a, k), *y = soa_model_coupling(b, k);
        assert_int_equal(x->link, y->link);
        assert_int_equal(x->driver, y->driver);
        assert_near("coefficient", 0.0, SOA_COUPLING_TERMS, x->coefficient, y->coefficient);
    }
}

#endif
