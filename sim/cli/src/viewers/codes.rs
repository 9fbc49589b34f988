//! Names of the codes that the hardware passes around: `event::status` is the module `status` in
//! `rtl/types/src/event.rs`.

use xtq_types::codes_of;

/// Values and names of a code, in the order of the source; nothing if there is no such code.
pub fn names(code: &str) -> Vec<(u64, String)> {
    let codes = codes_of(code).iter();
    codes
        .map(|code| (code.value, code.name.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::stages::{Form, L2_BANK, LINK, NIC};
    use super::*;

    /// `event::status` as the compiler sees it: what the parser must find, no more and no less.
    #[test]
    fn names_are_those_of_the_constants() {
        use xtq_types::event::status;
        let names = names("event::status");
        assert_eq!(names.len(), usize::from(status::BAD_CONTEXT) + 1);
        for (value, name) in [
            (status::OK, "OK"),
            (status::QUEUE_FULL, "QUEUE_FULL"),
            (status::BAD_CONTEXT, "BAD_CONTEXT"),
        ] {
            assert!(names.contains(&(value.into(), name.to_owned())), "{name}");
        }
    }

    /// A module that was renamed, or whose values are not numbers, would show nothing.
    #[test]
    fn every_code_of_the_table_has_names_and_each_value_one() {
        let stages = NIC.iter().chain(LINK).chain(L2_BANK);
        for (path, form) in stages.flat_map(|stage| stage.signals) {
            let Form::Name(code) = form else { continue };
            let names = names(code);
            assert!(names.len() > 1, "{path}: {code} has no names");
            let mut values: Vec<_> = names.iter().map(|(value, _)| value).collect();
            values.sort();
            values.dedup();
            assert_eq!(values.len(), names.len(), "{code}: a value twice");
        }
    }

    #[test]
    fn what_is_no_code_has_no_names() {
        for code in ["event", "event::nothing", "nothing::status", ""] {
            assert_eq!(names(code), [], "{code}");
        }
    }
}
