//! The registers for software and for other people's tools, from the definitions that the hardware is made of.

use super::Registers;
use std::fmt::Write;
use xtq_types::register_list::{
    Access, CONTEXT_REGISTERS, COUNTERS, GLOBAL_INITIATOR_REGISTERS, GLOBAL_REGISTERS,
    INITIATOR_REGISTERS, PORTAL_REGISTERS, RegisterInfo,
};
use xtq_types::register_map::{
    CONTEXTS, PORTALS, VERSION, build, context, error_cause, global, irq_cause, portal_control,
    portal_options,
};

/// The page of the book, which a test compares with the same definitions.
const PAGE: &str = include_str!("../../../../docs/reference/registers.md");

/// Values with a name: group, name, value.
const VALUES: [(&str, &str, u32); 12] = [
    ("OPTIONS", "FLOW_CONTROL", portal_options::FLOW_CONTROL),
    ("OPTIONS", "EVENT_SUCCESS", portal_options::EVENT_SUCCESS),
    ("OPTIONS", "EVENT_FAILURE", portal_options::EVENT_FAILURE),
    ("CONTROL", "ENABLE", portal_control::ENABLE),
    ("CONTROL", "DISABLE", portal_control::DISABLE),
    ("CONTROL", "RELEASE", portal_control::RELEASE),
    ("ERROR_CAUSE", "EVENT_FAILED", error_cause::EVENT_FAILED),
    ("ERROR_CAUSE", "EVENT_LOST", error_cause::EVENT_LOST),
    ("ERROR_CAUSE", "MEMORY_ERROR", error_cause::MEMORY_ERROR),
    ("ERROR_CAUSE", "BAD_TAIL", error_cause::BAD_TAIL),
    ("IRQ", "EVENT", irq_cause::EVENT),
    ("IRQ", "ERROR", irq_cause::ERROR),
];

impl Registers {
    /// The registers of a context but the portal entries.
    fn of_context(self) -> impl Iterator<Item = &'static RegisterInfo> {
        let initiator = match self {
            Self::Target { .. } => &[][..],
            Self::Nic { .. } => &INITIATOR_REGISTERS[..],
        };
        CONTEXT_REGISTERS.iter().chain(initiator)
    }

    /// The global registers: the counters are read only, 32 bits each.
    fn global(self) -> impl Iterator<Item = RegisterInfo> {
        let counter = |(number, (name, doc)): (u32, (&'static str, &'static str))| RegisterInfo {
            name,
            offset: global::COUNTERS + 4 * number,
            access: Access::ReadOnly,
            width: 32,
            doc,
        };
        let initiator = match self {
            Self::Target { .. } => &[][..],
            Self::Nic { .. } => &GLOBAL_INITIATOR_REGISTERS[..],
        };
        let user_ids = global::USER_ID..global::USER_ID + 4 * CONTEXTS;
        let there = global::USER_ID..global::USER_ID + 4 * self.contexts();
        let exists = move |info: &RegisterInfo| {
            !user_ids.contains(&info.offset) || there.contains(&info.offset)
        };
        GLOBAL_REGISTERS
            .into_iter()
            .chain(initiator.iter().copied().filter(exists))
            .chain((0..).zip(COUNTERS).map(counter))
    }

    /// What BUILD reads.
    fn build(self) -> u32 {
        let (Self::Target { atomics } | Self::Nic { atomics, .. }) = self;
        build(self.contexts(), atomics)
    }

    /// Contexts of the hardware.
    fn contexts(self) -> u32 {
        match self {
            Self::Target { .. } => CONTEXTS,
            Self::Nic { contexts, .. } => contexts,
        }
    }
}

/// The page for people.
pub fn page(registers: Registers) -> String {
    let contexts = registers.contexts();
    let small = match contexts < CONTEXTS {
        true => format!(
            "\n**This hardware has {contexts} contexts.** Of the pages below those of the first {contexts} contexts are there, and the user ids of these.\n"
        ),
        false => String::new(),
    };
    let alone = match registers {
        Registers::Nic { .. } => String::new(),
        Registers::Target { .. } => {
            let of_context = INITIATOR_REGISTERS.iter();
            let lists = GLOBAL_INITIATOR_REGISTERS.iter().chain(of_context);
            let names: Vec<String> = lists.map(|info| format!("`{}`", info.name)).collect();
            format!(
                "\n**This hardware is the target side alone.** The registers of the initiator are not there: {}.\n",
                names.join(", ")
            )
        }
    };
    format!(
        "<!-- {}; do not edit. -->\n{small}{alone}{PAGE}",
        super::MARK
    )
}

