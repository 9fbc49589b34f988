//! The host's receiving side: portal entries with their buffers, and the event ring.

use xtq_types::register_map::{
    context as reg, context_address, portal_control, portal_options, portal_word,
};

use super::config::NodeError;
use super::harness::Node;
use crate::bytes::Bytes;
use crate::tables::Portal;
use crate::tables::format::BYTES;

/// A receive buffer for a portal entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Address.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// Offset at which the first message lands.
    pub offset: u64,
    /// Exhaustion disables the entry, instead of dropping the message.
    pub flow_control: bool,
    /// Event for a delivered message.
    pub event_success: bool,
    /// Event for a failed message.
    pub event_failure: bool,
}

impl Buffer {
    /// A buffer with both kinds of events, without flow control.
    pub fn new(start: u64, length: u64) -> Self {
        Self {
            start,
            length,
            event_success: true,
            event_failure: true,
            ..Self::default()
        }
    }
}

/// Address of a word of a portal entry.
fn portal_register(context: u8, entry: u8, word: u32) -> u16 {
    context_address(
        context.into(),
        reg::PORTAL + u32::from(entry) * reg::PORTAL_STRIDE + 4 * word,
    )
}

impl Node {
    /// Posts a receive buffer: sets the portal entry up and enables it. Errors: refused.
    pub fn post_buffer(
        &mut self,
        context: u8,
        entry: u8,
        buffer: &Buffer,
    ) -> Result<(), NodeError> {
        let option = |on, bit| if on { bit } else { 0 };
        let options = option(buffer.flow_control, portal_options::FLOW_CONTROL)
            | option(buffer.event_success, portal_options::EVENT_SUCCESS)
            | option(buffer.event_failure, portal_options::EVENT_FAILURE);
        let values = [
            (portal_word::CONTROL, portal_control::DISABLE),
            (portal_word::START_LO, buffer.start as u32),
            (portal_word::START_HI, (buffer.start >> 32) as u32),
            (portal_word::LENGTH_LO, buffer.length as u32),
            (portal_word::LENGTH_HI, (buffer.length >> 32) as u32),
            (portal_word::OPTIONS, options),
            (portal_word::OFFSET_LO, buffer.offset as u32),
            (portal_word::OFFSET_HI, (buffer.offset >> 32) as u32),
            (portal_word::CONTROL, portal_control::ENABLE),
        ];
        let writes = values.map(|(word, value)| (portal_register(context, entry, word), value));
        *self.portal(context, entry) = Portal {
            enabled: true,
            flow_control: buffer.flow_control,
            event_success: buffer.event_success,
            event_failure: buffer.event_failure,
            start: buffer.start,
            length: buffer.length,
            offset: buffer.offset,
            remaining: buffer.length.saturating_sub(buffer.offset),
        };
        self.write_registers(&writes)
    }

    /// Enables a portal entry again: what is after its offset can be used. Errors: refused.
    pub fn enable_portal(&mut self, context: u8, entry: u8) -> Result<(), NodeError> {
        let portal = self.portal(context, entry);
        portal.enabled = true;
        portal.remaining = portal.length.saturating_sub(portal.offset);
        let address = portal_register(context, entry, portal_word::CONTROL);
        self.write_register(address, portal_control::ENABLE)
    }

    /// Disables a portal entry. Errors: refused.
    pub fn disable_portal(&mut self, context: u8, entry: u8) -> Result<(), NodeError> {
        self.portal(context, entry).enabled = false;
        let address = portal_register(context, entry, portal_word::CONTROL);
        self.write_register(address, portal_control::DISABLE)
    }

    /// Whether the NIC says that a portal entry is enabled. Errors: refused.
    pub fn portal_enabled(&mut self, context: u8, entry: u8) -> Result<bool, NodeError> {
        let word = self.read_register(portal_register(context, entry, portal_word::CONTROL))?;
        Ok(word & portal_control::ENABLE != 0)
    }

    fn portal(&mut self, context: u8, entry: u8) -> &mut Portal {
        &mut self.state.contexts[usize::from(context)].portals[usize::from(entry)]
    }

    /// The events that the NIC's producer count says are visible and that are not taken, in order. Errors: refused.
    pub fn unread_events(&mut self, context: u8) -> Result<Vec<[u8; BYTES]>, NodeError> {
        let producer = self.read_register(context_address(context.into(), reg::EQ_PRODUCER))?;
        let ring = self.state.contexts[usize::from(context)].events;
        let memory = self.memory.memory(context);
        let unread = match ring.size {
            0 => 0,
            _ => producer.wrapping_sub(ring.consumed),
        };
        let event = |number: u32| {
            let place = ring.consumed.wrapping_add(number) % ring.size;
            let mut event = [0; BYTES];
            memory.read(ring.base + BYTES as u64 * u64::from(place), &mut event);
            event
        };
        Ok((0..unread).map(event).collect())
    }

    /// Takes the [`unread_events`](Self::unread_events) and gives their places back. Errors: refused.
    pub fn take_events(&mut self, context: u8) -> Result<Vec<[u8; BYTES]>, NodeError> {
        let events = self.unread_events(context)?;
        let ring = &mut self.state.contexts[usize::from(context)].events;
        ring.consumed = ring.consumed.wrapping_add(events.len() as u32);
        let consumed = ring.consumed;
        self.write_register(context_address(context.into(), reg::EQ_CONSUMER), consumed)?;
        Ok(events)
    }
}
