//! What `xtq export` writes beside the modules: everything that other people's tools need to use them.

mod constraints;
mod core;
mod readme;
mod registers;
mod testbench;
mod wrap;

use xtq_engine::verilog::{File, PortInfo};
use xtq_engine::{Engine, Result};

/// In the first or second line of every file of an export; a file without it is not overwritten.
pub const MARK: &str = "Written by `xtq export`";

/// An export, as far as the files beside the modules describe it.
pub struct Package<'a> {
    /// Name of the top module.
    pub top: &'a str,
    /// The block in one sentence.
    pub title: &'a str,
    /// How the block is built: `, with atomics`, or nothing.
    pub build: &'a str,
    /// How large it is, in words; or nothing.
    pub size: &'a str,
    /// Generic parameters of the block and what they are here.
    pub parameters: &'a [(&'a str, &'a str)],
    /// The modules, the top last.
    pub modules: &'a [File],
    /// The ports of the top.
    pub ports: &'a [PortInfo],
    /// The registers at its AXI4-Lite port, if it has one.
    pub registers: Option<Registers>,
    /// Clock frequency that tools are asked for, in MHz.
    pub megahertz: u32,
    /// Statements that give registers their first values in a simulation without a reset.
    pub first_values: &'a [String],
}

/// Which registers the top has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// Those of the target side.
    Target {
        /// Built with AXI5 atomics.
        atomics: bool,
    },
    /// Those of the whole NIC.
    Nic {
        /// Contexts that it has.
        contexts: u32,
        /// Built with AXI5 atomics.
        atomics: bool,
    },
}

impl Package<'_> {
    /// Name in the folder and text of each file. `engine` runs the same block, for what the test bench expects. Errors:
    /// of the engine.
    pub fn files(&self, engine: &mut dyn Engine) -> Result<Vec<(String, String)>> {
        let (bench, vectors) = testbench::testbench(self, engine)?;
        let top = self.top;
        let mut files = vec![
            (format!("{top}.core"), core::core(self)),
            (format!("{top}.sdc"), constraints::sdc(self)),
            (format!("{top}.xdc"), constraints::xdc(self)),
            (format!("{top}.lpf"), constraints::lpf(self)),
            (format!("sim/tb_{top}.v"), bench),
            (format!("sim/tb_{top}.hex"), vectors),
            (format!("pnr/wrap_{top}.v"), wrap::wrap(self)),
            ("README.md".to_owned(), readme::readme(self)),
        ];
        if let Some(registers) = self.registers {
            files.push(("registers.md".to_owned(), registers::page(registers)));
            files.push(("registers.h".to_owned(), registers::header(registers)));
            files.push(("registers.rdl".to_owned(), registers::rdl(registers)));
        }
        Ok(files)
    }

    /// The clock, if the block has one.
    fn clock(&self) -> Option<&PortInfo> {
        self.ports.iter().find(|port| port.clock)
    }

    /// The size, and each parameter with its value: `4 contexts (E = 8, C = 4)`. Nothing if there are neither.
    fn instance(&self) -> String {
        let parameters = self.parameters.iter();
        let list: Vec<String> = parameters
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        match (self.size, list.join(", ")) {
            (size, list) if list.is_empty() => size.to_owned(),
            ("", list) => list,
            (size, list) => format!("{size} ({list})"),
        }
    }

    /// Bits of all ports.
    fn pins(&self) -> usize {
        self.ports.iter().map(|port| port.width).sum()
    }
}
