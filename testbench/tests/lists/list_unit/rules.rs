//! What a command reports, from the match unit's model: rules 3 of `docs/portals-model.md`, one after the other.

use std::collections::BTreeMap;

use xtq_types::command::command_status;
use xtq_types::event::{Event, kind};
use xtq_types::matching::{match_code, match_op, me_option, request_kind};
use xtq_types::wire_header::ni_fail;

use crate::match_unit::words::{Command, HIT_FIELDS, Response, Words};

/// Something that the unit reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Context; the fields of the event that are not 0.
    Event(u64, BTreeMap<&'static str, u64>),
    /// Context, counter, success, failure.
    Count(u64, u64, u64, u64),
    /// Context; status of its command.
    Done(u64, u64),
    /// {context, portal entry}.
    Enabled(u64),
}

impl Told {
    /// From the words of an `OwnEvent`, the context in its low bits.
    pub fn event(words: &[u64]) -> Self {
        let event = (0..8).map(|i| words[i] >> 2 | words[i + 1] << 62).collect();
        let event = Words(event);
        let fields = Event::FIELDS.iter();
        let fields = fields.map(|field| (field.name, event.get(Event::FIELDS, field.name)));
        Self::Event(words[0] & 3, fields.filter(|field| field.1 != 0).collect())
    }

    /// Whether it says that something was added, or that a search ended.
    pub fn adds(&self) -> bool {
        match self {
            Self::Event(_, fields) => {
                let fail = fields.get("ni_fail");
                self.kind() == Some(kind::LINK) || fail == Some(&ni_fail::NO_MATCH.into())
            }
            Self::Count(.., failure) => *failure == 1,
            Self::Done(..) | Self::Enabled(_) => false,
        }
    }

    /// Whose it is.
    pub fn context(&self) -> usize {
        let context = match self {
            Self::Event(context, _) | Self::Count(context, ..) | Self::Done(context, _) => *context,
            Self::Enabled(portal) => portal >> 6,
        };
        context as usize
    }

    /// The kind of an event.
    pub fn kind(&self) -> Option<u8> {
        match self {
            Self::Event(_, fields) => Some(fields.get("kind").map_or(0, |kind| *kind as u8)),
            _ => None,
        }
    }
}

/// What became of an unexpected message: status, access, `ni_fail`.
pub type Ended = [u8; 3];

/// All that a command of the host reports, in order. `ended`: of each header, in the order in which they came.
pub fn told(command: &Command, responses: &[Response], ended: &[Ended]) -> Vec<Told> {
    responses
        .iter()
        .flat_map(|response| match response {
            Response::Hit(values) => hit(command, values, ended[values[0] as usize]),
            Response::AutoFree(_, _, options, _, user_ptr, start) => {
                let wanted = options & u64::from(me_option::UNLINK_DISABLE) == 0;
                let fields = [("packet_id", *user_ptr), ("start", *start)];
                entry_event(command, wanted, kind::AUTO_FREE, &fields)
            }
            Response::Final(_, code, _) => last(command, *code),
        })
        .collect()
}

/// Whether anything that a command says must wait for messages.
pub fn waits(responses: &[Response]) -> bool {
    responses.iter().any(|response| match response.code() {
        None => true,
        Some(code) => ends_something(code),
    })
}

/// The end of a command that takes something away, or is about a portal entry.
fn ends_something(code: u8) -> bool {
    [
        match_code::CONSUMED,
        match_code::UNLINKED,
        match_code::NOT_LINKED,
        match_code::OK,
    ]
    .contains(&code)
}

fn has(command: &Command, option: u32) -> bool {
    command.options & option != 0
}

