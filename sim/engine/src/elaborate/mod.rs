//! From a rust-hdl block to a [`Design`]: one walk with a [`Probe`], kernels typed with the widths of Rust.
//!
//! **Idea.** rust-hdl gives each block's kernel as a syntax tree without types, in which signals are strings. Types
//! come from the signals (their widths are known) upwards, and from the target of an assignment downwards for literals
//! and casts. What cannot be typed, named or translated is a [`Finding`]; elaboration goes on, so that all of them are
//! reported at once.

use std::collections::HashMap;

use rust_hdl::prelude::{Atom, AtomKind, Block, Probe, TypeDescriptor, TypeKind};

use crate::base::{Finding, Rule, is_clock, number};
use crate::design::{Body, Child, Design, Field, Module, Name, SignalDecl, SignalKind, Stmt, Ty};

mod kernel;
mod keywords;
mod leaf;
mod literal;
mod names;
mod typing;

pub(crate) use keywords::{TAKEN_OF_SIGNALS, reserved, unwelcome};

/// Elaborates a design. Errors: everything that is wrong with it, sorted.
pub fn elaborate(design: &dyn Block) -> Result<Design, Vec<Finding>> {
    let mut walk = Walk::default();
    design.accept("top", &mut walk);
    let mut findings = walk.findings;
    findings.sort();
    findings.dedup();
    if !findings.is_empty() {
        return Err(findings);
    }
    let top = walk.modules.len().saturating_sub(1);
    Ok(Design {
        modules: walk.modules,
        first_path: walk.first_path,
        top,
    })
}

/// A block that has been entered and not left.
#[derive(Default)]
pub(crate) struct Frame {
    /// Path from the top, dots between.
    path: String,
    signals: Vec<SignalDecl>,
    children: Vec<Child>,
    /// What kernels can name: own signals, and ports of children as `child$port`.
    symbols: HashMap<String, Name>,
    /// `Type$Variant` with value and width.
    variants: HashMap<String, (usize, usize)>,
    /// Types of the children's ports, by symbol.
    ports: HashMap<Name, SignalDecl>,
}

impl Frame {
    /// Declaration after a name.
    fn decl(&self, name: Name) -> &SignalDecl {
        match name {
            Name::Own(signal) => &self.signals[signal],
            port => &self.ports[&port],
        }
    }

    /// How findings call this block.
    fn shown_path(&self) -> String {
        match self.path.is_empty() {
            true => "top".into(),
            false => self.path.clone(),
        }
    }

    /// The name as a person would write it.
    fn shown(&self, name: Name) -> String {
        match name {
            Name::Own(signal) => self.signals[signal].name.clone(),
            Name::Port { child, .. } => {
                format!("{}.{}", self.children[child].name, self.decl(name).name)
            }
        }
    }
}

