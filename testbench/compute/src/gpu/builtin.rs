//! Kernels that are there: combine two vectors, copy, fill.
//!
//! Arguments are 64-bit words. Word 0 is the target buffer and word 1 the source, which is how the NIC rewrites them
//! (buffer pointer, payload address). Word 2 is a number of elements or bytes, word 3 a number of bytes that is added
//! to the address of the target, word 4 a value.

use super::kernel::{Kernel, Launch, Plan, Span};
use crate::combine::Combine;

/// Longest operand, bytes: nothing a launch asks for makes the simulator run out of memory.
const LONGEST: u64 = 1 << 28;

/// The target of a launch: word 0 and the bytes of word 3 further.
fn target(launch: &Launch) -> u64 {
    launch.argument(0).wrapping_add(launch.argument(3))
}

/// The span of an operand. Errors: it is longer than any that is taken.
fn span(name: &str, address: u64, elements: u64, bytes: u64) -> Result<Span, String> {
    match elements.checked_mul(bytes) {
        Some(bytes) if bytes <= LONGEST => Ok(Span { address, bytes }),
        _ => Err(format!(
            "{name}: {elements} elements of {bytes} bytes are more than {LONGEST} bytes"
        )),
    }
}

/// `target[i] = target[i] op source[i]`; word 2: elements.
pub struct CombineKernel(pub Combine);

impl Kernel for CombineKernel {
    fn name(&self) -> String {
        let Combine {
            operation,
            datatype,
        } = self.0;
        format!("{operation:?} of {datatype:?}")
    }

    fn plan(&self, launch: &Launch) -> Result<Plan, String> {
        combine(self.0, launch, launch.argument(1))
    }
}

/// Combines the source at this address into the target of a launch.
fn combine(how: Combine, launch: &Launch, source: u64) -> Result<Plan, String> {
    let bytes = how.bytes().map_err(|error| error.to_string())?;
    let elements = launch.argument(2);
    let name = CombineKernel(how).name();
    let operand = |address| span(&name, address, elements, bytes);
    let (target, source) = (operand(target(launch))?, operand(source)?);
    Ok(Plan {
        reads: vec![target, source],
        writes: vec![target],
        instructions: launch.combine_instructions,
        effect: Box::new(move |read| {
            let mut result = read[0].clone();
            let combined = how.apply(&mut result, &read[1]);
            combined.map_err(|error| error.to_string())?;
            Ok(vec![result])
        }),
    })
}

/// `buffer[into + i] = buffer[into + i] op buffer[from + i]`, of bytes that are both in the buffer of word 0; word 2:
/// elements, word 3: offset of the target, word 4: of the source.
pub struct InPlaceKernel(pub Combine);

impl Kernel for InPlaceKernel {
    fn name(&self) -> String {
        CombineKernel(self.0).name()
    }

    fn plan(&self, launch: &Launch) -> Result<Plan, String> {
        let source = launch.argument(0).wrapping_add(launch.argument(4));
        combine(self.0, launch, source)
    }
}

/// `target[i] = source[i]`; word 2: bytes.
pub struct CopyKernel;

impl Kernel for CopyKernel {
    fn name(&self) -> String {
        "Copy".to_owned()
    }

    fn plan(&self, launch: &Launch) -> Result<Plan, String> {
        let operand = |address| span("Copy", address, launch.argument(2), 1);
        Ok(Plan {
            reads: vec![operand(launch.argument(1))?],
            writes: vec![operand(target(launch))?],
            instructions: launch.copy_instructions,
            effect: Box::new(|read| Ok(read.to_vec())),
        })
    }
}

/// `target[i] = value` for 64-bit words; word 2: words, word 4: the value.
pub struct FillKernel;

impl Kernel for FillKernel {
    fn name(&self) -> String {
        "Fill".to_owned()
    }

    fn plan(&self, launch: &Launch) -> Result<Plan, String> {
        let words = launch.argument(2);
        let target = span("Fill", target(launch), words, 8)?;
        let value = launch.argument(4).to_le_bytes();
        Ok(Plan {
            reads: Vec::new(),
            writes: vec![target],
            instructions: launch.copy_instructions,
            effect: Box::new(move |_| Ok(vec![value.repeat(words as usize)])),
        })
    }
}
