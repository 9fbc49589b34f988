//! The binary and a folder for each test.
#![allow(dead_code)] // each test file uses a part

pub mod child;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What `xtq` did.
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Checks the exit code, and that `part` was printed: in an error if the code is 2, else in the report.
    pub fn check(&self, code: i32, part: &str) {
        let said = match code {
            2 => &self.stderr,
            _ => &self.stdout,
        };
        assert_eq!(self.code, code, "{said}");
        assert!(said.contains(part), "{said}");
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `xtq` at the root of the repository.
pub fn xtq<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_xtq"))
        .args(arguments)
        .current_dir(root())
        .output();
    ran(output.unwrap())
}

/// Runs `xtq run` with its report on standard output: exit code and report.
pub fn report(arguments: &[&str]) -> (i32, Value) {
    let ran = xtq(&[&["run", "--json", "-"], arguments].concat());
    let report = serde_json::from_str(&ran.stdout);
    let report = report.unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr));
    (ran.code, report)
}

/// Texts of a finished process. A panic of `xtq` fails the test.
pub fn ran(output: Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    let code = output.status.code().unwrap();
    Ran {
        code,
        stdout,
        stderr,
    }
}

/// Makes a named pipe in a folder; its path.
pub fn named_pipe(folder: &Folder) -> String {
    let path = folder.path("pipe");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

/// A folder of its own for a test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("xtq-cli-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Path of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file in it; its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
