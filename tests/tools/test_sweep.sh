# soa sweep: the same numbers for any number of lanes, threads and ranks; failures, interrupts, ranks that die.
. "$(dirname "$0")/expect.sh"

cat >"$WORK/pair.yaml" <<'END2'
soa: 1
scenario: pair
model: builtin:double-pendulum
duration: 0.25
integrator: {method: rk4, step: 0.001}
forces:
  - {kind: joint-damper, name: oil, joint: elbow, damping: 0.1}
record: {every: 0.1, signals: [q, v, energy]}
END2
grep -v 'oil\|forces' "$WORK/pair.yaml" >"$WORK/bare.yaml"
set -- --vary 'q.shoulder=uniform(-3,3)' --vary 'q.elbow=normal(0,0.5)' --seed 7

# Each row of a sweep is what its run gives alone; in lanes, with a force that acts in each lane, and with other masses.
for name in pair bare; do
    run 0 sweep "$WORK/$name.yaml" "$@" -n 150 --threads 1 --out "$WORK/$name.1"
    run 0 sweep "$WORK/$name.yaml" "$@" -n 150 --threads 3 --out "$WORK/$name.3"
    cmp -s "$WORK/$name.1/runs.csv" "$WORK/$name.3/runs.csv" || fail "$name: runs.csv depends on threads"
    cmp -s "$WORK/$name.1/statistics.json" "$WORK/$name.3/statistics.json" || fail "$name: statistics depend on threads"
    for only in 0 1 63 64 77 149; do
        run 0 sweep "$WORK/$name.yaml" "$@" --only $only
        alone=$(awk '{ printf ",%s", $2 }' "$WORK/out")
        grep -q "^$only$alone,0.25\$" "$WORK/$name.1/runs.csv" || fail "$name: run $only alone has other bits"
    done
done
set -- "$@" --vary 'mass.upper=uniform(1,2)' --vary 'gravity.z=uniform(-10,-1)'
run 0 sweep "$WORK/bare.yaml" "$@" -n 150 --threads 1 --out "$WORK/mass"
run 0 sweep "$WORK/bare.yaml" "$@" -n 150 --threads 3 --out "$WORK/mass.3"
cmp -s "$WORK/mass/runs.csv" "$WORK/mass.3/runs.csv" || fail "mass: runs.csv depends on threads"
for only in 0 63 149; do
    run 0 sweep "$WORK/bare.yaml" "$@" --only $only
    grep -q "^$only$(awk '{ printf ",%s", $2 }' "$WORK/out"),0.25\$" "$WORK/mass/runs.csv" || fail "mass: run $only alone has other bits"
done

# What cannot vary is refused before anything runs: a number that the force does not have, the mass of a flexible link.
run 1 sweep "$WORK/pair.yaml" --vary 'force.oil.stiffness=uniform(0,1)' -n 4 --out "$WORK/none"
err_has "of a force of kind joint-damper may vary: damping"
run 1 sweep "$WORK/pair.yaml" --vary 'force.oik.damping=uniform(0,1)' -n 4 --out "$WORK/none"
err_has "'force.oik.damping' is nothing that can vary"
sed 's/double-pendulum/flexible-chain:2,2/; /oil\|forces/d' "$WORK/pair.yaml" >"$WORK/bends.yaml"
run 1 sweep "$WORK/bends.yaml" --vary 'mass.link1=uniform(1,2)' -n 4 --out "$WORK/none"
err_has "the link is flexible, and its mass is that of its data"
[ ! -e "$WORK/none" ] || fail "something was written for nothing"
sed 's/joint-damper, name: oil, joint: elbow, damping: 0.1/joint-friction, name: dry, joint: elbow, force: 0.1/' "$WORK/pair.yaml" >"$WORK/dry.yaml"
run 0 sweep "$WORK/dry.yaml" --vary 'force.dry.force=uniform(0,5)' --vary 'q.elbow=uniform(1,1)' -n 2 --out "$WORK/dry"
[ "$(cut -d, -f5 "$WORK/dry/runs.csv" | sort -u | wc -l)" = 3 ] || fail "friction does not vary"

# Means and quantiles are those of the rows.
cp "$WORK/bare.1/statistics.json" "$WORK/out"
json_has runs=150 failed=0 quantiles_of_every=1 status:finished
mean=$(awk -F, 'NR > 1 { s += $4 } END { printf "%.12g", s / (NR - 1) }' "$WORK/bare.1/runs.csv")
wrong=$(sed -n 's/.*"q.shoulder": {"runs": 150, "mean": \([^,]*\),.*/\1/p' "$WORK/out" | awk -v m="$mean" '{ d = $1 - m; print (d * d > 1e-20) }')
[ "$wrong" = 0 ] || fail "the mean is not that of the rows"
middle=$(tail -n +2 "$WORK/bare.1/runs.csv" | cut -d, -f4 | sort -g | sed -n '75,76p' | awk '{ s += $1 } END { printf "%.12g", s / 2 }')
grep -q "\"median\": ${middle%??}" "$WORK/out" || fail "the median is not that of the rows"

