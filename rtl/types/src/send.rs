//! What travels between the blocks of the initiator (docs/initiator.md).
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// Command ring to command stage.
    pub struct RingCommand / RingCommandUnpack : 1025 {
        /// The command, see [`Command`](super::command::Command).
        command: 1024,
        /// It could not be read.
        error: 1,
    }
}

wire_struct! {
    /// Command stage to memory descriptors: a new descriptor.
    pub struct MdBind / MdBindUnpack : 182 {
        /// Context.
        context: 2,
        /// Number.
        number: 16,
        /// Address of its first byte; with `pieces` of the list.
        start: 64,
        /// Bytes, of all pieces together.
        length: 64,
        /// Pieces of its list; 0: it has none.
        pieces: 11,
        /// Portals' options, see [`md_option`](super::command::md_option).
        options: 16,
        /// Counter that counts, if `counted`.
        counter: 8,
        /// It has a counter.
        counted: 1,
    }
}

wire_struct! {
    /// Command stage to memory descriptors: which bytes are meant.
    pub struct MdLookup / MdLookupUnpack : 146 {
        /// Context.
        context: 2,
        /// Number.
        number: 16,
        /// Offset in the descriptor in bytes.
        offset: 64,
        /// Bytes.
        length: 64,
    }
}

wire_struct! {
    /// Memory descriptors to command stage.
    pub struct MdFound / MdFoundUnpack : 108 {
        /// See [`command_status`](super::command::command_status).
        status: 8,
        /// Address of the first byte; with `pieces` of the list.
        address: 64,
        /// Pieces of the descriptor's list; 0: it has none.
        pieces: 11,
        /// Portals' options.
        options: 16,
        /// Counter, if `counted`.
        counter: 8,
        /// It has a counter.
        counted: 1,
    }
}

wire_struct! {
    /// Memory descriptors to initiator completer.
    pub struct MdInfo / MdInfoUnpack : 25 {
        /// Portals' options.
        options: 16,
        /// Counter, if `counted`.
        counter: 8,
        /// It has a counter.
        counted: 1,
    }
}

wire_struct! {
    /// Command stage to message pipeline: what a message is.
    pub struct MessageFacts / MessageFactsUnpack : 39 {
        /// Who gave it.
        owner: 2,
        /// Bytes of the whole message.
        total: 32,
        /// It is an XTQ put.
        xtq: 1,
        /// It is a GET.
        get: 1,
        /// It is a FETCH_ATOMIC or a SWAP.
        fetch: 1,
        /// The operand goes with one datum.
        single: 1,
        /// The second descriptor is used too.
        two: 1,
    }
}

wire_struct! {
    /// What is kept of a message until it has ended.
    pub struct MessageNote / MessageNoteUnpack : 305 {
        /// Context that sent it.
        context: 2,
        /// Operation of its command.
        operation: 8,
        /// Acknowledgement or reply that will come: see [`ack`](super::wire_header::ack); a reply counts as ACK.
        ack_request: 2,
        /// A reply will come, no acknowledgement.
        replies: 1,
        /// Number of the descriptor of the data (GET: of what the reply goes to).
        descriptor: 8,
        /// Number of the descriptor of the payload (XTQ_PUT) or of what the reply goes to (FETCH_ATOMIC, SWAP).
        second_descriptor: 8,
        /// The second descriptor is used.
        two: 1,
        /// Node that it went to.
        target_node: 16,
        /// Context that it went to.
        target_context: 8,
        /// Portal table entry that it went to.
        portal_index: 16,
        /// Bytes of the message.
        length: 32,
        /// Returned in events.
        user_pointer: 64,
        /// Where the reply goes; with `pieces` address of the list.
        address: 64,
        /// Pieces of the list that the reply goes to; 0: it goes to one place.
        pieces: 11,
        /// With `pieces`: where in the list, in bytes.
        offset: 64,
    }
}

