/* Uses the installed libsoa_io: reads a robot from text. */
#include <soa/io.h>
#include <stdio.h>
#include <string.h>

static const char urdf[] =
    "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/>"
    "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>";

int main(void)
{
    soa_error error;
    soa_model *model = NULL;
    if (soa_load_text(SOA_URDF, urdf, strlen(urdf), NULL, NULL, &model, &error)) {
        char text[1024];
        fprintf(stderr, "%s\n", soa_error_message(&error, text, sizeof text));
        return 1;
    }
    const int right = soa_model_nv(model) == 1 && soa_model_find_joint(model, "j") >= 0;
    soa_model_free(model);
    return right ? 0 : 1;
}
