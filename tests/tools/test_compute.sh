# soa compute on the built-in models.
. "$(dirname "$0")/expect.sh"

states() { printf '%s\n' "$1" >"$WORK/states.json"; }

# Usage.
run 2 compute builtin:arm7
err_has "say what to compute: '--what LIST'"
run 2 compute builtin:arm7 --what fd
err_has "give either '--states FILE', '--random N' or '--from CONFIGURATION'"
run 2 compute builtin:arm7 --what fd --random 1 --states x.json
run 2 compute builtin:arm7 --what fd --random 0
err_has "give the number of states"
run 2 compute builtin:arm7 --what fd --random 1 --seed -3
run 2 compute builtin:arm7 --what fd,fd:2 --random 1
err_has "'fd' and 'fd:2' both give"
run 2 compute builtin:arm7 --what mas --random 1
err_has "did you mean 'mass'?"
err_has "fd:4 id mass massinv"
run 2 compute builtin:arm7 --what fd, --random 1
run 2 compute builtin:arm7 --what osim --random 1
err_has "'osim' needs the points"
run 2 compute builtin:arm7 --what fd --random 1 --base loose
run 2 compute builtin:arm7 --what fd --random 1 --step 0.1
err_has "--step goes with --what linear"
run 2 compute builtin:arm7 --what linear --random 1 --step 0
err_has "give a time in seconds, above 0"
run 1 compute builtin:arm7 --what jacobian --random 1 --at lnik7
err_has "there is no link or frame 'lnik7'; did you mean 'link7'?"
run 1 compute builtin:arm7 --what jacobian --random 1 --at link7:1,2
err_has "'1,2' is not an offset"
run 1 compute builtin:arm7 --what jacobian --random 1 --at link7 --at link7
err_has "given twice"

# Fields and sizes.
run 0 compute builtin:arm7 --what fd,id,mass,massinv,bias,gravity,coriolis,kinematics,jacobian,osim,energy,momentum \
    --random 3 --seed 7 --at tool --at link3:0,0,0.1 --json
json_has model:arm7 nq=7 nv=7 gravity.2~-9.81 joints=7 joints.6.name:joint7 joints.6.type:revolute joints.6.q.0=6 \
    joints.6.v.1=1 results=3 results.2.q=7 results.2.v=7 results.2.tau_in=7 results.2.vdot_in=7 results.2.vdot=7 \
    results.2.tau=7 results.2.mass=7 results.2.mass.6=7 results.2.massinv.6=7 results.2.bias=7 \
    results.2.gravity_force=7 results.2.coriolis.6=7 results.2.bodies.link7.rotation.2=3 \
    results.2.bodies.base.position=3 results.2.bodies.link7.velocity=6 results.2.bodies.link7.acceleration=6 \
    results.2.jacobian.tool=6 results.2.jacobian.tool.5=7 results.2.osim.inverse=12 results.2.osim.inverse.11=12 \
    results.2.osim.inertia:null results.2.momentum.com=3 results.2.momentum.velocity=3 results.2.momentum.spatial=6
grep -q "note: 3 of 3 states have no operational-space inertia" "$WORK/err" || fail "no note about the inertia"
"$COMPUTE_CHECK" jacobian link3:0,0,0.1 <"$WORK/out" 2>/dev/null && fail "compute_check finds the velocity of another point right"
run 0 compute builtin:arm7 --what osim --random 2 --at tool --json
err_empty
json_has results.1.osim.inertia=6
run 0 compute builtin:arm7 --what jacobian --random 1 --json
json_has results.0.jacobian.base=6 results.0.jacobian.link7.0=7
cp "$WORK/out" "$WORK/first"
run 0 compute builtin:arm7 --what jacobian --random 1 --json --seed 1
cmp -s "$WORK/out" "$WORK/first" || fail "the same seed gives other states"

# Numbers: id after fd gives tau back, by each algorithm; the Jacobian gives the velocity.
for model in arm7 humanoid satellite tree:30,3; do
    for fd in fd fd:1 fd:2 fd:3 fd:4; do
        run 0 compute builtin:$model --what $fd,mass,bias,forces --random 20 --seed 5 --out "$WORK/fd.json"
        out_empty
        "$COMPUTE_CHECK" again <"$WORK/fd.json" >"$WORK/again.json" || fail "$WHAT: not read"
        "$COMPUTE_CHECK" motion <"$WORK/fd.json" || fail "$WHAT: mass vdot + bias is not tau + joint_force"
        run 0 compute builtin:$model --what id --states "$WORK/again.json" --json
        "$COMPUTE_CHECK" tau <"$WORK/out" || fail "$WHAT: id does not give back tau"
    done
    run 0 compute builtin:$model --what jacobian,kinematics,coriolis,bias,gravity --random 5 --json
    "$COMPUTE_CHECK" jacobian <"$WORK/out" || fail "$WHAT: J v is not the velocity"
    "$COMPUTE_CHECK" coriolis <"$WORK/out" || fail "$WHAT: coriolis v + gravity is not bias"
