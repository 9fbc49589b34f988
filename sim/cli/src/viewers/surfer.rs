//! A command file of Surfer: dividers, signals, and the form of each that is not Surfer's own choice.
//!
//! Surfer names what a command is about by its place in the list, counted in the digits `a` to `p`; so first everything
//! is added, then formatted.

use super::layout::{Code, Format, Layout};
use super::stages::Form;
use super::{MARK, View, mapping_name};
use std::fmt::Write;

/// The text of the file.
pub fn command_file(layout: &Layout, view: &View) -> String {
    let mut text = format!("# {MARK}\n");
    let mut formats = Vec::new();
    let mut place = 0;
    for section in &layout.sections {
        if let Some(title) = &section.title {
            divider(&mut text, title);
            place += 1;
        }
        for group in &section.groups {
            divider(&mut text, group.name);
            place += 1;
            for trace in &group.traces {
                let _ = writeln!(text, "variable_add {}", trace.path);
                if let Some(format) = format(trace.format) {
                    formats.push((place, format));
                }
                place += 1;
            }
        }
    }
    for (place, format) in formats {
        let _ = writeln!(
            text,
            "item_focus {}_\nitem_set_format {format}",
            letters(place)
        );
    }
    text += "item_unfocus\n";
    if let Some((first, _)) = view.window {
        let _ = writeln!(text, "cursor_set {}", first * view.period_ps);
    }
    text
}

/// A divider; its name is one word.
fn divider(text: &mut String, name: &str) {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let _ = writeln!(text, "divider_add {}", words.join("_"));
}

/// The format of a signal; nothing where Surfer chooses it: bits, hexadecimal numbers, texts.
pub fn format(format: Format) -> Option<String> {
    match format {
        Format::As(Form::Binary | Form::Hex | Form::State) => None,
        Format::As(Form::Decimal) => Some("Unsigned".to_owned()),
        Format::As(Form::Name(module)) => Some(mapping_name(module)),
        Format::Ascii => Some("ASCII".to_owned()),
    }
}

/// A place in the list as Surfer writes it: hexadecimal, with `a` for 0.
fn letters(place: usize) -> String {
    let letter = |digit: char| digit.to_digit(16).map(|digit| b'a' + digit as u8);
    let digits = format!("{place:x}");
    digits.chars().filter_map(letter).map(char::from).collect()
}

/// A mapping file of a code. GTKWave reads it too: its lines are a value and a name, and no value is called `Name` or
/// `Bits`.
pub fn mapping(code: &Code) -> String {
    let mut text = format!(
        "# {MARK}\nName = {}\nBits = {}\n",
        mapping_name(code.module),
        code.bits
    );
    for (value, name) in &code.names {
        let _ = writeln!(text, "{value} {name}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn places_are_hexadecimal_in_letters() {
        let places = [0, 9, 10, 15, 16, 0x1af].map(letters);
        assert_eq!(places, ["a", "j", "k", "p", "ba", "bkp"]);
    }
}
