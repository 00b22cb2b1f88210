/* The built-in arm is let go: its fall, drawn as SVG from soa's own numbers.
 *
 *     draw > arm7.svg
 *
 * Forward dynamics moves the arm, kinematics places its links. Beside it stands
 * how forward dynamics is computed: three sweeps over the bodies. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>

enum { DOFS = 7, LINKS = 8, POSES = 6, STEPS_PER_POSE = 50 };

typedef struct shape {
    double x[LINKS + 1], y[LINKS + 1]; /* joints on the page, the tool last */
} shape;

/* World to page: seen from the side and a little from above. */
static void project(const double position[3], double *x, double *y)
{
    const double turn = 0.45, tilt = 0.22;
    const double across = cos(turn) * position[0] + sin(turn) * position[1];
    const double deep = -sin(turn) * position[0] + cos(turn) * position[1];
    *x = 190.0 + 390.0 * across;
    *y = 372.0 - 390.0 * (cos(tilt) * position[2] + sin(tilt) * deep);
}

static shape shape_of(const soa_model *model, soa_workspace *workspace, const double *q)
{
    shape s;
    double link[LINKS][12], tool[12];
    soa_point point;
    soa_model_find_point(model, "tool", &point, NULL);
    soa_kinematics(model, workspace, 1, q, NULL, NULL, &link[0][0], NULL, NULL, NULL);
    soa_point_kinematics(model, workspace, 1, &point, 1, q, NULL, NULL, tool, NULL, NULL, NULL);
    for (int i = 0; i < LINKS; i++) {
        project(link[i] + 9, &s.x[i], &s.y[i]);
    }
    project(tool + 9, &s.x[LINKS], &s.y[LINKS]);
    return s;
}

/* One millisecond of free fall, no torque at the joints. */
static void fall(const soa_model *model, soa_workspace *workspace, double *q, double *v)
{
    const double h = 1e-3, torque[DOFS] = { 0.0 };
    double vdot[DOFS];
    soa_forward_dynamics(model, workspace, 1, q, v, torque, NULL, vdot, NULL);
    for (int i = 0; i < DOFS; i++) {
        v[i] += h * vdot[i];
    }
    soa_integrate(model, q, v, h, q);
}

/* ---- the arm --------------------------------------------------------------------- */

static void draw_line(const shape *s, const char *colour, double width, double opacity)
{
    printf("<polyline fill='none' stroke='%s' stroke-width='%.1f' stroke-opacity='%.2f' stroke-linejoin='round' "
           "stroke-linecap='round' points='",
        colour, width, opacity);
    for (int i = 0; i <= LINKS; i++) {
        printf("%.1f,%.1f ", s->x[i], s->y[i]);
    }
    puts("'/>");
}

static void draw_arm(const shape *s)
{
    draw_line(s, "#1f3a5f", 15.0, 1.0);
    draw_line(s, "#5b8fd0", 9.0, 1.0);
    for (int i = 1; i < LINKS; i++) {
        printf("<circle cx='%.1f' cy='%.1f' r='5.5' fill='#fff' stroke='#1f3a5f' stroke-width='2.5'/>\n", s->x[i],
            s->y[i]);
    }
}

static void draw_fall(const soa_model *model, soa_workspace *workspace)
{
    shape pose[POSES];
    double q[DOFS], v[DOFS] = { 0.0 };
    const soa_configuration *home = soa_model_configuration(model, 0);
    for (int i = 0; i < DOFS; i++) {
        q[i] = home->q[i];
    }
    printf("<polyline fill='none' stroke='#d1495b' stroke-width='2' stroke-dasharray='2 4' points='");
    for (int n = 0; n <= (POSES - 1) * STEPS_PER_POSE; n++) {
        const shape now = shape_of(model, workspace, q);
        printf("%.1f,%.1f ", now.x[LINKS], now.y[LINKS]);
        if (n % STEPS_PER_POSE == 0) {
            pose[n / STEPS_PER_POSE] = now;
        }
        fall(model, workspace, q, v);
    }
    puts("'/>");
    for (int i = POSES - 1; i > 0; i--) {
        draw_line(&pose[i], "#5b8fd0", 8.0, 0.60 - 0.07 * i);
    }
    draw_arm(&pose[0]);
    for (int i = 0; i < POSES; i++) {
        printf("<circle cx='%.1f' cy='%.1f' r='4' fill='#d1495b'/>\n", pose[i].x[LINKS], pose[i].y[LINKS]);
    }
}

