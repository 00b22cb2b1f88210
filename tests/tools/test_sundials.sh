# soa sim with the integrators of SUNDIALS: they agree with the built-in ones; without the module one line says so.
. "$(dirname "$0")/expect.sh"

cat >"$WORK/pair.yaml" <<'END'
soa: 1
scenario: pair
model: builtin:double-pendulum
duration: 3
initial: {q: {shoulder: 0.5, elbow: 0.2}}
integrator: {method: rk853, rtol: 1e-9, atol: 1e-11}
forces:
  - {kind: joint-damper, joint: elbow, damping: 0.1}
  - {kind: wrench, name: push, link: lower, force: [1, 0, 0], from: 1, to: 2}
events:
  - {when: {signal: q.elbow, crosses: 0, direction: rising}, do: {impulse: elbow, value: 0.01}}
record: {every: 0.5, signals: [q, v, energy, work]}
END
cp "$SOA" "$WORK/alone"
sed 's/rk853/cvode/' "$WORK/pair.yaml" >"$WORK/cvode.yaml"
(unset SOA_MODULES && "$WORK/alone" sim "$WORK/cvode.yaml" --out "$WORK/none") 2>"$WORK/err" && fail "cvode without its module"
err_has "soa_sundials.so is not there; it is built where the package libsundials-dev is installed"
[ ! -e "$WORK/none" ] || fail "something was written without the module"
[ -e "$SOA_MODULES/soa_sundials.so" ] || exit 77

# near ROWS TOLERANCE: the largest difference between the last rows of $WORK/built-in and $WORK/outer.
near() {
    paste -d, "$WORK/built-in/result.csv" "$WORK/outer/result.csv" | tail -n "$1" | awk -F, -v tolerance="$2" '
        { n = NF / 2; for (i = 1; i <= n; i++) { d = $i - $(i + n); if (d < 0) d = -d; if (d > m) m = d } }
        END { exit !(m < tolerance) }'
}

run 0 sim "$WORK/pair.yaml" --out "$WORK/built-in"
for method in cvode cvode-adams arkode ida; do
    sed "s/rk853/$method/" "$WORK/pair.yaml" >"$WORK/$method.yaml"
    run 0 sim "$WORK/$method.yaml" --out "$WORK/outer"
    out_has "by $method"
    near 7 1e-6 || fail "$method: other numbers than rk853"
    grep -q '"name": "q.elbow crosses 0"' "$WORK/outer/summary.json" || fail "$method: no event"
    run 1 sim "$WORK/$method.yaml" --out "$WORK/outer" --resume
    err_has "cannot be resumed"
done

# Samples that are shown when others are taken, but for rounding, leave no way to go between them.
cat >"$WORK/seen.yaml" <<'END'
soa: 1
scenario: seen
model: builtin:double-pendulum
duration: 0.2
integrator: {method: cvode, rtol: 1e-6, atol: 1e-8}
sensors:
  - {kind: encoder, name: enc, joint: elbow, rate: 500, delay: 0.002}
  - {kind: imu, name: imu, at: {link: lower}, rate: 200}
controllers:
  - {kind: pd, name: hold, joints: [elbow], kp: 20, kd: 2, measured: {elbow: enc}}
record: {every: 0.01, signals: [q]}
END
run 0 sim "$WORK/seen.yaml" --out "$WORK/seen"

# Closures: cvode projects in its steps, arkode after them; the others refuse.
benchmarks=$SOURCE/examples/benchmarks
run 0 sim "$benchmarks/a03-squeezer.yaml" --out "$WORK/built-in"
for method in cvode arkode ida; do
    sed "s|model: |model: $benchmarks/|; s/method: .*/method: $method, rtol: 1e-7, atol: 1e-8}/" \
        "$benchmarks/a03-squeezer.yaml" >"$WORK/closed.yaml"
    if [ $method = ida ]; then
        run 1 sim "$WORK/closed.yaml" --out "$WORK/outer"
        err_has "method ida does not keep closures"
    else
        run 0 sim "$WORK/closed.yaml" --out "$WORK/outer"
        near 1 1e-1 || fail "$method: other numbers than rk853 with closures" # velocities are above 1000
    fi
done
run 0 sweep "$WORK/cvode.yaml" --vary 'q.elbow=uniform(0,1)' -n 3 --threads 2 --out "$WORK/sweep"
done_testing
