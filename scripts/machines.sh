#!/usr/bin/env bash
# Other machines: their hashes (make bits) beside the stored ones. These are aarch64 and riscv64 where their compilers and
# qemu-user are there, and older x86-64 processors where qemu is. Prints one line per machine; fails if a hash differs from that
# of the same numeric profile, or if a test that is quick enough for an emulator fails there.
# Usage: scripts/machines.sh [-a] [AREA...], after `make build`; -a: the emulated x86-64 alone
set -uo pipefail
cd "$(dirname "$0")/.." || exit
jobs=$(nproc 2>/dev/null || echo 2)
all=yes
if [ "${1:-}" = -a ]; then
  all=no
  shift
fi
areas=("$@")
out=build/machines
failed=0
mkdir -p "$out"

# MACHINE: its emulator, of qemu-user-static or of qemu-user, which exclude each other; the name of the first if there is none.
emulator() {
  command -v "qemu-$1-static" || command -v "qemu-$1" || echo "qemu-$1-static"
}
x86=$(emulator x86_64)

# MACHINE COMMAND...: its hashes against the stored ones.
compare() {
  local machine=$1 table=$out/$1.txt
  shift
  "$@" check tests/bits "${areas[@]}" >"$table" 2> >(grep -v 'TCG doesn' >&2) || failed=1
  printf '%-20s %s\n' "$machine" "$(grep ' rows, ' "$table" || echo 'does not run')"
}

# MACHINE COMPILER FLAGS: libsoa and the program of the table, linked statically.
build() {
  local folder=$out/$1
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR="${1%%-*}" -DCMAKE_C_COMPILER="$2" -DCMAKE_C_FLAGS="$3" -DCMAKE_C_FLAGS_RELEASE=-O2 \
    -DSOA_IO=OFF -DSOA_TESTS=OFF -DSOA_EXAMPLES=OFF >/dev/null &&
    cmake --build "$folder" --parallel "$jobs" --target soa >/dev/null &&
    "$2" -std=c11 -O2 -ffp-contract=off -static -D_POSIX_C_SOURCE=200809L -Iinclude -Itests tests/bits/*.c "$folder/libsoa.a" -lm \
      -o "$folder/soa_bits"
}

# MACHINE COMPILER FLAGS: builds and compares, if there is a compiler and an emulator.
machine() {
  local emulator
  emulator=$(emulator "${1%%-*}")
  if ! command -v "$2" >/dev/null || ! command -v "$emulator" >/dev/null; then
    echo "$1: left out, needs $2 and $emulator"
  elif build "$1" "$2" "$3"; then
    compare "$1" "$emulator" "$out/$1/soa_bits"
  else
    echo "$1: does not build"
    failed=1
  fi
}

# CPU: tests of lanes and of what the language computes, on that processor.
emulate() {
  local test
  for test in joint-lanes expr-values; do
    if "$x86" -cpu "$1" "build/tests/$test" >"$out/$test.log" 2>&1; then
      echo "$1: $test passes"
    else
      cat "$out/$test.log"
      failed=1
    fi
  done
}

if [ "$(uname -m)" = x86_64 ]; then
  if command -v "$x86" >/dev/null; then
    compare nehalem "$x86" -cpu Nehalem build/tests/soa_bits
    emulate Nehalem
    compare haswell "$x86" -cpu Haswell build/tests/soa_bits
    emulate Haswell
  else
    echo "nehalem, haswell: left out, need $x86"
  fi
fi
if [ $all = yes ]; then
  machine aarch64 aarch64-linux-gnu-gcc ""
  machine aarch64-plain aarch64-linux-gnu-gcc -DSOA_NO_FMA
  machine riscv64 riscv64-linux-gnu-gcc ""
fi
exit $failed
