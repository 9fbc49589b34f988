"""Memories as black boxes. `python3 -m unittest test_memories`; a test of `xtq` runs it."""

import re
import unittest

import memories

MODULE = """// A memory.
module {name} (
    // Clock.
    input wire clk,
    input wire [6:0] write_addr,
    input wire [15:0] write_data,
    input wire write_en,
    input wire [6:0] read_addr,
    output {kind} [15:0] read_data
);
    reg [15:0] storage [0:127];
{read}
endmodule
"""
RAM = MODULE.format(name="ram_16_7", kind="reg", read="    always @(posedge clk) begin\n        read_data <= storage[read_addr];\n    end")
LUT_RAM = MODULE.format(name="lut_ram_16_7", kind="wire", read="    assign read_data = storage[read_addr];")


def pins(text, cell):
    """The lines of a cell of the library by the name of their pin."""
    body = text[text.index(f"cell ({cell})") :].split("\n  }\n")[0]
    return {re.match(r"\s+(?:bus|pin) \((\w+)\)", line)[1]: line for line in body.splitlines()[2:]}


class Found(unittest.TestCase):
    def test_a_module_without_storage_is_no_memory(self):
        self.assertIsNone(memories.memory("module a (\n    input wire clk\n);\nendmodule\n", "a.v"))

    def test_what_reads_at_the_clock_is_told_from_what_reads_at_once(self):
        ram, lut = (memories.memory(text, "a.v") for text in (RAM, LUT_RAM))
        self.assertEqual((ram.name, ram.synchronous, ram.width, ram.depth, ram.address_bits), ("ram_16_7", True, 16, 128, 7))
        self.assertEqual((lut.name, lut.synchronous), ("lut_ram_16_7", False))
        self.assertEqual(ram.ports[-1], ("output", 16, "read_data"))
        self.assertEqual(ram.ports[3], ("input", 0, "write_en"))

    def test_a_memory_with_lanes_is_one(self):
        lanes = RAM.replace("    input wire write_en,", "    input wire write_en,\n    input wire [3:0] write_mask,")
        self.assertIn(("input", 4, "write_mask"), memories.memory(lanes, "a.v").ports)

    def test_other_ports_are_refused_by_name(self):
        for text in (RAM.replace("read_addr,", "where,"), RAM.replace("    input wire write_en,\n", ""), "reg storage [0:1];"):
            with self.assertRaisesRegex(ValueError, "a.v: a memory with ports that are not known: .*(where|write_en|clk)"):
                memories.memory(text, "a.v")


class Library(unittest.TestCase):
    def library(self, text):
        return memories.library([memories.memory(text, "a.v")])

    def test_a_synchronous_memory_is_read_after_the_clock(self):
        found = pins(self.library(RAM), "ram_16_7")
        self.assertIn('related_pin : "clk"; timing_type : rising_edge; cell_rise (scalar) { values ("0.2900")', found["read_data"])
        self.assertNotIn("read_addr", found["read_data"])
        self.assertIn("setup_rising", found["read_addr"])

    def test_one_that_is_read_at_once_is_later_the_deeper_it_is(self):
        found = pins(self.library(LUT_RAM), "lut_ram_16_7")
        # 0.10 + 7 * 0.055: from every bit of the address to every bit of the word.
        self.assertIn('related_bus_pins : "read_addr"; timing_sense : non_unate; cell_rise (scalar) { values ("0.4850")', found["read_data"])
        self.assertNotIn("setup_rising", found["read_addr"])
        self.assertIn("setup_rising", found["write_addr"])
        shallow = self.library(LUT_RAM.replace("[6:0]", "[1:0]").replace("[0:127]", "[0:3]"))
        self.assertIn('values ("0.2100")', pins(shallow, "lut_ram_16_7")["read_data"])

    def test_each_width_of_a_bus_is_declared_once(self):
        text = memories.library([memories.memory(each, "a.v") for each in (RAM, LUT_RAM)])
        self.assertEqual(re.findall(r"type \((b\d+)\)", text), ["b7", "b16"])
        self.assertEqual(text.count("{"), text.count("}"))

    def test_a_block_without_memories_has_an_empty_library(self):
        self.assertNotIn("cell (", memories.library([]))


if __name__ == "__main__":
    unittest.main()
