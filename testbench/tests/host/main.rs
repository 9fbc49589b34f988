//! What the host reaches through registers.

use xtq_catalogue as _;
mod registers;
