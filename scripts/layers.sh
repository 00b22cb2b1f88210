#!/usr/bin/env bash
# Who may include whom: a file of a level includes its own and lower levels
# alone, tools/ and web/ the public headers alone, and expat, yaml and jansson stay out
# of libsoa. Usage: scripts/layers.sh [ROOT]; the offending lines are printed.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

levels="core spatial joint model sweep operator dynamics closure flex sens force system expr sim io"

files=()
while IFS= read -r -d '' file; do
  files+=("$file")
done < <(find include src tools web/src -type f \( -name '*.c' -o -name '*.cc' -o -name '*.h' -o -name '*.inc' -o -name '*.def' \) -print0 2>/dev/null)
[ ${#files[@]} -gt 0 ] || { echo "layers: no sources under $PWD" >&2; exit 2; }

awk -v levels="$levels" '
  function bad(why) {
    printf "%s:%d: %s; %s\n", FILENAME, FNR, header, why
    failed = 1
  }
  # The level a header belongs to; "" for a system header.
  function level_of(header,   part, n, name) {
    n = split(header, part, "/")
    if (n == 1) return ""
    if (part[1] != "soa") return part[1] in rank ? part[1] : ""
    name = part[2]
    sub(/\.h$/, "", name)
    if (name == "soa") return "sim"
    if (name == "batch") return "dynamics" # its second header
    if (name == "flexible") return "model" # the same
    if (name == "scenario") return "io"
    if (name ~ /^(christoffel|parameters|linear|sens_batch)$/) return "sens"
    return name in rank ? name : "unknown"
  }
  function exists(path,   line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
  }
  BEGIN {
    count = split(levels, order, " ")
    for (i = 1; i <= count; i++) rank[order[i]] = i
  }
  FNR == 1 {
    split(FILENAME, at, "/")
    area = at[1]
    folder = FILENAME
    sub(/\/[^\/]*$/, "", folder)
    own = at[2]
    if (area == "include") {
      own = at[3]
      sub(/\.h$/, "", own)
      if (own == "batch") own = "dynamics"
      if (own == "flexible") own = "model"
    }
    if (area == "src" && !(own in rank)) {
      header = "folder " own
      bad("it is not one of the levels: " levels)
    }
  }
  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    header = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", header)
    sub(/[">].*$/, "", header)
    quoted = $0 ~ /include[ \t]*"/
    level = level_of(header)
    if (header ~ /(^|\/)\.\.\//) {
      bad("name a header from src/ or include/, not by ..")
    } else if (area == "tools" || area == "web") {
      if (header ~ /^soa\// ) next
      if (level != "") bad(area "/ uses the public headers soa/*.h alone")
      else if (quoted && !exists(folder "/" header) && !exists(area "/" header)) bad(area "/ uses the public headers soa/*.h alone")
    } else {
      if (header ~ /^(expat|expat_external|yaml|jansson)\.h$/ && own != "io") bad("only src/io may use it")
      if (level == "unknown") {
        bad("no level has this public header")
      } else if (level != "" && own in rank && rank[level] > rank[own]) {
        bad("level " own " may not use " level " (order: " levels ")")
      } else if (area == "include" && quoted && header !~ /^soa\//) {
        bad("a public header includes public headers alone")
      }
    }
  }
  END { exit failed }
' "${files[@]}" || { echo "layers: the includes above break the order of the levels" >&2; exit 1; }
