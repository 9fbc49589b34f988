//! What is beside the modules says the same of the top's ports as its Verilog: the page, the constraints, and the block
//! between registers.

use crate::common::{Folder, xtq};
use std::collections::{BTreeMap, BTreeSet};

/// A port as the Verilog declares it.
#[derive(Debug, PartialEq, Eq)]
struct Port {
    name: String,
    input: bool,
    width: usize,
}

/// What is called `clk` is the clock, in every block that has one.
const CLOCK: &str = "clk";

/// The ports of a module, in order.
fn declared(text: &str, module: &str) -> Option<Vec<Port>> {
    let (_, rest) = text.split_once(&format!("\nmodule {module} (\n"))?;
    let (list, _) = rest.split_once("\n);")?;
    let lines = list.lines().map(str::trim);
    let ports = lines.filter(|line| !line.starts_with("//")).map(|line| {
        let mut words = line.trim_end_matches(',').split_whitespace();
        let input = match words.next()? {
            "input" => true,
            "output" => false,
            _ => return None,
        };
        let rest: Vec<&str> = words.skip(1).collect();
        let (name, width) = match rest[..] {
            [name] => (name, 1),
            [bits, name] => (name, range(bits)?.len()),
            _ => return None,
        };
        let name = name.to_owned();
        Some(Port { name, input, width })
    });
    ports.collect()
}

/// `[high:low]` or `[bit]`: the bits.
fn range(text: &str) -> Option<std::ops::Range<usize>> {
    let range = text.strip_prefix('[')?.strip_suffix(']')?;
    let (high, low) = range.split_once(':').unwrap_or((range, range));
    Some(low.parse().ok()?..high.parse::<usize>().ok()? + 1)
}

/// A row of the page of ports: what it says of the port, and the meaning.
fn row(line: &str) -> Option<(Port, &str)> {
    let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
    let cells: Vec<&str> = rest.strip_suffix(" |")?.splitn(3, " | ").collect();
    let [direction, width, meaning] = cells[..] else {
        return None;
    };
    let input = match direction {
        "in" => true,
        "out" => false,
        _ => return None,
    };
    let (name, width) = (name.to_owned(), width.parse().ok()?);
    Some((Port { name, input, width }, meaning.trim()))
}

/// The page has a row for each port, in order, and no other; each with a meaning.
fn page(text: &str, ports: &[Port]) -> Result<(), String> {
    let (_, table) = text
        .split_once("\n## Ports\n\n| port | direction | bits | meaning |\n|---|---|---|---|\n")
        .ok_or("there is no table of ports")?;
    let mut expected = ports.iter();
    for line in table.lines() {
        let (port, meaning) = row(line).ok_or(format!("is no row: {line}"))?;
        if meaning.is_empty() {
            return Err(format!("{} has no meaning", port.name));
        }
        if expected.next() != Some(&port) {
            return Err(format!("is not declared so, or not here: {line}"));
        }
    }
    match expected.next() {
        Some(port) => Err(format!("{} has no row", port.name)),
        None => Ok(()),
    }
}

/// The constraints are about the clock of the top, or about none if it has none.
fn constraints(kind: &str, text: &str, ports: &[Port]) -> Result<(), String> {
    let has_clock = ports.iter().any(|port| port.name == CLOCK && port.input);
    let orders: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let expected = match (has_clock, kind) {
        (false, _) => None,
        (true, "lpf") => Some(format!("FREQUENCY PORT \"{CLOCK}\" 200.000 MHZ;")),
        (true, _) => Some(format!(
            "create_clock -name {CLOCK} -period 5.000 [get_ports {{{CLOCK}}}]"
        )),
    };
    match orders.iter().copied().eq(expected.as_deref()) {
        true => Ok(()),
        false => Err(format!("{kind}: {text}")),
    }
}

/// Bits of rows of registers or wires; each is taken once.
#[derive(Default)]
struct Bits(BTreeMap<String, BTreeSet<usize>>);

