//! `registers.h` against the book and against the definitions that the hardware is made of.

use crate::common::{Folder, root, xtq};
use std::collections::BTreeMap;
use xtq_types::register_list::{
    CONTEXT_REGISTERS, COUNTERS, GLOBAL_INITIATOR_REGISTERS, GLOBAL_REGISTERS, INITIATOR_REGISTERS,
    PORTAL_REGISTERS,
};
use xtq_types::register_map::{context, context_address, global};

/// Names as in C, and their values.
type Offsets = BTreeMap<String, u32>;

/// The number of a cell or a definition.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The offsets in the tables of `docs/reference/registers.md`, under the names of C; those of contexts and users that
/// are not there left out.
fn book(text: &str, initiator: bool, contexts: u32) -> Offsets {
    let (mut offsets, mut section) = (Offsets::new(), "");
    for line in text.lines() {
        if let Some(title) = line.trim_start_matches('#').strip_prefix(' ')
            && line.starts_with('#')
        {
            section = title;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, at, name, ..] = cells[..] else {
            continue;
        };
        let Some(at) = number(at).filter(|_| name.chars().any(|c| c.is_ascii_uppercase())) else {
            continue;
        };
        let user = name.strip_prefix("USER_ID_").and_then(number);
        let (of_initiator, prefix, scale) = match section {
            "Global" | "Counters" => (false, "", 1),
            "Global: initiator" => (true, "", 1),
            "Context" => (false, "CONTEXT_", 1),
            "Context: initiator" => (true, "CONTEXT_", 1),
            // Words; after them are values of bits.
            "Portal entries" if cells.len() == 5 => (false, "PORTAL_", 4),
            other => panic!("{other}: {line}"),
        };
        if (of_initiator && !initiator) || user.is_some_and(|user| user >= contexts) {
            continue;
        }
        // Bits and values of the words of portal entries have no offsets.
        if prefix == "PORTAL_" && !PORTAL_REGISTERS.iter().any(|info| info.name == name) {
            continue;
        }
        let key = format!("XTQ_{prefix}{name}");
        assert_eq!(offsets.insert(key, at * scale), None, "{line}");
    }
    offsets
}

/// The offsets that a header defines: what stands before the values, and takes no argument.
fn header(text: &str) -> Offsets {
    let (text, _) = text.split_once("/* Values. */").unwrap();
    let definitions = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let mut offsets = Offsets::new();
    for line in definitions.filter(|line| !line.contains('(')) {
        let Some((name, value)) = line.split_once(' ') else {
            continue;
        };
        if ["XTQ_CONTEXTS", "XTQ_PORTALS"].contains(&name) {
            continue;
        }
        let value = number(value.trim_end_matches('u')).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(offsets.insert(name.to_owned(), value), None, "{line}");
    }
    offsets
}

#[test]
fn the_header_has_every_offset_of_the_book_and_no_other() {
    let folder = Folder::new("export-offsets");
    let text = std::fs::read_to_string(root().join("docs/reference/registers.md")).unwrap();
    for (top, initiator, contexts, count) in [
        ("nic", true, 4, 6 + 5 + 15 + 20 + 11 + 8),
        ("nic-small", true, 2, 6 + 3 + 15 + 20 + 11 + 8),
        ("target", false, 4, 6 + 15 + 20 + 8),
    ] {
        let dir = folder.path(top);
        assert_eq!(xtq(&["export", &dir, "--top", top, "-q"]).code, 0);
        let header = header(&std::fs::read_to_string(format!("{dir}/registers.h")).unwrap());
        let book = book(&text, initiator, contexts);
        assert_eq!(header, book, "{top}");
        assert_eq!(book.len(), count, "{top}: {book:?}");
    }
    // One that is elsewhere, or that is not there, is a difference.
    let moved = text.replace("| 0x008 | NODE |", "| 0x01c | NODE |");
    let gone = text.replace("| 0x08c | CQ_TAIL |", "| CQ_TAIL |");
    for wrong in [moved, gone] {
        assert_ne!(wrong, text);
        assert_ne!(book(&wrong, true, 4), book(&text, true, 4));
    }
}

/// Gives a C program that includes the header to the compiler; what it says.
fn compile(dir: &str, file: &str) -> Result<(), String> {
    let arguments = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-fsyntax-only",
        "-I",
        dir,
        file,
    ];
    let output = std::process::Command::new("cc").args(arguments).output();
    let output = output.unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn a_c_program_reads_the_registers_at_the_addresses_of_the_hardware() {
    let folder = Folder::new("export-header");
    let dir = folder.path("nic");
    assert_eq!(xtq(&["export", &dir, "-q"]).code, 0);
    let mut checks = String::from("#include \"registers.h\"\n");
    let mut check = |text: String, at: u32| {
        checks += &format!("_Static_assert({text} == {at}, \"{text}\");\n");
    };
    for info in GLOBAL_REGISTERS.iter().chain(&GLOBAL_INITIATOR_REGISTERS) {
        check(format!("XTQ_{}", info.name), info.global_address().into());
    }
    for (number, (name, _)) in (0..).zip(COUNTERS) {
        check(format!("XTQ_{name}"), global::COUNTERS + 4 * number);
    }
    // As the hardware names them, which decodes these numbers.
    for (name, at) in [
        ("VERSION", global::VERSION),
        ("BUILD", global::BUILD),
        ("NODE", global::NODE),
        ("LINK_CHECKED", global::LINK_CHECKED),
        ("COUNTERS_CLEAR", global::COUNTERS_CLEAR),
        ("MESSAGE_LIMIT", global::MESSAGE_LIMIT),
        ("MESSAGE_TIMEOUT", global::MESSAGE_TIMEOUT),
        ("USER_ID_3", global::USER_ID + 12),
        ("CONTEXT_EQ_SIZE", context::EQ_SIZE),
        ("CONTEXT_CQ_TAIL", context::CQ_TAIL),
    ] {
        check(format!("XTQ_{name}"), at);
    }
    for (context, portal) in [(0, 0), (3, 15)] {
        for info in CONTEXT_REGISTERS.iter().chain(&INITIATOR_REGISTERS) {
            let (name, at) = (info.name, context_address(context, info.offset));
            check(
                format!("XTQ_CONTEXT({context}) + XTQ_CONTEXT_{name}"),
                at.into(),
            );
        }
        for info in &PORTAL_REGISTERS {
            let (name, at) = (info.name, info.portal_address(context, portal));
            check(
                format!("XTQ_PORTAL({context}, {portal}) + XTQ_PORTAL_{name}"),
                at.into(),
            );
        }
    }
    let file = folder.write("check.c", &checks);
    assert_eq!(compile(&dir, &file), Ok(()));
    // A register that moves does not compile any more.
    let header = format!("{dir}/registers.h");
    let text = std::fs::read_to_string(&header).unwrap();
    let moved = text.replace("XTQ_NODE 0x008u", "XTQ_NODE 0x01cu");
    assert_ne!(moved, text);
    std::fs::write(&header, moved).unwrap();
    let said = compile(&dir, &file).unwrap_err();
    assert!(said.contains("XTQ_NODE"), "{said}");
}
