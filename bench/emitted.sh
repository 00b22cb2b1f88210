#!/usr/bin/env bash
# Emitted functions beside the library's calls, in one run. Usage: bench/emitted.sh [MODEL]..., after `make build`; MODEL: a
# built-in one. Needs AVX-512 for lanes of 64 bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(arm7 quadruped humanoid)
out=build/emitted
mkdir -p "$out"
for model in "${models[@]}"; do
  for what in id fd; do
    build/soa emit $what --model "builtin:$model" --name ${what}_1 -o "$out/${what}_1.c"
    build/soa emit $what --model "builtin:$model" --name ${what}_8 --lanes 8 -o "$out/${what}_8.c"
    build/soa emit $what --model "builtin:$model" --name ${what}_16 --lanes 16 --float -o "$out/${what}_16.c"
  done
  cc -O2 -march=native -mprefer-vector-width=512 -D_POSIX_C_SOURCE=200809L -Iinclude -o "$out/$model" bench/emitted.c \
    "$out"/{id,fd}_{1,8,16}.c build/libsoa.a -lm -lpthread
  "$out/$model" "$model"
done
