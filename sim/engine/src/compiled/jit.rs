//! The JIT: the nodes as machine code, by Cranelift.
//!
//! **Idea.** A function for each list of the [`Layout`]; a [`Branch`] becomes two blocks and one after them that takes
//! its results.
//!
//! **Safety.** A function gets the address of a buffer of at least [`Jit::words`] words and touches nothing else. Slots
//! and state words are constants below that, and a memory's entry is addressed by a value that is cut to the memory's
//! address bits.

#![allow(unsafe_code)]

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, BlockArg, InstBuilder, MemFlags, Value, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};

use super::layout::Layout;
use super::plan::Plan;
use super::schedule::{Branch, Item};
use crate::netlist::{Id, Netlist, Op};
use crate::{Error, Result};

/// Words that an instruction's offset reaches: it has 31 bits.
const MOST_WORDS: usize = i32::MAX as usize / 8;

type Function = unsafe extern "C" fn(*mut u64);

/// Compiled code.
pub(crate) struct Jit {
    functions: Vec<Function>,
    /// Words a buffer needs.
    words: usize,
    /// Owns the code.
    module: Option<JITModule>,
}

// The code is not changed after compilation and has no state of its own.
unsafe impl Send for Jit {}
unsafe impl Sync for Jit {}

impl Drop for Jit {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the functions die with `self`.
            unsafe { module.free_memory() };
        }
    }
}

fn failed(what: impl std::fmt::Display) -> Error {
    Error::Compile(what.to_string())
}

/// Errors: an instance of so many words cannot be addressed.
fn addressable(words: usize) -> Result<()> {
    match words <= MOST_WORDS {
        true => Ok(()),
        false => Err(failed(format!(
            "{words} words of state and memories are more than {MOST_WORDS}, which machine code can address"
        ))),
    }
}

impl Jit {
    /// Compiles the nodes of a plan. Errors: this machine has no code generator, the state is too large, those of
    /// [`Layout::new`].
    pub(crate) fn new(netlist: &Netlist, plan: &Plan) -> Result<Self> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("enable_verifier", "false"),
        ] {
            flags.set(name, value).map_err(failed)?;
        }
        let isa = cranelift_native::builder().map_err(failed)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(failed)?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let layout = Layout::new(netlist, plan)?;
        addressable(layout.words)?;
        let mut context = module.make_context();
        let mut builders = FunctionBuilderContext::new();
        let mut ids: Vec<FuncId> = Vec::new();
        for items in &layout.functions {
            let pointer = AbiParam::new(types::I64);
            context.func.signature.params.push(pointer);
            let builder = FunctionBuilder::new(&mut context.func, &mut builders);
            let mut emitter = Emitter::new(builder, netlist, plan, &layout);
            emitter.outer(items);
            emitter.finish();
            let id = module
                .declare_anonymous_function(&context.func.signature)
                .map_err(failed)?;
            module.define_function(id, &mut context).map_err(failed)?;
            module.clear_context(&mut context);
            ids.push(id);
        }
        module.finalize_definitions().map_err(failed)?;
        let functions = ids.iter().map(|id| {
            let code = module.get_finalized_function(*id);
            // SAFETY: compiled above with this signature and the default calling convention of the machine.
            unsafe { std::mem::transmute::<*const u8, Function>(code) }
        });
        let functions = functions.collect();
        Ok(Self {
            functions,
            words: layout.words,
            module: Some(module),
        })
    }

    /// Words a buffer needs.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Computes all roots of the plan.
    pub(crate) fn eval(&self, buffer: &mut [u64]) {
        assert!(buffer.len() >= self.words, "a buffer of this body");
        for function in &self.functions {
            // SAFETY: the buffer is as long as the code was told (module head).
            unsafe { function(buffer.as_mut_ptr()) };
        }
    }
}

struct Emitter<'a> {
    builder: FunctionBuilder<'a>,
    netlist: &'a Netlist,
    plan: &'a Plan,
    layout: &'a Layout,
    base: Value,
    /// Values that every later instruction of the block can use.
    values: HashMap<Id, Value>,
    /// The nodes in `values`, in the order in which they came.
    known: Vec<Id>,
}

impl<'a> Emitter<'a> {
    fn new(
        mut builder: FunctionBuilder<'a>,
        netlist: &'a Netlist,
        plan: &'a Plan,
        layout: &'a Layout,
    ) -> Self {
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let base = builder.block_params(block)[0];
        Self {
            builder,
            netlist,
            plan,
            layout,
            base,
            values: HashMap::new(),
            known: Vec::new(),
        }
    }

