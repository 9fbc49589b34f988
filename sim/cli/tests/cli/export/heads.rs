//! The heads of the modules: each says which Rust block it is, and where that is.

use crate::common::{Folder, root, xtq};
use crate::export::exported;
use xtq_engine::verilog::File;

/// What is wrong with the head of a module: it names no block, or one that is not at the place it says, or another than
/// the module is called after.
fn wrong(module: &File) -> Option<String> {
    let head = format!("// {}: ", module.name);
    let mut lines = module.text.lines();
    let said = lines.find_map(|line| line.strip_prefix(&head));
    let Some(said) = said else {
        return Some(format!("{}: has no head", module.name));
    };
    let wrong = Some(format!("{}: {said}", module.name));
    let named = said
        .strip_prefix('`')
        .and_then(|said| said.split_once("` of "));
    let Some((block, place)) = named else {
        return wrong;
    };
    let place = place.split(", ").next().and_then(|at| at.rsplit_once(':'));
    let Some((file, line)) = place else {
        return wrong;
    };
    let source = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    let line = line.parse::<usize>().unwrap_or(0);
    let code = source.lines().nth(line.wrapping_sub(1)).unwrap_or("");
    let mut words = code.split(|c: char| !c.is_alphanumeric());
    let called = module.name.replace('_', "");
    let is_so = words.any(|word| word == block) && called.starts_with(&block.to_lowercase());
    if is_so { None } else { wrong }
}

#[test]
fn every_module_of_an_export_names_its_rust_block_and_the_line_where_it_is() {
    let folder = Folder::new("export-heads");
    for (top, least) in [
        ("nic", 400),
        ("nic-small", 400),
        ("target", 200),
        ("l2-bank", 20),
        ("match", 40),
        // Their fields are those of each other.
        ("ram", 1),
        ("lut-ram", 1),
    ] {
        let dir = folder.path(top);
        assert_eq!(xtq(&["export", &dir, "--top", top, "-q"]).code, 0);
        let modules = exported(&dir);
        assert!(modules.len() >= least, "{top}: {}", modules.len());
        let wrong: Vec<String> = modules.iter().filter_map(wrong).collect();
        assert!(wrong.is_empty(), "{top}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn a_head_that_names_no_block_or_another_place_is_found() {
    let folder = Folder::new("export-wrong-heads");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "--top", "fifo", "-q"]).code, 0);
    let modules = exported(&dir);
    let top = modules.last().unwrap();
    assert_eq!(wrong(top), None);
    let place = "`Fifo` of rtl/src/leaf/fifo.rs:";
    assert!(top.text.contains(place), "{}", top.text);
    for (of, instead) in [
        ("// fifo: ", "// "),
        ("// fifo: `Fifo` of ", "// fifo: "),
        (place, "`Fifo` of rtl/src/leaf/ram.rs:"),
        (place, "`Fifo` of rtl/src/leaf/fifo.rs:1"),
        (place, "`Skid` of rtl/src/leaf/fifo.rs:"),
    ] {
        let text = top.text.replacen(of, instead, 1);
        let name = top.name.clone();
        assert!(wrong(&File { name, text }).is_some(), "{of}: {instead}");
    }
}
