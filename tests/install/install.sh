#!/usr/bin/env bash
# Installs a build into a scratch prefix and uses it the way others do: with
# find_package, with pkg-config, as C and as C++, after the prefix has moved.
# Usage: install.sh BUILD SCRATCH IO SHARED     (IO and SHARED: ON or OFF)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 scratch=$2 io=$3 shared=$4
: "${CC:=cc}" "${CXX:=c++}"

fail() {
  echo "install: $1" >&2
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
trap 'tail -n 30 "$scratch/log" >&2' ERR
cmake --install "$build" --prefix "$scratch/first" >"$scratch/log"
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
pc=$(dirname "$(find "$prefix" -name soa.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH=$pc LD_LIBRARY_PATH=$lib
programs=(consumer)
[ "$io" = OFF ] || programs+=(consumer_io)

# find_package
cmake -S "$here/project" -B "$scratch/find" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
  -DEXTRA="$([ "$io" = OFF ] || echo soa_io)" >>"$scratch/log"
cmake --build "$scratch/find" >>"$scratch/log"
for program in "${programs[@]}"; do
  "$scratch/find/$program" || fail "$program made with find_package fails"
done

# pkg-config
for program in "${programs[@]}"; do
  module=soa
  [ "$program" = consumer ] || module=soa_io
  read -ra options <<<"$(pkg-config --cflags --libs $module)"
  [ "$shared" = OFF ] || options+=(-lm) # which the program itself uses
  "$CC" -std=c11 "$here/$program.c" -o "$scratch/$program" "${options[@]}"
  "$scratch/$program" || fail "$program made with pkg-config fails"
done
[ "$(pkg-config --modversion soa)" = "$(sed -n 's/^#define SOA_VERSION  *"\(.*\)"/\1/p' "$prefix/include/soa/core.h")" ] ||
  fail "soa.pc and soa/core.h differ in version"

# libm is all a program needs beside the static libsoa.
if [ "$shared" = OFF ]; then
  "$CC" -std=c11 -I "$prefix/include" "$here/consumer.c" "$lib/libsoa.a" -lm -o "$scratch/alone"
  "$scratch/alone"
fi

# Every header compiles alone, as C and as C++, with warnings as errors.
for header in "$prefix"/include/soa/*.h; do
  name=soa/$(basename "$header")
  for language in c11 c17; do
    echo "#include <$name>" | "$CC" -std=$language -pedantic -Wall -Wextra -Werror -I "$prefix/include" -fsyntax-only -xc -
  done
  for language in c++11 c++17; do
    echo "#include <$name>" | "$CXX" -std=$language -pedantic -Wall -Wextra -Werror -I "$prefix/include" -fsyntax-only -xc++ -
  done
done

# A C++ program links.
{
  echo '#include <soa/soa.h>'
  echo 'int main() { return soa_version()[0] ? 0 : 1; }'
} >"$scratch/plus.cpp"
read -ra options <<<"$(pkg-config --cflags --libs soa)"
"$CXX" -std=c++11 "$scratch/plus.cpp" -o "$scratch/plus" "${options[@]}"
"$scratch/plus"

if [ -x "$prefix/bin/soa" ]; then
  env -u LD_LIBRARY_PATH "$prefix/bin/soa" --version || fail "the installed program does not run"
  completion=$prefix/share/bash-completion/completions/soa
  [ ! -e "$completion" ] || bash -c '. "$1" && complete -p soa' _ "$completion" || fail "the completion does not load"
fi
[ "$shared" = ON ] || exit 0

# The shared libraries need the C library (and expat, yaml for soa_io), no more ...
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
extra=$(needs "$lib/libsoa.so" | grep -vE '^(libc|libm)\.so|^ld-linux' || true)
[ -z "$extra" ] || fail "libsoa.so needs $extra"
if [ "$io" = ON ]; then
  extra=$(needs "$lib/libsoa_io.so" | grep -vE '^(libc|libm|libsoa|libexpat|libyaml-0)\.so|^libyaml-0|^ld-linux' || true)
  [ -z "$extra" ] || fail "libsoa_io.so needs $extra"
fi
# ... and show exactly the functions that the headers declare.
shows() { nm -D --defined-only "$1" | awk '{ print $NF }' | sort -u; }
declared() { # HEADER...: names of the functions marked SOA_API, those that macros declare too
  for header in "$@"; do echo "#include \"$header\""; done |
    "${CC:-cc}" -E -P -I "$prefix/include" -x c - | tr '\n' ' ' |
    grep -oE '__attribute__\(\(visibility\("default"\)\)\) [^;{(]*\(' | grep -oE 'soa_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u
}
mapfile -t plain < <(find "$prefix/include/soa" -name '*.h' ! -name io.h ! -name scenario.h)
diff <(declared "${plain[@]}") <(shows "$lib/libsoa.so") || fail "libsoa.so (>) and the headers (<) differ"
if [ "$io" = ON ]; then
  diff <(comm -23 <(declared "$prefix/include/soa/io.h" "$prefix/include/soa/scenario.h") <(declared "${plain[@]}")) <(shows "$lib/libsoa_io.so") ||
    fail "libsoa_io.so (>) and its headers (<) differ"
fi
