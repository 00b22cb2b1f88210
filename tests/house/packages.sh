#!/usr/bin/env bash
# scripts/packages.sh with a false dpkg-query, apt-get and id: what it says and
# does when all is there, when something is missing, as root and not.
# Usage: packages.sh ROOT SCRATCH
set -euo pipefail
root=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/bin"

cat >"$scratch/list.txt" <<'EOF'
# a comment
[build]
gcc   # a compiler
cmake
[test]
libcmocka-dev
EOF
cat >"$scratch/bin/dpkg-query" <<'EOF'
#!/bin/sh
for p in $FALSE_INSTALLED; do
  case $p in *:*) echo "installed ${p%%:*}, other (= 1), ${p#*:} (= 2)" ;; *) echo "installed $p, " ;; esac
done
echo "config-files libcmocka-dev, "
EOF
cat >"$scratch/bin/apt-get" <<'EOF'
#!/bin/sh
echo "$*" >>"$FALSE_LOG"
case "$1" in install) [ -e "$FALSE_LOG.updated" ] || exit 100 ;; update) : >"$FALSE_LOG.updated" ;; esac
EOF
cat >"$scratch/bin/id" <<'EOF'
#!/bin/sh
echo "$FALSE_ID"
EOF
chmod +x "$scratch/bin/"*

run() { # INSTALLED ID SECTION...: output in $output, status in $status
  status=0
  output=$(FALSE_INSTALLED=$1 FALSE_ID=$2 FALSE_LOG=$scratch/log SOA_PACKAGES=$scratch/list.txt \
    PATH=$scratch/bin:$PATH bash "$root/scripts/packages.sh" "${@:3}" 2>&1) || status=$?
}
expect() { # STATUS PATTERN
  [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output"; exit 1; }
  # shellcheck disable=SC2053 # a pattern
  [[ $output == $2 ]] || { echo "'$output' is not like '$2'"; exit 1; }
}

run "gcc cmake libcmocka-dev" 1000
expect 0 ""
run "gcc cmake" 1000 build
expect 0 ""
run "gcc make-of-others:cmake" 1000 build # one provides the other
expect 0 ""
run "gcc" 1000
expect 1 "*apt-get install --no-install-recommends cmake libcmocka-dev"
run "gcc" 1000 nosuch
expect 2 "*no section*nosuch*"
[ ! -e "$scratch/log" ] || { echo "apt-get was called without need"; exit 1; }
run "gcc" 0
expect 0 "*installing cmake libcmocka-dev"
diff - "$scratch/log" <<'EOF'
install -y -qq --no-install-recommends cmake libcmocka-dev
update -qq
install -y -qq --no-install-recommends cmake libcmocka-dev
EOF

# The real list: no package twice in a section, every section has some.
awk '{ sub(/#.*/, "") } /^\[/ { s = $1; n[s] = 0; next } NF { n[s]++; if (seen[s, $1]++) { print $1 " twice in " s; bad = 1 } }
  END { for (s in n) if (!n[s]) { print s " is empty"; bad = 1 } exit bad }' "$root/packages.txt"
