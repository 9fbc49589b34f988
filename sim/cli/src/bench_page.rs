//! The page of the book that has the tables of `xtq bench`.

use crate::bench::contract;
use crate::error::CliError;
use crate::output::write_file;
use std::path::Path;
use xtq_testbench::contract::Figure;
use xtq_testbench::input::utf8;

/// Marks in a Markdown file: of the engines' table.
pub const MARKS: Marks = ["<!-- bench -->\n", "<!-- end of bench -->\n"];
/// Of the contract's.
pub const CONTRACT_MARKS: Marks = ["<!-- contract -->\n", "<!-- end of contract -->\n"];

/// Of the clusters'.
pub const CLUSTER_MARKS: Marks = ["<!-- cluster -->\n", "<!-- end of cluster -->\n"];

/// What stands before and after a table.
pub type Marks = [&'static str; 2];

/// Puts the tables into the page, unless the engines disagree: then it keeps what it has.
pub fn keep(
    page: Option<Page>,
    figures: &[Figure],
    engines: Option<(bool, &str)>,
) -> Result<(), CliError> {
    let Some(mut page) = page else {
        return Ok(());
    };
    match engines {
        Some((false, _)) => return Ok(()),
        Some((true, table)) => page.put(MARKS, table),
        None => {}
    }
    page.put(CONTRACT_MARKS, &contract::markdown(figures));
    page.write()
}

/// A Markdown file with marks for tables.
pub struct Page<'a> {
    file: &'a Path,
    text: String,
}

impl<'a> Page<'a> {
    /// Reads it. Errors: it cannot be read, it has not these marks.
    pub fn read(file: &'a Path, marks: Marks) -> Result<Self, CliError> {
        let name = file.display().to_string();
        let text = utf8::read(file).map_err(|source| CliError::Read {
            file: name.clone(),
            source,
        })?;
        if parts(&text, marks).is_none() {
            return Err(CliError::Usage {
                argument: name,
                message: "has no marks for the table".into(),
                help: format!(
                    "it needs the lines `{}` and `{}`",
                    marks[0].trim_end(),
                    marks[1].trim_end()
                ),
            });
        }
        Ok(Self { file, text })
    }

    /// Puts the table between the marks, if there are these.
    pub fn put(&mut self, marks: Marks, table: &str) {
        if let Some((before, after)) = parts(&self.text, marks) {
            let [begin, end] = marks;
            self.text = format!("{before}{begin}\n{table}\n{end}{after}");
        }
    }

    pub fn write(&self) -> Result<(), CliError> {
        write_file(self.file, self.text.as_bytes())
    }
}

/// What stands before and after the marks.
fn parts(text: &str, [begin, end]: Marks) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_keeps_what_it_has_if_the_engines_disagree() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.md");
        let marked = |[begin, end]: Marks| format!("{begin}old\n{end}");
        let old = format!("a\n{}b\n{}c\n", marked(CONTRACT_MARKS), marked(MARKS));
        let page = |marks| {
            std::fs::write(&file, &old).unwrap();
            Some(Page::read(&file, marks).unwrap())
        };
        let text = || std::fs::read_to_string(&file).unwrap();
        keep(page(MARKS), &[], Some((false, "new\n"))).unwrap();
        assert_eq!(text(), old);
        keep(page(MARKS), &[], Some((true, "new\n"))).unwrap();
        assert!(!text().contains("old") && text().contains("new"));
        keep(page(CONTRACT_MARKS), &[], None).unwrap();
        assert_eq!(text().matches("old").count(), 1);
        assert!(text().starts_with("a\n<!-- contract -->\n\n| contract"));
        assert!(text().ends_with("b\n<!-- bench -->\nold\n<!-- end of bench -->\nc\n"));
    }
}
