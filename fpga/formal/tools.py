"""Calls of the tools: `xtq export`, Yosys, yosys-smtbmc."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from proof import Mutant, Proof
from unroll import Unrolled

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Programs for SMT-LIB files whose name is not that of the solver.
SMT2 = {"yices": "yices-smt2"}
SOLVERS = ROOT / "fpga" / ".venv" / "bin"


class ToolError(Exception):
    """A tool that is missing, failed or took too long: names the command and what it printed."""


@dataclass(frozen=True)
class Verdict:
    """What one call of yosys-smtbmc found."""

    holds: bool
    seconds: float
    # Induction: the k at which it closed. Counterexample: its first bad step.
    step: int | None
    # Labels that failed, or covers that were reached.
    labels: list[str]


class Tools:
    """The commands, with the limits of this run."""

    def __init__(self, work: Path, xtq: list[str], solver: str, timeout: int):
        self.work = work
        self.xtq = xtq
        self.solver = solver
        self.timeout = timeout
        # Paths in the environment are relative to where the user is.
        paths = {name: os.path.abspath(os.environ[name]) for name in ("TMPDIR", "CARGO_TARGET_DIR") if os.environ.get(name)}
        self.environment = {**os.environ, "PATH": f"{SOLVERS}{os.pathsep}{os.environ['PATH']}", **paths}

    @staticmethod
    def near(path: Path | str) -> str:
        """A path as Yosys, which runs in ROOT, is given it in a script: that of the checkout may have blanks."""
        return str(Path(path).relative_to(ROOT))

    def call(self, command: list[str], may_fail: bool = False) -> str:
        """Runs a command; its output."""
        try:
            child = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise ToolError(f"{command[0]} is not installed (./test.sh installs what is needed)") from error
        try:
            text, _ = child.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"not done after {self.timeout} s: {' '.join(command)}") from error
        finally:
            # The solver is a child of yosys-smtbmc, which does not end it.
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        if child.returncode != 0 and not may_fail:
            raise ToolError(f"{' '.join(command)}\n{text[-2000:]}")
        return text

    def export(self, block: str) -> Path:
        """Folder with the Verilog of a block."""
        folder = self.work / "export" / block
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            self.call([*self.xtq, "export", str(folder), "--top", block, "--quiet"])
        return folder

    def model(self, proof: Proof, name: str, keep: list[str], lemmas: bool, mutant: Mutant | None = None, script: str = "") -> Path:
        """Writes an SMT model of a block and its properties in which only the assertions `keep` are left."""
        folder = self.export(proof.export)
        files = sorted(folder.glob("*.v"))
        base = self.work / proof.name / name.replace(".", "-")
        base.parent.mkdir(parents=True, exist_ok=True)
        if mutant:
            changed = base.with_suffix(".v")
            changed.write_text(mutant.apply(folder))
            files = [changed if file.name == mutant.file else file for file in files]
        define = "-DLEMMAS " if lemmas else ""
        define += f"-DSCRIPT={script}" if script else ""
        # `every` makes several of a label: "label[0].it", ...
        kept = " ".join(f"c:{label}{'' if proof.asserted[label] == 1 else '[[]*'} %d" for label in keep)
        # Solvers do better with small memories as registers.
        memories = "memory_map\nopt -full" if proof.one_by_one and not proof.row else ""
        # Outputs of these modules are free, what is inside is gone.
        cut = f"cutpoint {' '.join(proof.cut)}" if proof.cut else ""
        script = base.with_suffix(".ys")
        script.write_text(
            f"""\
