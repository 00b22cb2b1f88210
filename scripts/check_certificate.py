#!/usr/bin/env python3
"""Checks proofs that `soa prove ... --certificate FILE` wrote. It shares no code with soa.

usage: check_certificate.py FILE...

A certificate says that LEFT - RIGHT of its statement is a sum of multiples of relations
that are zero. This program has the axioms of the operators in its own words (AXIOMS
below), multiplies the sum out exactly, as non-commutative polynomials with fractions,
and compares it with the statement. What a certificate brings along itself is either new
by definition (an inverse, a root) or shown by such a sum: that Y is the inverse of X,
because X Y = I, and that an inverse is its own adjoint. That the inverses in a statement
exist is taken for granted, as the statement does.
"""
import re
import sys
from fractions import Fraction

SYMMETRIC = "M R P D D^-1 Mass Mass^-1 Omega Ups X Lambda Arm".split()
VECTORS = "T beta betadot f_c V a b g b_Arm alpha f C".split()

# What is zero for every system; for one without rotors; for one with rotors.
AXIOMS = {"any": """
    phi - E_phi phi - I
    phi - phi E_phi - I
    phi~ - phi + I
    psi - E_psi psi - I
    psi - psi E_psi - I
    psi~ - psi + I
    D D^-1 - I
    G - P H' D^-1
    tau - G H
    taubar - I + tau
    E_psi - E_phi + K H
    M - P + E_phi P E_phi' - K D K'
    M - R + E_phi R E_phi'
    D - H P H' - Arm
    K D - E_phi P H' - Gamma
    J - B' phi' H'
    Omega - psi' H' D^-1 H psi
    Omega - Ups - psi~' Ups - Ups psi~ - X
    Lambda - J Mass^-1 J'
    Mass^-1 Mass - I
    V - phi' H' beta
    alpha - phi' H' betadot - phi' a
    f - phi M alpha - phi b - phi B f_c
    V' b
""", "plain": """
    D - H P H'
    K - E_phi G
    Mass - H phi M phi' H'
    Ups G - H' D^-1
    C - H phi M phi' a - H phi b
    b_Arm
""", "rotors": """
    Mass - H phi M phi' H' - H phi Gamma - Gamma' phi' H' - Arm
    C - H phi M phi' a - H phi b - Gamma' phi' a - b_Arm
"""}

# Derivatives along a coordinate q; those not named here are zero (constants, what is given).
ELEMENTARY = "H E_phi B R P Ups a b g".split()
# By a velocity beta_1 or a force T_1 operators are constant. In time, d(A, t) or dot(A), positions move by beta.
ELEMENTARY_BY = {"beta_": "a b b_Arm beta".split(), "T_": ["T"]}
DERIVATIVES = {
    "phi": "phi d(E_phi, q) phi", "phi~": "d(phi, q)", "J": "d(B' phi' H', q)", "D": "d(H P H', q)",
    "D^-1": "-D^-1 d(D, q) D^-1", "G": "(d(P H', q) - G d(D, q)) D^-1",
    "K": "(d(E_phi P H', q) - K d(D, q)) D^-1", "tau": "d(G H, q)", "taubar": "-d(G H, q)",
    "E_psi": "d(E_phi - K H, q)", "psi": "psi d(E_psi, q) psi", "psi~": "d(psi, q)",
    "Omega": "d(phi' H' Mass^-1 H phi, q)", "X": "d(Omega - Ups - psi~' Ups - Ups psi~, q)",
    "Lambda": "d(J Mass^-1 J', q)", "Mass^-1": "-Mass^-1 d(Mass, q) Mass^-1",
    "V": "phi' (d(E_phi, q)' V + d(H' beta, q))",
    "alpha": "phi' (d(E_phi, q)' alpha + d(H' betadot + a, q))",
    "f": "phi (d(E_phi, q) f + d(M alpha + b + B f_c, q))"}
