//! What the Rust source says about blocks and a [`Design`](crate::design::Design) does not: names of types, places,
//! documentation.
//!
//! **Idea.** rust-hdl's probe gives the names of fields and not those of types. A block's struct is found by the list
//! of its fields, and from there on by the types of the fields that are blocks. The source is read as text (with
//! `syn`), not compiled, so of what a macro makes only the names of structs that its call has are seen, and their
//! documentation. A block that is not found has no name and no documentation, nothing else.

mod bundles;
mod comments;
mod made;
mod resolve;

pub use comments::KernelComment;
pub use resolve::BlockType;

/// A type as written, as far as it matters: `Vec<Reg<Bits<N>>>` is `Reg<Bits<N>>`, and a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TypeRef {
    /// Last part of the path; a number for a constant argument; empty if it is more than that.
    name: String,
    args: Vec<TypeRef>,
    list: bool,
}

impl TypeRef {
    /// Takes structs that are wrappers for what they wrap.
    fn unwrap(&mut self, wrappers: &[Wrapper]) {
        for argument in &mut self.args {
            argument.unwrap(wrappers);
        }
        let Some(wrapper) = wrappers.iter().find(|wrapper| wrapper.name == self.name) else {
            return;
        };
        if wrapper.generics.len() == self.args.len() {
            let mut inner = wrapper.inner.clone();
            inner.substitute(&wrapper.generics, &self.args);
            inner.list |= self.list;
            *self = inner;
        }
    }

    /// Puts arguments in place of the parameters with these names.
    fn substitute(&mut self, generics: &[String], arguments: &[TypeRef]) {
        for argument in &mut self.args {
            argument.substitute(generics, arguments);
        }
        if let Some(at) = generics.iter().position(|name| *name == self.name) {
            let list = self.list;
            *self = arguments[at].clone();
            self.list |= list;
        }
    }
}

/// A struct that is nothing but another block or a list of blocks: `struct Many<B, const C: usize>([B; C])`.
struct Wrapper {
    name: String,
    generics: Vec<String>,
    inner: TypeRef,
}

fn wrapper(item: &syn::Item) -> Option<Wrapper> {
    let syn::Item::Struct(item) = item else {
        return None;
    };
    let syn::Fields::Unnamed(fields) = &item.fields else {
        return None;
    };
    let (Some(field), 1) = (fields.unnamed.first(), fields.unnamed.len()) else {
        return None;
    };
    Some(Wrapper {
        name: item.ident.to_string(),
        generics: generics(&item.generics),
        inner: type_ref(&field.ty),
    })
}

/// Names of generic parameters.
fn generics(generics: &syn::Generics) -> Vec<String> {
    let name = |param: &syn::GenericParam| match param {
        syn::GenericParam::Type(param) => Some(param.ident.to_string()),
        syn::GenericParam::Const(param) => Some(param.ident.to_string()),
        syn::GenericParam::Lifetime(_) => None,
    };
    generics.params.iter().filter_map(name).collect()
}

/// A field of a block.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// Name.
    pub name: String,
    /// Documentation, a line each.
    pub doc: Vec<String>,
    ty: TypeRef,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct BlockInfo {
    /// Name in Rust.
    pub name: String,
    /// File it is in.
    pub file: String,
    /// Line it starts at.
    pub line: usize,
    /// Documentation of the struct, a line each.
    pub doc: Vec<String>,
    /// The `//!` text of its file, a line each.
    pub head: Vec<String>,
    /// Fields, without those that start with `_`.
    pub fields: Vec<FieldInfo>,
    /// Comments inside the kernel, in order.
    pub comments: Vec<KernelComment>,
    /// Names of the generic parameters.
    pub generics: Vec<String>,
}

impl BlockInfo {
    /// The field a signal or child belongs to: `a$0` and `a$valid` to `a`.
    pub fn field(&self, name: &str) -> Option<&FieldInfo> {
        let base = name.split('$').next().unwrap_or(name);
        self.fields.iter().find(|field| field.name == base)
    }
}

/// All structs of some source files.
#[derive(Clone, Debug, Default)]
pub struct SourceInfo {
    blocks: Vec<BlockInfo>,
    /// Structs that are made by macros, as their calls name them; what fields they have is not known.
    made: Vec<BlockInfo>,
}

