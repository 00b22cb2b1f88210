# soa flex: what is printed, written and refused; a large model by the module.
. "$(dirname "$0")/expect.sh"

BLADE=$SOURCE/examples/flex/blade.inp
run 0 flex "$BLADE" --modes 10 --clamp ROOT --interface TIP -o "$WORK/blade.yaml"
err_empty
out_has "44 nodes, 132 degrees of freedom, 1.944 kg"
out_has "kept 10 clamped modes and 6 constraint modes at TIP"
out_has "   1        49.38603"
out_has "  10        3183.084"
out_has "written to $WORK/blade.yaml"
grep -q '^  modes: 16$' "$WORK/blade.yaml" || fail "the file does not hold 16 modes"
run 0 flex "$BLADE" --modes 3 --clamp root --node TIP --json
json_has nodes=44 dofs=132 mass~1.944 modes=3 interfaces=1
run 0 flex "$BLADE" --modes 3 --clamp root
out_has "-o FILE.yaml writes the flexible link"

run 1 flex "$BLADE" --interface TIP
err_has "blade.inp: the stiffness of the clamped model is not positive definite: it can move without deforming; name what to clamp"
run 1 flex "$BLADE" --clamp NOWHERE
err_has "no set or node 'NOWHERE'"
run 1 flex "$WORK/none.inp" --clamp ROOT
err_has "none.dof' is missing"
cp "$SOURCE"/examples/flex/blade.* "$WORK"
echo "1 2 0.5" >>"$WORK/blade.mas"
run 1 flex "$WORK/blade.inp" --clamp ROOT
err_has "the mass matrix couples x and y of the whole model by 0.5 kg"
run 1 flex "$BLADE" --clamp ROOT --modes 65
err_has "'modes' is 65"
run 1 flex "$BLADE" --clamp ROOT -o "$WORK/no/such/folder.yaml"
err_has "soa: "
run 2 flex "$BLADE" --modes few
run 2 flex "$BLADE" --damping much
run 2 flex

# A mast of 100 bays, 1212 degrees of freedom: point masses joined by springs. As long as it is thin its first two
# frequencies are those of a beam in either plane, in the ratio of the radii of gyration of its section.
mast() { # NAME BAYS
    awk -v name="$1" -v n="$2" '
      function spring(a, b,   i, j, d, L2, k, r, c) {
        L2 = 0
        for (i = 0; i < 3; i++) { d[i] = x[b, i] - x[a, i]; L2 += d[i] * d[i] }
        k = 1e6 / sqrt(L2)
        for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) {
          r = 3 * (i < 3 ? a : b) + i % 3; c = 3 * (j < 3 ? a : b) + j % 3
          if (r >= c) K[r + 1 " " c + 1] += ((i < 3) == (j < 3) ? k : -k) * d[i % 3] * d[j % 3] / L2
        }
      }
      BEGIN {
        split("-0.1 0.1 0.1 -0.1", y, " "); split("-0.15 -0.15 0.15 0.15", z, " ")
        for (i = 0; i <= n; i++) for (c = 1; c <= 4; c++) {
          a = 4 * i + c - 1; x[a, 0] = 0.2 * i; x[a, 1] = y[c]; x[a, 2] = z[c]
          printf "%d %g %g %g %s\n", a + 1, x[a, 0], x[a, 1], x[a, 2], i == 0 ? "ROOT" : i == n ? "TIP" : "" > (name ".nodes")
        }
        for (a = 0; a < 4 * (n + 1); a++)
          for (b = a + 1; b < 4 * (n + 1) && b < 4 * int(a / 4) + 8; b++) spring(a, b)
        size = 12 * (n + 1); entries = 0
        for (e in K) entries++
        printf "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", size, size, entries > (name ".stiffness.mtx")
        for (e in K) printf "%s %.17g\n", e, K[e] > (name ".stiffness.mtx")
        printf "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", size, size, size > (name ".mass.mtx")
        for (i = 1; i <= size; i++) print i, i, 0.5 > (name ".mass.mtx")
      }'
}
mast "$WORK/mast" 100
if [ -e "$SOA_MODULES/soa_fe.so" ]; then
    run 0 flex "$WORK/mast.stiffness.mtx" --clamp ROOT --modes 4 --interface TIP -o "$WORK/mast.yaml"
    out_has "404 nodes, 1212 degrees of freedom, 202 kg"
    awk '$1 == 1 { a = $2 } $1 == 2 { b = $2 } $1 == 3 { c = $2 }
         END { exit !(b / a > 1.55 && b / a < 1.62 && c / a > 6.2 && c / a < 6.3) }' "$WORK/out" || fail "the mast is no beam"