# Runs that fail are listed with their seed, and fail alone in the same words.
run 1 sweep "$WORK/bare.yaml" --vary 'v.elbow=uniform(-1e103,1e103)' --seed 3 -n 20 --out "$WORK/bad"
err_has "bare.yaml: all 20 runs failed, the first because of: "
[ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "all runs failed: more than one line"
out_empty
cp "$WORK/bad/statistics.json" "$WORK/out"
json_has failed=20 failures.0.seed=3
run 1 sweep "$WORK/bare.yaml" --vary 'v.elbow=uniform(-1e103,1e103)' --seed 3 --only 4
grep -qF "$(sed -n 's/^soa: run 4: //p' "$WORK/err" | cut -c1-60)" "$WORK/bad/statistics.json" || fail "run 4 fails in other words"

# Ctrl-C: whole rows, statistics of what was done.
sed 's/duration: 0.25/duration: 20/' "$WORK/bare.yaml" >"$WORK/long.yaml"
"$SOA" sweep "$WORK/long.yaml" "$@" -n 100000 --out "$WORK/cut" >"$WORK/out" 2>"$WORK/err" &
process=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.5
    [ "$(wc -l <"$WORK/cut/runs.csv")" -lt 3 ] || break
done
kill -TERM $process
wait $process || fail "an interrupt is a failure"
out_has "interrupted"
grep -q '"status": "interrupted"' "$WORK/cut/statistics.json" || fail "the statistics do not say interrupted"
tail -n 1 "$WORK/cut/runs.csv" | awk -F, '{ exit NF != 12 }' || fail "the last row is not whole"

# No room: one line, and whole rows.
(
    trap '' XFSZ
    ulimit -f 20
    "$SOA" sweep "$WORK/bare.yaml" "$@" -n 400 --out "$WORK/full"
) >"$WORK/out" 2>"$WORK/err" && fail "no room is no failure"
err_has "runs.csv: the file cannot be written"
[ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "no room: more than one line"
tail -n 1 "$WORK/full/runs.csv" | awk -F, '{ exit NF != 12 }' || fail "no room: the last row is not whole"

# Under mpirun without the module: refused, not done once by each rank.
cp "$SOA" "$WORK/alone"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # OpenMPI keeps what it has allocated
(unset SOA_MODULES && OMPI_COMM_WORLD_SIZE=2 "$WORK/alone" sweep "$WORK/bare.yaml" "$@" -n 4 --out "$WORK/none") 2>"$WORK/err" && fail "mpirun without its module"
err_has "soa_mpi.so is not there"

if [ -e "$SOA_MODULES/soa_mpi.so" ] && command -v mpirun >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    for ranks in 2 4; do
        mpirun --oversubscribe -n $ranks "$SOA" sweep "$WORK/bare.yaml" "$@" -n 150 --threads 1 --out "$WORK/ranks" >"$WORK/out" 2>&1 ||
            fail "$ranks ranks: $(cat "$WORK/out")"
        out_has "by $ranks ranks"
        cmp -s "$WORK/mass/runs.csv" "$WORK/ranks/runs.csv" || fail "runs.csv depends on ranks"
        cmp -s "$WORK/mass/statistics.json" "$WORK/ranks/statistics.json" || fail "statistics depend on ranks"
    done

    # A rank dies: its runs are done by the others.
    run 0 sweep "$WORK/long.yaml" "$@" -n 400 --threads 1 --out "$WORK/whole"
    rm -rf "$WORK/ranks"
    timeout 300 mpirun --enable-recovery --oversubscribe -n 3 "$SOA" sweep "$WORK/long.yaml" "$@" -n 400 --threads 1 --out "$WORK/ranks" >"$WORK/out" 2>&1 &
    process=$!
    tries=0 # it dies once all ranks work, however slow the machine is
    until [ "$(wc -l 2>/dev/null <"$WORK/ranks/runs.csv")" -ge 2 ] 2>/dev/null || [ $tries -ge 1200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -9 "$(pgrep -P "$(pgrep -P $process -x mpirun)" -f sweep | sort -n | tail -n 1)"
    wait $process || fail "a rank that dies is a failure: $(cat "$WORK/out")"
    out_has "has died"
    cmp -s "$WORK/whole/runs.csv" "$WORK/ranks/runs.csv" || fail "a rank that died has changed the numbers"
fi
done_testing
