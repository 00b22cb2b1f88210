#!/usr/bin/env bash
# Runs the tests of a coverage build and prints how many lines of src/ they ran.
# Usage: scripts/coverage.sh BUILD [JOBS]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
jobs=${2:-2}
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-label-summary
lcov --quiet --capture --directory "$build" --base-directory "$root" --no-external \
  --output-file "$build/all.info" 2> >(grep -v 'redefined at' >&2)
lcov --quiet --extract "$build/all.info" "$root/src/*" --output-file "$build/src.info"
# Worst files first, then the total.
awk -F '[:,]' -v root="$root/" '
  /^SF:/ { file = substr($0, 4); sub(root, "", file) }
  /^LF:/ { lines = $2; all += $2 }
  /^LH:/ { hit = $2; ran += $2 }
  /^end_of_record/ { if (lines) printf "%6.1f%% %5d/%-5d %s\n", 100 * hit / lines, hit, lines, file | "sort -n" }
  END { close("sort -n"); printf "coverage: %.1f%% of the lines of src/ (%d of %d)\n", all ? 100 * ran / all : 0, ran, all }
' "$build/src.info"
