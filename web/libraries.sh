#!/usr/bin/env bash
# expat and libyaml for WebAssembly: Debian has their sources, which apt-get fetches (signed; the system's own lists stay
# as they are) and which are compiled here. They are the versions that the program uses, so messages are the same.
# Usage: web/libraries.sh FOLDER: leaves FOLDER/include, FOLDER/lib and FOLDER/lib/pkgconfig/yaml-0.1.pc
set -euo pipefail
mkdir -p "$1/lib/pkgconfig" "$1/include" "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/source"
folder=$(cd "$1" && pwd)
[ ! -s "$folder/lib/pkgconfig/yaml-0.1.pc" ] || exit 0

# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" \
  >"$folder/apt/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
(cd "$folder/apt" && apt source --download-only expat libyaml >/dev/null)
tar -xzf "$folder"/apt/expat_*.orig.tar.gz -C "$folder/source" --strip-components=1 --wildcards '*/expat/lib/*.[ch]'
tar -xzf "$folder"/apt/libyaml_*.orig.tar.gz -C "$folder/source" --strip-components=1 --wildcards '*/src/*.[ch]' '*/include/*.h'

# FOLDER OF SOURCES, LIBRARY, FLAGS...
library() {
  local sources=$1 name=$2 objects=()
  shift 2
  for source in "$sources"/*.c; do
    objects+=("$folder/source/$name-$(basename "$source" .c).o")
    clang --target=wasm32-wasi -O2 -msimd128 -w "$@" -c "$source" -o "${objects[-1]}"
  done
  rm -f "$folder/lib/lib$name.a"
  llvm-ar rcs "$folder/lib/lib$name.a" "${objects[@]}"
}
: >"$folder/source/expat/lib/expat_config.h"
# No file given to expat has entities (they are refused), so its hash needs no salt.
library "$folder/source/expat/lib" expat -I"$folder/source/expat/lib" -DXML_POOR_ENTROPY -DXML_DTD -DXML_NS -DXML_CONTEXT_BYTES=1024 -DHAVE_MEMMOVE
library "$folder/source/src" yaml -I"$folder/source/include" \
  '-DYAML_VERSION_STRING="0.2.5"' -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5
cp "$folder"/source/expat/lib/expat*.h "$folder/source/include/yaml.h" "$folder/include"
rm -rf "$folder/apt" "$folder/source"
cat >"$folder/lib/pkgconfig/yaml-0.1.pc" <<END
Name: yaml
Description: libyaml for WebAssembly
Version: 0.2.5
Cflags: -I$folder/include
Libs: -L$folder/lib -lyaml
END
