"""SMT models of Yosys, unrolled: one plain bit vector for each signal of each step.

Yosys describes a state as one value of a free sort, and each signal as a function of it. Unrolled like this, and with each register of a later step defined by the
step before, a solver simplifies far more, which makes questions about large blocks many times faster.
"""

import re
from pathlib import Path

from proof import ProofError

SIGNAL = re.compile(r"\(\|([^|]+)\| state\)")
DECLARED = re.compile(r"\(declare-fun \|([^|]+)\| \(\|[^|]+\|\) (.*)\)(?= ;|$)", re.MULTILINE)
DEFINED = re.compile(r"\(define-fun \|([^|]+)\| \(\(state \|[^|]+\|\)\) ")
ASSERTION = re.compile(r"^; yosys-smt2-assert (\d+) (\S+)", re.MULTILINE)
TOP = re.compile(r"^; yosys-smt2-topmod (\S+)", re.MULTILINE)
COMMENT = re.compile(r"^;.*\n|\(declare-sort .*\n", re.MULTILINE)
# What the transition says of a register.
NEXT = re.compile(r"^  \(= (.*) \(\|([^|]+)\| next_state\)\)", re.MULTILINE)
# Memories: their sort, a read port, any other read, a write.
MEMORY = re.compile(r"\(Array \(_ BitVec \d+\) (\(_ BitVec \d+\))\)")
READ = re.compile(r"\(define-fun \|([^|]+)\| (\(\(state (\|[^|]+\|)\)\)) (\(_ BitVec \d+\)) \(select (\S+ state\)) (\(\|[^|]+\| state\))\)\)")
OTHER_READ = re.compile(r"\(select (\S+ state\)) (?:\(\|[^|]+\| state\)|#b[01]+)\)")
WRITE = re.compile(r"\(store (\S+ state\)) (\(\|[^|]+\| state\)) ")


def one_row(text: str) -> str:
    """The model with one word left of each memory, that at the address `row`; what is read elsewhere may be anything."""
    text = MEMORY.sub(r"\1", text)
    text = READ.sub(r"(declare-fun |\1 elsewhere| (\3) \4)\n(define-fun |\1| \2 \4 (ite (= \6 |row|) \5 (|\1 elsewhere| state)))", text)
    return WRITE.sub(r"(ite (distinct \2 |row|) \1 ", OTHER_READ.sub(r"\1", text))


class Unrolled:
    """The states of a model in steps 0 to `last`, as text for a solver; `row` names the address of the one word that is left of each memory."""

    def __init__(self, model: Path, last: int, row: str = ""):
        text = model.read_text()
        self.top = TOP.search(text)[1]
        # Number of each assertion by its name.
        self.assertions = {name: number for number, name in ASSERTION.findall(text)}
        states, _, transition = COMMENT.sub("", one_row(text) if row else text).partition(f"(define-fun |{self.top}_t|")
        self.next = {signal: value for value, signal in NEXT.findall(transition)}
        if len(self.next) != transition.count("| next_state)"):
            raise ProofError(f"{self.top}: the transition of the model is not of the form known here")
        lines = [f"(set-logic QF_{'A' if '(Array ' in states else ''}BV)\n"]
        if row:
            width = re.search(rf"^; yosys-smt2-anyconst \S+ (\d+) \S+ {row}$", text, re.MULTILINE)
            if not width:
                raise ProofError(f'{self.top}: row = "{row}" names no signal that is (* anyconst *)')
            lines.append(f"(declare-fun |row| () (_ BitVec {width[1]}))\n")
        lines += [self.at(states, step) for step in range(last + 1)]
        lines += [self.say(f"{part}#{step}") for step in range(last + 1) for part in "hu"]
        lines += [f"(assert (= |row| |{self.top}_n {row}#0|))\n"] if row else []
        self.text = "".join(lines)

    def at(self, text: str, step: int) -> str:
        """The text about one step: each signal's name has the step's number at its end."""

        def declared(found: re.Match) -> str:
            name, sort = f"|{found[1]}#{step}|", found[2]
            if step and found[1] in self.next:
                return f"(define-fun {name} () {sort} {self.named(self.next[found[1]], step - 1)})"
            return f"(declare-fun {name} () {sort})"

        return self.named(DEFINED.sub(rf"(define-fun |\1#{step}| () ", DECLARED.sub(declared, text)), step)

    @staticmethod
    def named(text: str, step: int) -> str:
        """The text with the names of signals as in a step."""
        return SIGNAL.sub(rf"|\1#{step}|", text)

    def say(self, part: str) -> str:
        """States that a part of the model holds."""
        return f"(assert |{self.top}_{part}|)\n"

    def start(self) -> str:
        """States that step 0 is the start."""
        return self.say("i#0")

    def of(self, label: str) -> list[str]:
        """Names of the assertions of a label, `every` in the order of its bits."""
        names = [name for name in self.assertions if name == label or name.startswith(f"{label}[")]
        return sorted(names, key=lambda name: (len(name), name))

    def holds(self, name: str, step: int) -> str:
        """States that an assertion holds in a step."""
        return self.say(f"a {self.assertions[name]}#{step}")

    def fails(self, name: str, step: int) -> str:
        """States that it does not."""
        return f"(assert (not |{self.top}_a {self.assertions[name]}#{step}|))\n"
