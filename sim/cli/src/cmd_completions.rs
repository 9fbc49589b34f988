//! `xtq completions`: a completion script for a shell.

use crate::error::CliError;
use crate::output::Output;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  xtq completions bash > ~/.local/share/bash-completion/completions/xtq"
)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the script of the whole command line.
pub fn run(
    args: &CompletionsArgs,
    mut command: clap::Command,
    output: &mut Output,
) -> Result<bool, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "xtq", &mut script);
    output.stdout(&String::from_utf8_lossy(&script));
    Ok(true)
}
