# soa sim: recordings in every format, runs that are killed and go on, files that cannot be written.
. "$(dirname "$0")/expect.sh"

cat >"$WORK/turn.yaml" <<'END2'
soa: 1
scenario: turn
model: builtin:quadruped
duration: 4
gravity: [0, 0, -0.1]
initial: {v: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 1, 1, 1, -1, 0.5, 1, 0, 0, 1, 2, 1, 0]}
forces:
  - {kind: wrench, name: push, link: trunk, force: [1, 0, 0], from: 1, to: 2.2}
events:
  - {name: "off", when: {time: 1.7}, do: {disable: push}}
record: {every: 0.0005, signals: [q, v, energy, work]}
END2

# The base, the gravity and the initial velocities of the scenario are those that act.
run 0 sim "$WORK/turn.yaml" --out "$WORK/whole" --format csv,npz
out_has "by wrench.push"
out_has "result.npz"
[ "$(find "$WORK/whole" -type f | wc -l)" -eq 3 ] || fail "a finished run leaves more than its results"

# The same numbers in every format: plots of them are the same bytes.
run 0 plot "$WORK/whole/result.csv" q energy -o "$WORK/csv.svg"
run 0 plot "$WORK/whole/result.npz" q energy -o "$WORK/npz.svg"
cmp -s "$WORK/csv.svg" "$WORK/npz.svg" || fail "result.npz holds other numbers than result.csv"

