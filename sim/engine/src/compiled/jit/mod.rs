//! The JIT: the nodes as machine code, by Cranelift.
//!
//! **Idea.** A function for each list of parts of the [`layout`](super::layout); [`emit`] writes it. A function is
//! compiled when its parts have been computed a few times; before, the interpreter computes them. So the first cycle
//! need not wait, and what never runs is never compiled. Both compute the same on the same words, so only the speed
//! depends on when a function is compiled.
//!
//! **Safety.** A function gets the address of a buffer of at least as many words as its plan has and touches nothing
//! else. Slots and state words are constants below that, and a memory's entry is addressed by a value that is cut to
//! the memory's address bits.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use super::interp::Interpreter;
use super::layout::{self, Function};
use super::partition::activity::{Activity, ones};
use super::plan::Plan;
use crate::netlist::Netlist;
use crate::{Error, Result};

mod emit;

use emit::Emitter;

/// Words that an instruction's offset reaches: it has 31 bits.
const MOST_WORDS: usize = i32::MAX as usize / 8;

/// Runs of a function's parts after which it is compiled.
const RUNS: u32 = 16;

type Code = unsafe extern "C" fn(*mut u64);

/// A function, compiled or not.
struct Unit {
    function: Function,
    code: OnceLock<Code>,
    /// How often its parts were interpreted.
    runs: AtomicU32,
}

/// Code that is compiled as it is needed.
pub(crate) struct Jit {
    units: Vec<Unit>,
    interpreter: Interpreter,
    /// Words a buffer needs.
    words: usize,
    /// Owns the code.
    module: Mutex<Option<JITModule>>,
}

// A lock protects the module; finished code is not changed any more and has no state of its own.
unsafe impl Send for Jit {}
unsafe impl Sync for Jit {}

impl Drop for Jit {
    fn drop(&mut self) {
        let module = self
            .module
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = module.take() {
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
    /// Nothing compiled yet. Errors: this machine has no code generator, the state is too large.
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
        addressable(plan.words)?;
        let units = layout::functions(plan).into_iter().map(|function| Unit {
            function,
            code: OnceLock::new(),
            runs: AtomicU32::new(0),
        });
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        Ok(Self {
            units: units.collect(),
            interpreter: Interpreter::new(netlist, plan),
            words: plan.words,
            module: Mutex::new(Some(module)),
        })
    }

    /// Numbers of the functions that give what is shown, or of the others.
    pub(crate) fn functions(&self, shown: bool) -> Range<usize> {
        let first = self.units.partition_point(|unit| unit.function.shown);
        match shown {
            true => 0..first,
            false => first..self.units.len(),
        }
    }

    /// Computes those parts of a function whose flags are set.
    pub(crate) fn run(&self, netlist: &Netlist, plan: &Plan, number: usize, buffer: &mut [u64]) {
        assert!(buffer.len() >= self.words, "a buffer of this body");
        let unit = &self.units[number];
        if let Some(code) = unit.code.get() {
            // SAFETY: the buffer is as long as the code was made for (module head).
            unsafe { code(buffer.as_mut_ptr()) };
        } else if self.interpreter.run(unit.function.parts(), buffer).parts > 0
            && unit.runs.fetch_add(1, Relaxed) == RUNS
        {
            // What cannot be compiled stays with the interpreter.
            let _ = self.compile(netlist, plan, number);
        }
    }

    /// Compiles the functions in which something was computed in a run. Errors: as [`compile`](Self::compile).
    pub(crate) fn compile_active(
        &self,
        netlist: &Netlist,
        plan: &Plan,
        activity: &Activity,
    ) -> Result<()> {
        let active = |part: usize| {
            let mut nodes = plan.parts[part].nodes.iter();
            nodes.any(|id| ones(&activity.operands[id.index()]) > 0)
        };
        for (number, unit) in self.units.iter().enumerate() {
            if unit.function.parts().any(active) {
                self.compile(netlist, plan, number)?;
            }
        }
        Ok(())
    }

    /// Compiles a function. Errors: those of [`layout::items`], of the code generator.
    pub(crate) fn compile(&self, netlist: &Netlist, plan: &Plan, number: usize) -> Result<()> {
        let unit = &self.units[number];
        let mut module = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(module) = module.as_mut().filter(|_| unit.code.get().is_none()) else {
            return Ok(());
        };
        let mut context = module.make_context();
        context
            .func
            .signature
            .params
            .push(AbiParam::new(types::I64));
        let mut builders = FunctionBuilderContext::new();
        let builder = FunctionBuilder::new(&mut context.func, &mut builders);
        Emitter::new(builder, netlist, plan).function(&unit.function)?;
        let id = module
            .declare_anonymous_function(&context.func.signature)
            .map_err(failed)?;
        module.define_function(id, &mut context).map_err(failed)?;
        module.finalize_definitions().map_err(failed)?;
        let code = module.get_finalized_function(id);
        // SAFETY: compiled above with this signature and the default calling convention of the machine.
        let code = unsafe { std::mem::transmute::<*const u8, Code>(code) };
        // Nobody else compiles it: the lock is held.
        let _ = unit.code.set(code);
        Ok(())
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
