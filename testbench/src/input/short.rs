//! Texts of errors that repeat what stands in a file, cut to what a person reads.

use std::borrow::Cow;

/// Characters of a key, or of what is reported of a value, that are shown.
const SHOWN: usize = 200;
/// Characters that are shown of what was expected; the names that a type knows are many.
const EXPECTED: usize = 1000;

/// A text without its middle, if it is very long.
pub fn shortened(text: &str) -> Cow<'_, str> {
    cut(text, SHOWN)
}

/// What is wrong: what stands in the file is cut, numbers are short, and what was expected is there.
pub(crate) fn cut_message(text: &str) -> String {
    let text = with_exponents(text);
    let (found, expected) = match text.rfind(", expected ") {
        Some(place) => text.split_at(place),
        None => (&*text, ""),
    };
    format!("{}{}", cut(found, SHOWN), cut(expected, EXPECTED))
}

fn cut(text: &str, shown: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= shown + 1 {
        return text.into();
    }
    let start: String = text.chars().take(shown / 2).collect();
    let end: String = text.chars().skip(length - shown / 2).collect();
    format!("{start}…{end}").into()
}

/// A number with a point is written by serde with all its digits; here it has an exponent where it is very large or
/// small.
fn with_exponents(text: &str) -> Cow<'_, str> {
    const BEFORE: &str = "floating point `";
    let number = text.split_once(BEFORE).and_then(|(before, rest)| {
        let (digits, after) = rest.split_once('`')?;
        let number: f64 = digits.parse().ok()?;
        Some(format!("{before}{BEFORE}{number:?}`{after}"))
    });
    number.map_or(text.into(), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::{cut_message, shortened};

    #[test]
    fn a_long_text_loses_its_middle_and_a_short_one_stays() {
        let exact = "é".repeat(201);
        assert_eq!(shortened(&exact), exact);
        let long = format!("{}b", "a".repeat(300_000));
        let cut = shortened(&long);
        assert_eq!(cut.chars().count(), 201);
        assert!(cut.ends_with("ab"));
    }

    #[test]
    fn what_was_expected_stays_whatever_was_found() {
        let names = "`none`, ".repeat(60);
        let text = format!(
            "unknown variant `{}`, expected one of {names}",
            "x".repeat(300_000)
        );
        let short = cut_message(&text);
        assert!(
            short.ends_with(&format!("x`, expected one of {names}")),
            "{short}"
        );
        assert!(short.chars().count() < 900);
    }

    #[test]
    fn a_number_of_many_digits_gets_an_exponent() {
        let text = format!(
            "invalid type: floating point `1{}.0`, expected u32",
            "0".repeat(300)
        );
        assert_eq!(
            cut_message(&text),
            "invalid type: floating point `1e300`, expected u32"
        );
    }
}
