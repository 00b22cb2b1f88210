#!/usr/bin/env bash
# Makes sure that the packages of the named sections of packages.txt are there
# (default: build test). Silent when they are. Installs the missing ones when
# root; otherwise prints the command and fails.
# Usage: scripts/packages.sh [SECTION...]
set -euo pipefail
list=${SOA_PACKAGES:-$(dirname "$0")/../packages.txt}
[ $# -gt 0 ] || set -- build test

# The packages of one section.
section() {
  awk -v wanted="[$1]" '
    { sub(/#.*/, ""); gsub(/[ \t\r]+/, "") }
    /^\[/ { on = $0 == wanted; seen = seen || on; next }
    on && $0 != "" { print }
    END { exit !seen }' "$list" || { echo "packages: $list has no section [$1]" >&2; exit 2; }
}

names=$(for name in "$@"; do section "$name" || exit; done | sort -u)

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "packages: not a Debian system; provide what packages.txt lists ($*)" >&2
  exit 0
fi

# What is installed, and what that provides: the nodejs of others has npm in it, and conflicts with Debian's.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}, ${Provides}\n' | sed -n 's/^installed //p' | tr ',' '\n' | sed 's/(.*//; s/ //g' | sort -u)
missing=$(printf '%s\n' "$names" | grep -vxF "$installed" | tr '\n' ' ') || true
missing=${missing% }
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "packages: missing; run" >&2
  echo "    sudo apt-get install --no-install-recommends $missing" >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
echo "packages: installing $missing"
# The lists may be absent or too old: then fetch them, once.
# shellcheck disable=SC2086
if ! apt-get install -y -qq --no-install-recommends $missing </dev/null >/dev/null 2>&1; then
  apt-get update -qq </dev/null
  apt-get install -y -qq --no-install-recommends $missing </dev/null >/dev/null
fi
