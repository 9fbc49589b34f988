//! Messages in flight at the initiator.

use xtq_catalogue as _;
mod initiator_completer;
mod message_table;
mod reply_unit;
