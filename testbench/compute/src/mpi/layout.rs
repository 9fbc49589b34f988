//! Numbers and places that the library has on every node: portal entries, descriptors, match entries, memory.

use super::Options;
use crate::Layout;
use std::ops::Range;
use xtq_testbench::aql::PACKET_BYTES;
use xtq_testbench::host::{Md, Me, Pt};

/// Two-sided messages: matched by kind, source and tag.
pub const MESSAGES: Pt = Pt(0);
/// What long messages are read from.
pub const DATA: Pt = Pt(1);
/// Where XTQ puts land.
pub const TASKS: Pt = Pt(2);
/// The window, for plain puts.
pub const WINDOW: Pt = Pt(3);
/// Ends of epochs and their acknowledgements.
pub const CONTROL: Pt = Pt(4);

/// All memory, with an event when something has been sent or has come.
pub const ALL: Md = Md(0);
/// All memory, without events.
pub const SILENT: Md = Md(1);
/// Bytes that both reach from address 0.
pub const REACH: u64 = 1 << 40;

/// Entries that stay: room for unexpected messages, then one of each kind.
pub const ROOMS: u16 = 4;
pub const TASKS_ENTRY: Me = Me(4);
pub const WINDOW_ENTRY: Me = Me(5);
pub const ACK_ENTRY: Me = Me(6);
pub const FLUSH_ENTRY: Me = Me(7);
/// Entries of posted receives, of receives at landing places, and of long messages that wait to be read.
pub const RECEIVES: Range<u16> = 8..40;
pub const LANDINGS: Range<u16> = 40..48;
pub const EXPOSED: Range<u16> = 48..64;

/// Most landing places that a rank may have.
pub const MOST_SLOTS: u64 = (LANDINGS.end - LANDINGS.start) as u64;

/// Bytes of a room for unexpected messages.
pub const ROOM_BYTES: u64 = 64 << 10;
/// Messages that nobody waits for yet of which a rank keeps a header: those of a context of the NIC.
pub const HEADERS: u64 = 32;

/// Handle of the kernel that combines, and bytes of its arguments: target, source, elements, displacement in bytes.
pub const KERNEL: u64 = 0x6d70_6900;
pub const ARGUMENTS: u64 = 32;
/// Bytes before the data of an XTQ put: packet and arguments.
pub const COMMAND: u64 = PACKET_BYTES as u64 + ARGUMENTS;
/// Index under which each node's queue is registered.
pub const QUEUE: u16 = 0;

/// Packets and arguments that are under way, in turn.
pub const IN_TURN: u64 = 64;
const COMMAND_STRIDE: u64 = 128;

const COMMANDS: u64 = Layout::HEAP;
const KERNARGS: u64 = COMMANDS + IN_TURN * COMMAND_STRIDE;
const ROOM: u64 = KERNARGS + IN_TURN * COMMAND_STRIDE;
/// The word that ends the progress thread.
pub const STOP: u64 = ROOM + ROOMS as u64 * ROOM_BYTES;
const LANDING: u64 = (STOP + 64).next_multiple_of(1 << 20);

/// First address that the library does not use.
pub const HEAP: u64 = Layout::HEAP + (1 << 34);

/// Packet and arguments of an XTQ put.
pub fn command(number: u64) -> u64 {
    COMMANDS + number % IN_TURN * COMMAND_STRIDE
}

/// Arguments of a kernel that the host starts.
pub fn kernargs(number: u64) -> u64 {
    KERNARGS + number % IN_TURN * COMMAND_STRIDE
}

/// Room for unexpected messages.
pub fn room(number: u16) -> u64 {
    ROOM + u64::from(number) * ROOM_BYTES
}

/// Two-sided accumulates that a rank may have unanswered at another: what the library allows, as far as those of all
/// other ranks find a header and room there, beside the messages of a barrier that come early. 0: not even one does.
pub fn unanswered(options: &Options, ranks: usize) -> u64 {
    let others = (ranks as u64).saturating_sub(1).max(1);
    let early = u64::from(ranks.next_power_of_two().ilog2()).saturating_sub(1);
    let eager = options.library.eager_bytes;
    let longest = eager.min(options.slot_bytes).max(1);
    let in_a_room = ROOM_BYTES.saturating_sub(eager.max(1)) / longest + 1;
    // A room is used again when all its messages were taken: one may be full of those that were.
    let in_rooms = u64::from(ROOMS - 1) * in_a_room + 1;
    let all = HEADERS.saturating_sub(early).min(in_rooms);
    options.library.unanswered.min(all / others)
}

/// Bytes from one landing place to the next.
fn stride(options: &Options) -> u64 {
    (COMMAND + options.slot_bytes).next_multiple_of(64)
}

/// All landing places of a node with so many ranks around it: address and bytes.
pub fn landing(options: &Options, ranks: usize) -> (u64, u64) {
    (LANDING, ranks as u64 * options.slots * stride(options))
}

/// The offset of a landing place among them: the one with this number of those that a rank has.
pub fn landing_offset(options: &Options, rank: usize, number: u64) -> u64 {
    (rank as u64 * options.slots + number % options.slots) * stride(options)
}

/// Where two-sided data land that are to be combined.
pub fn landing_address(options: &Options, rank: usize, number: u64) -> u64 {
    LANDING + landing_offset(options, rank, number)
}

/// The signal that the completion of a rank's tasks decrements, at their target.
pub fn task_signal(rank: usize) -> u64 {
    Layout::signal(1 + rank as u64)
}

/// The signal of the kernels that the host starts.
pub fn kernel_signal() -> u64 {
    Layout::signal(0)
}
