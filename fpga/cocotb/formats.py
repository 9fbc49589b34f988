"""Formats, codes and registers, read from the tables of docs/reference/formats.md and docs/reference/registers.md.

So what is tested is that the hardware does what its documentation says. Nothing here knows the Rust sources.
"""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def tables(page):
    """The tables of a page of docs/, a list of rows for each: {(heading, columns): [cells, ...]}."""
    found, heading, rows = {}, "", None
    for line in (DOCS / page).read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if not line.startswith("|"):
            rows = None
            continue
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if rows is None:
            key = (heading, tuple(cells))
            # The second table of a kind below one heading belongs to the text above it, not to the first.
            while key in found:
                key = (key[0] + "+", key[1])
            rows = found[key] = []
        elif not set(line) <= set("|-"):
            rows.append(cells)
    return found


FORMAT_TABLES = tables("reference/formats.md")
REGISTER_TABLES = tables("reference/registers.md")


class Format:
    """A packed little-endian struct: field name -> lowest bit and width."""

    def __init__(self, heading, size=64):
        rows = FORMAT_TABLES[heading, ("byte", "bits", "field", "meaning")]
        self.size, self.fields = size, {}
        for byte, bits, name, _ in rows:
            width, low = re.fullmatch(r"(\d+)(?: \(\d+:(\d+)\))?", bits).groups()
            self.fields[name] = (8 * int(byte) + int(low or 0), int(width))

    def pack(self, **values):
        """The bytes; fields that are not named are 0."""
        word = 0
        for name, value in values.items():
            low, width = self.fields[name]
            if not 0 <= value < 1 << width:
                raise ValueError(f"{name}: {value:#x} does not fit into {width} bits")
            word |= value << low
        return word.to_bytes(self.size, "little")

    def unpack(self, data):
        """Every field by name."""
        word = int.from_bytes(data[: self.size], "little")
        return {name: word >> low & (1 << width) - 1 for name, (low, width) in self.fields.items()}

    def differences(self, got, expected):
        """The fields that differ, as text."""
        got, expected = self.unpack(got), self.unpack(expected)
        return [
            f"{name}: got {got[name]:#x}, expected {expected[name]:#x}" for name in self.fields if got[name] != expected[name]
        ]


def codes(heading, table=FORMAT_TABLES):
    """Named numbers: {name: value}."""
    rows = table[heading, ("value", "name", "meaning")]
    number = lambda text: eval(text, {"__builtins__": {}})  # noqa: E731  "1 << 3"
    return {name: number(value) for value, name, _ in rows}


HEADER = Format("Header beat")
KERNEL_PACKET = Format("AQL kernel dispatch packet")
AGENT_PACKET = Format("AQL agent dispatch packet")
KERNEL_ENTRY = Format("Kernel table entry")
FUNCTION_ENTRY = Format("Function table entry")
QUEUE_ENTRY = Format("Queue table entry")
COMMAND = Format("Command", 128)
EVENT = Format("Event")

OPCODE = codes("opcode")
ACK = codes("ack_request")
NI_FAIL = codes("ni_fail")
OPERATION = codes("operation")
FLAG = codes("flags")
MD_OPTION = codes("options of MD_BIND")
COMMAND_STATUS = codes("command_status")
KIND = codes("kind")
STATUS = codes("status")
ACCESS = codes("access")
TABLE = codes("Tables")
PORTAL_OPTION = codes("Portal entries", REGISTER_TABLES)
PORTAL_CONTROL = codes("Portal entries+", REGISTER_TABLES)

CONTEXTS, PORTALS, PAGE = 4, 16, 0x1000


class Register:
    """A register of one page: name, address of its first instance, bits, what may be done with it, what it is after reset."""

    def __init__(self, name, address, width, access, reset=0):
        self.name, self.address, self.width, self.access, self.reset = name, address, width, access, reset


def build(contexts):
    """BUILD: so many contexts, 16 portal entries, 64 queues, no atomics, a cache of 4 ways and 2^4 sets."""
    return contexts | PORTALS << 8 | 64 << 16 | 0 << 24 | 4 << 25 | 4 << 28


# What cannot be written says its value in its own words, or where it is described; BUILD that of four contexts.
FIXED = {"VERSION": 1, "LINK_CHECKED": 1, "BUILD": build(CONTEXTS)}


def reset(name, meaning):
    """The value after reset: what the page says, and 0 if it says nothing."""
    if name in FIXED:
        return FIXED[name]
    if "after reset" not in meaning:
        return 0
    base, exponent, less, number = re.search(r"(?:(\d+)\^(\d+) - (\d+)|([\d,]+)),?(?: as it is)? after reset", meaning).groups()
    return int(number.replace(",", "")) if number else int(base) ** int(exponent) - int(less)


def _registers(heading):
    rows = REGISTER_TABLES[heading, ("offset", "register", "bits", "access", "meaning")]
    return [Register(name, int(offset, 0), int(bits), access, reset(name, meaning)) for offset, name, bits, access, meaning in rows]


INITIATOR = _registers("Global: initiator") + _registers("Context: initiator")
GLOBAL = _registers("Global") + _registers("Global: initiator")
CONTEXT = _registers("Context") + _registers("Context: initiator")
COUNTERS = {name: int(offset, 0) for offset, name, _ in REGISTER_TABLES["Counters", ("offset", "counter", "counts")]}
PORTAL_WORDS = {name: 4 * int(word) for word, name, _ in REGISTER_TABLES["Portal entries", ("word", "register", "meaning")]}
_GLOBAL = {register.name: register.address for register in GLOBAL} | COUNTERS
_CONTEXT = {register.name: register.address for register in CONTEXT}


def address(name, context=None, portal=None):
    """Address of a register: global, of a context, or of one of its portal entries."""
    if context is None:
        return _GLOBAL[name]
    if portal is None:
        return PAGE * (1 + context) + _CONTEXT[name]
    return PAGE * (1 + context) + 0x200 + 0x20 * portal + PORTAL_WORDS[name]
