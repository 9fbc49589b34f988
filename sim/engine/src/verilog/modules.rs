//! Names of modules: those of the structs, with what differs between the instances of a generic one.

use std::collections::BTreeMap;

use crate::design::{Body, Design, Leaf, Module};
use crate::source_info::BlockType;

use super::names::{Scope, snake};

/// A name for each module, all different.
pub(super) fn module_names(
    design: &Design,
    types: &[Option<BlockType>],
    top: Option<&str>,
) -> Vec<String> {
    let mut same: BTreeMap<&str, Vec<&BlockType>> = BTreeMap::new();
    for block in types.iter().flatten() {
        same.entry(&block.name).or_default().push(block);
    }
    let mut scope = Scope::default();
    let mut names = vec![String::new(); design.modules.len()];
    // The top's name is not negotiable.
    let order = std::iter::once(design.top).chain(0..design.top);
    for number in order {
        let module = &design.modules[number];
        let wanted = match (&types[number], top) {
            (_, Some(top)) if number == design.top => top.to_string(),
            (Some(block), _) => of_type(block, &same[block.name.as_str()], module),
            (None, _) => match &module.body {
                Body::Storage(leaf) => of_storage(leaf, module),
                Body::Logic(_) => of_path(&design.first_path[number]),
            },
        };
        names[number] = scope.unique(&wanted);
    }
    names
}

/// The struct's name, with the generic arguments in which `same`, the modules of that struct, differ.
fn of_type(block: &BlockType, same: &[&BlockType], module: &Module) -> String {
    let mut name = snake(&block.name);
    if let (None, Body::Storage(_)) = (block.info, &module.body) {
        return format!("{name}_{}", data_width(module));
    }
    for (at, value) in block.generics.iter().enumerate() {
        let differs = same
            .iter()
            .any(|other| other.generics.get(at) != Some(value));
        if let (Some(value), true) = (value, differs) {
            name += &format!("_{}", snake(value));
        }
    }
    name
}

/// Bits of a word.
fn data_width(module: &Module) -> usize {
    match &module.body {
        Body::Storage(Leaf::Reg { q, .. }) => module.signals[*q].ty.width,
        Body::Storage(Leaf::Ram { read_data, .. }) => module.signals[*read_data].ty.width,
        Body::Logic(_) => 0,
    }
}

/// Kind and size.
fn of_storage(leaf: &Leaf, module: &Module) -> String {
    let width = data_width(module);
    match leaf {
        Leaf::Reg { .. } => format!("reg_{width}"),
        Leaf::Ram {
            write_addr,
            write_mask,
            asynchronous,
            ..
        } => {
            let kind = match (asynchronous, write_mask) {
                (true, _) => "lut_ram",
                (_, Some(_)) => "lane_ram",
                _ => "ram",
            };
            format!(
                "{kind}_{width}x{}",
                1usize << module.signals[*write_addr].ty.width
            )
        }
    }
}

/// The last part of the path, without its place in an array.
fn of_path(path: &str) -> String {
    let last = path.rsplit('.').next().unwrap_or_default();
    match last.split('$').next().unwrap_or_default() {
        "" => "top".into(),
        name => name.into(),
    }
}
