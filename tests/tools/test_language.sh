# soa eval, explain, simplify, prove and repl: expressions and programs.
. "$(dirname "$0")/expect.sh"

# Values: an expression is what it is equal to.
q=0.2,0.5,-0.3,1.4,0.1,1.2,0.4
run 0 eval builtin:arm7 "H phi M phi' H'" --q $q --json
json_has rows=7 cols=7 value=7 value.6=7
cp "$WORK/out" "$WORK/mass"
printf '{"states": [{"q": [%s], "v": [1,2,3,4,5,6,7], "tau": [7,6,5,4,3,2,1]}]}' $q >"$WORK/states.json"
run 0 compute builtin:arm7 --what mass --states "$WORK/states.json" --json
"$COMPUTE_CHECK" matrix mass "$WORK/mass" <"$WORK/out" || fail "H phi M phi' H' is not the mass of compute"
run 0 eval builtin:arm7 "Mass^-1 (T - C)" --q $q --v 1,2,3,4,5,6,7 --tau 7,6,5,4,3,2,1 --json
json_has rows=7 cols=1 value=7
value=$(sed -n 's/^  "value": \[\([^,]*\),.*/\1/p' "$WORK/out")
run 0 compute builtin:arm7 --what fd --states "$WORK/states.json" --json
grep -o '"vdot": \[[^,]*' "$WORK/out" | sed 's/.*\[//' >"$WORK/vdot"
awk -v a="$value" -v b="$(cat "$WORK/vdot")" 'BEGIN { d = a - b; exit !(d * d < 1e-18 * (1 + b * b)) }' ||
  fail "Mass^-1 (T - C) is $value, forward dynamics $(cat "$WORK/vdot")"
run 0 eval builtin:arm7 "0.5 beta' Mass beta" --q $q --v 1,2,3,4,5,6,7 --json
json_has rows=1 cols=1 "type:number"
run 0 eval builtin:arm7 "x: joint force = 1,0,0,0,0,0,0; Mass^-1 x" --json
json_has rows=7 results=1
run 0 eval builtin:arm7 "Mass^-1 x" --let "x: joint force = 1,0,0,0,0,0,0"
out_has "joint force -> joint acceleration"
printf 'W = I - H psi K\n' >"$WORK/filter.soa"
run 0 eval builtin:arm7 "W' D^-1 W" --file "$WORK/filter.soa" --q $q --json
json_has rows=7 cols=7
printf "Tp = T - H phi (M phi' a + b)  # no bias\nbetadot = Mass^-1 Tp\n" >"$WORK/fd.soa"
run 0 eval builtin:arm7 "$WORK/fd.soa" --json
json_has results=2 results.0.name:Tp results.1.name:betadot
run 1 eval builtin:arm7 "Mass^-1 x" --let "x: joint force"
err_has "'x' has no numbers"
run 1 eval builtin:arm7 "Mass^-1 x" --let "x: joint force = 1,2"
err_has "'x' has 2 numbers; it needs 7"
run 1 eval builtin:arm7 "A J beta" --at tool
err_has "needs the constraints A"
run 1 eval builtin:arm7 "A J beta" --at tool --join
err_has "needs points in pairs"
run 0 eval builtin:arm7 "A J beta" --at tool --rows 0,0,0,0,0,1 --v 1,1,1,1,1,1,1 --json
json_has rows=1
run 1 eval builtin:arm7 "A J beta" --at tool --rows 0,0,1
err_has "a row has 6"
run 1 eval builtin:arm7 I
err_has "could have any type"
run 0 eval builtin:arm7 "I[joint force]" --json
json_has rows=7 cols=7
run 1 eval builtin:arm7 ""
run 1 eval builtin:arm7 "$WORK/none.soa"
err_has "cannot be read"

# The example, line by line: two arms that hold each other have no gap between their tips.
run 0 eval builtin:dual-arm "$SOURCE/examples/operators.soa" --at left/tool --at right/tool --join --json \
  --q 0.1,0.3,-0.4,0.2,1.1,0.3,0.7,0.2,-0.3,-0.4,0.5,1.2,-0.3,0.8,0.1 \
  --tau 1,2,3,4,5,1,0.5,0.1,-1,-2,-3,4,1,0.5,0.2 --force 0,0,0,10,0,-5,0,0,0,0,0,0
json_has results.1.name:betadot results.3.rows=12 rows=6
sed -n 's/^  "value": \[\(.*\)\],$/\1/p' "$WORK/out" | tr ',' '\n' |
  awk '{ if ($1 * $1 > 1e-18) exit 1; n++ } END { exit n != 6 }' || fail "the tips come apart"

# Where it is wrong, in words, with a caret.
run 1 eval builtin:arm7 "phi beta"
err_has "phi takes a body force; beta is a joint velocity (did you mean H' beta?)"
grep -q '^      ^$' "$WORK/err" || fail "no caret under the place"
printf 'x = T\ny = phi (x\n' >"$WORK/wrong.soa"
run 1 explain "$WORK/wrong.soa"
err_has "wrong.soa:2: this parenthesis is never closed"
run 1 explain "x: joint force"
err_has "no expression to explain"

