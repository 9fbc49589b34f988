//! Arguments of calls about portal entries and memory descriptors.

use schemars::JsonSchema;
use serde::Deserialize;

call! {
    /// Arguments of `ptl_pt_alloc`.
    PtAlloc {
        /// Its name.
        pt: String,
        /// A message that finds no room disables the entry, and is not lost but refused.
        #[serde(default)]
        flow_control: bool,
    }
}

call! {
    /// Arguments of `ptl_pt_free`.
    PtFree {
        /// Portal entry.
        pt: String,
    }
}

call! {
    /// Arguments of `ptl_pt_enable`.
    PtEnable {
        /// Portal entry.
        pt: String,
    }
}

call! {
    /// Arguments of `ptl_pt_disable`.
    PtDisable {
        /// Portal entry.
        pt: String,
    }
}

/// An option of a memory descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MdOption {
    /// Posts events.
    Events,
    /// The counter counts sent messages.
    CtSend,
    /// The counter counts acknowledgements.
    CtAck,
    /// The counter counts replies.
    CtReply,
    /// The counter counts bytes, not messages.
    CtBytes,
    /// No events of what succeeded.
    SuccessDisable,
    /// No `send` events of what succeeded.
    SendDisable,
    /// The buffer is a list of pieces.
    Iovec,
}

call! {
    /// Arguments of `ptl_md_bind`.
    MdBind {
        /// Its name.
        md: String,
        /// Address of its first byte; with `iovec` of a list in memory, at a multiple of 8: 16 bytes a piece, its
        /// address and its length.
        start: u64,
        /// Bytes; with `iovec` pieces, at most 1,024.
        length: u64,
        /// Options.
        #[serde(default)]
        options: Vec<MdOption>,
        /// Counter that counts what the options say.
        #[serde(default)]
        ct: Option<String>,
    }
}

call! {
    /// Arguments of `ptl_md_release`.
    MdRelease {
        /// Memory descriptor.
        md: String,
    }
}
