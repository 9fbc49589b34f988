//! Which struct each module of a design is, and with which generic arguments.

use std::collections::HashMap;

use super::{BlockInfo, SourceInfo, TypeRef};
use crate::design::{Design, Module, SignalDecl, SignalKind};

/// The type of a block.
#[derive(Clone, Debug)]
pub struct BlockType<'a> {
    /// Name in Rust.
    pub name: String,
    /// Its struct, if the source is known.
    pub info: Option<&'a BlockInfo>,
    /// Generic arguments that can be derived from widths, by parameter: a number, or the name of a type.
    pub generics: Vec<Option<String>>,
}

impl SourceInfo {
    /// The type of every module; `None` where it cannot be determined. `top` is that of the top, where it is known.
    pub fn resolve<'a>(&'a self, design: &Design, top: Option<&str>) -> Vec<Option<BlockType<'a>>> {
        let mut types: Vec<Option<BlockType>> = vec![None; design.modules.len()];
        let top = top.and_then(|name| self.by_fields(design.top(), Some(name)));
        types[design.top] = top.map(|info| BlockType {
            name: info.name.clone(),
            info: Some(info),
            generics: Vec::new(),
        });
        // Parents come after their children.
        for (number, module) in design.modules.iter().enumerate().rev() {
            if types[number].is_none() {
                types[number] = self.by_fields(module, None).map(|info| BlockType {
                    name: info.name.clone(),
                    info: Some(info),
                    generics: Vec::new(),
                });
            }
            let Some(info) = types[number].as_ref().and_then(|block| block.info) else {
                continue;
            };
            for child in &module.children {
                let Some(field) = info.field(&child.name) else {
                    continue;
                };
                let name = &field.ty.name;
                if types[child.module].is_some() || info.generics.contains(name) || name.is_empty()
                {
                    continue;
                }
                types[child.module] = Some(BlockType {
                    name: name.clone(),
                    info: (self.by_fields(&design.modules[child.module], Some(name)))
                        .or_else(|| self.made(name)),
                    generics: Vec::new(),
                });
            }
        }
        for (number, module) in design.modules.iter().enumerate() {
            let generics = match types[number].as_ref().and_then(|block| block.info) {
                Some(info) => generics(info, module, &types),
                None => continue,
            };
            if let Some(block) = &mut types[number] {
                block.generics = generics;
            }
        }
        types
    }

    /// The struct of the block at a path (`child.sub$0`, or `top`) in a block of type `top`; none where it cannot be
    /// determined, as of one whose type is a parameter. For findings, which are about designs that are none.
    pub fn at(&self, top: &str, path: &str) -> Option<&BlockInfo> {
        let steps = path.split('.').filter(|_| path != "top");
        steps.fold(self.only(top), |block, step| {
            self.only(&block?.field(step)?.ty.name)
        })
    }

    /// The struct of this name, if there is one only.
    fn only(&self, name: &str) -> Option<&BlockInfo> {
        let mut named = self.blocks.iter().filter(|info| info.name == name);
        match (named.next(), named.next()) {
            (Some(info), None) => Some(info),
            _ => None,
        }
    }

    /// The struct of this name that a macro makes, if there is one only.
    fn made(&self, name: &str) -> Option<&BlockInfo> {
        let mut named = self.made.iter().filter(|info| info.name == name);
        match (named.next(), named.next()) {
            (Some(info), None) => Some(info),
            _ => None,
        }
    }

    /// The struct with the fields of the module, if there is one only; of those called `name` if it is given.
    fn by_fields(&self, module: &Module, name: Option<&str>) -> Option<&BlockInfo> {
        let named = |info: &&BlockInfo| name.is_none_or(|name| info.name == name);
        let mut fits = (self.blocks.iter().filter(named)).filter(|info| fits(info, module));
        match (fits.next(), fits.next()) {
            (Some(info), None) => Some(info),
            _ => None,
        }
    }
}

/// Names of signals or children as fields, each once.
fn fields<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut fields: Vec<&str> = names.map(|n| n.split('$').next().unwrap_or(n)).collect();
    fields.dedup();
    fields
}

/// Whether the module may be an instance of the struct.
fn fits(info: &BlockInfo, module: &Module) -> bool {
    let signals = fields(module.signals.iter().map(|s| s.name.as_str()));
    let children = fields(module.children.iter().map(|c| c.name.as_str()));
    let (mut signals, mut children) = (&signals[..], &children[..]);
    for field in &info.fields {
        match (signals.split_first(), children.split_first()) {
            (Some((first, rest)), _) if *first == field.name => {
                let decl = module
                    .signals
                    .iter()
                    .find(|s| s.name.split('$').next() == Some(field.name.as_str()));
                if decl.is_some_and(|decl| !kind_fits(&field.ty, &decl.kind)) {
                    return false;
                }
                signals = rest;
            }
            (_, Some((first, rest))) if *first == field.name => children = rest,
            // An array may be empty.
            _ if field.ty.list || field.ty.name == "PhantomData" => {}
            _ => return false,
        }
    }
    signals.is_empty() && children.is_empty()
}

/// Whether the kind of a signal is the one in the type; an interface has signals of any kind.
fn kind_fits(ty: &TypeRef, kind: &SignalKind) -> bool {
    match (
        ty.name.as_str(),
        ty.args.first().map(|arg| arg.name.as_str()),
    ) {
        ("Constant", _) => matches!(kind, SignalKind::Constant(_)),
        ("Signal", Some("In")) => *kind == SignalKind::Input,
        ("Signal", Some("Out")) => *kind == SignalKind::Output,
        ("Signal", Some("Local")) => *kind == SignalKind::Local,
        _ => true,
    }
}

/// The generic arguments of a module, from the widths of its signals and the arguments of its children.
fn generics(info: &BlockInfo, module: &Module, types: &[Option<BlockType>]) -> Vec<Option<String>> {
    let mut found: HashMap<&str, String> = HashMap::new();
    let mut note = |parameter: &TypeRef, value: String| {
        if let Some(name) = info.generics.iter().find(|name| **name == parameter.name) {
            found.entry(name).or_insert(value);
        }
    };
    for field in &info.fields {
        let base = |name: &str| name.split('$').next() == Some(field.name.as_str());
        if let Some(decl) = module.signals.iter().find(|signal| base(&signal.name)) {
            let Some(ty) = field.ty.args.last() else {
                continue;
            };
            note(ty, label(decl));
            if let ("Bits" | "Signed", [width]) = (ty.name.as_str(), &ty.args[..]) {
                note(width, decl.ty.width.to_string());
            }
        }
        if let Some(child) = module.children.iter().find(|child| base(&child.name)) {
            let arguments = types[child.module].iter().flat_map(|block| &block.generics);
            for (parameter, value) in field.ty.args.iter().zip(arguments) {
                if let Some(value) = value {
                    note(parameter, value.clone());
                }
            }
        }
    }
    (info.generics.iter())
        .map(|name| found.get(name.as_str()).cloned())
        .collect()
}

/// A short name for the type of a signal: its width, or what it is called.
fn label(decl: &SignalDecl) -> String {
    match decl.fields.is_empty() && decl.variants.is_empty() {
        true => decl.ty.width.to_string(),
        false => decl.type_name.clone(),
    }
}
