/* force/contact.kernel.h - shapes on the ground: part of laws.kernel.h.
 *
 * A shape touches with balls at some of its points. The ground is the plane z = 0 of frame b, or a height field there. */

/* ---- the ground -------------------------------------------------------------------------- */

/* Weights of the four heights about the part u of a cell, and their derivatives (Catmull and Rom): through the heights,
 * with continuous slopes. */
static void LAW(weights)(num u, num w[4], num slope[4])
{
    w[0] = 0.5 * u * (-1.0 + u * (2.0 - u));
    w[1] = 1.0 + u * u * (1.5 * u - 2.5);
    w[2] = 0.5 * u * (1.0 + u * (4.0 - 3.0 * u));
    w[3] = 0.5 * u * u * (u - 1.0);
    slope[0] = -0.5 + u * (2.0 - 1.5 * u);
    slope[1] = u * (4.5 * u - 5.0);
    slope[2] = 0.5 + u * (4.0 - 4.5 * u);
    slope[3] = u * (1.5 * u - 1.0);
}

/* The cell of x on an axis with `count` heights, and the part of it; beyond the edges the edge itself. */
static int LAW(cell)(num x, double first, double step, int count, num *part, bool *inside)
{
    const num u = (x - first) / step;
    const double at = num_real(u);
    *inside = at > 0.0 && at < (double)(count - 1);
    const int cell = !(at > 0.0) ? 0 : at < (double)(count - 1) ? (int)at : count - 2;
    *part = *inside ? u - (double)cell : at > 0.0 ? 1.0 : 0.0;
    return cell;
}

/* Heights beyond an edge mirror those before it, so that the ground is level there. */
static int LAW(mirrored)(int i, int count)
{
    return i < 0 ? -i : i >= count ? 2 * (count - 1) - i : i;
}

static num LAW(field_at)(const soa_height_field *field, num x, num y, num slope[2])
{
    num u, v, wx[4], dx[4], wy[4], dy[4], height = 0.0;
    bool in_x, in_y;
    const int i = LAW(cell)(x, field->x, field->step_x, field->columns, &u, &in_x);
    const int j = LAW(cell)(y, field->y, field->step_y, field->rows, &v, &in_y);
    LAW(weights)(u, wx, dx);
    LAW(weights)(v, wy, dy);
    slope[0] = slope[1] = 0.0;
    for (int b = 0; b < 4; b++) {
        const double *row = field->height + (size_t)LAW(mirrored)(j + b - 1, field->rows) * (size_t)field->columns;
        num along = 0.0, rate = 0.0;
        for (int a = 0; a < 4; a++) {
            const double z = row[LAW(mirrored)(i + a - 1, field->columns)];
            along += wx[a] * z;
            rate += dx[a] * z;
        }
        height += wy[b] * along;
        slope[0] += wy[b] * rate / field->step_x;
        slope[1] += dy[b] * along / field->step_y;
    }
    slope[0] = in_x ? slope[0] : 0.0;
    slope[1] = in_y ? slope[1] : 0.0;
    return height;
}

/* How far the point r from the origin of b is above the ground, along its normal n there. */
static num LAW(above)(const soa_force *e, const LAW(frame) * b, const num r[3], num n[3])
{
    if (!e->field) {
        for (int i = 0; i < 3; i++) {
            n[i] = b->R[i][2];
        }
        return LAW(dot)(n, r);
    }
    num at[3], slope[2];
    LAW(turn_back)(b->R, r, at);
    const num height = LAW(field_at)(e->field, at[0], at[1], slope);
    const num scale = num_sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
    const num normal[3] = { -slope[0] / scale, -slope[1] / scale, 1.0 / scale };
    LAW(turn)(b->R, normal, n);
    return (at[2] - height) / scale;
}

/* ---- shapes -------------------------------------------------------------------------------- */

/* How many balls the shape touches with. */
static int LAW(balls)(const soa_force *e)
{
    return e->shape == SOA_SHAPE_BOX ? 8 : e->shape == SOA_SHAPE_SPHERE ? 1 : e->field ? 5 : 2;
}

/* The centre of ball number k. */
static void LAW(centre)(const soa_force *e, const LAW(frame) * a, int k, num p[3])
{
    const int last = LAW(balls)(e) - 1;
    num at[3] = { 0.0, 0.0, 0.0 };
    if (e->shape == SOA_SHAPE_BOX) {
        for (int i = 0; i < 3; i++) {
            at[i] = (k >> i & 1 ? 0.5 : -0.5) * e->size[i];
        }
    } else if (e->shape == SOA_SHAPE_CAPSULE) {
        at[2] = e->size[2] * ((double)k / last - 0.5);
    }
    LAW(turn)(a->R, at, p);
    for (int i = 0; i < 3; i++) {
        p[i] += a->p[i];
    }
}

/* [contact] a ball of radius `length` about p, sunk by depth into the ground:
 *     normal = stiffness depth^exponent (1 + 3/2 damping d(depth)/dt),   friction = -value normal v_t / sqrt(v_t^2 + speed^2).
 * Adds its wrenches; returns what it has stored. */
static num LAW(ball)(const soa_force *e, const LAW(frame) * a, const LAW(frame) * b, const num p[3], LAW(wrench) * on_a,
    LAW(wrench) * on_b)
{
    num n[3], r[3], c[3], slip[3], at_a[3], at_b[3], va[3], vb[3], F[3];
    for (int i = 0; i < 3; i++) {
        r[i] = p[i] - b->p[i];
    }
    const num depth = e->length - LAW(above)(e, b, r, n);
    if (!(num_real(depth) > 0.0)) {
        return 0.0;
    }
    for (int i = 0; i < 3; i++) {
        c[i] = p[i] - n[i] * (e->length - 0.5 * depth);
        at_a[i] = c[i] - a->p[i];
        at_b[i] = c[i] - b->p[i];
    }
    LAW(cross)(a->w, at_a, va);
    LAW(cross)(b->w, at_b, vb);
    for (int i = 0; i < 3; i++) {
        slip[i] = a->v[i] + va[i] - b->v[i] - vb[i];
    }
    const num away = LAW(dot)(n, slip);
    const num press = e->stiffness * num_pow(depth, e->exponent) * (1.0 - 1.5 * e->damping * away);
    const num normal = num_real(press) > 0.0 ? press : 0.0;
    for (int i = 0; i < 3; i++) {
        slip[i] -= away * n[i];
    }
    const num ratio = e->value * normal / num_sqrt(LAW(dot)(slip, slip) + e->speed * e->speed);
    for (int i = 0; i < 3; i++) {
        F[i] = normal * n[i] - ratio * slip[i];
    }
    LAW(wrench) one_a, one_b;
    LAW(push)(a, b, c, F, &one_a, &one_b);
    for (int i = 0; i < 3; i++) {
        on_a->moment[i] += one_a.moment[i];
        on_a->force[i] += one_a.force[i];
        on_b->moment[i] += one_b.moment[i];
        on_b->force[i] += one_b.force[i];
    }
    return e->stiffness * num_pow(depth, e->exponent + 1.0) / (e->exponent + 1.0);
}

static num LAW(contact)(
    const soa_force *e, const LAW(frame) * a, const LAW(frame) * b, LAW(wrench) * on_a, LAW(wrench) * on_b)
{
    num energy = 0.0, p[3];
    for (int k = 0; k < LAW(balls)(e); k++) {
        LAW(centre)(e, a, k, p);
        energy += LAW(ball)(e, a, b, p, on_a, on_b);
    }
    return energy;
}
