# soa check and soa eval on the built-in models.
. "$(dirname "$0")/expect.sh"

# Every law holds on every model; on some of them rotors make some not apply.
for model in pendulum double-pendulum arm6 arm7 dual-arm quadruped humanoid satellite hexapod chain:250 tree:30,3 flexible-chain:3,4; do
    run 0 check builtin:$model
    out_has "I6"
    out_has "Mass fd(T) + C = T"
    out_has "within 1e-9"
    out_lacks "FAILS"
done
run 0 check builtin:tree:30,3
out_has "the model has rotors"
out_lacks "ill-conditioned operators"
# Mass of long flexible chains is ill-conditioned: laws with its inverse have the scale of rounding, all others keep 1e-9.
for model in flexible-chain:5,20 flexible-chain:40,20 flexible-chain:200,4; do
    run 0 check builtin:$model
    out_lacks "FAILS"
    out_has "that of ill-conditioned operators: if numbers change in their last"
    ! grep ' holds within [^ ]*$' "$WORK/out" | grep -v 'Mass^-1' || fail "check: on $model laws without Mass^-1 have a scale"
    grep -q 'Mass Mass^-1 = I .* holds within [1-9].[0-9]e-0[3-8]$' "$WORK/out" || fail "check: the scale of $model"
done
run 0 check builtin:flexible-chain:1,64 --json
json_has failures=0
grep -q '"id(fd(T)) = T", .*"tolerance": [0-9.]*e-6, "rounding": [0-9.]*e-7' "$WORK/out" || fail "check: rounding of id(fd(T))"
# Two doors do not turn each other: their Coriolis forces are all rounding.
cat >"$WORK/doors.yaml" <<'END'
soa: 1
links:
  - name: left
    joint: {type: revolute, axis: [0.3, 0.5, 0.8], at: {xyz: [0.1, 0.2, 0.3], rpy: [0.4, 0.5, 0.6]}}
    mass: 3.7
    com: [0.11, 0.23, 0.37]
    inertia: [0.021, 0.003, 0.002, 0.034, 0.005, 0.027]
  - name: right
    joint: {type: revolute, axis: [0.8, 0.1, 0.3], at: {xyz: [0.5, 0.2, 0.3], rpy: [0.1, 0.7, 0.6]}}
    mass: 2.3
    com: [0.31, 0.13, 0.17]
    inertia: [0.021, 0.003, 0.002, 0.034, 0.005, 0.027]
END
run 0 check "$WORK/doors.yaml"
out_has "Coriolis matrix beta = Coriolis force"
# Closures have laws of their own, on states that satisfy them.
run 0 check builtin:hexapod
out_has "Mass betadot + C = T + J* lambda, loops shut"
run 0 check "$SOURCE/examples/models/four-bar.yaml" --json
json_has failures=0
grep -q '"statement": "J betadot + bias = 0, loops shut", .*"applies": true, "holds": true' "$WORK/out" ||
    fail "check: the closures were not checked"
sed 's/at: {xyz: \[0.35, 0, 0\]}/at: {xyz: [9, 0, 0]}/' "$SOURCE/examples/models/four-bar.yaml" >"$WORK/far.yaml"
run 1 check "$WORK/far.yaml"
out_has "no closed state found"
run 0 check builtin:arm7 --json
out_lacks "loops shut"
json_has model:arm7 states=4 failures=0 laws.0.label:V
grep -q '"label": "FD4", .*"holds": true' "$WORK/out" || fail "check: FD4 is missing"
run 0 check builtin:arm7 --base free --json
json_has failures=0
run 2 check builtin:arm7 --base loose
run 1 check nowhere.urdf
run 2 check

# A model without mass has kinematics.
cat >"$WORK/light.urdf" <<'END'
<robot name="light"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j1" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint></robot>
END
run 0 check "$WORK/light.urdf"
out_has "only laws of kinematics are verified"
out_has "J = B* phi* H*"
out_lacks "Mass^-1"
printf '<robot name="rock"><link name="rock"/></robot>' >"$WORK/rock.urdf"
run 1 check "$WORK/rock.urdf"
err_has "nothing in it moves"

# Operators.
run 0 eval builtin:arm7 Mass --q 0,0.5,0,1.4,0,1.2,0 --json
json_has expression:Mass rows=7 cols=7 value=7 value.6=7
cp "$WORK/out" "$WORK/mass"
printf '{"states": [{"q": [0,0.5,0,1.4,0,1.2,0]}]}' >"$WORK/states.json"
run 0 compute builtin:arm7 --what mass,jacobian,massinv --states "$WORK/states.json" --at tool --json
"$COMPUTE_CHECK" matrix mass "$WORK/mass" <"$WORK/out" || fail "eval: Mass is not the mass of compute"
"$COMPUTE_CHECK" matrix massinv "$WORK/mass" <"$WORK/out" 2>/dev/null && fail "compute_check takes Mass for its inverse"
run 0 eval builtin:arm7 "Mass^-1" --q 0,0.5,0,1.4,0,1.2,0 --json
cp "$WORK/out" "$WORK/mass"
run 0 compute builtin:arm7 --what massinv --states "$WORK/states.json" --json
"$COMPUTE_CHECK" matrix massinv "$WORK/mass" <"$WORK/out" || fail "eval: Mass^-1 is not that of compute"
run 0 eval builtin:arm7 J --at tool --at link3 --json
json_has rows=12 cols=7
run 0 eval builtin:arm7 "J'" --at tool --json
json_has "expression:J'" rows=7 cols=6
run 0 eval builtin:arm7 " phi'* " --json
json_has expression:phi rows=42
run 0 eval builtin:arm6 D --base free --json
json_has rows=12
run 0 eval builtin:arm7 "phi'"
out_has "body motion, 42 numbers"
out_has "anticausal"
run 1 eval builtin:arm7 J
err_has "'J' needs points"
run 1 eval builtin:arm7 Lamda
err_has "did you mean Lambda?"
run 1 eval builtin:arm7 Mass --q 1,2
err_has "--q has 2 numbers; the model needs 7"
run 1 eval builtin:arm7 Mass --q 1,2,x,4,5,6,7
err_has "'x' is not a number"
run 1 eval builtin:arm7 Mass --q 1,2,nan,4,5,6,7
run 1 eval builtin:quadruped Mass --q 2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
err_has "--q: "
run 1 eval builtin:chain:2000 phi
err_has "too large to write out"
run 1 eval "$WORK/light.urdf" Mass^-1
run 0 eval "$WORK/light.urdf" phi
run 2 eval builtin:arm7
done_testing
