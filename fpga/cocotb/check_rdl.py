"""The exported SystemRDL and docs/registers.md name the same registers at the same addresses, with the same access and the same values after reset.

Arguments: the file; how many contexts it is for; `initiator`, or `target` for the target side alone.
"""

import sys

from systemrdl import RDLCompiler
from systemrdl.node import RegNode

from formats import CONTEXT, CONTEXTS, COUNTERS, GLOBAL, INITIATOR, PORTAL_WORDS, PORTALS, address

ACCESS = {("rw", None): "read, write", ("r", None): "read", ("w", None): "write", ("rw", "woclr"): "read, 1 clears"}


def documented(contexts, initiator):
    """{address: (name, bits, access, reset)}; of portal entries the page says no bits, of many registers no reset."""
    left_out = set() if initiator else {register.name for register in INITIATOR}
    # User ids of contexts that are not there.
    left_out |= {f"USER_ID_{context}" for context in range(contexts, CONTEXTS)}
    there = lambda registers: [register for register in registers if register.name not in left_out]  # noqa: E731
    found = {r.address: (r.name, r.width, r.access, r.reset) for r in there(GLOBAL)}
    found |= {at: (name, 32, "read", None) for name, at in COUNTERS.items()}
    for context in range(contexts):
        found |= {address(r.name, context): (r.name, r.width, r.access, r.reset) for r in there(CONTEXT)}
        for portal in range(PORTALS):
            found |= {address(word, context, portal): (word, None, "read, write", None) for word in PORTAL_WORDS}
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


def main():
    file, contexts, initiator = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "initiator"
    page, found = documented(contexts, initiator), exported(file)
    nothing = ("nothing", 0, "", 0)
    for at in sorted(page.keys() | found.keys()):
        (name, bits, access, reset), other = page.get(at, nothing), found.get(at, nothing)
        if (name, access) != (other[0], other[2]) or bits not in (None, other[1]) or reset not in (None, other[3]):
            sys.exit(f"{at:#06x}: the page has {name}, {bits} bits, {access}, {reset} after reset; the file {other}")
    [build] = [reset for name, _, _, reset in found.values() if name == "BUILD"]
    if build & 0xFF != contexts:
        sys.exit(f"BUILD says {build & 0xFF} contexts, not {contexts}")
    print(f"{len(page)} registers are at the same addresses in docs/registers.md and {file}")


main()
