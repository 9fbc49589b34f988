//! The models of ComP-Net: caches that are not coherent, the queue protocol, service threads.

mod coherence;
mod naive;
mod protocol;
mod rtl;
