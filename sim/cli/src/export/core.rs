//! The description for FuseSoC: files and targets. Each target is a flow of Edalize; `docs/fpga.md` says what each
//! does.

use super::Package;

/// Version of the core: that of the project.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The `.core` file.
pub fn core(package: &Package) -> String {
    let Package {
        top, title, build, ..
    } = package;
    let modules = package.modules.iter();
    let modules: String = modules.map(|m| format!("      - {}.v\n", m.name)).collect();
    // A title ends with a full stop; quotes are doubled in YAML.
    let how = match build.trim_start_matches(", ") {
        "" => String::new(),
        how => format!(" Built {how}."),
    };
    let instance = match package.instance() {
        text if text.is_empty() => text,
        text => format!(" Parameters: {text}."),
    };
    let title = format!("{title}{how}{instance}").replace('\'', "''");
    let nextpnr = format!(
        "--um5g-85k, --speed 8, --package CABGA756, --seed 1, --freq {}, --timing-allow-fail, --lpf-allow-unconstrained",
        package.megahertz
    );
    format!(
        "CAPI=2:
# {mark} {VERSION}; do not edit.
name: xtq:hardware:{top}:{VERSION}
description: '{title}'

filesets:
  rtl:
    file_type: verilogSource-2005
    files:
{modules}  bench:
    files:
      - sim/tb_{top}.v: {{file_type: verilogSource-2005}}
      # The test bench reads it by this name from the folder in which it runs.
      - sim/tb_{top}.hex: {{file_type: user, copyto: sim/tb_{top}.hex}}
  wrap:
    file_type: verilogSource-2005
    files: [pnr/wrap_{top}.v]
  xdc:
    files: [{top}.xdc: {{file_type: xdc}}]

targets:
  default:
    filesets: [rtl]
    toplevel: '{top}'

  lint:
    description: Verilator, all warnings
    flow: lint
    flow_options: {{tool: verilator, verilator_options: [-Wall]}}
    filesets: [rtl]
    toplevel: '{top}'

  sim:
    description: The test bench on Icarus Verilog
    flow: sim
    flow_options: {{tool: icarus, iverilog_options: [-g2005, -Wall], vvp_options: [-N]}}
    filesets: [rtl, bench]
    toplevel: tb_{top}

  sim_verilator:
    description: The test bench on Verilator
    flow: sim
    flow_options: {{tool: verilator, mode: binary, verilator_options: [--timing]}}
    filesets: [rtl, bench]
    toplevel: tb_{top}

  synth:
    description: Yosys for Lattice ECP5
    flow: generic
    flow_options: {{tool: yosys, arch: ecp5, output_format: json, yosys_synth_options: [-abc9]}}
    filesets: [rtl]
    toplevel: '{top}'

  synth_xilinx:
    description: Yosys for Xilinx UltraScale+
    flow: generic
    flow_options: {{tool: yosys, arch: xilinx, output_format: json, yosys_synth_options: [-family, xcup, -flatten, -nowidelut]}}
    filesets: [rtl, xdc]
    toplevel: '{top}'

  pnr:
    description: Yosys and nextpnr for Lattice ECP5 85k, the block between registers, so that its ports need no pins
    flow: generic
    flow_options:
      frontends: [yosys]
      tool: nextpnr
      arch: ecp5
      output_format: json
      yosys_synth_options: [-abc9]
      nextpnr_options: [{nextpnr}, --report report.json]
    filesets: [rtl, wrap]
    toplevel: wrap_{top}

  place:
    description: The same without routing, for blocks with which the router takes too long; placed.sdf has the delays as the placer estimates them
    flow: generic
    flow_options:
      frontends: [yosys]
      tool: nextpnr
      arch: ecp5
      output_format: json
      yosys_synth_options: [-abc9]
      nextpnr_options: [{nextpnr}, --no-route, --sdf placed.sdf]
    filesets: [rtl, wrap]
    toplevel: wrap_{top}
",
        mark = super::MARK,
    )
}
