//! Writes the pages of formats and registers from the definitions in `rtl/types/src`.

use std::fmt::Write;
use xtq_types::aql::{AgentDispatch, KernelDispatch};
use xtq_types::command::Command;
use xtq_types::event::Event;
use xtq_types::register_list::{
    Access, CONTEXT_REGISTERS, COUNTERS, GLOBAL_INITIATOR_REGISTERS, GLOBAL_REGISTERS,
    INITIATOR_REGISTERS, RegisterInfo,
};
use xtq_types::register_map::{context, global};
use xtq_types::tables::{FunctionEntry, KernelEntry, QueueEntry};
use xtq_types::wire_header::WireHeader;
use xtq_types::{Field, codes_of};

pub const HEAD: &str =
    "Written by `docs/update.sh` from the definitions in `rtl/types/src`; changes here are lost.";

/// Documentation without rustdoc's links: [`a`](b) and [`a`] become `a`.
pub fn plain(doc: &str) -> String {
    let mut text = String::new();
    let mut rest = doc.trim();
    while let Some(at) = rest.find("[`") {
        text += &rest[..at];
        let (link, after) = rest[at + 1..].split_once(']').expect("a link ends");
        text += link;
        rest = after
            .strip_prefix('(')
            .and_then(|target| target.split_once(')'))
            .map_or(after, |(_, rest)| rest);
    }
    text + rest
}

fn format_table(page: &mut String, title: &str, fields: &[Field]) {
    let _ = writeln!(
        page,
        "\n## {title}\n\n| byte | bits | field | meaning |\n|---|---|---|---|"
    );
    for Field {
        name,
        offset,
        width,
        doc,
    } in fields
    {
        let (byte, low, high) = (offset / 8, offset % 8, offset % 8 + width - 1);
        let bits = if width % 8 == 0 && low == 0 {
            format!("{width}")
        } else {
            format!("{width} ({high}:{low})")
        };
        let _ = writeln!(page, "| {byte} | {bits} | `{name}` | {} |", plain(doc));
    }
}

pub fn code_table(page: &mut String, title: &str, module: &str) {
    let _ = writeln!(
        page,
        "\n### {title}\n\n| value | name | meaning |\n|---|---|---|"
    );
    code_rows(page, module);
}

fn code_rows(page: &mut String, module: &str) {
    let codes = codes_of(module);
    assert!(!codes.is_empty(), "no codes {module}");
    for code in codes {
        let _ = writeln!(
            page,
            "| {} | {} | {} |",
            code.written,
            code.name,
            plain(code.doc)
        );
    }
}

/// `docs/reference/formats.md`.
pub fn formats_page() -> String {
    let mut page = format!(
        "# Formats\n\n{HEAD}\n\nByte order is little endian; a field begins at bit `8 * byte` (plus the low bit, where bits are given).\n"
    );
    page += "\nA packet on the network is one header beat and up to 4,096 body bytes; every packet of a message but the last is full. ";
    page += "The message of an XTQ put is [AQL packet, 64 bytes][kernel arguments][payload].\n";
    format_table(&mut page, "Header beat", WireHeader::FIELDS);
    code_table(&mut page, "opcode", "wire_header::opcode");
    code_table(&mut page, "ack_request", "wire_header::ack");
    code_table(&mut page, "ni_fail", "wire_header::ni_fail");
    code_table(&mut page, "Atomic operations", "atomic::operation");
    code_table(&mut page, "Atomic datatypes", "atomic::datatype");
    format_table(
        &mut page,
        "AQL kernel dispatch packet",
        KernelDispatch::FIELDS,
    );
    format_table(
        &mut page,
        "AQL agent dispatch packet",
        AgentDispatch::FIELDS,
    );
    format_table(&mut page, "Kernel table entry", KernelEntry::FIELDS);
    format_table(&mut page, "Function table entry", FunctionEntry::FIELDS);
    format_table(&mut page, "Queue table entry", QueueEntry::FIELDS);
    code_table(&mut page, "Tables", "tables::table_id");
    format_table(&mut page, "Command", Command::FIELDS);
    code_table(&mut page, "operation", "command::operation");
    code_table(&mut page, "flags", "command::flag");
    code_table(&mut page, "options of MD_BIND", "command::md_option");
    code_table(
        &mut page,
        "options of ME_APPEND and ME_SEARCH, beside those of Portals",
        "command::me_source",
    );
    code_table(&mut page, "command_status", "command::command_status");
    format_table(&mut page, "Event", Event::FIELDS);
    code_table(&mut page, "kind", "event::kind");
    code_table(&mut page, "status", "event::status");
    code_table(&mut page, "access", "event::access");
    page
}

fn register_table(page: &mut String, title: &str, registers: &[RegisterInfo]) {
    let _ = writeln!(
        page,
        "\n## {title}\n\n| offset | register | bits | access | meaning |\n|---|---|---|---|---|"
    );
    for RegisterInfo {
        name,
        offset,
        access,
        width,
        doc,
    } in registers
    {
        let access = match access {
            Access::ReadWrite => "read, write",
            Access::ReadOnly => "read",
            Access::WriteOnly => "write",
            Access::WriteOneToClear => "read, 1 clears",
        };
        let _ = writeln!(
            page,
            "| {offset:#05x} | {name} | {width} | {access} | {doc} |"
        );
    }
}

/// `docs/reference/registers.md`.
pub fn registers_page() -> String {
    let mut page = format!("# Registers\n\n{HEAD}\n\n");
    page += "Ports `s_axil_*`, 32-bit words, 16-bit addresses. Page 0 (0x0000) is global, page 1 + *c* (0x1000 * (1 + *c*)) is that of context *c*, 0 to 3. ";
    page += "What an access that is not allowed is answered with is stated on the page of `Registers`.\n";
    register_table(&mut page, "Global", &GLOBAL_REGISTERS);
    register_table(&mut page, "Global: initiator", &GLOBAL_INITIATOR_REGISTERS);
    let _ = writeln!(
        page,
        "\n### Counters\n\n| offset | counter | counts |\n|---|---|---|"
    );
    for (offset, (name, doc)) in (global::COUNTERS..).step_by(4).zip(COUNTERS) {
        let _ = writeln!(page, "| {offset:#05x} | {name} | {doc} |");
    }
    register_table(&mut page, "Context", &CONTEXT_REGISTERS);
    register_table(&mut page, "Context: initiator", &INITIATOR_REGISTERS);
    let (first, stride) = (context::PORTAL, context::PORTAL_STRIDE);
    let _ = writeln!(
        page,
        "\n### Portal entries\n\nEntry *p*, 0 to 15, begins at {first:#05x} + {stride:#x} * *p*; words of 4 bytes.\n"
    );
    page += "| word | register | meaning |\n|---|---|---|\n";
    code_rows(&mut page, "register_map::portal_word");
    let _ = writeln!(
        page,
        "\nBits of OPTIONS:\n\n| value | name | meaning |\n|---|---|---|"
    );
    code_rows(&mut page, "register_map::portal_options");
    let _ = writeln!(
        page,
        "\nValues of CONTROL:\n\n| value | name | meaning |\n|---|---|---|"
    );
    code_rows(&mut page, "register_map::portal_control");
    page
}
