#!/usr/bin/env bash
# Emitted code on other machines: aarch64 and riscv64 in qemu-user, Cortex-M7 in qemu-system-arm, where their compilers and
# emulators are there. Literal code without fused products must have the bits that it has here. Prints one line per
# machine and program, of the microcontroller with the size of the code and of the stack. The library itself runs on the
# microcontroller too. Usage: scripts/emitted.sh, after `make build`.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
out=build/emitted
failed=0
flags=(-O2 -ffp-contract=off -DSOA_NO_FMA)
mkdir -p "$out"

# NAME ALGORITHM MODEL
emit() {
  build/soa emit "$2" --model "builtin:$3" --literal --driver -o "$out/$1.c" &&
    cc "${flags[@]}" -o "$out/$1" "$out/$1.c" && "$out/$1" >"$out/$1.here" || failed=1
}

# MACHINE NAME: what it printed, against what was printed here.
compare() {
  if [ "$(sed 's/.*bits //' "$out/$2.$1")" = "$(sed 's/.*bits //' "$out/$2.here")" ]; then
    printf '%-10s %-12s same bits%s\n' "$1" "$2" "${3:-}"
  else
    printf '%-10s %-12s DIFFERS: %s\n' "$1" "$2" "$(cat "$out/$2.$1")"
    failed=1
  fi
}

# MACHINE NAME: in qemu-user.
machine() {
  local compiler=$1-linux-gnu-gcc emulator
  emulator=$(command -v "qemu-$1-static" || command -v "qemu-$1")
  if ! command -v "$compiler" >/dev/null || [ -z "$emulator" ]; then
    echo "$1: left out, needs $compiler and qemu-user"
    return
  fi
  "$compiler" "${flags[@]}" -static -o "$out/$2.exe" "$out/$2.c" && "$emulator" "$out/$2.exe" >"$out/$2.$1"
  compare "$1" "$2"
}

gcc=arm-none-eabi-gcc
cpu=(-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard)

# NAME FILE...: linked for the board and run there.
board() {
  local name=$1
  shift
  $gcc "${cpu[@]}" "${flags[@]}" -Iinclude -nostartfiles --specs=rdimon.specs -Wl,--gc-sections -Wl,--no-warn-rwx-segments \
    -T scripts/microcontroller/memory.ld -o "$out/$name.elf" "$@" scripts/microcontroller/start.c -Wl,--start-group \
    "$($gcc "${cpu[@]}" -print-file-name=rdimon-crt0.o)" -lc -lrdimon -lm -Wl,--end-group 2>/dev/null &&
    qemu-system-arm -M mps2-an500 -nographic -semihosting -kernel "$out/$name.elf" </dev/null 2>"$out/$name.said" >"$out/$name.cortex-m7"
}

# The library itself, without threads.
library() {
  cmake -S . -B "$out/cortex-m7" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=arm \
    -DCMAKE_C_COMPILER=$gcc -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_C_FLAGS_RELEASE=-O2 \
    -DCMAKE_C_FLAGS="${cpu[*]} -ffunction-sections -fdata-sections" -DSOA_IO=OFF -DSOA_THREADS=OFF -DSOA_TESTS=OFF \
    -DSOA_EXAMPLES=OFF >/dev/null && cmake --build "$out/cortex-m7" --target soa >/dev/null &&
    cc -O2 -D_POSIX_C_SOURCE=200809L -Iinclude -o "$out/library" scripts/microcontroller/library.c tests/processor.c \
      -Wl,--wrap=soa_cpu_features build/libsoa.a -lm -lpthread &&
    SOA_TEST_PROCESSOR=plain "$out/library" >"$out/library.here" &&
    board library scripts/microcontroller/library.c "$out/cortex-m7/libsoa.a"
  compare cortex-m7 library ", $(arm-none-eabi-size "$out/library.elf" | awk 'NR == 2 { print $1 + $2 }') bytes with newlib"
}

# ROBOT: the library with the model as a constant, without a heap.
constant() {
  local name=constant-$1 flags=(-O2 -ffp-contract=off -Iinclude -Isrc -D_POSIX_C_SOURCE=200809L)
  build/soa emit --data --model "builtin:$1" -o "$out/$name.c" &&
    cc "${flags[@]}" -o "$out/$name" "$out/$name.c" scripts/microcontroller/constant.c tests/processor.c \
      -Wl,--wrap=soa_cpu_features build/libsoa.a -lm -lpthread && SOA_TEST_PROCESSOR=plain "$out/$name" >"$out/$name.here" &&
    board "$name" -Isrc "$out/$name.c" scripts/microcontroller/constant.c "$out/cortex-m7/libsoa.a"
  compare cortex-m7 "$name" ", $(arm-none-eabi-size "$out/$name.elf" | awk 'NR == 2 { print $1 + $2 }') bytes with newlib, $(
    tail -1 "$out/$name.said")"
}

# NAME: on a Cortex-M7.
microcontroller() {
  if ! command -v $gcc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
    echo "cortex-m7: left out, needs $gcc, newlib and qemu-system-arm"
    return
  fi
  if [ "$1" = library ]; then
    library
    constant arm7
    constant quadruped
    return
  fi
  $gcc "${cpu[@]}" "${flags[@]}" -fstack-usage -c -o "$out/$1.o" "$out/$1.c" && board "$1" "$out/$1.o"
  local code stack
  code=$(arm-none-eabi-nm -S "$out/$1.o" | awk '$3 == "T" && $4 != "main" { print $2; exit }')
  stack=$(awk '$1 !~ /:main$/ { sum += $2 } END { print sum }' "$out/$1.su")
  compare cortex-m7 "$1" ", $((16#${code:-0})) bytes of code, at most $stack of stack"
}

emit id-arm7 id arm7
emit fd-arm7 fd arm7
emit mass-arm7 mass arm7
emit fd-quadruped fd quadruped
for name in id-arm7 fd-arm7 mass-arm7 fd-quadruped; do
  machine aarch64 $name
  machine riscv64 $name
  microcontroller $name
done
microcontroller library
exit $failed
