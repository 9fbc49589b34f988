//! The ports of a block, from the declarations in its source, and the table of them on its page.

use super::formats::plain;
use std::fmt::Write;

/// A port as it is declared.
#[derive(Debug)]
struct Port {
    name: String,
    direction: String,
    /// What it carries, as written in Rust.
    carries: String,
    doc: String,
}

/// Pins of a bus: what their names begin with, the row's direction, and what the bus is.
const BUSES: [(&str, &str, &str); 9] = [
    (
        "m_axi_",
        "AXI4 master",
        "Host memory: 512 bits, 64-bit virtual addresses, 4-bit ids; `awuser` and `aruser` are the context.",
    ),
    (
        "s_axil_",
        "AXI4-Lite slave",
        "[Registers](ROOT/reference/registers.md): 32 bits, 16-bit addresses.",
    ),
    (
        "s_axis_net_",
        "AXI4-Stream, in",
        "Packets from the network: 512 bits, bytes from lane 0 up.",
    ),
    (
        "m_axis_net_",
        "AXI4-Stream, out",
        "Packets to the network: 512 bits, bytes from lane 0 up.",
    ),
    ("ar_", "AXI4 AR, out", "Read address."),
    ("r_", "AXI4 R, in", "Read data."),
    ("aw_", "AXI4 AW, out", "Write address."),
    ("w_", "AXI4 W, out", "Write data."),
    ("b_", "AXI4 B, in", "Write response."),
];

/// The public fields of the struct `block` in a source file, in their order.
fn ports(source: &str, block: &str) -> Vec<Port> {
    let mut lines = source.lines().skip_while(|line| {
        let name = line.strip_prefix("pub struct ").unwrap_or_default();
        name.split(['<', ' ', '{']).next() != Some(block)
    });
    // The parameters may stand on lines of their own.
    let opened = lines.by_ref().find(|line| line.ends_with('{'));
    assert!(opened.is_some(), "no `pub struct {block}` with fields");
    let (mut found, mut doc) = (Vec::new(), String::new());
    for line in lines.take_while(|line| *line != "}").map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc = format!("{doc} {}", text.trim()).trim().to_string();
        } else if let Some((name, kind)) = line
            .strip_prefix("pub ")
            .and_then(|field| field.trim_end_matches(',').split_once(": "))
        {
            found.push(port(name, kind, std::mem::take(&mut doc)));
        } else if !line.starts_with("#[") {
            doc.clear();
        }
    }
    found
}

/// `Signal<In, T>`, `Constant<T>`, or a bundle at one of its ends: `StreamIn<T>`, `PulseOut<T>`.
fn port(name: &str, kind: &str, doc: String) -> Port {
    let (head, rest) = kind.split_once('<').unwrap_or((kind, ""));
    let inner = rest.strip_suffix('>').unwrap_or(rest);
    let way = |end: &str| head.strip_suffix(end).map(str::to_lowercase);
    let (direction, carries) = match (inner.split_once(", "), way("In"), way("Out")) {
        (Some(("In", carries)), ..) => (String::from("in"), carries),
        (Some(("Out", carries)), ..) => (String::from("out"), carries),
        (_, Some(bundle), _) => (format!("in, {bundle}"), inner),
        (_, _, Some(bundle)) => (format!("out, {bundle}"), inner),
        _ => (head.to_lowercase(), inner),
    };
    Port {
        name: name.to_string(),
        direction,
        carries: carries.to_string(),
        doc,
    }
}

/// What a port carries, for a reader: the width of bits, or the name of a struct with a link to its fields.
fn carried(carries: &str, structs: &[(String, String)], root: &str) -> String {
    let width = carries
        .strip_prefix("Bits<")
        .and_then(|w| w.strip_suffix('>'));
    match (carries, width) {
        ("Bit" | "bool" | "Clock", _) => String::from("1"),
        (_, Some(width)) => width.trim_matches(['{', '}', ' ']).to_string(),
        (name, _) => match structs.iter().find(|(one, _)| one == name) {
            Some((_, place)) => format!("[`{name}`]({root}/reference/{place})"),
            None => format!("`{name}`"),
        },
    }
}

/// What the documentation of a valid or ready signal says of every stream or pulse, with `x` for its name.
const USUAL: [&str; 12] = [
    "",
    "`x` is valid.",
    "`x` is valid (pulse).",
    "Pulse: `x` is valid.",
    "Pulse.",
    "It is taken.",
    "It was taken.",
    "`x` is taken.",
    "`x` is accepted.",
    "Take the word.",
    "Take the beat.",
    "Take the head.",
];

/// The table of a block's ports: a row a port, a stream (`x`, `x_valid`, `x_ready`), a pulse (`x`, `x_valid`) or a bus.
/// `structs` are those that have a table of fields, with its place; `root` is the way from the page to `docs`.
pub fn port_table(source: &str, block: &str, structs: &[(String, String)], root: &str) -> String {
    let ports = ports(source, block);
    let find = |name: &str| ports.iter().find(|port| port.name == name);
    let mut table = String::from("\n| port | direction | carries | meaning |\n|---|---|---|---|\n");
    let mut buses = Vec::new();
    for port in &ports {
        let (name, mut doc) = (port.name.as_str(), plain(&port.doc));
        if name == "clk" && doc == "Clock." && find("rst").is_some() {
            continue;
        }
        if name == "rst" {
            let _ = writeln!(table, "| `clk`, `rst` | in | 1 | Clock. {doc} |");
            continue;
        }
        let bus = BUSES.iter().find(|(prefix, ..)| name.starts_with(prefix));
        if let Some((prefix, direction, meaning)) = bus {
            if !buses.contains(prefix) {
                buses.push(prefix);
                let meaning = meaning.replace("ROOT", root);
                let _ = writeln!(table, "| `{prefix}*` | {direction} |  | {meaning} |");
            }
            continue;
        }
        // Valid and ready stand in the row of their payload.
        let stream = name.strip_suffix("_valid").or(name.strip_suffix("_ready"));
        let whole = |of: &&str| find(of).is_some() && find(&format!("{of}_valid")).is_some();
        if stream.filter(whole).is_some() {
            continue;
        }
        let (valid, ready) = (
            find(&format!("{name}_valid")),
            find(&format!("{name}_ready")),
        );
        let kind = match (valid, ready) {
            (Some(_), Some(_)) => ", stream",
            (Some(_), None) => ", pulse",
            _ => "",
        };
        for other in [valid, ready]
            .into_iter()
            .flatten()
            .filter(|_| valid.is_some())
        {
            let more = plain(&other.doc);
            if !USUAL.contains(&more.replace(&format!("`{name}`"), "`x`").as_str()) {
                doc = format!("{doc} `{}`: {more}", other.name);
            }
        }
        let (carries, doc) = (
            carried(&port.carries, structs, root),
            doc.replace('|', "\\|"),
        );
        let _ = writeln!(
            table,
            "| `{name}` | {}{kind} | {carries} | {doc} |",
            port.direction
        );
    }
    table + "\n"
}