read_verilog -formal {self.near(HERE / 'library')}/*.v
read_verilog -formal {define} {self.near(proof.verilog)}
read_verilog {' '.join(map(self.near, files))}
hierarchy -check -top {proof.top}
proc
{cut}
flatten
setparam -set CLK_ENABLE 1'0 -set CLK_POLARITY 1'0 -set TRANSPARENT 1'0 t:memory_watch
chtype -set $memrd t:memory_watch
memory_collect
delete t:$assert {kept}
select -assert-count {sum(proof.asserted[label] for label in keep)} t:$assert
{memories}
opt_clean
check -assert
dffunmap
write_smt2 -wires {self.near(base.with_suffix('.smt2'))}
"""
        )
        # Any warning ends it: a path that no longer exists would be a free signal.
        self.call(["yosys", "-q", "-e", ".", "-s", str(script)])
        return base.with_suffix(".smt2")

    def prove(self, model: Path, depth: int) -> Verdict:
        """Induction over at most `depth` steps."""
        text, seconds = self.smtbmc(model, "-i", depth)
        tried = [int(step) for step in re.findall(r"Trying induction in step (\d+)", text)]
        failed = re.findall(r"Assert failed in \w+: (\S+)", text)
        return Verdict("Status: PASSED" in text, seconds, depth - tried[-1] if tried else None, failed)

    def prove_one_by_one(self, model: Path, proof: Proof, keep: list[str]) -> Verdict:
        """Induction, each assertion by itself: all hold in the `k` steps before, those before it in the file also in its own."""
        start = time.monotonic()
        k = proof.induction
        unrolled = Unrolled(model, k, proof.row)
        names = [name for label in proof.asserted if label in keep for name in unrolled.of(label)]
        text = unrolled.text + "".join(unrolled.holds(name, step) for step in range(k) for name in names)
        for name in names:
            if self.satisfiable(model, text + unrolled.fails(name, k)):
                return Verdict(False, time.monotonic() - start, k, [name])
            text += unrolled.holds(name, k)
        return Verdict(True, time.monotonic() - start, k, [])

    def search(self, model: Path, label: str, first: int, depth: int) -> Verdict:
        """The first of the steps `first` to `depth` - 1 from the start in which an assertion fails."""
        start = time.monotonic()
        for step in range(first, depth):
            unrolled = Unrolled(model, step)
            if self.satisfiable(model, unrolled.text + unrolled.start() + unrolled.fails(label, step)):
                return Verdict(False, time.monotonic() - start, step, [label])
        return Verdict(True, time.monotonic() - start, None, [])

    def satisfiable(self, model: Path, text: str) -> bool:
        """Asks the solver."""
        question = model.with_suffix(".question.smt2")
        question.write_text(text + "(check-sat)\n")
        answer = self.call([SMT2.get(self.solver, self.solver), str(question)], may_fail=True).strip()
        if answer not in ("sat", "unsat"):
            raise ToolError(f"{self.solver} {question} gave no verdict\n{answer[-500:]}")
        return answer == "sat"

    def bounded(self, model: Path, depth: int, skip: int = 0) -> Verdict:
        """The first `depth` steps from the start, but for the first `skip` of them."""
        text, seconds = self.smtbmc(model, "--presat", f"{skip}:{depth}")
        steps = [int(step) for step in re.findall(r"Checking assertions in step (\d+)", text)]
        failed = re.findall(r"Assert failed in \w+: (\S+)", text)
        return Verdict("Status: PASSED" in text, seconds, steps[-1] if failed and steps else None, failed)

    def cover(self, model: Path, depth: int) -> Verdict:
        """Which covers are reached in the first `depth` steps."""
        text, seconds = self.smtbmc(model, "-c", depth)
        reached = re.findall(r"Reached cover statement at (\S+) in step", text)
        return Verdict("Status: PASSED" in text, seconds, None, reached)

    def smtbmc(self, model: Path, mode: str, steps: int | str) -> tuple[str, float]:
        """Runs yosys-smtbmc; what it printed must end with its verdict."""
        start = time.monotonic()
        command = ["yosys-smtbmc", "-s", self.solver, mode, "-t", str(steps), str(model)]
        text = self.call(command, may_fail=True)
        if not re.search(r"Status: (PASSED|FAILED)", text):
            raise ToolError(f"{' '.join(command)} gave no verdict\n{text[-2000:]}")
        if "are unsatisfiable" in text:
            raise ToolError(f"{model.name}: the assumptions contradict each other\n{text[-500:]}")
        return text, time.monotonic() - start
