//! Models in a folder that stays: each is built again only when what it is made from is not the same any more.

use super::{BenchError, write_file};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A digest of what a model is made from: tools and options in words, and the contents of the files in `folder`.
/// Errors: a file cannot be read.
pub fn made_from(words: &[&str], folder: &Path, files: &[String]) -> Result<u64, BenchError> {
    let mut digest = DefaultHasher::new();
    words.hash(&mut digest);
    for file in files {
        let path = folder.join(file);
        let bytes = std::fs::read(&path)
            .map_err(|error| BenchError::new(&path.display().to_string(), error))?;
        (file, bytes).hash(&mut digest);
    }
    Ok(digest.finish())
}

/// What is kept beside a model that was built.
const NOTE: &str = "made-from";

/// Seconds that it took to build the model in this folder, if `program` is there and was made from this.
pub fn found(objects: &Path, program: &Path, made_from: u64) -> Option<f64> {
    let note = std::fs::read_to_string(objects.join(NOTE)).ok()?;
    let (digest, seconds) = note.trim_end().split_once(' ')?;
    let same = digest == format!("{made_from:016x}") && program.is_file();
    seconds.parse().ok().filter(|_| same)
}

/// Notes what the model in this folder was made from, and how many seconds it took: after it is whole. Errors: the note
/// cannot be written.
pub fn note(objects: &Path, made_from: u64, seconds: f64) -> Result<(), BenchError> {
    let text = format!("{made_from:016x} {seconds}\n");
    write_file(&objects.join(NOTE), text.as_bytes())
}

/// Forgets the note: what is in the folder is about to change. Errors: it is there and cannot be removed.
pub fn forget(objects: &Path) -> Result<(), BenchError> {
    let note = objects.join(NOTE);
    match std::fs::remove_file(&note) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(BenchError::file(&note, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{forget, found, made_from, note};

    #[test]
    fn a_model_is_found_only_while_all_that_it_is_made_from_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.v", "module a;");
        write("b.v", "module b;");
        let files = ["a.v".to_owned(), "b.v".to_owned()];
        let digest = |words: &[&str]| made_from(words, folder.path(), &files).unwrap();
        let first = digest(&["Verilator 5", "-O3"]);
        let program = folder.path().join("program");
        let here = || found(folder.path(), &program, first);
        assert_eq!(here(), None, "nothing is there");
        note(folder.path(), first, 1.5).unwrap();
        assert_eq!(here(), None, "the program is not there");
        write("program", "");
        assert_eq!(here(), Some(1.5));
        // Another tool, other options, a change that moves text from one file to the next.
        let mut others = vec![
            digest(&["Verilator 6", "-O3"]),
            digest(&["Verilator 5", "-O2"]),
        ];
        write("a.v", "module a;m");
        write("b.v", "odule b;");
        others.push(digest(&["Verilator 5", "-O3"]));
        for other in others {
            assert_eq!(found(folder.path(), &program, other), None);
        }
        forget(folder.path()).unwrap();
        assert_eq!(here(), None);
        forget(folder.path()).unwrap();
        assert!(made_from(&[], folder.path(), &["c.v".into()]).is_err());
    }
}
