/* robot.c - a soa model as the peers see it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"
#include "soa/io.h"

static bool refuse(const char *robot, const char *body, const char *why)
{
    fprintf(stderr, "bench_peers: %s: %s: %s\n", robot, body, why);
    return false;
}

static bool is_identity(const soa_pose *pose)
{
    const soa_pose identity = soa_pose_identity();
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
        worst = fmax(worst, fabs(pose->position[i]));
        for (int j = 0; j < 3; j++) {
            worst = fmax(worst, fabs(pose->rotation[i][j] - identity.rotation[i][j]));
        }
    }
    return worst == 0.0;
}

/* What not every peer has is refused. */
static bool joint_of(const char *robot, int k, const soa_link *link, bench_body *body)
{
    const soa_joint *joint = &link->joint;
    if (!is_identity(&joint->child) || joint->reference != 0.0 || joint->reversed) {
        return refuse(robot, link->name, "the joint has an offset that not every peer can have");
    }
    if (joint->rotor.armature != 0.0 || joint->rotor.spin != 0.0) {
        return refuse(robot, link->name, "the joint has a rotor, which not every peer can have");
    }
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        body->joint = BENCH_REVOLUTE;
        break;
    case SOA_PRISMATIC:
        body->joint = BENCH_PRISMATIC;
        break;
    case SOA_FREE:
        body->joint = BENCH_FREE;
        return k == 0 && is_identity(&joint->at) ? true : refuse(robot, link->name, "only the first body can be free");
    default:
        return refuse(robot, link->name, "a kind of joint that not every peer has");
    }
    const double *a = joint->axis, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) {
        body->axis[i] = a[i] / length;
    }
    return true;
}

/* Body `number` of the model and all outboard of it take the places from `next`; returns the place after them. */
static int visit(const soa_model *model, int number, int next, int *order)
{
    if (number >= 0) {
        order[next++] = number;
    }
    for (int k = number + 1; k < soa_model_bodies(model); k++) {
        if (soa_model_body(model, k).parent == number) {
            next = visit(model, k, next, order);
        }
    }
    return next;
}

/* The place of the body among those before `k`. */
static int place_of(const bench_body *body, int k, int number)
{
    while (--k >= 0 && body[k].number != number) {
    }
    return k;
}

static bool fill_bodies(const soa_model *model, const char *name, const int *order, bench_body *body)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body about = soa_model_body(model, order[k]);
        const soa_link *link = soa_model_link(model, about.link);
        soa_pose parent = soa_pose_identity();
        if (link->parent != SOA_WORLD) {
            soa_model_link_body(model, link->parent, &parent);
        }
        body[k] = (bench_body){ .name = link->name,
            .joint_name = link->joint.name,
            .parent = place_of(body, k, about.parent),
            .at = soa_pose_compose(&parent, &link->joint.at),
            .inertia = about.inertia,
            .number = order[k] };
        if (!joint_of(name, k, link, &body[k])) {
            return false;
        }
    }
    return true;
}

static void fill_places(const soa_model *model, const int *order, int *q_place, int *v_place)
{
    for (int k = 0, q = 0, v = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, order[k]);
        for (int i = 0; i < body.nq; i++) {
            q_place[body.q + i] = q++;
        }
        for (int i = 0; i < body.nv; i++) {
            v_place[body.v + i] = v++;
        }
    }
}

static bool is_end(const bench_robot *robot, int k)
{
    for (int j = k + 1; j < robot->bodies; j++) {
        if (robot->body[j].parent == k) {
            return false;
        }
    }
    return true;
}

/* If there are fewer bodies than points, the last body again. */
static void fill_points(bench_robot *robot)
{
    int n = 0;
    for (int end = 1; end >= 0; end--) {
        for (int k = robot->bodies - 1; k >= 0 && n < BENCH_POINTS; k--) {
            if (is_end(robot, k) == (end != 0)) {
                robot->point[n++] = k;
            }
        }
    }
    while (n < BENCH_POINTS) {
        robot->point[n++] = robot->bodies - 1;
    }
}

/* The body of the link, and where in it the frame `at` of the link is; -1: the world. */
static int end_of(const soa_model *model, const bench_robot *robot, int link, const soa_pose *at, soa_pose *in_body)
{
    soa_pose pose = soa_pose_identity();
    const int body = link == SOA_WORLD ? SOA_WORLD : soa_model_link_body(model, link, &pose);
    *in_body = soa_pose_compose(&pose, at);
    return body == SOA_WORLD ? -1 : place_of(robot->body, robot->bodies, body);
}

static bool fill_closures(const soa_model *model, const char *name, bench_robot *robot, bench_closure *closure)
{
    for (int i = 0; i < soa_model_closures(model); i++) {
        const soa_closure *c = soa_model_closure(model, i);
        if (c->kind != SOA_CLOSE_RIGID || c->inactive || soa_model_couplings(model) > 0) {
            return refuse(name, c->name, "closures must be rigid, active and without couplings of joints beside them");
        }
        closure[i].a = end_of(model, robot, c->a, &c->at_a, &closure[i].at_a);
        closure[i].b = end_of(model, robot, c->b, &c->at_b, &closure[i].at_b);
    }
    robot->closures = soa_model_closures(model);
    return true;
}

static soa_status load(const char *source, soa_model **model, soa_error *error)
{
    static const char builtin[] = "builtin:";
    if (strncmp(source, builtin, strlen(builtin)) == 0) {
        return soa_model_builtin(source + strlen(builtin), NULL, model, error);
    }
    return soa_load(source, NULL, model, error);
}

bool bench_robot_open(const char *source, soa_model **model, bench_robot *robot)
{
    char message[SOA_ERROR_FILE + SOA_ERROR_TEXT];
    soa_error error;
    size_t length;
    *model = NULL;
    *robot = (bench_robot){ 0 };
    soa_error_clear(&error);
    if (load(source, model, &error) != SOA_OK) {
        fprintf(stderr, "bench_peers: %s\n", soa_error_message(&error, message, sizeof message));
        return false;
    }
    char *mjcf = NULL;
    const int n = soa_model_bodies(*model), nq = soa_model_nq(*model), nv = soa_model_nv(*model);
    bench_body *body = calloc((size_t)n + 1, sizeof *body);
    bench_closure *closure = calloc((size_t)soa_model_closures(*model) + 1, sizeof *closure);
    int *place = calloc((size_t)(nq + nv + n) + 1, sizeof *place), *order = place + nq + nv;
    if (n == 0 || body == NULL || closure == NULL || place == NULL) {
        abort();
    }
    soa_write(*model, SOA_MJCF, NULL, &mjcf, &length, NULL);
    *robot = (bench_robot){ .name = soa_model_name(*model),
        .bodies = n,
        .nq = nq,
        .nv = nv,
        .body = body,
        .closure = closure,
        .mjcf = mjcf,
        .model = *model,
        .q_place = place,
        .v_place = place + nq };
    soa_model_gravity(*model, robot->gravity);
    visit(*model, SOA_WORLD, 0, order);
    fill_places(*model, order, place, place + nq);
    const bool usable = fill_bodies(*model, source, order, body) && fill_closures(*model, source, robot, closure);
    fill_points(robot);
    if (!usable) {
        bench_robot_close(*model, robot);
    }
    return usable;
}

void bench_robot_close(soa_model *model, bench_robot *robot)
{
    free((void *)robot->body);
    free((void *)robot->closure);
    free((void *)robot->q_place);
    soa_text_free(NULL, (char *)robot->mjcf);
    soa_model_free(model);
}
