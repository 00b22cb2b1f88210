#!/usr/bin/env bash
# Every file that a page points to is there, and so is every path of the tree that it
# names in code; no page speaks of a place on somebody's machine.
# Usage: links.sh ROOT PAGE...
set -euo pipefail
root=$1
shift
status=0

wrong() {
  echo "$1" >&2
  status=1
}

for page in "$@"; do
  folder=$(dirname "$page")
  while IFS= read -r path; do
    [ -e "$folder/$path" ] || wrong "$page points to $path, which is not there"
  done < <(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^https?:' || true)
  while IFS= read -r path; do
    [ -e "$root/$path" ] || wrong "$page names $path, which is not there"
  done < <(grep -oE '`(src|include|tests|scripts|tools|examples|docs|cmake)/[A-Za-z0-9_./-]+`' "$page" | tr -d '\`' | grep -v '[A-Z][A-Z]' || true)
  ! grep -nE '(^|[ "`(])/(work|root|home|tmp)/' "$page" || wrong "$page names a place on a machine"
done
exit $status
