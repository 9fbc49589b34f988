//! An elaborated design: a tree of modules with typed statements, every width as in Rust.
//!
//! [`elaborate`](crate::elaborate::elaborate) makes it from a rust-hdl block. Equal blocks are one [`Module`] with
//! several instances. Loops are unrolled, names are resolved, links are assignments. The Verilog writer and the netlist
//! both start here.

mod check;

use std::hash::{Hash, Hasher};

use num_bigint::BigUint;

/// Bits of the largest address: 16 Mi entries. The smallest has one.
pub(crate) const MAX_ADDRESS: usize = 24;

/// Width and signedness of a value, as in Rust (`Bits<N>`, `Signed<N>`; `Bit` is one bit).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// Bits.
    pub width: usize,
    /// Two's complement.
    pub signed: bool,
}

impl Ty {
    /// An unsigned value of `width` bits.
    pub const fn bits(width: usize) -> Self {
        Self {
            width,
            signed: false,
        }
    }
}

/// One bit.
pub const BIT: Ty = Ty::bits(1);

/// What a signal of a module is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// Port, driven from outside.
    Input,
    /// Port, driven from inside.
    Output,
    /// Inside.
    Local,
    /// Never changes.
    Constant(BigUint),
}

/// A field of a struct-typed signal, with its own fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Lowest bit in the signal.
    pub offset: usize,
    /// Bits.
    pub width: usize,
    /// Name of its type in Rust.
    pub type_name: String,
    /// Names of the values if it is an enum.
    pub variants: Vec<String>,
    /// Fields of the field.
    pub fields: Vec<Field>,
}

/// A port, local signal or constant of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignalDecl {
    /// Name; elements of arrays are `name$0`, members of interfaces `bus$name`.
    pub name: String,
    /// Width and signedness.
    pub ty: Ty,
    /// What it is for.
    pub kind: SignalKind,
    /// It is a clock.
    pub clock: bool,
    /// Name of its type in Rust.
    pub type_name: String,
    /// Names of the values 0, 1, ... if it is an enum, else empty.
    pub variants: Vec<String>,
    /// Fields if it is a struct.
    pub fields: Vec<Field>,
}

/// What a statement of a module can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// A signal of the module itself.
    Own(usize),
    /// A port of a child.
    Port {
        /// Position in [`Module::children`].
        child: usize,
        /// Position in the child's [`Module::signals`].
        signal: usize,
    },
}

/// Operators with two operands of one type; the shifts' right operand has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// All bits inverted.
    Not,
    /// Two's complement.
    Neg,
    /// All bits are 1.
    All,
    /// Some bit is 1.
    Any,
    /// Parity.
    Xor,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A signal.
    Signal(Name),
    /// A number below `2^width`.
    Literal(BigUint),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Another width or signedness: cut, or extended by the sign if the operand is signed, else by zeros.
    Resize(Box<Expr>),
    /// `width` bits from `offset` on; bits above the operand are zero.
    Slice(Box<Expr>, usize),
    /// The same from a variable offset on.
    SliceAt(Box<Expr>, Box<Expr>),
    /// The operand with one bit replaced; unchanged if there is no such bit.
    ReplaceBit {
        /// Operand.
        base: Box<Expr>,
        /// Which bit.
        index: Box<Expr>,
        /// Its new value.
        value: Box<Expr>,
    },
}

/// One arm of a match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arm {
    /// The value, of the type of the test.
    pub value: BigUint,
    /// The pattern as written (`State$Idle`, `0x1F`).
    pub label: String,
    /// What happens.
    pub body: Vec<Stmt>,
}

/// A statement. Statements are executed in order; the last assignment counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// `target[offset +: value.ty.width] = value`.
    Assign {
        /// What is written.
        target: Name,
        /// Lowest bit that is written.
        offset: usize,
        /// The value.
        value: Expr,
    },
    /// Conditional.
    If {
        /// One bit.
        test: Expr,
        /// If it is 1.
        then: Vec<Stmt>,
        /// If it is 0.
        otherwise: Vec<Stmt>,
    },
    /// Choice by value; the first arm that fits.
    Match {
        /// What is looked at.
        test: Expr,
        /// Arms with a value.
        arms: Vec<Arm>,
        /// The arm `_`.
        default: Vec<Stmt>,
    },
    /// Text for readers.
    Comment(String),
}

/// What a storage widget does; ports are positions in [`Module::signals`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// `q := reset_value` if `rst`, else `d` if `en`.
    Reg {
        /// Synchronous reset, if it has one.
        rst: Option<usize>,
        /// Enable, if it has one.
        en: Option<usize>,
        /// Next value.
        d: usize,
        /// Value.
        q: usize,
        /// Value after reset and at power-up.
        reset: BigUint,
    },
    /// A memory with one write and one read port. A read at the edge of a write gives the old word.
    Ram {
        /// Address of the write.
        write_addr: usize,
        /// Data of the write.
        write_data: usize,
        /// Write at this edge.
        write_en: usize,
        /// Lanes to write, a bit each, if it has them.
        write_mask: Option<usize>,
        /// Address of the read.
        read_addr: usize,
        /// Word read: at the edge, or at once if `asynchronous`.
        read_data: usize,
        /// The word is there in the cycle of the address.
        asynchronous: bool,
        /// First words; the others are zero.
        contents: Vec<BigUint>,
    },
}

/// What a module does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// A kernel.
    Logic(Vec<Stmt>),
    /// Storage.
    Storage(Leaf),
}

/// A child of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Child {
    /// Name; elements of arrays are `name$0`.
    pub name: String,
    /// Position in [`Design::modules`].
    pub module: usize,
}

/// A block. Equal blocks are one module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    /// Ports, locals and constants.
    pub signals: Vec<SignalDecl>,
    /// Blocks inside.
    pub children: Vec<Child>,
    /// What it does.
    pub body: Body,
}

/// A design.
#[derive(Clone, Debug)]
pub struct Design {
    /// Children before parents.
    pub modules: Vec<Module>,
    /// For each module the path of its first instance; the top's is empty.
    pub first_path: Vec<String>,
    /// Position of the top, the last.
    pub top: usize,
}

impl Design {
    /// The top block.
    pub fn top(&self) -> &Module {
        &self.modules[self.top]
    }

    /// Declaration of a name used in `module`.
    pub fn decl<'a>(&'a self, module: &'a Module, name: Name) -> &'a SignalDecl {
        match name {
            Name::Own(signal) => &module.signals[signal],
            Name::Port { child, signal } => {
                &self.modules[module.children[child].module].signals[signal]
            }
        }
    }

    /// Digest of everything that decides behaviour, for caches of compiled code.
    pub fn digest(&self) -> u64 {
        let mut hasher = std::collections::hash_map::DefaultHasher::new();
        self.modules.hash(&mut hasher);
        hasher.finish()
    }
}
