//! A kernel's syntax tree as a text, a token a line, in prefix order.

use std::fmt::Write;

use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, format_ident, quote};
use syn::{
    BinOp, Block, Expr, ExprCall, ExprIf, ExprLit, ExprMethodCall, GenericArgument, Lit, Member,
    Pat, PathArguments, Stmt, UnOp,
};

/// The text being written.
#[derive(Default)]
struct Text {
    text: String,
    /// Expressions of what only the compiler knows, each once; of type usize.
    numbers: Vec<Tokens>,
    /// Expressions of the links of joins, in order.
    links: Vec<Tokens>,
}

/// The expression that reads the tree of a kernel again.
pub fn tree(block: &Block) -> syn::Result<Tokens> {
    let mut text = Text::default();
    text.block(block)?;
    let Text {
        text,
        numbers,
        links,
    } = text;
    Ok(quote!(::xtq_kernel::read(#text, &[#(#numbers),*], ::std::vec![#(#links),*])))
}

fn refused<T>(at: &impl ToTokens, message: &str) -> syn::Result<T> {
    Err(syn::Error::new_spanned(at, message))
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

/// The two sides of a call `Type::join(a, b)` or `Type::link(a, b)`, and which it is.
pub fn join(call: &ExprCall) -> Option<(&'static str, [&Expr; 2])> {
    let Expr::Path(path) = call.func.as_ref() else {
        return None;
    };
    let last = path.path.segments.last()?;
    let name = ["join", "link"]
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
                let (Some(from), Some(to)) = (&range.start, &range.end) else {
                    return refused(range, "a loop runs over a range `from..to`");
                };
                self.line("for");
                self.line(&index.to_token_stream().to_string());
                self.bound(from);
                self.bound(to);
                self.block(&repeated.body)
            }
            Expr::Call(call) => match join(call) {
                Some((name, sides)) => self.link(call, name, sides),
                None => refused(call, "a kernel calls no function but `join` and `link`"),
            },
            _ => refused(statement, "the dialect has no such statement"),
        }
    }

    /// A bound of a loop: a literal with its type, or a usize.
    fn bound(&mut self, bound: &Expr) {
        match bound {
            Expr::Lit(literal) if self.literal(literal).is_ok() => {}
            _ => {
                self.line("usize");
                self.number(quote!(#bound));
            }
        }
    }

    fn link(&mut self, call: &ExprCall, called: &str, sides: [&Expr; 2]) -> syn::Result<()> {
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
            Pat::Ident(name) => name.ident.to_string(),
            Pat::Lit(literal) => literal.to_token_stream().to_string(),
            Pat::Path(path) => name(path),
            Pat::Wild(_) => "default".to_owned(),
            _ => return refused(pattern, "a pattern is a literal, a variant or `_`"),
        };
        self.line(&text);
        Ok(())
    }

    fn expression(&mut self, expression: &Expr) -> syn::Result<()> {
        match expression {
            Expr::Path(_) | Expr::Index(_) => self.signal(expression),
            Expr::Field(field) => {
                let base = &field.base;
                if name(base).ends_with("val()") {
                    let Member::Named(member) = &field.member else {
                        return refused(field, "a field has a name");
                    };
                    self.line("bits");
                    self.expression(base)?;
                    self.field(base, &member.to_string());
                    return Ok(());
                }
                self.signal(expression)
            }
            Expr::Paren(inner) => {
                self.line("paren");
                self.expression(&inner.expr)
            }
            // What a macro's argument was wrapped in.
            Expr::Group(inner) => self.expression(&inner.expr),
            Expr::Binary(binary) => {
                self.line(&operator(&binary.op)?);
                self.expression(&binary.left)?;
                self.expression(&binary.right)
            }
            Expr::Unary(unary) => {
                self.line(match unary.op {
                    UnOp::Not(_) => "not",
                    UnOp::Neg(_) => "neg",
                    _ => return refused(unary, "the dialect has no such operator"),
                });
                self.expression(&unary.expr)
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(method) => self.method(method),
            Expr::Lit(literal) => {
                self.line("literal");
                self.literal(literal)
            }
            _ => refused(expression, "the dialect has no such expression"),
        }
    }

    fn signal(&mut self, at: &Expr) -> syn::Result<()> {
        let signal = name(at);
        if signal.ends_with("$next") {
            return refused(at, "read `.val()`, not `.next`");
        }
        self.line(&format!(".{signal}"));
        Ok(())
    }

    /// A literal with the type that it has in Rust: i32 if it says none.
    fn literal(&mut self, literal: &ExprLit) -> syn::Result<()> {
        let (ty, value) = match &literal.lit {
            Lit::Bool(value) => ("bool", value.value.to_string()),
            Lit::Int(value) => {
                let ty = match value.suffix() {
                    "" | "i32" => "i32",
                    "u8" => "u8",
                    "u16" => "u16",
                    "u32" => "u32",
                    "u64" => "u64",
                    "u128" => "u128",
                    "usize" => "usize",
                    _ => return refused(literal, "the dialect has no literals of this type"),
                };
                (ty, value.base10_parse::<u128>()?.to_string())
            }
            _ => return refused(literal, "a literal is a number or a bool"),
        };
        self.line(ty);
        self.line(&value);
        Ok(())
    }

    fn call(&mut self, call: &ExprCall) -> syn::Result<()> {
        let Expr::Path(path) = call.func.as_ref() else {
            return refused(call, "the dialect has no such call");
        };
        let last = path.path.segments.last();
        let called = path.path.segments[0].ident.to_string();
        let Some(value) = call.args.first() else {
            return refused(call, "the call needs an argument");
        };
        match called.as_str() {
            "signed_bit_cast" | "signed_cast" => {
                self.line("signed");
                self.expression(value)
            }
            "unsigned_cast" => {
                self.line("unsigned");
                self.expression(value)
            }
            _ if called.starts_with("bit_cast") || called.to_lowercase().starts_with("bits") => {
                self.line("cast");
                self.expression(value)?;
                // `bit_cast::<M, N>` and `bits::<M>` give M bits; elsewhere the value knows.
                let first = last.and_then(|segment| match &segment.arguments {
                    PathArguments::AngleBracketed(list) => list.args.first(),
                    _ => None,
                });
                match first {
                    Some(width) if ["bit_cast", "bits"].contains(&called.as_str()) => {
                        self.number(constant(width))
                    }
                    _ => self.number(quote!((#call).bits())),
                }
                Ok(())
            }
            _ => refused(call, "a kernel calls nothing but casts"),
        }
    }

    fn method(&mut self, method: &ExprMethodCall) -> syn::Result<()> {
        let called = method.method.to_string();
        let value = method.receiver.as_ref();
        let arguments = match called.as_str() {
            "get_bits" | "get_bit" => 1,
            "replace_bit" => 2,
            _ => 0,
        };
        if method.args.len() != arguments {
            return refused(method, "another number of arguments");
        }
        match called.as_str() {
            "val" | "into" | "index" | "to_bits" => return self.expression(value),
            "get_bits" => {
                let width = method.turbofish.as_ref().and_then(|list| list.args.first());
                let Some(width) = width else {
                    return refused(method, "`get_bits` says how many: `get_bits::<8>(offset)`");
                };
                self.line("bits");
                self.expression(value)?;
                self.number(constant(width));
            }
            "get_bit" => {
                self.line("bit");
                self.expression(value)?;
            }
            "replace_bit" => {
                self.line("replace");
                self.expression(value)?;
            }
            "all" | "any" | "xor" => {
                self.line(&called);
                self.expression(value)?;
            }
            "to_signed_bits" => {
                self.line("signed");
                self.expression(value)?;
            }
            _ => return refused(method, "the dialect has no such method"),
        }
        method
            .args
            .iter()
            .try_for_each(|argument| self.expression(argument))
    }
}

/// A const argument as an expression.
fn constant(argument: &GenericArgument) -> Tokens {
    match argument {
        GenericArgument::Const(Expr::Block(block)) if block.block.stmts.len() == 1 => {
            let inner = &block.block.stmts[0];
            quote!(#inner)
        }
        other => quote!(#other),
    }
}

/// An operator with two operands, as Rust writes it.
fn operator(operator: &BinOp) -> syn::Result<String> {
    Ok(match operator {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        BinOp::And(_) => "&&",
        BinOp::Or(_) => "||",
        BinOp::BitXor(_) => "^",
        BinOp::BitAnd(_) => "&",
        BinOp::BitOr(_) => "|",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        BinOp::Eq(_) => "==",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Ne(_) => "!=",
        BinOp::Ge(_) => ">=",
        BinOp::Gt(_) => ">",
        _ => return refused(operator, "the dialect has no such operator"),
    }
    .to_owned())
}
