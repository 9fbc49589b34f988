//! The lines around a fault, as they are shown: cut around the place, control characters escaped.

use crate::names;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::ops::Range;
use xtq_testbench::input::Fault;

/// Characters of a line that are shown.
const WIDTH: usize = 160;
/// How many of them stand before the place, if the line is longer.
const BEFORE: usize = 80;
/// Stands where a line was cut.
const CUT: char = '…';

/// The line of a fault with its neighbours.
#[derive(Debug)]
pub struct Excerpt {
    /// Name of the file.
    name: String,
    /// What is shown.
    text: String,
    /// Lines of the file before it.
    lines_before: usize,
    /// Lines of it.
    line_count: usize,
    /// What is marked of `text`.
    marked: Range<usize>,
    /// Line and column of the fault, from 0.
    place: (usize, usize),
}

impl Excerpt {
    /// The excerpt of a fault.
    pub fn new(fault: &Fault) -> Self {
        let (line, column) = (fault.line - 1, fault.column - 1);
        let lines_before = line.saturating_sub(1);
        let line_start = fault.text[..fault.span.start]
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let lines = fault.text.split('\n').skip(lines_before);
        let lines: Vec<&str> = lines.take(line - lines_before + 2).collect();
        let cut = window(lines[line - lines_before], column);
        let (mut text, mut marked) = (String::new(), 0..0);
        for (number, content) in lines.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            let start = text.len();
            let of_line = Line::new(content.strip_suffix('\r').unwrap_or(content), &cut);
            text.push_str(&of_line.text);
            if lines_before + number == line {
                let span = fault.span.start - line_start..fault.span.end - line_start;
                marked = start + of_line.place(span.start)..start + of_line.place(span.end);
            }
        }
        Self {
            name: names::line(&fault.file).into_owned(),
            text,
            lines_before,
            line_count: lines.len(),
            marked,
            place: (line, column),
        }
    }

    /// What is marked.
    pub fn marked(&self) -> SourceSpan {
        (self.marked.start, self.marked.len()).into()
    }
}

impl SourceCode for Excerpt {
    /// The whole excerpt; without context, as for the head line, only what is marked.
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (shown, line, column, lines) = match (before, after) {
            (0, 0) => (self.marked.clone(), self.place.0, self.place.1, 1),
            _ => (0..self.text.len(), self.lines_before, 0, self.line_count),
        };
        let span = (shown.start, shown.len()).into();
        let data = &self.text.as_bytes()[shown];
        let name = self.name.clone();
        Ok(Box::new(MietteSpanContents::new_named(
            name, data, span, line, column, lines,
        )))
    }
}

/// The characters of a line that are shown, if `column` is to be among them.
fn window(line: &str, column: usize) -> Range<usize> {
    let length = line.chars().count();
    let latest = length.saturating_sub(WIDTH);
    let start = column.saturating_sub(BEFORE).min(latest);
    start..start + WIDTH
}

/// A line as it is shown.
struct Line {
    text: String,
    /// Bytes of the file's line up to each character that is shown, and where it stands in `text`.
    places: Vec<(usize, usize)>,
}

impl Line {
    fn new(line: &str, window: &Range<usize>) -> Self {
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut characters = line.char_indices().skip(window.start);
        if window.start > 0 && !line.is_empty() {
            text.push(CUT);
        }
        for (place, character) in characters.by_ref().take(window.len()) {
            places.push((place, text.len()));
            text.push_str(&shown(character));
        }
        let rest = characters.next();
        places.push((rest.map_or(line.len(), |(place, _)| place), text.len()));
        if rest.is_some() {
            text.push(CUT);
        }
        Self { text, places }
    }

    /// Where a byte of the file's line stands in the text; the end, if it was cut away.
    fn place(&self, byte: usize) -> usize {
        let after = self.places.iter().find(|(place, _)| *place >= byte);
        after.or(self.places.last()).map_or(0, |(_, shown)| *shown)
    }
}

/// A tab is one blank; what a terminal would not show, or obey, is escaped.
fn shown(character: char) -> String {
    match character {
        '\t' => " ".to_owned(),
        _ => names::line(character.encode_utf8(&mut [0; 4])).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtq_testbench::input::InputError;
    use xtq_testbench::scenario::parse;

    /// The excerpt of what is wrong with a scenario, and what is marked in it.
    fn excerpt(scenario: &str) -> (Excerpt, String) {
        let fault = match parse("s.toml", scenario, std::path::Path::new(".")) {
            Err(InputError::Invalid(fault)) => fault,
            other => panic!("a fault was expected, not {other:?}"),
        };
        let excerpt = Excerpt::new(&fault);
        let marked = excerpt.text[excerpt.marked.clone()].to_owned();
        (excerpt, marked)
    }

    #[test]
    fn a_short_line_is_shown_whole_with_its_neighbours() {
        let (excerpt, marked) = excerpt("title = \"a\"\r\nnode = [1]\r\n\n# end");
        assert_eq!(excerpt.text, "title = \"a\"\nnode = [1]\n");
        assert_eq!((marked.as_str(), excerpt.place), ("[1]", (1, 7)));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let blanks = " ".repeat(9000);
        let (excerpt, marked) = excerpt(&format!(
            "node ={blanks}\"é\"{blanks}# end\ntitle = \"{blanks}{blanks}\""
        ));
        assert_eq!((marked.as_str(), excerpt.place), ("\"é\"", (0, 9006)));
        let lines: Vec<&str> = excerpt.text.split('\n').collect();
        assert_eq!(lines.len(), 2);
        for line in lines {
            assert!(line.starts_with(CUT) && line.ends_with(CUT), "{line}");
            assert_eq!(line.chars().count(), WIDTH + 2);
        }
    }

    #[test]
    fn a_mark_longer_than_the_excerpt_ends_with_it() {
        let digits = "1, ".repeat(9000);
        let (excerpt, marked) = excerpt(&format!("node = [{digits}]"));
        assert!(excerpt.text.ends_with(&format!("{marked}{CUT}")));
        assert_eq!(marked.chars().count(), WIDTH - 7);
    }

    #[test]
    fn a_mark_of_several_lines_ends_with_the_first() {
        let (excerpt, marked) = excerpt("node = [\n1,\n2,\n3]\n");
        assert_eq!((marked.as_str(), excerpt.line_count), ("[", 2));
    }

    #[test]
    fn control_characters_are_escaped_and_the_mark_stays_right() {
        let (excerpt, marked) = excerpt("\"\u{202e}\u{200b}\" = { node\u{7f}= 1 }");
        assert!(
            !excerpt.text.contains(['\u{202e}', '\u{7f}']),
            "{excerpt:?}"
        );
        assert!(
            excerpt
                .text
                .starts_with("\"\\u{202e}\\u{200b}\" = { node\\u{7f}")
        );
        assert!("\\u{7f}".starts_with(&marked), "{marked}");
    }

    #[test]
    fn a_fault_at_the_end_of_the_file_is_shown() {
        let (excerpt, _) = excerpt("title = \"a\"\nnode =");
        assert_eq!(excerpt.line_count, 2);
        let (excerpt, _) = self::excerpt("");
        assert_eq!((excerpt.line_count, excerpt.place), (1, (0, 0)));
    }
}
