//! Generated Rust: the nodes as source text, to be compiled ahead of time by cargo.
//!
//! **Idea.** A function for each list of the [`Layout`], a variable for each node, an `if` for each [`Branch`]. The
//! text names nothing but numbers of nodes, since nobody edits it; it is safe Rust without a bound check, because every
//! index is a constant or cut to a memory's address bits.

use std::collections::HashSet;
use std::fmt::Write;

use super::layout::Layout;
use super::plan::Plan;
use super::schedule::{Branch, Item};
use crate::Result;
use crate::netlist::{Id, Netlist, Op};

/// Functions and the table of them, called `name`, which is a Rust identifier in capitals.
/// Errors: those of [`Layout::new`].
pub(crate) fn source(netlist: &Netlist, plan: &Plan, name: &str) -> Result<String> {
    let layout = Layout::new(netlist, plan)?;
    let module = name.to_lowercase();
    let mut text = format!("mod {module} {{\n");
    for (number, items) in layout.functions.iter().enumerate() {
        let mut writer = Writer {
            netlist,
            plan,
            layout: &layout,
            text: String::new(),
            known: HashSet::new(),
        };
        writer.outer(items);
        line(
            &mut text,
            format_args!(
                "pub(super) fn f{number}(b: &mut [u64]) {{\n\
                 let Some(b) = b.first_chunk_mut::<{}>() else {{ return }};\n\
                 {}}}",
                layout.words, writer.text
            ),
        );
    }
    text.push_str("}\n");
    let functions = (0..layout.functions.len()).map(|number| format!("{module}::f{number}"));
    let functions: Vec<String> = functions.collect();
    line(
        &mut text,
        format_args!(
            "/// Generated code of a design.\n\
             pub static {name}: xtq_engine::Ahead = xtq_engine::Ahead {{\n\
             fingerprint: {:#x},\nwords: {},\nfunctions: &[{}],\n}};",
            plan.fingerprint(netlist),
            layout.words,
            functions.join(", ")
        ),
    );
    Ok(text)
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

    /// Items whose results others may need.
    fn outer(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
            for &id in item.results() {
                for word in self.layout.places(id) {
                    let value = self.value(id);
                    self.line(format_args!("b[{word}] = {value};"));
                }
            }
        }
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
            Op::Load(word) => format!("b[{word}]"),
            // The layout has seen to it that the value is there.
            _ => format!("b[{}]", self.layout.kept(id).unwrap_or(0)),
        }
    }

    fn expression(&self, id: Id) -> String {
        let v = |id: Id| self.value(id);
        match self.netlist.graph.op(id) {
            Op::Const(value) => format!("{value:#x}"),
            Op::Load(word) => format!("b[{word}]"),
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
