//! Random programs on real NICs with the functional model beside them.

use crate::cosim::program::program;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use xtq_testbench::cases::beside::Beside;
use xtq_testbench::cases::rtl::Rtl;

/// Steps of a program.
pub const STEPS: usize = 52;

/// So many random programs, the same in every run; or as many as `XTQ_PROGRAMS` says, which are new in each: the
/// nightly profile.
pub fn programs(usual: u32) -> ProptestConfig {
    let told = std::env::var("XTQ_PROGRAMS").ok();
    ProptestConfig {
        max_shrink_iters: 300,
        rng_seed: match told {
            Some(_) => RngSeed::Random,
            None => RngSeed::Fixed(1),
        },
        ..ProptestConfig::with_cases(told.map_or(usual, |text| {
            text.parse().expect("XTQ_PROGRAMS is a number")
        }))
    }
}

proptest! {
    #![proptest_config(programs(24))]

    #[test]
    fn real_nics_do_what_the_model_does(program in program(STEPS)) {
        let outcome = program.play::<Beside<Rtl>>();
        prop_assert!(outcome.is_ok(), "{}", outcome.err().map_or_else(String::new, |why| why.to_string()));
    }
}
