/* tests/io/rich_texts.h - a model with a little of everything, in each format. */
#ifndef SOA_TESTS_RICH_TEXTS_H
#define SOA_TESTS_RICH_TEXTS_H

#define URDF_INERTIA           "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
#define URDF_INERTIAL          "<inertial><mass value='1'/>" URDF_INERTIA "</inertial>"
#define URDF_LINK(name)        "<link name='" name "'>" URDF_INERTIAL "</link>"
#define URDF_JOINT(name, a, b) "<joint name='" name "' type='continuous'><parent link='" a "'/><child link='" b "'/>"

static const char RICH_URDF[] =
    "<?xml version='1.0'?><robot name='r'>"
    "<material name='m'><color rgba='1 1 1 1'/></material><link name='base'><visual name='v'><geometry>"
    "<mesh filename='m.stl'/></geometry><material name='m'/></visual></link>" URDF_LINK("a") URDF_LINK("b")
        URDF_JOINT("j1", "base", "a") "<axis xyz='0 1 0'/></joint>" URDF_JOINT(
            "j2", "a", "b") "<origin xyz='0 0 1' rpy='0 0 1'/><axis xyz='1 0 0'/><mimic joint='j1' multiplier='2' "
                            "offset='1'/></joint></robot>";

static const char RICH_MJCF[] =
    "<mujoco model='m'><default><joint damping='1'/><default class='c'><joint armature='0.1'/></default></default>"
    "<worldbody><body name='a' pos='0 0 1'><freejoint name='f'/><geom size='0.1' mass='1'/>"
    "<site name='s' pos='0 0 1'/><body name='b'><joint name='h' class='c' axis='0 1 0'/>"
    "<joint name='k' axis='1 0 0'/><geom type='box' size='1 2 3' density='10'/></body>"
    "<geom name='g' type='mesh' mesh='m' mass='0' material='t'/></body></worldbody>"
    "<asset><mesh name='m' file='m.stl'/><material name='t' rgba='1 1 1 1'/></asset>"
    "<equality><joint joint1='h' joint2='k' polycoef='0 1 0 0 0'/><connect body1='a' body2='b' anchor='0 0 1'/>"
    "</equality><keyframe><key name='home' qpos='0 0 1 1 0 0 0 0.1 0.2'/></keyframe></mujoco>";

static const char RICH_YAML[] =
    "soa: 1\nname: y\nsystems:\n  - name: box\n    free: true\n    bodies:\n"
    "      - {name: body, mass: 2.0, com: [0, 0, 0], inertia: [0.02, 0, 0, 0.02, 0, 0.02]}\n"
    "      - {name: lid, parent: body, joint: {name: hinge, type: revolute, at: {quat: [1, 1, 0, 0]}}, mass: 1}\n"
    "    frames: [{name: tip, link: lid}]\n"
    "  - {name: arm, builtin: arm7, on: box/lid}\n"
    "links: [{name: a, joint: {name: j, type: prismatic, lower: -1}, mass: 1}]\n"
    "frames: [{name: f, link: a}]\n"
    "geometry: [{shape: mesh, mesh: m.stl, link: a, name: g, material: t, color: [1, 1, 1, 1]}]\n"
    "couplings: [{name: c, joint: j, driver: box/hinge, coefficients: [1, 2]}]\n"
    "closures: [{name: d, kind: distance, a: box/tip, b: a, distance: 1}]\n"
    "configurations: [{name: q, q: {j: 1, box/hinge: 2}, v: {j: 2}}]\n";

/* Of which much is said: links without mass before one that has some, and a joint that cannot hold what is said of it. */
static const char ODD_YAML[] =
    "soa: 1\nname: o\nlinks:\n  - {name: a, joint: {name: i, type: revolute}}\n"
    "  - {name: b, joint: {name: j, type: revolute}}\n"
    "  - {name: c, joint: {name: k, type: revolute}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n";

#endif
