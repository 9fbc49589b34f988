//! Names and texts of files in what is printed for people: a control character in one is shown by its number, so that
//! it can neither move the cursor nor break a line.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;
use unicode_width::UnicodeWidthStr;

/// Characters that do something else than to be seen: controls, ends of lines, directions of writing, characters
/// without a width, and the blank of Braille.
macro_rules! hidden {
    () => {
        r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x{2800}]"
    };
}

static HIDDEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(hidden!()).unwrap());
/// In a text of several lines.
static HIDDEN_IN_LINES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(concat!("[", hidden!(), r"--[\n\t]]")).unwrap());

/// The text on one line, control characters as `\u{..}`.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, &HIDDEN)
}

/// The text of several lines, which tools and the engine make: all but the ends of its lines, and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, &HIDDEN_IN_LINES)
}

/// The text of [`line`], filled up with blanks to a width on the screen.
pub fn padded(text: &str, width: usize, to_the_right: bool) -> String {
    let text = line(text);
    let blanks = " ".repeat(width.saturating_sub(self::width(&text)));
    match to_the_right {
        true => blanks + &text,
        false => text.into_owned() + &blanks,
    }
}

/// Columns of the screen that the text of [`line`] takes.
pub fn width(text: &str) -> usize {
    line(text).width()
}

fn escape<'t>(text: &'t str, hidden: &Regex) -> Cow<'t, str> {
    hidden.replace_all(text, |found: &Captures<'_>| {
        found[0].escape_unicode().to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // martinus/oans#202, eminwux/sbsh#390
    #[test]
    fn control_characters_are_shown_by_their_number() {
        for (text, shown) in [
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\nb\tc\rd", "a\\u{a}b\\u{9}c\\u{d}d"),
            ("\u{7f}\u{9b}31m", "\\u{7f}\\u{9b}31m"),
            ("\u{202e}x\u{2066}", "\\u{202e}x\\u{2066}"),
            (
                "\u{2028}\u{2029}\u{200b}\u{feff}",
                "\\u{2028}\\u{2029}\\u{200b}\\u{feff}",
            ),
            (
                "nœud 📦 العربية 受信者 e\u{301}",
                "nœud 📦 العربية 受信者 e\u{301}",
            ),
        ] {
            assert_eq!(line(text), shown);
        }
        assert_eq!(lines("a\n\tb\u{1b}"), "a\n\tb\\u{1b}");
    }

    #[test]
    fn a_cell_is_filled_up_by_its_width_on_the_screen() {
        assert_eq!(padded("受信", 6, false), "受信  ");
        assert_eq!(padded("📦", 4, true), "  📦");
        assert_eq!(padded("e\u{301}", 2, false), "e\u{301} ");
        assert_eq!(padded("\n", 6, false), "\\u{a} ");
    }

    /// What is hidden, but for Cc, by hand from the files of Unicode 16.
    const UNSEEN: [std::ops::RangeInclusive<char>; 26] = [
        '\u{ad}'..='\u{ad}',
        '\u{34f}'..='\u{34f}',
        '\u{600}'..='\u{605}',
        '\u{61c}'..='\u{61c}',
        '\u{6dd}'..='\u{6dd}',
        '\u{70f}'..='\u{70f}',
        '\u{890}'..='\u{891}',
        '\u{8e2}'..='\u{8e2}',
        '\u{115f}'..='\u{1160}',
        '\u{17b4}'..='\u{17b5}',
        '\u{180b}'..='\u{180f}',
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{2800}'..='\u{2800}',
        '\u{3164}'..='\u{3164}',
        '\u{fe00}'..='\u{fe0f}',
        '\u{feff}'..='\u{feff}',
        '\u{ffa0}'..='\u{ffa0}',
        '\u{fff0}'..='\u{fffb}',
        '\u{110bd}'..='\u{110bd}',
        '\u{110cd}'..='\u{110cd}',
        '\u{13430}'..='\u{1343f}',
        '\u{1bca0}'..='\u{1bca3}',
        '\u{1d173}'..='\u{1d17a}',
        '\u{e0000}'..='\u{e0fff}',
    ];

    // martinus/oans#202
    #[test]
    fn no_character_ends_the_line_or_is_unseen() {
        let is_unseen = |c: char| c.is_control() || UNSEEN.iter().any(|range| range.contains(&c));
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let shown = line(&text);
            assert!(!shown.contains(is_unseen), "{c:?}");
            assert_eq!(shown == text, !is_unseen(c), "{c:?}");
            assert_eq!(shown.lines().count(), 1, "{c:?}");
        }
    }
}
