//! Arguments of calls about match entries.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tables::small_letters;

xtq_types::portal_lists! { small_letters {
    /// List of a portal entry.
    ListName => crate::tables::List, default Priority
} }

/// An option of a match entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeOption {
    /// Takes puts and atomics.
    OpPut,
    /// Takes gets and atomics that fetch.
    OpGet,
    /// Unlinked after one message.
    UseOnce,
    /// Sends no acknowledgements.
    AckDisable,
    /// Messages that it takes from the overflow list leave no header.
    UnexpectedHdrDisable,
    /// No `link` event.
    LinkDisable,
    /// No events of messages.
    CommDisable,
    /// No events of flow control.
    FlowctrlDisable,
    /// No events of what succeeded.
    SuccessDisable,
    /// No events of unexpected messages.
    OverDisable,
    /// No `auto_unlink` and `auto_free` events.
    UnlinkDisable,
    /// The counter counts messages.
    CtComm,
    /// The counter counts unexpected messages.
    CtOverflow,
    /// The counter counts bytes, not messages.
    CtBytes,
    /// Keeps its own offset: message after message.
    ManageLocal,
    /// Does not match what is longer than it has room.
    NoTruncate,
    /// The buffer is a list of pieces: no XTQ puts, no atomics.
    Iovec,
}

call! {
    /// Arguments of `ptl_me_append`.
    MeAppend {
        /// Its name.
        me: String,
        /// Portal entry.
        pt: String,
        /// List.
        #[serde(default)]
        list: ListName,
        /// Address of the buffer; with `iovec` of a list in memory, at a multiple of 8: 16 bytes a piece, its address
        /// and its length.
        start: u64,
        /// Bytes of the buffer; with `iovec` pieces, at most 1,024.
        length: u64,
        /// Options.
        options: Vec<MeOption>,
        /// Counter that counts what the options say.
        #[serde(default)]
        ct: Option<String>,
        /// User that may use it; left out: all.
        #[serde(default)]
        user_id: Option<u32>,
        /// Process whose messages match; left out: all.
        #[serde(default)]
        source: Option<String>,
        /// Bits that a message's match bits are compared with.
        #[serde(default)]
        match_bits: u64,
        /// Bits that are not compared.
        #[serde(default)]
        ignore_bits: u64,
        /// With `manage_local`: unlinked when fewer bytes are left; 0: never.
        #[serde(default)]
        min_free: u64,
    }
}

call! {
    /// Arguments of `ptl_me_unlink`.
    MeUnlink {
        /// Match entry.
        me: String,
    }
}

xtq_types::searches! { small_letters {
    /// What a search does with what it finds.
    SearchName => crate::tables::Search, default Only
} }

call! {
    /// Arguments of `ptl_me_search`.
    MeSearch {
        /// Portal entry.
        pt: String,
        /// `"only"` or `"delete"`.
        #[serde(default)]
        search: SearchName,
        /// Options: `op_put` or `op_get`, `use_once` for one message only.
        options: Vec<MeOption>,
        /// User whose messages are looked for; left out: all.
        #[serde(default)]
        user_id: Option<u32>,
        /// Process whose messages are looked for; left out: all.
        #[serde(default)]
        source: Option<String>,
        /// Match bits.
        #[serde(default)]
        match_bits: u64,
        /// Bits that are not compared.
        #[serde(default)]
        ignore_bits: u64,
    }
}
