//! Lists every block of `rtl/` with its pins, so that lockstep, lint and export know all of them without a list kept by
//! hand.
//!
//! A block is a public struct with the attribute `#[block]` in a public module; its pins are the public fields of type
//! `Signal<In, ..>` and `Signal<Out, ..>`. Blocks with parameters are listed once for each set of arguments in
//! `INSTANCES` (`tables.rs`).

#[path = "../kernel/src/member.rs"]
mod spelling;
mod tables;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use syn::{
    GenericArgument, Ident, ImplItem, Item, ItemImpl, ItemStruct, PathArguments, Type, Visibility,
};
use tables::{ARGUMENTS, INSTANCES, OTHERS, SIZES, WITHIN};

fn main() {
    let rtl = Path::new("../src");
    println!("cargo::rerun-if-changed={}", rtl.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tables.rs");
    let mut found = Found::default();
    module(rtl.join("lib.rs"), "xtq_rtl", &mut found);
    let mut blocks = Vec::new();
    for (item, path) in &found.blocks {
        let name = item.ident.to_string();
        let known = ARGUMENTS.iter().any(|(block, ..)| *block == name) || WITHIN.contains(&&*name);
        assert!(
            known || !found.with_arguments.contains(&name),
            "{name}::new takes an argument: add it to ARGUMENTS or WITHIN in tables.rs"
        );
        describe(item, path, &found.bundles, &mut blocks);
    }
    blocks.sort();
    let mut text = String::from("blocks! {\n");
    for block in &blocks {
        text += block;
    }
    text += "}\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo gives it")).join("blocks.rs");
    fs::write(&out, text).expect("the output folder can be written");
}

/// What the sources define.
#[derive(Default)]
struct Found {
    /// Each with the path of its module.
    blocks: Vec<(ItemStruct, String)>,
    bundles: Vec<ItemStruct>,
    /// Types whose `new` takes an argument.
    with_arguments: BTreeSet<String>,
}

/// Whether a file defines a block.
fn defines_block(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.contains("\n#[block]"))
}

/// Adds the type of an `impl` if its `new` takes an argument.
fn constructor(item: &ItemImpl, found: &mut Found) {
    let (None, Type::Path(path)) = (&item.trait_, &*item.self_ty) else {
        return;
    };
    let takes = item.items.iter().any(|item| match item {
        ImplItem::Fn(function) => function.sig.ident == "new" && !function.sig.inputs.is_empty(),
        _ => false,
    });
    if let (true, Some(last)) = (takes, path.path.segments.last()) {
        found.with_arguments.insert(last.ident.to_string());
    }
}

