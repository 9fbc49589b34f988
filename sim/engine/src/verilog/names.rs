//! Names in the text: clean, unique, and close to those of Rust.

use std::collections::{HashMap, HashSet};

use crate::design::{Design, Module, Name, SignalKind};
use crate::elaborate::{TAKEN_OF_SIGNALS, reserved, unwelcome};

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    /// `wanted` as an identifier that nobody else has.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let name = self.free(wanted);
        self.taken.insert(name.clone());
        name
    }

    /// The same, still free.
    fn free(&self, wanted: &str) -> String {
        let mut clean: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if !clean.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            clean.insert(0, '_');
        }
        if reserved(&clean) || unwelcome(&clean) {
            clean.push('_');
        }
        let numbered = (2..).map(|number| format!("{clean}_{number}"));
        let free = std::iter::once(clean.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name));
        free.unwrap_or(clean)
    }
}

/// Letters of a module's name that Verilator 5.006 and 5.48 keep. Instead of a longer one they use a hash: the first
/// then does not find the top, and for the second the file is not called like its module. Icarus Verilog 11 and Yosys
/// 0.23 take 200.
const LONGEST: usize = 127;
/// Before the name of the top in that of a module beside it; no other prefix of one is longer.
const BESIDE: &str = "wrap_";

/// Whether Verilator keeps the name of a module, and those of the modules beside it. It writes `__` as `___05F`.
pub(super) fn fits(name: &str) -> bool {
    let beside = format!("{BESIDE}{name}");
    beside.len() + 4 * beside.matches("__").count() <= LONGEST
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
#[derive(Clone, Debug)]
pub(crate) struct ModuleNames {
    /// Of its signals.
    pub(crate) signals: Vec<String>,
    /// Of its instances.
    pub(crate) children: Vec<String>,
    /// Of the wires at the instances' ports.
    pub(super) wires: HashMap<Name, String>,
    /// What is taken, for more names.
    pub(super) scope: Scope,
}

impl ModuleNames {
    /// For a module that is called `name`, below a top called `top`; `inner` are the names in all modules before it,
    /// and so in its instances. Ports come first, for they are seen from outside.
    pub(super) fn new(
        design: &Design,
        module: &Module,
        name: &str,
        top: &str,
        inner: &[Self],
    ) -> Self {
        // To Icarus, the module's name is the module in it, and no instance; Verilator warns of a signal that hides the
        // top.
        let taken = TAKEN_OF_SIGNALS.into_iter().chain([name, top]);
        let mut scope = Scope {
            taken: taken.map(String::from).collect(),
        };
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
        let children: Vec<String> = (module.children.iter())
            .map(|child| {
                let taken = &inner[child.module].scope.taken;
                match taken.contains(&scope.free(&child.name)) {
                    true => scope.unique(&format!("{}_block", child.name)),
                    false => scope.unique(&child.name),
                }
            })
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

#[cfg(test)]
mod tests {
    use super::{Scope, rust_name, snake};

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut scope = Scope::default();
        let names = ["a$b", "a_b", "a_b", "reg", "0", "queue"].map(|name| scope.unique(name));
        assert_eq!(names, ["a_b", "a_b_2", "a_b_3", "reg_", "_0", "queue_"]);
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
