//! A kernel's syntax tree as a text, a token a line, in prefix order.

use std::fmt::Write;

mod expression;

use proc_macro2::{TokenStream as Tokens, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Block, Expr, ExprCall, ExprIf, Ident, Member, Pat, RangeLimits, Stmt};

use super::parts;

/// The text being written.
#[derive(Default)]
struct Text {
    text: String,
    /// Expressions of what only the compiler knows, each once; of type usize.
    numbers: Vec<Tokens>,
    /// Expressions of the links of joins, in order.
    links: Vec<Tokens>,
    /// Expressions of the trees of parts, in order.
    parts: Vec<Tokens>,
    /// Names of the loops' indices that are open.
    indices: Vec<Ident>,
}

/// The expression that reads the tree of a kernel again.
pub fn tree(block: &Block) -> syn::Result<Tokens> {
    // The tree would keep what `#[cfg]` takes out.
    if let Some(mark) = find(
        block.to_token_stream(),
        &|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '#'),
    ) {
        return refused(&mark, "a kernel has no attributes in it");
    }
    let mut text = Text::default();
    text.block(block)?;
    let Text {
        text,
        numbers,
        links,
        parts,
        ..
    } = text;
    let links = quote!(::std::vec![#(#links),*]);
    Ok(quote!(::xtq_kernel::read(#text, &[#(#numbers),*], #links, ::std::vec![#(#parts),*])))
}

fn refused<T>(at: &impl ToTokens, message: &str) -> syn::Result<T> {
    Err(syn::Error::new_spanned(at, message))
}

/// The first token of a kind, however deep.
fn find(tokens: Tokens, wanted: &impl Fn(&TokenTree) -> bool) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => find(group.stream(), wanted),
        token => wanted(&token).then_some(token),
    })
}

/// What stands after `&mut`, in a block that is called `block`.
fn place(side: &Expr) -> Tokens {
    let Expr::Reference(side) = side else {
        return quote!(#side);
    };
    renamed(side.expr.to_token_stream())
}

/// With `block` for `self`.
fn renamed(tokens: Tokens) -> Tokens {
    let token = |token: TokenTree| match token {
        TokenTree::Ident(word) if word == "self" => format_ident!("block").to_token_stream(),
        TokenTree::Group(group) => {
            let inside = renamed(group.stream());
            TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inside)).into()
        }
        token => token.into(),
    };
    tokens.into_iter().map(token).collect()
}

/// A place as rust-hdl calls the signal: without `self.`, `$` for `.` and `::`.
fn name(at: &impl ToTokens) -> String {
    let name = at.to_token_stream().to_string();
    let name: String = name.split_whitespace().collect();
    name.replace("self.", "")
        .replace('.', "$")
        .replace("::", "$")
        .replace("&mut", "")
}

/// The two sides of a call `Type::join(a, b)`, `Type::link(a, b)` or `Connect::flow(a, b)`, and which it is.
pub fn join(call: &ExprCall) -> Option<(&'static str, [&Expr; 2])> {
    let Expr::Path(path) = call.func.as_ref() else {
        return None;
    };
    let last = path.path.segments.last()?;
    let name = ["join", "link", "flow"]
        .into_iter()
        .find(|name| last.ident == name)?;
    (path.path.segments.len() > 1 && call.args.len() == 2)
        .then(|| (name, [&call.args[0], &call.args[1]]))
}

impl Text {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// A number of type usize: its digits if they stand there, or the position of its expression.
    fn number(&mut self, number: Tokens) {
        let text = number.to_string();
        if let Ok(value) = text.trim_end_matches("usize").parse::<usize>() {
            return self.line(&value.to_string());
        }
        let known = self
            .numbers
            .iter()
            .position(|known| known.to_string() == text);
        let position = known.unwrap_or_else(|| {
            self.numbers.push(number);
            self.numbers.len() - 1
        });
        let _ = writeln!(self.text, "${position}");
    }

