"""What there is to prove: the files `proofs/<name>.toml` and `proofs/<name>.v`.

A label of the property file says what its statement is for:

  prop_x     assert  a property; it has a mutant that makes it fail
  aux_x      assert  an invariant that the induction needs
  lemma_x    assert  proved alone first; then `use_x` may assume it (as for another index)
  use_x      assume  an instance of `lemma_x`, left out while the lemma is proved and in mutants
  given_x    assume  `prop_x` or `aux_x` of another proof of the same block
  assume_x   assume  what the surroundings promise; `cover_x` shows that they can
  cover_x    cover   must be reached
  script_x   assume  under `ifdef SCRIPT: narrows the search for what a mutant does wrong, or for a cover, to one story; a proof never has it

`every aux_x [3:0] (.when(c), .holds(bits));` is four assertions of that name, one for each bit (library/every.v); so is
`every lemma_x`.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

LABEL = re.compile(r"\b((prop|aux|lemma|use|given|assume|cover|script)_\w+)\s*:\s*(assert|assume|cover)\b")
EVERY = re.compile(r"\bevery\s+((?:aux|lemma)_\w+)\s*\[(\d+):0\]")
INCLUDE = re.compile(r'^`include "(.+)"$', re.MULTILINE)
STATEMENT = re.compile(r"\b(assert|assume|cover)\s*\(")
KIND = {
    "prop": "assert",
    "aux": "assert",
    "lemma": "assert",
    "use": "assume",
    "given": "assume",
    "assume": "assume",
    "cover": "cover",
    "script": "assume",
}
KEYS = {"export", "about", "depth", "induction", "cover_depth", "cover_script", "one_by_one", "row", "cut", "mutant"}
MUTANT_KEYS = {"file", "from", "to", "cycle", "script"}
OPTIONAL_KEYS = {"cycle", "script"}


class ProofError(Exception):
    """A proof that is not written as it should be: names file and key."""


@dataclass(frozen=True)
class Mutant:
    """A change of the exported Verilog that `property` must notice in one of the cycles `cycle` to `depth` - 1."""

    name: str
    property: str
    file: str
    old: str
    new: str
    cycle: int
    depth: int
    # Value of the macro SCRIPT, or nothing.
    script: str

    def apply(self, folder: Path) -> str:
        """The text of the changed file; the old text must be there exactly once."""
        text = (folder / self.file).read_text()
        found = text.count(self.old)
        if found != 1:
            raise ProofError(f"mutant {self.name}: its text is {found} times in {self.file}, must be once: {self.old}")
        return text.replace(self.old, self.new)


@dataclass
class Proof:
    """One property file with its block."""

    name: str
    verilog: Path
    export: str
    about: str
    depth: int
    induction: int
    cover_depth: int
    # Value of the macro SCRIPT for the covers, or nothing.
    cover_script: str
    # Each assertion is proved by itself, with those before it in the file assumed.
    one_by_one: bool
    # The constant that is the address of the one word of each memory that the induction looks at, or nothing: all
    # words.
    row: str
    # Modules in whose places anything may be: their outputs are free.
    cut: list[str]
    # Number of assertions of a label, in the order of the file.
    asserted: dict[str, int] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    mutants: list[Mutant] = field(default_factory=list)

    @property
    def top(self) -> str:
        """Module of the properties."""
        return f"{self.name}_properties"


def read(file: Path) -> Proof:
    """Reads and checks one proof."""
    try:
        table = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ProofError(f"{file.name}: {error}") from error
    unknown = set(table) - KEYS
    if unknown:
        raise ProofError(f"{file.name}: unknown key {sorted(unknown)[0]}; known: {', '.join(sorted(KEYS))}")
    for key, kind in (("export", str), ("about", str), ("depth", int), ("induction", int)):
        if not isinstance(table.get(key), kind):
            raise ProofError(f"{file.name}: {key} must be given, as {kind.__name__}")
    verilog = file.with_suffix(".v")
    if not verilog.exists():
        raise ProofError(f"{file.name}: {verilog.name} is missing")
    proof = Proof(
        name=file.stem,
        verilog=verilog,
        export=table["export"],
        about=table["about"],
        depth=table["depth"],
        induction=table["induction"],
        cover_depth=table.get("cover_depth", table["depth"]),
        cover_script=table.get("cover_script", ""),
        one_by_one=table.get("one_by_one", False),
        row=table.get("row", ""),
        cut=table.get("cut", []),
    )
    if proof.row and not proof.one_by_one:
        raise ProofError(f"{file.name}: row needs one_by_one")
    text = source(verilog)
    proof.asserted = asserted(text)
    proof.labels = labels(verilog.name, text)
    proof.mutants = mutants(file, proof, table.get("mutant", {}))
    for label in proof.labels["given"]:
        if not proved_elsewhere(file, proof.export, label):
            raise ProofError(f"{verilog.name}: no other proof of {proof.export} proves what {label} says")
    if proof.induction > proof.depth:
        raise ProofError(f"{file.name}: induction {proof.induction} is deeper than its base case, depth {proof.depth}")
    return proof


def source(verilog: Path) -> str:
    """The text of a property file and of what it includes, without comments."""
    text = INCLUDE.sub(lambda found: verilog.with_name(found[1]).read_text(), verilog.read_text())
    return re.sub(r"//.*", "", text)


def proved_elsewhere(file: Path, block: str, label: str) -> bool:
    """Whether another proof of the same block has the property or invariant that `given_x` names."""
    others = [other for other in file.parent.glob("*.toml") if other != file and tomllib.loads(other.read_text()).get("export") == block]
    wanted = {label.replace("given", prefix, 1) for prefix in ("prop", "aux")}
    return any(wanted & set(asserted(source(other.with_suffix(".v")))) for other in others)


def asserted(text: str) -> dict[str, int]:
    """The number of assertions of each label of a property file, in its order."""
    found = [(match.start(), match[1], 1) for match in LABEL.finditer(text) if match[3] == "assert"]
    found += [(match.start(), match[1], int(match[2]) + 1) for match in EVERY.finditer(text)]
    return {label: count for _, label, count in sorted(found)}


def labels(name: str, text: str) -> dict[str, list[str]]:
    """Labels of a property file by their first word."""
    found: dict[str, list[str]] = {prefix: [] for prefix in KIND}
    every = [label for label, _ in EVERY.findall(text)]
    for label in every:
        found[label.partition("_")[0]].append(label)
    for label, prefix, statement in LABEL.findall(text):
        if KIND[prefix] != statement:
            raise ProofError(f"{name}: {label} labels `{statement}`, must be `{KIND[prefix]}`")
        if label in found[prefix]:
            raise ProofError(f"{name}: {label} is there twice")
        found[prefix].append(label)
    statements = len(STATEMENT.findall(text))
    if statements != sum(map(len, found.values())) - len(every):
        raise ProofError(f"{name}: {statements} assert, assume and cover; each needs a label of proof.py")
    for prefix, other, why in (
        ("assume", "cover", "shows that it can hold"),
        ("use", "lemma", "proves it"),
    ):
        for label in found[prefix]:
            if label.replace(prefix, other, 1) not in found[other]:
                raise ProofError(f"{name}: no {label.replace(prefix, other, 1)} that {why} beside {label}")
    if not found["prop"]:
        raise ProofError(f"{name}: no property (prop_...)")
    return found


def mutants(file: Path, proof: Proof, table: dict) -> list[Mutant]:
    """The mutants, at least one a property: `[mutant.<property>]` or `[mutant.<property>.<name>]`."""
    made = []
    for target, entry in table.items():
        if target not in proof.labels["prop"]:
            raise ProofError(f"{file.name}: mutant.{target}: {proof.verilog.name} has no such property")
        several = {target: entry} if "file" in entry else {f"{target}.{name}": one for name, one in entry.items()}
        for name, one in several.items():
            wrong = (MUTANT_KEYS - OPTIONAL_KEYS) - set(one) or set(one) - MUTANT_KEYS
            if wrong:
                raise ProofError(f"{file.name}: mutant.{name}: {sorted(wrong)[0]} is missing or unknown")
            cycle = one.get("cycle", 0)
            depth = max(proof.depth, cycle) + 2
            made.append(Mutant(name, target, one["file"], one["from"], one["to"], cycle, depth, one.get("script", "")))
    for label in proof.labels["prop"]:
        if not any(mutant.property == label for mutant in made):
            raise ProofError(f"{file.name}: property {label} has no mutant")
    return made
