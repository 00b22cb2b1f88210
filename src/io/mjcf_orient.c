/* io/mjcf_orient.c - places: pos, the five ways to write an orientation, fromto. */
#include <math.h>

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

static void fail_short(const soa_xml *x, const char *attribute)
{
    soa_xml_fail(x, SOA_E_NUMBER, "%s has no direction: a vector in it has zero length", attribute);
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

static soa_pose from_xy(const soa_xml *x, const double position[3], double xy[6])
{
    soa_pose pose = soa_pose_identity();
    double *a = xy, *b = xy + 3;
    bool directed = normalize(a);
    const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 3; i++) {
        b[i] -= along * a[i];
    }
    directed = normalize(b) && directed;
    if (!directed) {
        fail_short(x, "xyaxes");
    }
    const double c[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
    for (int i = 0; i < 3; i++) {
        pose.rotation[i][0] = a[i];
        pose.rotation[i][1] = b[i];
        pose.rotation[i][2] = c[i];
        pose.position[i] = position[i];
    }
    return pose;
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

static soa_pose from_quaternion(const soa_xml *x, const double position[3])
{
    double wxyz[4] = { 1.0, 0.0, 0.0, 0.0 };
    soa_xml_numbers(x, "quat", 4, wxyz);
    if (hypot(hypot(wxyz[0], wxyz[1]), hypot(wxyz[2], wxyz[3])) < tiny) {
        soa_xml_fail(soa_xml_where(x, "quat"), SOA_E_NUMBER,
            "quat is a quaternion of zero length; write \"1 0 0 0\" for no rotation");
    }
    return soa_pose_from_quaternion(position, wxyz);
}

enum { AXISANGLE, XYAXES, ZAXIS, EULER, ALTERNATIVES };

static const struct {
    const char *name;
    int numbers;
} alternative[ALTERNATIVES] = { { "axisangle", 4 }, { "xyaxes", 6 }, { "zaxis", 3 }, { "euler", 3 } };

/* Which alternative to quat the nearest element with one has, -1: none. In MuJoCo an
 * alternative in a default class goes before a quat in the element itself. */
static int which_alternative(const soa_xml *x)
{
    int which = -1;
    for (; x && which < 0; x = x->older) {
        int written = soa_xml_get(x, "quat") != NULL;
        for (int i = 0; i < ALTERNATIVES; i++) {
            if (soa_xml_get(x, alternative[i].name)) {
                written++;
                which = i;
            }
        }
        if (written > 1) {
            soa_xml_fail(x, SOA_E_SYNTAX, "more than one of quat, axisangle, xyaxes, zaxis, euler; keep one");
        }
    }
    return which;
}

soa_pose soa_mjcf_pose(const mjcf *m, const soa_xml *x)
{
    double position[3] = { 0.0, 0.0, 0.0 }, v[6] = { 0.0 };
    soa_xml_numbers(x, "pos", 3, position);
    const int which = which_alternative(x);
    if (which < 0) {
        return from_quaternion(x, position);
    }
    const char *name = alternative[which].name;
    const soa_xml *where = soa_xml_where(x, name);
    soa_xml_numbers(x, name, alternative[which].numbers, v);
    if (which == XYAXES) {
        return from_xy(where, position, v);
    }
    if (which == EULER) {
        return from_euler(&m->compiler, position, v);
    }
    if (!normalize(v)) {
        fail_short(where, name);
    }
    return which == ZAXIS ? from_z(position, v)
                          : soa_pose_from_axis_angle(position, v, m->compiler.degree ? v[3] * pi / 180.0 : v[3]);
}

soa_pose soa_mjcf_pose_fromto(const mjcf *m, const soa_xml *x, double *half)
{
    double ends[6] = { 0.0 }, middle[3], back[3];
    *half = 0.0;
    if (!soa_xml_numbers(x, "fromto", 6, ends)) {
        return soa_mjcf_pose(m, x);
    }
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (ends[i] + ends[i + 3]);
        back[i] = ends[i] - ends[i + 3];
    }
    *half = 0.5 * soa_mjcf_length(back);
    if (!normalize(back)) {
        soa_xml_fail(soa_xml_where(x, "fromto"), SOA_E_NUMBER, "the two points of fromto coincide");
    }
    return from_z(middle, back);
}