# Explain.
run 0 explain "(I - H psi K)' D^-1 (I - H psi K) T"
out_has "type    joint force -> joint acceleration"
out_has "(symmetric positive definite operator on T)"
out_has "2 sweeps"
out_has "inward"
out_has "outward"
run 0 explain "Mass^-1 T" --latex
out_has '\\'
run 0 explain "Mass^-1 T" --levels
run 0 explain "Mass^-1 T" --dot "$WORK/plan.dot" --svg "$WORK/plan.svg"
grep -q digraph "$WORK/plan.dot" || fail "no graph"
grep -q '<svg' "$WORK/plan.svg" || fail "no picture"
run 0 explain "$SOURCE/examples/operators.soa"
out_has "betadot_tip = "

# Simplify: the first line is the expression.
first_is() {
  [ "$(head -1 "$WORK/out")" = "$1" ] || fail "the first line is '$(head -1 "$WORK/out")', not '$1'"
}
run 0 simplify "J Mass^-1 J'" --seconds 0
first_is "B' psi' H' D^-1 H psi B"
out_has "O(N^3)"
out_has "O(N), 2 sweeps"
out_has "[I6]"
run 0 simplify "Mass^-1 T" --unicode --seconds 0
first_is "(I - H ψ K)* D⁻¹ (I - H ψ K) T"
run 0 simplify "W T" --let "W = Mass^-1" --seconds 0
first_is "(I - H psi K)' D^-1 (I - H psi K) T"
run 1 simplify ""
run 2 simplify

# Prove: first line and exit status.
run 0 prove "(I - H psi K) H phi = H psi" --seconds 0
grep -q '^proved in [0-9]* steps$' "$WORK/out" || fail "prove does not say in how many steps"
head -1 "$WORK/out" | grep -q '^proved in' || fail "prove does not begin with it"
run 1 prove "(I - H psi K) H phi = H phi" --seconds 0
head -1 "$WORK/out" | grep -q '^false: ' || fail "false is not said first"
out_has "counterexample: builtin:tree:"
out_has "replay: soa eval builtin:tree:"
run 0 prove "W' D^-1 W = Mass^-1" --let "W = I - H psi K" --seconds 0
run 1 prove "Mass"
err_has "needs a ="
run 1 prove "Mass = T"
err_has "they cannot be equal"

# An expression may begin with a sign, with blanks in it or without, before options and behind them.
run 0 eval builtin:double-pendulum -T --tau 1,2
out_has "          -1          -2"
run 0 eval builtin:double-pendulum --tau -1,2 -T
out_has "           1          -2"
run 0 eval --tau 1,2 builtin:double-pendulum -T
run 0 eval builtin:double-pendulum --tau 1,2 -- -T
out_has "          -1          -2"
run 0 explain -psi
run 0 explain "-phi b"
run 0 simplify -2
run 0 prove -phi=-phi
run 2 explain --psi
err_has "'--psi' is not an option"
run 2 info -x builtin:arm7
err_has "is not an option"
run 0 explain -h
out_has "usage: soa explain"

# Derivatives.
run 0 eval builtin:double-pendulum "d(Mass, q_elbow)" --q 0.4,-0.9
out_has "     0.12533    0.062666"
run 0 explain "d(psi, q_1) f"
out_has "d(P(k), q_1)"
run 0 simplify "d(Mass Mass^-1, q_1)" --seconds 0
first_is "0[joint force -> joint force]"
run 0 prove "d(D^-1, q_3) = -D^-1 d(D, q_3) D^-1" --seconds 0
run 1 prove "d(D^-1, q_3) = D^-1 d(D, q_3) D^-1" --seconds 0
run 1 eval builtin:double-pendulum "d(Mass, q_3)"
err_has "q_3: the model has the velocities q_1 to q_2"
run 1 eval builtin:double-pendulum "d(d(D^(1/2), q_1), q_2)"
err_has "root"

# Lines, one after another.
printf 'w = Mass^-1 T\n:set tau 1,0,0,0,0,0,0\nw\n:type phi\nphi beta\n:prove H G = I\n:names\n:nmes\n:help\n:quit\nT\n' >"$WORK/lines"
"$SOA" repl builtin:arm7 <"$WORK/lines" >"$WORK/out" 2>"$WORK/err" || fail "repl fails"
out_has "body force -> body force, causal"
out_has "proved in"
out_has ":simplify EXPR"
grep -q "did you mean :names" "$WORK/err" || fail "repl does not know :nmes"
grep -q "phi takes a body force" "$WORK/err" || fail "repl does not say what is wrong"
# Parts of operators, alone: blocks as of the whole matrix, and numbers by blocks as by the matrix.
numbers() { grep -v '[a-zA-Z]' "$WORK/out" | awk -v r="$1" -v n="$2" 'NR > r && NR <= r + 6 { for (i = n + 1; i <= n + 6; i++) print $i }'; }
run 0 eval builtin:arm7 P --q $q --all
numbers 18 18 >"$WORK/block"
for part in "P(4)" "P[4]" "P[link4]" "x: joint force; P[4, link4]"; do
    run 0 eval builtin:arm7 "$part" --q $q
    numbers 0 0 | cmp -s - "$WORK/block" || fail "$WHAT: not the block of the matrix"
