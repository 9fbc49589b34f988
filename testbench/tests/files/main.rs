//! Files that users write: scenarios, cases, parameters, packed formats.

use xtq_catalogue as _;
mod cases;
mod formats;
mod json_change;
mod scenario;
mod scenario_calls;
mod shapes;
