//! What a kernel does.

use std::sync::Arc;
use xtq_testbench::aql::{Packet, field};
use xtq_testbench::bytes::{Bytes, SparseMemory};

/// Bytes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Address of the first.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

/// A launch that a kernel plans: the packet, and memory as it is when the kernel starts.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The AQL packet.
    pub packet: &'a Packet,
    /// Memory of the queue's context.
    pub memory: &'a SparseMemory,
    /// Instructions of a wavefront that combines an element a lane ([`GpuConfig`]).
    pub combine_instructions: u64,
    /// Instructions of a wavefront that copies or fills an element a lane.
    pub copy_instructions: u64,
}

impl Launch<'_> {
    /// Word `number` of the arguments, 64 bits each.
    pub fn argument(&self, number: u64) -> u64 {
        let address = field::KERNARG_ADDRESS.read(self.packet);
        self.memory.read_u64(address.wrapping_add(8 * number))
    }

    /// Work-items of the grid.
    pub fn work_items(&self) -> u64 {
        work_items(self.packet)
    }
}

/// Work-items of the grid of a packet.
pub(super) fn work_items(packet: &Packet) -> u64 {
    let sizes = field::GRID_SIZE.iter().map(|size| size.read(packet));
    sizes.fold(1, |product: u64, size| product.saturating_mul(size.max(1)))
}

/// What becomes of the operands: from the bytes of each span read, the bytes of each span written.
pub type Effect = Box<dyn FnOnce(&[Vec<u8>]) -> Result<Vec<Vec<u8>>, String> + Send>;

/// What a launch will do.
pub struct Plan {
    /// What it reads.
    pub reads: Vec<Span>,
    /// What it writes, when it ends.
    pub writes: Vec<Span>,
    /// Instructions of each wavefront.
    pub instructions: u64,
    /// What it makes of what it reads.
    pub effect: Effect,
}

/// A kernel.
pub trait Kernel: Send + Sync {
    /// Name, for reports and errors.
    fn name(&self) -> String;
    /// What a launch will do. Errors: why it cannot.
    fn plan(&self, launch: &Launch) -> Result<Plan, String>;
}

struct Custom<P> {
    name: String,
    plan: P,
}

impl<P: Fn(&Launch) -> Result<Plan, String> + Send + Sync> Kernel for Custom<P> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn plan(&self, launch: &Launch) -> Result<Plan, String> {
        (self.plan)(launch)
    }
}

/// A kernel of one's own.
///
/// ```
/// use xtq_compute::gpu::{Plan, Span, custom};
///
/// let negate = custom("negate", |launch| {
///     let bytes = Span { address: launch.argument(0), bytes: launch.argument(2) };
///     Ok(Plan {
///         reads: vec![bytes],
///         writes: vec![bytes],
///         instructions: 8,
///         effect: Box::new(|read| Ok(vec![read[0].iter().map(|byte| !byte).collect()])),
///     })
/// });
/// assert_eq!(negate.name(), "negate");
/// ```
pub fn custom(
    name: &str,
    plan: impl Fn(&Launch) -> Result<Plan, String> + Send + Sync + 'static,
) -> Arc<dyn Kernel> {
    Arc::new(Custom {
        name: name.to_owned(),
        plan,
    })
}
