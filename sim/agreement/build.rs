//! Writes the expression cases and the random blocks as Rust into `OUT_DIR`, each with its name.

#[path = "../engine/tests/engine/expressions/cases.rs"]
mod cases;

use std::error::Error;
use std::path::Path;

use xtq_engine::write_ahead;
use xtq_random_blocks::RandomTop;

/// Bytes of stack on which the random blocks are built.
const STACK_BYTES: usize = 64 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../engine/tests/engine/expressions/cases.rs");
    let (mut text, mut arms) = (String::new(), String::new());
    let mut add = |name: &str, code: String| {
        text += &code;
        arms += &format!("{name:?} => Some(&{}),\n", name.to_uppercase());
    };
    let cases = cases::all().into_iter().chain(cases::more());
    for case in cases.filter(|case| case.refused.is_none()) {
        let name = case.name.to_uppercase();
        add(
            case.name,
            write_ahead((case.block)().as_ref(), &name, None)?,
        );
    }
    let random = || write_ahead(&RandomTop::default(), "RANDOM_TOP", None);
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let random = thread.spawn(random)?.join();
    add(
        "random_top",
        random.map_err(|_| "the random blocks cannot be built")??,
    );
    text += &format!(
        "/// Generated code of a design.\n\
         pub fn ahead(name: &str) -> Option<&'static xtq_engine::Ahead> {{\nmatch name {{\n{arms}_ => None,\n}}\n}}\n"
    );
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    std::fs::write(Path::new(&folder).join("ahead.rs"), text)?;
    Ok(())
}
