//! Signal names of kernels: `self.a[i + 1].d` arrives as `a[i+1]$d`.

use std::collections::HashMap;

/// Values of the loop variables.
pub(super) type Loops = HashMap<String, usize>;

/// What names a kernel may use in index positions.
pub(super) fn loop_value(text: &str, loops: &Loops) -> Option<usize> {
    loops.get(text.trim()).copied()
}

/// The symbol a name stands for: no `$next`, every index evaluated (`a$3$d`). `None`: an index cannot be evaluated.
pub(super) fn resolve(name: &str, loops: &Loops) -> Option<String> {
    let name = name.trim_start_matches('.').replace("::", "$");
    let name = name.replace('.', "$");
    let name = name.strip_suffix("$next").unwrap_or(&name);
    let mut out = String::new();
    let mut rest = name;
    while let Some(open) = rest.find('[') {
        let (before, inside) = rest.split_at(open);
        let close = matching(inside)?;
        out.push_str(before);
        out.push('$');
        out.push_str(&evaluate(&inside[1..close], loops)?.to_string());
        rest = &inside[close + 1..];
    }
    out.push_str(rest);
    Some(out)
}

/// Position of the bracket that closes the one at the start.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Value of an index: numbers, loop variables, `+ - * / %`, parentheses.
fn evaluate(text: &str, loops: &Loops) -> Option<usize> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        loops,
    };
    let value = parser.sum()?;
    parser.tokens.is_empty().then_some(value)
}

#[derive(Debug, PartialEq)]
enum Token {
    Number(usize),
    Word(String),
    Sign(char),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
        } else if c.is_alphanumeric() || c == '_' {
            let mut word = String::new();
            while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                word.push(c);
            }
            let digits = word.trim_end_matches("usize").replace('_', "");
            tokens.push(match digits.parse() {
                Ok(number) => Token::Number(number),
                Err(_) => Token::Word(word),
            });
        } else if "+-*/%()".contains(c) {
            tokens.push(Token::Sign(c));
            chars.next();
        } else {
            return None;
        }
    }
    Some(tokens)
}

struct Parser<'a> {
    tokens: &'a [Token],
    loops: &'a Loops,
}

impl Parser<'_> {
    fn take(&mut self, signs: &str) -> Option<char> {
        match self.tokens.split_first() {
            Some((Token::Sign(sign), rest)) if signs.contains(*sign) => {
                self.tokens = rest;
                Some(*sign)
            }
            _ => None,
        }
    }

    fn sum(&mut self) -> Option<usize> {
        let mut value = self.product()?;
        while let Some(sign) = self.take("+-") {
            let right = self.product()?;
            value = match sign {
                '+' => value.checked_add(right)?,
                _ => value.checked_sub(right)?,
            };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<usize> {
        let mut value = self.single()?;
        while let Some(sign) = self.take("*/%") {
            let right = self.single()?;
            value = match sign {
                '*' => value.checked_mul(right)?,
                '/' => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn single(&mut self) -> Option<usize> {
        if self.take("(").is_some() {
            let value = self.sum()?;
            return self.take(")").map(|_| value);
        }
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        match first {
            Token::Number(number) => Some(*number),
            Token::Word(word) => self.loops.get(word).copied(),
            Token::Sign(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_evaluated_with_the_loop_variables() {
        let loops = Loops::from([("i".into(), 3), ("j".into(), 2)]);
        let cases = [
            ("lane[i]$clk$next", Some("lane$3$clk")),
            ("lane[(i + 1) * j]$q", Some("lane$8$q")),
            ("grid[i][j - 2]$d", Some("grid$3$0$d")),
            (".bus.data", Some("bus$data")),
            ("State::Idle", Some("State$Idle")),
            ("lane[k]$clk", None),
            ("lane[j - i]$clk", None),
        ];
        for (name, expected) in cases {
            assert_eq!(resolve(name, &loops).as_deref(), expected, "{name}");
        }
    }
}