impl Bits {
    fn take(&mut self, text: &str) -> Result<usize, String> {
        let error = format!("is no row of bits: {text}");
        let at = text.find('[').ok_or(error.clone())?;
        let (row, bits) = (&text[..at], range(&text[at..]).ok_or(error)?);
        let taken = self.0.entry(row.to_owned()).or_default();
        match bits.clone().all(|bit| taken.insert(bit)) {
            true => Ok(bits.len()),
            false => Err(format!("{text} is taken twice")),
        }
    }

    fn has_all(&self, row: &str, width: usize) -> bool {
        let taken = self.0.get(row).map_or(0, BTreeSet::len);
        let last = self.0.get(row).and_then(|taken| taken.last().copied());
        taken == width && last == width.checked_sub(1)
    }
}

/// In the block between registers every bit of an input is one of the shift register, every bit of an output goes into
/// the fold, and of the fold nothing is left out up to the pin.
fn wrap(text: &str, top: &str, ports: &[Port]) -> Result<(), String> {
    let cut = |text: &str| format!("there is no {text:?}");
    let instance = format!("    {top} block (");
    let (rows, rest) = text.split_once(&instance).ok_or(cut(&instance))?;
    let (pins, logic) = rest.split_once(");\n").ok_or(cut(");"))?;
    let pins: Vec<&str> = pins.split(",\n").map(str::trim).collect();
    if pins.len() != ports.len() {
        return Err(format!("{} pins, {} ports", pins.len(), ports.len()));
    }
    let (mut driven, mut read) = (Bits::default(), Bits::default());
    for (pin, port) in pins.iter().zip(ports) {
        let name = format!(".{}(", port.name);
        let wire = pin
            .strip_prefix(&name)
            .and_then(|pin| pin.strip_suffix(')'));
        let wire = wire.ok_or(format!("{pin} is not {}", port.name))?;
        if port.name == CLOCK {
            if wire != CLOCK {
                return Err(format!("the clock is {wire}"));
            }
            continue;
        }
        let (row, bits) = match port.input {
            true => ("in_q[", &mut read),
            false => ("out[", &mut driven),
        };
        if !wire.starts_with(row) || bits.take(wire)? != port.width {
            return Err(format!("{pin} is not {port:?}"));
        }
    }
    for line in logic.lines().map(str::trim) {
        if let Some((to, from)) = line.split_once(" <= ^") {
            driven.take(to)?;
            read.take(from.trim_end_matches(';'))?;
        }
        if let Some(pin) = line.strip_prefix("assign so = ") {
            read.take(pin.trim_end_matches(';').trim_end_matches(" ^ si"))?;
        }
    }
    for line in rows.lines().map(str::trim) {
        let words: Vec<&str> = line.trim_end_matches(';').split(' ').collect();
        let [_, bits, row] = words[..] else {
            continue;
        };
        // Other lines of three words are none of rows.
        let Some(width) = range(bits).map(|bits| bits.len()) else {
            continue;
        };
        if row == "in_q" {
            let shift = match width {
                1 => "in_q <= si;".to_owned(),
                _ => format!("in_q <= {{in_q[{}:0], si}};", width - 2),
            };
            if logic.contains(&shift) {
                driven.take(&format!("in_q[{}:0]", width - 1))?;
            }
        }
        if !driven.has_all(row, width) || !read.has_all(row, width) {
            return Err(format!("not all of {row}[{}:0] is used", width - 1));
        }
        driven.0.remove(row);
        read.0.remove(row);
    }
    match driven.0.is_empty() && read.0.is_empty() {
        true => Ok(()),
        false => Err(format!("is not declared: {:?}, {:?}", driven.0, read.0)),
    }
}