#[derive(Default)]
struct Walk {
    frames: Vec<Frame>,
    interfaces: Vec<String>,
    modules: Vec<Module>,
    first_path: Vec<String>,
    known: HashMap<Module, usize>,
    findings: Vec<Finding>,
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        let path = match self.frames.last() {
            None => String::new(),
            Some(parent) if parent.path.is_empty() => name.into(),
            Some(parent) => format!("{}.{name}", parent.path),
        };
        let keyword = self.frames.last().and_then(|parent| keyword(parent, name));
        self.findings.extend(keyword);
        self.frames.push(Frame {
            path,
            ..Frame::default()
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.interfaces.push(name.into());
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.interfaces.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let symbol = crate::signals::symbol(&self.interfaces, name);
        let name = crate::signals::local(&self.interfaces, name);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let kind = match atom.kind() {
            AtomKind::InputParameter => SignalKind::Input,
            AtomKind::OutputParameter => SignalKind::Output,
            AtomKind::LocalSignal => SignalKind::Local,
            AtomKind::Constant => SignalKind::Constant(number(&atom.verilog(), atom.bits())),
            _ => {
                self.findings.push(Finding {
                    rule: Rule::Unsupported,
                    block: frame.shown_path(),
                    signal: name.clone(),
                    detail: "only In, Out, Local and Constant are supported".into(),
                });
                // Known, so that its uses are not reported too.
                SignalKind::Input
            }
        };
        self.findings.extend(keyword(frame, &name));
        let descriptor = atom.descriptor();
        let signed = matches!(descriptor.kind, TypeKind::Signed(_));
        note_variants(&descriptor, &mut frame.variants);
        frame.symbols.insert(symbol, Name::Own(frame.signals.len()));
        frame.signals.push(SignalDecl {
            name,
            ty: Ty {
                width: atom.bits(),
                signed,
            },
            kind,
            clock: is_clock(&descriptor),
            type_name: descriptor.name.clone(),
            variants: variants(&descriptor.kind),
            fields: fields(&descriptor.kind, 0),
        });
    }

    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        let body = match leaf::storage(node, &frame, &mut self.findings) {
            Some(storage) => Body::Storage(storage),
            None => Body::Logic(kernel::statements(node, &frame, &mut self.findings)),
        };
        let path = std::mem::take(&mut frame.path);
        let module = Module {
            signals: frame.signals,
            children: frame.children,
            body,
        };
        let number = match self.known.get(&module) {
            Some(number) => *number,
            None => {
                self.modules.push(module.clone());
                self.first_path.push(path);
                self.known.insert(module, self.modules.len() - 1);
                self.modules.len() - 1
            }
        };
        let Some(parent) = self.frames.last_mut() else {
            return;
        };
        let child = parent.children.len();
        parent.children.push(Child {
            name: name.into(),
            module: number,
        });
        parent.variants.extend(frame.variants);
        for (symbol, own) in frame.symbols {
            let Name::Own(signal) = own else {
                continue;
            };
            let decl = &self.modules[number].signals[signal];
            if matches!(decl.kind, SignalKind::Input | SignalKind::Output) {
                let port = Name::Port { child, signal };
                parent.symbols.insert(format!("{name}${symbol}"), port);
                parent.ports.insert(port, decl.clone());
            }
        }
    }
}

/// A finding if a signal or child of a block may not have its name.
fn keyword(block: &Frame, name: &str) -> Option<Finding> {
    keywords::reserved(name).then(|| Finding {
        rule: Rule::Keyword,
        block: block.shown_path(),
        signal: name.into(),
        detail: "is a keyword of Verilog or SystemVerilog; choose another name".into(),
    })
}

/// Names of an enum's values without the name of the type.
fn variants(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Enum(names) => names
            .iter()
            .map(|name| name.rsplit("::").next().unwrap_or(name).into())
            .collect(),
        _ => Vec::new(),
    }
}

/// Adds `Type$Variant` of this type and the types of its fields.
fn note_variants(descriptor: &TypeDescriptor, known: &mut HashMap<String, (usize, usize)>) {
    match &descriptor.kind {
        TypeKind::Enum(names) => {
            let width = width(&descriptor.kind);
            for (value, name) in names.iter().enumerate() {
                known.insert(name.replace("::", "$"), (value, width));
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|f| note_variants(&f.kind, known)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// Bits of a type.
fn width(kind: &TypeKind) -> usize {
    match kind {
        TypeKind::Bits(n) | TypeKind::Signed(n) => *n,
        TypeKind::Enum(names) => names.len().next_power_of_two().trailing_zeros() as usize,
        TypeKind::Composite(fields) => fields.iter().map(|f| width(&f.kind.kind)).sum(),
    }
}

/// Fields of a struct type from bit `offset` on; the first has the lowest bits.
fn fields(kind: &TypeKind, mut offset: usize) -> Vec<Field> {
    let TypeKind::Composite(members) = kind else {
        return Vec::new();
    };
    let field = |member: &rust_hdl::prelude::TypeField| {
        let width = width(&member.kind.kind);
        let field = Field {
            name: member.fieldname.clone(),
            offset,
            width,
            type_name: member.kind.name.clone(),
            variants: variants(&member.kind.kind),
            fields: fields(&member.kind.kind, offset),
        };
        offset += width;
        field
    };
    members.iter().map(|member| &**member).map(field).collect()
}

/// A statement that is only text.
fn comment(text: &str) -> Stmt {
    Stmt::Comment(text.into())
}