DERIVATIVES_PLAIN = {"Mass": "d(H phi M phi' H', q)", "C": "d(H phi (M phi' a + b), q)"}
DERIVATIVES_ROTORS = {"Mass": "d(H phi M phi' H' + H phi Gamma + Gamma' phi' H', q)",
                      "C": "d(H phi (M phi' a + b) + Gamma' phi' a + b_Arm, q)"}
TIME_LAW = "a - g - d(E_phi, t)' V - d(H, t)' beta"

# Operators whose blocks are of one body, from and to where: forces of bodies b or joints j, motions with '.
MEMORYLESS = {"M": "b' b", "R": "b' b", "P": "b' b", "Ups": "b b'", "tau": "b b", "taubar": "b b", "G": "j b", "H": "b j",
              "D": "j' j", "D^-1": "j j'", "Arm": "j' j"}
# Operators that take what is outboard to a body (their adjoints what is inboard): I at each body, or nothing there.
ONE_AT_BODIES = ["phi", "psi"]
STRICT = ["E_phi", "E_psi", "phi~", "psi~", "K"]
# Letters that give numbers of joints; all others give those of bodies, points or constraints.
GIVES = {"j": "H D D^-1 Mass Mass^-1 Arm G' K' Gamma' J'".split(), "p": "B' J Lambda".split(), "c": ["A"]}
PLACES = {"joint": "j", "body": "b", "point": "p", "constraint": "c"}
# logdet of a multiple of an operator: of which, and its sign. [I4]
DETERMINANTS = {"Mass": ("D", 1), "Mass^-1": ("D", -1), "D^-1": ("D", -1), "D": ("D", 1), "M": ("M", 1), "P": ("P", 1),
                "R": ("R", 1), "Lambda": ("Lambda", 1)}
DERIVED_LAWS = ["M - P + E_phi P E_phi' - K D K'", "M - R + E_phi R E_phi'"]


class Wrong(Exception):
    """Why a certificate does not hold."""


# ---- expressions: ('number', x) ('letter', name) ('sum', [..]) ('product', [..]) and one child -----------

# A block's projection I[body force][4], a number of the system, and a pseudo-inverse are letters, whatever is in them.
SELECTOR = re.compile(r"\s*(I\[(?:body|joint|point) force\]\[[^\]]*\])")
MEASURE = re.compile(r"\s*(trace|diag|logdet|pinv)\(")
TOKEN = re.compile(r"\s*(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|[A-Za-z_][A-Za-z0-9_]*~?|[-+/'^(),>\[\]])")


def measured(text, match):
    """trace(...), from where its name was found to the parenthesis that closes it."""
    end, depth = match.end(), 1
    while depth and end < len(text):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[match.start(1):end]


def tokens_of(text):
    tokens, at = [], 0
    while at < len(text.rstrip()):
        measure = MEASURE.match(text, at)
        if measure:
            tokens.append(measured(text, measure))
            at = measure.start(1) + len(tokens[-1])
            continue
        match = SELECTOR.match(text, at) or TOKEN.match(text, at)
        if not match:
            raise Wrong("cannot read: " + text[at:])
        tokens.append(match.group(1))
        at = match.end()
    return tokens + [""]


