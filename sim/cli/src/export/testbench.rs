//! A test bench that checks itself: random inputs, and what the Rust blocks answered to them.
//!
//! It shows that a tool reads the export as it is meant, in any simulator and without Rust. Words of the file of
//! vectors are {expected outputs, inputs} of a cycle, the first port lowest. Registers are set at the start to what
//! they are in the compiled blocks, as what is written to memories during reset comes from them. The first two cycles
//! are reset, if there is one; from then on every output counts in every cycle.

use super::Package;
use std::fmt::Write;
use xtq_engine::stimulus::Stimulus;
use xtq_engine::verilog::PortInfo;
use xtq_engine::{Direction, Engine, Result};

/// Cycles that are played.
const CYCLES: usize = 256;
/// Seed of the inputs.
const SEED: u64 = 1;

/// A row of bits, the lowest first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn push(&mut self, words: &[u64], width: usize) {
        let bit = |at: usize| words[at / 64] >> (at % 64) & 1 == 1;
        self.0.extend((0..width).map(bit));
    }

    fn hex(&self) -> String {
        let digit = |bits: &[bool]| {
            let value = bits
                .iter()
                .rev()
                .fold(0, |value, bit| value << 1 | u32::from(*bit));
            char::from_digit(value, 16).unwrap_or('0')
        };
        let digits: Vec<char> = self.0.chunks(4).map(digit).collect();
        digits.into_iter().rev().collect()
    }
}

/// The test bench, and the file of vectors. Errors: of the engine.
pub fn testbench(package: &Package, engine: &mut dyn Engine) -> Result<(String, String)> {
    let of = |direction| {
        let ports = package.ports.iter();
        let of = ports.filter(|port| port.direction == direction && !port.clock);
        of.collect::<Vec<&PortInfo>>()
    };
    let (inputs, outputs) = (of(Direction::In), of(Direction::Out));
    let vectors = vectors(engine, &inputs, &outputs)?;
    Ok((text(package, &inputs, &outputs), vectors))
}

fn vectors(engine: &mut dyn Engine, inputs: &[&PortInfo], outputs: &[&PortInfo]) -> Result<String> {
    let mut stimulus = Stimulus::new(engine.ports(), SEED);
    let mut text = format!("// {}; do not edit.\n", super::MARK);
    for _ in 0..CYCLES {
        stimulus.advance();
        for (name, _, words) in stimulus.values() {
            let port = engine.port(name)?;
            engine.set(port, words)?;
        }
        engine.eval()?;
        let mut bits = Bits::default();
        for port in inputs.iter().chain(outputs) {
            let mut words = vec![0; port.width.div_ceil(64)];
            engine.get(engine.port(&port.engine_name)?, &mut words);
            bits.push(&words, port.width);
        }
        text += &bits.hex();
        text.push('\n');
        engine.step()?;
    }
    Ok(text)
}

fn text(package: &Package, inputs: &[&PortInfo], outputs: &[&PortInfo]) -> String {
    let top = package.top;
    let width = |ports: &[&PortInfo]| ports.iter().map(|port| port.width).sum::<usize>();
    let (width_in, width_out) = (width(inputs), width(outputs));
    let mut pins: Vec<String> = Vec::new();
    // A block without a clock needs none: only the time goes on.
    let (mut clk, mut clk_low, mut edge) = ("", "", "            #2;\n");
    if let Some(clock) = package.clock() {
        pins.push(format!(".{}(clk)", clock.name));
        clk = "    reg clk;\n";
        clk_low = "        clk = 1'b0;\n";
        edge = "            #1 clk = 1'b1;\n            #1 clk = 1'b0;\n";
    }
    let mut low = 0;
    for port in inputs {
        let high = low + port.width - 1;
        pins.push(format!(".{}(word[{high}:{low}])", port.name));
        low = high + 1;
    }
    low = 0;
    let mut names = String::new();
    for port in outputs {
        let high = low + port.width - 1;
        pins.push(format!(".{}(got[{high}:{low}])", port.name));
        let _ = writeln!(
            names,
            "        if (got[{high}:{low}] !== expected[{high}:{low}]) \
             $display(\"tb_{top}: cycle %0d: {} is %h, expected %h\", cycle, got[{high}:{low}], expected[{high}:{low}]);",
            port.name
        );
        low = high + 1;
    }
    let reset = inputs.iter().any(|port| port.name == "rst");
    let first = if reset { 2 } else { 0 };
    let first_values = package.first_values.iter();
    let start: String = first_values
        .map(|line| format!("        {line}\n"))
        .collect();
    format!(
        "// {mark}; do not edit.
// SPDX-License-Identifier: MIT OR Apache-2.0 Plays sim/tb_{top}.hex, from the folder of the export, and compares every
// output in every cycle. Ends at the first difference, and the simulator with a code other than 0.
module tb_{top};
{clk}    reg [{last}:0] vectors [0:{last_cycle}];
    reg [{last}:0] word;
    wire [{high_out}:0] got;
    wire [{high_out}:0] expected;
    integer cycle;
    integer file;
    {top} dut ({pins});
    assign expected = word[{last}:{width_in}];
    task differ;
        begin
{names}        end
    endtask
    task fail;
        begin
            // After $stop, vvp reads commands, and at the end of its input ends with 0; other simulators do not know
            // the other task.
`ifdef __ICARUS__
            $finish_and_return(1);
`else
            $stop;
`endif
        end
    endtask
    initial begin
        file = $fopen(\"sim/tb_{top}.hex\", \"r\");
        if (file == 0) begin
            $display(\"tb_{top}: sim/tb_{top}.hex was not read: run from the folder of the export\");
            fail;
        end
        $fclose(file);
        $readmemh(\"sim/tb_{top}.hex\", vectors);
{clk_low}{start}        for (cycle = 0; cycle < {CYCLES}; cycle = cycle + 1) begin
            word = vectors[cycle];
            // Missing, or not all in hexadecimal; a simulator without x finds a difference.
            if (^word === 1'bx) begin
                $display(\"tb_{top}: sim/tb_{top}.hex has no whole vector of cycle %0d: export again\", cycle);
                fail;
            end
            #1;
            if (cycle >= {first} && got !== expected) begin
                differ;
                fail;
            end
{edge}        end
        $display(\"tb_{top}: {CYCLES} cycles agree\");
        $finish;
    end
endmodule
",
        mark = super::MARK,
        last = width_in + width_out - 1,
        high_out = width_out - 1,
        last_cycle = CYCLES - 1,
        pins = pins.join(",\n        "),
    )
}
