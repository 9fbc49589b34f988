//! Comments: what a block is, what its signals are, and what they are called in Rust.

use std::collections::BTreeSet;

use crate::design::{Design, Field, SignalDecl};
use crate::source_info::{BlockInfo, BlockType};

use super::names::rust_name;

/// Lines as a comment. Tools take orders from comments that start with their names, so no line does.
fn comment(lines: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    const TOOLS: [&str; 6] = [
        "verilator",
        "synopsys",
        "synthesis",
        "cadence",
        "pragma",
        "altera",
    ];
    let line = |line: &str| {
        let first = line
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let order = TOOLS.iter().any(|tool| first.starts_with(tool));
        let text = format!("// {}{line}", if order { "- " } else { "" });
        text.trim_end().to_string()
    };
    lines.into_iter().map(|text| line(text.as_ref())).collect()
}

/// The head of a module.
pub(super) fn head(
    name: &str,
    number: usize,
    design: &Design,
    block: Option<&BlockType>,
) -> Vec<String> {
    let path = match design.first_path[number].as_str() {
        "" => "the top".into(),
        path => format!("first instance {}", rust_name(&path.replace('.', "$"))),
    };
    let Some((block, info)) = block.and_then(|block| Some((block, block.info?))) else {
        return comment([format!("{name}: {path}")]);
    };
    let mut lines = vec![format!(
        "{name}: `{}` of {}:{}, {path}",
        info.name, info.file, info.line
    )];
    let arguments = info.generics.iter().zip(&block.generics);
    let arguments =
        arguments.filter_map(|(name, value)| Some(format!("{name} = {}", value.as_ref()?)));
    let arguments: Vec<String> = arguments.collect();
    if !arguments.is_empty() {
        lines.push(format!("With {}.", arguments.join(", ")));
    }
    lines.push(String::new());
    lines.extend(info.doc.iter().cloned());
    // The head of a file is about the block the file is called after.
    let about = format!("`{}`", info.name);
    if info
        .head
        .first()
        .is_some_and(|first| first.starts_with(&about))
    {
        lines.push(String::new());
        lines.extend(info.head.iter().cloned());
    }
    comment(lines)
}

/// What is stated about a signal that is called `name` in the text.
pub(super) fn signal(decl: &SignalDecl, name: &str, info: Option<&BlockInfo>) -> Vec<String> {
    let field = info.and_then(|info| info.field(&decl.name));
    let mut lines = field.map_or_else(Vec::new, |field| field.doc.clone());
    lines.extend(in_rust(&decl.name, name));
    if let [first, rest @ ..] = &fields(&decl.fields)[..] {
        let first = format!("{}: {first}", decl.type_name);
        let items: Vec<String> = std::iter::once(first).chain(rest.iter().cloned()).collect();
        let mut list = wrapped(&items, "");
        if let Some(last) = list.last_mut() {
            last.pop();
            last.push('.');
        }
        lines.extend(list);
    }
    if !decl.variants.is_empty() {
        lines.push(format!("{}: {}.", decl.type_name, decl.variants.join(", ")));
    }
    comment(lines)
}

/// What something is called in Rust, if not the same.
fn in_rust(rust: &str, name: &str) -> Option<String> {
    (rust != name).then(|| format!("In Rust: {}.", rust_name(rust)))
}

/// What is stated about an instance that is called `name` in the text.
pub(super) fn instance(rust: &str, name: &str, info: Option<&BlockInfo>) -> Vec<String> {
    let field = info.and_then(|info| info.field(rust));
    let doc = field.map_or(&[][..], |field| &field.doc).iter().cloned();
    comment(doc.chain(in_rust(rust, name)))
}

/// The comments of the kernel that stand before assignments to `targets`, without those at the positions `said`, to
/// which their positions are added.
pub(super) fn kernel(
    info: Option<&BlockInfo>,
    targets: &[String],
    said: &mut BTreeSet<usize>,
) -> Vec<String> {
    let all = info
        .map_or(&[][..], |info| &info.comments)
        .iter()
        .enumerate();
    let about = all.filter(|(_, comment)| targets.iter().any(|name| comment.is_about(name)));
    let new = about.filter(|(at, _)| said.insert(*at));
    comment(new.flat_map(|(_, comment)| &comment.lines))
}

/// `kind [3:0]` and `len [15:4]`; fields of fields follow in parentheses.
fn fields(list: &[Field]) -> Vec<String> {
    let field = |field: &Field| {
        let low = field.offset;
        let bits = match field.width {
            1 => format!("{} [{low}]", field.name),
            width => format!("{} [{}:{low}]", field.name, low + width - 1),
        };
        match field.fields.is_empty() {
            true => bits,
            false => format!("{bits} ({})", fields(&field.fields).join(", ")),
        }
    };
    list.iter().map(field).collect()
}

/// A list of short texts, a comma after each, in lines of readable length.
pub(super) fn wrapped(items: &[String], indent: &str) -> Vec<String> {
    const WIDTH: usize = 110;
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(last) if last.len() + item.len() < WIDTH => *last += &format!(" {item},"),
            _ => lines.push(format!("{indent}{item},")),
        }
    }
    lines
}