class Parser:
    """sum = [sign] product { sign product }; product = factor { factor | "/" number }"""

    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def take(self, token=None):
        got = self.tokens[self.at]
        if token is not None and got != token:
            raise Wrong("expected '%s', found '%s'" % (token, got))
        self.at += 1
        return got

    def all(self):
        node = self.sum()
        self.take("")
        return node

    def sum(self):
        parts = []
        while True:
            sign = 1
            while self.tokens[self.at] in ("+", "-"):
                sign = -sign if self.take() == "-" else sign
            product = self.product()
            parts.append(product if sign > 0 else ("product", [("number", Fraction(-1)), product]))
            if self.tokens[self.at] not in ("+", "-"):
                return ("sum", parts)

    def product(self):
        parts = [self.factor()]
        while True:
            token = self.tokens[self.at]
            if token == "/":
                self.take()
                parts.append(("number", 1 / Fraction(self.take())))
            elif token and (token[0].isalnum() or token[0] in "_(."):
                parts.append(self.factor())
            else:
                return ("product", parts)

    def atom(self):
        token = self.take()
        if token == "(":
            node = self.sum()
            self.take(")")
            return node
        if token in ("d", "dot") and self.tokens[self.at] == "(":
            self.take()
            node = self.sum()
            if token == "d":
                self.take(",")
            node = ("d", node, self.take() if token == "d" else "t")
            self.take(")")
            return node
        if token[0].isdigit() or token[0] == ".":
            node = ("number", Fraction(token))
        else:
            node = ("number", Fraction(1)) if token == "I" else ("letter", token)
            if node[0] == "letter" and (token.startswith("I[") or "(" in token):
                return node
        if self.tokens[self.at] == "[" and node[0] == "number":  # the type of I or 0
            while self.take() != "]":
                pass
        return node

    def factor(self):
        node = self.atom()
        while True:
            if self.tokens[self.at] == "'":
                self.take()
                node = ("adjoint", node)
            elif self.tokens[self.at] == "^":
                self.take()
                inside = self.tokens[self.at] == "("
                power = ""
                if inside:
                    self.take()
                    while self.tokens[self.at] not in (")", ""):
                        power += self.take()
                    self.take(")")
                else:
                    power = self.take() + self.take()
                if power not in ("-1", "1/2", "-1/2"):
                    raise Wrong("power " + power)
                node = ("inverse", node) if power[0] == "-" else node
                node = ("root", node) if "/" in power else node
            else:
                return node


def parse(text):
    return Parser(text).all()


# ---- polynomials: {(letter, letter, ...): factor} -------------------------------------------------------

