//! What is wrong with a file, and where.

use super::place::Places;
use super::short::{cut_message, shortened};
use super::strict;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// Name of the file.
        file: String,
        /// Cause.
        source: std::io::Error,
    },
    /// The file can be read, but something in it is wrong.
    #[error(transparent)]
    Invalid(Box<Fault>),
}

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Not TOML.
    Syntax,
    /// A key that does not exist, or a value of the wrong type.
    Schema,
    /// A value that makes no sense.
    Value,
    /// A file that the scenario names.
    File,
    /// What is wrong with a case file.
    Case,
}

impl FaultKind {
    /// Code of the error, as `xtq` prints it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Syntax => "xtq::scenario::syntax",
            Self::Schema => "xtq::scenario::schema",
            Self::Value => "xtq::scenario::value",
            Self::File => "xtq::scenario::file",
            Self::Case => "xtq::cases",
        }
    }
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {}{message}", if key.is_empty() { String::new() } else { format!("{key}: ") })]
pub struct Fault {
    /// Kind.
    pub kind: FaultKind,
    /// Name of the file.
    pub file: String,
    /// Text of the file.
    pub text: Arc<str>,
    /// Bytes of `text` that are wrong.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The key, as `queues[0].base`; empty if the fault belongs to none.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// What to do about a text that is not TOML.
const NOT_TOML: &str = "the file is TOML: https://toml.io";

/// A fault of a key, before its place is known.
#[derive(Clone, Debug)]
pub(crate) struct KeyFault {
    pub(crate) kind: FaultKind,
    pub(crate) key: String,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl KeyFault {
    /// A text that is not TOML.
    pub(crate) fn syntax(key: impl Into<String>, message: impl Into<String>) -> Self {
        let kind = FaultKind::Syntax;
        Self {
            kind,
            ..Self::value(key, message).help(NOT_TOML)
        }
    }

    /// A value that makes no sense.
    pub(crate) fn value(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: FaultKind::Value,
            key: key.into(),
            message: message.into(),
            help: None,
        }
    }

    /// The same with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Fault {
    /// The fault of `key` in the text of `file`.
    pub(crate) fn of_key(file: &str, text: &str, fault: KeyFault) -> Self {
        let span = Places::of(text).of_key(&fault.key).unwrap_or(0..0);
        Self::at(file, &text.into(), span, fault)
    }

    /// A fault of the TOML reader.
    pub(crate) fn of_toml(
        file: &str,
        text: &str,
        kind: FaultKind,
        error: &toml::de::Error,
    ) -> Self {
        let span = error.span().unwrap_or(0..0);
        let key = Places::of(text).key_at(&span);
        let help = match kind {
            FaultKind::Syntax => NOT_TOML,
            _ => "`xtq run --print-schema` prints every key; docs/scenario.md explains them",
        };
        let fault = KeyFault {
            kind,
            key,
            message: strict::plain(error.message().trim_end(), strict::TABLE).replace('\n', "; "),
            help: Some(help.to_owned()),
        };
        Self::at(file, &text.into(), span, fault)
    }

    /// A fault at a place in the text of `file`.
    pub(crate) fn at(file: &str, text: &Arc<str>, span: Range<usize>, fault: KeyFault) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = span.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            kind: fault.kind,
            file: file.to_owned(),
            text: Arc::clone(text),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span: start..end,
            key: shortened(&fault.key).into_owned(),
            message: cut_message(&fault.message),
            help: fault.help,
        }
    }
}
