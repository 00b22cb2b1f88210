#!/usr/bin/env bash
# Runs what a page of documentation shows. Usage: run_docs.sh BUILD SCRATCH PAGE...
#
# Blocks of a page run one after another in a scratch folder, soa installed from
# BUILD, and the folder examples of the sources beside them. The first line of a block says what it is:
#     ```sh run            commands; they must succeed
#     ```sh fails          commands whose last one must fail; their messages are output
#     ```c file=arm.c      a file to write first, in any language
#     ```text output       exactly what the commands just before it print
# All other blocks are only to be read.
set -euo pipefail
build=$1 scratch=$2
shift 2
: "${CC:=cc}"

fail() {
  echo "$1" >&2
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/bin"
cmake --install "$build" --prefix "$scratch/soa" >"$scratch/install.log"
ln -s "$(command -v "$CC")" "$scratch/bin/cc"
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/soa" -name soa.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
PATH=$scratch/bin:$scratch/soa/bin:$PATH
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH LC_ALL=C.UTF-8

# PAGE -> NUMBER.KIND and NUMBER.line in the current folder, one pair per block.
split_page() {
  awk '
    !inside && /^```[a-z]+ (run|fails|output|file=)/ {
      inside = 1; kind = $2; n++
      if (kind ~ /^file=/) { name = substr(kind, 6); kind = "file" } else name = ""
      base = sprintf("blocks/%03d", n); out = base "." kind
      print FNR, name > (base ".line"); printf "" > out
      next }
    !inside && /^```./ { inside = 2; next }
    inside && /^```$/ { if (inside == 1) { close(out); close(base ".line") } inside = 0; next }
    inside == 1 { print > out }
  ' "$1"
}

run_page() { # PAGE
  local block line name status count=0
  mkdir blocks
  split_page "$1"
  for block in blocks/*; do
    read -r line name <"${block%.*}.line" || true
    case $block in
      *.file) cp "$block" "$name" ;;
      *.run) bash -euo pipefail "$block" >got 2>errors </dev/null || fail "$1:$line: the commands fail: $(cat got errors)" ;;
      *.fails)
        status=0
        bash -uo pipefail "$block" >got 2>&1 </dev/null || status=$?
        [ $status -ne 0 ] || fail "$1:$line: the commands do not fail"
        ;;
      *.output) diff "$block" got >difference || fail "$1:$line: not what is printed (>): $(cat difference)" ;;
      *) continue ;;
    esac
    count=$((count + 1))
  done
  [ $count -gt 0 ] || fail "$1: nothing to run"
  echo "$1: $count blocks"
}

examples=$(cd "$(dirname "$0")/../../examples" && pwd)
for page in "$@"; do
  mkdir -p "$scratch/$(basename "$page" .md)"
  ln -sfn "$examples" "$scratch/$(basename "$page" .md)/examples"
  (cd "$scratch/$(basename "$page" .md)" && run_page "$page")
done
