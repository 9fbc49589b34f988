//! The open cases of kind `mpi` (message matching) on real NICs.

use crate::open_cases::cases;

cases! {
    "mpi";
    o01_expected_exact: "O01",
    o02_unexpected_exact: "O02",
    o03_tag_differs: "O03",
    o04_source_differs: "O04",
    o05_communicator_differs: "O05",
    o06_two_equal_receives_first_posted_first: "O06",
    o07_two_equal_messages_first_arrived_first: "O07",
    o08_any_tag_takes_the_oldest_of_that_source: "O08",
    o09_any_source_takes_the_oldest_with_that_tag: "O09",
    o10_any_any_takes_the_oldest_of_the_communicator: "O10",
    o11_wildcard_posted_before_exact_wins: "O11",
    o12_exact_posted_before_wildcard_wins: "O12",
    o13_wildcard_posted_earlier_but_not_matching_does_not_block: "O13",
    o14_standard_s_example_sends_tag_0_0_receives_any_tag_then_0: "O14",
    o15_same_example_both_unexpected: "O15",
    o16_a_later_tag_may_overtake_when_the_earlier_does_not_match: "O16",
    o17_removal_from_the_middle_keeps_the_order: "O17",
    o18_umq_removal_from_the_middle_keeps_the_order: "O18",
    o19_a_receive_that_matches_the_umq_never_enters_the_prq: "O19",
    o20_interleaved_sources_with_one_wildcard: "O20",
    o21_tag_0_is_an_ordinary_tag: "O21",
    o22_self_message: "O22",
    o23_probe_does_not_consume: "O23",
    o24_mprobe_consumes: "O24",
    o25_cancelled_receive_is_skipped: "O25",
    o26_cancel_after_the_match_does_nothing: "O26",
    o27_same_tag_in_two_communicators_crosses_nothing: "O27",
    o28_zero_length_messages_match_like_any_other: "O28",
}