impl SourceInfo {
    /// Reads source files: name and text of each. Errors: the file that is not Rust, and why.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let (mut source, mut wrappers, mut bundles) = (Self::default(), Vec::new(), Vec::new());
        let mut kernels = Vec::new();
        for (name, text) in files {
            let file = syn::parse_file(text).map_err(|error| format!("{name}: {error}"))?;
            let head = doc(&file.attrs);
            source.items(&file.items, name, &head);
            self::kernels(&file.items, name, text, &mut kernels);
            wrappers.extend(file.items.iter().filter_map(wrapper));
            bundles.extend(file.items.iter().flat_map(bundles::bundles));
        }
        for kernel in kernels {
            let block = source.blocks.iter_mut().find(|block| kernel.is_of(block));
            block.into_iter().for_each(|block| {
                block.comments.extend(kernel.comments.clone());
            });
        }
        for block in &mut source.blocks {
            for field in &mut block.fields {
                field.ty.unwrap(&wrappers);
            }
            bundles::flatten(&mut block.fields, &bundles);
        }
        Ok(source)
    }

    /// What the struct of this name is for: the first sentence of its documentation.
    pub fn purpose(&self, name: &str) -> Option<String> {
        let block = self.blocks.iter().find(|block| block.name == name)?;
        let text = block.doc.join(" ");
        let end = text.find(". ").map_or(text.len(), |at| at + 1);
        Some(text[..end].trim().to_owned())
    }

    /// Names of the generic parameters of the struct of this name, in order.
    pub fn parameters(&self, name: &str) -> &[String] {
        let block = self.blocks.iter().find(|block| block.name == name);
        block.map_or(&[], |block| &block.generics)
    }

    fn items(&mut self, items: &[syn::Item], file: &str, head: &[String]) {
        for item in items {
            match item {
                syn::Item::Struct(item) => self.blocks.extend(block(item, file, head)),
                syn::Item::Macro(item) => self.made.extend(made::made(item, file, head)),
                syn::Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.items(items, file, head);
                    }
                }
                _ => {}
            }
        }
    }
}

/// A kernel, or a part of one.
struct Kernel {
    /// Name of the block.
    block: String,
    file: String,
    comments: Vec<KernelComment>,
}

impl Kernel {
    /// Whether it is of this block: in its file, or in one below it.
    fn is_of(&self, block: &BlockInfo) -> bool {
        let below = (block.file.strip_suffix(".rs"))
            .and_then(|folder| self.file.strip_prefix(folder))
            .is_some_and(|rest| rest.starts_with('/'));
        self.block == block.name && (self.file == block.file || below)
    }
}

/// Adds the kernels in some items of a file.
fn kernels(items: &[syn::Item], file: &str, text: &str, found: &mut Vec<Kernel>) {
    for item in items {
        if let syn::Item::Mod(module) = item
            && let Some((_, items)) = &module.content
        {
            kernels(items, file, text, found);
        }
        if let Some((block, lines)) = comments::kernel(item) {
            found.push(Kernel {
                block,
                file: file.to_owned(),
                comments: comments::comments(text, lines),
            });
        }
    }
}

fn block(item: &syn::ItemStruct, file: &str, head: &[String]) -> Option<BlockInfo> {
    let syn::Fields::Named(fields) = &item.fields else {
        return None;
    };
    if bundles::is_bundle(item) {
        return None;
    }
    let fields = fields.named.iter().filter_map(|field| {
        let name = field.ident.as_ref()?.to_string();
        (!name.starts_with('_')).then(|| FieldInfo {
            name,
            doc: doc(&field.attrs),
            ty: type_ref(&field.ty),
        })
    });
    Some(BlockInfo {
        name: item.ident.to_string(),
        file: file.into(),
        line: item.ident.span().start().line,
        doc: doc(&item.attrs),
        head: head.to_vec(),
        generics: generics(&item.generics),
        fields: fields.collect(),
        comments: Vec::new(),
    })
}

/// Lines of the documentation, without the space that follows `///`.
fn doc(attributes: &[syn::Attribute]) -> Vec<String> {
    let text = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let lines = attributes.iter().filter_map(text);
    // An empty line is a line too.
    let lines = lines.flat_map(|text| text.split('\n').map(plain).collect::<Vec<_>>());
    lines.collect()
}

/// A line without the targets of links, which only Rust's documentation resolves.
fn plain(line: &str) -> String {
    let mut rest = line.strip_prefix(' ').unwrap_or(line);
    let mut out = String::new();
    while let Some((before, link)) = rest.split_once("[`") {
        out.push_str(before);
        let Some((name, after)) = link.split_once("`]") else {
            out.push_str("[`");
            rest = link;
            continue;
        };
        out.push_str(&format!("`{name}`"));
        rest = match after
            .strip_prefix('(')
            .and_then(|after| after.split_once(')'))
        {
            Some((_, after)) => after,
            None => after,
        };
    }
    out.push_str(rest);
    out.trim_end().into()
}