fi
SOA_MODULES=$WORK run 1 flex "$WORK/mast.stiffness.mtx" --clamp ROOT --modes 4
# Models with flexible links: all laws hold, expressions evaluate, parts have their modes.
for model in flexible-arm satellite crane-boom flexible-four-bar; do
    run 0 check "$SOURCE/examples/models/$model.yaml" --json
    json_has failures=0
done
ARM=$SOURCE/examples/models/flexible-arm.yaml
run 0 eval "$ARM" "V" --random 1 --json
json_has rows=43 cols=1
run 0 eval "$ARM" "phi[upper,fore]" --random 1 --json
json_has rows=10 cols=9
run 0 eval "$ARM" "D(2)" --json
json_has rows=4 cols=4
run 0 eval "$ARM" "logdet(Mass)" --json
run 0 eval "$ARM" "trace(Mass^-1 Mass)" --json
json_has value~9
run 0 eval "$ARM" "d(M, q_2)" --json
run 0 eval "$ARM" "d(d(M, q_2), q_3)" --json

# Joints and modes have their own numbers; what is welded to a node is merged into nothing.
run 0 info "$ARM" --json
json_has joints=4 joints.0.name:shoulder joints.0.q.0=0 joints.0.q.1=1 joints.1.name:upper/flex joints.1.type:flexible \
    joints.1.q.0=1 joints.1.v.1=4 joints.2.name:elbow joints.2.v.0=5 bodies.1.joint:upper/flex merged=0 links.1.node=9 \
    frames.0.node=9
run 0 info "$ARM"
out_has "on node 9"
out_lacks "merged"
run 1 compute "$ARM" --what fd --q upper/flex=0.01
err_behind "joint 'upper/flex' has 4 numbers; write them as upper/flex=0:0:0:0"

# Stops, controllers and encoders act at the joint of a flexible link, not on its modes.
cat >"$WORK/boom.yaml" <<END
soa: 1
name: boom
gravity: [0, 0, 0]
links:
  - name: boom
    joint: {name: hinge, type: revolute, axis: [0, 0, 1], lower: -0.5, upper: 0.5}
    flexible: {beam: {length: 2.0, elements: 8, E: 7.0e10, G: 2.7e10, rho: 2700, A: 4.0e-4, Iy: 1.3e-8, Iz: 1.3e-8, J: 2.6e-8}, modes: 2, damping: 0.005}
END
cat >"$WORK/stop.yaml" <<END
soa: 1
scenario: stop
model: boom.yaml
initial: {q: {hinge: 0.1}, v: {hinge: 1.0}}
duration: 1.0
forces: [{kind: joint-stop, joint: hinge, restitution: 0.5}]
sensors: [{name: turned, kind: encoder, joint: hinge}]
record: {every: 0.05, signals: [q, sensor]}
END
run 0 sim "$WORK/stop.yaml" --out "$WORK/stop"
awk -F, 'NR > 1 { if ($2 > most) most = $2; if (($5 - $2) ^ 2 > 1e-20) other = 1 } END { exit !(most > 0.49 && most < 0.5001 && $2 < 0.2 && !other) }' \
    "$WORK/stop/result.csv" || fail "the hinge did not stop: $(tail -n 1 "$WORK/stop/result.csv")"
cat >"$WORK/stay.yaml" <<END
soa: 1
scenario: stay
model: boom.yaml
initial: {q: {hinge: 0.4, boom/flex: [0, 0.02]}}
duration: 2.0
controllers: [{kind: pd, joints: [hinge], kp: 100, kd: 10}]
record: {every: 1.0, signals: [q]}
END
run 0 sim "$WORK/stay.yaml" --out "$WORK/stay"
awk -F, 'END { exit !($2 > 0.399 && $2 < 0.401) }' "$WORK/stay/result.csv" || fail "the hinge did not stay where it began"
sed 's/joints: \[hinge\]/joints: [boom\/flex]/' "$WORK/stay.yaml" >"$WORK/modes.yaml"
run 1 sim "$WORK/modes.yaml" --out "$WORK/modes"
err_has "modes.yaml:6: controller: 'boom/flex' are the modes of a flexible link; name a joint"

# The stiffer the boom, the nearer is its motion to that of a rigid one with its inertia.
cat >"$WORK/push.yaml" <<END
soa: 1
scenario: push
model: pushed.yaml
duration: 2.0
integrator: {method: implicit, step: 0.001}
forces: [{kind: torque, joint: hinge, value: 0.3}, {kind: joint-damper, joint: hinge, damping: 0.5}]
record: {every: 1.0, signals: [q]}
END
pushed() { # a line of sed that makes the model: the angle at the end
    sed "$1" "$WORK/boom.yaml" >"$WORK/pushed.yaml"
    run 0 sim "$WORK/push.yaml" --out "$WORK/push"
    tail -n 1 "$WORK/push/result.csv" | cut -d, -f2
}
run 0 info "$WORK/boom.yaml" --json
INERTIA=$(grep -o '"mass": [^,]*, "com": [^]]*], "inertia": [^]]*]' "$WORK/out" | tail -n 1 | tr -d '"' | sed 's/, \([ci]\)/\\n    \1/g')
echo "$(pushed '') $(pushed 's/7.0e10, G: 2.7e10/7.0e13, G: 2.7e13/') $(pushed 's/7.0e10, G: 2.7e10/7.0e16, G: 2.7e16/') $(pushed "s/flexible:.*/$INERTIA/")" |
    awk 'function off(x) { return x > $4 ? x - $4 : $4 - x }
         { exit !(off($1) > 1e-5 && off($2) < 2e-3 * off($1) && off($3) < 2e-6 * off($1) + 1e-13) }' ||
    fail "a stiff boom does not move as a rigid one"

