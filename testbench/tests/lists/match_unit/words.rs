//! What goes in and out of the match unit as plain structs, and their bits.

use xtq_types::Field;
use xtq_types::matching::{
    MatchCommand, MatchRequest, MatchResponse, MatchResult, outcome, portal_option, request_kind,
};

/// The bits of a value, field by field.
pub struct Words(pub Vec<u64>);

impl Words {
    /// All bits zero.
    fn zero(fields: &[Field]) -> Self {
        let bits: usize = fields.iter().map(|field| field.width).sum();
        Self(vec![0; bits.div_ceil(64)])
    }

    fn field(fields: &[Field], name: &str) -> (usize, usize) {
        let field = fields.iter().find(|field| field.name == name);
        let field = field.unwrap_or_else(|| panic!("no field {name}"));
        (field.offset, field.width)
    }

    fn set(mut self, fields: &[Field], name: &str, value: u64) -> Self {
        let (offset, width) = Self::field(fields, name);
        assert!(width == 64 || value >> width == 0, "{name}: {value:x}");
        for bit in 0..width {
            let at = offset + bit;
            self.0[at / 64] |= (value >> bit & 1) << (at % 64);
        }
        self
    }

    /// The value of a field.
    pub fn get(&self, fields: &[Field], name: &str) -> u64 {
        let (offset, width) = Self::field(fields, name);
        (0..width).fold(0, |value, bit| {
            let at = offset + bit;
            value | (self.0[at / 64] >> (at % 64) & 1) << bit
        })
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub kind: u8,
    pub event_room: u64,
    pub crowded: bool,
    pub context: u64,
    pub portal: u64,
    pub node: u64,
    pub source_context: u64,
    pub user: u64,
    pub bits: u64,
    pub length: u64,
    pub limit: u64,
    pub offset: u64,
    pub header_data: u64,
    pub handle: u64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            kind: request_kind::PUT,
            event_room: 3,
            crowded: false,
            context: 0,
            portal: 0,
            node: 1,
            source_context: 0,
            user: 9,
            bits: 0,
            length: 8,
            limit: 0xFFFF_FFFF,
            offset: 0,
            header_data: 0,
            handle: 0,
        }
    }
}

impl Request {
    pub fn words(&self) -> Vec<u64> {
        let fields = MatchRequest::FIELDS;
        let set = [
            ("kind", self.kind.into()),
            ("event_room", self.event_room),
            ("crowded", self.crowded.into()),
            ("context", self.context),
            ("portal_index", self.portal),
            ("source_node", self.node),
            ("source_context", self.source_context),
            ("user_id", self.user),
            ("match_bits", self.bits),
            ("length", self.length),
            ("limit", self.limit),
            ("remote_offset", self.offset),
            ("header_data", self.header_data),
            ("handle", self.handle),
        ];
        let words = set
            .iter()
            .fold(Words::zero(fields), |words, (name, value)| {
                words.set(fields, name, *value)
            });
        words.0
    }
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    pub op: u8,
    pub context: u64,
    pub portal: u64,
    pub id: u64,
    pub list: u8,
    pub options: u32,
    pub any_node: bool,
    pub any_context: bool,
    pub any_user: bool,
    pub node: u64,
    pub source_context: u64,
    pub user: u64,
    pub bits: u64,
    pub ignore: u64,
    pub start: u64,
    pub length: u64,
    pub min_free: u64,
    pub counter: u64,
    pub user_ptr: u64,
    pub handle: u64,
}

impl Command {
    pub fn words(&self) -> Vec<u64> {
        let fields = MatchCommand::FIELDS;
        let set = [
            ("op", self.op.into()),
            ("context", self.context),
            ("portal_index", self.portal),
            ("id", self.id),
            ("list", self.list.into()),
            ("options", self.options.into()),
            ("any_node", self.any_node.into()),
            ("any_context", self.any_context.into()),
            ("any_user", self.any_user.into()),
            ("source_node", self.node),
            ("source_context", self.source_context),
            ("user_id", self.user),
            ("match_bits", self.bits),
            ("ignore_bits", self.ignore),
            ("start", self.start),
            ("length", self.length),
            ("min_free", self.min_free),
            ("counter", self.counter),
            ("user_ptr", self.user_ptr),
            ("handle", self.handle),
        ];
        let words = set
            .iter()
            .fold(Words::zero(fields), |words, (name, value)| {
                words.set(fields, name, *value)
            });
        words.0
    }

