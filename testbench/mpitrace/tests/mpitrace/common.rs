//! Where the small traces are.

use std::path::PathBuf;
use xtq_mpi_trace::{Trace, TraceError, read};

/// A file or folder of `tests/data`.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// A trace of `tests/data`.
pub fn trace(name: &str) -> Trace {
    read(&[data(name)], &|_, _| {}).unwrap()
}

/// What is made of these texts, as files of these names.
pub fn of_texts(files: &[(&str, &[u8])]) -> Result<Trace, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    read(&[folder.path().to_path_buf()], &|_, _| {})
}
