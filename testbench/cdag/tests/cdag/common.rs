//! What the tests of collectives share.

use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::Parameters;

/// Sizes that the tests run.
pub const NODES: [usize; 7] = [1, 2, 3, 5, 8, 16, 64];

pub fn parameters(nodes: usize) -> Parameters {
    Parameters {
        nodes,
        bytes: 48,
        k: 2,
        segments: 3,
        operation: Operation::Sum,
        datatype: Datatype::Uint32,
    }
}