    /// PT_ALLOC of a matching portal entry.
    pub fn alloc(context: u64, portal: u64, flow_control: bool) -> Self {
        let flow = if flow_control {
            portal_option::FLOW_CONTROL
        } else {
            0
        };
        Self {
            op: xtq_types::matching::match_op::PT_ALLOC,
            context,
            portal,
            options: portal_option::MATCHING | flow,
            ..Self::default()
        }
    }

    /// A command about a portal entry.
    pub fn portal(op: u8, context: u64, portal: u64) -> Self {
        Self {
            op,
            context,
            portal,
            ..Self::default()
        }
    }

    /// ME_UNLINK.
    pub fn unlink(context: u64, id: u64) -> Self {
        Self {
            op: xtq_types::matching::match_op::ME_UNLINK,
            context,
            id,
            ..Self::default()
        }
    }
}

/// The entry in a result.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPart {
    pub id: u64,
    pub list: u64,
    pub options: u64,
    pub counter: u64,
    pub user_ptr: u64,
    pub start: u64,
}

/// A result; what has no meaning in it is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub handle: u64,
    pub outcome: u8,
    pub context: u64,
    pub portal: u64,
    pub portal_disabled: bool,
    /// If an entry matched and the portal entry took messages.
    pub entry: Option<EntryPart>,
    /// Offset and mlength, if the outcome is MATCHED.
    pub landing: Option<(u64, u64)>,
    pub auto_unlink: bool,
    pub auto_free: bool,
    pub unexpected: bool,
    /// Dropped although an entry matched, because it was crowded.
    pub crowded: bool,
}

impl Outcome {
    /// From the hardware; what `expected` says has no meaning is not looked at.
    pub fn read(words: &[u64], expected: &Self) -> Self {
        let words = Words(words.to_vec());
        let get = |name| words.get(MatchResult::FIELDS, name);
        Self {
            handle: get("handle"),
            outcome: get("outcome") as u8,
            context: get("context"),
            portal: get("portal"),
            portal_disabled: get("portal_disabled") == 1,
            entry: match &expected.entry {
                None => (get("options") != 0).then(|| panic!("options without an entry")),
                Some(_) => Some(EntryPart {
                    id: get("entry_id"),
                    list: get("list"),
                    options: get("options"),
                    counter: get("counter"),
                    user_ptr: get("user_ptr"),
                    start: get("start"),
                }),
            },
            landing: expected.landing.map(|_| (get("offset"), get("mlength"))),
            auto_unlink: get("auto_unlink") == 1,
            auto_free: get("auto_free") == 1,
            unexpected: get("unexpected") == 1,
            crowded: get("outcome") == u64::from(outcome::DROPPED) && get("crowded") == 1,
        }
    }
}

/// A response; what has no meaning in it is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// Handle, code, entry.
    Final(u64, u8, u64),
    /// A header, as [`HIT_FIELDS`] say. From the model, the first is how many headers came before it.
    Hit(Vec<u64>),
    /// Handle, entry, options, counter, user pointer, start.
    AutoFree(u64, u64, u64, u64, u64, u64),
}

/// Fields of a HIT.
pub const HIT_FIELDS: [&str; 19] = [
    "header",
    "handle",
    "context",
    "portal",
    "entry_id",
    "options",
    "counter",
    "user_ptr",
    "start",
    "offset",
    "mlength",
    "request_kind",
    "source_node",
    "source_context",
    "user_id",
    "match_bits",
    "length",
    "remote_offset",
    "header_data",
];

impl Response {
    /// From the hardware.
    pub fn read(words: &[u64]) -> Self {
        let words = Words(words.to_vec());
        let get = |name| words.get(MatchResponse::FIELDS, name);
        match get("kind") {
            0 => Self::Final(get("handle"), get("code") as u8, get("entry_id")),
            1 => Self::Hit(HIT_FIELDS.map(get).to_vec()),
            2 => Self::AutoFree(
                get("handle"),
                get("entry_id"),
                get("options"),
                get("counter"),
                get("user_ptr"),
                get("start"),
            ),
            kind => panic!("response of kind {kind}"),
        }
    }

    /// The header of a HIT.
    pub fn header(&self) -> Option<u64> {
        match self {
            Self::Hit(values) => values.first().copied(),
            _ => None,
        }
    }

    /// The code of a FINAL.
    pub fn code(&self) -> Option<u8> {
        match self {
            Self::Final(_, code, _) => Some(*code),
            _ => None,
        }
    }
}