done
"$COMPUTE_CHECK" tau <"$WORK/first" 2>/dev/null && fail "compute_check finds a missing tau right"

# A free base.
run 0 compute builtin:arm6 --base free --what fd,energy --random 2 --json
json_has nq=13 nv=12 joints=7 joints.0.name:base joints.0.type:free joints.0.q.1=7 joints.1.q.0=7 results.1.vdot=12
run 0 compute builtin:arm6 --base fixed --what fd --random 1 --json
json_has nq=6 nv=6
run 0 compute builtin:quadruped --base free --what fd --random 1 --json
json_has nq=19 nv=18
run 1 compute builtin:chain:3 --base free --what fd --random 1
err_has "link 'link1' hangs on the world by a revolute joint"

# States by order and by name.
states '{"states": [{"q": [0,0.5,0,-1,0,0.3,0], "v": [0,0,0.25,0,0,0,0]}, {"q": {"joint2": 0.5, "joint4": [-1], "joint6": 0.3}, "v": {"joint3": 0.25}}, {}]}'
run 0 compute builtin:arm7 --what bias --states "$WORK/states.json" --json
json_has results=3 results.0.q.1~0.5 results.1.q.3~-1 results.1.v.2~0.25 results.2.q.0~0
"$COMPUTE_CHECK" same <"$WORK/out" || fail "states by name differ from those by order"
refuse() {
    states "$1"
    run 1 compute builtin:arm7 --what bias --states "$WORK/states.json" --json
    err_has "states.json"
    err_has "$2"
    out_empty
}
refuse '{"states": [{"q": [0,0]}]}' "state 0: q has 2 numbers; give 7"
refuse '{"states": [{}, {"v": {"joint9": 1}}]}' "state 1: v: there is no joint 'joint9'; did you mean"
refuse '{"states": [{"v": {"joint2": "fast"}}]}' "v of 'joint2' is not a number"
refuse '{"states": [{"v": [0,0,0,0,0,0,"x"]}]}' "v[6] is not a number"
refuse '{"states": [{"v": {"joint2": [1, 2]}}]}' "v of 'joint2' has 2 numbers; give 1"
refuse '{"states": [{"w": []}]}' "'w' is not known; give q, v, tau and vdot"
refuse '{"states": [{"q": 3}]}' "q is neither a list nor an object"
refuse '{"states": [7]}' "state 0: this is not an object"
refuse '{"state": []}' 'there is no list "states"'
refuse '[1]' 'there is no list "states"'
refuse '{"states": [{"q": [0,0,0,0,0,0,NaN]}]}' "states.json:1:"
refuse '{"states": [{"q": [0,0,0,0,0,0,1e999]}]}' "states.json:1:"
refuse '{"states": [
{"v": [], "v": []}]}' "states.json:2:"
run 1 compute builtin:arm7 --what bias --states "$WORK/none.json"
err_has "none.json: the file cannot be opened"

# Quaternions.
states '{"states": [{"q": [1.0000009,0,0,0,0,0,1, 0,0,0, 0,0,0, 0,0,0, 0,0,0]}]}'
run 0 compute builtin:quadruped --what energy --states "$WORK/states.json" --json
states '{"states": [{"q": [1.00001,0,0,0,0,0,1, 0,0,0, 0,0,0, 0,0,0, 0,0,0]}]}'
run 1 compute builtin:quadruped --what energy --states "$WORK/states.json" --json
err_has "state 0: "

# Files are whole or not there; what is not enforced is said.
states '{"states": [{}, {"q": [1]}]}'
echo old >"$WORK/kept.json"
run 1 compute builtin:arm7 --what fd --states "$WORK/states.json" --out "$WORK/kept.json"
[ "$(cat "$WORK/kept.json")" = old ] || fail "a failure destroyed the old file"
run 1 compute builtin:arm7 --what fd --random 1 --out "$WORK/no/where.json"
err_has "where.json: the file cannot be written"
mkdir "$WORK/interrupted"
"$SOA" compute builtin:humanoid --what mass,massinv --random 100000 --out "$WORK/interrupted/x.json" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$(ls "$WORK/interrupted")" ] && break
    sleep 0.2
