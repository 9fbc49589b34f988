"""The slowest path in standard cells. `python3 -m unittest test_sta`; a test of `xtq` runs it."""

import unittest

import sta

# As OpenSTA 2.0.17 writes it, with shorter names.
REPORT = r"""Startpoint: long_name (rising edge-triggered flip-flop clocked by clk)
Endpoint: count_q.q[3]_XOR2_X1_A_DFF_X1_Q (rising edge-triggered flip-flop clocked by clk)
Path Group: clk
Path Type: max

Fanout    Delay     Time   Description
----------------------------------------------------------------
         0.000    0.000   clock clk (rise edge)
         0.000    0.000   clock network delay (ideal)
         0.000    0.000 ^ long_name/CK (DFF_X1)
         0.104    0.104 ^ long_name/Q (DFF_X1)
    4                     head_q.q[0] (net)
         0.000    0.104 ^ waiting.mem/read_addr[0] (lut_ram)
         0.210    0.314 v waiting.mem/read_data[5] (lut_ram)
    1                     waiting.mem_read_data[5] (net)
         0.000    0.314 v _0123_/B (MUX2_X1)
         0.062    0.377 v _0123_/Z (MUX2_X1)
    1                     _0999_ (net)
         0.000    0.377 v count_q.q[3]_XOR2_X1_A_DFF_X1_Q/D (DFF_X1)
                  0.377   data arrival time

         1.300    1.300   clock clk (rise edge)
        -0.036    1.264   library setup time
                  1.264   data required time
----------------------------------------------------------------
                  1.264   data required time
                 -0.377   data arrival time
----------------------------------------------------------------
                  0.887   slack (MET)
"""
STATISTICS = r"""
   Number of cells:                 41
   Chip area for module '\block': 68.096000
"""
HELD = {"long_name": "head_q.q"}


class Numbers(unittest.TestCase):
    def test_the_nanoseconds_are_what_the_slack_leaves(self):
        found = sta.numbers(REPORT, STATISTICS, HELD)
        expected = {"ns": 0.413, "from": "head_q.q", "to": "count_q.q", "through": ["waiting.mem"], "levels": 2, "cells": 41, "um2": 68}
        self.assertEqual(found, expected)

    def test_a_path_that_is_too_slow_has_more_than_the_period(self):
        found = sta.numbers(REPORT.replace("0.887   slack (MET)", "-4.870   slack (VIOLATED)"), STATISTICS, HELD)
        self.assertEqual(found["ns"], 6.17)

    def test_a_path_may_begin_and_end_at_ports(self):
        text = REPORT.replace("Startpoint: long_name (rising", "Startpoint: cfg_data[0] (input port; rising")
        text = text.replace("Endpoint: count_q.q[3]_XOR2_X1_A_DFF_X1_Q (rising", "Endpoint: done (output port; rising")
        found = sta.numbers(text, STATISTICS, HELD)
        self.assertEqual((found["from"], found["to"]), ("cfg_data", "done"))

    def test_reports_without_a_path_area_or_cells_are_refused(self):
        for report, statistics in [("No paths found.\n", STATISTICS), (REPORT, ""), ("", ""), (REPORT, STATISTICS.splitlines()[1])]:
            with self.assertRaisesRegex(ValueError, "no path"):
                sta.numbers(report, statistics, HELD)


class Names(unittest.TestCase):
    def test_a_name_is_cut_to_the_signal_of_the_block(self):
        for name, signal in [
            (r"\state_q.q[3]_DFF_X1_Q/D", "state_q.q"),
            ("cfg_data[0]_BUF_X4_A_Z", "cfg_data"),
            ("ack_NAND2_X1_A2_ZN", "ack"),
            ("rings_1.size_q.q", "rings_1.size_q.q"),
            ("head_q.q[0]$_SDFFE_PP0P_", "head_q.q"),
            ("_0123_", ""),
        ]:
            self.assertEqual(sta.plain(name), signal)

    def test_a_register_has_the_name_of_what_it_holds(self):
        cell = "  DFF_X1 \\a[1]_DFF_X1_QN  (\n    .CK(clk),\n    .D(_1_),\n    .Q(\\state_q.q[1] ),\n    .QN(_2_)\n  );\n"
        inverted = "  DFF_X1 _77_ (\n    .CK(clk),\n    .D(_1_),\n    .QN(\\none_q.q )\n  );\n"
        other = "  AND2_X1 _78_ (\n    .A1(a),\n    .Q(b)\n  );\n"
        self.assertEqual(sta.registers(cell + inverted + other), {"a[1]_DFF_X1_QN": "state_q.q", "_77_": "none_q.q"})


class Scripts(unittest.TestCase):
    def test_the_script_of_abc_is_pinned(self):
        text = sta.synthesis("top", ["../../export/top/top.v"], ["ram_16_7"])
        self.assertIn("abc -D 1000 -constr abc.constr -liberty cells.lib -script +strash;&get,-n;&st;&dch;&nf;&put;buffer,-c;topo;upsize,-D,1000;dnsize,-D,1000\n", text)
        self.assertLess(text.index("blackbox ram_16_7\n"), text.index("flatten\n"))

    def test_the_clock_is_no_input_and_a_block_without_one_is_timed_too(self):
        self.assertIn("-period 1.3 [get_ports clk]\n", sta.analysis("top", True))
        self.assertIn("-not -exact [all_inputs] [get_ports clk]]\n", sta.analysis("top", True))
        self.assertIn("-period 1.3 \nset_input_delay 0.1 -clock clk [all_inputs]\n", sta.analysis("top", False))


if __name__ == "__main__":
    unittest.main()
