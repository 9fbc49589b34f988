//! The ports of the top module, for whatever is written about it beside the Verilog.

use super::comments::signal;
use super::names::ModuleNames;
use crate::base::Direction;
use crate::design::{Design, SignalKind};
use crate::source_info::BlockInfo;

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// Name in the Verilog.
    pub name: String,
    /// Name as engines have it.
    pub engine_name: String,
    /// Direction.
    pub direction: Direction,
    /// Bits.
    pub width: usize,
    /// It is a clock.
    pub clock: bool,
    /// What is stated about it in Rust, a line each.
    pub doc: Vec<String>,
}

/// The ports in the order of the declaration.
pub(super) fn ports(
    design: &Design,
    names: &ModuleNames,
    info: Option<&BlockInfo>,
) -> Vec<PortInfo> {
    let signals = design.top().signals.iter().zip(&names.signals);
    let ports = signals.filter_map(|(decl, name)| {
        let direction = match decl.kind {
            SignalKind::Input => Direction::In,
            SignalKind::Output => Direction::Out,
            _ => return None,
        };
        let plain = |line: String| line.trim_start_matches("// ").to_owned();
        Some(PortInfo {
            name: name.clone(),
            engine_name: decl.name.clone(),
            direction,
            width: decl.ty.width,
            clock: decl.clock,
            doc: signal(decl, name, info).into_iter().map(plain).collect(),
        })
    });
    ports.collect()
}
