"""The exported SystemRDL and docs/registers.md name the same registers at the same addresses, with the same access. Argument: the file."""

import sys

from systemrdl import RDLCompiler
from systemrdl.node import RegNode

from formats import CONTEXT, CONTEXTS, COUNTERS, GLOBAL, PORTAL_WORDS, PORTALS, address

ACCESS = {("rw", None): "read, write", ("r", None): "read", ("w", None): "write", ("rw", "woclr"): "read, 1 clears"}


def documented():
    """{address: (name, bits, access)}; of portal entries the page says no bits."""
    found = {register.address: (register.name, register.width, register.access) for register in GLOBAL}
    found |= {at: (name, 32, "read") for name, at in COUNTERS.items()}
    for context in range(CONTEXTS):
        found |= {address(r.name, context): (r.name, r.width, r.access) for r in CONTEXT}
        for portal in range(PORTALS):
            found |= {address(word, context, portal): (word, None, "read, write") for word in PORTAL_WORDS}
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
            found[node.absolute_address] = (node.inst_name, field.width, access)
    return found


def main():
    page, file = documented(), exported(sys.argv[1])
    for at in sorted(page.keys() | file.keys()):
        (name, bits, access), (other, width, other_access) = page.get(at, ("nothing", 0, "")), file.get(at, ("nothing", 0, ""))
        if (name, access) != (other, other_access) or bits not in (None, width):
            sys.exit(f"{at:#06x}: the page has {name}, {bits} bits, {access}; the file {other}, {width} bits, {other_access}")
    print(f"{len(page)} registers are at the same addresses in docs/registers.md and {sys.argv[1]}")


main()
