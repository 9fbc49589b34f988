//! What only the source of a kernel shows: rust-hdl's syntax tree has lost it.
//!
//! **Idea.** The syntax tree drops match guards, `.index()`, and whether a name is a signal or something of Rust. So
//! the bodies of the kernels are read once more as text, with `syn`. No types are known: a rule is applied by the look
//! of an expression. Kernels that a macro makes are not seen.
//!
//! | rule | what is found |
//! |---|---|
//! | [`Rule::MatchGuard`] | `A if x => ...` |
//! | [`Rule::MatchOnBool`] | an arm `true` or `false` |
//! | [`Rule::MissingDefault`] | a match without `_` |
//! | [`Rule::IndexArithmetic`] | an operator beside `.index()` |
//! | [`Rule::UnknownName`] | a value that is neither `self.x`, a loop variable nor `Type::Variant`: a constant or const generic |

use std::fmt;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::base::Rule;
use crate::{Error, Result};

/// A violation of a rule in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFinding {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// The rule.
    pub rule: Rule,
    /// Name or operator.
    pub what: String,
    /// What is wrong, and what to do.
    pub detail: &'static str,
}

impl fmt::Display for SourceFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            rule,
            what,
            detail,
        } = self;
        write!(f, "{}: {file}:{line}: {what}: {detail}", rule.name())
    }
}

/// Checks the kernels in some files (name and text of each), sorted by place. Errors: a file is not Rust.
pub fn source_lint(files: &[(&str, &str)]) -> Result<Vec<SourceFinding>> {
    let mut findings = Vec::new();
    for (file, text) in files {
        let tree = syn::parse_file(text).map_err(|error| Error::Source {
            file: (*file).into(),
            line: error.span().start().line,
            reason: error.to_string(),
        })?;
        let mut kernels = Kernels {
            file,
            kernel: false,
            findings: &mut findings,
        };
        kernels.visit_file(&tree);
    }
    findings.sort();
    Ok(findings)
}

fn has_attribute(attributes: &[syn::Attribute], name: &str) -> bool {
    let is_called = |attribute: &syn::Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|segment| segment.ident == name)
    };
    attributes.iter().any(is_called)
}

/// Looks for kernels.
struct Kernels<'a> {
    file: &'a str,
    /// Whether the functions of this `impl` are kernels.
    kernel: bool,
    findings: &'a mut Vec<SourceFinding>,
}

impl<'ast> Visit<'ast> for Kernels<'_> {
    /// `#[kernel]` stands on the whole `impl Logic`.
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.kernel = has_attribute(&item.attrs, "kernel");
        visit::visit_item_impl(self, item);
        self.kernel = false;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if self.kernel || has_attribute(&function.attrs, "hdl_gen") {
            let mut kernel = Kernel {
                file: self.file,
                findings: self.findings,
                loops: Vec::new(),
            };
            kernel.visit_block(&function.block);
        }
    }
}

/// Inside a kernel.
struct Kernel<'a> {
    file: &'a str,
    findings: &'a mut Vec<SourceFinding>,
    /// Loop variables.
    loops: Vec<String>,
}

impl Kernel<'_> {
    fn report(&mut self, rule: Rule, place: &impl Spanned, what: &str, detail: &'static str) {
        self.findings.push(SourceFinding {
            file: self.file.into(),
            line: place.span().start().line,
            rule,
            what: what.into(),
            detail,
        });
    }

    fn unknown(&mut self, place: &impl Spanned, name: &str) {
        let detail = "is no signal and no variant; hold it in a field of type Constant";
        self.report(Rule::UnknownName, place, name, detail);
    }

    fn pattern(&mut self, pattern: &syn::Pat) {
        match pattern {
            syn::Pat::Lit(literal) => {
                if let syn::Lit::Bool(value) = &literal.lit {
                    let detail = "match on a bool; use `if`";
                    self.report(Rule::MatchOnBool, pattern, &value.value.to_string(), detail);
                }
            }
            syn::Pat::Ident(name) => self.unknown(pattern, &name.ident.to_string()),
            syn::Pat::Path(path) => self.path(&path.path),
            _ => {}
        }
    }

    fn path(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let known = match &names[..] {
            [name] => name == "self" || self.loops.contains(name),
            [.., of, name] => of != "Self" && is_variant(name),
            [] => true,
        };
        if !known {
            self.unknown(path, &names.join("::"));
        }
    }
}

/// Whether a name is written as variants are (`Idle`, not `DEPTH`).
fn is_variant(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && (name.len() == 1 || name.contains(char::is_lowercase))
}

/// Whether an operand is `x.index()`.
fn is_index(operand: &syn::Expr) -> bool {
    match operand {
        syn::Expr::Paren(inner) => is_index(&inner.expr),
        syn::Expr::MethodCall(call) => call.method == "index",
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Kernel<'_> {
    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        for arm in &choice.arms {
            if let Some((guard, _)) = &arm.guard {
                let detail = "the guard of an arm is lost in the hardware; use `if` in the arm";
                self.report(Rule::MatchGuard, guard, "if", detail);
            }
            self.pattern(&arm.pat);
        }
        let last = choice.arms.last().map(|arm| &arm.pat);
        if !matches!(last, Some(syn::Pat::Wild(_))) {
            let detail = "has no arm `_` at its end: a latch in Verilog";
            self.report(Rule::MissingDefault, choice, "match", detail);
        }
        self.visit_expr(&choice.expr);
        choice
            .arms
            .iter()
            .for_each(|arm| self.visit_expr(&arm.body));
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if is_index(&binary.left) || is_index(&binary.right) {
            let detail =
                "`.index()` is a usize in Rust and none in the hardware; compute in a Local first";
            self.report(Rule::IndexArithmetic, binary, "index", detail);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.path(&path.path);
    }

    // Functions are rust-hdl's, and it refuses others itself.
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        call.args
            .iter()
            .for_each(|argument| self.visit_expr(argument));
    }

    // Types between `::<` and `>` are Rust's own affair.
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        call.args
            .iter()
            .for_each(|argument| self.visit_expr(argument));
    }

    // So are bounds of loops.
    fn visit_expr_for_loop(&mut self, repeat: &'ast syn::ExprForLoop) {
        if let syn::Pat::Ident(name) = &*repeat.pat {
            self.loops.push(name.ident.to_string());
        }
        self.visit_block(&repeat.body);
        self.loops.pop();
    }

    // Comments and clocks.
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
}