    /// Items whose results others may need.
    fn outer(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
            for &id in item.results() {
                let value = self.value(id);
                for word in self.layout.places(id) {
                    self.store(value, word);
                }
            }
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Node(id) => {
                let value = self.compute(*id);
                self.know(*id, value);
            }
            Item::Branch(branch) => self.branch(branch),
        }
    }

    fn know(&mut self, id: Id, value: Value) {
        if self.values.insert(id, value).is_none() {
            self.known.push(id);
        }
    }

    fn branch(&mut self, branch: &Branch) {
        let cond = self.value(branch.cond);
        let [then, otherwise, after] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(cond, then, &[], otherwise, &[]);
        for (block, items, first) in [
            (then, &branch.then, true),
            (otherwise, &branch.otherwise, false),
        ] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let before = self.known.len();
            items.iter().for_each(|item| self.item(item));
            let mut results: Vec<BlockArg> = Vec::new();
            for &mux in &branch.muxes {
                if let Op::Mux(_, a, b) = self.netlist.graph.op(mux) {
                    results.push(self.value(if first { a } else { b }).into());
                }
            }
            self.builder.ins().jump(after, &results);
            for id in self.known.drain(before..) {
                self.values.remove(&id);
            }
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        for &mux in &branch.muxes {
            let value = self.builder.append_block_param(after, types::I64);
            self.know(mux, value);
        }
    }

    fn finish(mut self) {
        self.builder.ins().return_(&[]);
        self.builder.finalize();
    }

    fn load(&mut self, word: usize) -> Value {
        let offset = (word * 8) as i32;
        let flags = MemFlags::trusted();
        self.builder
            .ins()
            .load(types::I64, flags, self.base, offset)
    }

    fn store(&mut self, value: Value, word: usize) {
        let offset = (word * 8) as i32;
        let flags = MemFlags::trusted();
        self.builder.ins().store(flags, value, self.base, offset);
    }

    /// The value of an operand: computed here, kept by an earlier function, or a constant or state word.
    fn value(&mut self, id: Id) -> Value {
        if let Some(value) = self.values.get(&id) {
            return *value;
        }
        let value = match self.netlist.graph.op(id) {
            Op::Const(value) => self.builder.ins().iconst(types::I64, value as i64),
            Op::Load(word) => self.load(word as usize),
            // The layout has seen to it that the value is there.
            _ => self.load(self.layout.kept(id).unwrap_or(0)),
        };
        self.know(id, value);
        value
    }

    fn compute(&mut self, id: Id) -> Value {
        match self.netlist.graph.op(id) {
            Op::Const(_) | Op::Load(_) => self.value(id),
            // A finished graph has none.
            Op::Later(_) => self.builder.ins().iconst(types::I64, 0),
            Op::Read { memory, word, addr } => {
                let memory = memory as usize;
                let addr = self.value(addr);
                let depth = self.netlist.memories[memory].depth;
                let addr = self.builder.ins().band_imm(addr, depth as i64 - 1);
                let bytes = self.netlist.memories[memory].words * 8;
                let offset = self.builder.ins().imul_imm(addr, bytes as i64);
                let place = self.builder.ins().iadd(self.base, offset);
                let start = (self.plan.memories[memory] + word as usize) * 8;
                let flags = MemFlags::trusted();
                self.builder
                    .ins()
                    .load(types::I64, flags, place, start as i32)
            }
            Op::And(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().band(a, b)
            }
            Op::Or(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().bor(a, b)
            }
            Op::Xor(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().bxor(a, b)
            }
            Op::Add(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().iadd(a, b)
            }
            Op::Sub(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().isub(a, b)
            }
            Op::Eq(a, b) => self.compare(IntCC::Equal, a, b),
            Op::Lt(a, b) => self.compare(IntCC::UnsignedLessThan, a, b),
            Op::Shl(a, b) => self.shift(a, b, true),
            Op::Shr(a, b) => self.shift(a, b, false),
            Op::Parity(a) => {
                let a = self.value(a);
                let ones = self.builder.ins().popcnt(a);
                self.builder.ins().band_imm(ones, 1)
            }
            Op::Mux(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                self.builder.ins().select(c, a, b)
            }
        }
    }

    fn compare(&mut self, condition: IntCC, a: Id, b: Id) -> Value {
        let (a, b) = (self.value(a), self.value(b));
        let bit = self.builder.ins().icmp(condition, a, b);
        self.builder.ins().uextend(types::I64, bit)
    }

    /// The machine takes the amount modulo 64; the graph's shifts give 0 from 64 on.
    fn shift(&mut self, a: Id, b: Id, left: bool) -> Value {
        let small = self.netlist.graph.width(b) <= 6;
        let (a, by) = (self.value(a), self.value(b));
        let shifted = match left {
            true => self.builder.ins().ishl(a, by),
            false => self.builder.ins().ushr(a, by),
        };
        if small {
            return shifted;
        }
        let zero = self.builder.ins().iconst(types::I64, 0);
        let fits = self.builder.ins().icmp_imm(IntCC::UnsignedLessThan, by, 64);
        self.builder.ins().select(fits, shifted, zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_words_than_an_offset_reaches_are_refused() {
        assert!(addressable(MOST_WORDS).is_ok());
        let error = addressable(MOST_WORDS + 1).unwrap_err();
        assert!(error.to_string().contains("machine code"), "{error}");
        // The offset of the last word fits.
        assert!(i32::try_from((MOST_WORDS - 1) * 8).is_ok());
    }
}
