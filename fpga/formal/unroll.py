"""SMT models of Yosys, unrolled: one plain bit vector for each signal of each step.

Yosys describes a state as one value of a free sort, and each signal as a function of it. Unrolled like this a solver simplifies far more, which makes questions
about large blocks many times faster.
"""

import re
from pathlib import Path

SIGNAL = re.compile(r"\(\|([^|]+)\| (state|next_state)\)")
DECLARED = re.compile(r"\(declare-fun \|([^|]+)\| \(\|[^|]+\|\) ")
DEFINED = re.compile(r"\(define-fun \|([^|]+)\| \(\(state \|[^|]+\|\)(?: \(next_state \|[^|]+\|\))?\) ")
ASSERTION = re.compile(r"^; yosys-smt2-assert (\d+) (\S+)", re.MULTILINE)
TOP = re.compile(r"^; yosys-smt2-topmod (\S+)", re.MULTILINE)
COMMENT = re.compile(r"^;.*\n|\(declare-sort .*\n", re.MULTILINE)


class Unrolled:
    """The states of a model in steps 0 to `last`, as text for a solver."""

    def __init__(self, model: Path, last: int):
        text = model.read_text()
        self.top = TOP.search(text)[1]
        # Number of each assertion by its name.
        self.assertions = {name: number for number, name in ASSERTION.findall(text)}
        states, mark, transition = COMMENT.sub("", text).partition(f"(define-fun |{self.top}_t|")
        lines = [f"(set-logic QF_{'A' if '(Array ' in text else ''}BV)\n"]
        lines += [self.at(states, step) for step in range(last + 1)]
        lines += [self.at(mark + transition, step) for step in range(last)]
        lines += [self.say(f"{part}#{step}") for step in range(last + 1) for part in "hu"]
        lines += [self.say(f"t#{step}") for step in range(last)]
        self.text = "".join(lines)

    @staticmethod
    def at(text: str, step: int) -> str:
        """The text about one step: each signal's name has the step's number at its end."""
        text = SIGNAL.sub(lambda found: f"|{found[1]}#{step + (found[2] == 'next_state')}|", text)
        text = DECLARED.sub(lambda found: f"(declare-fun |{found[1]}#{step}| () ", text)
        return DEFINED.sub(lambda found: f"(define-fun |{found[1]}#{step}| () ", text)

    def say(self, part: str) -> str:
        """States that a part of the model holds."""
        return f"(assert |{self.top}_{part}|)\n"

    def start(self) -> str:
        """States that step 0 is the start."""
        return self.say("i#0")

    def of(self, label: str) -> list[str]:
        """Names of the assertions of a label."""
        return sorted(name for name in self.assertions if name == label or name.startswith(f"{label}["))

    def holds(self, name: str, step: int) -> str:
        """States that an assertion holds in a step."""
        return self.say(f"a {self.assertions[name]}#{step}")

    def fails(self, name: str, step: int) -> str:
        """States that it does not."""
        return f"(assert (not |{self.top}_a {self.assertions[name]}#{step}|))\n"
