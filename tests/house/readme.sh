#!/usr/bin/env bash
# README.md shows examples/readme.c, line by line. Usage: readme.sh ROOT
set -euo pipefail
cd "$1"
awk '/^```c$/ { shown = 1; next } /^```$/ { shown = 0 } shown' README.md | diff - examples/readme.c || {
  echo "README.md and examples/readme.c differ; make them equal" >&2
  exit 1
}
for command in "make demo" "make check"; do
  grep -qF "$command" README.md || { echo "README.md does not show '$command'" >&2; exit 1; }
done
# Every file the README points to is there.
status=0
while IFS= read -r path; do
  [ -e "$path" ] || { echo "README.md points to $path, which is not there" >&2; status=1; }
done < <(grep -oE '\]\([^)#]+' README.md | sed 's/^](//' | grep -v '^http')
exit $status