/* ---- the sweeps -------------------------------------------------------------------- */

static void text(double x, double y, const char *style, const char *words)
{
    printf("<text x='%.0f' y='%.0f' class='%s' xml:space='preserve'>%s</text>\n", x, y, style, words);
}

static void draw_sweep(double y, bool outward, const char *title, const char *const formula[3])
{
    for (int i = 0; i < DOFS; i++) {
        const double x = 520.0 + 46.0 * i;
        if (i > 0) {
            printf("<line x1='%.0f' y1='%.0f' x2='%.0f' y2='%.0f' class='arrow' marker-end='url(#head)'/>\n",
                outward ? x - 34.0 : x - 12.0, y, outward ? x - 15.0 : x - 31.0, y);
        }
        printf("<circle cx='%.0f' cy='%.0f' r='11' class='body'/>\n<text x='%.0f' y='%.0f' class='number'>%d</text>\n",
            x, y, x, y + 4.0, i + 1);
    }
    text(508.0, y - 22.0, "title", title);
    for (int i = 0; i < 3 && formula[i]; i++) {
        text(508.0, y + 31.0 + 18.0 * i, "formula", formula[i]);
    }
}

static void draw_sweeps(void)
{
    text(508.0, 42.0, "head", "forward dynamics: three sweeps, O(n)");
    static const char *const velocities[3] = { "V = φ* V(p) + H* v      a = V × H* v",
        "b = V ×* M V      P = M      z = b" };
    static const char *const filter[3] = { "D = H P H*      G = P H* D⁻¹      ε = T − H (z + P a)",
        "P(p) += φ (I − G H) P φ*", "z(p) += φ (z + P a + G ε)" };
    static const char *const smoother[3] = { "v̇ = D⁻¹ ε − G* φ* α(p)", "α = φ* α(p) + a + H* v̇" };
    draw_sweep(86.0, true, "outward, base to tip", velocities);
    draw_sweep(180.0, false, "inward, tip to base", filter);
    draw_sweep(292.0, true, "outward, base to tip", smoother);
    puts("<rect x='500' y='360' width='336' height='36' rx='6' fill='#eef3fa'/>");
    text(668.0, 383.0, "middle", "Mass⁻¹ = (I − H ψ K)* D⁻¹ (I − H ψ K)");
}

int main(void)
{
    soa_model *model;
    soa_workspace *workspace;
    if (soa_model_builtin("arm7", NULL, &model, NULL) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, NULL) != SOA_OK) {
        return 1;
    }
    puts(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 860 420' width='860' height='420' "
        "font-family='DejaVu Sans, Verdana, sans-serif'>\n"
        "<style>.head{font-size:15px;font-weight:bold;fill:#1f3a5f}.title{font-size:12px;fill:#667}"
        ".formula{font-size:12.5px;fill:#222}.middle{font-size:14px;fill:#1f3a5f;text-anchor:middle}"
        ".number{font-size:11px;fill:#fff;text-anchor:middle}.body{fill:#5b8fd0}.arrow{stroke:#1f3a5f;stroke-width:1.8}"
        "</style>\n<defs><marker id='head' viewBox='0 0 10 10' refX='7' refY='5' markerWidth='6' markerHeight='6' "
        "orient='auto'><path d='M0 0L10 5L0 10z' fill='#1f3a5f'/></marker></defs>\n"
        "<rect width='860' height='420' rx='10' fill='#fff' stroke='#d5dbe5'/>\n"
        "<line x1='40' y1='372' x2='460' y2='372' stroke='#99a' stroke-width='1.5'/>\n"
        "<rect x='160' y='358' width='60' height='14' rx='3' fill='#1f3a5f'/>");
    text(28.0, 42.0, "head", "builtin:arm7 let go at 'home'");
    text(28.0, 62.0, "title", "a pose every 50 ms; dots: the frame 'tool'");
    draw_fall(model, workspace);
    draw_sweeps();
    puts("</svg>");
    soa_workspace_free(workspace);
    soa_model_free(model);
    return 0;
}