wire_struct! {
    /// Message table to admission: what a reply is held against.
    pub struct ReplyTarget / ReplyTargetUnpack : 206 {
        /// A reply may come: the message is open, asked for one, and none has come yet.
        waits: 1,
        /// Context that sent the message.
        context: 2,
        /// Generation of the message's place.
        generation: 8,
        /// Node that it went to.
        target_node: 16,
        /// Context that it went to.
        target_context: 8,
        /// Bytes asked for.
        length: 32,
        /// Where the reply goes; with `pieces` address of the list.
        address: 64,
        /// Pieces of the list that it goes to; 0: it goes to one place.
        pieces: 11,
        /// With `pieces`: where in the list, in bytes.
        offset: 64,
    }
}

wire_struct! {
    /// Command stage and reply unit to iovec gather: bytes of one message, in two parts.
    pub struct GatherJob / GatherJobUnpack : 344 {
        /// Context whose memory it is.
        context: 2,
        /// Address of the first part; with `first_pieces` of its list.
        first_address: 64,
        /// Its bytes.
        first_length: 32,
        /// Pieces of its list; 0: it lies in one place.
        first_pieces: 11,
        /// With `first_pieces`: where it begins, in bytes of the list.
        first_offset: 64,
        /// Address of the second part; with `second_pieces` of its list.
        second_address: 64,
        /// Its bytes.
        second_length: 32,
        /// Pieces of its list; 0: it lies in one place.
        second_pieces: 11,
        /// With `second_pieces`: where it begins, in bytes of the list.
        second_offset: 64,
    }
}

wire_struct! {
    /// Iovec gather to gather unit: bytes of one message, or some of them.
    pub struct SpanJob / SpanJobUnpack : 196 {
        /// Context whose memory it is.
        context: 2,
        /// Address of the first span.
        first_address: 64,
        /// Its bytes.
        first_length: 32,
        /// Address of the second span.
        second_address: 64,
        /// Its bytes.
        second_length: 32,
        /// The next job goes on with the same message.
        more: 1,
        /// Nothing is read: nobody knows where the bytes are.
        unread: 1,
    }
}

wire_struct! {
    /// GatherUnit and AtomicUnit to their BurstCutter: the lines of a span.
    pub struct LineSpan / LineSpanUnpack : 87 {
        /// Context whose memory it is.
        context: 2,
        /// Address of the first line / 64.
        line: 58,
        /// Lines less one.
        lines_less_one: 27,
    }
}

wire_struct! {
    /// GatherUnit and AtomicUnit to their LineWalker: what the bytes of a span are, line by line.
    pub struct SpanNote / SpanNoteUnpack : 41 {
        /// Lane of the first byte in the first line.
        start: 6,
        /// Lane of the last byte in the last line.
        end_lane: 6,
        /// Last span of its message.
        last: 1,
        /// Its lines are not read.
        unread: 1,
        /// Lines less one.
        lines_less_one: 27,
    }
}

wire_struct! {
    /// LineWalker to the block that it is in: the bytes of a line that count.
    pub struct LineShape / LineShapeUnpack : 15 {
        /// First lane.
        start: 6,
        /// How many, 1 to 64.
        bytes: 7,
        /// Last line of the message.
        last: 1,
        /// It is not read.
        unread: 1,
    }
}

wire_struct! {
    /// To an iovec walker: bytes of a list of pieces.
    pub struct IovecJob / IovecJobUnpack : 174 {
        /// Context whose memory it is.
        context: 2,
        /// Address of the list, a multiple of 8.
        list: 64,
        /// Its pieces, 0 to 1,024.
        pieces: 11,
        /// Where the bytes begin, counted through the pieces.
        offset: 64,
        /// How many, 1 or more.
        length: 32,
        /// They are those after the last job's, of the same list.
        follows: 1,
    }
}

wire_struct! {
    /// A piece of a list: 16 bytes in memory, address and length.
    pub struct IovecPiece / IovecPieceUnpack : 129 {
        /// Address of its first byte.
        start: 64,
        /// Bytes.
        length: 64,
        /// The list could not be read up to here.
        error: 1,
    }
}

wire_struct! {
    /// Iovec walker to whom it walks for: bytes that lie one after the other.
    pub struct IovecSpan / IovecSpanUnpack : 98 {
        /// Address of the first.
        address: 64,
        /// How many, 1 or more.
        length: 32,
        /// The last of the job.
        last: 1,
        /// The list could not be read, or was shorter than it should be: nobody knows where these are.
        error: 1,
    }
}