/// A C header: offsets in a page, and where the pages are.
pub fn header(registers: Registers) -> String {
    let mut text = format!(
        "/* {}; do not edit. SPDX-License-Identifier: MIT OR Apache-2.0 */\n\
         #ifndef XTQ_REGISTERS_H\n#define XTQ_REGISTERS_H\n\n\
         /* Contexts, and portal entries of each. */\n#define XTQ_CONTEXTS {contexts}u\n#define XTQ_PORTALS {PORTALS}u\n\n\
         /* Pages: offset of page 0 is 0. */\n#define XTQ_CONTEXT(c) (0x{page:x}u * (1u + (c)))\n\
         #define XTQ_PORTAL(c, p) (XTQ_CONTEXT(c) + 0x{portal:x}u + 0x{stride:x}u * (p))\n",
        super::MARK,
        contexts = registers.contexts(),
        page = context::PAGE_BYTES,
        portal = context::PORTAL,
        stride = context::PORTAL_STRIDE,
    );
    let mut group = |comment: &str, prefix: &str, list: Vec<(&str, u32, &str)>| {
        let _ = writeln!(text, "\n/* {comment} */");
        for (name, offset, doc) in list {
            let _ = writeln!(text, "/* {doc} */\n#define {prefix}{name} 0x{offset:03x}u");
        }
    };
    let rows = |info: RegisterInfo| (info.name, info.offset, info.doc);
    let in_portal = |info: RegisterInfo| (info.name, info.offset - context::PORTAL, info.doc);
    group("Page 0.", "XTQ_", registers.global().map(rows).collect());
    let of_context = registers.of_context().copied();
    group(
        "Offsets from XTQ_CONTEXT(c).",
        "XTQ_CONTEXT_",
        of_context.map(rows).collect(),
    );
    let portal = PORTAL_REGISTERS.into_iter();
    group(
        "Offsets from XTQ_PORTAL(c, p).",
        "XTQ_PORTAL_",
        portal.map(in_portal).collect(),
    );
    text += "\n/* Values. */\n";
    for (register, name, value) in VALUES {
        let _ = writeln!(text, "#define XTQ_{register}_{name} 0x{value:x}u");
    }
    text + "\n#endif\n"
}

/// One register in SystemRDL; `at` is its offset from what it is in.
fn rdl_register(info: &RegisterInfo, at: u32, reset: Option<u32>) -> String {
    let access = match info.access {
        Access::ReadWrite => "sw = rw;",
        Access::ReadOnly => "sw = r;",
        Access::WriteOnly => "sw = w;",
        Access::WriteOneToClear => "sw = rw; onwrite = woclr;",
    };
    let reset = reset.map_or(String::new(), |value| format!(" = 32'h{value:x}"));
    let doc = info.doc.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "reg {{ desc = \"{doc}\"; field {{ {access} hw = rw; }} VALUE[{}:0]{reset}; }} {} @ 0x{at:x};\n",
        info.width - 1,
        info.name
    )
}

/// SystemRDL 2.0.
pub fn rdl(registers: Registers) -> String {
    let mut text = format!(
        "// {}; do not edit.\n// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         addrmap xtq {{\n    name = \"xtq registers\";\n    default regwidth = 32;\n    default accesswidth = 32;\n\n",
        super::MARK
    );
    for info in registers.global() {
        let reset = match info.offset {
            global::VERSION => Some(VERSION),
            global::LINK_CHECKED => Some(1),
            global::BUILD => Some(registers.build()),
            global::MESSAGE_LIMIT => Some(64),
            _ => None,
        };
        text += &format!("    {}", rdl_register(&info, info.offset, reset));
    }
    text += "\n    regfile {\n";
    for info in registers.of_context() {
        let reset = match info.offset {
            context::MAX_MESSAGE_SIZE => Some(u32::MAX),
            context::MAX_ATOMIC_SIZE => Some(512),
            _ => None,
        };
        text += &format!("        {}", rdl_register(info, info.offset, reset));
    }
    text += "        regfile {\n";
    for info in &PORTAL_REGISTERS {
        text += &format!(
            "            {}",
            rdl_register(info, info.offset - context::PORTAL, None)
        );
    }
    let contexts = registers.contexts();
    let (page, portal, stride) = (context::PAGE_BYTES, context::PORTAL, context::PORTAL_STRIDE);
    text + &format!(
        "        }} PORTAL[{PORTALS}] @ 0x{portal:x} += 0x{stride:x};\n    }} CONTEXT[{contexts}] @ 0x{page:x} += 0x{page:x};\n}};\n"
    )
}