numpy=$(for p in python3 /usr/bin/python3; do $p -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
if [ -n "$numpy" ]; then
    cat >"$WORK/same.py" <<'END2'
import numpy, sys
z = numpy.load(sys.argv[1] + '/result.npz')
with open(sys.argv[1] + '/result.csv') as f:
    names = f.readline().strip().split(',')
    rows = numpy.loadtxt(f, delimiter=',')
assert list(z) == names
assert all((z[n] == rows[:, i]).all() for i, n in enumerate(names))
END2
    "$numpy" "$WORK/same.py" "$WORK/whole" || fail "numpy reads other numbers"
fi

run 0 sim "$WORK/turn.yaml" --out "$WORK/h5" --format hdf5 2>/dev/null
if [ "$got" -eq 0 ]; then
    run 0 plot "$WORK/h5" q energy -o "$WORK/h5.svg"
    cmp -s "$WORK/csv.svg" "$WORK/h5.svg" || fail "result.h5 holds other numbers than result.csv"
    printf 'no HDF5' >"$WORK/bad.h5"
    run 1 plot "$WORK/bad.h5" q
    err_has "bad.h5"
else
    FAILURES=$((FAILURES - 1))
    err_has "libhdf5-dev"
fi
cp "$SOA" "$WORK/alone"
(unset SOA_MODULES && "$WORK/alone" sim "$WORK/turn.yaml" --out "$WORK/none" --format hdf5) 2>"$WORK/err" && fail "hdf5 without its module"
err_has "soa_hdf5.so is not there"
[ ! -e "$WORK/none" ] || fail "something was written without the module"
echo damaged >"$WORK/soa_hdf5.so"
(unset SOA_MODULES && "$WORK/alone" sim "$WORK/turn.yaml" --out "$WORK/none" --format hdf5) 2>"$WORK/err" && fail "hdf5 with a damaged module"
err_has "the module soa_hdf5.so cannot be loaded: "

# Killed at several moments: what is there can be read, and the run goes on to the same bits.
for after in 0.02 0.08 0.15 0.25 0.4; do
    rm -rf "$WORK/k"
    "$SOA" sim "$WORK/turn.yaml" --out "$WORK/k" --format csv,npz --checkpoint 0.01 >"$WORK/out" 2>&1 &
    process=$!
    sleep "$after"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    if [ -e "$WORK/k/checkpoint" ] && [ ! -e "$WORK/k/summary.json" ]; then
        run 0 plot "$WORK/k/result.npy" energy
        run 0 plot "$WORK/k/result.csv" energy
    fi
    run 0 sim "$WORK/turn.yaml" --out "$WORK/k" --format csv,npz --resume
    cmp -s "$WORK/whole/result.csv" "$WORK/k/result.csv" || fail "killed after $after s: result.csv has other bits"
    cmp -s "$WORK/whole/result.npz" "$WORK/k/result.npz" || fail "killed after $after s: result.npz has other bits"
done
run 0 sim "$WORK/turn.yaml" --out "$WORK/k" --format csv,npz --resume
out_has "nothing to resume"

# Ctrl-C: a summary, and a checkpoint that goes on.
sed 's/duration: 4/duration: 4000/' "$WORK/turn.yaml" >"$WORK/longer.yaml"
"$SOA" sim "$WORK/longer.yaml" --out "$WORK/c" --checkpoint 0 >"$WORK/out" 2>&1 &
process=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.6 # rows reach the file twice a second
    [ ! -s "$WORK/c/result.csv" ] || break
done
kill -TERM $process
wait $process || fail "an interrupt is a failure"
out_has "interrupted"
grep -q '"status": "interrupted"' "$WORK/c/summary.json" || fail "the summary does not say interrupted"
tail -n 1 "$WORK/c/result.csv" | awk -F, '{ exit NF != 41 }' || fail "the last row is not whole"

# A checkpoint of another run, or a damaged one, is refused.
cp "$WORK/c/checkpoint" "$WORK/kept"
sed 's/force: \[1, 0, 0\]/force: [2, 0, 0]/' "$WORK/longer.yaml" >"$WORK/other.yaml"
run 1 sim "$WORK/other.yaml" --out "$WORK/c" --resume
err_has "another scenario"
printf 'x' | dd of="$WORK/c/checkpoint" bs=1 seek=2000 conv=notrunc 2>/dev/null
run 1 sim "$WORK/longer.yaml" --out "$WORK/c" --resume
err_has "damaged"
cp "$WORK/kept" "$WORK/c/checkpoint"
: >"$WORK/c/result.csv"
run 1 sim "$WORK/longer.yaml" --out "$WORK/c" --resume
err_has "holds less than"

# No room: one line, and the file ends with a whole row.
(
    trap '' XFSZ
    ulimit -f 500
    "$SOA" sim "$WORK/turn.yaml" --out "$WORK/full" --format csv,npz
) >"$WORK/out" 2>"$WORK/err" && fail "no room is no failure"
err_has "the file cannot be written"
[ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "no room: more than one line"
tail -n 1 "$WORK/full/result.csv" | awk -F, '{ exit NF != 41 }' || fail "no room: the last row is not whole"
run 0 plot "$WORK/full/result.csv" energy
run 0 plot "$WORK/full/result.npy" energy
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$WORK/closed" && chmod 555 "$WORK/closed"
    run 1 sim "$WORK/turn.yaml" --out "$WORK/closed"
    err_has "result.csv: the file cannot be written"
    run 1 sim "$WORK/turn.yaml" --out "$WORK/closed/deeper"
    err_has "the folder cannot be made"
fi

# A full and a read-only file system, where mounting is allowed.
mkdir "$WORK/tiny"
if mount -t tmpfs -o size=300k tmpfs "$WORK/tiny" 2>/dev/null; then
    for format in csv npz hdf5; do
        run 1 sim "$WORK/turn.yaml" --out "$WORK/tiny/run" --format $format
        case $format in hdf5) grep -q libhdf5 "$WORK/err" && continue ;; esac
        err_has "the file cannot be written: No space left on device; it holds what was recorded before"
        [ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "full: more than one line"
        out_empty
        run 0 plot "$WORK/tiny/run" energy
        rm -rf "$WORK/tiny/run"
    done
    mount -o remount,size=3200k "$WORK/tiny" # room for the stream, not for what is made of it
    for format in npz hdf5; do
        run 1 sim "$WORK/turn.yaml" --out "$WORK/tiny/run" --format $format
        [ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "full at the end: more than one line"
        [ ! -d "$WORK/tiny/run" ] || run 0 plot "$WORK/tiny/run" energy
        rm -rf "$WORK/tiny/run"
    done
    mount -o remount,ro "$WORK/tiny"
    run 1 sim "$WORK/turn.yaml" --out "$WORK/tiny"
    err_has "result.csv: the file cannot be written: Read-only file system"
    run 1 sim "$WORK/turn.yaml" --out "$WORK/tiny/deeper"
    err_has "the folder cannot be made: Read-only file system"
    umount "$WORK/tiny"
fi

# Wrong usage, and files that are no recordings.
run 2 sim "$WORK/turn.yaml" --out "$WORK/none" --format xls
err_has "csv, npz, hdf5"
run 2 sim "$WORK/turn.yaml" --resume
err_has "--out"
run 2 sim "$WORK/turn.yaml" --out "$WORK/none" --checkpoint soon
for name in bad.npz bad.npy bad.csv; do
    printf 'PK nothing' >"$WORK/$name"
    run 1 plot "$WORK/$name" q
    err_has "$name"
done
head -c 3000 "$WORK/whole/result.npz" >"$WORK/cut.npz"
run 1 plot "$WORK/cut.npz" q
err_has "cut.npz"
mkdir "$WORK/empty"
run 1 plot "$WORK/empty" q
err_has "holds no recording"
done_testing
