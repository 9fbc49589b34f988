//! The module around the design that takes orders, and the simulator started with both.

use std::fmt::Write as _;

use super::Simulator;
use super::export::Export;
use super::process::{Process, file, run};
use crate::Result;
use crate::base::Direction;
use crate::design::{Body, Design, Leaf, SignalDecl, SignalKind};
use crate::engine::Port;
use crate::verilog::{ModuleNames, power_up};

/// An output of a block inside.
pub(super) struct Probe {
    /// As every engine calls it.
    pub(super) path: String,
    /// As the harness calls it.
    name: String,
    pub(super) width: usize,
    pub(super) variants: Vec<String>,
    /// It is a register, which can be overwritten.
    pub(super) register: bool,
}

/// The outputs of all instances but the top.
pub(super) fn probes(design: &Design, names: &[ModuleNames]) -> Vec<Probe> {
    let mut probes = Vec::new();
    inside(design, names, design.top, ["", "dut"], &mut probes);
    probes
}

/// Adds the outputs of all instances in a module, which has this path and name.
fn inside(
    design: &Design,
    names: &[ModuleNames],
    number: usize,
    [path, name]: [&str; 2],
    probes: &mut Vec<Probe>,
) {
    let module = &design.modules[number];
    for (child, identifier) in module.children.iter().zip(&names[number].children) {
        let (path, name) = (
            format!("{path}{}.", child.name),
            format!("{name}.{identifier}"),
        );
        let inner = &design.modules[child.module];
        let signals = &names[child.module].signals;
        let register = match inner.body {
            Body::Storage(Leaf::Reg { q, .. }) => Some(q),
            _ => None,
        };
        for (at, (signal, identifier)) in inner.signals.iter().zip(signals).enumerate() {
            if signal.kind == SignalKind::Output {
                probes.push(Probe {
                    path: format!("{path}{}", signal.name),
                    name: format!("{name}.{identifier}"),
                    width: signal.ty.width,
                    variants: signal.variants.clone(),
                    register: register == Some(at),
                });
            }
        }
        inside(design, names, child.module, [&path, &name], probes);
    }
}

impl Port {
    /// The port that a signal of the top is; none for the clock and for what is inside.
    pub(super) fn of(signal: &SignalDecl) -> Option<Self> {
        let direction = match signal.kind {
            SignalKind::Input if !signal.clock => Direction::In,
            SignalKind::Output => Direction::Out,
            _ => return None,
        };
        Some(Self {
            name: signal.name.clone(),
            width: signal.ty.width,
            direction,
        })
    }
}

/// A folder with a design and its harness.
pub(super) struct Harness<'a> {
    export: &'a Export,
    module: String,
}

/// Writes the harness to the design.
pub(super) fn harness<'a>(
    design: &Design,
    export: &'a Export,
    probes: &[Probe],
) -> Result<Harness<'a>> {
    // No module of the design is called so.
    let module = format!("{}_harness_", export.top);
    let name = format!("{module}.v");
    file(
        &export.folder,
        &name,
        &text(design, export, &module, probes),
    )?;
    Ok(Harness { export, module })
}

/// A declaration of so many bits.
fn declare(kind: &str, width: usize, name: &str) -> String {
    format!("    {kind} [{}:0] {name};\n", width.max(1) - 1)
}

