//! Names and texts of files in what is printed for people: a control character in one is shown by its number, so that it can neither move the cursor nor break a line.

use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// The text on one line, control characters as `\u{..}`.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden)
}

/// The text of several lines, which tools and the engine make: all but the ends of its lines, and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| !matches!(c, '\n' | '\t') && is_hidden(c))
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

fn escape(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.chars() {
        match is_hidden(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether a character does something else than to be seen: controls, ends of lines, directions of writing, characters without a width, invisible operators, tags.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
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

    #[test]
    fn no_character_ends_the_line_or_is_unseen() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let shown = line(&text);
            assert!(
                !shown.chars().any(|c| c.is_control() || is_hidden(c)),
                "{c:?}"
            );
            assert_eq!(shown.lines().count(), 1, "{c:?}");
        }
    }
}
