/* sim/path.c - numbers over time through points. */
#include "soa/sim.h"

/* The part s of a stretch, 0 to 1, that is done after the part u of its time, with two derivatives by u. */
static void timing(soa_timing kind, double u, double s[3])
{
    if (kind == SOA_TIMING_QUINTIC) {
        s[0] = u * u * u * (10.0 + u * (6.0 * u - 15.0));
        s[1] = 30.0 * u * u * (1.0 - u) * (1.0 - u);
        s[2] = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u);
    } else if (kind == SOA_TIMING_TRAPEZOIDAL) {
        const double peak = 4.0 / 3.0, rest = 1.0 - u, slope = peak / 0.25;
        const bool first = u < 0.25, last = rest < 0.25;
        s[0] = first ? 0.5 * slope * u * u : last ? 1.0 - 0.5 * slope * rest * rest : peak * (u - 0.125);
        s[1] = first ? slope * u : last ? slope * rest : peak;
        s[2] = first ? slope : last ? -slope : 0.0;
    } else {
        s[0] = u;
        s[1] = 1.0;
        s[2] = 0.0;
    }
}

/* The slope at point i: that of a parabola through it and its neighbours, 0 at both ends. */
static double slope_at(const soa_series *p, int i)
{
    if (i == 0 || i == p->count - 1) {
        return 0.0;
    }
    const double before = p->t[i] - p->t[i - 1], after = p->t[i + 1] - p->t[i];
    const double in = (p->x[i] - p->x[i - 1]) / before, out = (p->x[i + 1] - p->x[i]) / after;
    return (after * in + before * out) / (before + after);
}

/* The cubic of stretch i with these slopes, at the part u of its time. */
static void smooth_at(const soa_series *p, int i, double u, double x[3])
{
    const double h = p->t[i + 1] - p->t[i], change = p->x[i + 1] - p->x[i];
    const double a = h * slope_at(p, i), b = h * slope_at(p, i + 1);
    const double c2 = 3.0 * change - 2.0 * a - b, c3 = a + b - 2.0 * change;
    x[0] = p->x[i] + u * (a + u * (c2 + u * c3));
    x[1] = (a + u * (2.0 * c2 + u * 3.0 * c3)) / h;
    x[2] = (2.0 * c2 + u * 6.0 * c3) / (h * h);
}

void soa_path_at(const soa_path *path, double t, double x[3])
{
    const soa_series *p = &path->points;
    int i = 0;
    x[1] = x[2] = 0.0;
    if (!(t > p->t[0]) || !(t < p->t[p->count - 1])) {
        x[0] = soa_series_at(p, t);
        return;
    }
    for (int last = p->count - 1; last - i > 1;) {
        const int middle = i + (last - i) / 2;
        *(p->t[middle] <= t ? &i : &last) = middle;
    }
    if (path->timing == SOA_TIMING_SMOOTH) {
        smooth_at(p, i, (t - p->t[i]) / (p->t[i + 1] - p->t[i]), x);
        return;
    }
    double s[3];
    const double span = p->t[i + 1] - p->t[i], change = p->x[i + 1] - p->x[i];
    timing(path->timing, (t - p->t[i]) / span, s);
    x[0] = p->x[i] + change * s[0];
    x[1] = change * s[1] / span;
    x[2] = change * s[2] / (span * span);
}
