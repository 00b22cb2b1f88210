# soa compute with closures, and soa project, on the built-in hexapod.
. "$(dirname "$0")/expect.sh"

# Projected states close, and stay states for soa compute.
run 0 project builtin:hexapod --random 3 --seed 5 --out "$WORK/closed.json"
run 0 compute builtin:hexapod --what fd --states "$WORK/closed.json" --json
out_has '"closures"'
out_has '"wrench_on_a"'
out_has '"rank": 18'
out_has '"rows": 18'
out_has '"violation"'
err_empty
run 0 compute builtin:hexapod --what fd --states "$WORK/closed.json"
out_has "rank 18 of 18 rows"
run 0 project builtin:hexapod --states "$WORK/closed.json"
out_has "18 rows of closures"

# A state that is not closed says so, and what would help; closures without names are told by their links.
out_lacks "does not satisfy"
cat >"$WORK/two.yaml" <<'END'
soa: 1
links:
  - {name: a, joint: {name: j1, type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
  - {name: b, joint: {name: j2, type: revolute, axis: [0, 1, 0], at: {xyz: [0.5, 0, 0]}}, mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
closures:
  - {kind: distance, a: a, at_a: {xyz: [0, 0, 1]}, b: b, at_b: {xyz: [0, 0, 1]}, distance: 0.6, friction: 0.1}
END
run 0 compute "$WORK/two.yaml" --what fd --q 0.4,0.1
err_has "state 0 does not satisfy the closures and couplings"
out_has "the state does not satisfy them: 'soa project' finds one that does"
out_has "  a - b "
run 0 compute "$WORK/two.yaml" --what fd --random 1 --json
json_has results.0.closures=1 results.0.closures.0.a:a results.0.closures.0.b:b results.0.rows=1 results.0.rank=1
run 0 info "$WORK/two.yaml"
out_has "a distance closure has no friction; it is not used"
# One closure that cannot be satisfied is named, by its links if need be.
sed 's/distance: 0.6, friction: 0.1/distance: 9/' "$WORK/two.yaml" >"$WORK/far.yaml"
run 1 project "$WORK/far.yaml" --random 1
err_has "closure 'a - b' is missed by"
sed 's/kind: distance/kind: spherical/; s/, distance: 0.6, friction: 0.1//; s/at_b: {xyz: \[0, 0, 1\]}/at_b: {xyz: [0, 1, 1]}/' \
    "$WORK/two.yaml" >"$WORK/apart.yaml"
run 1 project "$WORK/apart.yaml" --random 1
err_has "closure 'a - b' is missed by"
sed 's/at_a: {xyz: \[0, 0, 1\]}, //' "$WORK/apart.yaml" >"$WORK/still.yaml" # the origin of a cannot follow
run 1 compute "$WORK/still.yaml" --what fd --random 1
err_has "no random state was found that satisfies the closures"
run 0 compute "$WORK/still.yaml" --what fd --q 0.4,0.1 --v 1,1
err_has "state 0 does not satisfy the closures and couplings: they are missed by up to 1"
grep -q "v or vdot as given does not satisfy" "$WORK/err" || fail "$WHAT: no note about v"

# Linear models, with the closures' forces of the same states.
run 0 compute builtin:hexapod --what linear --states "$WORK/closed.json" --step 0.01 --json
out_has '"dvdot_dtau"'
out_has '"Ad"'
out_has '"rank": 18'
err_has "v or vdot as given does not satisfy"
run 0 compute builtin:hexapod --what linear --states "$WORK/closed.json" --open --json
out_lacks '"rank"'
err_has "6 closures left out, as of the open tree"

# The tree alone, if that is wanted.
run 0 compute builtin:hexapod --what fd:1 --states "$WORK/closed.json" --open --json
out_lacks '"closures"'
err_has "6 closures left out"

# Refused.
run 2 compute builtin:hexapod --what fd:3 --random 1
err_has "ask for 'fd', or give '--open'"
run 1 compute builtin:hexapod --what fd --from nowhere
err_has "no configuration 'nowhere'"
run 2 project builtin:hexapod --random 1 --metric miles
err_has "write mass or identity"
run 2 project builtin:hexapod --random 1 --tolerance -1
err_has "give a positive number"
run 2 project builtin:hexapod
err_has "give either"
run 0 project builtin:arm7 --random 1
err_has "the model has no closures"
run 0 compute builtin:quadruped --what fd --from stand


# Rows that are dependent but for rounding are taken as one, and named; tolerances are flags.
sed 's/-1.5707963267948966/-1.5708/g' "$SOURCE/examples/models/four-bar.yaml" >"$WORK/rounded.yaml"
run 0 compute "$WORK/rounded.yaml" --what fd,mass --random 2 --json
err_has "depend on each other but for rounding and are taken as one: rank 2 of 5"
json_has results.1.rank=2 results.1.mass=1 notes=1
out_has '"rounded": true'
out_has '"smallest_kept"'
run 0 project "$WORK/rounded.yaml" --random 2 --json
json_has states=2 failures=0
run 0 info "$WORK/rounded.yaml"
out_has "5 rows have rank 2: some depend on others but for rounding"
out_has "hinge: 3 of its 5 rows say nothing here; kind general with the rows translation x, translation y would do"
run 0 check "$WORK/rounded.yaml"
out_has "Rows of the closures are rounded: their laws hold within"
# So far off that no rounding explains it: refused, unless it is allowed.
sed 's/-1.5707963267948966/-1.6/g' "$SOURCE/examples/models/four-bar.yaml" >"$WORK/wrong.yaml"
run 1 project "$WORK/wrong.yaml" --q elbow=1
err_has "no other start was found that satisfies all rows; look at the frames of the closures"
run 0 project "$WORK/wrong.yaml" --q elbow=1 --contradiction 0.05
err_has "rank 2 of 5"
run 0 info "$WORK/wrong.yaml"
out_has "no configuration that satisfies all rows was found"
run 2 project "$WORK/rounded.yaml" --random 2 --rank-tolerance 0
err_has "--rank-tolerance '0': give a positive number"

# One state of many that cannot be reached: the others are written, and it is named.
echo '{"states": [{"q": [0.1, 0.9]}, {"q": [1.5707963267948966, -1.5707963267948966]}, {"q": [0.2, 1]}]}' >"$WORK/three.json"
run 1 project "$WORK/two.yaml" --states "$WORK/three.json" --out "$WORK/good.json"
err_has "state 1: "
"$JSON_CHECK" states=2 projections=3 failures=1 <"$WORK/good.json" || fail "the good states are not written"

# The grasp of a link: split, balance and force closure.
FINGERS="$SOURCE/examples/models/three-fingers.yaml"
run 0 project "$FINGERS" --random 1 --out "$WORK/ball.json"
run 0 compute "$FINGERS" --what grasp --held ball/body --wrench 0,0,0,0,0,5 --states "$WORK/ball.json" --json
json_has results.0.grasp.wrench=6 results.0.grasp.closures=3 results.0.grasp.closures.2.motion=3 \
    results.0.grasp.closures.2.internal=3 results.0.grasp.closures.0.balance=3
run 0 compute "$FINGERS" --what grasp --held ball/body --states "$WORK/ball.json"
out_has "grasp of ball/body"
run 2 compute "$FINGERS" --what grasp --states "$WORK/ball.json"
err_has "'grasp' needs the link that is held"
run 2 compute builtin:arm7 --what grasp --random 1 --held link7
err_has "'grasp' needs closures"

# A loop through a flexible link: projected, accelerated, simulated, explicitly and implicitly; it is linear near a state.
BENDING="$SOURCE/examples/models/flexible-four-bar.yaml"
run 0 project "$BENDING" --from straight --v drive=1 --out "$WORK/bent.json"
run 0 compute "$BENDING" --what fd --states "$WORK/bent.json"
out_has "rank 3 of 5 rows"
out_has "coupler/flex"
run 0 compute "$BENDING" --what linear,dmass,christoffel --states "$WORK/bent.json"
out_has "A: d/dt (dq; dv) = A (dq; dv) + B dtau"
cat >"$WORK/bending.yaml" <<END
soa: 1
scenario: bending
model: $BENDING
initial: {configuration: straight}
duration: 0.02
END
run 0 sim "$WORK/bending.yaml" --out "$WORK/bending"
echo "integrator: {method: implicit, step: 0.001}" >>"$WORK/bending.yaml"
run 0 sim "$WORK/bending.yaml" --out "$WORK/implicit"
run 0 convert "$BENDING" -o "$WORK/again.yaml"
run 0 compute "$WORK/again.yaml" --what fd --from straight
out_has "rank 3 of 5 rows, off by"
out_has "1.0473"
done_testing
