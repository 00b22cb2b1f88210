/* The torques that hold a robot still against gravity.
 *
 *     torques                  the built-in arm, in its pose "home"
 *     torques robot.urdf       your robot (or .xml, .yaml), in its neutral pose */
#include <soa/io.h>
#include <soa/soa.h>
#include <stdio.h>
#include <stdlib.h>

/* One row per joint that moves: its position and what its motor must bring up. */
static void print_torques(const soa_model *model, const double *q, const double *torque)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        const soa_link *link = soa_model_link(model, body.link);
        for (int i = 0; i < body.nv; i++) {
            printf("%-24s q %8.3f   torque %10.3f\n", link->joint.name ? link->joint.name : link->name, q[body.q + i],
                torque[body.v + i]);
        }
    }
}

int main(int argc, char **argv)
{
    soa_model *model = NULL;
    soa_workspace *workspace = NULL;
    soa_error error;
    char message[1024];

    soa_status status =
        argc > 1 ? soa_load(argv[1], NULL, &model, &error) : soa_model_builtin("arm7", NULL, &model, &error);
    if (status == SOA_OK) {
        status = soa_workspace_new(model, NULL, &workspace, &error);
    }
    if (status == SOA_OK) {
        /* q may be longer than v: a quaternion has four numbers for three velocities. */
        double *q = calloc((size_t)soa_model_nq(model) + 1, sizeof *q);
        double *torque = calloc((size_t)soa_model_nv(model) + 1, sizeof *torque);
        soa_model_neutral(model, q);
        if (argc == 1) {
            for (int i = 0; i < soa_model_nq(model); i++) {
                q[i] = soa_model_configuration(model, 0)->q[i];
            }
        }
        status = soa_gravity_force(model, workspace, 1, q, torque, &error);
        if (status == SOA_OK) {
            print_torques(model, q, torque);
        }
        free(q);
        free(torque);
    }
    if (status != SOA_OK) {
        fprintf(stderr, "%s\n", soa_error_message(&error, message, sizeof message));
    }
    soa_workspace_free(workspace);
    soa_model_free(model);
    return status != SOA_OK;
}
