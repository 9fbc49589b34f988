//! Names in the text: clean, unique, and close to those of Rust.

use std::collections::{HashMap, HashSet};

use crate::design::{Body, Design, Leaf, Module, Name, SignalKind};
use crate::elaborate::reserved;

/// Names that are taken.
#[derive(Default)]
pub(super) struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    /// `wanted` as an identifier that nobody else has.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let mut clean: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if !clean.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            clean.insert(0, '_');
        }
        if reserved(&clean) {
            clean.push('_');
        }
        let numbered = (2..).map(|number| format!("{clean}_{number}"));
        let free = std::iter::once(clean.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name));
        let free = free.unwrap_or(clean);
        self.taken.insert(free.clone());
        free
    }
}

/// `HeaderJob` as `header_job`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts = before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit())
            || before.is_some_and(char::is_uppercase) && after.is_some_and(|a| a.is_lowercase());
        if letter.is_uppercase() && starts {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// `a$0$b` as Rust writes it: `a[0].b`.
pub(super) fn rust_name(name: &str) -> String {
    let mut out = String::new();
    for (at, part) in name.split('$').enumerate() {
        match part.parse::<usize>() {
            Ok(index) if at > 0 => out += &format!("[{index}]"),
            _ if at > 0 => out += &format!(".{part}"),
            _ => out += part,
        }
    }
    out
}

/// Names of everything in a module.
pub(super) struct ModuleNames {
    /// Of its signals.
    pub(super) signals: Vec<String>,
    /// Of its instances.
    pub(super) children: Vec<String>,
    /// Of the wires at the instances' ports.
    pub(super) wires: HashMap<Name, String>,
    /// What is taken, for more names.
    pub(super) scope: Scope,
}

impl ModuleNames {
    /// Ports come first, for they are seen from outside.
    pub(super) fn new(design: &Design, module: &Module) -> Self {
        let mut scope = Scope::default();
        let mut signals = vec![String::new(); module.signals.len()];
        for ports in [true, false] {
            for (name, signal) in signals.iter_mut().zip(&module.signals) {
                let port = matches!(signal.kind, SignalKind::Input | SignalKind::Output);
                if port == ports {
                    *name = scope.unique(&signal.name);
                }
            }
        }
        // Verilator warns of an instance with the name of something inside it.
        let children: Vec<String> = module
            .children
            .iter()
            .map(
                |child| match inside(&design.modules[child.module], &child.name) {
                    true => scope.unique(&format!("{}_block", child.name)),
                    false => scope.unique(&child.name),
                },
            )
            .collect();
        let mut wires = HashMap::new();
        for (child, (at, decl)) in module.children.iter().enumerate().flat_map(|(child, c)| {
            let ports = design.modules[c.module].signals.iter().enumerate();
            ports.map(move |port| (child, port))
        }) {
            if matches!(decl.kind, SignalKind::Input | SignalKind::Output) {
                let wanted = format!("{}_{}", children[child], decl.name);
                let name = Name::Port { child, signal: at };
                wires.insert(name, scope.unique(&wanted));
            }
        }
        Self {
            signals,
            children,
            wires,
            scope,
        }
    }

    /// The identifier of a signal.
    pub(super) fn of(&self, name: Name) -> &str {
        match name {
            Name::Own(signal) => &self.signals[signal],
            port => self.wires.get(&port).map_or("", String::as_str),
        }
    }
}

/// Name of the array in a memory, and of the variable that counts its words.
pub(super) const MEMORY: [&str; 2] = ["storage", "i"];

/// Whether a module declares something that is called `name`.
fn inside(module: &Module, name: &str) -> bool {
    let memory = matches!(&module.body, Body::Storage(Leaf::Ram { .. }));
    let signals = module.signals.iter().map(|signal| signal.name.as_str());
    let children = module.children.iter().map(|child| child.name.as_str());
    signals.chain(children).any(|inner| inner == name) || memory && MEMORY.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{Scope, rust_name, snake};

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut scope = Scope::default();
        let names = ["a$b", "a_b", "a_b", "reg", "0"].map(|name| scope.unique(name));
        assert_eq!(names, ["a_b", "a_b_2", "a_b_3", "reg_", "_0"]);
    }

    #[test]
    fn struct_names_become_snake_case() {
        let cases = [
            ("LutRam", "lut_ram"),
            ("XtqTarget", "xtq_target"),
            ("DFF", "dff"),
            ("AXILite4Slave", "axi_lite4_slave"),
        ];
        for (name, expected) in cases {
            assert_eq!(snake(name), expected);
        }
    }

    #[test]
    fn rust_names_have_dots_and_indices() {
        assert_eq!(rust_name("lane$3$bus$valid"), "lane[3].bus.valid");
    }
}
