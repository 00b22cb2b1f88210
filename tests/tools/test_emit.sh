# soa emit: what it writes compiles without a warning, and the main of --driver finds the numbers of the library.
. "$(dirname "$0")/expect.sh"
[ -r "$SOA_MODULES/soa_emit.so" ] || exit 77 # built without a compiler of C++
command -v cc >/dev/null || exit 77
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0" # every module has a soa_module
strict="-std=gnu99 -Wall -Wextra -Wshadow -Werror"
native=-march=native
cc $native -x c -E /dev/null >"$WORK/none" 2>&1 || native=

# works FLAGS -- EMISSION: emitted, compiled with the flags, run.
works() {
    flags=
    while [ "$1" != -- ]; do
        flags="$flags $1"
        shift
    done
    shift
    run 0 emit "$@" --driver -o "$WORK/e.c"
    ${compiler:-cc} $strict $flags -o "$WORK/e" "$WORK/e.c" -lm 2>"$WORK/err" || fail "$compiler $flags: $*: $(head -2 "$WORK/err")"
    "$WORK/e" >"$WORK/out" || fail "$compiler $flags: $*: $(cat "$WORK/out")"
}

models=$(dirname "$0")/../../examples/models

# Every algorithm, on joints of every kind, and on links that bend: beams, a plate, second order, links on nodes; and a rigid arm on
# a beam, one of whose links has no mass.
cat >"$WORK/carried.yaml" <<'END'
soa: 1
name: carried
links:
  - name: beam
    joint: {name: swing, type: revolute, axis: [0, 0, 1]}
    flexible: {beam: {length: 1.0, axis: x, elements: 6, E: 7.0e10, G: 2.7e10, rho: 2700, A: 4.0e-5, Iy: 5.0e-11, Iz: 3.0e-10, J: 2.0e-10}, modes: 4}
  - {name: hand, parent: beam, joint: {name: wrist, type: revolute, axis: [0, 1, 0], node: last}, mass: 0.5, com: [0.05, 0, 0.1], inertia: [0.002, 0, 0, 0.003, 0, 0.001]}
  - {name: cross, parent: hand, joint: {name: roll, type: revolute, axis: [1, 0, 0], at: {xyz: [0, 0, 0.2]}}}
  - {name: tool, parent: cross, joint: {name: pitch, type: revolute, axis: [0, 1, 0]}, mass: 0.3, com: [0, 0.02, 0.05], inertia: [0.001, 0, 0, 0.001, 0, 0.0004]}
END
for model in builtin:tree:7,6 builtin:flexible-chain:3,4 "$models/satellite.yaml" "$models/flexible-arm.yaml" "$WORK/carried.yaml"; do
    for what in id fd bias gravity mass massinv coriolis kinematics energy momentum centroidal id-derivatives regressor; do
        works -O0 -- $what --model "$model"
    done
done
for on in "builtin:arm7 tool" "$models/flexible-arm.yaml tip"; do
    for what in jacobian osim kinematics; do
        works -O0 -- $what --model "${on% *}" --at "${on##* }"
    done
done
for model in builtin:double-pendulum builtin:flexible-chain:2,3 "$models/crane-boom.yaml"; do
    works -O0 -- fd-derivatives --model "$model"
done
works -O0 -- fd --model builtin:arm6 --base free

# Closures and couplings: what depends, what is redundant, what is not; the status where rows that are independent
# elsewhere are not: a parallelogram laid flat.
for what in four-bar gears delta flexible-four-bar; do
    works -O0 -- closed-fd --model "$models/$what.yaml"
done
works -O1 $native -- closed-fd --model "$models/flexible-four-bar.yaml" --float
[ ! -r "$ROBOTS/cassie/cassie.xml" ] || works -O0 -- closed-fd --model "$ROBOTS/cassie/cassie.xml"
works -O1 $native -- closed-fd --model "$models/four-bar.yaml" --lanes 8
works -O1 $native -- closed-fd --model "$models/four-bar.yaml"
works -O1 -- closed-fd --model "$models/four-bar.yaml" --libm
works -O1 $native -- closed-fd --model "$models/four-bar.yaml" --float
run 0 emit closed-fd --model "$(dirname "$0")/parallelogram.yaml" -o "$WORK/flat.c"
cat >>"$WORK/flat.c" <<'END'
#include <stdio.h>
int main(void)
{
    const double bent[3] = { 0, 1.5707963267948966, 0 }, flat[3] = { 1.5707963267948966, 0, 1.5707963267948966 }, rest[3] = { 0 };
    double vdot[3], status[2];
    closed_forward_dynamics(bent, rest, rest, vdot, &status[0]);
    closed_forward_dynamics(flat, rest, rest, vdot, &status[1]);
    printf("bent %g, flat %g\n", status[0], status[1]);
    return 0;
}
END
cc $strict -o "$WORK/flat" "$WORK/flat.c" && "$WORK/flat" >"$WORK/out"
out_has "bent 0, flat 1"
run 1 emit closed-fd --model builtin:arm7
err_has "the model has no closure and no coupling; emit 'fd'"

