# What --latex writes compiles, by a TeX if there is one.
. "$(dirname "$0")/expect.sh"
command -v pdflatex >/dev/null || exit 77

{
  printf '\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n'
  for text in "Mass^-1 T" "C" "X f" "inv(A Lambda A') A J betadot" "D^(-1/2) (I - H psi K) T" "2.5e-7 taubar f - tau f" \
    "phi~' V + psi~' V" "S: point motion -> point force, symmetric; S J beta" "T_p2 = T - C; Mass^-1 T_p2" \
    "d(Mass^-1 (T - C), q_2)" "d(d(psi, q_1), q_shoulder_pan)" "d(Ups, q_3) f" "beta' Mass beta"; do
    "$SOA" explain "$text" --latex || fail "explain $text"
    "$SOA" explain "$text" --levels --latex || fail "explain --levels $text"
  done
  for text in "J Mass^-1 J'" "Mass^-1 T - Mass^-1 J' A' inv(A J Mass^-1 J' A') A J Mass^-1 T" "d(Mass^-1, q_elbow) T"; do
    "$SOA" simplify "$text" --latex || fail "simplify $text"
  done
  for text in "(I - H psi K) H phi = H psi" "Mass = (I + H phi K) D (I + H phi K)'" "d(phi, q_1) = d(phi~, q_1)"; do
    "$SOA" prove "$text" --latex || fail "prove $text"
  done
  "$SOA" prove "phi = psi" --latex
  "$SOA" explain "$SOURCE/examples/operators.soa" --latex || fail "explain a program"
  printf '\\end{document}\n'
} >"$WORK/all.tex"
(cd "$WORK" && pdflatex -halt-on-error -interaction=nonstopmode all.tex) >"$WORK/out" || {
  fail "pdflatex refuses it"
  grep -A 8 '^!' "$WORK/out"
}
done_testing
