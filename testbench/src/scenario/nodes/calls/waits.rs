//! Arguments of what a process does itself: it waits, looks at memory, writes it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::scenario::values::Data;
use crate::tables::small_letters;

xtq_types::event_kinds! { small_letters {
    /// What an event is about.
    KindName => crate::host::EventKind
} }

call! {
    /// Arguments of `wait_event`: `kind` and `of` say which, the other keys what is expected of it.
    WaitEvent {
        /// What happened.
        kind: KindName,
        /// Step of this program that it is about (by user pointer); left out: any.
        #[serde(default)]
        of: Option<String>,
        /// Expected outcome; left out: `ok`.
        #[serde(default)]
        status: Option<String>,
        /// Expected bytes moved.
        #[serde(default)]
        length: Option<u64>,
        /// Target: the process that it is expected from.
        #[serde(default)]
        from: Option<String>,
        /// Expected match bits.
        #[serde(default)]
        match_bits: Option<u64>,
        /// Expected header data.
        #[serde(default)]
        hdr_data: Option<u64>,
        /// Expected address where the message landed.
        #[serde(default)]
        start: Option<u64>,
    }
}

call! {
    /// Arguments of `wait_signal`.
    WaitSignal {
        /// Signal of the process.
        signal: String,
        /// Value.
        #[serde(default)]
        value: i64,
    }
}

call! {
    /// Arguments of `wait_memory`.
    WaitMemory {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Data,
    }
}

call! {
    /// Arguments of `write_memory`.
    WriteMemory {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Data,
    }
}

call! {
    /// Arguments of `expect_memory`.
    ExpectMemory {
        /// Address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Data,
    }
}

call! {
    /// Arguments of `barrier`.
    Barrier {
        /// Its name; a program has it once.
        name: String,
    }
}

call! {
    /// Arguments of `delay`.
    Delay {
        /// Cycles.
        cycles: u64,
    }
}
