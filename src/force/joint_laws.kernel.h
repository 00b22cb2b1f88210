/* force/joint_laws.kernel.h - the laws of forces at joints and of modes, on the type `num` (laws.kernel.h). */

/* A stop that has yielded by `depth` and yields at `rate`: stiffness depth (1 + damping rate), never pulling. */
static num LAW(stop)(const soa_force *e, num depth, num rate)
{
    const num push = e->stiffness * depth * (1.0 + e->damping * rate);
    return num_real(depth) > 0.0 && num_real(push) > 0.0 ? push : 0.0;
}

/* The force at a joint that is displaced by x and moves with v; *energy is what the element has stored. */
static num LAW(joint_law)(const soa_force *e, double value, num x, num v, num *energy)
{
    *energy = 0.0;
    switch (e->kind) {
    case SOA_FORCE_TORQUE:
        return value;
    case SOA_FORCE_JOINT_SPRING:
        *energy = 0.5 * e->stiffness * x * x;
        return -e->stiffness * x;
    case SOA_FORCE_JOINT_DAMPER:
        return -e->damping * v;
    case SOA_FORCE_JOINT_FRICTION:
        return -e->value * v / num_sqrt(v * v + e->speed * e->speed);
    case SOA_FORCE_JOINT_STOP:
        return 0.0;
    default: { /* SOA_FORCE_JOINT_LIMIT */
        const num low = e->lower - x, high = x - e->upper;
        const num depth = num_real(low) > 0.0 ? low : num_real(high) > 0.0 ? high : 0.0;
        *energy = 0.5 * e->stiffness * depth * depth;
        return LAW(stop)(e, low, -v) - LAW(stop)(e, high, v);
    }
    }
}

/* Number i of T = -K eta - C etadot of a flexible link; *energy is its part of eta* K eta / 2. */
static inline num LAW(elastic)(const soa_flexible *f, int i, const num *eta, const num *etadot, num *energy)
{
    num elastic = 0.0, damped = 0.0;
    for (int j = 0; j < f->modes; j++) {
        elastic -= f->stiffness[i * f->modes + j] * eta[j];
        damped -= f->damping ? f->damping[i * f->modes + j] * etadot[j] : 0.0;
    }
    *energy = -0.5 * elastic * eta[i];
    return elastic + damped;
}
