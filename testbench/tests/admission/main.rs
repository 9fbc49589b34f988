//! `Admission` against a naive list of decisions; its parts, each against its own rules.

use xtq_catalogue as _;
mod commit;
mod cycles;
mod decisions;
mod event_places;
mod hardware;
mod model;
mod portal_check;
mod portal_stop;
mod portal_table;
mod steps;
mod task_check;
mod tracker;
mod waiting;
