# Memory that ends, at any place: every command says so and leaves nothing half written, or writes all of its output.
. "$(dirname "$0")/expect.sh"

printf 'soa: 1\nscenario: fall\nmodel: builtin:pendulum\nduration: 0.05\nintegrator: {method: rk4, step: 0.01}\n' >"$WORK/fall.yaml"
printf 'record: {every: 0.01, signals: [q, v, energy]}\n' >>"$WORK/fall.yaml"
"$SOA" sim "$WORK/fall.yaml" --out "$WORK/fall" >/dev/null || fail "a recording to draw"

# The program with allocation $1 failing. What it writes to files goes into the folder out.
failing() {
    at=$1
    shift
    rm -rf "$WORK/folder"
    mkdir "$WORK/folder"
    (cd "$WORK/folder" && LD_PRELOAD="$FAIL_MALLOC" FAIL_AT="$at" timeout 60 "$SOA" "$@") >"$WORK/out" 2>"$WORK/err" </dev/null
}

# Without the line that says how long it took.
timeless() { sed '/ s, /d' "$1"; }

# All commands take some hundred allocations; about 20 of them fail, once alone and once with all later ones.
memory_ends() {
    rm -rf "$WORK/folder"
    mkdir "$WORK/folder"
    (cd "$WORK/folder" && LD_PRELOAD="$FAIL_MALLOC" FAIL_COUNT="$WORK/count" "$SOA" "$@") >"$WORK/whole" 2>/dev/null </dev/null ||
        fail "soa $*: does not run"
    timeless "$WORK/whole" >"$WORK/expected"
    ls "$WORK/folder" >"$WORK/files"
    n=$(cat "$WORK/count")
    for at in $(awk -v n="$n" 'BEGIN { for (k = 1; k < n; k += 1 + int(n / 18)) print k, k "+"; print n - 1, n, n "+" }'); do
        failing "$at" "$@"
        status=$?
        if [ $status -eq 0 ]; then
            timeless "$WORK/out" | cmp -s - "$WORK/expected" || fail "soa $*: allocation $at fails, exit status 0, but other output"
            ls "$WORK/folder" | cmp -s - "$WORK/files" || fail "soa $*: allocation $at fails, exit status 0, but other files"
        elif [ $status -ne 1 ]; then
            fail "soa $*: allocation $at fails, exit status $status"
        elif ! grep -qi memory "$WORK/err"; then
            fail "soa $*: allocation $at fails, and it says '$(cat "$WORK/err")'"
        fi
    done
}

memory_ends info builtin:arm7
memory_ends models
memory_ends check builtin:pendulum
memory_ends convert builtin:pendulum -o x.yaml
memory_ends convert builtin:pendulum --to mjcf
memory_ends compute builtin:pendulum --what fd,linear --random 2 --json
memory_ends project "$SOURCE/examples/models/four-bar.yaml" --from up
memory_ends eval builtin:pendulum "Mass beta" --random 1 --json
memory_ends explain "Mass^-1 T" --svg x.svg
memory_ends simplify "H phi M phi' H' beta"
memory_ends prove "psi = phi - phi K H psi"
memory_ends derive "Mass^-1 T"
memory_ends plot "$WORK/fall" q -o x.png
memory_ends sim --schema
memory_ends sim "$WORK/fall.yaml" --out . --format npz
memory_ends sweep "$WORK/fall.yaml" --vary "q.pivot=uniform(0,1)" -n 5 -t 1 -o .

# libhdf5 crashes when its memory ends. It does so in a process of its own: the program says so, or reads back what it has written.
"$SOA" plot "$WORK/fall" q -o "$WORK/fall.svg" >/dev/null
(cd "$WORK" && "$SOA" sim fall.yaml --out recorded --format hdf5) >"$WORK/out" 2>"$WORK/err" </dev/null
status=$?
[ $status -eq 0 ] || grep -q libhdf5-dev "$WORK/err" || fail "soa sim --format hdf5: '$(cat "$WORK/err")'"
export FAIL_CHILD=1
for at in $(awk 'BEGIN { for (k = 1; k < 3000; k += 97) print k, k "+" }'); do
    [ $status -eq 0 ] || break
    what="soa sim --format hdf5: allocation $at of libhdf5 fails"
    if failing "$at" sim "$WORK/fall.yaml" --out . --format hdf5; then
        "$SOA" plot "$WORK/folder" q -o "$WORK/h5.svg" >/dev/null
        cmp -s "$WORK/fall.svg" "$WORK/h5.svg" || fail "$what: exit status 0, but other numbers"
    elif [ $? -ne 1 ] || ! grep -q memory "$WORK/err" || [ "$(ls "$WORK/folder")" != result.npy ]; then
        fail "$what: $(cat "$WORK/err")"
    fi
    if failing "$at" plot "$WORK/recorded/result.h5" q -o h5.svg; then
        cmp -s "$WORK/fall.svg" "$WORK/folder/h5.svg" || fail "$what in soa plot: exit status 0, but another picture"
    elif [ $? -ne 1 ] || ! grep -q memory "$WORK/err"; then
        fail "$what in soa plot: $(cat "$WORK/err")"
    fi
done
done_testing
