//! Tools, a folder for them, and a process that is asked and answers.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// A failure of `tool`.
fn failure(tool: &str, output: impl ToString) -> Error {
    Error::Tool {
        tool: tool.into(),
        output: output.to_string(),
    }
}

/// Why `tool` did not start.
fn not_started(tool: &str, error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::NoTool(tool.into()),
        _ => failure(tool, error),
    }
}

/// Writes a file into a folder.
pub(super) fn file(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|error| failure(&path.display().to_string(), error))
}

/// A tool in a folder, in which it keeps its temporary files, too: it would look for a relative TMPDIR there, and
/// Icarus gives that name to a shell.
fn command(tool: &str, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(tool);
    command.args(arguments).current_dir(folder);
    if folder.is_absolute() {
        command.env("TMPDIR", folder);
    }
    command
}

/// Runs a tool in a folder to its end. Errors: with what it printed.
pub(super) fn run(tool: &str, arguments: &[&str], folder: &Path) -> Result<()> {
    let output = command(tool, arguments, folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(tool, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&output.stdout) + &text(&output.stderr);
    Err(failure(tool, format!("{}\n{printed}", output.status)))
}

/// The folder for temporary files of the tools: that of the system, or `/tmp` if they could not work there. Errors: nor
/// there.
pub fn build_place() -> Result<PathBuf> {
    let first = match can_build(&std::env::temp_dir()) {
        Ok(place) => return Ok(place),
        Err(first) => first,
    };
    // What is wrong with the folder that the user has chosen is reported.
    can_build(Path::new("/tmp")).map_err(|_| first)
}

/// The full path of a folder that is there, in which the tools can work. Errors: it is not there; its path has a
/// character that make (a blank) or the shell of Icarus takes for something else.
pub fn can_build(folder: &Path) -> Result<PathBuf> {
    let told = |reason: String| failure("the folder for what is built", reason);
    // make looks at the path without links.
    let full = std::fs::canonicalize(folder);
    let full = full.map_err(|error| told(format!("{}: {error}", folder.display())))?;
    let text = full.to_string_lossy();
    match text
        .chars()
        .find(|c| c.is_whitespace() || "$\"`\\".contains(*c))
    {
        None => Ok(full),
        Some(wrong) => Err(told(format!(
            "{text:?} has {} in its path, where the tools cannot build; choose another folder (TMPDIR, or --folder of `xtq bench`)",
            match wrong {
                wrong if wrong.is_whitespace() => "a blank".to_owned(),
                wrong => format!("'{wrong}'"),
            }
        ))),
    }
}

/// A folder that is removed at the end.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Self> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let name = format!("xtq-cosim-{}-{call}", std::process::id());
        let path = build_place()?.join(name);
        std::fs::create_dir_all(&path)
            .map_err(|error| failure(&path.display().to_string(), error))?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that answers each line with a line.
pub(super) struct Process {
    tool: String,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Process {
    pub(super) fn start(tool: &str, arguments: &[&str], folder: &Path) -> Result<Self> {
        let mut child = command(tool, arguments, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| not_started(tool, &error))?;
        let (orders, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(orders), Some(answers)) = (orders, answers) else {
            return Err(failure(tool, "has no standard input or output"));
        };
        Ok(Self {
            tool: tool.into(),
            child,
            orders,
            answers: BufReader::new(answers),
        })
    }

    /// The answer to an order. Errors: the process has ended.
    pub(super) fn ask(&mut self, order: &str) -> Result<String> {
        let ended = |error: std::io::Error| failure(&self.tool, error);
        writeln!(self.orders, "{order}").map_err(ended)?;
        self.orders.flush().map_err(ended)?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.answers.read_line(&mut line).map_err(ended)? == 0 {
                return Err(failure(&self.tool, format!("ended at the order '{order}'")));
            }
            // What a simulator has to say besides is not for us.
            if let Some(answer) = line.strip_prefix('=') {
                return Ok(answer.into());
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A hexadecimal number as `width` bits in words; none if a digit is unknown.
pub(super) fn words(text: &str, width: usize) -> Option<Vec<u64>> {
    let chunks = text.as_bytes().rchunks(16);
    let word = |chunk| u64::from_str_radix(std::str::from_utf8(chunk).ok()?, 16).ok();
    let mut words = chunks.map(word).collect::<Option<Vec<_>>>()?;
    let known = !words.is_empty();
    words.resize(width.div_ceil(64), 0);
    known.then_some(words)
}

/// Words as a hexadecimal number, without a prefix.
pub(super) fn hex(words: &[u64]) -> String {
    let digits = words.iter().rev().map(|word| format!("{word:016x}"));
    match words.is_empty() {
        true => "0".into(),
        false => digits.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{hex, words};

    #[test]
    fn numbers_survive_the_way_there_and_back() {
        let value = vec![0x0123_4567_89ab_cdef, 5];
        assert_eq!(words(&hex(&value), 67), Some(value));
        assert_eq!(words("1f", 5), Some(vec![0x1f]));
        assert_eq!(words("1x", 5), None);
        assert_eq!(words("", 5), None);
    }
}
