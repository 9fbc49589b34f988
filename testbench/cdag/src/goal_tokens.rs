//! The words and signs of GOAL text.

use thiserror::Error;

/// What is wrong with a GOAL file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct GoalError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// A word or a sign, with its line.
type Token<'a> = (usize, &'a str);

/// Spaces in the place of comments, so that lines stay. Errors: one has no end.
pub(crate) fn without_comments(text: &str) -> Result<String, GoalError> {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        clean.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n').unwrap_or(comment.len()),
            Some(b'*') => match comment[2..].find("*/") {
                Some(end) => end + 4,
                None => {
                    return Err(GoalError {
                        line: clean.matches('\n').count() + 1,
                        what: "the comment that begins here has no end".to_owned(),
                    });
                }
            },
            _ => {
                clean.push('/');
                rest = &comment[1..];
                continue;
            }
        };
        clean.extend(
            comment[..end]
                .chars()
                .map(|c| if c == '\n' { '\n' } else { ' ' }),
        );
        rest = &comment[end..];
    }
    clean.push_str(rest);
    Ok(clean)
}

/// The words and signs of a file.
pub(crate) struct Tokens<'a> {
    all: Vec<Token<'a>>,
    next: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            for word in line.split_whitespace() {
                let mut rest = word;
                while let Some(at) = rest.find([':', '{', '}']) {
                    let signs = [&rest[..at], &rest[at..at + 1]];
                    all.extend(
                        signs
                            .into_iter()
                            .filter(|sign| !sign.is_empty())
                            .map(|sign| (number + 1, sign)),
                    );
                    rest = &rest[at + 1..];
                }
                if !rest.is_empty() {
                    all.push((number + 1, rest));
                }
            }
        }
        Self { all, next: 0 }
    }

    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.all.get(self.next).copied()
    }

    pub(crate) fn next(&mut self, wanted: &str) -> Result<Token<'a>, GoalError> {
        let token = self
            .peek()
            .ok_or_else(|| self.fault(format!("the file ends, {wanted} is missing")))?;
        self.next += 1;
        Ok(token)
    }

    pub(crate) fn expect(&mut self, wanted: &str) -> Result<(), GoalError> {
        let (line, word) = self.next(wanted)?;
        match word == wanted {
            true => Ok(()),
            false => Err(GoalError {
                line,
                what: format!("'{word}' is not {wanted}"),
            }),
        }
    }

    pub(crate) fn number(&mut self, wanted: &str) -> Result<u64, GoalError> {
        let (line, word) = self.next(wanted)?;
        word.parse().map_err(|_| GoalError {
            line,
            what: format!("'{word}' is not {wanted}"),
        })
    }

    /// Bytes, as `64b`.
    pub(crate) fn size(&mut self) -> Result<u64, GoalError> {
        let (line, word) = self.next("a size")?;
        let digits = word.strip_suffix('b').unwrap_or(word);
        digits.parse().map_err(|_| GoalError {
            line,
            what: format!("'{word}' is not a size, as 64b"),
        })
    }

    /// The rank that a receive is from; -1 is any.
    pub(crate) fn source(&mut self) -> Result<Option<u64>, GoalError> {
        match self.peek() {
            Some((_, "-1")) => self.next("a rank").map(|_| None),
            _ => self.number("a rank, or -1 for any").map(Some),
        }
    }

    /// A tag, if there is one; -1 is any.
    pub(crate) fn tag(&mut self) -> Result<Option<u32>, GoalError> {
        if !matches!(self.peek(), Some((_, "tag"))) {
            return Ok(Some(0));
        }
        self.expect("tag")?;
        let (line, word) = self.next("a tag")?;
        match word {
            "-1" => Ok(None),
            word => word.parse().map(Some).map_err(|_| GoalError {
                line,
                what: format!("'{word}' is not a tag"),
            }),
        }
    }

    /// At the last token that was taken.
    pub(crate) fn fault(&self, what: String) -> GoalError {
        let last = self
            .next
            .saturating_sub(1)
            .min(self.all.len().saturating_sub(1));
        GoalError {
            line: self.all.get(last).map_or(1, |token| token.0),
            what,
        }
    }
}
