"""The slowest path out of SDF. `python3 -m unittest test_sdf`; a test of `xtq` runs it."""

import tempfile
import unittest
from pathlib import Path

import sdf

# a -> sum -> b takes 300 + 500 + 200 + 600 + 100 ps; what goes to d comes later, and needs less: 300 + 1340 + 20.
WIRES = [
    ("clk/O", "block.a_TRELLIS_FF_Q/CLK", 9000),
    ("clk/O", "block.b_TRELLIS_FF_Q/CLK", 9000),
    ("block.a_TRELLIS_FF_Q/Q", "block.sum_LUT4_Z$1/A", 500),
    ("block.c_TRELLIS_FF_Q/Q", "block.sum_LUT4_Z$1/D", 400),
    ("block.sum_LUT4_Z$1/F", "block.b_TRELLIS_FF_Q/M", 600),
    ("block.c_TRELLIS_FF_Q/Q", "block.d_TRELLIS_FF_Q/DI", 1340),
]


def triples(ps):
    """Rise and fall, fastest to slowest; a pair where they differ."""
    rise, fall = ps if isinstance(ps, tuple) else (ps, ps)
    return f"(1:2:{rise}) (1:2:{fall})"


def cell(name, delays, checks=()):
    """A cell with the delays between its pins, and what its pins need before the clock."""
    paths = "".join(f"        (IOPATH {source} {pin} {triples(ps)})\n" for source, pin, ps in delays)
    needs = "".join(f"      (SETUPHOLD ({edge} {pin}) (posedge CLK) (1:2:{ps}) (7:8:9))\n" for edge, pin, ps in checks)
    return f"  (CELL\n    (INSTANCE {name})\n    (DELAY\n{paths}    )\n{needs}  )\n"


def document(wires=WIRES, through=200, start=("CLK", "Q", 300)):
    """A design of four registers and a sum; Yosys gives some cells names with a dollar sign, which nextpnr escapes."""
    escape = lambda pin: pin.replace("$", "\\$")  # noqa: E731
    lines = "".join(f"        (INTERCONNECT {escape(source)} {escape(pin)} {triples(ps)})\n" for source, pin, ps in wires)
    needs = [("posedge", "M", 100), ("negedge", "M", 60), ("posedge", "DI", 15), ("negedge", "DI", 20)]
    registers = "".join(cell(f"block.{name}_TRELLIS_FF_Q", [start], needs) for name in "abcd")
    return lines + registers + cell(escape("block.sum_LUT4_Z$1"), [("A", "F", through), ("D", "F", 250)])


def timing(text, *megahertz):
    """What is found in a text, if nextpnr has reported this frequency."""
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder, "placed.sdf"), Path(folder, "place.log")
        file.write_text(text)
        log.write_text("".join(f"Info: Max frequency for clock 'clk': {each} MHz (PASS at 200.00 MHz)\n" for each in megahertz))
        return sdf.timing(file, log)


class Timing(unittest.TestCase):
    def test_the_slowest_path_goes_from_register_to_register(self):
        found = {"fmax": 588.2, "from": "a", "to": "b", "through": ["a", "sum"], "levels": 1, "logic_ns": 0.6, "routing_ns": 1.1}
        self.assertEqual(timing(document(), 588.24), found)

    def test_another_path_is_found_when_it_is_longer(self):
        longer = [(source, pin, 800 if pin.endswith("/D") else ps) for source, pin, ps in WIRES]
        self.assertEqual(timing(document(longer), 487.8)["from"], "c")

    def test_what_the_end_needs_counts(self):
        later = [(source, pin, 1390 if pin.endswith("/DI") else ps) for source, pin, ps in WIRES]
        self.assertEqual(timing(document(later), 584.8)["to"], "d")

    def test_the_slower_of_rise_and_fall_counts(self):
        for pair in [(400, 50), (50, 400)]:
            self.assertEqual(timing(document(through=pair), 526.32)["logic_ns"], 0.8)
            wires = [(source, pin, (pair[0] * 2, pair[1] * 2) if pin.endswith("/A") else ps) for source, pin, ps in WIRES]
            self.assertEqual(timing(document(wires), 500)["routing_ns"], 1.4)

    def test_memories_have_two_clocks(self):
        for clock in ("CLKA", "CLKB"):
            self.assertEqual(timing(document(start=(clock, "Q", 300)), 588.24)["from"], "a")

    def test_a_path_ends_at_a_clock(self):
        # A register whose clock comes out of another.
        gated = [*WIRES, ("block.d_TRELLIS_FF_Q/Q", "block.a_TRELLIS_FF_Q/CLK", 9000)]
        self.assertEqual(timing(document(gated), 588.24)["from"], "a")

    def test_registers_of_the_frame_are_not_named_on_the_way(self):
        fold = [(source.replace("block.a", "fold1"), pin, ps) for source, pin, ps in WIRES]
        found = timing(document(fold) + cell("fold1_TRELLIS_FF_Q", [("CLK", "Q", 300)]), 588.24)
        self.assertEqual((found["from"], found["through"]), ("fold1", ["sum"]))

    def test_a_frequency_that_is_not_that_of_nextpnr_is_refused(self):
        for said in [(588.0,), (588.4,), (), (588.24, 588.24)]:
            with self.assertRaisesRegex(ValueError, "588.24 MHz, nextpnr says"):
                timing(document(), *said)

    def test_a_design_without_a_path_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no path between registers"):
            timing(cell("a", []), 588.24)

    def test_a_delay_of_another_form_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"IOPATH \(posedge CLK\) Q"):
            timing(document() + "        (IOPATH (posedge CLK) Q (1:2:3) (1:2:3))\n", 588.24)