done
kill -TERM $pid
wait $pid 2>/dev/null
[ -z "$(ls "$WORK/interrupted")" ] || fail "an interrupt left $(ls "$WORK/interrupted")"
run 0 compute builtin:hexapod --what id --random 1 --open
err_has "6 closures left out, as of the open tree"

# For people.
run 0 compute builtin:arm7 --what fd,mass,kinematics,jacobian,osim,energy,momentum --random 7 --at tool
out_has "state 4"
out_lacks "state 5"
out_has "and 2 more states"
out_has "joint7"
out_has "kinetic"
run 0 compute builtin:chain:50 --what mass,jacobian --random 1
out_has "50 x 50, largest number"

# Derivatives, symbols and linear models.
run 0 compute builtin:quadruped --what dmass,christoffel,linear,coriolis --random 2 --step 0.01 --json
json_has results=2 results.1.dmass=18 results.1.dmass.17=18 results.1.dmass.17.17=18 results.1.christoffel.5.5=18 \
    results.1.dvdot_dq.17=18 results.1.dvdot_dv.17=18 results.1.dvdot_dtau.17=18 results.1.dtau_dq.17=18 \
    results.1.dtau_dv.17=18 results.1.A=36 results.1.A.35=36 results.1.B.35=18 results.1.C=54 results.1.D.53=18 \
    results.1.step~0.01 results.1.Ad.35=36 results.1.Bd.35=18 results.1.A.0.18~1
"$COMPUTE_CHECK" christoffel <"$WORK/out" || fail "$WHAT: christoffel v is not coriolis"
run 0 compute builtin:arm6 --what dmass,christoffel,linear --random 1 --step 0.01
out_has "christoffel [mass per unit of q]"
out_has "Bd"

# Numbers on the command line, standard input, CSV.
run 0 compute builtin:arm7 --what fd --q 0,0.5,0,-1,0,0.3,0 --v joint3=0.25 --json
json_has results=1 results.0.q.3~-1 results.0.v.2~0.25 results.0.v.3~0 notes=0 "of:the tree"
run 1 compute builtin:arm7 --what fd --q 0,0.5
err_has "--q has 2 numbers; the model needs 7"
run 1 compute builtin:arm7 --what fd --q straight
err_has "--q 'straight' has no numbers; write 7 numbers with commas"
run 1 compute builtin:quadruped --what fd --q stand
err_has "is a configuration of the model; write --from stand"
run 1 compute builtin:arm7 --what fd --v joint33=1
err_has "--v: there is no joint 'joint33'; did you mean 'joint3'?"
run 0 compute builtin:quadruped --what energy --from stand --v floating_base=0:0:1:0:0:0 --json
json_has results.0.v.2~1
printf '{"states": [{},\n{"q": [0,0,\n"x",0,0,0,0]}]}' >"$WORK/lines.json"
run 1 compute builtin:arm7 --what fd --states "$WORK/lines.json"
err_has "lines.json:3: state 1: q[2] is not a number"
printf '{"states": [{"q": {\n"joint1": 1,\n"elbow": 2}}]}' >"$WORK/lines.json"
run 1 compute builtin:arm7 --what fd --states "$WORK/lines.json"
err_has "lines.json:3: state 0: q: there is no joint 'elbow'"
echo '{"states": [{"v": {"joint1": 2}}]}' | "$SOA" compute builtin:arm7 --what energy --states - --json >"$WORK/out" 2>"$WORK/err" ||
    fail "standard input"
json_has results.0.v.0~2
run 0 compute builtin:arm7 --what fd,mass --random 3 --out "$WORK/x.csv"
[ "$(wc -l <"$WORK/x.csv")" = 4 ] || fail "x.csv has not four lines"
head -n 1 "$WORK/x.csv" | grep -q '^q.joint1,.*,vdot.joint7,mass.0.0,.*,mass.6.6$' || fail "names of the columns of x.csv"
run 0 compute builtin:arm7 --what fd,mass --random 3 --csv
cmp -s "$WORK/out" "$WORK/x.csv" || fail "--csv differs from --out x.csv"
run 0 compute builtin:chain:50 --what mass --random 1 --all
out_lacks "largest number"
run 0 compute builtin:arm7 --what kinematics --random 1
out_has "orientation as a quaternion w x y z"