/// An event about an entry.
fn entry_event(
    command: &Command,
    wanted: bool,
    kind: u8,
    fields: &[(&'static str, u64)],
) -> Vec<Told> {
    if !wanted {
        return Vec::new();
    }
    let common = [("kind", kind.into()), ("portal_index", command.portal)];
    let fields = common.iter().chain(fields).copied();
    let fields = fields.filter(|field| field.1 != 0).collect();
    vec![Told::Event(command.context, fields)]
}

/// A header was found: event and count.
fn hit(command: &Command, values: &[u64], [status, access, fail]: Ended) -> Vec<Told> {
    let get = |name: &str| {
        let place = HIT_FIELDS.iter().position(|field| *field == name);
        values[place.expect("a field")]
    };
    let only = command.op == match_op::ME_SEARCH_ONLY;
    let silent = if only {
        me_option::COMM_DISABLE
    } else {
        me_option::OVER_DISABLE
    };
    let kind = match get("request_kind") as u8 {
        _ if only => kind::SEARCH,
        request_kind::PUT | request_kind::XTQ_PUT => kind::PUT_OVERFLOW,
        request_kind::GET => kind::GET_OVERFLOW,
        request_kind::ATOMIC => kind::ATOMIC_OVERFLOW,
        _ => kind::FETCH_ATOMIC_OVERFLOW,
    };
    let mlength = if fail == ni_fail::OK {
        get("mlength")
    } else {
        0
    };
    // A search that leaves it there has found it, whatever became of it.
    let told_fail = if only { ni_fail::OK } else { fail };
    let fields = [
        ("status", status.into()),
        ("access", access.into()),
        ("ni_fail", told_fail.into()),
        ("source_node", get("source_node")),
        ("user_id", get("user_id")),
        ("queue_index", 1),
        ("source_context", get("source_context")),
        ("match_bits", get("match_bits")),
        ("header_data", get("header_data")),
        ("start", get("start").wrapping_add(get("offset"))),
        ("requested_length", get("length")),
        ("delivered_length", mlength),
        ("remote_offset", get("remote_offset")),
        ("packet_id", command.user_ptr),
    ];
    let mut told = entry_event(command, !has(command, silent), kind, &fields);
    if has(command, me_option::CT_OVERFLOW) {
        let bytes = has(command, me_option::CT_BYTES);
        let (success, failure) = match fail {
            ni_fail::OK if bytes => (mlength, 0),
            ni_fail::OK => (1, 0),
            _ => (0, 1),
        };
        told.push(Told::Count(
            command.context,
            command.counter,
            success,
            failure,
        ));
    }
    told
}

/// The end of a command.
fn last(command: &Command, code: u8) -> Vec<Told> {
    let user = ("packet_id", command.user_ptr);
    let mut told = match code {
        match_code::LINKED => entry_event(
            command,
            !has(command, me_option::LINK_DISABLE),
            kind::LINK,
            &[user],
        ),
        match_code::CONSUMED => {
            let wanted = !has(command, me_option::UNLINK_DISABLE);
            entry_event(command, wanted, kind::AUTO_UNLINK, &[user])
        }
        match_code::NOT_FOUND => {
            let none = ("ni_fail", ni_fail::NO_MATCH.into());
            let wanted = !has(command, me_option::COMM_DISABLE);
            entry_event(command, wanted, kind::SEARCH, &[user, none])
        }
        _ => Vec::new(),
    };
    // A search for all ends with a failure; one for one header only if there is none.
    let ends = code == match_code::NOT_FOUND
        || code == match_code::FOUND && !has(command, me_option::USE_ONCE);
    if ends && has(command, me_option::CT_OVERFLOW) {
        told.push(Told::Count(command.context, command.counter, 0, 1));
    }
    let opens = [match_op::PT_ALLOC, match_op::PT_ENABLE].contains(&command.op);
    if opens && code == match_code::OK {
        told.push(Told::Enabled(command.context << 6 | command.portal));
    }
    told.push(Told::Done(command.context, status(code).into()));
    told
}

fn status(code: u8) -> u8 {
    match code {
        match_code::LINKED
        | match_code::CONSUMED
        | match_code::UNLINKED
        | match_code::NOT_LINKED
        | match_code::FOUND
        | match_code::OK => command_status::OK,
        match_code::NOT_FOUND => command_status::NOT_FOUND,
        match_code::ID_BUSY | match_code::NO_SPACE => command_status::BAD_ENTRY,
        match_code::IN_USE | match_code::PORTAL_IN_USE => command_status::IN_USE,
        match_code::BAD_PORTAL => command_status::BAD_PORTAL,
        _ => command_status::BAD_OPERATION,
    }
}