done
run 0 eval builtin:arm7 phi --q $q --all
numbers 12 24 >"$WORK/block"
run 0 eval builtin:arm7 "phi[link3,link5]" --q $q
numbers 0 0 | cmp -s - "$WORK/block" || fail "$WHAT: not the block of the matrix"
run 0 eval builtin:arm7 "beta[3]" --v 1,2,3,4,5,6,7 --json
json_has value=1 value.0~3
# Mass by its factors, and as a matrix that no rule knows; det Mass of a pendulum is 0.46646 * 0.042687 - 0.11289^2.
run 0 eval builtin:double-pendulum "logdet(Mass)" --q 0.3,0.5 --json
json_has value~-4.93826
run 0 eval builtin:double-pendulum "logdet(Mass + 0 D)" --q 0.3,0.5 --json
json_has value~-4.93826
run 0 eval builtin:double-pendulum "trace(Mass)" --q 0.3,0.5 --json
json_has value~0.509147
run 0 eval builtin:double-pendulum "diag(Mass)" --q 0.3,0.5 --json
json_has value=2 value.0~0.46646 value.1~0.042687
run 0 eval builtin:double-pendulum "0.5 (d(Mass, q_1) + 2 d(Mass, q_2))" --q 0.3,0.5
numbers 0 0 >"$WORK/block"
run 0 eval builtin:double-pendulum "dot(Mass)" --q 0.3,0.5 --v 0.5,1
numbers 0 0 | cmp -s - "$WORK/block" || fail "$WHAT: not the sum of the derivatives"
run 0 eval builtin:chain:20000 "logdet(Mass)"
printf 'D(2)\nP(1)\nlogdet(Mass)\nP(7)\ntrace(D)\n' | "$SOA" repl builtin:double-pendulum >"$WORK/out" 2>"$WORK/err"
WHAT="parts in the repl"
out_has "trace(D)"
err_has "there is no body 7"
run 0 eval builtin:arm7 "dot(V) - phi' (H' betadot + a - g)" -r 2
out_has "motion"
run 1 eval builtin:arm7 "P(8)"
err_has "bodies count from 1 to 7"
run 1 eval builtin:arm7 "P[nowhere]"
err_has "no link or frame 'nowhere'"
run 1 eval builtin:arm7 "J[link4]" --at tool
err_has "only what is of bodies or joints"
run 1 eval builtin:arm7 "trace(H)"
err_has "from joints to joints"
run 1 eval builtin:arm7 "logdet(-D)"
err_has "not positive"
run 0 eval builtin:arm7 "2 +
trace(I[joint force])"
out_has " 9"
run 0 eval builtin:arm7 "1/2 trace(I[joint force]) + 1/2"
out_has " 4"
run 0 explain "logdet(Mass)"
out_has "number"
run 0 simplify "P(4)" --seconds 0
out_has "P"
run 0 eval builtin:hexapod "A J beta"
err_has "operators other than A: 6 closures left out"

# States of eval: named, random, some numbers by name.
run 0 eval builtin:double-pendulum Mass --random 2 --json
json_has states=2 states.1.rows=2
run 0 eval builtin:double-pendulum Mass --random 2
out_has "state 1"
run 0 eval builtin:arm7 Mass --from home --json
json_has rows=7 notes=0
run 0 eval builtin:arm7 T --tau joint2=3 --json
json_has value.1~3 value.2~0
run 2 eval builtin:arm7 T --from home --random 1
err_has "give either"

# A disk that is full.
if [ -w /dev/full ]; then
    echo Mass | "$SOA" repl builtin:pendulum >/dev/full 2>"$WORK/err" && fail "repl on a full disk exits 0"
    err_has "cannot write the output"
fi
# A function of as many parameters as there may be.
run 0 eval builtin:pendulum "let f(s, t, u, w, x, y, z, n) = s + 2 t + 3 u + 4 w + 5 x + 6 y + 7 z + 8 n; f(T, T, T, T, T, T, T, 100 T)" --tau 1 --json
json_has rows=1 cols=1
grep -q '828' "$WORK/out" || fail "$WHAT: not 828"
# Limits of time: 0 is none, and a time that is too short is said so.
run 0 prove "psi = phi - phi K H psi" --seconds 0
out_has "proved in"
run 0 derive "Mass^-1 T" --seconds 0
out_has "sweeps"
run 1 prove "psi = phi - phi K H psi" --seconds 1e-9
err_has "the search was stopped before it began; give it more time"
done_testing
