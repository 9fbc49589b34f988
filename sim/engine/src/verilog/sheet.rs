//! What is known about the text of one module while it is written: names, what is read, wires and constants that the
//! text needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigUint;

use super::names::{ModuleNames, snake};
use super::text::{Text, bits, number};
use crate::design::{Design, Expr, ExprKind, Module, Name, SignalDecl, SignalKind, Ty};

/// A wire for a value that has no name in Rust.
pub(super) struct Temporary {
    pub(super) name: String,
    pub(super) ty: Ty,
    /// Its value; none if an `always` block assigns it.
    pub(super) value: Option<String>,
}

/// The text of one module so far.
pub(super) struct Sheet<'a> {
    pub(super) design: &'a Design,
    pub(super) module: &'a Module,
    pub(super) names: ModuleNames,
    /// What the kernel writes.
    pub(super) driven: BTreeSet<Name>,
    /// What an `always` block assigns.
    pub(super) regs: BTreeSet<Name>,
    /// Ports of instances that name what drives them, with that.
    pub(super) inline: BTreeMap<Name, Text>,
    /// Bits that are read, by name.
    read: HashMap<String, BigUint>,
    /// Constants of Rust that are used, by position.
    pub(super) constants: BTreeSet<usize>,
    /// Names of enum values that are used: type and variant, with name, width and value.
    pub(super) variants: BTreeMap<(String, String), (String, usize, usize)>,
    pub(super) temporaries: Vec<Temporary>,
    /// Wires that hold the value of an expression.
    pub(super) known: HashMap<Expr, String>,
    /// Signals of the block being written, whose values change from statement to statement.
    pub(super) moving: BTreeSet<Name>,
    /// Statements to be written before the next one.
    pub(super) before: Vec<String>,
    /// Wires of this block that need a default.
    pub(super) defaults: Vec<String>,
    /// Signal the expression is for.
    pub(super) purpose: String,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(design: &'a Design, module: &'a Module, names: ModuleNames) -> Self {
        Self {
            design,
            module,
            names,
            driven: BTreeSet::new(),
            regs: BTreeSet::new(),
            inline: BTreeMap::new(),
            read: HashMap::new(),
            constants: BTreeSet::new(),
            variants: BTreeMap::new(),
            temporaries: Vec::new(),
            known: HashMap::new(),
            moving: BTreeSet::new(),
            before: Vec::new(),
            defaults: Vec::new(),
            purpose: String::new(),
        }
    }

    pub(super) fn decl(&self, name: Name) -> &'a SignalDecl {
        self.design.decl(self.module, name)
    }

    /// Notes that bits of a name are read.
    pub(super) fn note(&mut self, name: &str, low: usize, width: usize) {
        let ones = ((BigUint::from(1u8) << width) - 1u8) << low;
        *self.read.entry(name.into()).or_default() |= ones;
    }

    /// Bits of a name that is `width` bits wide, as text.
    pub(super) fn part(&mut self, name: &str, width: usize, low: usize, count: usize) -> Text {
        self.note(name, low, count);
        Text::atom(bits(name, width, low, low + count - 1))
    }

    /// A whole signal, as text.
    pub(super) fn signal(&mut self, name: Name) -> Text {
        if let (Name::Own(signal), SignalKind::Constant(_)) = (name, &self.decl(name).kind) {
            self.constants.insert(signal);
        }
        let text = self.names.of(name).to_string();
        self.part(&text, self.decl(name).ty.width, 0, self.decl(name).ty.width)
    }

    /// Slices of the name that nobody reads.
    pub(super) fn unread(&self, name: &str, width: usize) -> Vec<String> {
        let none = BigUint::ZERO;
        let read = self.read.get(name).unwrap_or(&none);
        let mut slices = Vec::new();
        let mut low = 0;
        while low < width {
            let is_read = read.bit(low as u64);
            let run = (low..width)
                .take_while(|bit| read.bit(*bit as u64) == is_read)
                .count();
            if !is_read {
                slices.push(bits(name, width, low, low + run - 1));
            }
            low += run;
        }
        slices
    }

    /// A number, as the name it has in the enum `like` is of, if any.
    pub(super) fn number(
        &mut self,
        value: &BigUint,
        width: usize,
        like: Option<(&str, &[String])>,
    ) -> Text {
        let position: Option<usize> = value.try_into().ok();
        let variant = like
            .zip(position)
            .and_then(|((type_name, variants), position)| {
                let variant = variants.get(position)?;
                Some((type_name.to_string(), variant.clone(), position))
            });
        let Some((type_name, variant, position)) = variant else {
            return Text::atom(number(value, width));
        };
        let wanted = format!("{}_{}", snake(&type_name), snake(&variant)).to_uppercase();
        let scope = &mut self.names.scope;
        let entry = self.variants.entry((type_name, variant));
        let (name, ..) = entry.or_insert_with(|| (scope.unique(&wanted), width, position));
        Text::atom(name.clone())
    }
}

/// Type name and variants if the expression is a signal or field of an enum type.
pub(super) fn enum_of<'a>(sheet: &Sheet<'a>, expr: &Expr) -> Option<(&'a str, &'a [String])> {
    match &expr.kind {
        ExprKind::Signal(name) => enum_at(sheet.decl(*name), 0, expr.ty.width),
        ExprKind::Slice(base, offset) => match base.kind {
            ExprKind::Signal(name) => enum_at(sheet.decl(name), *offset, expr.ty.width),
            _ => None,
        },
        _ => None,
    }
}

/// The same for bits of a signal.
pub(super) fn enum_at(decl: &SignalDecl, offset: usize, width: usize) -> Option<(&str, &[String])> {
    if offset == 0 && width == decl.ty.width && !decl.variants.is_empty() {
        return Some((&decl.type_name, &decl.variants));
    }
    let field = decl
        .fields
        .iter()
        .find(|field| field.offset == offset && field.width == width)?;
    (!field.variants.is_empty()).then_some((field.type_name.as_str(), &field.variants[..]))
}
