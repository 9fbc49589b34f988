//! A module: ports, declarations, instances, logic.

use std::collections::BTreeSet;

use super::block::{Logic, zero};
use super::comments;
use super::groups::{Group, visit};
use super::names::ModuleNames;
use super::sheet::Sheet;
use super::storage::storage;
use super::text::{number, range};
use crate::design::{Body, Design, ExprKind, Leaf, Name, SignalKind, Stmt, Ty};
use crate::source_info::{BlockInfo, BlockType};

/// Lines that belong together; an empty line stands between sections.
type Section = Vec<String>;

/// What the text of a module is made from.
pub(super) struct Draft<'a> {
    pub(super) design: &'a Design,
    pub(super) number: usize,
    pub(super) groups: &'a [Group],
    pub(super) block: Option<&'a BlockType<'a>>,
    /// Names of all modules.
    pub(super) modules: &'a [String],
    /// Names in the modules that were written before it.
    pub(super) inner: &'a [ModuleNames],
}

/// The text of a module, and the names in it.
pub(super) fn module(draft: &Draft) -> (String, ModuleNames) {
    let Draft {
        design,
        number,
        groups,
        block,
        modules,
        inner,
    } = *draft;
    let info = block.and_then(|block| block.info);
    let (name, top) = (&modules[number], &modules[design.top]);
    let own = &design.modules[number];
    let names = ModuleNames::new(design, own, name, top, inner);
    let mut sheet = Sheet::new(design, own, names);
    // What the text needs is known when it is written: declarations come last, and stand first.
    let inside = match &sheet.module.body {
        Body::Storage(leaf) => {
            sheet.regs.extend(stored(leaf).map(Name::Own));
            vec![storage(&mut sheet, leaf)]
        }
        Body::Logic(statements) => {
            let logic = logic(&mut sheet, groups, statements, info);
            let instances = (0..sheet.module.children.len())
                .map(|child| instance(&sheet, draft, child, info))
                .collect::<Vec<_>>();
            instances.into_iter().chain(logic).collect()
        }
    };
    let mut sections = vec![
        constants(&sheet, info),
        locals(&sheet, info),
        wires(&sheet),
        temporaries(&sheet),
    ];
    sections.extend(inside);
    sections.push(unused(&mut sheet));

    let mut lines = comments::head(name, number, design, block);
    lines.extend(ports(&sheet, name, info));
    sections.retain(|section| !section.is_empty());
    for (at, section) in sections.into_iter().enumerate() {
        lines.extend((at > 0).then(String::new));
        lines.extend(section.into_iter().map(indented));
    }
    lines.push("endmodule".into());
    (lines.join("\n") + "\n", sheet.names)
}

/// A line of the body of a module.
fn indented(line: String) -> String {
    match line.is_empty() {
        true => line,
        false => format!("    {line}"),
    }
}

/// The port that is a register.
fn stored(leaf: &Leaf) -> Option<usize> {
    match leaf {
        Leaf::Reg { q, .. } => Some(*q),
        Leaf::Ram {
            read_data,
            asynchronous,
            ..
        } => (!asynchronous).then_some(*read_data),
    }
}

/// The kernel.
fn logic(
    sheet: &mut Sheet,
    groups: &[Group],
    statements: &[Stmt],
    info: Option<&BlockInfo>,
) -> Vec<Section> {
    let mut said = BTreeSet::new();
    let mut read = BTreeSet::new();
    visit(statements, &mut |expr| {
        if let ExprKind::Signal(name) = expr.kind {
            read.insert(name);
        }
    });
    let (mut sections, mut assigns) = (Vec::new(), Vec::new());
    for group in groups {
        sheet.driven.extend(&group.targets);
        let target = group.targets.first().copied();
        let port = target.filter(|name| matches!(name, Name::Port { .. }) && !read.contains(name));
        let targets: Vec<String> = group
            .targets
            .iter()
            .map(|name| in_rust(sheet, *name))
            .collect();
        let mut comment = comments::kernel(info, &targets, &mut said);
        // A comment begins a paragraph, as in the kernel.
        if !comment.is_empty() {
            sections.push(std::mem::take(&mut assigns));
        }
        match (sheet.logic(group, port.is_some()), target) {
            (Logic::Inline(text), target) => {
                assigns.append(&mut comment);
                sheet.inline.extend(target.map(|name| (name, text)));
            }
            (Logic::Assign(lines), _) => {
                assigns.append(&mut comment);
                assigns.extend(lines);
            }
            (Logic::Always(lines), _) => {
                sheet.regs.extend(&group.targets);
                sections.push(std::mem::take(&mut assigns));
                comment.extend(lines);
                sections.push(comment);
            }
        }
    }
    sections.push(assigns);
    sections
}

/// What a kernel calls a signal: `a$b`, and `child$port`.
fn in_rust(sheet: &Sheet, name: Name) -> String {
    let signal = &sheet.decl(name).name;
    match name {
        Name::Own(_) => signal.clone(),
        Name::Port { child, .. } => format!("{}${signal}", sheet.module.children[child].name),
    }
}

fn ports(sheet: &Sheet, name: &str, info: Option<&BlockInfo>) -> Section {
    let mut lines = vec![format!("module {name} (")];
    let mut last = None;
    for (signal, decl) in sheet.module.signals.iter().enumerate() {
        let direction = match decl.kind {
            SignalKind::Input => "input wire",
            SignalKind::Output if sheet.regs.contains(&Name::Own(signal)) => "output reg",
            SignalKind::Output => "output wire",
            _ => continue,
        };
        let port = &sheet.names.signals[signal];
        let comment = comments::signal(decl, port, info);
        lines.extend(comment.into_iter().map(|line| format!("    {line}")));
        last = Some(lines.len());
        lines.push(format!("    {direction} {}{port},", range(decl.ty)));
    }
    if let Some(last) = last {
        lines[last].pop();
    }
    lines.push(");".into());
    lines
}