class Algebra:
    """Letters with their adjoints, and which of them are vectors."""

    def __init__(self):
        self.symmetric = set(SYMMETRIC)
        self.vectors, self.numbers = set(VECTORS), set()
        self.rotors = False
        self.inverses = {}  # letter: polynomial that it is the inverse of
        self.roots = {}  # letter: (polynomial, 'to' or 'from')
        self.values = []  # (X, Y): Y is the inverse of X
        self.declared = {}  # what operators of the user, and their adjoints, give
        self.rates = {}  # what derivatives of traces and determinants are, by their names
        self.readings = None  # which way each root of a statement is read
        self.axioms = set()
        self.parts = set()  # projections of blocks and pseudo-inverses that are written

    def adjoint_letter(self, letter):
        base = letter[2:].split(",")[0].lstrip("d(") if letter.startswith("d(") else letter
        if base in self.symmetric or letter in self.numbers:
            return letter
        return letter[:-1] if letter.endswith("'") else letter + "'"

    def adjoint_word(self, word):
        return tuple(self.adjoint_letter(letter) for letter in reversed(word))

    def is_vector(self, letter):
        base = letter[2:].split(",")[0].lstrip("d(") if letter.startswith("d(") else letter
        return base in self.vectors and not letter.endswith("'")

    def is_number(self, word):
        """Whether it goes from a number to a number: x' A y."""
        return bool(word) and (word[0] in self.numbers or self.is_vector(self.adjoint_letter(word[0]))) and \
            (word[-1] in self.numbers or self.is_vector(word[-1]))

    def commuted(self, word):
        """Numbers in a word, x' A y, commute and are their own adjoints: they stand in order."""
        parts, begin = [], 0
        for i, letter in enumerate(word):
            if self.is_vector(letter) or letter in self.numbers or i + 1 == len(word):
                parts.append(word[begin:i + 1])
                begin = i + 1
        if not parts:
            return word
        begins_one = lambda p: p[0] in self.numbers or self.is_vector(self.adjoint_letter(p[0]))
        ends_one = lambda p: p[-1] in self.numbers or self.is_vector(p[-1])
        scalars = [p for p in parts if begins_one(p) and ends_one(p)]
        others = [p for p in parts if not (begins_one(p) and ends_one(p))]
        if not scalars:
            return word
        scalars = sorted(min(p, self.adjoint_word(p)) for p in scalars)
        first = [p for p in others if not begins_one(p)]
        last = [p for p in others if begins_one(p)]
        return tuple(x for p in first + scalars + last for x in p)

    def add(self, to, factor, word):
        word = self.commuted(word)
        total = to.get(word, 0) + factor
        if total:
            to[word] = total
        else:
            to.pop(word, None)

    def multiply(self, a, b):
        made = {}
        for x, p in a.items():
            for y, q in b.items():
                self.add(made, p * q, x + y)
        return made

    def adjoint(self, a):
        made = {}
        for word, factor in a.items():
            self.add(made, factor, self.adjoint_word(word))
        return made

    def minus(self, a, b):
        made = dict(a)
        for word, factor in b.items():
            self.add(made, -factor, word)
        return made

    # ---- derivatives ----

    def derivative_of_letter(self, letter, q):
        more = DERIVATIVES_ROTORS if self.rotors else DERIVATIVES_PLAIN
        text = DERIVATIVES.get(letter) or more.get(letter)
        base = letter[2:].split(",")[0].lstrip("d(") if letter.startswith("d(") else letter
        if "(" in letter and not letter.startswith("d("):
            name = "d(%s, %s)" % (letter, q)
            self.numbers.add(name)
            return ("letter", name)
        if q == "t" and base == "beta":
            return ("letter", "betadot") if letter == base else ("number", Fraction(0))
        if q == "t" and base in ("T", "betadot", "f_c", "a", "b", "b_Arm"):
            raise Wrong("the rate of " + letter)
        elementary = next((x for by, x in ELEMENTARY_BY.items() if q.startswith(by)), ELEMENTARY)
        if elementary is not ELEMENTARY and base not in elementary and base not in VECTORS:
            return ("number", Fraction(0))
        if base in elementary and not (base in ("beta", "T") and letter != base):
            return ("letter", "d(%s,%s)" % (letter, q))
        if letter.startswith("d(") and elementary is ELEMENTARY and base not in ("beta", "T"):
            return ("letter", "d(%s,%s)" % (letter, q))
        return self.expand(parse(re.sub(r"\bq\b", q, text))) if text else ("number", Fraction(0))

    def derivative(self, node, q):
        kind = node[0]
        if kind == "number":
            return ("number", Fraction(0))
        if kind == "letter":
            return self.derivative_of_letter(node[1], q)
        if kind == "sum":
            return ("sum", [self.derivative(x, q) for x in node[1]])
        if kind == "product":
            parts = node[1]
            return ("sum", [("product", parts[:i] + [self.derivative(x, q)] + parts[i + 1:])
                            for i, x in enumerate(parts)])
        if kind == "adjoint":
            return ("adjoint", self.derivative(node[1], q))
        if kind == "inverse":
            inner = self.derivative(node[1], q)
            if not self.poly(inner):
                return ("number", Fraction(0))
            return ("product", [("number", Fraction(-1)), node, inner, node])
        raise Wrong("the derivative of a root")

    def expand(self, node):
        """The same without derivatives but those of single letters."""
        kind = node[0]
        if kind == "d":
            return self.derivative(self.expand(node[1]), node[2])
        if kind in ("sum", "product"):
            return (kind, [self.expand(x) for x in node[1]])
        return (kind, self.expand(node[1])) if kind in ("adjoint", "inverse", "root") else node

    # ---- expressions as polynomials ----

    def inverse(self, X, node):
        if list(X) == [()]:
            return {(): 1 / X[()]}
        for of, is_ in self.values:
            if of == X:
                return is_
        if len(X) == 1:
            (word, factor), = X.items()
            pairs = {"D": "D^-1", "D^-1": "D", "Mass": "Mass^-1", "Mass^-1": "Mass"}
            if len(word) == 1 and word[0] in pairs:
                return {(pairs[word[0]],): 1 / factor}
        raise Wrong("an inverse has no value: " + shown(X))

    def root(self, X):
        way = self.readings.pop(0) if self.readings else 0
        for letter, (of, end) in self.roots.items():
            if of == X:
                return {(letter if (end == "to") == (way == 0) else self.adjoint_letter(letter),): Fraction(1)}
        raise Wrong("a root has no letter: " + shown(X))

    def poly(self, node):
        kind = node[0]
        if kind == "number":
            return {(): node[1]} if node[1] else {}
        if kind == "letter" and node[1].startswith("d(") and node[1] in self.rates:
            return self.rates[node[1]]
        if kind == "letter":
            made = {}
            self.add(made, Fraction(1), (node[1],))
            return made
        if kind == "sum":
            made = {}
            for part in node[1]:
                for word, factor in self.poly(part).items():
                    self.add(made, factor, word)
            return made
        if kind == "product":
            made = {(): Fraction(1)}
            for part in node[1]:
                made = self.multiply(made, self.poly(part))
            return made
        if kind == "adjoint":
            return self.adjoint(self.poly(node[1]))
        if kind == "inverse":
            return self.inverse(self.poly(node[1]), node)
        if kind == "root":
            return self.root(self.poly(node[1]))
        raise Wrong("a derivative that was not expanded")

    def read(self, text):
        return self.poly(self.expand(parse(text)))

    # ---- axioms ----

    def key(self, a):
        """A polynomial up to a factor."""
        if not a:
            return frozenset()
        lead = a[max(a)]
        return frozenset((word, factor / lead) for word, factor in a.items())

    def learn(self, zero):
        self.axioms.add(self.key(zero))
        self.axioms.add(self.key(self.adjoint(zero)))

    def learn_all(self, coordinates):
        for theory in ("any", "rotors" if self.rotors else "plain"):
            for line in AXIOMS[theory].strip().splitlines():
                self.learn(self.read(line))
        one = {(): Fraction(1)}
        for letter, X in self.inverses.items():
            i = {(letter,): Fraction(1)}
            self.learn(self.minus(self.multiply(i, X), one))
            self.learn(self.minus(self.multiply(X, i), one))
        for letter, (X, end) in self.roots.items():
            r = {(letter,): Fraction(1)}
            square = self.multiply(self.adjoint(r), r) if end == "to" else self.multiply(r, self.adjoint(r))
            self.learn(self.minus(square, X))
            for other, (Y, other_end) in self.roots.items():
                if other_end != end and self.is_inverse(X, Y):
                    s = {(other,): Fraction(1)}
                    self.learn(self.minus(self.multiply(r, s), one))
                    self.learn(self.minus(self.multiply(s, r), one))
        if "t" in coordinates:
            self.learn(self.read(TIME_LAW))
        self.learn_parts()
        for law in DERIVED_LAWS + ([] if self.rotors else ["Ups G - H' D^-1"]):
            for q in coordinates:
                self.learn(self.read("d(%s, %s)" % (law, q)))
                for p in coordinates:
                    self.learn(self.read("d(d(%s, %s), %s)" % (law, q, p)))

    def learn_parts(self):
        """S S = S, S A = A S for a memoryless A; A X A = A, X A X = X for a pseudo-inverse."""
        for letter in self.parts:
            x = {(letter,): Fraction(1)}
            if letter.startswith("pinv("):
                A = self.read(letter[5:-1])
                self.learn(self.minus(self.multiply(self.multiply(A, x), A), A))
                self.learn(self.minus(self.multiply(self.multiply(x, A), x), x))
            if letter.startswith("I["):
                self.learn(self.minus(self.multiply(x, x), x))
                body = letter[letter.index("]") + 1:]
                at = {"b": "I[body force]" + body, "j": "I[joint force]" + body}
                for op, (source, target) in ((op, ends.split()) for op, ends in MEMORYLESS.items()):
                    A = {(op,): Fraction(1)}
                    left = {(at[target[0]] + target[1:],): Fraction(1)}
                    right = {(at[source[0]] + source[1:],): Fraction(1)}
                    self.learn(self.minus(self.multiply(left, A), self.multiply(A, right)))

    # ---- blocks ----

    def base(self, letter):
        """A letter without its adjoint and derivatives."""
        inner = letter[2:].split(",")[0].lstrip("d(") if letter.startswith("d(") else letter
        return inner.rstrip("'")

    def way(self, word):
        """Of a product of causal operators: "" memoryless, "in" or "out", and whether it is strict; None: of no one way."""
        found, strict = "", False
        for letter in word:
            base = self.base(letter)
            if base in ONE_AT_BODIES + STRICT:
                here = "out" if letter.endswith("'") else "in"
                if found not in ("", here):
                    return None
                found, strict = here, strict or base in STRICT
            elif base not in MEMORYLESS and not base.startswith("I["):
                return None
        return found, strict

    def without_ones(self, word):
        return tuple(letter for letter in word if self.base(letter) not in ONE_AT_BODIES)

    def is_block_law(self, zero):
        """S A S = 0 for a strict A, S X S = 0, S A T = 0 where A leads from a body to one of lesser number or back; or
        S A S = A S without the factors of A that are I at each body."""
        word = max(zero, key=len)
        body = [letter[letter.index("]") + 1:].rstrip("'") if letter.startswith("I[") else "" for letter in word]
        if len(word) < 3 or not body[0] or not body[-1] or any(body[1:-1]) or len(zero) > 2:
            return False
        way = self.way(word[1:-1])
        if len(zero) == 2:
            other, = (w for w in zero if w != word)
            return body[0] == body[-1] and zero[other] == -zero[word] and bool(way) and not way[1] and \
                other in (self.without_ones(word[1:]), self.without_ones(word[:-1]))
        if body[0] == body[-1]:
            return word[1:-1] == ("X",) or bool(way and way[1])
        row, col = body[0].strip("[]"), body[-1].strip("[]")
        numbers = row.isdigit() and col.isdigit()
        return numbers and bool(way) and (way[0] == "" or (int(col) < int(row) if way[0] == "in" else int(row) < int(col)))

    # ---- traces and determinants ----

    def gives(self, letter):
        """The space that a letter gives numbers of."""
        if letter in self.inverses:
            return self.space_of(self.inverses[letter])
        if self.base(letter).startswith("I["):
            return PLACES[letter[2:].split()[0]]
        name = self.base(letter) + ("'" if letter.endswith("'") else "")
        if name in self.declared:
            return self.declared[name]
        return next((space for space, names in GIVES.items() if name in names), "b")

    def space_of(self, a):
        spaces = {self.gives(word[0]) for word in a if word}
        if len(spaces) != 1:
            raise Wrong("of which space is I in: " + shown(a))
        return spaces.pop()

    def add_turned(self, to, factor, a, place, turn):
        """Words up to turns, adjoints, and factors that are I at each body: what is equal then has one trace."""
        for word, f in a.items():
            way = self.way(word)
            if way and way[1]:
                continue
            kept = self.without_ones(word) if way else word
            turns = [kept[i:] + kept[:i] for i in range(len(kept) if turn else min(1, len(kept)))]
            turns += [self.adjoint_word(turn) for turn in turns]
            key = min(turns) if turns else ("I", place or (self.gives(word[0]) if word else self.space_of(a)))
            total = to.get(key, 0) + factor * f
            to[key] = total
            if not total:
                del to[key]

    def traced(self, to, factor, text, turn):
        """The words of trace(text), which turn, or of diag(text)."""
        place = re.fullmatch(r"I\[(\w+) force\]", text.strip())
        self.add_turned(to, factor, self.read(text), PLACES[place.group(1)] if place else None, turn)

    def check_measure(self, claim, below):
        """trace(A) is a sum of traces, or logdet(A) that of a multiple of an operator, by the lines below."""
        letter, _, rest = claim.partition(" is ")
        name, inside = letter.split("(", 1)[0], letter.split("(", 1)[1][:-1]
        if name in ("d", "dot"):  # of trace(A): trace(dA), diag alike; of logdet(A): trace(A^-1 dA)
            measure, _, q = inside.rpartition(", ") if name == "d" else (inside, "", "t")
            letter, dA = "d(%s, %s)" % (measure, q), "d(%s, %s)" % (measure.split("(", 1)[1][:-1], q)
            inside = dA if not measure.startswith("logdet(") else "(%s)^-1 %s" % (measure.split("(", 1)[1][:-1], dA)
            name = {"trace": "trace", "logdet": "trace", "diag": "diag"}.get(measure.split("(", 1)[0], "")
        is_ = self.read(rest.partition(" as ")[0])
        if name in ("trace", "diag"):
            rest, turn = {}, name == "trace"
            self.traced(rest, 1, inside, turn)
            for (number,), factor in is_.items():
                if not number.startswith(name + "("):
                    raise Wrong("no %s: %s" % (name, number))
                self.traced(rest, -factor, number[len(name) + 1:-1], turn)
            for line in below:
                self.add_turned(rest, -1, self.sum_of([line]), None, turn)
            fine = not rest
        else:
            ((op,), ratio), = self.read(rest.partition(" as ")[2]).items()
            ((number,), sign), = is_.items()
            target = (DETERMINANTS[op][0],), ratio if sign > 0 else 1 / ratio
            fine = name == "logdet" and sign == DETERMINANTS[op][1] and number.startswith("logdet(") and \
                self.read(number[7:-1]) == {target[0]: target[1]} and \
                self.sum_of(below) == self.minus(self.read(inside), {(op,): ratio})
        if not fine:
            raise Wrong("a measure is not shown: " + letter)
        self.rates[letter] = is_
        self.learn(self.minus(self.read(letter), is_))

    def is_inverse(self, X, Y):
        pairs = [("D", "D^-1"), ("D^-1", "D"), ("Mass", "Mass^-1"), ("Mass^-1", "Mass")]
        return (X, Y) in self.values or (Y, X) in self.values or \
            any(X == {(a,): 1} and Y == {(b,): 1} for a, b in pairs)

    def sum_of(self, lines):
        """What the lines `factor letters { relation } letters` add up to."""
        total = {}
        for line in lines:
            match = re.match(r"\s*(\S+)([^{]*)\{(.*)\}(.*)$", line)
            if not match:
                raise Wrong("no relation: " + line)
            factor, before, relation, after = match.groups()
            zero = self.read(relation)
            if self.key(zero) not in self.axioms and not self.is_block_law(zero):
                raise Wrong("no axiom: " + relation.strip())
            number = Fraction(1)
            for part in factor.split("/")[:1]:
                number = Fraction(part)
            for part in factor.split("/")[1:]:
                number /= Fraction(part)
            word = lambda text: self.read(text) if text.strip() else {(): Fraction(1)}
            part = self.multiply(self.multiply(word(before), zero), word(after))
            for w, f in part.items():
                self.add(total, number * f, w)
        return total