wire_struct! {
    /// Command stage to packetiser: what the headers of a message say.
    pub struct SendJob / SendJobUnpack : 431 {
        /// See [`opcode`](super::wire_header::opcode).
        opcode: 8,
        /// See [`ack`](super::wire_header::ack).
        ack_request: 2,
        /// REPLY: outcome, see [`ni_fail`](super::wire_header::ni_fail).
        ni_fail: 8,
        /// Context that sends.
        context: 2,
        /// User id of the sender.
        user_id: 32,
        /// Target.
        target_node: 16,
        /// Context at the target.
        target_context: 8,
        /// Portal table entry at the target.
        portal_index: 16,
        /// Match bits.
        match_bits: 64,
        /// Offset at the target; REPLY: offset used.
        remote_offset: 64,
        /// Header data.
        header_data: 64,
        /// Bytes of the whole message (GET: bytes asked for).
        length: 32,
        /// A body follows the headers (GET has none).
        has_body: 1,
        /// XTQ_PUT: bytes of packet and arguments.
        command_length: 16,
        /// Generation and place of the message; REPLY: those of the message that it answers.
        initiator_handle: 16,
        /// Atomics: operation; REPLY: [`status`](super::event::status).
        operation: 8,
        /// Atomics: datatype.
        datatype: 8,
        /// The body is the datum and the operand, 16 bytes.
        single: 1,
        /// With `single`: the operand, in the low bytes.
        operand: 64,
        /// REPLY: the body is that of the old bytes of an atomic, not read from memory.
        kept: 1,
    }
}

wire_struct! {
    /// Bytes of a line.
    pub struct Piece / PieceUnpack : 527 {
        /// The line, lane 0 first.
        data: 512,
        /// First lane that counts, 0 to 63.
        start: 6,
        /// How many, 1 to 64.
        bytes: 7,
        /// Last piece of the message.
        last: 1,
        /// They could not be read.
        error: 1,
    }
}

wire_struct! {
    /// Bytes of a message.
    pub struct PackedBeat / PackedBeatUnpack : 521 {
        /// Bytes, lane 0 first.
        data: 512,
        /// How many, 1 to 64; 64 except in the last beat.
        bytes: 7,
        /// Last beat of the message.
        last: 1,
        /// Something of the message could not be read.
        error: 1,
    }
}

wire_struct! {
    /// A beat for the network.
    pub struct TxBeat / TxBeatUnpack : 577 {
        /// Bytes, lane 0 first.
        data: 512,
        /// Valid bytes.
        keep: 64,
        /// Last beat of the packet.
        last: 1,
    }
}

wire_struct! {
    /// Packetiser to initiator completer or reply unit: the last beat of a message was taken.
    pub struct SentNote / SentNoteUnpack : 9 {
        /// Message place; nothing of a reply.
        place: 8,
        /// Some of its bytes could not be read.
        error: 1,
    }
}

wire_struct! {
    /// Command stage to initiator completer: a command ended, and its process wants to know.
    pub struct CommandDone / CommandDoneUnpack : 210 {
        /// Context.
        context: 2,
        /// Operation of the command.
        operation: 8,
        /// See [`command_status`](super::command::command_status).
        status: 8,
        /// Returned in the event.
        user_pointer: 64,
        /// CT_GET: success.
        success: 64,
        /// CT_GET: failure.
        failure: 64,
    }
}

wire_struct! {
    /// Command stage to table writer: an entry of a lookup table.
    pub struct TableWrite / TableWriteUnpack : 532 {
        /// Context.
        context: 2,
        /// Table, see [`table_id`](super::tables::table_id).
        kind: 2,
        /// Entry.
        index: 16,
        /// Its 64 bytes.
        entry: 512,
    }
}

wire_struct! {
    /// Initiator completer to event merge: an event of whom no place is held.
    pub struct OwnEvent / OwnEventUnpack : 514 {
        /// Context.
        context: 2,
        /// The [`Event`](super::event::Event), `dropped` still 0.
        event: 512,
    }
}
