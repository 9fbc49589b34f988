//! Messages in flight at the initiator.

use xtq_catalogue as _;
mod message_table;
mod reply_unit;
