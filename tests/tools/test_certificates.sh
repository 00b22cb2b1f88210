#!/bin/sh
# Proofs and refutations that others can check.
#
# Certificates of every rule of the language, of every equation that the documentation proves and of those that tests state,
# checked by a program that shares no code with the prover. Changed certificates are found out.
set -eu
command -v python3 > /dev/null || { echo "no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check="$SOURCE/scripts/check_certificate.py"

sed -n 's/^\(X\|RULE\)(.*, "\(.*\)")$/\2/p' "$SOURCE/src/operator/identities.def" "$SOURCE/src/expr/rules.def" > "$work/equations"
cat "$SOURCE"/README.md "$SOURCE"/docs/*.md | sed -n 's/^soa prove "\([^"]*\)".*/\1/p' >> "$work/equations"
sed -n 's/^STATED("\(.*\)")$/\1/p' "$SOURCE/tests/expr/stated_true.def" | sed 's/\\n/; /g' >> "$work/equations"
cat >> "$work/equations" << 'END'
(Mass + D)^-1 Mass = I - (Mass + D)^-1 D
x: joint force; y: joint force; x' Mass^-1 y = y' Mass^-1 x
S: point motion -> point force, symmetric, positive; (Mass + J' S J)^-1 = Mass^-1 - Mass^-1 J' (S^-1 + Lambda)^-1 J Mass^-1
d(d(phi, q_1), q_2) = d(d(phi, q_2), q_1) + d(phi d(E_phi, q_1) phi, q_2) - d(phi d(E_phi, q_2) phi, q_1)
END
proved=0
while IFS= read -r equation; do
    if "$SOA" prove "$equation" --seconds 300 --certificate "$work/one" > "$work/said" 2>&1; then
        cat "$work/one" >> "$work/all"
        proved=$((proved + 1))
    else
        head -1 "$work/said" | grep -q '^false' || { echo "FAILED: $equation"; cat "$work/said"; exit 1; }
    fi
done < "$work/equations"
python3 "$check" "$work/all" > "$work/checked" || { grep WRONG "$work/checked"; exit 1; }
right=$(grep -c '^right' "$work/checked")
[ "$right" -eq "$proved" ] && [ "$proved" -ge 440 ] || { echo "$right of $proved"; exit 1; }

# What is changed is wrong: a factor, a relation, an adjoint, the statement, a line left out.
find_changes() {
    "$SOA" prove "$1" --certificate "$work/one" > /dev/null
    shift
    for change; do
        sed "$change" "$work/one" > "$work/changed"
        if ! cmp -s "$work/one" "$work/changed" && python3 "$check" "$work/changed" > /dev/null; then
            echo "not found out: $change"
            exit 1
        fi
    done
}
find_changes "(Mass + D)^-1 Mass = I - (Mass + D)^-1 D" '/^sum/,$s/^  1 /  2 /' "s/{ phi/{ psi/" "/^statement/s/I - /I + /" '/^sum/{n;d;}' '/^  /s/phi/phi~/' 's/^theory plain/theory rotors/; s/ of / of 2 /'
find_changes "trace(tau) = trace(I[joint force])" 's/joint force/body force/g' 's/ is trace/ is 2 trace/' 's/^  1 /  2 /'
find_changes "logdet(H P H') = logdet(Mass)" 's/ as D/ as P/' 's/is logdet(D)/is logdet(P)/' 's/^  -1 /  1 /'
find_changes "phi[2,2] P[2] = P[2]" 's/{ I\[body force\]\[2\]/{ I[body force][1]/' 's/phi P/phi~ P/'
find_changes "phi[3,2] = 0" 's/\[2\]/[4]/g' "s/ phi / phi' /g"

# Nothing is written for what is false.
rm -f "$work/one"
if "$SOA" prove "phi = psi" --certificate "$work/one" > /dev/null || [ -e "$work/one" ]; then
    echo "a certificate of what is false"
    exit 1
fi

# A counterexample is a command line: what it prints is not zero.
while IFS= read -r equation; do
    if "$SOA" prove "$equation" > "$work/said" 2>&1; then
        echo "proved: $equation"
        exit 1
    fi
    line=$(sed -n 's/^replay: soa //p' "$work/said")
    [ -n "$line" ] || { echo "no replay: $equation"; cat "$work/said"; exit 1; }
    eval "\"\$SOA\" $line --json" > "$work/value"
    tr -c '0-9.e+-' '\n' < "$work/value" | awk '$1 + 0 > 1e-9 || $1 + 0 < -1e-9 { found = 1 } END { exit !found }' ||
        { echo "all is zero: $line"; exit 1; }
done << 'END'
C + Arm beta = H phi (M phi' a + b) + Arm beta
phi = I + E_phi + E_phi E_phi + E_phi E_phi E_phi
x: joint force; J Mass^-1 x = J D^-1 x
S: joint motion -> joint force, symmetric, positive; Mass^-1 S Mass^-1 = S^-1
N: body motion -> body force, memoryless; N phi' H' = M phi' H'
A J = A B' phi' psi' H'
d(Mass, q_2) = 0
D^(1/2) beta = D^(1/2) betadot
f_c' J beta = f_c' J betadot
Mass^-1 = (I - H phi K)' D^-1 (I - H phi K)
END
echo "$right certificates are right"
