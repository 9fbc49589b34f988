//! The models of ComP-Net: caches that are not coherent, the queue protocol, service threads.

mod coherence;
mod dead;
mod designs;
mod naive;
mod payload;
mod protocol;
mod rtl;
mod threads;
mod verdict;
