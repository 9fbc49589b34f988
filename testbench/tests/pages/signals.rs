//! The page of what travels between blocks: the structs of `rtl/types/src`, with their fields.

use super::formats::{HEAD, code_table, plain};
use std::fmt::Write;

/// Formats of memory and network that ports carry too, with their headings in `formats.md`.
const FORMATS: [(&str, &str); 3] = [
    ("WireHeader", "header-beat"),
    ("Command", "command"),
    ("Event", "event"),
];

/// A field of a struct: name, width in bits, documentation.
type Member = (String, String, String);

/// The `wire_struct!`s of a source file: name, width, documentation, fields.
fn structs(source: &str) -> Vec<(String, String, String, Vec<Member>)> {
    let mut found: Vec<(String, String, String, Vec<Member>)> = Vec::new();
    let (mut doc, mut inside) = (String::new(), false);
    for line in source.lines() {
        let text = line.trim();
        inside = match line {
            "wire_struct! {" => true,
            "}" => false,
            _ => inside,
        };
        if let Some(more) = text.strip_prefix("///") {
            doc = format!("{doc} {}", more.trim()).trim().to_string();
            continue;
        }
        let doc = plain(&std::mem::take(&mut doc));
        if !inside {
            continue;
        }
        if let Some(head) = text.strip_prefix("pub struct ") {
            let (name, rest) = head
                .split_once(" / ")
                .expect("a name and that of its unpacker");
            let width = rest.split_once(": ").expect("a width").1;
            let width = width.trim_end_matches([' ', '{']).to_string();
            found.push((name.to_string(), width, doc, Vec::new()));
        } else if let Some((name, width)) = text.trim_end_matches(',').split_once(": ") {
            let fields = &mut found.last_mut().expect("fields stand in a struct").3;
            fields.push((name.to_string(), width.to_string(), doc));
        }
    }
    found
}

/// Each struct that a port may carry, with the place of its fields in `docs/reference`.
pub fn struct_places(sources: &[(&str, String)]) -> Vec<(String, String)> {
    let own = sources.iter().flat_map(|(_, source)| structs(source));
    let own = own.map(|(name, ..)| (name.clone(), format!("signals.md#{}", name.to_lowercase())));
    let formats = FORMATS.iter();
    let formats = formats.map(|(name, at)| (name.to_string(), format!("formats.md#{at}")));
    formats.chain(own).collect()
}

/// `docs/reference/signals.md`; the argument is the names and texts of the sources.
pub fn signals_page(sources: &[(&str, String)]) -> String {
    let mut page = format!("# Signals\n\n{HEAD}\n\n");
    page += "What ports carry from block to block, with the codes in it. The first field is the lowest.\n";
    for (file, source) in sources {
        for (name, width, doc, fields) in structs(source) {
            let _ = writeln!(page, "\n## {name}\n\n{width} bits (`{file}`). {doc}\n");
            page += "| bits | field | meaning |\n|---|---|---|\n";
            for (field, width, doc) in fields {
                let _ = writeln!(page, "| {width} | `{field}` | {doc} |");
            }
        }
    }
    page += "\n## Codes\n";
    for (file, modules) in CODES {
        let of = file.strip_suffix(".rs").unwrap_or(file);
        for module in modules {
            code_table(
                &mut page,
                &format!("{module} of {file}"),
                &format!("{of}::{module}"),
            );
        }
    }
    page
}

/// Lists of codes that travel only between blocks, by file.
const CODES: [(&str, &[&str]); 3] = [
    (
        "matching.rs",
        &[
            "request_kind",
            "outcome",
            "me_option",
            "list",
            "match_op",
            "portal_option",
            "response_kind",
            "match_code",
        ],
    ),
    (
        "counter.rs",
        &["counter_operation", "counter_change", "counter_status"],
    ),
    ("l2.rs", &["op", "status", "cause"]),
];
