#!/usr/bin/env bash
# libsoa, soa_io and the C side of the page as WebAssembly: BUILD/soa.wasm, a reactor; and BUILD/bits.wasm, the table of
# hashes (make bits) for node.
# Usage: web/build-wasm.sh BUILD
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$root"
"$root/web/libraries.sh" "$build/libraries"
libraries=$build/libraries
if [ ! -s "$build/wasm/build.ninja" ]; then
  PKG_CONFIG_LIBDIR=$libraries/lib/pkgconfig cmake -S "$root" -B "$build/wasm" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/cmake/wasm.cmake" -DSOA_THREADS=OFF -DSOA_TOOL=OFF -DSOA_TESTS=OFF -DSOA_EXAMPLES=OFF \
    -DSOA_PYTHON=OFF -DEXPAT_INCLUDE_DIR="$libraries/include" -DEXPAT_LIBRARY="$libraries/lib/libexpat.a" >/dev/null
fi
cmake --build "$build/wasm"
flags=(--target=wasm32-wasi -std=c11 -O2 -msimd128 -ffp-contract=off -fvisibility=hidden -D_POSIX_C_SOURCE=200809L
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wno-missing-field-initializers -Werror -Iinclude)
linked=("$build/wasm/libsoa_io.a" "$build/wasm/libsoa.a" "$libraries/lib/libexpat.a" "$libraries/lib/libyaml.a"
  -lwasi-emulated-getpid -lc-printscan-long-double "-Wl,-z,stack-size=4194304" "-Wl,--stack-first" "-Wl,--strip-all")
clang "${flags[@]}" -mexec-model=reactor web/src/*.c "${linked[@]}" -Wl,--export=malloc -Wl,--export=free -o "$build/soa.wasm"
clang "${flags[@]}" -Itests tests/bits/*.c "${linked[@]}" -o "$build/bits.wasm"
