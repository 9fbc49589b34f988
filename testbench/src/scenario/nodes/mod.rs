//! Scenarios of several nodes: whole NICs on a network, and programs in the calls of the host library.
//!
//! ```text
//!   file --schema, calls--> NodesScenario --check, names, compile--> NodesPlan
//!   NodesPlan --set_up, player, run--> NodesRun --seen--> Part --rows--> NodesReport
//! ```
//!
//! Each process does the steps of its program one after the other; a call posts a command, a wait ends when what it
//! waits for is there. The run ends when all programs have ended and nothing moves any more; programs that wait for
//! ever are named. A program says itself what it expects ([`WaitEvent`](calls::WaitEvent),
//! [`ExpectMemory`](calls::ExpectMemory)); protocol checkers watch every port.

pub mod calls;
mod check;
mod check_network;
mod checkpoint;
mod compile;
mod end;
mod finish;
mod keeping;
mod link_signals;
mod meeting;
mod message_row;
mod names;
mod nic;
mod outcome;
mod part;
mod plan;
mod player;
mod program;
mod report;
mod rows;
mod run;
pub mod schema;
mod seen;
mod set_up;
mod site;
mod steps;

pub use check::MOST_NODES;
pub(super) use check_network::check_network;
pub use checkpoint::{Checkpoint, CheckpointError, Head, Keep, MARK};
pub use message_row::MessageRow;
pub use nic::NicKind;
pub use part::Part;
pub use plan::NodesPlan;
pub use report::{
    EventRow, NodeState, NodesReport, ProcessState, SpineLinkState, StepRow, nodes_report_schema,
};
pub use run::NodesRun;
pub use schema::NodesScenario;
pub use steps::Steps;