# A satellite without damping keeps energy and momentum.
sed 's/damping: 0.003/damping: 0/' "$SOURCE/examples/models/satellite.yaml" >"$WORK/satellite.yaml"
cat >"$WORK/adrift.yaml" <<END
soa: 1
scenario: adrift
model: satellite.yaml
initial: {v: {attitude: [0.02, 0.05, -0.03, 0.1, 0, 0.2], right/flex: [0.3, 0.1, -0.1, 0.05, 0.02], left/flex: [-0.1, 0.2, 0.1, 0, 0.03]}}
duration: 10.0
integrator: {method: rk853, rtol: 1e-12, atol: 1e-13}
END
run 0 sim "$WORK/adrift.yaml" --out "$WORK/adrift"
awk '$1 == "drift" { seen = 1; if ($4 > 1e-8) exit 1 } END { exit !seen }' "$WORK/out" || fail "the satellite lost energy"
grep '"momentum"' "$WORK/adrift/summary.json" | tr -c '0-9.e+-' ' ' |
    awk '{ for (i = 1; i <= NF; i++) if ($i ~ /[0-9]/) x[++n] = $i }
         END { for (i = 1; i <= 6; i++) if ((x[i] - x[i + 6]) ^ 2 > 1e-14) exit 1; exit !(n >= 12 && x[4] > 14) }' ||
    fail "the satellite lost momentum"

# A boom that turns faster than its lowest frequency: without stiffening a warning says so.
for stiffening in false true; do
    cat >"$WORK/hub.yaml" <<END
soa: 1
name: hub-and-boom
gravity: [0, 0, 0]
links:
  - {name: hub, joint: {name: base, type: fixed}, mass: 10, inertia: [1, 0, 0, 1, 0, 1]}
  - name: boom
    parent: hub
    joint: {name: hinge, type: revolute, axis: [0, 0, 1]}
    flexible: {beam: {length: 8.0, axis: x, elements: 16, E: 7.0e10, G: 2.7e10, rho: 2700, A: 4.0e-4, Iy: 1.3e-8, Iz: 1.3e-8, J: 2.6e-8, stiffening: $stiffening}, modes: 6, damping: 0.005}
    frames: [{name: tip, node: last}]
END
    cat >"$WORK/spin.yaml" <<END
soa: 1
scenario: spin
model: hub.yaml
initial: {v: {hinge: 3.0}}
duration: 0.02
END
    run 0 info "$WORK/hub.yaml"
    out_has "boom: 6 modes"
    run 0 compute "$WORK/hub.yaml" --what fd,kinematics --v hinge=3
    out_has "boom/flex"
    run 0 sim "$WORK/spin.yaml" --out "$WORK/spin"
    if [ $stiffening = false ]; then
        out_has "warning      link 'boom' turns at 3 rad/s"
        grep -q '"spun"' "$WORK/spin/summary.json" || fail "the summary does not warn"
    else
        out_lacks "warning"
    fi
done

# Links that are welded to a node are bodies without velocities: more of them than a model of two modes has numbers.
{
    printf 'soa: 1\nname: bush\nlinks:\n  - {name: hub, joint: {type: fixed}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n'
    printf '  - name: boom\n    parent: hub\n    joint: {name: hinge, type: revolute, axis: [0, 0, 1]}\n'
    printf '    flexible: {beam: {length: 8.0, axis: x, elements: 4, E: 7.0e10, G: 2.7e10, rho: 2700, A: 4.0e-4, Iy: 1.3e-8, Iz: 1.3e-8, J: 2.6e-8}, modes: 2}\n'
    for i in $(seq 200); do
        printf '  - {name: leaf%d, parent: boom, joint: {type: fixed, node: last}, mass: 0.01, inertia: [1.0e-4, 0, 0, 1.0e-4, 0, 1.0e-4]}\n' "$i"
    done
} >"$WORK/bush.yaml"
run 0 info "$WORK/bush.yaml"
out_has "bodies          202"
run 0 compute "$WORK/bush.yaml" --what fd,massinv --random 1
run 0 check "$WORK/bush.yaml"
done_testing
