/* The inertia one feels at the hand of a robot with two arms.
 *
 * Lambda = J Mass^-1 J* says how the hand accelerates when pushed; its inverse is
 * the operational-space inertia. Both cost O(n): no mass matrix is made. */
#include <soa/soa.h>
#include <stdio.h>

enum { DOFS = 15 };

int main(void)
{
    static const char *const axis[6] = { "about x", "about y", "about z", "along x", "along y", "along z" };
    soa_model *model;
    soa_workspace *workspace;
    soa_error error;
    double q[DOFS], lambda[36], inertia[36];

    if (soa_model_builtin("dual-arm", NULL, &model, &error) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    /* Bent elbows: with straight arms the hand cannot move along the arm. */
    soa_model_neutral(model, q);
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        q[body.q] = 0.3 + 0.1 * (k % 7);
    }
    /* The hand is a named frame on a link. */
    soa_point point;
    soa_status status = soa_model_find_point(model, "left/tool", &point, &error);
    status =
        status != SOA_OK ? status : soa_operational_inertia(model, workspace, 1, &point, 1, q, lambda, inertia, &error);
    if (status != SOA_OK) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        printf("of the left hand            if the hand can     if it must not move\n"
               "                            move otherwise      otherwise\n");
        for (int i = 0; i < 6; i++) {
            printf("inertia %-12s %18.4f %18.4f %s\n", axis[i], 1.0 / lambda[7 * i], inertia[7 * i],
                i < 3 ? "kg m^2" : "kg");
        }
    }
    soa_workspace_free(workspace);
    soa_model_free(model);
    return status != SOA_OK;
}
