//! `TriggerEngine` against a list that is searched at every change, and the rules of triggered operations one by one.

mod limits;
mod model;
mod parts;
mod races;
mod random;
mod rearm;
mod rig;
mod rules;
mod timing;
mod with_counters;
