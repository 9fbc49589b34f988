//! Expressions in the texts of repeated tables: integers (`12`, `0x40`), names, `+ - * / % ^` and brackets. `%` is
//! never negative, `^` is a power and binds most, `/` rounds down.

use std::iter::Peekable;
use std::str::Chars;

use toml::Value;

use super::Names;

/// Deepest brackets.
const DEEPEST: usize = 50;

/// A text in which each `{...}` is replaced by its value; a number if it is nothing else. `{{` is a `{`. Errors: in
/// words.
pub(super) fn fill_in(text: &str, names: &Names) -> Result<Value, String> {
    let whole = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    if let Some(whole) = whole.filter(|inner| !inner.contains(['{', '}'])) {
        return Ok(Value::Integer(value(whole, names)?));
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        if let Some(after) = after.strip_prefix('{') {
            filled.push('{');
            rest = after;
            continue;
        }
        let (inner, after) = after
            .split_once('}')
            .ok_or_else(|| format!("'{{{after}' has no '}}'"))?;
        filled.push_str(&value(inner, names)?.to_string());
        rest = after;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

fn value(text: &str, names: &Names) -> Result<i64, String> {
    let mut reader = Reader {
        letters: text.chars().peekable(),
        names,
        depth: 0,
    };
    let value = reader.sum()?;
    match reader.next_letter() {
        None => Ok(value),
        Some(letter) => Err(format!("'{letter}' is too much in '{{{text}}}'")),
    }
}

struct Reader<'a> {
    letters: Peekable<Chars<'a>>,
    names: &'a Names,
    depth: usize,
}

impl Reader<'_> {
    /// The next letter that is no space; it is not taken.
    fn next_letter(&mut self) -> Option<char> {
        while self
            .letters
            .next_if(|letter| letter.is_whitespace())
            .is_some()
        {}
        self.letters.peek().copied()
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(sign @ ('+' | '-')) = self.next_letter() {
            self.letters.next();
            let other = self.product()?;
            value = counted(match sign {
                '+' => value.checked_add(other),
                _ => value.checked_sub(other),
            })?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.power()?;
        while let Some(sign @ ('*' | '/' | '%')) = self.next_letter() {
            self.letters.next();
            let other = self.power()?;
            if sign != '*' && other <= 0 {
                return Err(format!("{value} {sign} {other}: it must be more than 0"));
            }
            value = counted(match sign {
                '*' => value.checked_mul(other),
                '/' => value.checked_div_euclid(other),
                _ => value.checked_rem_euclid(other),
            })?;
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<i64, String> {
        let value = self.atom()?;
        if self.next_letter() != Some('^') {
            return Ok(value);
        }
        self.letters.next();
        let exponent = self.atom()?;
        let exponent = u32::try_from(exponent).map_err(|_| format!("'^ {exponent}'"))?;
        counted(value.checked_pow(exponent))
    }

    fn atom(&mut self) -> Result<i64, String> {
        match self.next_letter() {
            Some('(') => {
                self.letters.next();
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(format!("more than {DEEPEST} brackets in each other"));
                }
                let value = self.sum()?;
                self.depth -= 1;
                match self.next_letter() {
                    Some(')') => {
                        self.letters.next();
                        Ok(value)
                    }
                    _ => Err("a ')' is missing".to_owned()),
                }
            }
            Some(letter) if letter.is_ascii_alphanumeric() || letter == '_' => {
                let is_word = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
                let mut word = String::new();
                while let Some(letter) = self.letters.next_if(is_word) {
                    word.push(letter);
                }
                self.word(&word)
            }
            Some(letter) => Err(format!("'{letter}' where a number or a name is wanted")),
            None => Err("a number or a name is missing".to_owned()),
        }
    }

    fn word(&self, word: &str) -> Result<i64, String> {
        if !word.starts_with(|letter: char| letter.is_ascii_digit()) {
            let known = || self.names.keys().cloned().collect::<Vec<_>>().join(", ");
            let value = self.names.get(word).copied();
            return value.ok_or_else(|| format!("there is no '{word}' here; known: {}", known()));
        }
        let digits = word.replace('_', "");
        let number = match digits.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        number.map_err(|_| format!("'{word}' is no number"))
    }
}

fn counted(value: Option<i64>) -> Result<i64, String> {
    value.ok_or_else(|| "the value has more than 63 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::fill_in;
    use toml::Value;

    fn of(text: &str) -> Result<Value, String> {
        let names = [("rank".to_owned(), 5), ("k".to_owned(), 2)].into();
        fill_in(text, &names)
    }

    #[test]
    fn expressions_have_the_values_that_a_person_expects() {
        let values = [
            ("{rank}", 5),
            ("{ 1 + 2 * 3 }", 7),
            ("{(1 + 2) * 3}", 9),
            ("{(rank - 7) % 8}", 6),
            ("{rank + 2^k * 3}", 17),
            ("{7 / 2}", 3),
            ("{(0 - 7) / 2}", -4),
            ("{0x4000_0000 + rank * 64}", 0x4000_0140),
            ("{10 - 3 - 2}", 5),
        ];
        for (text, value) in values {
            assert_eq!(of(text), Ok(Value::Integer(value)), "{text}");
        }
        let texts = [
            ("p{rank}", "p5"),
            ("{rank}{k}", "52"),
            ("{{rank}", "{rank}"),
            ("x", "x"),
        ];
        for (text, filled) in texts {
            assert_eq!(of(text), Ok(Value::String(filled.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_in_words() {
        for text in [
            "{}",
            "{1 +}",
            "{1 2}",
            "{(1}",
            "{1)}",
            "{x}",
            "{0xg}",
            "{1 / 0}",
            "{1 % 0}",
            "{2 ^ 99}",
            "{9999999999999999999}",
            "a{rank",
            "{2 ^ (0 - 1)}",
            "{*}",
        ] {
            assert!(of(text).is_err(), "{text}: {:?}", of(text));
        }
        let deep = format!("{{{}1{}}}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(of(&deep).unwrap_err().contains("brackets"));
    }
}