/// The files that speak of the ports, with their texts.
fn files(dir: &str, module: &str) -> Vec<(String, String)> {
    let names = [
        "README.md".to_owned(),
        format!("{module}.sdc"),
        format!("{module}.xdc"),
        format!("{module}.lpf"),
        format!("pnr/wrap_{module}.v"),
    ];
    let read = |name: String| {
        let text = std::fs::read_to_string(format!("{dir}/{name}")).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// Whether a file says what is declared.
fn says(name: &str, text: &str, module: &str, ports: &[Port]) -> Result<(), String> {
    let said = match name.rsplit_once('.') {
        Some((_, "md")) => page(text, ports),
        Some((_, "v")) => wrap(text, module, ports),
        Some((_, kind)) => constraints(kind, text, ports),
        None => Err("is no such file".to_owned()),
    };
    said.map_err(|error| format!("{name}: {error}"))
}

/// The ports of the top of an export.
fn ports(dir: &str, module: &str) -> Vec<Port> {
    let text = std::fs::read_to_string(format!("{dir}/{module}.v")).unwrap();
    declared(&text, module).unwrap_or_else(|| panic!("{module}: {text}"))
}

/// Whether all files of an export say of the ports of the top what its Verilog declares. Errors: file and line that do
/// not.
pub fn agree(dir: &str, module: &str) -> Result<(), String> {
    let ports = ports(dir, module);
    let files = files(dir, module);
    let mut files = files.iter();
    files.try_for_each(|(name, text)| says(name, text, module, &ports))
}

#[test]
fn a_port_that_is_missing_or_wrong_in_a_file_beside_is_found() {
    let folder = Folder::new("export-wrong-ports");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "--top", "fifo", "-q"]).code, 0);
    assert_eq!(agree(&dir, "fifo"), Ok(()));
    let ports = ports(&dir, "fifo");
    assert_eq!(ports.len(), 8);
    let files = files(&dir, "fifo");
    let of = |kind: &str| files.iter().find(|(name, _)| name.ends_with(kind)).unwrap();
    for (kind, text, instead) in [
        ("README.md", "| `rst` | in | 1 | Synchronous reset. |\n", ""),
        ("README.md", "Synchronous reset.", ""),
        ("README.md", "| `write` | in | 100", "| `write` | in | 99"),
        ("README.md", "| `write` | in", "| `write` | out"),
        (
            "README.md",
            "| `write` |",
            "| `write` | in | 100 | Twice. |\n| `write` |",
        ),
        ("README.md", "| `rst` |", "| `reset` |"),
        (".sdc", "get_ports {clk}", "get_ports {clock}"),
        (".xdc", "-name clk", "-name core"),
        (".lpf", "\"clk\"", "\"rst\""),
        (".lpf", "FREQUENCY", "# FREQUENCY"),
        ("wrap_fifo.v", "(clk),", "(si),"),
        // An input that is not driven, one that shares a bit, an output that goes nowhere.
        ("wrap_fifo.v", ".rst(in_q[0:0])", ".rst()"),
        ("wrap_fifo.v", ".rst(in_q[0:0])", ".rst(in_q[1:1])"),
        ("wrap_fifo.v", ".write_ready(out[0:0])", ".write_ready()"),
        ("wrap_fifo.v", ".rst(in_q", ".rst(out"),
        // A bit that is not folded, on each level; one that does not shift.
        ("wrap_fifo.v", "        fold0[7] <= ^out[7:7];\n", ""),
        (
            "wrap_fifo.v",
            "fold1[0] <= ^fold0[3:0]",
            "fold1[0] <= ^fold0[2:0]",
        ),
        (
            "wrap_fifo.v",
            "fold1[0] <= ^fold0[3:0]",
            "fold1[0] <= ^fold0[4:0]",
        ),
        ("wrap_fifo.v", ", si};", "};"),
        ("wrap_fifo.v", "assign so = fold", "assign so = si; // fold"),
    ] {
        let (name, right) = of(kind);
        assert!(right.contains(text), "{name}: no {text:?} in {right}");
        let wrong = right.replacen(text, instead, 1);
        let said = says(name, &wrong, "fifo", &ports);
        assert!(said.is_err(), "{name}: {text:?}, {instead:?}");
    }
}
