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
# Worst files first, then the folders, then the total: lines, and branches.
awk -F '[:,]' -v root="$root/" '
  function part(a, b) { return b ? 100 * a / b : 100 }
  function row(name, l, r, b, t) { return sprintf("%6.1f%% %6d/%-6d %6.1f%% %6d/%-6d %s\n", part(r, l), r, l, part(t, b), t, b, name) }
  /^SF:/ { file = substr($0, 4); sub(root, "", file); folder = file; sub("/[^/]*$", "", folder); lines = branches = 0 }
  /^LF:/ { lines = $2; L[folder] += $2; all += $2 }
  /^LH:/ { ran = $2; R[folder] += $2; hit += $2 }
  /^BRF:/ { branches = $2; B[folder] += $2; forks += $2 }
  /^BRH:/ { taken = $2; T[folder] += $2; went += $2 }
  /^end_of_record/ { if (lines) printf "%s", row(file, lines, ran, branches, branches ? taken : 0) | "sort -n" }
  END {
    close("sort -n")
    print "by folder:"
    for (f in L) printf "%s", row(f, L[f], R[f], B[f], T[f]) | "sort -k4"
    close("sort -k4")
    printf "coverage: %.1f%% of the lines of src/ (%d of %d), %.1f%% of the branches (%d of %d)\n", part(hit, all), hit, all,
      part(went, forks), went, forks
  }
' "$build/src.info"
