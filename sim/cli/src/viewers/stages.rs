//! What viewers show of a waveform: the one table of signals, a group a stage of the pipeline, in the order in which a
//! message passes.
//!
//! A signal is named by its path inside a node, or inside the block that a scenario runs, as the waveform writes it:
//! `$` before the field of a struct, `_q.q` the value of a register. A test compares the table with waveforms, so a
//! block or signal with another name is noticed there.

use Form::{Binary, Decimal, Hex, Name, State};

/// How a signal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As bits: flags and handshakes.
    Binary,
    /// As a decimal number: counts, lengths, indices.
    Decimal,
    /// As a hexadecimal number: addresses, and what only has to be recognised.
    Hex,
    /// The state of a state machine: the waveform has its name.
    State,
    /// By the name of the constant with this value in a module of `xtq_types`.
    Name(&'static str),
}

/// On which side of a message a stage works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// That of the sender.
    Initiator,
    /// That of the receiver.
    Target,
    /// Both.
    Both,
}

/// A group of signals.
#[derive(Debug)]
pub struct Stage {
    /// Name of the group.
    pub name: &'static str,
    /// Who does it.
    pub side: Side,
    /// Paths, and how each is written.
    pub signals: &'static [(&'static str, Form)],
}

const fn stage(name: &'static str, side: Side, signals: &'static [(&'static str, Form)]) -> Stage {
    Stage {
        name,
        side,
        signals,
    }
}

/// A NIC. The target side alone has those that are not the initiator's.
pub const NIC: &[Stage] = &[
    stage(
        "command ring",
        Side::Initiator,
        &[
            ("initiator.ring.request_valid", Binary),
            ("initiator.ring.request$address", Hex),
            ("initiator.ring.result_valid", Binary),
            ("initiator.ring.waiting", Binary),
            ("initiator.ring.take", Binary),
        ],
    ),
    stage(
        "command",
        Side::Initiator,
        &[
            ("initiator.stage.state_q.q", State),
            (
                "initiator.stage.at_hand$operation",
                Name("command::operation"),
            ),
            ("initiator.stage.at_hand$node", Decimal),
            ("initiator.stage.at_hand$length", Decimal),
            ("initiator.stage.lookup_valid", Binary),
            ("initiator.stage.lookup$number", Decimal),
            ("initiator.stage.found_valid", Binary),
            ("initiator.stage.found$address", Hex),
            ("initiator.stage.done_valid", Binary),
            (
                "initiator.stage.done$status",
                Name("command::command_status"),
            ),
        ],
    ),
    stage(
        "gather",
        Side::Initiator,
        &[
            ("initiator.gather.job_valid", Binary),
            ("initiator.gather.job_ready", Binary),
            ("initiator.gather.job$first_address", Hex),
            ("initiator.gather.job$first_length", Decimal),
            ("initiator.gather.job$second_address", Hex),
            ("initiator.gather.job$second_length", Decimal),
            ("initiator.gather.beat_valid", Binary),
            ("initiator.gather.beat_ready", Binary),
            ("initiator.gather.beat$bytes", Decimal),
        ],
    ),
    stage(
        "packets out",
        Side::Initiator,
        &[
            ("initiator.packetiser.state_q.q", State),
            (
                "initiator.packetiser.header$opcode",
                Name("wire_header::opcode"),
            ),
            ("initiator.packetiser.header$target_node", Decimal),
            ("initiator.packetiser.header$message_id", Decimal),
            ("initiator.packetiser.header$message_length", Decimal),
            ("initiator.packetiser.header$packet_offset", Decimal),
            ("initiator.packetiser.tx_valid", Binary),
            ("initiator.packetiser.tx_ready", Binary),
        ],
    ),
    stage(
        "to the link",
        Side::Both,
        &[
            ("m_axis_net_tvalid", Binary),
            ("m_axis_net_tready", Binary),
            ("m_axis_net_tlast", Binary),
        ],
    ),
    // The target side alone has one stream each way.
    stage(
        "answers to the link",
        Side::Initiator,
        &[
            ("m_axis_ans_tvalid", Binary),
            ("m_axis_ans_tready", Binary),
            ("m_axis_ans_tlast", Binary),
        ],
    ),
    stage(
        "from the link",
        Side::Both,
        &[
            ("s_axis_net_tvalid", Binary),
            ("s_axis_net_tready", Binary),
            ("s_axis_net_tlast", Binary),
        ],
    ),
    // The target side alone has one stream each way.
    stage(
        "answers from the link",
        Side::Initiator,
        &[
            ("s_axis_ans_tvalid", Binary),
            ("s_axis_ans_tready", Binary),
            ("s_axis_ans_tlast", Binary),
        ],
    ),
    stage(
        "parser",
        Side::Target,
        &[
            ("pipeline.parser.state_q.q", State),
            ("pipeline.parser.head_valid", Binary),
            ("pipeline.parser.head_ready", Binary),
            ("pipeline.parser.head$xtq", Binary),
            ("pipeline.parser.head$source_node", Decimal),
            ("pipeline.parser.head$message_id", Decimal),
            ("pipeline.parser.head$message_length", Decimal),
            ("pipeline.parser.head$portal_index", Decimal),
            ("pipeline.parser.head$match_bits", Hex),
            ("pipeline.parser.body_valid", Binary),
            ("pipeline.parser.body_ready", Binary),
        ],
    ),
    stage(
        "match",
        Side::Target,
        &[
            ("pipeline.matching.request_valid", Binary),
            ("pipeline.matching.request_ready", Binary),
            (
                "pipeline.matching.request$kind",
                Name("matching::request_kind"),
            ),
            ("pipeline.admission.result_valid", Binary),
            ("pipeline.admission.result_ready", Binary),
            (
                "pipeline.admission.result$outcome",
                Name("matching::outcome"),
            ),
            ("pipeline.admission.result$entry_id", Decimal),
            ("pipeline.admission.result$list", Binary),
            ("pipeline.admission.result$start", Hex),
            ("pipeline.admission.result$mlength", Decimal),
        ],
    ),
    stage(
        "lookup",
        Side::Target,
        &[
            ("pipeline.lookup.request_valid", Binary),
            ("pipeline.lookup.request_ready", Binary),
            ("pipeline.lookup.request$kind", Name("tables::table_id")),
            ("pipeline.lookup.request$index", Decimal),
            ("pipeline.lookup.request$address", Hex),
            ("pipeline.lookup.result_valid", Binary),
            ("pipeline.lookup.result$hit", Binary),
            ("pipeline.lookup.out_valid", Binary),
            ("pipeline.lookup.out_ready", Binary),
        ],
    ),
    stage(
        "admission",
        Side::Target,
        &[
            ("pipeline.admission.steps.state_q.q", State),
            ("pipeline.queues.state_q.q", State),
            ("pipeline.queues.admit_valid", Binary),
            ("pipeline.queues.admit_ready", Binary),
            ("pipeline.queues.admit$index", Decimal),
            ("trace_admit", Binary),
            ("trace_admit_slot", Decimal),
            ("trace_admit_status", Name("event::status")),
        ],
    ),
    stage(
        "rewrite",
        Side::Target,
        &[
            ("pipeline.rewrite.job_valid", Binary),
            ("pipeline.rewrite.job_ready", Binary),
            ("pipeline.rewrite.job$slot", Decimal),
            ("pipeline.rewrite.job$kernel", Binary),
            ("pipeline.rewrite.job$target", Hex),
            ("pipeline.rewrite.job$payload_address", Hex),
            ("pipeline.rewrite.job$completion_signal", Hex),
            ("pipeline.rewrite.beat_valid", Binary),
            ("pipeline.rewrite.beat_ready", Binary),
            ("pipeline.rewrite.beat$bytes", Decimal),
        ],
    ),
    stage(
        "atomics",
        Side::Target,
        &[
            ("pipeline.atomics.state_q.q", State),
            ("pipeline.atomics.job_valid", Binary),
            ("pipeline.atomics.job_ready", Binary),
            ("pipeline.atomics.job$operation", Name("atomic::operation")),
            ("pipeline.atomics.job$datatype", Name("atomic::datatype")),
            ("pipeline.atomics.job$address", Hex),
            ("pipeline.atomics.done_valid", Binary),
        ],
    ),
    stage(
        "payload writes",
        Side::Target,
        &[
            ("pipeline.payload.payload_valid", Binary),
            ("pipeline.payload.payload_ready", Binary),
            ("pipeline.payload.payload$address", Hex),
            ("pipeline.payload.payload$last", Binary),
            ("pipeline.payload.payload_done", Binary),
            ("pipeline.payload.done_valid", Binary),
        ],
    ),
    stage(
        "enqueue",
        Side::Target,
        &[
            ("pipeline.enqueuer.state_q.q", State),
            ("pipeline.enqueuer.record_valid", Binary),
            ("pipeline.enqueuer.record_ready", Binary),
            ("pipeline.enqueuer.enqueue_valid", Binary),
            ("pipeline.enqueuer.enqueue_ready", Binary),
            ("pipeline.enqueuer.enqueue$address", Hex),
            ("pipeline.write_port.enqueue_done", Binary),
        ],
    ),
    stage(
        "header word",
        Side::Target,
        &[
            ("pipeline.header.state_q.q", State),
            ("pipeline.header.job_valid", Binary),
            ("pipeline.header.job$queue_index", Decimal),
            ("pipeline.header.header_valid", Binary),
            ("pipeline.header.header_ready", Binary),
            ("pipeline.header.header$address", Hex),
        ],
    ),
    stage(
        "doorbell",
        Side::Target,
        &[
            ("pipeline.doorbell.header_done", Binary),
            ("pipeline.doorbell.doorbell_valid", Binary),
            ("pipeline.doorbell.doorbell_ready", Binary),
            ("pipeline.doorbell.doorbell$address", Hex),
            ("pipeline.doorbell.doorbell_done", Binary),
        ],
    ),
    stage(
        "completion",
        Side::Target,
        &[
            ("pipeline.completer.part_q.q", State),
            ("pipeline.completer.completion_valid", Binary),
            ("pipeline.completer.completion_ready", Binary),
            ("pipeline.completer.completion$slot", Decimal),
            (
                "pipeline.completer.completion$status",
                Name("event::status"),
            ),
            ("pipeline.completer.record$kind", Name("event::kind")),
            ("pipeline.completer.event_write_valid", Binary),
            ("pipeline.completer.event_write$address", Hex),
            ("pipeline.completer.visible_valid", Binary),
            ("pipeline.completer.ack_valid", Binary),
            (
                "pipeline.completer.ack$ni_fail",
                Name("wire_header::ni_fail"),
            ),
        ],
    ),
    stage(
        "answers",
        Side::Initiator,
        &[
            ("splitter.answer_valid", Binary),
            ("splitter.answer_ready", Binary),
            ("splitter.answer$opcode", Name("wire_header::opcode")),
            ("splitter.answer$ni_fail", Name("wire_header::ni_fail")),
            ("splitter.answer$operation", Name("event::status")),
            ("splitter.answer$initiator_handle", Decimal),
        ],
    ),
    stage(
        "events and counts of the sender",
        Side::Initiator,
        &[
            ("initiator.completer.state_q.q", State),
            ("initiator.completer.told_q.q", State),
            ("initiator.completer.record$kind", Name("event::kind")),
            ("initiator.completer.own_valid", Binary),
            ("initiator.completer.own_ready", Binary),
            ("initiator.completer.count_valid", Binary),
            ("initiator.completer.count$counter", Decimal),
        ],
    ),
    stage(
        "memory port",
        Side::Both,
        &[
            ("m_axi_awvalid", Binary),
            ("m_axi_awready", Binary),
            ("m_axi_awid", Decimal),
            ("m_axi_awaddr", Hex),
            ("m_axi_wvalid", Binary),
            ("m_axi_wready", Binary),
            ("m_axi_wlast", Binary),
            ("m_axi_bvalid", Binary),
            ("m_axi_bid", Decimal),
            ("m_axi_arvalid", Binary),
            ("m_axi_arready", Binary),
            ("m_axi_arid", Decimal),
            ("m_axi_araddr", Hex),
            ("m_axi_rvalid", Binary),
            ("m_axi_rid", Decimal),
        ],
    ),
];

/// A node's link to the network.
pub const LINK: &[Stage] = &[stage(
    "link",
    Side::Both,
    &[
        ("ready", Binary),
        ("ready_answer", Binary),
        ("beats_on_the_way", Decimal),
        ("offers", Binary),
        ("offers_answer", Binary),
    ],
)];

/// A bank of the L2.
pub const L2_BANK: &[Stage] = &[
    stage(
        "requests",
        Side::Both,
        &[
            ("request_valid", Binary),
            ("request_ready", Binary),
            ("request$op", Name("l2::op")),
            ("request$cp", Binary),
            ("request$requester", Decimal),
            ("request$address", Hex),
        ],
    ),
    stage(
        "unlocking writes",
        Side::Both,
        &[
            ("rmw_write_valid", Binary),
            ("rmw_write_ready", Binary),
            ("rmw_write$requester", Decimal),
            ("rmw_write$address", Hex),
        ],
    ),
    stage(
        "responses",
        Side::Both,
        &[
            ("response_valid", Binary),
            ("response_ready", Binary),
            ("response$requester", Decimal),
            ("response$hit", Binary),
            ("response$status", Name("l2::status")),
        ],
    ),
    stage(
        "locks",
        Side::Both,
        &[
            ("locked_lines", Decimal),
            ("lock_end_valid", Binary),
            ("lock_end$cause", Name("l2::cause")),
            ("lock_end$owner", Decimal),
            ("lock_end$line", Hex),
        ],
    ),
    stage(
        "memory port",
        Side::Both,
        &[
            ("ar_valid", Binary),
            ("ar_addr", Hex),
            ("r_valid", Binary),
            ("aw_valid", Binary),
            ("aw_addr", Hex),
            ("w_valid", Binary),
            ("b_valid", Binary),
        ],
    ),
];
