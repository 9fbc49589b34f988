//! A waveform as its readers see it, in a form that is the same for both formats.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use vcd::{Command, Parser, ScopeItem};
use wellen::{ScopeOrVarRef, SignalValue, TimescaleUnit, VarType};

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Bits; 0 if the values are texts.
    pub width: u32,
    /// Time and value of every change: bits, or the name of an enum's value.
    pub changes: Vec<(u64, String)>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Paths of scopes, in the order of the file.
    pub scopes: Vec<String>,
    /// Paths of variables, in the order of the file.
    pub order: Vec<String>,
    /// Variables by path.
    pub vars: BTreeMap<String, Var>,
    /// First and last time, in picoseconds.
    pub window: (u64, u64),
    /// Variables that are not another's alias.
    pub signals: usize,
}

impl Trace {
    /// Reads a file of either format with wellen, and levels what the formats show in different ways.
    pub fn read(path: &Path) -> Self {
        let mut trace = Self::read_as_it_is(path);
        trace.without_unknown();
        trace.with_names();
        trace
    }

    /// Reads a file with wellen.
    pub fn read_as_it_is(path: &Path) -> Self {
        let mut wave = wellen::simple::read(path).expect("wellen reads the file");
        let ids: Vec<_> = wave
            .hierarchy()
            .iter_vars()
            .map(|v| v.signal_ref())
            .collect();
        wave.load_signals(&ids);
        let hierarchy = wave.hierarchy();
        let scale = hierarchy.timescale().expect("the file has a time unit");
        assert_eq!((scale.factor, scale.unit), (1, TimescaleUnit::PicoSeconds));
        let times = wave.time_table();
        assert!(
            times.is_sorted_by(|a, b| a < b),
            "time goes back: {times:?}"
        );
        let mut trace = Self {
            scopes: Vec::new(),
            order: Vec::new(),
            vars: BTreeMap::new(),
            window: (times[0], *times.last().expect("there is a time")),
            signals: hierarchy.num_unique_signals(),
        };
        let mut stack: Vec<_> = hierarchy.items().collect();
        stack.reverse();
        while let Some(item) = stack.pop() {
            match item {
                ScopeOrVarRef::Scope(scope) => {
                    let scope = &hierarchy[scope];
                    trace.scopes.push(scope.full_name(hierarchy));
                    let items: Vec<_> = scope.items(hierarchy).collect();
                    stack.extend(items.into_iter().rev());
                }
                ScopeOrVarRef::Var(var) => {
                    let var = &hierarchy[var];
                    let signal = wave.get_signal(var.signal_ref()).expect("it is loaded");
                    let changes = signal.iter_changes();
                    let changes = changes.map(|(at, value)| (times[at as usize], text(value)));
                    let name = var.full_name(hierarchy);
                    let is_text = var.var_type() == VarType::String;
                    let var = Var {
                        width: var.length().filter(|_| !is_text).unwrap_or(0),
                        changes: changes.collect(),
                    };
                    let old = trace.vars.insert(name.clone(), var);
                    assert!(old.is_none(), "{name} is declared twice");
                    trace.order.push(name);
                }
            }
        }
        trace
    }

    /// Reads a VCD file with crate `vcd`, and gives what it says even if it is not a change.
    pub fn read_vcd(path: &Path) -> Self {
        let mut parser = Parser::new(BufReader::new(File::open(path).unwrap()));
        let header = parser.parse_header().expect("the head is right");
        let mut ids = Vec::new();
        let mut trace = Self {
            scopes: Vec::new(),
            order: Vec::new(),
            vars: BTreeMap::new(),
            window: (0, 0),
            signals: 0,
        };
        trace.collect("", &header.items, &mut ids);
        let mut changes: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut first = None;
        for command in parser {
            let (id, text) = match command.expect("the line is right") {
                Command::Timestamp(time) => {
                    first.get_or_insert(time);
                    trace.window = (first.unwrap_or(time), time);
                    continue;
                }
                Command::ChangeScalar(id, bit) => (id, bit.to_string()),
                Command::ChangeVector(id, bits) => (id, bits.to_string()),
                Command::ChangeString(id, name) => (id, name),
                _ => continue,
            };
            changes.entry(id).or_default().push((trace.window.1, text));
        }
        for (path, id) in &ids {
            let var = trace.vars.get_mut(path).expect("it was declared");
            var.changes = changes.get(id).cloned().unwrap_or_default();
            for (_, text) in var.changes.iter_mut().filter(|_| var.width > 0) {
                *text = format!("{text:0>width$}", width = var.width as usize);
            }
        }
        ids.sort_by_key(|(_, id)| *id);
        ids.dedup_by_key(|(_, id)| *id);
        trace.signals = ids.len();
        trace
    }

