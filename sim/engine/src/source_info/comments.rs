//! Comments inside kernels, which rust-hdl's syntax tree does not have: found in the text, by the signal that is
//! assigned next.

use std::ops::RangeInclusive;

/// A comment inside a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelComment {
    /// The signal that is assigned next, `child$port` for a port of a child, without the indices of arrays.
    pub target: String,
    /// The lines.
    pub lines: Vec<String>,
}

impl KernelComment {
    /// Whether it stands before an assignment to `name`, in which elements of arrays have numbers: `lane$3$en`.
    pub fn is_about(&self, name: &str) -> bool {
        let parts = name
            .split('$')
            .filter(|part| part.parse::<usize>().is_err());
        let parts: Vec<&str> = parts.collect();
        let (name, target) = (parts.join("$"), &self.target);
        // A member of a bundle bears the name of the bundle.
        let flat = |(bundle, part): (&str, &str)| match part {
            "data" => name == bundle,
            // AXI4-Stream has `tvalid`.
            _ => name.strip_prefix(bundle).is_some_and(|rest| {
                let rest = rest.trim_start_matches('_');
                rest == part || rest.strip_prefix('t') == Some(part)
            }),
        };
        name == *target || target.rsplit_once('$').is_some_and(flat)
    }
}

/// Name of the block and lines of its kernel or of a part of it, counted from 1: what is in `impl Logic for Block`, or
/// in an `impl Block` with the attribute `#[kernel]`.
pub(super) fn kernel(item: &syn::Item) -> Option<(String, RangeInclusive<usize>)> {
    let syn::Item::Impl(item) = item else {
        return None;
    };
    let is_kernel = match &item.trait_ {
        Some((_, path, _)) => path.segments.last()?.ident == "Logic",
        None => (item.attrs.iter()).any(|attribute| attribute.path().is_ident("kernel")),
    };
    let syn::Type::Path(block) = item.self_ty.as_ref() else {
        return None;
    };
    let brace = item.brace_token.span;
    let lines = brace.open().start().line..=brace.close().start().line;
    is_kernel.then(|| {
        let block = block.path.segments.last();
        (
            block
                .map(|block| block.ident.to_string())
                .unwrap_or_default(),
            lines,
        )
    })
}

/// The comments in some lines of a file.
pub(super) fn comments(text: &str, lines: RangeInclusive<usize>) -> Vec<KernelComment> {
    let first = lines.start().saturating_sub(1);
    let count = lines.end().saturating_sub(first);
    let lines: Vec<&str> = text
        .lines()
        .skip(first)
        .take(count)
        .map(str::trim)
        .collect();
    let mut found = Vec::new();
    let mut comment: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // What a part is for stands before it as documentation.
        if let Some(text) = line.strip_prefix("///").or(line.strip_prefix("//")) {
            comment.push(text.strip_prefix(' ').unwrap_or(text).into());
        } else if !comment.is_empty() {
            let code = lines[at..].iter().filter(|line| !line.starts_with("//"));
            let lines = std::mem::take(&mut comment);
            found.extend(target(code).map(|target| KernelComment { target, lines }));
        }
    }
    found
}

/// What the first assignment in some lines is to.
fn target<'a>(mut lines: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    let path = lines.find_map(|line| match line.strip_prefix("connect!(") {
        Some(ways) => Some(ways.split_once("=> self.")?.1.split_once(')')?.0.to_owned() + ".data"),
        None => Some(
            line.split_once(".next")?
                .0
                .rsplit_once("self.")?
                .1
                .to_owned(),
        ),
    })?;
    let mut out = String::new();
    let mut depth = 0;
    for letter in path.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            '.' if depth == 0 => out.push('$'),
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_belongs_to_what_is_assigned_next() {
        let text = "
    fn update(&mut self) {
        // The lanes,
        // all of them.
        for i in 0..4 {
            self.lane[i].en.next = true;
        }
        self.a.next = 1.into(); // Not this.
        // Later.
        if self.x.val() {
            // Inside.
            self.record.next.kind = 0.into();
        }
        // A way.
        connect!(self.child.read => self.out);
        // After everything.
    }";
        let found = comments(text, 2..=17);
        let found: Vec<_> = found
            .iter()
            .map(|c| (c.target.as_str(), c.lines.join(" ")))
            .collect();
        let expected = [
            ("lane$en", "The lanes, all of them."),
            ("record", "Later."),
            ("record", "Inside."),
            ("out$data", "A way."),
        ];
        assert_eq!(
            found,
            expected.map(|(target, text)| (target, text.to_string()))
        );
    }

    #[test]
    fn what_a_part_is_for_belongs_to_what_it_assigns_first() {
        let text = "
#[kernel]
impl<const N: usize> Block<N> {
    /// The answer.
    pub(super) fn answer(&mut self) {
        if self.asked.val() {
            self.answer.next = true;
        }
    }
}";
        let file = syn::parse_file(text).expect("Rust");
        let (name, lines) = kernel(&file.items[0]).expect("a part");
        let found = comments(text, lines);
        let [comment] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            (name.as_str(), comment.target.as_str()),
            ("Block", "answer")
        );
        assert_eq!(comment.lines, ["The answer."]);
    }

    #[test]
    fn indices_do_not_count() {
        let target = "lane$en".into();
        let comment = KernelComment {
            target,
            lines: Vec::new(),
        };
        assert!(comment.is_about("lane$3$en") && comment.is_about("lane$en"));
        let target = "own$valid".into();
        let of_bundle = KernelComment {
            target,
            lines: Vec::new(),
        };
        assert!(of_bundle.is_about("own_valid") && !of_bundle.is_about("own"));
        assert!(of_bundle.is_about("own_tvalid"));
        assert!(!comment.is_about("lane$3") && !comment.is_about("lane$3$en$x"));
    }
}
