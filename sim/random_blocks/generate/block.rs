//! A random block as text: signals, storage, children, and a kernel that drives all of it.
//!
//! The kernel only reads inputs, storage, and what it has driven before, so that nothing depends on itself and nothing
//! is a latch.

use std::fmt::Write;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::expr::{Scope, Ty, width};

/// Blocks in a block, itself included, above which it is no child of another.
const LARGE: usize = 8;

/// A block that is drawn.
pub struct Drawn {
    pub name: String,
    pub text: String,
    pub inputs: Vec<(String, Ty)>,
    pub outputs: Vec<(String, Ty)>,
    /// Blocks in it, itself included.
    size: usize,
    /// It has a stream in, `s`, and one out, `m`. Neither depends on the other's signals in the same cycle, unless one
    /// is the other.
    streams: bool,
}

/// What all blocks use.
pub const HEAD: &str = "
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_rtl::bundle::{StreamIn, StreamOut};
use xtq_rtl::leaf::{LaneRam, LutRam, Ram, Reg};

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum State {
    Idle,
    Busy,
    Done,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Packet {
    pub valid: Bit,
    pub data: Bits<67>,
    pub tag: Bits<5>,
}
";

/// A block being drawn.
#[derive(Default)]
struct Draft {
    /// Field, type and first value.
    fields: Vec<[String; 3]>,
    kernel: String,
    /// Depth of the braces.
    indent: usize,
}

impl Draft {
    fn field(&mut self, name: &str, ty: String, value: impl Into<String>) {
        self.fields.push([name.into(), ty, value.into()]);
    }

    fn signal(&mut self, name: &str, direction: &str, ty: &str) {
        self.field(
            name,
            format!("Signal<{direction}, {ty}>"),
            "Signal::default()",
        );
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.indent -= usize::from(line.starts_with('}'));
        let spaces = " ".repeat(4 * self.indent + 8);
        // A string takes everything.
        let _ = writeln!(self.kernel, "{spaces}{line}");
        self.indent += usize::from(line.ends_with('{'));
    }

    fn assign(&mut self, scope: &mut Scope, target: &str, ty: Ty) {
        let value = scope.expr(ty, 3);
        self.line(format!("self.{target} = {value};"));
    }

    /// Drives a target, and perhaps again in some cases.
    fn drive(&mut self, scope: &mut Scope, target: &str, ty: Ty) {
        self.assign(scope, target, ty);
        match scope.below(4) {
            0 => {
                self.line(format!("if {} {{", scope.expr(Ty::Bit, 2)));
                self.assign(scope, target, ty);
                if scope.below(2) == 0 {
                    self.line(format!("}} else if {} {{", scope.expr(Ty::Bit, 1)));
                    self.assign(scope, target, ty);
                }
                self.line("}");
            }
            1 => {
                let bits = 1 + scope.below(4);
                self.line(format!("match {} {{", scope.index(bits)));
                let mut values: Vec<usize> = (0..3).map(|_| scope.below(1 << bits)).collect();
                values.sort();
                values.dedup();
                for value in values {
                    self.line(format!("{value} => {{"));
                    self.assign(scope, target, ty);
                    self.line("}");
                }
                self.line("_ => {}");
                self.line("}");
            }
            _ => {}
        }
    }
}

/// A register, with its reset value.
fn register(draft: &mut Draft, scope: &mut Scope, name: &str) -> Ty {
    let ty = Ty::any(scope.random);
    let byte: u8 = scope.random.random();
    let value = match ty {
        Ty::Bit => (byte % 2 == 1).to_string(),
        Ty::Bits(width) => format!("bits::<{width}>({})", byte & (255 >> (8 - width.min(8)))),
        Ty::Signed(width) => format!("signed_cast(bits::<{width}>({}))", byte % 4),
    };
    draft.field(
        name,
        format!("Reg<{}>", ty.text()),
        format!("Reg::new({value})"),
    );
    scope.names.push((format!("self.{name}.q.val()"), ty));
    ty
}

/// A memory: its ports that are to be driven, in order, and what it gives.
fn memory(draft: &mut Draft, scope: &mut Scope) -> (Vec<(&'static str, Ty)>, Ty) {
    let (address, mut data) = (1 + scope.below(4), width(scope.random));
    let lanes = 1 + scope.below(5);
    let (ty, value) = match scope.below(3) {
        0 => (
            format!("Ram<Bits<{data}>, {address}>"),
            "Ram::default()".into(),
        ),
        1 => (
            format!("LutRam<Bits<{data}>, {address}>"),
            "LutRam::default()".into(),
        ),
        _ => {
            data = lanes * (1 + scope.below(20));
            let contents = format!("bits::<{data}>(1), bits::<{data}>(0)");
            (
                format!("LaneRam<{data}, {address}, {lanes}>"),
                format!("LaneRam::with_contents(&[{contents}])"),
            )
        }
    };
    let (word, place) = (Ty::Bits(data), Ty::Bits(address));
    let mut ports = vec![
        ("read_addr", place),
        ("write_addr", place),
        ("write_data", word),
        ("write_en", Ty::Bit),
    ];
    if ty.starts_with("Lane") {
        ports.push(("write_mask", Ty::Bits(lanes)));
    }
    if !ty.starts_with("Lut") {
        scope.names.push(("self.ram.read_data.val()".into(), word));
    }
    draft.field("ram", ty, value);
    (ports, word)
}

/// A chain of equal registers, driven in loops; the kernel drives their clocks too.
fn chain(draft: &mut Draft, scope: &mut Scope) {
    let (count, width) = (2 + scope.below(3), width(scope.random));
    draft.signal("enables", "Local", &Ty::Bits(count).text());
    draft.drive(scope, "enables.next", Ty::Bits(count));
    draft.field(
        "chain",
        format!("[Reg<Bits<{width}>>; {count}]"),
        "Default::default()",
    );
    draft.line(format!("for i in 0..{count} {{"));
    for (port, value) in [("clk", "self.clk.val()"), ("rst", "self.rst.val()")] {
        draft.line(format!("self.chain[i].{port}.next = {value};"));
    }
    draft.line("self.chain[i].en.next = self.enables.val().get_bit(i);");
    draft.line("}");
    draft.line(format!("for i in 0..({count} - 1) {{"));
    draft.line("self.chain[i + 1].d.next = self.chain[i].q.val();");
    draft.line("}");
    draft.drive(scope, "chain[0].d.next", Ty::Bits(width));
    scope.names.push((
        format!("self.chain[{}].q.val()", count - 1),
        Ty::Bits(width),
    ));
}

/// A register with a state, and one with a struct.
fn machine(draft: &mut Draft, scope: &mut Scope) {
    draft.field("state_q", "Reg<State>".into(), "Reg::new(State::Busy)");
    draft.field("packet_q", "Reg<Packet>".into(), "Reg::default()");
    draft.signal("packet", "Local", "Packet");
    draft.drive(scope, "state_q.en.next", Ty::Bit);
    draft.line("self.state_q.d.next = State::Idle;");
    draft.line("self.packet_q.en.next = true;");
    draft.drive(scope, "packet.next.valid", Ty::Bit);
    draft.drive(scope, "packet.next.data", Ty::Bits(67));
    draft.drive(scope, "packet.next.tag", Ty::Bits(5));
    draft.line("self.packet_q.d.next = self.packet.val();");
    draft.line("match self.state_q.q.val() {");
    for (state, then) in [("Idle", "Busy"), ("Busy", "Done")] {
        draft.line(format!("State::{state} => {{"));
        draft.assign(scope, "packet_q.en.next", Ty::Bit);
        draft.line(format!("if {} {{", scope.expr(Ty::Bit, 2)));
        draft.line(format!("self.state_q.d.next = State::{then};"));
        draft.line("}");
        draft.line("}");
    }
    draft.line("_ => {}");
    draft.line("}");
    let fields = [
        ("valid", Ty::Bit),
        ("data", Ty::Bits(67)),
        ("tag", Ty::Bits(5)),
    ];
    scope
        .names
        .extend(fields.map(|(field, ty)| (format!("self.packet_q.q.val().{field}"), ty)));
    scope
        .names
        .push(("(self.state_q.q.val() == State::Done)".into(), Ty::Bit));
}

/// What streams carry.
const WORD: Ty = Ty::Bits(72);

/// A stream in and one out: connected, through children if there are any on the way, or driven by the kernel.
fn stream(draft: &mut Draft, scope: &mut Scope, way: &[String]) {
    for (name, ty) in [("s", "StreamIn"), ("m", "StreamOut")] {
        draft.field(name, format!("{ty}<Bits<72>>"), format!("{ty}::default()"));
    }
    if way.is_empty() && scope.below(2) == 0 {
        for (pin, ty) in [("m.data", WORD), ("m.valid", Ty::Bit), ("s.ready", Ty::Bit)] {
            draft.drive(scope, &format!("{pin}.next"), ty);
        }
        return;
    }
    let mut from = "s".to_string();
    for child in way {
        draft.line(format!("connect!(self.{from} => self.{child}.s);"));
        from = format!("{child}.m");
    }
    draft.line(format!("connect!(self.{from} => self.m);"));
}

/// Draws a block; those before it may be its children.
pub fn draw(random: &mut ChaCha8Rng, number: usize, before: &[Drawn]) -> Drawn {
    let name = format!("Random{number}");
    let (mut draft, mut scope) = (
        Draft::default(),
        Scope {
            random,
            names: Vec::new(),
        },
    );
    draft.signal("clk", "In", "Clock");
    draft.signal("rst", "In", "Bit");
    let (mut inputs, mut outputs, mut size) = (Vec::new(), Vec::new(), 1);
    for at in 0..1 + scope.below(3) {
        let (input, ty) = (format!("i{at}"), Ty::any(scope.random));
        draft.signal(&input, "In", &ty.text());
        scope.names.push((format!("self.{input}.val()"), ty));
        inputs.push((input, ty));
    }
    let registers: Vec<(String, Ty)> = (0..scope.below(4))
        .map(|at| format!("r{at}_q"))
        .map(|name| (name.clone(), register(&mut draft, &mut scope, &name)))
        .collect();
    for at in 0..scope.below(4) {
        let (local, ty) = (format!("l{at}"), Ty::any(scope.random));
        draft.signal(&local, "Local", &ty.text());
        draft.drive(&mut scope, &format!("{local}.next"), ty);
        scope.names.push((format!("self.{local}.val()"), ty));
    }
    if scope.below(3) == 0 {
        let (ports, word) = memory(&mut draft, &mut scope);
        for (port, ty) in ports {
            draft.drive(&mut scope, &format!("ram.{port}.next"), ty);
        }
        scope.names.push(("self.ram.read_data.val()".into(), word));
    }
    if scope.below(3) == 0 {
        chain(&mut draft, &mut scope);
    }
    if scope.below(3) == 0 {
        machine(&mut draft, &mut scope);
    }
    let small: Vec<&Drawn> = before.iter().filter(|block| block.size < LARGE).collect();
    let children = if small.is_empty() { 0 } else { scope.below(3) };
    let streams = scope.below(2) == 0;
    // Streams go through all children that have them.
    let (mut way, mut told) = (Vec::new(), Vec::new());
    for at in 0..children {
        let (child, block) = (format!("child{at}"), small[scope.below(small.len())]);
        draft.field(
            &child,
            block.name.clone(),
            format!("{}::default()", block.name),
        );
        let passes = streams && block.streams;
        way.extend(passes.then(|| child.clone()));
        let bundled = |pin: &str| passes && pin.contains('.');
        for (input, ty) in block.inputs.iter().filter(|(pin, _)| !bundled(pin)) {
            draft.drive(&mut scope, &format!("{child}.{input}.next"), *ty);
        }
        let read = |(output, ty): &(String, Ty)| (format!("self.{child}.{output}.val()"), *ty);
        let outputs = block.outputs.iter().map(read);
        match streams {
            true => told.extend(outputs),
            false => scope.names.extend(outputs),
        }
        size += block.size;
    }
    if streams {
        stream(&mut draft, &mut scope, &way);
        scope.names.append(&mut told);
        for (pin, ty) in [("s.data", WORD), ("s.valid", Ty::Bit), ("m.ready", Ty::Bit)] {
            scope.names.push((format!("self.{pin}.val()"), ty));
            inputs.push((pin.into(), ty));
        }
        let given = [("m.data", WORD), ("m.valid", Ty::Bit), ("s.ready", Ty::Bit)];
        outputs.extend(given.map(|(pin, ty)| (pin.into(), ty)));
    }
    for (register, ty) in registers {
        draft.drive(&mut scope, &format!("{register}.en.next"), Ty::Bit);
        draft.drive(&mut scope, &format!("{register}.d.next"), ty);
    }
    for at in 0..1 + scope.below(2) {
        let (output, ty) = (format!("o{at}"), Ty::any(scope.random));
        draft.signal(&output, "Out", &ty.text());
        draft.drive(&mut scope, &format!("{output}.next"), ty);
        outputs.push((output, ty));
    }
    let text = text(&name, &draft.fields, &draft.kernel);
    Drawn {
        name,
        text,
        inputs,
        outputs,
        size,
        streams,
    }
}

/// Struct and kernel.
pub fn text(name: &str, fields: &[[String; 3]], kernel: &str) -> String {
    let line = |[field, ty, value]: &[String; 3]| {
        let value = match value.ends_with("::default()") {
            true => String::new(),
            false => format!("    #[value({value})]\n"),
        };
        format!("{value}    pub {field}: {ty},\n")
    };
    let declared: String = fields.iter().map(line).collect();
    format!(
        "
#[block]
pub struct {name} {{
{declared}}}

#[kernel]
impl Logic for {name} {{
    fn update(&mut self) {{
{kernel}    }}
}}
"
    )
}
