//! The program, run as users run it.

use xtq_catalogue as _;
mod bench;
mod checkpoints;
mod cluster;
mod collective;
mod collective_goal;
mod common;
mod docs;
mod experiment;
mod export;
mod hsa;
mod l2;
mod lint;
mod lockstep;
mod nodes;
mod outputs;
mod progress;
mod protocols;
mod readme;
mod run;
mod scripts;
mod signals;
mod trace;
mod usage;
mod viewers;
mod waves;
mod window;
