//! Comments: what a block is, what its signals are, and what they are called in Rust.

use crate::catalogue::BlockInfo;
use crate::design::{Design, Field, SignalDecl};

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
    info: Option<&BlockInfo>,
) -> Vec<String> {
    let path = match design.first_path[number].as_str() {
        "" => "the top".into(),
        path => format!("first instance {}", rust_name(&path.replace('.', "$"))),
    };
    let Some(info) = info else {
        return comment([format!("{name}: {path}")]);
    };
    let mut lines = vec![
        format!(
            "{name}: `{}` of {}:{}, {path}",
            info.name, info.file, info.line
        ),
        String::new(),
    ];
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

/// What is said about a signal that is called `name` in the text.
pub(super) fn signal(decl: &SignalDecl, name: &str, info: Option<&BlockInfo>) -> Vec<String> {
    let field = info.and_then(|info| info.field(&decl.name));
    let mut lines = field.map_or_else(Vec::new, |field| field.doc.clone());
    lines.extend(in_rust(&decl.name, name));
    if !decl.fields.is_empty() {
        lines.push(format!("{}: {}.", decl.type_name, fields(&decl.fields)));
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

/// The comment for something that has another name than in Rust.
pub(super) fn renamed(rust: &str, name: &str) -> Vec<String> {
    comment(in_rust(rust, name))
}

/// `kind [3:0], len [15:4]`; fields of fields follow in parentheses.
fn fields(list: &[Field]) -> String {
    let field = |field: &Field| {
        let low = field.offset;
        let bits = match field.width {
            1 => format!("{} [{low}]", field.name),
            width => format!("{} [{}:{low}]", field.name, low + width - 1),
        };
        match field.fields.is_empty() {
            true => bits,
            false => format!("{bits} ({})", fields(&field.fields)),
        }
    };
    list.iter().map(field).collect::<Vec<_>>().join(", ")
}

/// A list of short texts, a comma behind each, in lines of readable length.
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
