#!/usr/bin/env bash
# Runs the tests of a coverage build and prints how many lines and branches of src/ they ran.
# Usage: scripts/coverage.sh BUILD [JOBS]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
jobs=${2:-2}
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-label-summary
lcov --quiet --rc lcov_branch_coverage=1 --capture --directory "$build" --base-directory "$root" --no-external \
  --output-file "$build/all.info" 2> >(grep -v 'redefined at' >&2)
lcov --quiet --rc lcov_branch_coverage=1 --extract "$build/all.info" "$root/src/*" --output-file "$build/src.info"
# Worst files first, then the total.
awk -F '[:,]' -v root="$root/" '
  /^SF:/ { file = substr($0, 4); sub(root, "", file) }
  /^LF:/ { lines = $2; all += $2 }
  /^LH:/ { hit = $2; ran += $2 }
  /^BRF:/ { branches += $2 }
  /^BRH:/ { taken += $2 }
  /^end_of_record/ { if (lines) printf "%6.1f%% %5d/%-5d %s\n", 100 * hit / lines, hit, lines, file | "sort -n" }
  END {
    close("sort -n")
    printf "coverage: %.1f%% of the lines of src/ (%d of %d), %.1f%% of the branches (%d of %d)\n", all ? 100 * ran / all : 0,
      ran, all, branches ? 100 * taken / branches : 0, taken, branches
  }
' "$build/src.info"
