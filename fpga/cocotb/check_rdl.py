"""The exported SystemRDL and docs/reference/registers.md name the same registers at the same addresses, with the same access and the same values after reset; and the C header has those values.

A register of which the page, the file or the header says no value is 0 after reset. Arguments: the file; the header that PeakRDL made of it; how many contexts they are for;
`initiator`, or `target` for the target side alone.
"""

import re
import sys
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import RegNode

from formats import CONTEXT, CONTEXTS, COUNTERS, GLOBAL, INITIATOR, PORTAL_WORDS, PORTALS, address, build

ACCESS = {("rw", None): "read, write", ("r", None): "read", ("w", None): "write", ("rw", "woclr"): "read, 1 clears"}


def documented(contexts, initiator):
    """{address: (name, bits, access, reset)}; of portal entries the page says no bits."""
    left_out = set() if initiator else {register.name for register in INITIATOR}
    # User ids of contexts that are not there.
    left_out |= {f"USER_ID_{context}" for context in range(contexts, CONTEXTS)}
    there = lambda registers: [register for register in registers if register.name not in left_out]  # noqa: E731
    found = {r.address: (r.name, r.width, r.access, r.reset) for r in there(GLOBAL)}
    found |= {at: (name, 32, "read", 0) for name, at in COUNTERS.items()}
    found = {at: register if register[0] != "BUILD" else (*register[:3], build(contexts)) for at, register in found.items()}
    for context in range(contexts):
        found |= {address(r.name, context): (r.name, r.width, r.access, r.reset) for r in there(CONTEXT)}
        for portal in range(PORTALS):
            found |= {address(word, context, portal): (word, None, "read, write", 0) for word in PORTAL_WORDS}
    return found


def exported(file):
    """The same of the file."""
    compiler, found = RDLCompiler(), {}
    compiler.compile_file(file)
    for node in compiler.elaborate().top.descendants(unroll=True):
        if isinstance(node, RegNode):
            [field] = node.fields()
            clears = field.get_property("onwrite")
            access = ACCESS[field.get_property("sw").name, clears and clears.name]
            found[node.absolute_address] = (node.inst_name, field.width, access, field.get_property("reset") or 0)
    return found


def in_header(file):
    """Values after reset by the name of the register: PeakRDL defines one if the file has it."""
    return {name: int(value, 0) for name, value in re.findall(r"#define \w+__(\w+?)__VALUE_reset (\w+)", Path(file).read_text())}


def main():
    file, header, contexts, initiator = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "initiator"
    page, found, defined = documented(contexts, initiator), exported(file), in_header(header)
    nothing = ("nothing", 0, "", 0)
    for at in sorted(page.keys() | found.keys()):
        (name, bits, access, reset), other = page.get(at, nothing), found.get(at, nothing)
        if (name, access, reset) != (other[0], *other[2:]) or bits not in (None, other[1]):
            sys.exit(f"{at:#06x}: the page has {name}, {bits or 'any'} bits, {access}, {reset:#x} after reset; {file} has {other[0]}, {other[1]} bits, {other[2]}, {other[3]:#x}")
        if defined.get(name, 0) != reset:
            sys.exit(f"{at:#06x}: {name} is {reset:#x} after reset by the page, {defined.get(name, 0):#x} in {header}")
    print(f"{len(page)} registers are at the same addresses in docs/reference/registers.md and {file}, with the same access and values after reset")


main()
