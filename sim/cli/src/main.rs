//! The program `xtq`.

use std::process::ExitCode;

fn main() -> ExitCode {
    xtq_cli::main()
}