    fn collect(&mut self, prefix: &str, items: &[ScopeItem], ids: &mut Vec<(String, vcd::IdCode)>) {
        for item in items {
            match item {
                ScopeItem::Var(var) => {
                    let path = format!("{prefix}{}", var.reference);
                    let is_text = var.var_type == vcd::VarType::String;
                    let width = if is_text { 0 } else { var.size };
                    let changes = Vec::new();
                    self.vars.insert(path.clone(), Var { width, changes });
                    self.order.push(path.clone());
                    ids.push((path, var.code));
                }
                ScopeItem::Scope(scope) => {
                    let path = format!("{prefix}{}", scope.identifier);
                    self.scopes.push(path.clone());
                    self.collect(&format!("{path}."), &scope.items, ids);
                }
                _ => {}
            }
        }
    }

    /// An FST file says that everything is unknown from time 0 to the window; VCD begins with the window.
    fn without_unknown(&mut self) {
        let known = |(_, text): &(u64, String)| !text.contains('x');
        let unknown = |var: &Var| !var.changes.first().is_none_or(known);
        if self.vars.values().all(unknown) {
            for var in self.vars.values_mut() {
                assert_eq!(var.changes.remove(0).0, 0);
            }
            let first = self.vars.values().filter_map(|var| var.changes.first());
            self.window.0 = first.map(|change| change.0).min().unwrap_or(self.window.1);
        }
    }

    /// In an FST file an enum is a number, and beside it `name$text` the name in ASCII: leaves the names, as VCD has
    /// them.
    fn with_names(&mut self) {
        let names: Vec<_> = self
            .order
            .iter()
            .filter(|n| n.ends_with("$text"))
            .cloned()
            .collect();
        for name in names {
            let base = name.trim_end_matches("$text");
            if !self.vars.contains_key(base) {
                continue;
            }
            let var = self.vars.remove(&name).expect("it was declared");
            self.order.retain(|n| *n != name);
            self.signals -= 1;
            let number = self.vars.get_mut(base).expect("it is there");
            let times = |var: &Var| {
                var.changes
                    .iter()
                    .map(|change| change.0)
                    .collect::<Vec<_>>()
            };
            assert_eq!(times(number), times(&var), "{base}: number and name");
            let changes = var.changes.iter().map(|(time, bits)| (*time, ascii(bits)));
            *number = Var {
                width: 0,
                changes: changes.collect(),
            };
        }
    }

    /// Value at a time.
    pub fn at(&self, path: &str, time: u64) -> Option<&str> {
        let changes = &self.vars.get(path)?.changes;
        let before = changes.partition_point(|(t, _)| *t <= time);
        Some(changes[before.checked_sub(1)?].1.as_str())
    }
}

fn text(value: SignalValue) -> String {
    match value {
        SignalValue::String(name) => name.into(),
        bits => bits.to_bit_string().expect("it is no real number"),
    }
}

fn ascii(bits: &str) -> String {
    let bytes = bits.as_bytes().chunks(8);
    let bytes = bytes.map(|b| b.iter().fold(0, |byte, bit| byte << 1 | (bit & 1)));
    bytes.skip_while(|b| *b == 0).map(char::from).collect()
}
