//! The block between registers, with three pins: what place and route needs of a block with more ports than a chip has
//! pins.
//!
//! A shift register drives every input; every output goes into a register, and those are folded into one bit in levels
//! of four with registers between. So every path of the block, also from its inputs and to its outputs, is one between
//! registers, and nothing of the block is optimised away.

use super::Package;
use std::fmt::Write;
use xtq_engine::Direction;

/// Bits that one LUT folds.
const FOLD: usize = 4;

/// The module `wrap_<top>`.
pub fn wrap(package: &Package) -> String {
    let top = package.top;
    let (mut pins, mut inputs, mut outputs) = (Vec::new(), 0, 0);
    for port in package.ports {
        if port.clock {
            pins.push(format!(".{}(clk)", port.name));
            continue;
        }
        let (row, low) = match port.direction {
            Direction::In => ("in_q", &mut inputs),
            Direction::Out => ("out", &mut outputs),
        };
        let high = *low + port.width - 1;
        pins.push(format!(".{}({row}[{high}:{low}])", port.name));
        *low = high + 1;
    }
    let (mut rows, mut steps) = (String::new(), String::new());
    let (mut level, mut width, mut row) = (0, outputs, "out".to_owned());
    while width > 1 || level == 0 {
        // The first level only takes the outputs.
        let (next, fold) = match level {
            0 => (width, 1),
            _ => (width.div_ceil(FOLD), FOLD),
        };
        let _ = writeln!(rows, "    reg [{}:0] fold{level};", next - 1);
        for bit in 0..next {
            let (low, high) = (bit * fold, (bit * fold + fold).min(width) - 1);
            let _ = writeln!(steps, "        fold{level}[{bit}] <= ^{row}[{high}:{low}];");
        }
        (width, row) = (next, format!("fold{level}"));
        level += 1;
    }
    // A block without inputs leaves the row out; its pin goes into the fold, so that it is read.
    let (mut row_in, mut shift, mut also) = (String::new(), String::new(), "");
    match inputs {
        0 => also = " ^ si",
        1 => {
            row_in = "    reg [0:0] in_q;\n".to_owned();
            shift = "        in_q <= si;\n".to_owned();
        }
        _ => {
            let (high, below) = (inputs - 1, inputs - 2);
            row_in = format!("    reg [{high}:0] in_q;\n");
            shift = format!("        in_q <= {{in_q[{below}:0], si}};\n");
        }
    }
    format!(
        "// {mark}; do not edit.
// SPDX-License-Identifier: MIT OR Apache-2.0
// {top} between registers, with three pins, for place and route. It computes nothing of use.
module wrap_{top} (
    input wire clk,
    input wire si,
    output wire so
);
{row_in}    wire [{high_out}:0] out;
{rows}    {top} block ({pins});
    always @(posedge clk) begin
{shift}{steps}    end
    assign so = {row}[0]{also};
endmodule
",
        mark = super::MARK,
        high_out = outputs - 1,
        pins = pins.join(",\n        "),
    )
}