fn type_ref(ty: &syn::Type) -> TypeRef {
    let unknown = TypeRef {
        name: String::new(),
        args: Vec::new(),
        list: false,
    };
    match ty {
        syn::Type::Array(array) => TypeRef {
            list: true,
            ..type_ref(&array.elem)
        },
        syn::Type::Paren(inner) => type_ref(&inner.elem),
        syn::Type::Group(inner) => type_ref(&inner.elem),
        syn::Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return unknown;
            };
            let mut args = match &last.arguments {
                syn::PathArguments::AngleBracketed(args) => {
                    args.args.iter().filter_map(argument).collect()
                }
                _ => Vec::new(),
            };
            match (last.ident.to_string().as_str(), args.len()) {
                ("Vec", 1) => TypeRef {
                    list: true,
                    ..args.remove(0)
                },
                ("Box", 1) => args.remove(0),
                (name, _) => TypeRef {
                    name: name.into(),
                    args,
                    list: false,
                },
            }
        }
        _ => unknown,
    }
}

fn argument(argument: &syn::GenericArgument) -> Option<TypeRef> {
    let name = |name: String| TypeRef {
        name,
        args: Vec::new(),
        list: false,
    };
    match argument {
        syn::GenericArgument::Type(ty) => Some(type_ref(ty)),
        syn::GenericArgument::Const(syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(number),
            ..
        })) => Some(name(number.base10_digits().into())),
        syn::GenericArgument::Const(_) => Some(name(String::new())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "
//! `Pair`: see [`Reg`](super::Reg).
//!
//! Second line.

/// Two registers.
pub struct Pair<T: Synth, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    words: Vec<Reg<Bits<N>>>,
    _hidden: Vec<T>,
}
";

    #[test]
    fn structs_are_read_with_their_documentation() {
        let source = SourceInfo::new([("pair.rs", SOURCE)]).expect("it is Rust");
        let [pair] = &source.blocks[..] else {
            panic!("one struct");
        };
        assert_eq!((pair.name.as_str(), pair.line), ("Pair", 7));
        assert_eq!(pair.head, ["`Pair`: see `Reg`.", "", "Second line."]);
        assert_eq!(pair.generics, ["T", "N"]);
        assert_eq!(
            pair.field("clk").map(|f| f.doc.clone()),
            Some(vec!["Clock.".into()])
        );
        let words = pair
            .field("words$0")
            .expect("found by the name of an element");
        assert!(words.ty.list && words.ty.name == "Reg" && words.ty.args[0].args[0].name == "N");
        assert!(pair.field("_hidden").is_none());
        assert_eq!(source.purpose("Pair").as_deref(), Some("Two registers."));
        assert_eq!(source.purpose("None"), None);
        assert_eq!(source.parameters("Pair"), ["T", "N"]);
        assert!(source.parameters("None").is_empty());
    }

    #[test]
    fn the_struct_at_a_path_is_found_by_the_types_of_fields() {
        const MORE: &str = "
pub struct Top { pairs: [Pair<Bits<3>, 4>; 2], inner: Middle<Reg<Bit>> }
pub struct Middle<B> { pair: Pair<Bit, 1>, any: B }
mod a { pub struct Twice {} }
mod b { pub struct Twice {} }
pub struct Both { twice: a::Twice }
pub struct Many<B, const C: usize>([B; C]);
pub struct Wrapped<T>(Middle<T>);
pub struct Outer { many: Many<Wrapped<Bit>, 2> }
";
        let files = [("pair.rs", SOURCE), ("more.rs", MORE)];
        let source = SourceInfo::new(files).expect("it is Rust");
        let name = |top, path| Some(source.at(top, path)?.name.as_str());
        assert_eq!(name("Top", "top"), Some("Top"));
        assert_eq!(name("Top", "pairs$1"), Some("Pair"));
        assert_eq!(name("Top", "inner.pair"), Some("Pair"));
        assert_eq!(name("Outer", "many$1"), Some("Middle"));
        assert_eq!(name("Outer", "many$0.pair"), Some("Pair"));
        for (top, path) in [
            ("Top", "inner.any"),
            ("Top", "none"),
            ("No", "top"),
            ("Both", "twice"),
        ] {
            assert_eq!(name(top, path), None, "{top}: {path}");
        }
    }

    #[test]
    fn what_is_no_rust_is_named() {
        let error = SourceInfo::new([("bad.rs", "struct {")]).unwrap_err();
        assert!(error.starts_with("bad.rs: "), "{error}");
    }
}
