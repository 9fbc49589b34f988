//! Registers and memories.
//!
//! What storage starts with in Rust the text says with `initial` where nothing else would: a memory has the words that
//! the design gives and zeros after them, a register without a reset has its first value. FPGA tools put that into the
//! bitstream. A register with a reset waits for it, and the read register of a memory for the first edge
//! ([`power_up`](super::power_up)).

use num_bigint::BigUint;

use super::sheet::Sheet;
use super::text::{bits, number, range};
use crate::design::{Leaf, Name};

/// The lines of the module, its ports excepted.
pub(super) fn storage(sheet: &mut Sheet, leaf: &Leaf) -> Vec<String> {
    match leaf {
        Leaf::Reg {
            rst,
            en,
            d,
            q,
            reset,
        } => register(sheet, *rst, *en, *d, *q, reset),
        Leaf::Ram { .. } => memory(sheet, leaf),
    }
}

/// The name of a port that is read whole.
fn port(sheet: &mut Sheet, signal: usize) -> String {
    sheet.signal(Name::Own(signal)).text
}

fn clock(sheet: &mut Sheet) -> String {
    let clock = sheet.module.signals.iter().position(|s| s.clock);
    clock.map_or_else(String::new, |clock| port(sheet, clock))
}

fn register(
    sheet: &mut Sheet,
    rst: Option<usize>,
    en: Option<usize>,
    d: usize,
    q: usize,
    reset: &BigUint,
) -> Vec<String> {
    let decl = sheet.decl(Name::Own(q));
    let kind = (!decl.variants.is_empty()).then_some((decl.type_name.as_str(), &decl.variants[..]));
    let reset = sheet.number(reset, decl.ty.width, kind).text;
    let (clk, d, q) = (clock(sheet), port(sheet, d), port(sheet, q));
    let [rst, en] = [rst, en].map(|control| control.map(|signal| port(sheet, signal)));
    let mut lines = Vec::new();
    if rst.is_none() {
        lines.extend([format!("initial {q} = {reset};"), String::new()]);
    }
    lines.push(format!("always @(posedge {clk}) begin"));
    let (mut otherwise, mut taken) = ("", String::new());
    if let Some(rst) = rst {
        lines.push(format!("    if ({rst}) {q} <= {reset};"));
        otherwise = "else ";
    }
    if let Some(en) = en {
        taken = format!("if ({en}) ");
    }
    lines.push(format!("    {otherwise}{taken}{q} <= {d};"));
    lines.push("end".into());
    lines
}

/// Words that one loop sets to zero: Yosys takes a time that grows with the square of its length, 7 s for 1,024 words
/// of 512 bits.
const FILLED_AT_ONCE: usize = 128;

fn memory(sheet: &mut Sheet, leaf: &Leaf) -> Vec<String> {
    let Leaf::Ram {
        write_addr,
        write_data,
        write_en,
        write_mask,
        read_addr,
        read_data,
        asynchronous,
        contents,
    } = leaf
    else {
        return Vec::new();
    };
    let word = sheet.decl(Name::Own(*write_data)).ty;
    let depth = 1usize << sheet.decl(Name::Own(*write_addr)).ty.width;
    let ports = [*write_addr, *write_data, *write_en, *read_addr, *read_data];
    let [write_addr, write_data, write_en, read_addr, read_data] = ports.map(|p| port(sheet, p));
    let lanes = write_mask.map(|mask| (sheet.decl(Name::Own(mask)).ty.width, port(sheet, mask)));
    let clk = clock(sheet);
    let [mem, i] = ["storage", "i"].map(|name| sheet.names.scope.unique(name));

    let zero = number(&BigUint::ZERO, word.width);
    let mut lines = vec![
        format!("reg {}{mem} [0:{}];", range(word), depth - 1),
        format!("integer {i};"),
        String::new(),
    ];
    for first in (0..depth).step_by(FILLED_AT_ONCE) {
        let end = depth.min(first + FILLED_AT_ONCE);
        lines.push("initial begin".into());
        lines.push(format!(
            "    for ({i} = {first}; {i} < {end}; {i} = {i} + 1) {mem}[{i}] = {zero};"
        ));
        for (at, value) in contents.iter().enumerate().take(end).skip(first) {
            let value = number(value, word.width);
            lines.push(format!("    {mem}[{at}] = {value};"));
        }
        lines.push("end".into());
    }
    lines.push(String::new());
    lines.push(format!("always @(posedge {clk}) begin"));
    match lanes {
        None => {
            lines.push(format!(
                "    if ({write_en}) {mem}[{write_addr}] <= {write_data};"
            ));
        }
        Some((count, mask)) => {
            let lane = word.width / count;
            for at in 0..count {
                let enable = bits(&mask, count, at, at);
                let (low, high) = (at * lane, at * lane + lane - 1);
                let data = bits(&write_data, word.width, low, high);
                let target = bits(&format!("{mem}[{write_addr}]"), word.width, low, high);
                lines.push(format!(
                    "    if ({write_en} && {enable}) {target} <= {data};"
                ));
            }
        }
    }
    if !asynchronous {
        lines.push(format!("    {read_data} <= {mem}[{read_addr}];"));
    }
    lines.push("end".into());
    if *asynchronous {
        lines.extend([
            String::new(),
            format!("assign {read_data} = {mem}[{read_addr}];"),
        ]);
    }
    lines
}
