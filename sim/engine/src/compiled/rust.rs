//! Generated Rust: the parts as source text, to be compiled ahead of time by cargo.
//!
//! **Idea.** A function for each list of parts of the [`Layout`], a variable for each node, an `if` for each
//! [`Branch`]. The text names nothing but numbers of nodes, since nobody edits it; it is safe Rust without a bound
//! check, because every index is a constant or cut to a memory's address bits.

use std::collections::HashSet;
use std::fmt::Write;

use super::layout::{Function, Layout};
use super::plan::{Group, Plan};
use super::schedule::{Branch, Item};
use crate::Result;
use crate::netlist::{Id, Netlist, Op};

/// Functions and the table of them, called `name`, which is a Rust identifier in capitals.
/// Errors: those of [`Layout::new`].
pub(crate) fn source(netlist: &Netlist, plan: &Plan, name: &str) -> Result<String> {
    let layout = Layout::new(netlist, plan)?;
    let module = name.to_lowercase();
    let mut text = format!("mod {module} {{\n");
    let mut names = [String::new(), String::new()];
    for (number, function) in layout.functions.iter().enumerate() {
        let mut writer = Writer {
            netlist,
            plan,
            layout: &layout,
            text: String::new(),
            known: HashSet::new(),
        };
        writer.function(function);
        line(
            &mut text,
            format_args!(
                "pub(super) fn f{number}(b: &mut [u64]) {{\n\
                 let Some(b) = b.first_chunk_mut::<{}>() else {{ return }};\n\
                 {}}}",
                plan.words, writer.text
            ),
        );
        let names = &mut names[usize::from(!function.shown)];
        // A string takes everything.
        let _ = write!(names, "{module}::f{number}, ");
    }
    text.push_str("}\n");
    let partition = &plan.partition;
    let nodes = |ids: &[Id]| numbers(ids.iter().map(|id| id.index()).collect());
    let parts: Vec<String> = partition.parts.iter().map(|part| nodes(part)).collect();
    let copies: Vec<Id> = partition.copies.iter().copied().collect();
    line(
        &mut text,
        format_args!(
            "/// Generated code of a design.\n\
             pub static {name}: xtq_engine::Ahead = xtq_engine::Ahead {{\n\
             fingerprint: {:#x},\nwords: {},\nparts: &[{}],\nshown: {},\nin_place: {},\ncopies: {},\n\
             first: &[{}],\nthen: &[{}],\n}};",
            plan.fingerprint(netlist),
            plan.words,
            parts.join(", "),
            partition.shown,
            numbers(partition.in_place.iter().copied().collect()),
            nodes(&copies),
            names[0],
            names[1],
        ),
    );
    Ok(text)
}

/// A list of numbers in order.
fn numbers(mut list: Vec<usize>) -> String {
    list.sort_unstable();
    format!("&{list:?}")
}

fn line(text: &mut String, line: std::fmt::Arguments) {
    // A string takes everything.
    let _ = writeln!(text, "{line}");
}

struct Writer<'a> {
    netlist: &'a Netlist,
    plan: &'a Plan,
    layout: &'a Layout,
    text: String,
    /// Variables in scope.
    known: HashSet<Id>,
}

