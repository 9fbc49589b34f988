//! Where a path leads, and how a file there is written: no option is known here, and no error of the program.

mod place;
mod stream;
mod write;

pub use place::{DASH, Identity, Place, folder_of, is_regular, is_stream};
pub use stream::Stream;
pub use write::{beside, send, sweep, try_out, write};
