//! The open cases of kind `portals` (steps of nodes) on real NICs.

use crate::open_cases::cases;

cases! {
    "portals";
    p01_priority_list_is_searched_in_append_order_equal_match_bits_first: "P01",
    p02_ignore_bits_mask_the_comparison_a_mismatch_falls_through_to_the: "P02",
    p04_use_once_is_consumed_by_a_zero_length_message_the_next_one_is: "P04",
    p09_min_free_unlinks_only_when_the_free_space_is_strictly_below_it: "P09",
    p12_source_rank_must_match_or_be_any_priority_order_still_rules: "P12",
    u01_unexpected_put_then_use_once_append_put_auto_unlink_later_put: "U01",
    u02_persistent_append_drains_every_matching_header_in_arrival_order: "U02",
    f01_uid_mismatch_perm_violation_nothing_is_consumed_and_later_entries: "F01",
    f04_flow_control_no_match_one_pt_disabled_event_later_messages_nacked: "F04",
    a02_fetchatomic_sum_on_uint64_wraps_and_returns_the_value_before: "A02",
    a07_swap_family_on_uint64_compare_is_operand_op_target_the_old_value: "A07",
    t01a_triggeredctinc_thresholds_1_and_2_posted_in_order_1_2: "T01a",
    t03_threshold_already_reached_or_0_at_posting_fires_at_once: "T03",
    t05_ctinc_with_both_fields_non_zero_is_refused_ctset_may_set_both: "T05",
    t08_equal_thresholds_leave_in_posting_order: "T08",
    t16_triggeredmeappend_at_1_and_triggeredmeunlink_at_2_the_entry: "T16",
    n01_offloaded_ping_pong_schneider_et_al_fig_3_m1_s_match_triggers_m2: "N01",
    n04_dissemination_barrier_on_4_nodes_nobody_completes_while_node_1: "N04",
    r01_pre_matched_rendezvous_sender_ready_first_receiver_enabled_later: "R01",
    e01_eager_message_before_the_receive_is_posted: "E01",
}