# Springs, damping and friction of the joints act unless they are switched off, and are named.
cat >"$WORK/spring.yaml" <<'END'
soa: 1
links:
  - {name: a, joint: {name: j1, type: revolute, axis: [0, 1, 0], stiffness: 100, damping: 2}, mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
  - {name: b, parent: a, joint: {name: j2, type: revolute, axis: [0, 1, 0], friction: 1, damping: 2}, mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
END
LEFT="left out: springs of 1 joint, damping of 2 joints, dry friction of 1 joint"
ACT="acting: springs of 1 joint, damping of 2 joints, dry friction of 1 joint"
set -- --q 0.1,0.3 --v 1,-3 --vdot 0.5,0.25
run 0 compute "$WORK/spring.yaml" --what fd,id,bias,forces,energy,linear "$@" --json
err_has "$ACT"
out_has "$ACT"
json_has results.0.joint_force.0~-12 results.0.joint_force.1~6.99999994444445
cp "$WORK/out" "$WORK/acting"
value() { python3 -c 'import json,sys; r=json.load(open(sys.argv[1]))["results"][0]
for k in sys.argv[2].split("."): r=r[int(k)] if k.isdigit() else r[k]
print(repr(r))' "$@"; }
if command -v python3 >/dev/null; then
    # The same joint forces given as tau to the bare tree.
    for off in --no-forces --open; do
        run 0 compute "$WORK/spring.yaml" --what fd,id,bias,energy,linear "$@" --tau=-12,6.99999994444445 $off --json
        err_has "$LEFT"
        json_has "results.0.vdot.0~$(value "$WORK/acting" vdot.0)" "results.0.vdot.1~$(value "$WORK/acting" vdot.1)"
        json_has "results.0.tau.0~$(value "$WORK/acting" tau.0 | awk '{ printf "%.17g", $1 - 12 }')"
        json_has "results.0.bias.1~$(value "$WORK/acting" bias.1)"
        json_has "results.0.energy.potential~$(value "$WORK/acting" energy.potential | awk '{ printf "%.17g", $1 - 0.5 }')"
        json_has "results.0.dtau_dq.0.0~$(value "$WORK/acting" dtau_dq.0.0 | awk '{ printf "%.17g", $1 - 100 }')"
    done
    # d(vdot)/dv of the acting forces, by differences.
    for h in 1e-4 -1e-4; do
        run 0 compute "$WORK/spring.yaml" --what fd --q 0.1,0.3 --v "$(awk -v h=$h 'BEGIN { print 1 + h }'),-3" --json
        eval "at$(case $h in -*) echo m ;; esac)=$(value "$WORK/out" vdot.1)"
    done
    near=$(awk -v a="$at" -v b="$atm" -v d="$(value "$WORK/acting" dvdot_dv.1.0)" 'BEGIN { x = (a - b) / 2e-4 - d; print (x * x < 1e-10) }')
    [ "$near" = 1 ] || fail "dvdot_dv of a tree with damping"
fi
run 0 eval "$WORK/spring.yaml" "Mass" --json
err_has "$LEFT"
out_has "$LEFT"
run 0 check "$WORK/spring.yaml" --json
err_has "$LEFT"
out_has "$LEFT"

# Names cannot drive the terminal: 8-bit control characters, marks of direction.
CSI=$(printf '\302\233') OVERRIDE=$(printf '\342\200\256') ISOLATE=$(printf '\342\201\246')
printf 'soa: 1\nlinks:\n  - {name: "x%s2J%sy", joint: {name: "j%sk", type: revolute}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n' \
    '\x9b' '\u202e' '\u2066' >"$WORK/odd.yaml"
for command in "info" "compute --what mass,kinematics,jacobian --random 1"; do
    set -- $command
    first=$1
    shift
    run 0 "$first" "$WORK/odd.yaml" "$@"
    out_has "x?2J?y"
    out_lacks "$CSI"
    out_lacks "$OVERRIDE"
    out_lacks "$ISOLATE"
done
run 1 compute "$WORK/odd.yaml" --what jacobian --random 1 --at "a${CSI}2J"
grep -qF -e "$CSI" "$WORK/err" && fail "control characters in a message"
# Every model has the configuration neutral; what is nothing but rounding is shown as 0.
run 0 compute builtin:arm7 --what fd --from neutral
out_lacks "e-1"
done_testing