fn text(design: &Design, export: &Export, module: &str, probes: &[Probe]) -> String {
    const READ: &str = "got = $fscanf(32'h8000_0000, \"%h\",";
    let top = design.top();
    let names = &export.names[design.top].signals;
    let (mut wires, mut pins, mut read, mut print) =
        (String::new(), Vec::new(), String::new(), String::new());
    let mut widest = 1;
    for (at, (signal, name)) in top.signals.iter().zip(names).enumerate() {
        match Port::of(signal).map(|port| port.direction) {
            Some(Direction::In) => {
                wires += &declare("reg", signal.ty.width, &format!("port{at}"));
                widest = widest.max(signal.ty.width);
                // Verilator 5.006 does not see that `$fscanf` changes what logic reads: an assignment it sees.
                let high = signal.ty.width.max(1) - 1;
                read += &format!("                {READ} value);\n");
                read += &format!("                port{at} = value[{high}:0];\n");
                pins.push(format!(".{name}(port{at})"));
            }
            Some(Direction::Out) => {
                wires += &declare("wire", signal.ty.width, &format!("port{at}"));
                print += &format!(" $write(\" %h\", port{at});");
                pins.push(format!(".{name}(port{at})"));
            }
            None if signal.clock => pins.push(format!(".{name}(clk)")),
            None => {}
        }
    }
    let (mut pokes, mut peeks) = (String::new(), String::new());
    for (number, probe) in probes.iter().enumerate() {
        let name = &probe.name;
        // A string of Rust: writing to it does not fail.
        let _ = writeln!(peeks, "                $write(\" %h\", {name});");
        if probe.register {
            widest = widest.max(probe.width);
            let high = probe.width.max(1) - 1;
            // Not one `case`: Verilator would write all of it again for each of the registers.
            let _ = writeln!(
                pokes,
                "        if (number == 32'd{number}) {name} <= value[{high}:0];"
            );
        }
    }
    let value = declare("reg", widest, "value");
    let (dut, pins) = (&export.top, pins.join(", "));
    let start = power_up(design, &export.names, "dut").join("\n        ");
    format!(
        "`timescale 1ns/1ns
module {module};
    reg clk, write;
    reg [7:0] order;
    reg [31:0] number;
    integer got;
{value}{wires}    {dut} dut ({pins});
    always @(posedge write) begin
{pokes}    end
    initial begin
        {start}
    end
    initial begin
        clk = 1'b0;
        write = 1'b0;
        got = 1;
        while (got == 1) begin
            {READ} order);
            if (got == 1) $write(\"=\");
            if (got == 1 && order == 8'd0) begin
{read}                #1;{print}
            end
            if (got == 1 && order == 8'd1) begin
                clk = 1'b1;
                #1;
                clk = 1'b0;
                #1;{print}
            end
            if (got == 1 && order == 8'd2) begin
{peeks}            end
            if (got == 1 && order == 8'd3) begin
                {READ} number);
                {READ} value);
                write = 1'b1;
                #1;
                write = 1'b0;
                #1;
            end
            $display(\"\");
            $fflush;
        end
        $finish;
    end
endmodule
"
    )
}

impl Harness<'_> {
    /// Builds design and harness, and starts them.
    pub(super) fn start(&self, simulator: Simulator) -> Result<Process> {
        let (folder, module) = (&self.export.folder, self.module.as_str());
        let source = format!("{module}.v");
        match simulator {
            Simulator::Icarus => {
                let list = ["-f", crate::verilog::FILE_LIST];
                let arguments = ["-g2005", "-o", "harness.vvp", "-s", module, &source];
                run("iverilog", &[&arguments[..], &list].concat(), folder)?;
                Process::start("vvp", &["-n", "harness.vvp"], folder)
            }
            Simulator::Verilator => {
                let program = "harness";
                let output = format!("../{program}");
                // It runs a few thousand cycles: the time to build counts, and each file of C++ costs a second for what
                // it includes. Warnings are for those who lint.
                self.export.verilate(&[
                    "--binary",
                    "--timing",
                    "-Wno-fatal",
                    "--flatten",
                    "--output-split",
                    "100000",
                    "-CFLAGS",
                    "-O0",
                    "-MAKEFLAGS",
                    "OPT_GLOBAL=-O0",
                    "-j",
                    "0",
                    "--top-module",
                    module,
                    "--Mdir",
                    "obj",
                    "-o",
                    &output,
                    &source,
                ])?;
                Process::start(&format!("./{program}"), &[], folder)
            }
        }
    }
}
