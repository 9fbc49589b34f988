//! The register map: every register of the AXI4-Lite slave, once, for hardware, host models and documents.

/// Words of a portal entry's window.
pub mod portal_word {
    /// Start address of the buffer, bits 31:0.
    pub const START_LO: u32 = 0;
    /// Start address, bits 63:32.
    pub const START_HI: u32 = 1;
    /// Length of the buffer in bytes, bits 31:0.
    pub const LENGTH_LO: u32 = 2;
    /// Length, bits 63:32.
    pub const LENGTH_HI: u32 = 3;
    /// See [`portal_options`](super::portal_options).
    pub const OPTIONS: u32 = 4;
    /// Offset at which the next message lands, bits 31:0.
    pub const OFFSET_LO: u32 = 5;
    /// Offset, bits 63:32.
    pub const OFFSET_HI: u32 = 6;
    /// See [`portal_control`](super::portal_control); reads 1 if enabled.
    pub const CONTROL: u32 = 7;
}

/// Bits of a portal entry's OPTIONS.
pub mod portal_options {
    /// Exhaustion disables the entry.
    pub const FLOW_CONTROL: u32 = 1;
    /// Event for a delivered message.
    pub const EVENT_SUCCESS: u32 = 2;
    /// Event for a failed message.
    pub const EVENT_FAILURE: u32 = 4;
}

/// Values of a portal entry's CONTROL.
pub mod portal_control {
    /// remaining := max(0, length - offset), enable.
    pub const ENABLE: u32 = 1;
    /// Disable.
    pub const DISABLE: u32 = 2;
}

/// Words of an event ring's window; those from PRODUCER on are read only.
pub mod event_word {
    /// Address of the ring, bits 31:0, 64-byte aligned.
    pub const BASE_LO: u32 = 0;
    /// Address, bits 63:32.
    pub const BASE_HI: u32 = 1;
    /// Events in the ring, a power of two.
    pub const SIZE: u32 = 2;
    /// Running count of the events taken.
    pub const CONSUMER: u32 = 3;
    /// Running count of the visible events.
    pub const PRODUCER: u32 = 4;
    /// Events lost since the last one that was posted.
    pub const DROPPED: u32 = 5;
}