    fn block(&mut self, block: &Block) -> syn::Result<()> {
        self.line(&block.stmts.len().to_string());
        for statement in &block.stmts {
            match statement {
                Stmt::Expr(expression, _) => self.statement(expression)?,
                _ => return refused(statement, "a kernel has no definitions, items or macros"),
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Expr) -> syn::Result<()> {
        match statement {
            Expr::Assign(assign) => self.assignment(&assign.left, &assign.right),
            Expr::If(conditional) => {
                self.line("if");
                self.conditional(conditional)
            }
            Expr::Match(choice) => {
                self.line("match");
                self.expression(&choice.expr)?;
                self.line(&choice.arms.len().to_string());
                for arm in &choice.arms {
                    if let Some((guard, _)) = &arm.guard {
                        return refused(guard, "an arm has no condition: put an `if` into it");
                    }
                    self.pattern(&arm.pat)?;
                    match arm.body.as_ref() {
                        Expr::Block(block) => self.block(&block.block)?,
                        single => {
                            self.line("1");
                            self.statement(single)?;
                        }
                    }
                }
                Ok(())
            }
            Expr::ForLoop(repeated) => {
                let Pat::Ident(index) = repeated.pat.as_ref() else {
                    return refused(&repeated.pat, "the index of a loop is a name");
                };
                let Expr::Range(range) = repeated.expr.as_ref() else {
                    return refused(&repeated.expr, "a loop runs over a range `from..to`");
                };
                let (Some(from), RangeLimits::HalfOpen(_), Some(to)) =
                    (&range.start, &range.limits, &range.end)
                else {
                    return refused(range, "a loop runs over a range `from..to`");
                };
                self.line("for");
                self.line(&index.to_token_stream().to_string());
                self.bound(from)?;
                self.bound(to)?;
                self.indices.push(index.ident.clone());
                let body = self.block(&repeated.body);
                self.indices.pop();
                body
            }
            Expr::Call(call) => match join(call) {
                Some((name, sides)) => self.link(call, name, sides),
                None => refused(call, "a kernel calls no function but `join` and `link`"),
            },
            Expr::MethodCall(call) => match parts::called(call) {
                Some(_) if !self.indices.is_empty() => refused(call, "in a loop there is no part"),
                Some(part) => {
                    let [_, hdl, _] = parts::names(part);
                    self.line("part");
                    self.parts.push(quote!(self.#hdl()));
                    Ok(())
                }
                None => refused(call, "a kernel calls nothing but its parts"),
            },
            _ => refused(statement, "the dialect has no such statement"),
        }
    }

    /// A bound of a loop: a literal with its type, or a usize.
    fn bound(&mut self, bound: &Expr) -> syn::Result<()> {
        let is_read = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if name == "val");
        match bound {
            Expr::Lit(literal) if self.literal(literal).is_ok() => {}
            // It would be that of the signal before the first cycle.
            _ if find(quote!(#bound), &is_read).is_some() => {
                return refused(bound, "a loop does not end at the value of a signal");
            }
            _ => {
                self.line("usize");
                self.number(quote!(#bound));
            }
        }
        Ok(())
    }

    fn link(&mut self, call: &ExprCall, called: &str, sides: [&Expr; 2]) -> syn::Result<()> {
        if called == "flow" {
            let ([from, to], indices) = (sides.map(place), self.indices.clone());
            let [from_name, to_name] = sides.map(name);
            self.line("link");
            self.links.push(quote!(::xtq_kernel::links(
                |block: &Self| {
                    #(let #indices = 0usize;)*
                    (&#from, &#to)
                },
                #from_name,
                #to_name
            )));
            return Ok(());
        }
        let Expr::Path(path) = call.func.as_ref() else {
            return refused(call, "named by its type");
        };
        let mut path = path.path.clone();
        path.segments.pop();
        path.segments.push(format_ident!("{called}_hdl").into());
        let [from, to] = sides.map(name);
        self.line("link");
        self.links.push(quote!(#path("", #from, #to)));
        Ok(())
    }

    fn assignment(&mut self, target: &Expr, value: &Expr) -> syn::Result<()> {
        let Expr::Field(field) = target else {
            return refused(target, "what is assigned is `signal.next` or a field of it");
        };
        let base = &field.base;
        if name(base).ends_with("$next") {
            let (Member::Named(member), Expr::Field(root)) = (&field.member, base.as_ref()) else {
                return refused(target, "a field is assigned as `signal.next.field`");
            };
            self.line("slice");
            self.expression(&root.base)?;
            self.field(base, &member.to_string());
            return self.expression(value);
        }
        let signal = name(target);
        if signal.ends_with("$val") {
            return refused(target, "assign to `.next`, not to `.val`");
        }
        self.line("assign");
        self.line(&format!(".{signal}"));
        self.expression(value)
    }

    /// Width and offset of a struct's field.
    fn field(&mut self, base: &Expr, field: &str) {
        let (width, offset) = (
            format_ident!("get_my_width_{field}"),
            format_ident!("get_my_offset_{field}"),
        );
        self.number(quote!(#base.#width()));
        self.line("literal");
        self.line("usize");
        self.number(quote!(#base.#offset()));
    }

    fn conditional(&mut self, conditional: &ExprIf) -> syn::Result<()> {
        self.expression(&conditional.cond)?;
        self.block(&conditional.then_branch)?;
        match conditional
            .else_branch
            .as_ref()
            .map(|(_, branch)| branch.as_ref())
        {
            None => self.line("end"),
            Some(Expr::Block(block)) => {
                self.line("else");
                self.block(&block.block)?;
            }
            Some(Expr::If(conditional)) => {
                self.line("else if");
                self.conditional(conditional)?;
            }
            Some(other) => return refused(other, "`else` has a block or an `if`"),
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &Pat) -> syn::Result<()> {
        let text = match pattern {
            Pat::Ident(name) if name.subpat.is_none() => name.ident.to_string(),
            Pat::Lit(literal) => literal.to_token_stream().to_string(),
            Pat::Path(path) => name(path),
            Pat::Wild(_) => "default".to_owned(),
            _ => return refused(pattern, "a pattern is a literal, a variant or `_`"),
        };
        self.line(&text);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
