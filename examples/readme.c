#include <soa/soa.h>
#include <stdio.h>

int main(void)
{
    soa_model *model;
    soa_workspace *workspace;
    double torque[7];
    soa_model_builtin("arm7", NULL, &model, NULL); /* or soa_load("robot.urdf", ...) of soa/io.h */
    soa_workspace_new(model, NULL, &workspace, NULL);
    soa_gravity_force(model, workspace, 1, soa_model_configuration(model, 0)->q, torque, NULL);
    printf("joint2 holds the arm with %.2f N m\n", torque[1]);
    soa_workspace_free(workspace);
    soa_model_free(model);
    return 0;
}
