"""Memories of exported Verilog as black boxes with stated delays: the library that Yosys and OpenSTA read for them.

Nangate45 has no memories. What is stated here is the class of memories of 45 nm, as OpenROAD's `fakeram45` has it, the
same for every depth: who reads a memory is timed, not the memory.
"""

import re
from dataclasses import dataclass

CLOCK_TO_DATA = 0.29
"""Nanoseconds from the clock to the word of a memory that is read synchronously (`Ram`, `LaneRam`)."""
ADDRESS_TO_DATA, PER_ADDRESS_BIT = 0.10, 0.055
"""Nanoseconds from address to word of one that is read in the same cycle (`LutRam`): so much, and so much for each bit of the address. A word that was just written is there as late after the clock."""
SETUP = 0.05
"""Nanoseconds that an input is there before the clock."""
CAPACITANCE, PER_ADDRESS_LOAD = 3.0, 0.3
"""Femtofarads of an input; of an address more by this share for each of its bits."""
TRANSITION = 0.03
"""Nanoseconds in which an output goes up or down."""

STORAGE = re.compile(r"^ *reg (?:\[(\d+):0\] )?storage \[0:(\d+)\];", re.MULTILINE)
PORT = re.compile(r"^ *(input|output) (?:wire|reg) (?:\[(\d+):0\] )?(\w+),?$", re.MULTILINE)
NAMES = {"clk", "write_addr", "write_data", "write_en", "write_mask", "read_addr", "read_data"}


@dataclass(frozen=True)
class Memory:
    """A module that is a memory."""

    name: str
    ports: tuple
    """(direction, bits, name) in order; bits 0: a port of one bit that is no bus."""
    synchronous: bool
    width: int
    depth: int

    @property
    def address_bits(self):
        return max(1, (self.depth - 1).bit_length())


def memory(text, file):
    """The memory in the text of a module, or None if it has no `storage`. ValueError: it has one, and other ports than those of a memory; `file` names it."""
    storage = STORAGE.search(text)
    if not storage:
        return None
    module = re.search(r"^module (\w+)", text, re.MULTILINE)
    ports = tuple((way, int(high) + 1 if high else 0, name) for way, high, name in PORT.findall(text))
    found = {name for *_, name in ports}
    if not module or not found <= NAMES or not NAMES - {"write_mask"} <= found:
        raise ValueError(f"{file}: a memory with ports that are not known: {', '.join(sorted(found ^ (NAMES - {'write_mask'}))) or 'none'}")
    return Memory(module[1], ports, "read_data <= storage" in text, int(storage[1] or 0) + 1, int(storage[2]) + 1)


def memories(folder):
    """The memories of an exported block, by name. ValueError: one is not as they are written."""
    found = (memory(file.read_text(), file.name) for file in sorted(folder.glob("*.v")))
    return [each for each in found if each]


def arc(related, kind, delay):
    """From `related` to an output: `related_pin : "clk"`. For a bus it is `related_bus_pins`, or OpenSTA takes bit for bit."""
    values = "".join(f' {edge} (scalar) {{ values ("{number:.4f}"); }}' for edge, number in [("cell_rise", delay), ("cell_fall", delay), ("rise_transition", TRANSITION), ("fall_transition", TRANSITION)])
    return f'timing () {{ {related}; {kind};{values} }}'


def pin(memory, way, bits, name):
    """A port as the library has it."""
    if name == "clk":
        return f"    pin (clk) {{ direction : input; clock : true; capacitance : {CAPACITANCE}; }}"
    head = f"bus ({name}) {{ bus_type : b{bits};" if bits else f"pin ({name}) {{"
    if way == "input":
        load = CAPACITANCE * (1 + PER_ADDRESS_LOAD * memory.address_bits) if name.endswith("addr") else CAPACITANCE
        checks = f'timing () {{ related_pin : "clk"; timing_type : setup_rising; rise_constraint (scalar) {{ values ("{SETUP}"); }} fall_constraint (scalar) {{ values ("{SETUP}"); }} }} '
        if name == "read_addr" and not memory.synchronous:
            checks = ""
        return f"    {head} direction : input; capacitance : {load:.2f}; {checks}}}"
    late = ADDRESS_TO_DATA + PER_ADDRESS_BIT * memory.address_bits
    edge = "timing_type : rising_edge"
    clock = 'related_pin : "clk"'
    arcs = [arc(clock, edge, CLOCK_TO_DATA)] if memory.synchronous else [arc('related_bus_pins : "read_addr"', "timing_sense : non_unate", late), arc(clock, edge, late)]
    return f"    {head} direction : output; {' '.join(arcs)} }}"


def library(found):
    """The text of the library: nanoseconds and femtofarads, as Nangate45 has them."""
    lines = ['library (memories) {', '  delay_model : table_lookup; time_unit : "1ns"; capacitive_load_unit (1,ff); voltage_unit : "1V"; current_unit : "1mA";']
    lines += ["  nom_voltage : 1.1; nom_temperature : 25; nom_process : 1;"]
    for edge in ("rise", "fall"):
        lines += [f"  input_threshold_pct_{edge} : 50; output_threshold_pct_{edge} : 50; slew_lower_threshold_pct_{edge} : 30; slew_upper_threshold_pct_{edge} : 70;"]
    for bits in sorted({bits for each in found for _, bits, _ in each.ports if bits}):
        lines += [f"  type (b{bits}) {{ base_type : array; data_type : bit; bit_width : {bits}; bit_from : {bits - 1}; bit_to : 0; }}"]
    for each in found:
        lines += [f"  cell ({each.name}) {{", "    area : 0; interface_timing : true;"]
        lines += [pin(each, *port) for port in each.ports]
        lines += ["  }"]
    return "\n".join([*lines, "}", ""])
