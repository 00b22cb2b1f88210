/* sens/flexible_parameters.c - the regressor of models with flexible links.
 *
 * Of each link that moves, its motion and the columns of its Jacobian, in its own axes, give its ten columns of Y. The
 * kinetic energy of a flexible link is linear in the mass, first and second moments that it has undeformed and in its modal
 * integrals: with these held, its ten columns are those of a rigid link in the frame that it has undeformed. */
#include <string.h>

#include "model/model.h"
#include "sens/flexible_sens.h"
#include "sens/regressor_entries.h"

/* Three numbers with slopes behind them. */
static vec3 numbers_at(const double *y)
{
    return (vec3){ y[0], y[2], y[4] };
}

/* How the frame of a link moves, in its own axes. */
static link_motion motion_of_link(const soa_dual_scene *s, const soa_point *point)
{
    double *y = s->y;
    soa_dual_run(s, SOA_KERNEL_kinematics,
        (soa_call){ .point = point, .points = 1, .y.at = y, .y2.at = y + 24, .y3.at = y + 36 });
    const mat3 R = { y[0], y[2], y[4], y[6], y[8], y[10], y[12], y[14], y[16] };
    const vec3 a = vec3_sub(numbers_at(y + 42), vec3_set(s->m->description.gravity));
    const mat3 own = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 };
    return (link_motion){ own, vec3_zero(), mat3_t_mul_vec(R, numbers_at(y + 24)),
        mat3_t_mul_vec(R, numbers_at(y + 36)), mat3_t_mul_vec(R, a) };
}

void soa_flexible_regressor(soa_dual_scene *s, double *Y)
{
    const size_t n = (size_t)s->m->nv, links = (size_t)s->m->description.link.count;
    const size_t columns = SOA_RIGID_NUMBERS * links;
    memset(Y, 0, n * columns * sizeof *Y);
    for (size_t link = 0; link < links; link++) {
        const soa_point point = { (int)link, soa_pose_identity(), 0 };
        if (s->m->place[link].body < 0) {
            continue;
        }
        const link_motion moves = motion_of_link(s, &point);
        soa_dual_run(
            s, SOA_KERNEL_jacobian, (soa_call){ .point = &point, .points = 1, .option = SOA_AXES_BODY, .y.at = s->y });
        for (size_t i = 0; i < n; i++) {
            const double *J = s->y + 2 * i;
            const motion column = { { J[0], J[2 * n], J[4 * n] }, { J[6 * n], J[8 * n], J[10 * n] } };
            regressor_entries(&moves, column, Y + i * columns + SOA_RIGID_NUMBERS * link);
        }
    }
}
