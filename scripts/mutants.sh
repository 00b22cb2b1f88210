#!/usr/bin/env bash
# Mutation: changes one operator, constant or condition of src/ at a time and runs the tests of its level; prints what
# survived and the share of killed mutants by folder. Works in copies of the tree below build-mutants.
# Usage: scripts/mutants.sh [N [SEED [FOLDER...]]]      N mutants (default 20), of src/FOLDER (default: all)
set -uo pipefail
cd "$(dirname "$0")/.." || exit
count=${1:-20} seed=${2:-1}
shift $(($# < 2 ? $# : 2))
folders=("$@")
[ ${#folders[@]} -gt 0 ] || mapfile -t folders < <(cd src && ls -d -- */ | tr -d /)
jobs=$(nproc 2>/dev/null || echo 2)
slow='^(sens-parameters|sens-second|expr-limits|closure-simulation|operator-identities|install-.*)$'
work=build-mutants
log=$work/mutants.txt

# One line per place that can be changed: FILE LINE COLUMN OLD NEW. Comments, strings and preprocessor lines are left out.
places() {
  awk '
    function put(at, old, new) { print FILENAME "\t" FNR "\t" at "\t" old "\t" new }
    FNR == 1 { comment = 0 }
    /^ *#/ { next }
    {
      line = $0; code = ""
      while (line != "") { # blanks in place of comments and strings
        if (comment) {
          at = index(line, "*/"); if (!at) { code = code sprintf("%*s", length(line), ""); line = ""; break }
          code = code sprintf("%*s", at + 1, ""); line = substr(line, at + 2); comment = 0
        } else if (match(line, /\/\*|"([^"\\]|\\.)*"/)) {
          code = code substr(line, 1, RSTART - 1)
          if (substr(line, RSTART, 1) == "\"") { code = code sprintf("%*s", RLENGTH, ""); line = substr(line, RSTART + RLENGTH) }
          else { code = code "  "; line = substr(line, RSTART + 2); comment = 1 }
        } else { code = code line; line = "" }
      }
      n = split("&&:||;||:&&; + : - ; - : + ; < : <= ; <= : < ; > : >= ; >= : > ; == : != ; != : == ; * : + ;1.0:2.0;0.5:0.25;+= :-= ;-= :+= ;true:false;false:true", rule, ";")
      for (r = 1; r <= n; r++) {
        split(rule[r], side, ":"); rest = code; skipped = 0
        while ((at = index(rest, side[1])) > 0) {
          before = substr(code, 1, skipped + at - 1)
          if (before !~ /^[a-z_ ]*[a-z_]$/ || side[1] != " * ") put(skipped + at, side[1], side[2])
          skipped += at + length(side[1]) - 1; rest = substr(code, skipped + 1)
        }
      }
    }' "$@"
}

# The tests of a level and of what stands on it, without those that take long.
tests_of() {
  case $1 in
  core | spatial | joint | model) echo '^(core|spatial|joint|model|dynamics-(inverse|kinematics|energy|armature)|io-(yaml|urdf)|house-odd)' ;;
  sweep | dynamics) echo '^(dynamics-|operator-(api|operators)|bits|house-odd)' ;;
  operator) echo '^(operator-|expr-(theory|run)$)' ;;
  closure) echo '^(closure-|example-)' ;;
  sens) echo '^sens-' ;;
  expr) echo '^(expr-|tools-language)' ;;
  io) echo '^(io-|tools-convert)' ;;
  *) echo "^$1-" ;;
  esac
}

mkdir -p "$work"
: >"$log"
tree=$work/tree
mkdir -p "$tree"
for item in CMakeLists.txt CMakePresets.json cmake include src tests tools examples docs scripts web README.md packages.txt Makefile; do
  rm -rf "${tree:?}/$item"
  cp -r "$item" "$tree/"
done
cd "$tree" || exit
cmake --preset release -DSOA_PYTHON=OFF -DSOA_MODULES=OFF >/dev/null &&
  cmake --build --preset release --parallel "$jobs" >/dev/null || { echo "mutants: the tree does not build" >&2; exit 1; }

# What the tests of a level are made of: programs of their names, and soa.
targets_of() {
  ctest --preset release -N -R "$(tests_of "$1")" -E "$slow" | sed -n 's/.*Test *#[0-9]*: //p' |
    grep -xF -f <(ninja -C build -t targets all | sed -n 's/: phony$//p')
  echo soa_tool
}

mapfile -t files < <(for f in "${folders[@]}"; do find "src/$f" -name '*.[ch]'; done | sort)
mapfile -t chosen < <(places "${files[@]}" | shuf -n "$count" --random-source=<(yes "$seed"))
for place in "${chosen[@]}"; do
  IFS=$'\t' read -r file line column old new <<<"$place"
  folder=${file#src/}
  folder=${folder%%/*}
  cp "$file" ../kept
  awk -v l="$line" -v c="$column" -v n="${#old}" -v new="$new" \
    'NR == l { $0 = substr($0, 1, c - 1) new substr($0, c + n) } { print }' ../kept >"$file"
  result=survived
  mapfile -t targets < <(targets_of "$folder")
  if ! cmake --build --preset release --parallel "$jobs" --target "${targets[@]}" >/dev/null 2>&1; then
    result=refused # the compiler finds it: no mutant
  elif ! timeout 900 ctest --preset release --parallel "$jobs" -R "$(tests_of "$folder")" \
    -E "$slow" --timeout 120 \
    --stop-on-failure >/dev/null 2>&1; then
    result=killed
  fi
  cp ../kept "$file"
  printf '%s\t%s\t%s:%s:%s\t%s->%s\n' "$result" "$folder" "$file" "$line" "$column" "$old" "$new" | tee -a ../mutants.txt
done
awk -F '\t' '$1 != "refused" { all[$2]++; total++; if ($1 == "killed") { killed[$2]++; sum++ } }
  END { for (f in all) printf "%-10s %3d of %3d killed, %5.1f %%\n", f, killed[f], all[f], 100 * killed[f] / all[f] | "sort"
    close("sort"); if (total) printf "%-10s %3d of %3d killed, %5.1f %%\n", "all", sum, total, 100 * sum / total }' ../mutants.txt
