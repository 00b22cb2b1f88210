/* io/mjcf_orient.c - places: pos, the five ways to write an orientation, fromto. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

static const double pi = 3.14159265358979323846;
static const double tiny = 1e-14; /* a shorter vector has no direction */

void soa_mjcf_turn(const soa_pose *pose, const double v[3], double result[3])
{
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++) {
        result[i] = pose->rotation[i][0] * x + pose->rotation[i][1] * y + pose->rotation[i][2] * z;
    }
}

double soa_mjcf_length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* v to length 1; false if it is too short. */
static bool normalize(double v[3])
{
    const double length = soa_mjcf_length(v);
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
    return length >= tiny;
}

static bool fail_short(mjcf *m, const soa_xml *x, const char *attribute)
{
    return soa_mjcf_ok(
        m, soa_xml_fail(x, SOA_E_NUMBER, m->error, "%s has no direction: a vector in it has zero length", attribute));
}

/* The shortest turn that takes z to v, a unit vector. */
static soa_pose from_z(const double position[3], const double v[3])
{
    double axis[3] = { -v[1], v[0], 0.0 };
    const double s = soa_mjcf_length(axis);
    if (s < 1e-10) {
        axis[0] = 1.0;
        axis[1] = 0.0;
    }
    return soa_pose_from_axis_angle(position, axis, atan2(s, v[2]));
}

static bool from_xy(mjcf *m, const soa_xml *x, double xy[6], soa_pose *pose)
{
    double *a = xy, *b = xy + 3;
    if (!normalize(a)) {
        return fail_short(m, x, "xyaxes");
    }
    const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 3; i++) {
        b[i] -= along * a[i];
    }
    if (!normalize(b)) {
        return fail_short(m, x, "xyaxes");
    }
    const double c[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
    for (int i = 0; i < 3; i++) {
        pose->rotation[i][0] = a[i];
        pose->rotation[i][1] = b[i];
        pose->rotation[i][2] = c[i];
    }
    return true;
}

/* Lower case letters: axes that turn along; capitals: axes that stay. */
static soa_pose from_euler(const mjcf_compiler *compiler, const double position[3], const double angle[3])
{
    static const double origin[3] = { 0.0, 0.0, 0.0 };
    const double unit = compiler->degree ? pi / 180.0 : 1.0;
    soa_pose pose = soa_pose_identity();
    for (int i = 0; i < 3; i++) {
        const char c = compiler->euler[i];
        const bool fixed = c >= 'X' && c <= 'Z';
        const double axis[3] = { c == 'x' || c == 'X', c == 'y' || c == 'Y', c == 'z' || c == 'Z' };
        const soa_pose turn = soa_pose_from_axis_angle(origin, axis, unit * angle[i]);
        pose = fixed ? soa_pose_compose(&turn, &pose) : soa_pose_compose(&pose, &turn);
    }
    memcpy(pose.position, position, sizeof pose.position);
    return pose;
}

static bool from_quaternion(mjcf *m, const mjcf_layer *view, soa_pose *pose)
{
    double wxyz[4] = { 1.0, 0.0, 0.0, 0.0 };
    if (!soa_mjcf_numbers(m, view, "quat", 4, wxyz, NULL)) {
        return false;
    }
    if (hypot(hypot(wxyz[0], wxyz[1]), hypot(wxyz[2], wxyz[3])) < tiny) {
        return soa_mjcf_ok(m, soa_xml_fail(soa_mjcf_where(view, "quat"), SOA_E_NUMBER, m->error,
                                  "quat is a quaternion of zero length; write \"1 0 0 0\" for no rotation"));
    }
    *pose = soa_pose_from_quaternion(pose->position, wxyz);
    return true;
}

enum { AXISANGLE, XYAXES, ZAXIS, EULER, ALTERNATIVES };

static const struct {
    const char *name;
    int numbers;
} alternative[ALTERNATIVES] = { { "axisangle", 4 }, { "xyaxes", 6 }, { "zaxis", 3 }, { "euler", 3 } };

/* Which alternative to quat the nearest element with one has. In MuJoCo an
 * alternative in a default class goes before a quat in the element itself. */
static bool which_alternative(mjcf *m, const mjcf_layer *view, int *which, const soa_xml **where)
{
    *which = -1;
    for (; view && *which < 0; view = view->older) {
        int written = soa_xml_get(view->element, "quat") != NULL;
        for (int i = 0; i < ALTERNATIVES; i++) {
            if (soa_xml_get(view->element, alternative[i].name)) {
                written++;
                *which = i;
            }
        }
        if (written > 1) {
            return soa_mjcf_ok(m, soa_xml_fail(view->element, SOA_E_SYNTAX, m->error,
                                      "more than one of quat, axisangle, xyaxes, zaxis, euler; keep one"));
        }
        *where = view->element;
    }
    return true;
}

static bool orientation(mjcf *m, const mjcf_layer *view, soa_pose *pose)
{
    int which;
    const soa_xml *x = NULL;
    if (!which_alternative(m, view, &which, &x)) {
        return false;
    }
    if (which < 0) {
        return from_quaternion(m, view, pose);
    }
    double v[6] = { 0 };
    if (!soa_mjcf_ok(m, soa_xml_numbers(x, alternative[which].name, alternative[which].numbers, v, NULL, m->error))) {
        return false;
    }
    if (which == XYAXES) {
        return from_xy(m, x, v, pose);
    }
    if (which == EULER) {
        *pose = from_euler(&m->compiler, pose->position, v);
        return true;
    }
    if (!normalize(v)) {
        return fail_short(m, x, alternative[which].name);
    }
    *pose = which == ZAXIS ? from_z(pose->position, v)
                           : soa_pose_from_axis_angle(pose->position, v, m->compiler.degree ? v[3] * pi / 180.0 : v[3]);
    return true;
}

bool soa_mjcf_pose(mjcf *m, const mjcf_layer *view, soa_pose *pose)
{
    *pose = soa_pose_identity();
    return soa_mjcf_numbers(m, view, "pos", 3, pose->position, NULL) && orientation(m, view, pose);
}

bool soa_mjcf_pose_fromto(mjcf *m, const mjcf_layer *view, soa_pose *pose, double *half)
{
    double ends[6];
    bool found;
    *half = 0.0;
    if (!soa_mjcf_numbers(m, view, "fromto", 6, ends, &found)) {
        return false;
    }
    if (!found) {
        return soa_mjcf_pose(m, view, pose);
    }
    double middle[3], back[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (ends[i] + ends[i + 3]);
        back[i] = ends[i] - ends[i + 3];
    }
    *half = 0.5 * soa_mjcf_length(back);
    if (!normalize(back)) {
        return soa_mjcf_ok(m,
            soa_xml_fail(soa_mjcf_where(view, "fromto"), SOA_E_NUMBER, m->error, "the two points of fromto coincide"));
    }
    *pose = from_z(middle, back);
    return true;
}
