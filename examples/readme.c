#include <soa/soa.h>
#include <stdio.h>

int main(void)
{
    soa_model *model;
    soa_workspace *workspace;
    soa_error error;
    double rest[7] = { 0.0 }, torque[7], vdot[7];
    if (soa_model_builtin("arm7", NULL, &model, &error) != SOA_OK || /* or soa_load("robot.urdf", ...), soa/io.h */
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double *home = soa_model_configuration(model, 0)->q;
    soa_gravity_force(model, workspace, 1, home, torque, NULL);
    soa_forward_dynamics(model, workspace, 1, home, rest, rest, NULL, vdot, NULL);
    for (int i = 1; i < 7; i += 2) {
        printf("joint%d: %7.2f N m hold it; let go, it starts with %6.2f rad/s^2\n", i + 1, torque[i], vdot[i]);
    }
    soa_workspace_free(workspace);
    soa_model_free(model);
    return 0;
}
