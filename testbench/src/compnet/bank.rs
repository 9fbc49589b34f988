//! `Bank`: a bank of the L2 as the models around it see it.

use super::access::{LockEnd, Op, Request, Response};
use crate::bus::BenchError;

/// A bank of the L2, run cycle by cycle.
pub trait Bank {
    /// Whether the bank's entry for this operation is free: a read-modify-write's write has one of its own.
    fn has_room(&self, op: Op) -> bool;
    /// Puts a request into its entry, for the coming cycle.
    fn submit(&mut self, request: Request);
    /// A clock cycle; the response of it, if there is one. Errors: of the engine, or a broken rule.
    fn cycle(&mut self) -> Result<Option<Response>, BenchError>;
    /// The locks that have ended since the last call, each with its cycle.
    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)>;
}
