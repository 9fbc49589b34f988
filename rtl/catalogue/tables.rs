//! Which blocks are listed with which arguments, and under which names: the tables of the build script.

/// Arguments of the blocks that have parameters.
pub const INSTANCES: &[(&str, &[&str])] = &[
    ("Reg", &["Bits<8>", "Bits<100>"]),
    ("Ram", &["Bits<100>, 4"]),
    ("LaneRam", &["64, 4, 8", "100, 3, 4"]),
    ("LutRam", &["Bits<100>, 4"]),
    ("ResetRam", &["16, 7, 128", "100, 3, 8"]),
    ("Fifo", &["Bits<100>, 2, 3"]),
    ("RamFifo", &["Bits<100>, 3"]),
    ("AckFifo", &["2, 3"]),
    ("Skid", &["Bits<100>"]),
    ("Junction", &["Bits<100>"]),
    ("RoundRobin", &["3"]),
    ("Lowest", &["3", "16"]),
    ("Ones", &["3", "16"]),
    ("QueueRoom", &["3"]),
    ("CounterOwners", &["3, 8"]),
    ("CounterBank", &["8, 256", "2, 4"]),
    ("TriggerEngine", &["8, 256, 9, 10", "2, 4, 3, 4"]),
    ("CounterUnit", &["8, 256, 9, 10", "4, 16, 5, 6"]),
    ("CommandCheck", &["8", "10"]),
    ("MdTable", &["8, 256", "10, 1024"]),
    ("CommandStage", &["8"]),
    ("NumberPool", &["3, 4"]),
    ("ForwardRam", &["Bits<100>, 4"]),
    ("ChunkBanks", &["Bits<100>, 3"]),
    ("ChunkLinks", &["4, 5, 3"]),
    ("ContextCounts", &["7"]),
    ("CommandDecode", &["4"]),
    ("StoreClear", &["4"]),
    ("MatchWalk", &["8"]),
    ("MatchCommands", &["3, 2"]),
    ("EntryStore", &["3, 4"]),
    ("HeaderStore", &["2, 3"]),
    // The default, the large one, and one that is full soon.
    ("MatchUnit", &["8, 9, 7, 8", "12, 13, 12, 13", "5, 6, 4, 5"]),
    ("ListResponses", &["7, 9"]),
    ("ListUnit", &["8, 9, 7, 8, 9"]),
    // The large one, and a small one that is full soon.
    ("KeyHash", &["10", "1"]),
    ("SlotWay", &["10"]),
    ("SlotBank", &["4, 4"]),
    ("SlotStash", &["16"]),
    ("HashMatch", &["10, 4, 16, 13, 8", "1, 2, 1, 3, 1"]),
    // Four of the large one, and of the one that is full soon.
    ("EntryPlaces", &["5"]),
    ("PartitionCommands", &["5"]),
    ("PartitionedMatch", &["12, 13, 12, 13", "5, 6, 4, 5"]),
    // As many entries as the large one; a small one that is full soon; and one whose table is not.
    ("ExactEntries", &["5"]),
    ("ExactHeaders", &["4, 5"]),
    ("ExactCommands", &["5"]),
    (
        "ExactMatch",
        &[
            "10, 4, 16, 12, 13, 12, 13",
            "2, 2, 1, 5, 6, 4, 5",
            "4, 4, 16, 5, 6, 4, 5",
        ],
    ),
    // The L2: the default, and the small configuration of the proofs.
    ("LockUnit", &["16, 7, 128, 17, 16", "2, 1, 2, 6, 5"]),
    ("VictimSelect", &["16, 7", "2, 1"]),
    ("TagArray", &["4, 2, 4"]),
    ("DataArray", &["3, 2, 64, 8"]),
    ("LineUpdate", &["512, 64", "64, 8"]),
    ("WriteBuffer", &["64, 8, 4, 2, 3"]),
    ("StallQueue", &["4, 2, 1, 4"]),
    (
        "L2Bank",
        &[
            "16, 4, 7, 128, 11, 16, 4, 512, 64, 17, 16, 4, 2, 3",
            "2, 1, 1, 2, 2, 4, 2, 64, 8, 6, 5, 4, 2, 3",
        ],
    ),
    // With four contexts and with two.
    ("ContextBank", &["4", "2"]),
    ("StatusCounts", &["4", "2"]),
    ("EventRings", &["4", "2"]),
    ("CommandRing", &["4", "2"]),
    ("MessageTable", &["4", "2"]),
    ("OpenMessages", &["4", "2", "4, 6, 64, 8, 256"]),
    ("OpenPlaces", &["16"]),
    ("OrphanMessages", &["16, 6, 64", "64, 8, 256"]),
    ("LongMessages", &["6", "8"]),
    ("MatchStage", &["6"]),
    ("Identity", &["4", "2"]),
    ("Registers", &["4", "2"]),
    ("MessageTracker", &["4"]),
    ("Admission", &["4"]),
    ("TargetPipeline", &["4"]),
    ("Initiator", &["4"]),
    ("ReplyUnit", &["10", "3"]),
    ("RequestGate", &["10", "2"]),
    // The default, the large one and the small one.
    (
        "Nic",
        &[
            "8, 9, 7, 8, 9, 4",
            "12, 13, 12, 13, 14, 4, 10, 1024, 11, 12, 6, 64, 8, 256, 10, 1024",
            "7, 8, 6, 7, 8, 2, 8, 256, 9, 10, 4, 16, 6, 64, 8, 256, 6",
        ],
    ),
];

