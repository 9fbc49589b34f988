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

/// A bundle that is a channel or a bus: its type without its end, what it is, and what a reader looks for next.
const BUNDLES: [(&str, &str, &str); 18] = [
    ("AxiAw", "AXI4 AW", ""),
    ("AxiW", "AXI4 W", ""),
    ("AxiB", "AXI4 B", ""),
    ("AxiAr", "AXI4 AR", ""),
    ("AxiR", "AXI4 R", ""),
    (
        "AxiLite",
        "AXI4-Lite",
        " [Map](ROOT/reference/registers.md).",
    ),
    ("AxiStream", "AXI4-Stream", ""),
    ("LineAw", "AXI4 AW", ""),
    ("LineW", "AXI4 W", ""),
    ("LineB", "AXI4 B", ""),
    ("LineAr", "AXI4 AR", ""),
    ("LineR", "AXI4 R", ""),
    ("Window", "window", ""),
    ("ReadBack", "word read back", ""),
    ("Drops", "pulses", ""),
    ("Refusals", "pulses", ""),
    ("Trace", "trace", ""),
    ("PortalCommit", "pulse", ""),
];

/// The bundle of what a port carries, `AxiAwOut` or `WindowIn<9>`, if it is one of those.
fn bundle(carries: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let head = carries.split('<').next().unwrap_or_default();
    let of = |(one, ..): &&(&str, &str, &str)| {
        [format!("{one}In"), format!("{one}Out")].contains(&head.to_owned())
    };
    BUNDLES.iter().find(of)
}

/// Names and widths of pins, but for those of the handshake.
fn pins<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let data = all.filter(|(name, _)| !name.ends_with("valid") && !name.ends_with("ready"));
    let data: Vec<String> = data
        .map(|(name, carries)| format!("`{name}` {}", width(carries).unwrap_or(carries)))
        .collect();
    data.join(", ")
}

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

/// `Signal<In, T>`, `Constant<T>`, a bus: `AxiAwOut`, or a bundle at one of its ends: `StreamIn<T>`, `PulseOut<T>`.
fn port(name: &str, kind: &str, doc: String) -> Port {
    let (head, rest) = kind.split_once('<').unwrap_or((kind, ""));
    let inner = rest.strip_suffix('>').unwrap_or(rest);
    let bus = |bundle: &str| BUNDLES.iter().find(|(one, ..)| *one == bundle);
    let way = |end: &str| {
        let bundle = head.strip_suffix(end)?;
        Some(bus(bundle).map_or_else(|| bundle.to_lowercase(), |(_, what, _)| (*what).to_owned()))
    };
    let (direction, carries) = match (inner.split_once(", "), way("In"), way("Out")) {
        (Some(("In", carries)), ..) => (String::from("in"), carries),
        (Some(("Out", carries)), ..) => (String::from("out"), carries),
        (_, Some(bundle), _) => (format!("in, {bundle}"), inner),
        (_, _, Some(bundle)) => (format!("out, {bundle}"), inner),
        _ => (head.to_lowercase(), inner),
    };
    let carries = match (inner, bundle(kind)) {
        ("", _) => head,
        (_, Some(_)) => kind,
        _ => carries,
    };
    Port {
        name: name.to_string(),
        direction,
        carries: carries.to_string(),
        doc,
    }
}

/// The bits of what a port carries, if they are no struct.
fn width(carries: &str) -> Option<&str> {
    let bits = carries.strip_prefix("Bits<");
    match bits.and_then(|bits| bits.strip_suffix('>')) {
        Some(bits) => Some(bits.trim_matches(['{', '}', ' '])),
        None => ["Bit", "bool", "Clock"].contains(&carries).then_some("1"),
    }
}

/// `Bits<A>` of the definition of a bundle, and what it is with the arguments of `carries`, for each parameter.
fn given(carries: &str, bundle: &str, buses: &str) -> Vec<(String, String)> {
    let inside = |text: &str| {
        let text = text.split_once('<').map_or("", |(_, rest)| rest);
        let text = text.split('>').next().unwrap_or_default();
        text.split(", ").map(str::to_owned).collect::<Vec<_>>()
    };
    let head = format!("pub struct {bundle}In<");
    let definition = buses.lines().find(|line| line.starts_with(&head));
    let parameters = definition.map(inside).unwrap_or_default().into_iter();
    let name = |parameter: String| {
        let name = parameter.trim_start_matches("const ").split(':').next();
        format!("Bits<{}>", name.unwrap_or_default())
    };
    let values = inside(carries).into_iter();
    let values = values.map(|value| format!("Bits<{value}>"));
    parameters.map(name).zip(values).collect()
}

/// What a port carries, for a reader: the width of bits, the pins of a bus (`buses` is their source), or the name of a
/// struct with a link to its fields.
fn carried(carries: &str, structs: &[(String, String)], root: &str, buses: &str) -> String {
    if let Some(width) = width(carries) {
        return width.to_owned();
    }
    if let Some((one, ..)) = bundle(carries) {
        let fields = ports(buses, &format!("{one}In"));
        let given = given(carries, one, buses);
        let width = |port: &Port| match given.iter().find(|(name, _)| port.carries == *name) {
            Some((_, value)) => value.clone(),
            None => port.carries.clone(),
        };
        let fields: Vec<(&str, String)> = (fields.iter())
            .map(|port| (port.name.as_str(), width(port)))
            .collect();
        return pins(fields.iter().map(|(name, width)| (*name, width.as_str())));
    }
    match structs.iter().find(|(one, _)| one == carries) {
        Some((_, place)) => format!("[`{carries}`]({root}/reference/{place})"),
        None => format!("`{carries}`"),
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
/// `structs` are those that have a table of fields, with its place; `root` is the way from the page to `docs`; `axi` is
/// the source of buses.
pub fn port_table(
    source: &str,
    block: &str,
    structs: &[(String, String)],
    root: &str,
    axi: &str,
) -> String {
    let ports = ports(source, block);
    let find = |name: &str| ports.iter().find(|port| port.name == name);
    let mut table = String::from("\n| port | direction | carries | meaning |\n|---|---|---|---|\n");
    for port in &ports {
        let (name, mut doc) = (port.name.as_str(), plain(&port.doc));
        if name == "clk" && doc == "Clock." && find("rst").is_some() {
            continue;
        }
        if name == "rst" {
            let _ = writeln!(table, "| `clk`, `rst` | in | 1 | Clock. {doc} |");
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
        let bundle = bundle(&port.carries);
        doc += &bundle.map_or_else(String::new, |(.., more)| more.replace("ROOT", root));
        let carries = carried(&port.carries, structs, root, axi);
        assert!(
            !["", "``"].contains(&carries.as_str()),
            "{block}: nothing says what port {name} carries"
        );
        let doc = doc.replace('|', "\\|");
        let _ = writeln!(
            table,
            "| `{name}` | {}{kind} | {carries} | {doc} |",
            port.direction
        );
    }
    table + "\n"
}
