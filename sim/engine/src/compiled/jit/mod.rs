//! The JIT: the nodes as machine code, by Cranelift.
//!
//! **Idea.** A function for each list of parts of the [`Layout`]; [`emit`] writes it.
//!
//! **Safety.** A function gets the address of a buffer of at least as many words as its plan has and touches nothing else. Slots
//! and state words are constants below that, and a memory's entry is addressed by a value that is cut to the memory's
//! address bits.

#![allow(unsafe_code)]

use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};

use super::layout::Layout;
use super::plan::Plan;
use crate::netlist::Netlist;
use crate::{Error, Result};

mod emit;

use emit::Emitter;

/// Words that an instruction's offset reaches: it has 31 bits.
const MOST_WORDS: usize = i32::MAX as usize / 8;

type Function = unsafe extern "C" fn(*mut u64);

/// Compiled code.
pub(crate) struct Jit {
    /// Whether it gives what is shown, and the code.
    functions: Vec<(bool, Function)>,
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
        addressable(plan.words)?;
        let mut context = module.make_context();
        let mut builders = FunctionBuilderContext::new();
        let mut ids: Vec<FuncId> = Vec::new();
        for function in &layout.functions {
            let pointer = AbiParam::new(types::I64);
            context.func.signature.params.push(pointer);
            let builder = FunctionBuilder::new(&mut context.func, &mut builders);
            Emitter::new(builder, netlist, plan, &layout).function(function);
            let id = module
                .declare_anonymous_function(&context.func.signature)
                .map_err(failed)?;
            module.define_function(id, &mut context).map_err(failed)?;
            module.clear_context(&mut context);
            ids.push(id);
        }
        module.finalize_definitions().map_err(failed)?;
        let functions = ids.iter().zip(&layout.functions).map(|(id, function)| {
            let code = module.get_finalized_function(*id);
            // SAFETY: compiled above with this signature and the default calling convention of the machine.
            let code = unsafe { std::mem::transmute::<*const u8, Function>(code) };
            (function.shown, code)
        });
        let functions = functions.collect();
        Ok(Self {
            functions,
            words: plan.words,
            module: Some(module),
        })
    }

    /// Computes those parts whose flags are set: those that give what is shown, or the others.
    pub(crate) fn run(&self, shown: bool, buffer: &mut [u64]) {
        assert!(buffer.len() >= self.words, "a buffer of this body");
        for (_, function) in self.functions.iter().filter(|(of, _)| *of == shown) {
            // SAFETY: the buffer is as long as the code was told (module head).
            unsafe { function(buffer.as_mut_ptr()) };
        }
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