# Expressions: by kernels, sweeps, matrices, columns; roots, derivatives, declared vectors.
for what in "Mass^-1 (T - C)" "psi' H' D^-1 T" "d(Mass, q_2) betadot" "D^(-1/2)"; do
    works -O0 -- "$what" --model builtin:arm6
done
for what in "Mass^-1 (T - C)" "psi' H' D^-1 T" "d(Mass, q_2) betadot" "d(C, q_3)" "d(C, beta_2)" "d(d(C, q_2), beta_3)" "dot(Mass) beta" P D^-1; do
    works -O0 -- "$what" --model "$models/flexible-arm.yaml"
done
works -O0 -- "d(Mass^-1 (T - C), T_2)" --model builtin:tree:7,6
works -O0 -- "Lambda f_c" --model builtin:arm7 --at tool --name felt
works -O0 -- "J betadot + dot(J) beta" --model "$models/flexible-arm.yaml" --at tip
works -O0 -- "p = Mass x; x' p" --let "x: joint motion" --model builtin:tree:7,6

# Forces of the model: springs, damping and dry friction of joints, elastic forces; what cannot be.
cat >"$WORK/sprung.yaml" <<'END'
soa: 1
name: sprung
links:
  - {name: a, joint: {name: one, type: revolute, axis: [0, 1, 0], stiffness: 3, spring_reference: 0.2, damping: 0.5, friction: 0.3}, mass: 1, com: [0, 0, 0.4], inertia: [0.1, 0, 0, 0.1, 0, 0.02]}
  - {name: b, parent: a, joint: {name: two, type: spherical, damping: 0.2, at: {xyz: [0, 0, 1]}}, mass: 2, com: [0.1, 0, 0.3], inertia: [0.2, 0, 0, 0.2, 0, 0.05]}
END
for model in "$WORK/sprung.yaml" "$models/satellite.yaml" "$models/flexible-arm.yaml"; do
    works -O0 -- fd --model "$model" --forces
    works -O0 $native -ffp-contract=off -- fd --model "$model" --forces --literal
    err_empty
done
works -O0 -- closed-fd --model "$models/flexible-four-bar.yaml" --forces
sed 's/damping: 0.2, at/stiffness: 2, at/' "$WORK/sprung.yaml" >"$WORK/ball.yaml"
run 1 emit fd --model "$WORK/ball.yaml" --forces
err_has "joint 'two' has a spring and 3 velocities; springs of joints with one are emitted"
run 1 emit id --model builtin:arm7 --forces
err_has "--forces adds forces to tau of fd and closed-fd; leave it out for 'inverse-dynamics'"

# The bits of the library: with fused products where the machine has them.
works -O2 $native -ffp-contract=off -- fd --model builtin:arm7 --literal
for model in builtin:tree:7,6 builtin:flexible-chain:3,4 "$models/satellite.yaml" "$models/flexible-arm.yaml" "$models/crane-boom.yaml"; do
    for what in id fd mass coriolis kinematics; do
        works -O0 $native -ffp-contract=off -- $what --model "$model" --literal
    done
done

# Levels of optimization, lanes, float, the sines of the C library, sanitizers, another compiler.
for level in -O1 -O3; do
    works $level -- fd --model builtin:arm7
done
works -O1 $native -- fd --model builtin:arm7 --lanes 4
works -O1 $native -- fd --model builtin:arm7 --lanes 8 --float
works -O1 -- fd --model builtin:arm7 --float
works -O1 -- id --model builtin:arm7 --libm --name arm_forces
works -O1 $native -- fd --model builtin:flexible-chain:3,4 --lanes 8
works -O1 -- fd --model "$models/flexible-arm.yaml" --float
for model in builtin:satellite "$models/flexible-arm.yaml"; do
    works -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -- fd --model "$model"
done
if command -v clang >/dev/null; then
    compiler=clang
    for model in builtin:arm7 builtin:flexible-chain:3,4; do
        works -O2 -- fd --model "$model"
        works -O2 $native -ffp-contract=off -- fd --model "$model" --literal
    done
    compiler=cc
fi
[ ! -r "$ROBOTS/panda/panda.urdf" ] || works -O1 -- fd --model "$ROBOTS/panda/panda.urdf"

