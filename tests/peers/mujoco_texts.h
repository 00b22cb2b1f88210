/* tests/peers/mujoco_texts.h - MJCF that says things in many ways. */
#ifndef SOA_TESTS_PEERS_MUJOCO_TEXTS_H
#define SOA_TESTS_PEERS_MUJOCO_TEXTS_H

/* Every shape, by density and by mass, placed in every way. */
#define TEXT_SHAPES                                                                                           \
    "<mujoco model='shapes'><compiler angle='radian'/><option gravity='1 -2 -9'/><worldbody>"                 \
    "<body name='a' pos='.1 .2 .3' euler='.3 -.4 .5'><joint name='a' axis='1 2 3' pos='.1 0 .2'/>"            \
    "<geom type='sphere' size='.2' pos='.1 0 0'/><geom type='box' size='.1 .2 .3' euler='1 .5 .2' mass='3'/>" \
    "<body name='b' pos='0 .4 0' axisangle='1 1 0 .7'><joint name='b' type='slide' axis='0 1 1' ref='.3'/>"   \
    "<geom type='capsule' fromto='0 0 0 .3 .2 .1' size='.05'/>"                                               \
    "<geom type='cylinder' size='.05 .2' pos='0 0 .3' xyaxes='1 1 0 0 1 1' density='500'/>"                   \
    "<body name='c' pos='0 0 .4' zaxis='1 0 1'><joint name='c' type='ball' pos='0 .1 0' armature='.01'/>"     \
    "<geom type='ellipsoid' size='.1 .2 .05' pos='.1 .2 .3' quat='1 .2 .3 .4'/>"                              \
    "<geom type='capsule' size='.04 .2' pos='-.1 0 0' mass='.5'/>"                                            \
    "<geom type='cylinder' fromto='.1 0 0 .1 .4 .2' size='.03'/>"                                             \
    "<geom type='box' fromto='0 0 0 0 .3 .1' size='.02 .01 .1'/>"                                             \
    "</body></body></body></worldbody></mujoco>"

/* Classes, degrees, euler sequences, several joints of one body, references. */
#define TEXT_CLASSES                                                                                             \
    "<mujoco model='classes'><compiler eulerseq='ZYx' inertiafromgeom='auto'/><default>"                         \
    "<joint armature='.02' damping='1'/><geom density='300' type='capsule'/>"                                    \
    "<default class='heavy'><geom density='5000' size='.05'/><joint axis='0 1 0' ref='20'/>"                     \
    "<default class='round'><geom type='sphere'/></default></default></default><worldbody>"                      \
    "<body name='base' pos='1 2 3' euler='10 20 30'><freejoint name='root'/><geom size='.1 .2' euler='40 0 5'/>" \
    "<body name='leg' pos='.1 0 -.2' childclass='heavy' euler='0 30 0'><joint name='x' axis='1 0 0'/>"           \
    "<joint name='y' pos='0 .05 0'/><joint name='z' axis='0 0 1' class='round' type='slide' ref='.1'/>"          \
    "<geom fromto='0 0 0 .1 .1 -.3'/><geom class='round' pos='.1 .1 -.3'/>"                                      \
    "<body name='foot' pos='0 0 -.3'><joint name='foot' pos='0 0 .02'/><joint type='ball' name='toe'/>"          \
    "<inertial pos='.01 .02 .03' mass='.4' fullinertia='.003 .004 .005 .0001 -.0002 .0003'/>"                    \
    "<geom size='.4' class='round'/></body></body>"                                                              \
    "<body name='fixed' pos='0 .1 .1' quat='.7 .1 0 .7'><geom size='.1 .1' mass='2'/>"                           \
    "<body name='tail' pos='0 .2 0'><joint name='tail' axis='1 0 1' range='-30 45' limited='true'/>"             \
    "<inertial pos='0 0 .1' quat='1 .5 0 .2' mass='.4' diaginertia='.003 .004 .005'/></body></body></body>"      \
    "</worldbody></mujoco>"

/* What the compiler may do to masses. */
#define TEXT_COMPILER(attributes, zz)                                                                        \
    "<mujoco model='compiler'><compiler angle='radian' " attributes "/><worldbody>"                          \
    "<body name='a'><freejoint name='a'/><geom size='.1' mass='1e-3'/>"                                      \
    "<body name='b' pos='0 .3 0'><joint name='b' type='ball'/>"                                              \
    "<inertial pos='.1 .2 0' mass='2' diaginertia='.1 .2 " zz "'/><geom type='box' size='.1 .2 .3'/></body>" \
    "<body name='c' pos='0 0 .3'><joint name='c' axis='1 0 0'/><joint name='d' axis='0 1 0'/>"               \
    "<geom type='box' size='.1 .2 .3' pos='.1 .1 .1' group='1'/><geom size='.3' group='3'/></body></body>"   \
    "</worldbody></mujoco>"

#endif