/// Further sizes of blocks, which the list does not name: the block, the name of the instance, its arguments.
pub const SIZES: &[(&str, &str, &str)] = &[
    (
        "L2Bank",
        "l2_bank_8_sets",
        "16, 4, 3, 8, 7, 16, 4, 512, 64, 17, 16, 4, 2, 3",
    ),
    (
        "L2Bank",
        "l2_bank_16_sets",
        "16, 4, 4, 16, 8, 16, 4, 512, 64, 17, 16, 4, 2, 3",
    ),
    (
        "L2Bank",
        "l2_bank_32_sets",
        "16, 4, 5, 32, 9, 16, 4, 512, 64, 17, 16, 4, 2, 3",
    ),
    (
        "L2Bank",
        "l2_bank_64_sets",
        "16, 4, 6, 64, 10, 16, 4, 512, 64, 17, 16, 4, 2, 3",
    ),
    // With 16 writes under way, so that streams may reach the rate of memory.
    (
        "L2Bank",
        "l2_bank_8_sets_16_writes",
        "16, 4, 3, 8, 7, 16, 4, 512, 64, 17, 16, 16, 4, 5",
    ),
    (
        "L2Bank",
        "l2_bank_16_sets_16_writes",
        "16, 4, 4, 16, 8, 16, 4, 512, 64, 17, 16, 16, 4, 5",
    ),
];

/// Blocks that `new` builds with an argument, its type, name and largest value; all others are built by `default`.
pub const ARGUMENTS: &[(&str, &str, &str, u64)] = &[
    ("Nic", "bool", "atomics", 1),
    ("XtqTarget", "bool", "atomics", 1),
    ("TargetPipeline", "bool", "shared", 1),
    ("QueueAdmission", "bool", "shared", 1),
    // A line number has 58 bits; the largest bank takes 7 of them for the set.
    ("L2Bank", "u8", "bank_bits", 51),
];

/// Blocks whose `new` takes an argument, of which the list has the default only: the blocks around them try the others.
pub const WITHIN: &[&str] = &["Reg", "Identity", "Registers"];

/// Shorter names of instances.
pub const OTHERS: &[(&str, &str)] = &[
    ("xtq_target", "target"),
    ("match_unit", "match"),
    ("match_unit_2", "match_large"),
    ("nic_2", "nic_large"),
    ("nic_3", "nic_small"),
    ("l2_bank_2", "l2_bank_small"),
    ("lock_unit_2", "lock_unit_small"),
    ("victim_select_2", "victim_select_small"),
    ("hash_match_2", "hash_match_small"),
    ("trigger_engine", "trigger"),
    ("counter_bank", "counter"),
];