# A function that is split into several.
run 0 emit massinv --model builtin:dual-arm --count
grep -q 'in [2-9] functions' "$WORK/out" || fail "Mass^-1 of the two arms is not split"
works -O0 -- massinv --model builtin:dual-arm

# What does not act is named.
run 0 emit fd --model builtin:hexapod -o "$WORK/a.c"
err_has "emitted C: 6 closures left out, as of the open tree"
grep -q 'LEFT OUT: 6 closures and 0 couplings' "$WORK/a.c" || fail "the file does not say that closures are left out"
run 0 emit fd --model "$models/satellite.yaml" -o "$WORK/a.c"
err_has "left out: elastic forces of 2 links"
grep -q 'LEFT OUT: the elastic forces' "$WORK/a.c" || fail "the file does not say that elastic forces are left out"
grep -q 'v\[6\]  right/flex (5 modes)' "$WORK/a.c" || fail "the file does not say where the modes are"

# The same file every time; nothing but arithmetic in it.
run 0 emit id --model builtin:arm7 -o "$WORK/a.c"
run 0 emit inverse-dynamics --model builtin:arm7 -o "$WORK/b.c"
cmp -s "$WORK/a.c" "$WORK/b.c" || fail "two emissions differ"
! grep -q '#include\|malloc' "$WORK/a.c" || fail "the file includes something"
run 0 emit id --model builtin:arm7 --count
grep -q 'inverse-dynamics of builtin:arm7: [0-9]* additions, [0-9]* multiplications' "$WORK/out" || fail "no counts"

# soa eval --jit: the same values, from compiled code that is kept; the interpreter where that cannot be.
XDG_CACHE_HOME=$WORK/cache
export XDG_CACHE_HOME
for model in "$models/crane-boom.yaml" builtin:arm6; do
    run 0 eval "$model" "Mass^-1 (T - C)" --random 1
    mv "$WORK/out" "$WORK/interpreted"
    mv "$WORK/err" "$WORK/said"
    for time in first second; do
        run 0 eval "$model" "Mass^-1 (T - C)" --random 1 --jit
        cmp -s "$WORK/err" "$WORK/said" || fail "$model: --jit says $(cat "$WORK/err")"
        cmp -s "$WORK/out" "$WORK/interpreted" || fail "$model, $time: compiled code has other values"
    done
done
[ "$(ls "$WORK/cache/soa" | wc -l)" -eq 4 ] || fail "the cache does not hold one source and one library of each"

# Simulations: compiled dynamics where they can be, the library elsewhere; the summary says which.
cat >"$WORK/swing.yaml" <<'END'
soa: 1
scenario: swing
model: builtin:arm7
initial: {q: {joint2: 0.4, joint3: -0.3}}
duration: 0.5
integrator: {method: rk45, rtol: 1e-11, atol: 1e-13}
record: {every: 0.5, signals: [q]}
END
run 0 sim "$WORK/swing.yaml" --out "$WORK/plain"
run 0 sim "$WORK/swing.yaml" --out "$WORK/quick" --jit
grep -q '"dynamics": "library"' "$WORK/plain/summary.json" || fail "the summary does not name the library"
grep -q '"dynamics": "compiled"' "$WORK/quick/summary.json" || fail "soa sim --jit did not compile"
paste -d, "$WORK/plain/result.csv" "$WORK/quick/result.csv" | awk -F, '
    NR > 1 { for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d > 1e-10 || d < -1e-10) exit 1 } n++ }
    END { if (n < 2) exit 1 }' || fail "soa sim --jit ends elsewhere"
for option in "" --jit; do
    run 0 sweep "$WORK/swing.yaml" --vary "q.joint2=uniform(0,1)" -n 3 --out "$WORK/many$option" $option
done
grep -q '"dynamics": "compiled"' "$WORK/many--jit/statistics.json" || fail "soa sweep --jit did not compile"
sed 's/arm7/hexapod/; s/initial.*/initial: {consistent: true}/' "$WORK/swing.yaml" >"$WORK/closed.yaml"
run 0 sim "$WORK/closed.yaml" --out "$WORK/closed" --jit
grep -q '"dynamics": "library"' "$WORK/closed/summary.json" || fail "closed loops were compiled"
chmod 777 "$WORK/cache/soa"
run 0 sim "$WORK/swing.yaml" --out "$WORK/again" --jit
cmp -s "$WORK/again/result.csv" "$WORK/plain/result.csv" || fail "without a cache the library has other bits"
run 0 eval builtin:arm6 "Mass^-1 (T - C)" --random 1 --jit
err_has "not compiled: the cache: no folder of your own"
cmp -s "$WORK/out" "$WORK/interpreted" || fail "the interpreter has other values"