def shown(a):
    return " + ".join("%s %s" % (f, " ".join(w) or "I") for w, f in a.items()) or "0"


# ---- certificates -------------------------------------------------------------------------------------------

def sections(lines):
    """(first line, the indented lines below it) ..."""
    made = []
    for line in lines:
        if line.startswith(" "):
            made[-1][1].append(line)
        elif line.strip():
            made.append((line.rstrip("\n"), []))
    return made


def check(lines):
    parts = sections(lines)
    if not parts or parts[0][0] != "soa certificate 1" or parts[-1][0] != "end":
        raise Wrong("this is no whole certificate")
    algebra, statement, total, claims, assumed = Algebra(), None, None, [], []
    text = "".join(lines)
    coordinates = sorted(set(re.findall(r"\bq_\w+", text)) | ({"t"} if "dot(" in text else set()))
    algebra.parts = {match.group(1) for match in SELECTOR.finditer(text)}
    algebra.parts |= {measured(text, match) for match in re.finditer(r"\b(pinv)\(", text)}
    for head, below in parts:  # letters first: polynomials need to know them
        word, _, rest = head.partition(" ")
        if word == "symmetric":
            algebra.symmetric.add(rest)
            if rest[0] == "i" and rest[1:].isdigit():
                claims.append(("symmetric", rest, below))
        elif word in ("vector", "number"):
            (algebra.vectors if word == "vector" else algebra.numbers).add(rest)
        elif word == "operator":
            name, to, source = rest.rsplit(" ", 2)
            algebra.declared.update({name: PLACES.get(to, to), name + "'": PLACES.get(source, source)})
        elif word == "theory":
            algebra.rotors = rest == "rotors"
    for head, below in parts:
        word, _, rest = head.partition(" ")
        if word == "inverse":
            letter, _, of = rest.partition(" of ")
            if not re.match(r"i\d+$", letter) or letter in algebra.inverses:
                raise Wrong("no new letter: " + letter)
            algebra.inverses[letter] = algebra.read(of)
            if all(algebra.is_number(w) for w in algebra.inverses[letter]):
                algebra.numbers.add(letter)
        elif word == "root":
            letter, _, of = rest.partition(" of ")
            of, _, end = of.rpartition(" ")
            if not re.match(r"r\d+$", letter) or letter in algebra.roots:
                raise Wrong("no new letter: " + letter)
            algebra.roots[letter] = (algebra.read(of), end)
        elif word == "value":
            of, _, is_ = rest.partition(" inverse ")
            claims.append(("value", (algebra.read(of), algebra.read(is_)), below))
            algebra.values.append(claims[-1][1])
        elif word == "assumption":
            assumed.append(rest)
            algebra.learn(algebra.read(rest))
        elif word == "statement":
            statement = rest
        elif word == "sum":
            total = below
    algebra.learn_all(coordinates)
    for head, below in parts:
        if head.startswith("measure "):
            algebra.check_measure(head.partition(" ")[2], below)
    for kind, about, below in claims:
        if kind == "symmetric":
            X = algebra.inverses[about]
            zero = algebra.minus(X, algebra.adjoint(X))
        else:
            zero = algebra.minus(algebra.multiply(*about), {(): Fraction(1)})
        if algebra.sum_of(below) != zero:
            raise Wrong("a %s is not shown" % kind)
    left, _, right = statement.partition(" = ")
    added = algebra.sum_of(total)
    roots = statement.count("/2)")
    for reading in range(1 << roots):
        algebra.readings = [reading >> i & 1 for i in range(roots)]
        if algebra.minus(algebra.read(left), algebra.read(right)) == added:
            return statement + "".join(", if %s = 0" % zero.strip() for zero in assumed), len(total)
    raise Wrong("the sum of the relations is not left - right of: " + statement)


def main(paths):
    wrong = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for certificate in re.split(r"(?m)^(?=soa certificate)", text):
            if not certificate.strip():
                continue
            try:
                statement, relations = check(certificate.splitlines(True))
                print("right: %s (%d relations)" % (statement, relations))
            except Wrong as why:
                wrong += 1
                print("WRONG: %s: %s" % (path, why))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
