# soa emit: what it writes compiles without a warning, and the main of --driver finds the numbers of the library.
. "$(dirname "$0")/expect.sh"
[ -r "$SOA_MODULES/soa_emit.so" ] || exit 77 # built without a compiler of C++
command -v cc >/dev/null || exit 77
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

# Every algorithm, on joints of every kind.
for what in id fd gravity mass massinv coriolis kinematics energy momentum centroidal id-derivatives regressor; do
    works -O0 -- $what --model builtin:tree:7,6
done
for what in jacobian osim; do
    works -O0 -- $what --model builtin:arm7 --at tool
done
works -O0 -- fd-derivatives --model builtin:double-pendulum
works -O0 -- fd --model builtin:arm6 --base free

# The bits of the library: with fused products where the machine has them.
for what in fd mass coriolis kinematics; do
    works -O2 $native -ffp-contract=off -- $what --model builtin:tree:7,6 --literal
done

# Levels of optimization, lanes, float, the sines of the C library, sanitizers, another compiler.
for level in -O1 -O3; do
    works $level -- fd --model builtin:arm7
done
works -O1 $native -- fd --model builtin:arm7 --lanes 4
works -O1 $native -- fd --model builtin:arm7 --lanes 8 --float
works -O1 -- fd --model builtin:arm7 --float
works -O1 -- id --model builtin:arm7 --libm --name arm_forces
works -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -- fd --model builtin:quadruped
if command -v clang >/dev/null; then
    compiler=clang
    works -O2 -- fd --model builtin:quadruped
    works -O2 -ffp-contract=off -DSOA_NO_FMA -- id --model builtin:arm7
    compiler=cc
fi
for robot in panda/panda.urdf go2/go2.urdf; do
    [ ! -r "$ROBOTS/$robot" ] || works -O1 -- fd --model "$ROBOTS/$robot"
done

# A function that is split into several.
run 0 emit massinv --model builtin:humanoid --count
grep -q 'in [2-9] functions' "$WORK/out" || fail "Mass^-1 of the humanoid is not split"
works -O0 -- massinv --model builtin:humanoid

# The same file every time; nothing but arithmetic in it.
run 0 emit id --model builtin:arm7 -o "$WORK/a.c"
run 0 emit inverse-dynamics --model builtin:arm7 -o "$WORK/b.c"
cmp -s "$WORK/a.c" "$WORK/b.c" || fail "two emissions differ"
! grep -q '#include\|malloc' "$WORK/a.c" || fail "the file includes something"
run 0 emit id --model builtin:arm7 --count
grep -q 'inverse-dynamics of builtin:arm7: [0-9]* additions, [0-9]* multiplications' "$WORK/out" || fail "no counts"

# What cannot be.
run 1 emit fdd --model builtin:arm7
err_has "'fdd' is not an algorithm; did you mean 'fd'?"
run 1 emit jacobian --model builtin:arm7
err_has "'jacobian' needs points; give '--at LINK' for each"
run 1 emit id --model builtin:arm7 --lanes 5
err_has "--lanes 5; choose 4, 8 or 16"
run 1 emit id --model builtin:arm7 --name 'a b'
err_has "'a b' is not a name of C"
run 1 emit massinv --model builtin:arm7 --literal
err_has "leave out --literal"
run 1 emit massinv --model builtin:chain:400
err_has "the model is too large for one file of C"
run 2 emit id
err_has "no robot; give '--model MODEL'"
done_testing
