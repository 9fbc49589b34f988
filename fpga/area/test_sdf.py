"""The slowest path out of SDF. `python3 -m unittest test_sdf`; a test of `xtq` runs it."""

import tempfile
import unittest
from pathlib import Path

import sdf

# a -> sum -> b takes 300 + 500 + 200 + 600 + 100 = 1700 ps; c -> b is shorter, and nothing goes through the clock of b.
WIRES = [
    ("clk/O", "block.a_TRELLIS_FF_Q/CLK", 9000),
    ("clk/O", "block.b_TRELLIS_FF_Q/CLK", 9000),
    ("block.a_TRELLIS_FF_Q/Q", "block.sum_LUT4_Z$1/A", 500),
    ("block.c_TRELLIS_FF_Q/Q", "block.sum_LUT4_Z$1/D", 400),
    ("block.sum_LUT4_Z$1/F", "block.b_TRELLIS_FF_Q/M", 600),
]


def cell(name, delays, checks=()):
    """A cell with the delays between its pins, and what its pins need before the clock."""
    paths = "".join(f"        (IOPATH {source} {pin} (1:2:{ps}) (1:2:{ps}))\n" for source, pin, ps in delays)
    needs = "".join(f"      (SETUPHOLD (posedge {pin}) (posedge CLK) (1:2:{ps}) (7:8:9))\n" for pin, ps in checks)
    return f"  (CELL\n    (INSTANCE {name})\n    (DELAY\n{paths}    )\n{needs}  )\n"


def document(wires=WIRES):
    """A design of three registers and a sum; Yosys gives some cells names with a dollar sign, which nextpnr escapes."""
    escape = lambda pin: pin.replace("$", "\\$")  # noqa: E731
    lines = "".join(f"        (INTERCONNECT {escape(source)} {escape(pin)} (1:2:{ps}) (1:2:{ps}))\n" for source, pin, ps in wires)
    registers = "".join(cell(escape(f"block.{name}_TRELLIS_FF_Q"), [("CLK", "Q", 300)], [("M", 100)]) for name in "abc")
    return lines + registers + cell(escape("block.sum_LUT4_Z$1"), [("A", "F", 200), ("D", "F", 250)])


def timing(text, megahertz):
    """What is found in a text, if nextpnr has said this frequency: last, behind one that does not count."""
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder, "placed.sdf"), Path(folder, "place.log")
        file.write_text(text)
        log.write_text(f"Info: Max frequency for clock 'clk': 1.00 MHz (FAIL at 200.00 MHz)\nInfo: Max frequency for clock 'clk': {megahertz} MHz (PASS at 200.00 MHz)\n")
        return sdf.timing(file, log)


class Timing(unittest.TestCase):
    def test_the_slowest_path_goes_from_register_to_register(self):
        found = {"fmax": 588.2, "from": "a", "to": "b", "through": ["a", "sum"], "levels": 1, "logic_ns": 0.6, "routing_ns": 1.1}
        self.assertEqual(timing(document(), 588.24), found)

    def test_another_path_is_found_when_it_is_longer(self):
        longer = [(source, pin, 800 if pin.endswith("/D") else ps) for source, pin, ps in WIRES]
        self.assertEqual(timing(document(longer), 487.8)["from"], "c")

    def test_a_frequency_that_is_not_that_of_nextpnr_is_refused(self):
        with self.assertRaisesRegex(ValueError, "588.24 MHz, nextpnr says"):
            timing(document(), 580)

    def test_a_design_without_a_path_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no path between registers"):
            timing(cell("a", []), 588.24)