# What is left out is said; names of the model neither end the comment nor reach the terminal as they are.
run 0 emit fd --model "$(dirname "$0")/../../examples/models/four-bar.yaml" --count
err_has "note: emitted C: 1 closure"
printf '<robot name="*/ x\302\233 \342\200\256"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>' >"$WORK/odd.urdf"
run 0 emit fd --model "$WORK/odd.urdf" --base free
out_has "the model '?/ x? ?'"

# What cannot be.
run 1 emit fdd --model builtin:arm7
err_has "'fdd' is not an algorithm; did you mean 'fd'?"
run 1 emit inertia-of-all --model builtin:arm7
err_has "'inertia' is unknown"
grep -q "note: algorithms are id fd closed-fd bias" "$WORK/err" || fail "the algorithms are not named"
run 1 emit "Lambda" --model builtin:arm7
err_has "'Lambda' needs points; give '--at LINK' for each"
run 1 emit jacobian --model builtin:arm7
err_has "'jacobian' needs points; give '--at LINK' for each"
for lanes in 5 1e9 nan ''; do
    run 2 emit id --model builtin:arm7 --lanes "$lanes"
    err_has "--lanes '$lanes': choose 4, 8 or 16"
done
run 1 emit '' --model builtin:arm7
err_has "there is no expression to emit"
run 2 emit id --model builtin:arm7 --file "$WORK/none.soa"
err_has "--let and --file are for expressions"
for name in int main sin _a; do
    run 1 emit id --model builtin:arm7 --name $name
    err_has "'$name' has a meaning in C or in the file"
done
run 1 emit id --model builtin:arm7 --name 'a b'
err_has "'a b' is not a name of C"
run 1 emit massinv --model builtin:arm7 --literal
err_has "leave out --literal"
run 1 emit massinv --model builtin:chain:400
err_has "the model is too large for one file of C"

# For any tree: the sweeps (tools-sweeps compiles and runs them), the same every time.
run 0 emit fd -o "$WORK/a.c"
run 0 emit "betadot = Mass^-1 (T - C)" -o "$WORK/b.c"
cmp -s "$WORK/a.c" "$WORK/b.c" || fail "two ways to write the sweeps of fd differ"
grep -q '// eps2(k) = eps(k) - H(k) z(k)' "$WORK/a.c" || fail "an equation is missing"
run 1 emit "d(Mass, q_1) betadot"
err_has "derivatives along a coordinate are written for one robot; give '--model MODEL'"
run 1 emit "(M + P)^-1 x" --let "x: body force"
err_has "a matrix that is inverted or given is written for one robot"
run 1 emit fd --name 'a b'
err_has "'a b' is not a name of C"
run 1 emit regressor
err_has "'regressor' is written for one robot; give '--model MODEL'"
run 1 emit fd:3 --model builtin:arm7
err_has "'fd:3' is written for any robot"
run 2 emit id --driver
err_has "'--driver' is of one robot; give '--model MODEL'"

# The library's reference recursions are what the program writes of their expressions.
reference=$(dirname "$0")/../../src/dynamics/reference
run 0 emit "$reference.soa" --kernel -o "$WORK/written.h"
cmp "$WORK/written.h" "$reference.kernel.h" || fail "src/dynamics/reference.kernel.h: run make sweeps"
run 0 emit "y = H phi (M phi' a + b); y_force = phi (M phi' a + b)" --kernel
out_has "body_force_out(call, call->y2, k, y2[k])"
run 1 emit "y = H phi x" --let "x: body force" --kernel
err_has "'y': a kernel takes T or betadot, and beta"
run 1 emit "y = T; y_a = T; y_b = T" --kernel
err_has "'y': a kernel has at most two results"
run 1 emit "y = T" --kernel
err_has "'y': there is nothing to compute"
run 1 emit "y = 2 phi (M phi' a + b)" --kernel
err_has "'y': a vector of bodies in it has no kernel"
run 1 emit "y = H phi psi phi psi (M phi' a + b)" --kernel
err_has "'y': more vectors are kept than a kernel of the library has arrays for"
run 1 emit "phi x" --let "x: body force" --kernel
err_has "--kernel takes definitions"
run 2 emit "y = phi x" --let "x: body force" --kernel --model builtin:arm7
err_has "--kernel is for any robot; leave out --model"
run 2 emit --data
err_has "'--data' is of one robot"
run 2 emit fd --data --model builtin:arm7
err_has "--data writes the model itself; leave out 'fd'"
run 1 emit --data --model "$models/flexible-arm.yaml" --name modal_1
err_has "'modal_1' has a meaning in C or in the file"
done_testing