fn constants(sheet: &Sheet, info: Option<&BlockInfo>) -> Section {
    let mut lines = Vec::new();
    for signal in &sheet.constants {
        let decl = &sheet.module.signals[*signal];
        let SignalKind::Constant(value) = &decl.kind else {
            continue;
        };
        let name = &sheet.names.signals[*signal];
        lines.extend(comments::signal(decl, name, info));
        let value = number(value, decl.ty.width);
        lines.push(format!("localparam {}{name} = {value};", range(decl.ty)));
    }
    let mut variants: Vec<_> = sheet.variants.iter().collect();
    variants.sort_by_key(|((type_name, _), (_, _, value))| (type_name.clone(), *value));
    for (_, (name, width, value)) in variants {
        let ty = Ty::bits(*width);
        let value = number(&(*value).into(), *width);
        lines.push(format!("localparam {}{name} = {value};", range(ty)));
    }
    lines
}

fn kind(sheet: &Sheet, name: Name) -> &'static str {
    match sheet.regs.contains(&name) {
        true => "reg",
        false => "wire",
    }
}

fn locals(sheet: &Sheet, info: Option<&BlockInfo>) -> Section {
    let mut lines = Vec::new();
    for (signal, decl) in sheet.module.signals.iter().enumerate() {
        let name = Name::Own(signal);
        if decl.kind != SignalKind::Local || !sheet.driven.contains(&name) {
            continue;
        }
        let text = sheet.names.of(name);
        lines.extend(comments::signal(decl, text, info));
        lines.push(format!("{} {}{text};", kind(sheet, name), range(decl.ty)));
    }
    lines
}

/// Wires between the kernel and the ports of instances.
fn wires(sheet: &Sheet) -> Section {
    let mut lines = Vec::new();
    for (child, instance) in sheet.module.children.iter().enumerate() {
        for (signal, decl) in sheet.design.modules[instance.module]
            .signals
            .iter()
            .enumerate()
        {
            let name = Name::Port { child, signal };
            let wanted = match decl.kind {
                SignalKind::Input => {
                    sheet.driven.contains(&name) && !sheet.inline.contains_key(&name)
                }
                SignalKind::Output => true,
                _ => false,
            };
            if wanted {
                let text = sheet.names.of(name);
                lines.push(format!("{} {}{text};", kind(sheet, name), range(decl.ty)));
            }
        }
    }
    lines
}

fn instance(sheet: &Sheet, draft: &Draft, child: usize, info: Option<&BlockInfo>) -> Section {
    let module = sheet.module.children[child].module;
    let inner = &draft.inner[module];
    let mut ports = Vec::new();
    for (signal, decl) in sheet.design.modules[module].signals.iter().enumerate() {
        let name = Name::Port { child, signal };
        let text = match (&decl.kind, sheet.inline.get(&name)) {
            (SignalKind::Input, Some(text)) => text.text.clone(),
            // What is not driven is zero in Rust.
            (SignalKind::Input, None) if !sheet.driven.contains(&name) => zero(decl.ty.width).text,
            (SignalKind::Input | SignalKind::Output, _) => sheet.names.of(name).into(),
            _ => continue,
        };
        ports.push(format!("    .{}({text})", inner.signals[signal]));
    }
    let name = &sheet.names.children[child];
    let rust = &sheet.module.children[child].name;
    let mut lines = comments::instance(rust, name, info);
    lines.push(format!("{} {name} (", draft.modules[module]));
    lines.extend(ports.join(",\n").lines().map(String::from));
    lines.push(");".into());
    lines
}

fn temporaries(sheet: &Sheet) -> Section {
    let line = |temporary: &super::sheet::Temporary| match &temporary.value {
        Some(value) => format!("wire {}{} = {value};", range(temporary.ty), temporary.name),
        None => format!("reg {}{};", range(temporary.ty), temporary.name),
    };
    sheet.temporaries.iter().map(line).collect()
}

/// A wire that reads what nothing else reads.
fn unused(sheet: &mut Sheet) -> Section {
    let mut all: Vec<(Name, Ty)> = Vec::new();
    for (signal, decl) in sheet.module.signals.iter().enumerate() {
        let name = Name::Own(signal);
        let local = decl.kind == SignalKind::Local && sheet.driven.contains(&name);
        if decl.kind == SignalKind::Input || local {
            all.push((name, decl.ty));
        }
    }
    for (child, instance) in sheet.module.children.iter().enumerate() {
        for (signal, decl) in sheet.design.modules[instance.module]
            .signals
            .iter()
            .enumerate()
        {
            if decl.kind == SignalKind::Output {
                all.push((Name::Port { child, signal }, decl.ty));
            }
        }
    }
    let all = all
        .iter()
        .map(|(name, ty)| (sheet.names.of(*name), ty.width));
    let temporaries = sheet
        .temporaries
        .iter()
        .map(|t| (t.name.as_str(), t.ty.width));
    let unread: Vec<String> = (all.chain(temporaries))
        .flat_map(|(name, width)| sheet.unread(name, width))
        .collect();
    if unread.is_empty() {
        return Vec::new();
    }
    let name = sheet.names.scope.unique("_unused");
    let mut lines = vec![format!("wire {name} = &{{1'b0,")];
    lines.extend(comments::wrapped(&unread, "    "));
    lines.push("    1'b0};".into());
    lines
}
