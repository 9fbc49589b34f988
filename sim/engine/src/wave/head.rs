//! What the head of a file declares, whatever the format: scopes and variables.

use std::borrow::Cow;
use std::io;

use super::TOP;
use crate::base::{WaveVar, mask};

impl WaveVar {
    /// The same with names that every format and viewer takes.
    pub(super) fn readable(mut self) -> Self {
        let path: Vec<_> = self.path.split('.').map(readable).collect();
        self.path = path.join(".");
        self.variants.iter_mut().for_each(|n| *n = readable(n));
        self
    }

    /// Scope names and own name.
    fn place(&self) -> (Vec<&str>, &str) {
        let mut scopes: Vec<&str> = std::iter::once(TOP).chain(self.path.split('.')).collect();
        let name = scopes.pop().unwrap_or_default();
        (scopes, name)
    }

    /// Bits in the file: formats and viewers want one, if only a 0 (the only value of an enum with one).
    pub(super) fn bits(&self) -> usize {
        self.width.max(1)
    }

    /// Name of an enum's value; the number if it has none.
    pub(super) fn label(&self, value: u64) -> Cow<'_, str> {
        let name = usize::try_from(value)
            .ok()
            .and_then(|n| self.variants.get(n));
        match name {
            Some(name) => name.into(),
            None => value.to_string().into(),
        }
    }

    /// Bytes of the longest [`label`](Self::label); none if it is no enum.
    pub(super) fn longest_label(&self) -> Option<usize> {
        let names = self.variants.iter().map(String::len).max()?;
        let last = mask(self.width);
        Some(names.max(self.label(last).len()))
    }
}

/// A name of letters, digits, `_` and `$` only: blanks end a name in VCD, brackets and dots mean something to viewers.
/// A field whose name begins with `end` gets a `_` in front: readers of VCD end a declaration at `$end`, wherever it
/// stands.
fn readable(name: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name: String = (name.chars())
        .map(|c| if allowed(c) { c } else { '_' })
        .collect();
    let name = name.replace("$end", "$_end");
    match name.is_empty() {
        true => "_".into(),
        false => name,
    }
}

/// Where a format takes declarations.
pub(super) trait Head {
    /// Begins a scope.
    fn enter(&mut self, name: &str) -> io::Result<()>;
    /// Ends the scope that was begun last.
    fn leave(&mut self) -> io::Result<()>;
    /// Declares a variable in the open scope.
    fn var(&mut self, name: &str, var: &WaveVar) -> io::Result<()>;
}

/// Declares all variables, in this order, each in its scope.
pub(super) fn declare(head: &mut impl Head, vars: &[WaveVar]) -> io::Result<()> {
    let mut open = Vec::new();
    for var in vars {
        let (scopes, name) = var.place();
        let both = open.iter().zip(&scopes);
        let common = both.take_while(|(open, scope)| open == scope).count();
        open[common..].iter().try_for_each(|_| head.leave())?;
        scopes[common..]
            .iter()
            .try_for_each(|scope| head.enter(scope))?;
        head.var(name, var)?;
        open = scopes;
    }
    open.iter().try_for_each(|_| head.leave())
}