impl Writer<'_> {
    fn line(&mut self, arguments: std::fmt::Arguments) {
        line(&mut self.text, arguments);
    }

    fn function(&mut self, function: &Function) {
        for test in &function.tests {
            let word = self.plan.flag(test.start).word;
            let bits: u64 = test.clone().map(|part| self.plan.flag(part).bits).sum();
            self.line(format_args!("if b[{word}] & {bits:#x} != 0 {{"));
            for part in test.clone() {
                self.part(part);
            }
            self.line(format_args!("}}"));
        }
    }

    fn part(&mut self, number: usize) {
        let flag = self.plan.flag(number);
        let (word, bits, others) = (flag.word, flag.bits, !flag.bits);
        self.line(format_args!("if b[{word}] & {bits:#x} != 0 {{"));
        self.line(format_args!("b[{word}] &= {others:#x};"));
        let layout = self.layout;
        layout.parts[number].iter().for_each(|item| self.item(item));
        let plan = self.plan;
        for (id, word) in &plan.parts[number].stores {
            let value = self.value(*id);
            self.line(format_args!("b[{word}] = {value};"));
        }
        for group in &plan.parts[number].groups {
            self.group(group);
        }
        self.line(format_args!("}}"));
        self.known.clear();
    }

    fn group(&mut self, group: &Group) {
        let values: Vec<(String, usize)> = group
            .values
            .iter()
            .map(|(id, word)| (self.value(*id), *word))
            .collect();
        if let Some(shadow) = group.shadow {
            for ((value, _), word) in values.iter().zip(shadow..) {
                self.line(format_args!("b[{word}] = {value};"));
            }
        }
        let differ = |(value, word): &(String, usize)| format!("({value} ^ b[{word}])");
        let differ: Vec<String> = values.iter().map(differ).collect();
        self.line(format_args!("if {} != 0 {{", differ.join(" | ")));
        if group.shadow.is_none() {
            for (value, word) in &values {
                self.line(format_args!("b[{word}] = {value};"));
            }
        }
        for mark in &group.marks {
            let (word, bits) = (mark.word, mark.bits);
            self.line(format_args!("b[{word}] |= {bits:#x};"));
        }
        self.line(format_args!("}}"));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Node(id) => {
                let value = self.expression(*id);
                self.line(format_args!("let v{}: u64 = {value};", id.index()));
            }
            Item::Branch(branch) => self.branch(branch),
        }
        self.known.extend(item.results());
    }

    fn branch(&mut self, branch: &Branch) {
        for mux in &branch.muxes {
            self.line(format_args!("let v{}: u64;", mux.index()));
        }
        let cond = self.value(branch.cond);
        self.line(format_args!("if {cond} != 0 {{"));
        self.arm(&branch.then, &branch.muxes, true);
        self.line(format_args!("}} else {{"));
        self.arm(&branch.otherwise, &branch.muxes, false);
        self.line(format_args!("}}"));
    }

    fn arm(&mut self, items: &[Item], muxes: &[Id], first: bool) {
        let outside = self.known.clone();
        items.iter().for_each(|item| self.item(item));
        for &mux in muxes {
            if let Op::Mux(_, a, b) = self.netlist.graph.op(mux) {
                let value = self.value(if first { a } else { b });
                self.line(format_args!("v{} = {value};", mux.index()));
            }
        }
        self.known = outside;
    }

    /// An operand: a variable, a number, or a word of the buffer.
    fn value(&self, id: Id) -> String {
        if self.known.contains(&id) {
            return format!("v{}", id.index());
        }
        match self.netlist.graph.op(id) {
            Op::Const(value) => format!("{value:#x}u64"),
            Op::Load(word) => format!("b[{}]", self.plan.place[word as usize]),
            // The plan has seen to it that the value is there.
            _ => format!("b[{}]", self.plan.kept(id).unwrap_or(0)),
        }
    }

    fn expression(&self, id: Id) -> String {
        let v = |id: Id| self.value(id);
        match self.netlist.graph.op(id) {
            Op::Const(_) | Op::Load(_) => v(id),
            // A finished graph has none.
            Op::Later(_) => "0".into(),
            Op::Read { memory, word, addr } => {
                let start = self.plan.memories[memory as usize] + word as usize;
                let memory = &self.netlist.memories[memory as usize];
                let (last, words) = (memory.depth - 1, memory.words);
                format!("b[{start} + ({} as usize & {last}) * {words}]", v(addr))
            }
            Op::And(a, b) => format!("{} & {}", v(a), v(b)),
            Op::Or(a, b) => format!("{} | {}", v(a), v(b)),
            Op::Xor(a, b) => format!("{} ^ {}", v(a), v(b)),
            Op::Add(a, b) => format!("{}.wrapping_add({})", v(a), v(b)),
            Op::Sub(a, b) => format!("{}.wrapping_sub({})", v(a), v(b)),
            Op::Eq(a, b) => format!("({} == {}) as u64", v(a), v(b)),
            Op::Lt(a, b) => format!("({} < {}) as u64", v(a), v(b)),
            Op::Shl(a, b) => self.shift("shl", a, b),
            Op::Shr(a, b) => self.shift("shr", a, b),
            Op::Parity(a) => format!("({}.count_ones() & 1) as u64", v(a)),
            Op::Mux(c, a, b) => format!("if {} != 0 {{ {} }} else {{ {} }}", v(c), v(a), v(b)),
        }
    }

    /// Rust's shifts take the amount modulo 64; the graph's give 0 from 64 on.
    fn shift(&self, method: &str, a: Id, b: Id) -> String {
        let (value, by) = (self.value(a), self.value(b));
        let shifted = format!("{value}.wrapping_{method}({by} as u32)");
        match self.netlist.graph.width(b) <= 6 {
            true => shifted,
            false => format!("if {by} < 64 {{ {shifted} }} else {{ 0 }}"),
        }
    }
}
