//! The page beside the modules: what is there, how it is used, and every port.

use super::Package;
use std::fmt::Write;
use xtq_engine::Direction;
use xtq_engine::verilog::FILE_LIST;

/// The page.
pub fn readme(package: &Package) -> String {
    let Package {
        top,
        title,
        build,
        modules,
        ports,
        ..
    } = package;
    let mut page = format!(
        "<!-- {mark}; do not edit. -->\n# {top}\n\n{title} Built{how}: {count} modules, {pins} bits of ports. Verilog-2005, MIT OR Apache-2.0.\n\n{instance}\
         | file | what it is |\n|---|---|\n\
         | `*.v`, `{FILE_LIST}` | the modules, and their names, children before parents: `verilator -f {FILE_LIST}`, `iverilog -f {FILE_LIST}` |\n\
         | `{top}.core` | for FuseSoC: `fusesoc --cores-root . run --target lint xtq:hardware:{top}`; targets lint, sim, sim_verilator, synth, synth_xilinx, pnr, place |\n\
         | `{top}.sdc`, `{top}.xdc`, `{top}.lpf` | the clock, {mhz} MHz |\n\
         | `sim/tb_{top}.v`, `sim/tb_{top}.hex` | a test bench that checks itself: what the Rust blocks answered to random inputs |\n\
         | `pnr/wrap_{top}.v` | the block between registers, with three pins, for place and route by itself |\n",
        mark = super::MARK,
        instance = match package.instance() {
            text if text.is_empty() => text,
            text => format!("Parameters: {text}; the head of `{top}.v` says what they are.\n\n"),
        },
        how = if build.is_empty() {
            ""
        } else {
            build.trim_start_matches(',')
        },
        count = modules.len(),
        pins = package.pins(),
        mhz = package.megahertz,
    );
    if package.registers.is_some() {
        page += "| `registers.md`, `registers.h`, `registers.rdl` | the registers: for people, for C, and SystemRDL |\n";
    }
    // A string takes everything.
    let _ = write!(
        page,
        "\n## Simulation\n\nIn this folder; the code is 0 only if every output agrees in every cycle.\n\n```sh\n\
         iverilog -g2005 -o tb_{top}.vvp -f {FILE_LIST} sim/tb_{top}.v && vvp -N tb_{top}.vvp\n\
         verilator --binary --timing --top-module tb_{top} -f {FILE_LIST} sim/tb_{top}.v && obj_dir/Vtb_{top}\n```\n"
    );
    page += "\n## Ports\n\n| port | direction | bits | meaning |\n|---|---|---|---|\n";
    for port in *ports {
        let direction = match port.direction {
            Direction::In => "in",
            Direction::Out => "out",
        };
        let doc = port.doc.join(" ").replace('|', "\\|");
        let _ = writeln!(
            page,
            "| `{}` | {direction} | {} | {doc} |",
            port.name, port.width
        );
    }
    page
}
