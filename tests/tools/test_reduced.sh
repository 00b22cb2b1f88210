# Couplings always act: every quantity of soa compute against the reduction of the open tree.
. "$(dirname "$0")/expect.sh"

ALL=fd,id,mass,massinv,bias,gravity,coriolis,kinematics,jacobian,osim,energy,momentum,dmass,christoffel

# against FILE POINT FOLLOWER:DRIVER:RATIO...
against() {
    file=$1
    point=$2
    shift 2
    run 0 compute "$file" --what $ALL --random 5 --seed 3 --at "$point" --out "$WORK/own.json"
    "$COMPUTE_CHECK" states <"$WORK/own.json" >"$WORK/states.json" || fail "$WHAT: no states"
    run 0 compute "$file" --what $ALL --states "$WORK/states.json" --at "$point" --open --out "$WORK/open.json"
    "$REDUCED_CHECK" "$WORK/own.json" "$WORK/open.json" "$point" "$@" || fail "$file: not the reduction"
    # The states as given are those of the system: no number changes, nothing is said.
    run 0 compute "$file" --what $ALL --states "$WORK/states.json" --at "$point" --out "$WORK/again.json"
    cmp -s "$WORK/own.json" "$WORK/again.json" || fail "$file: other numbers for the same states"
}

body='mass: 0.4, com: [0.1, 0.02, 0.05], inertia: [0.01, 0.001, 0, 0.02, 0, 0.015]'
cat >"$WORK/gripper.yaml" <<END
soa: 1
links:
  - {name: arm, joint: {name: turn, type: revolute, axis: [0, 0, 1]}, $body}
  - {name: fore, parent: arm, joint: {name: bend, type: revolute, axis: [0, 1, 0], at: {xyz: [0.5, 0, 0]}}, $body}
  - {name: left, parent: fore, joint: {name: left, type: prismatic, axis: [0, 1, 0], at: {xyz: [0.4, 0.05, 0]}}, $body}
  - {name: right, parent: fore, joint: {name: right, type: prismatic, axis: [0, 1, 0], at: {xyz: [0.4, -0.05, 0]}}, $body}
couplings:
  - {joint: right, driver: left, coefficients: [0.01, -1]}
END
against "$WORK/gripper.yaml" right 3:2:-1

cat >"$WORK/hand.urdf" <<'END'
<robot name="hand"><link name="palm"><inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
END
for f in 1 2 3; do
    parent=palm
    for j in 1 2 3; do
        mimic=
        [ $j -gt 1 ] && mimic="<mimic joint=\"f${f}j$((j - 1))\" multiplier=\"0.$((9 - j))\" offset=\"0.0$f\"/>"
        cat >>"$WORK/hand.urdf" <<END
<link name="f$f$j"><inertial><origin xyz="0.03 0 0.01"/><mass value="0.1"/><inertia ixx="0.0001" iyy="0.0002" izz="0.0002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="f${f}j$j" type="revolute"><parent link="$parent"/><child link="f$f$j"/><origin xyz="0.05 0.0$f 0.01"/><axis xyz="0 1 0.$f"/><limit lower="-1.5" upper="1.5" effort="10" velocity="10"/>$mimic</joint>
END
        parent=f$f$j
    done
done
echo '</robot>' >>"$WORK/hand.urdf"
against "$WORK/hand.urdf" f33 1:0:0.7 2:1:0.6 4:3:0.7 5:4:0.6 7:6:0.7 8:7:0.6
run 0 compute "$WORK/hand.urdf" --what fd,mass --base free --random 2 --json
json_has results.1.mass=9 results.1.independent=9 results.1.vdot=15 results.1.couplings=6 results.1.rank=6

