//! The clock, in the languages of three families of tools.

use super::Package;

/// Period in nanoseconds.
fn period(package: &Package) -> f64 {
    1000.0 / f64::from(package.megahertz)
}

/// A comment after the mark, and the lines for the clock.
fn with_clock(package: &Package, line: impl Fn(&str) -> String) -> String {
    let mark = format!("# {}: {} MHz.\n", super::MARK, package.megahertz);
    match package.clock() {
        Some(clock) => mark + &line(&clock.name),
        None => mark + "# The block has no clock.\n",
    }
}

/// Synopsys Design Constraints.
pub fn sdc(package: &Package) -> String {
    with_clock(package, |clock| {
        format!(
            "create_clock -name {clock} -period {:.3} [get_ports {{{clock}}}]\n",
            period(package)
        )
    })
}

/// Xilinx Design Constraints. No pins: the ports are to be connected inside a larger design.
pub fn xdc(package: &Package) -> String {
    sdc(package)
}

/// Lattice Preference File.
pub fn lpf(package: &Package) -> String {
    with_clock(package, |clock| {
        format!(
            "FREQUENCY PORT \"{clock}\" {:.3} MHZ;\n",
            f64::from(package.megahertz)
        )
    })
}
