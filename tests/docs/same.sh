#!/usr/bin/env bash
# A file is what a command prints. Usage: same.sh FILE HOW-TO-UPDATE COMMAND...
set -euo pipefail
file=$1 how=$2
shift 2
"$@" | diff "$file" - || {
  echo "$file is not what '$1' prints (>); run '$how'" >&2
  exit 1
}