cat >"$WORK/telescope.xml" <<'END'
<mujoco model="telescope"><worldbody><body name="mast" pos="0 0 1"><joint name="turn" type="hinge" axis="0 0 1"/><inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
<body name="one" pos="0.1 0 0"><joint name="one" type="slide" axis="1 0 0.1"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
<body name="two" pos="0.2 0 0"><joint name="two" type="slide" axis="1 0 0"/><inertial pos="0.2 0.1 0" mass="0.7" diaginertia="0.02 0.03 0.04"/>
<body name="three" pos="0.2 0 0"><joint name="three" type="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="0.5" diaginertia="0.02 0.03 0.04"/></body></body></body></body></worldbody>
<equality><joint joint1="two" joint2="one" polycoef="0.05 0.8 0 0 0"/><joint joint1="three" joint2="two" polycoef="0 -1.5 0 0 0"/></equality></mujoco>
END
against "$WORK/telescope.xml" three 2:1:0.8 3:2:-1.5

run 0 info "$WORK/telescope.xml"
out_has "2 (nq 4, nv 4; couplings and closures hold 2)"

# What is missing follows; what contradicts is said; a follower may be chosen.
run 0 compute "$WORK/telescope.xml" --what fd,id --q one=0.3 --v one=1 --json
json_has results.0.q.2~0.29 results.0.v.2~0.8 results.0.v.3~-1.2 notes=0
run 0 compute "$WORK/telescope.xml" --what fd --q 0,0.3,0.5,0 --v 0,1,1,1 --json
json_has notes=2
err_has "state 0 does not satisfy the closures and couplings: they are missed by up to 0.75"
run 0 compute "$WORK/telescope.xml" --what linear,fd --minimal --random 1 --json
json_has results.0.A=4 results.0.A.3=4 results.0.B=4 results.0.B.3=4 results.0.C=12 results.0.C.11=4 results.0.dtau_dq=2 \
    results.0.vdot=4 results.0.independent.1=1
run 0 compute "$WORK/telescope.xml" --what linear --random 1 --json
json_has results.0.A=8 results.0.dtau_dq=2
run 0 compute "$WORK/telescope.xml" --what id --vdot one=1 --weight one=passive,two=1 --json
json_has results.0.tau.1~0 results.0.tau_couplings=2
run 1 compute "$WORK/telescope.xml" --what id --vdot one=1 --weight one=passive,turn=passive,oen=1
err_has "--weight: there is no joint 'oen'"
run 2 compute "$WORK/telescope.xml" --what id --vdot one=1 --weight one=-3
err_has "--weight 'one': '-3' is not understood"

# A four-bar: the crank is independent, or the rocker if that is wanted; inverse dynamics by the crank alone.
cat >"$WORK/fourbar.yaml" <<'END'
soa: 1
links:
  - {name: crank, joint: {name: crank, type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0, 0, 0.02, 0, 0.02]}
  - {name: coupler, parent: crank, joint: {name: coupler, type: revolute, axis: [0, 1, 0], at: {xyz: [0.5, 0, 0]}}, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0, 0, 0.1, 0, 0.1]}
  - {name: rocker, parent: coupler, joint: {name: rocker, type: revolute, axis: [0, 1, 0], at: {xyz: [1.1, 0, 0]}}, mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0, 0, 0.05, 0, 0.05]}
closures:
  - {name: pin, kind: spherical, a: rocker, b: world, at_a: {xyz: [0.8, 0, 0]}, at_b: {xyz: [1.2, 0, 0.1]}}
END
run 0 compute "$WORK/fourbar.yaml" --what fd,id,mass,osim --random 2 --at coupler --weight coupler=passive,rocker=passive --json
json_has results.1.mass=1 results.1.independent.0=0 results.1.tau.1~0 results.1.tau.2~0 results.1.tau_closures=1 \
    results.1.osim.inverse=6 results.1.rank=2
run 0 compute "$WORK/fourbar.yaml" --what mass --random 1 --independent rocker --json
json_has results.0.independent=1 results.0.independent.0=2
run 0 compute "$WORK/fourbar.yaml" --what mass --random 1
out_has "independent: crank"
done_testing
