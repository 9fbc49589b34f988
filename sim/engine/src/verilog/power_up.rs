//! First values of registers, for a simulation that starts before the reset.
//!
//! In Rust a register starts at its reset value, and the read register of a memory at zero. In hardware the reset, and
//! the first edge of the clock, do that: so the modules do not say it, and a testbench that compares from the first
//! cycle on says it for them.

use num_bigint::BigUint;

use super::names::ModuleNames;
use super::text::number;
use crate::design::{Body, Design, Leaf};

/// Assignments to the registers in an instance of the top, by hierarchical name.
pub(crate) fn power_up(design: &Design, names: &[ModuleNames], instance: &str) -> Vec<String> {
    let mut lines = Vec::new();
    inside(design, names, design.top, instance, &mut lines);
    lines
}

fn inside(
    design: &Design,
    names: &[ModuleNames],
    number: usize,
    path: &str,
    lines: &mut Vec<String>,
) {
    let module = &design.modules[number];
    let mut starts = |register: usize, value: &BigUint| {
        let value = self::number(value, module.signals[register].ty.width);
        lines.push(format!(
            "{path}.{} = {value};",
            names[number].signals[register]
        ));
    };
    match &module.body {
        Body::Storage(Leaf::Reg { q, reset, .. }) => starts(*q, reset),
        Body::Storage(Leaf::Ram {
            read_data,
            asynchronous: false,
            ..
        }) => starts(*read_data, &BigUint::ZERO),
        _ => {}
    }
    for (child, name) in module.children.iter().zip(&names[number].children) {
        inside(
            design,
            names,
            child.module,
            &format!("{path}.{name}"),
            lines,
        );
    }
}
