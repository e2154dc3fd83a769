"""Replays a refutation of "this graph has a colouring with k colours" (docs/mathematics/kdiameter.md).

Variable x_vc: vertex v may have colour c. The formula: every vertex has a colour; the ends of an edge do not share
one; vertex t of a clique has colour t (some colouring has that if there is any). Each clause of the proof must follow
by unit propagation from what stands before it (reverse unit propagation: Goldberg and Novikov 2003; Van Gelder
2008); the proof ends when propagation alone contradicts.
"""

from __future__ import annotations

from certify.kernel.exact import Rejected

MAX_RUP_STEPS = 1 << 28  # neighbours and watching clauses that a replay_colouring looks at


class Colouring:
    """The formula, and what it implies so far. Literals are ±(1 + v·k + c); edges are clauses of their own kind."""

    def __init__(self, near: list[list[int]], k: int, where: str) -> None:
        self.near, self.k, self.where, self.steps = near, k, where, 0
        self.value = [0] * (2 * len(near) * k + 1)  # by literal (negative ones from the end): 1 true, −1 false, 0 open
        self.trail: list[int] = []
        self.done = 0  # literals of the trail whose consequences are drawn
        self.watch: dict[int, list[list[int]]] = {}  # clauses by their first two literals
        self.refuted = False

    def holds(self, literal: int) -> None:
        """Take a literal, which is open, to be true."""
        self.value[literal], self.value[-literal] = 1, -1
        self.trail.append(literal)

    def propagate(self) -> bool:
        """Draw all consequences of the trail by unit propagation; whether they contradict."""
        while self.done < len(self.trail):
            literal = self.trail[self.done]
            self.done += 1
            if (literal > 0 and self._spread(literal)) or self._visit(-literal):
                return True
        return False

    def _spread(self, literal: int) -> bool:
        """A vertex has a colour: its neighbours have it not."""
        v, c = divmod(literal - 1, self.k)
        self._count(len(self.near[v]))
        for w in self.near[v]:
            other = 1 + w * self.k + c
            if self.value[other] > 0:
                return True
            if self.value[other] == 0:
                self.holds(-other)
        return False

    def _visit(self, false: int) -> bool:
        """A literal is false: clauses that watch it watch another one, or imply their other watched literal."""
        clauses = self.watch.get(false, [])
        self._count(len(clauses))
        kept: list[list[int]] = []
        self.watch[false] = kept
        for t, clause in enumerate(clauses):
            if clause[0] == false:
                clause[0], clause[1] = clause[1], false
            if self.value[clause[0]] <= 0:
                spare = next((s for s in range(2, len(clause)) if self.value[clause[s]] >= 0), 0)
                if spare:
                    clause[1], clause[spare] = clause[spare], false
                    self.watch.setdefault(clause[1], []).append(clause)
                    continue
                if self.value[clause[0]] < 0:
                    kept += clauses[t:]
                    return True
                self.holds(clause[0])
            kept.append(clause)
        return False

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MAX_RUP_STEPS:
            raise Rejected("work", self.where, f"the replay_colouring takes more than {MAX_RUP_STEPS} steps")

    def add(self, clause: list[int]) -> None:
        """Add a clause for good; what it implies is drawn at once."""
        literals = sorted(set(clause), key=lambda literal: -self.value[literal])  # true, open, false
        if literals and self.value[literals[0]] > 0:
            return
        if len(literals) > 1 and self.value[literals[1]] == 0:
            for literal in literals[:2]:
                self.watch.setdefault(literal, []).append(literals)
        elif literals and self.value[literals[0]] == 0:
            self.holds(literals[0])
            self.refuted = self.propagate() or self.refuted
        else:
            self.refuted = True

    def implies(self, clause: list[int]) -> bool:
        """Whether taking every literal of the clause to be false leads to a contradiction by unit propagation."""
        mark, contradiction = len(self.trail), False
        for literal in clause:
            contradiction = contradiction or self.value[literal] > 0
            if self.value[literal] == 0:
                self.holds(-literal)
        contradiction = contradiction or self.propagate()
        for literal in self.trail[mark:]:
            self.value[literal] = self.value[-literal] = 0
        del self.trail[mark:]
        self.done = mark
        return contradiction


def replay_colouring(near: list[list[int]], k: int, clique: list[int], clauses: list[list[int]], where: str) -> None:
    """Refute that the graph with these neighbours has k colours, of which clique[t] has t; Rejected if that fails."""
    formula = Colouring(near, k, where)
    for t, v in enumerate(clique):
        formula.add([1 + v * k + t])
    for v in range(len(near)):
        formula.add([1 + v * k + c for c in range(k)])
    for t, clause in enumerate(clauses):
        if formula.refuted:
            break
        if not formula.implies(clause):
            raise Rejected("refutation.clause", f"{where}[{t}]", "unit propagation does not give this clause")
        formula.add(clause)
    if not formula.refuted:
        raise Rejected("refutation.open", where, "the clauses end without a contradiction")