/// Adds what a file and its public modules define.
fn module(file: PathBuf, path: &str, found: &mut Found) {
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let folder = match stem {
        "lib" | "mod" => file.with_file_name(""),
        stem => file.with_file_name(stem),
    };
    for item in parsed.items {
        match item {
            Item::Mod(item) if item.content.is_none() => {
                let name = item.ident.to_string();
                let flat = folder.join(format!("{name}.rs"));
                let nested = folder.join(&name).join("mod.rs");
                let file = if flat.exists() { flat } else { nested };
                if is_public(&item.vis) {
                    module(file, &format!("{path}::{name}"), found);
                } else {
                    // The parts of a block may be its own; the blocks of a room are listed.
                    assert!(
                        stem != "mod" || !defines_block(&file),
                        "{} defines a block: make `mod {name}` public, or no test finds it",
                        file.display()
                    );
                }
            }
            Item::Impl(item) => constructor(&item, found),
            Item::Struct(item) if is_public(&item.vis) && has(&item, "block") => {
                found.blocks.push((item, path.to_owned()));
            }
            Item::Struct(item) if has(&item, "bundle") => found.bundles.push(item),
            _ => {}
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether a type is called as the ends of bundles are.
fn is_end(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last().map(|last| last.ident.to_string());
    last.is_some_and(|name| name.ends_with("In") || name.ends_with("Out"))
}

fn has(item: &ItemStruct, attribute: &str) -> bool {
    item.attrs.iter().any(|own| own.path().is_ident(attribute))
}

/// Adds the block, or its instances.
fn describe(item: &ItemStruct, path: &str, bundles: &[ItemStruct], blocks: &mut Vec<String>) {
    let name = item.ident.to_string();
    let Some(pins) = Pins::of(item, bundles) else {
        return;
    };
    let known = INSTANCES.iter().find(|(block, _)| *block == name);
    match (item.generics.params.is_empty(), known) {
        (true, _) => {
            blocks.push(pins.entry(&snake(&name), true, &format!("{path}::{name}"), &name))
        }
        (false, Some((_, instances))) => {
            for (number, arguments) in instances.iter().enumerate() {
                let suffix = match number {
                    0 => String::new(),
                    _ => format!("_{}", number + 1),
                };
                let ty = format!("{path}::{name}<{arguments}>");
                blocks.push(pins.entry(&format!("{}{suffix}", snake(&name)), true, &ty, &name));
            }
        }
        (false, None) => {
            panic!("{name} has parameters: add arguments to INSTANCES in tables.rs")
        }
    }
    for (_, instance, arguments) in SIZES.iter().filter(|(block, ..)| *block == name) {
        let ty = format!("{path}::{name}<{arguments}>");
        blocks.push(pins.entry(instance, false, &ty, &name));
    }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (i, letter) in name.char_indices() {
        if letter.is_uppercase() && i > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[derive(Default)]
struct Pins {
    clock: Option<String>,
    /// Each as `"name" field.member`.
    inputs: Vec<String>,
    outputs: Vec<String>,
}

impl Pins {
    /// The pins, if there is an output: blocks without are tables of constants.
    fn of(item: &ItemStruct, bundles: &[ItemStruct]) -> Option<Self> {
        let mut pins = Self::default();
        for field in item.fields.iter().filter(|field| is_public(&field.vis)) {
            let Some(name) = field.ident.as_ref().map(ToString::to_string) else {
                continue;
            };
            match signal(&field.ty) {
                Some((direction, kind)) if direction == "In" && kind == "Clock" => {
                    pins.clock = Some(name);
                }
                Some((direction, _)) => pins.add(&direction, &name, &name),
                None => assert!(
                    pins.bundle(&field.ty, &name, bundles) || !is_end(&field.ty),
                    "{}: {name} is no bundle of rtl/",
                    item.ident
                ),
            }
        }
        (!pins.outputs.is_empty()).then_some(pins)
    }

    fn add(&mut self, direction: &str, name: &str, path: &str) {
        let pin = format!("\"{name}\" {path}");
        match direction {
            "In" => self.inputs.push(pin),
            "Out" => self.outputs.push(pin),
            _ => {}
        }
    }

    /// Adds the members and returns true, if the type is a bundle.
    fn bundle(&mut self, ty: &Type, name: &str, bundles: &[ItemStruct]) -> bool {
        let Type::Path(path) = ty else {
            return false;
        };
        let Some(last) = path.path.segments.last() else {
            return false;
        };
        for bundle in bundles {
            let other = bundle
                .attrs
                .iter()
                .find(|own| own.path().is_ident("bundle"));
            let other = other.and_then(|own| own.parse_args::<Ident>().ok());
            let turned = match () {
                () if last.ident == bundle.ident => false,
                () if other.is_some_and(|other| last.ident == other) => true,
                () => continue,
            };
            for part in &bundle.fields {
                let (Some(member), Some((direction, _))) = (&part.ident, signal(&part.ty)) else {
                    continue;
                };
                let plain = part.attrs.iter().any(|own| own.path().is_ident("plain"));
                let flat = match plain {
                    true => name.to_owned(),
                    false => spelling::member(name, &member.to_string()),
                };
                let direction = match (direction.as_str(), turned) {
                    ("In", false) | ("Out", true) => "In",
                    _ => "Out",
                };
                self.add(direction, &flat, &format!("{name}.{member}"));
            }
            return true;
        }
        false
    }

    /// A line of the list.
    fn entry(&self, name: &str, listed: bool, ty: &str, block: &str) -> String {
        let argument = ARGUMENTS.iter().find(|(known, ..)| *known == block);
        let (made, argument) = match argument {
            Some((_, made, what, most)) => (*made, format!("Some((\"{what}\", {most}))")),
            None => ("default", "None".into()),
        };
        let others = OTHERS.iter().filter(|(known, _)| *known == name);
        let others: Vec<String> = others.map(|(_, other)| format!("\"{other}\"")).collect();
        let mut text = format!(
            "    \"{name}\", {listed}, [{}], {ty}, {made}, {argument}",
            others.join(", ")
        );
        if let Some(clock) = &self.clock {
            write!(text, ", {clock}").expect("a string takes everything");
        }
        let numbered = |pins: &[String]| {
            let pins = pins.iter().enumerate();
            let pins: Vec<String> = pins
                .map(|(number, pin)| format!("{number} {pin}"))
                .collect();
            pins.join(", ")
        };
        let (inputs, outputs) = (numbered(&self.inputs), numbered(&self.outputs));
        writeln!(text, "; in: {inputs}; out: {outputs};").expect("a string takes everything");
        text
    }
}

/// Direction and type of a `Signal<Direction, Type>`.
fn signal(ty: &Type) -> Option<(String, String)> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut names = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(Type::Path(path)) => path.path.segments.last(),
        _ => None,
    });
    let (direction, kind) = (names.next()?, names.next()?);
    (last.ident == "Signal").then(|| (direction.ident.to_string(), kind.ident.to_string()))
}
