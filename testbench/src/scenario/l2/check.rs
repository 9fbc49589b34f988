//! What makes no sense in a scenario of the L2.

use super::schema::{L2Scenario, Step};
use crate::bus::LINE_BYTES;
use crate::input::KeyFault;

/// Steps are distinguished by an 8-bit tag.
const MOST_STEPS: usize = 256;

/// Errors: the first key whose value makes no sense.
pub fn check(scenario: &L2Scenario) -> Result<(), KeyFault> {
    let steps = &scenario.steps;
    if steps.is_empty() || steps.len() > MOST_STEPS {
        let message = format!("{} steps, not 1 to {MOST_STEPS}", steps.len());
        return Err(KeyFault::value("steps", message));
    }
    if scenario.locked_ways > 16 {
        let message = "more than the 16 ways of a set";
        return Err(KeyFault::value("locked_ways", message));
    }
    for (number, step) in steps.iter().enumerate() {
        let fault = |(key, message): (&str, String)| {
            KeyFault::value(format!("steps[{number}].{key}"), message)
        };
        check_step(step).map_err(fault)?;
        if number > 0
            && !step.name.is_empty()
            && steps[..number].iter().any(|other| other.name == step.name)
        {
            return Err(fault(("name", "another step has it".into())));
        }
        if step.cycle >= scenario.max_cycles {
            let message = format!(
                "not before the {} cycles of the run are over",
                scenario.max_cycles
            );
            return Err(fault(("cycle", message)));
        }
        if let Some(after) = &step.expect.after
            && !steps.iter().any(|other| other.name == *after)
        {
            return Err(fault((
                "expect.after",
                format!("no step is called '{after}'"),
            )));
        }
    }
    for (number, contents) in scenario.memory.iter().enumerate() {
        let length = contents.bytes.0.len() as u64;
        if contents.address.checked_add(length).is_none() {
            let message = "goes beyond the last address";
            return Err(KeyFault::value(
                format!("memory[{number}].address"),
                message,
            ));
        }
    }
    Ok(())
}

fn check_step(step: &Step) -> Result<(), (&'static str, String)> {
    let (offset, length) = (step.address % LINE_BYTES, step.data.0.len() as u64);
    if step.op.stores() {
        if length == 0 || offset + length > LINE_BYTES {
            return Err((
                "data",
                format!(
                    "{length} bytes from byte {offset} of a line of {LINE_BYTES} on: not 1 to its end"
                ),
            ));
        }
    } else if step.op.is_atomic() {
        if ![4, 8].contains(&length) {
            return Err(("data", format!("{length} bytes are no operand: 4 or 8")));
        }
        if offset % length != 0 {
            return Err((
                "address",
                format!("not a multiple of the operand's {length} bytes"),
            ));
        }
    } else if length != 0 {
        return Err(("data", "this operation writes nothing".into()));
    }
    if let Some(data) = &step.expect.data {
        let length = data.0.len() as u64;
        if offset + length > LINE_BYTES {
            return Err((
                "expect.data",
                format!("{length} bytes from byte {offset} on are more than a line"),
            ));
        }
    }
    Ok(())
}
