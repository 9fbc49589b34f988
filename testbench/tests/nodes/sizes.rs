//! All that a process has in each configuration of the NIC, and one more.

use std::path::Path;

use xtq_engine::EngineKind;
use xtq_testbench::host::{
    Command, CommandError, Event, MatchEntry, Me, Process, ProcessConfig, Pt, me_option,
    portal_option, ptl_me_append, ptl_me_unlink, ptl_pt_alloc,
};
use xtq_testbench::node::{Node, NodeConfig, Top};
use xtq_testbench::scenario::{File, NodesRun, parse_file};

type Outcome = Result<(), CommandError>;

const CONFIGURATIONS: [(&str, Top); 3] = [
    ("nic", Top::Nic),
    ("nic-small", Top::SmallNic),
    ("nic-large", Top::LargeNic),
];

/// A node that puts to itself; its process has so many entries, and the last one takes the message.
fn scenario(nic: &str, entries: u16) -> String {
    let append = |number| {
        format!(
            "  {{ ptl_me_append = {{ me = \"e{number}\", pt = \"list\", start = 0x4000_0000, length = 64, match_bits = \
             {number}, options = [\"op_put\", \"comm_disable\", \"link_disable\"] }} }},\n"
        )
    };
    let appends: String = (0..entries).map(append).collect();
    let last = entries - 1;
    format!(
        r#"[[nodes]]
name = "n"
nic = "{nic}"
[[nodes.processes]]
name = "p"
data = [{{ address = 0x2000_0000, bytes = {{ text = "last" }} }}]
program = [
  {{ ptl_pt_alloc = {{ pt = "list" }} }},
  {{ ptl_md_bind = {{ md = "text", start = 0x2000_0000, length = 4 }} }},
{appends}  {{ ptl_put = {{ md = "text", length = 4, target = "p", pt = "list", match_bits = {last} }} }},
  {{ wait_memory = {{ address = 0x4000_0000, bytes = {{ text = "last" }} }} }},
]
"#
    )
}

#[test]
fn a_scenario_may_name_all_entries_of_its_nic_and_no_more() {
    for (nic, top) in CONFIGURATIONS {
        let entries = top.shares().entries;
        let parsed = parse_file("all", &scenario(nic, entries), Path::new(""));
        let Ok(File::Nodes(plan)) = parsed else {
            panic!("{nic}: no scenario of nodes");
        };
        let report = NodesRun::new(plan, EngineKind::default()).unwrap().finish();
        assert!(
            report.passed,
            "{nic}: {} {:?}",
            report.failure, report.differences
        );
        let Err(error) = parse_file("more", &scenario(nic, entries + 1), Path::new("")) else {
            panic!("{nic}: {} entries are too many", entries + 1);
        };
        let text = error.to_string();
        assert!(text.contains(&format!("{entries}")), "{nic}: {text}");
    }
}

/// How these commands of a process end.
fn perform(node: &mut Node, process: &mut Process, commands: &[Command]) -> Outcome {
    let commands: Vec<_> = commands
        .iter()
        .map(|command| command.clone().with_completion())
        .collect();
    process.post_all(node, &commands).unwrap();
    node.run_to_quiescence(100_000).unwrap();
    let events = process.events(node).unwrap();
    let results: Vec<_> = events.iter().filter_map(Event::result).collect();
    assert_eq!(results.len(), commands.len(), "{events:?}");
    results.into_iter().collect()
}

/// A process in context 0 with an entry of this number, or why it has none.
fn append(node: &mut Node, me: u16) -> (Process, Outcome) {
    let mut process = Process::open(node, 0, &ProcessConfig::default()).unwrap();
    let entry = MatchEntry {
        me: Me(me),
        pt_index: Pt(5),
        start: 0x4000_0000,
        length: 64,
        options: me_option::OP_PUT | me_option::LINK_DISABLE,
        ..MatchEntry::default()
    };
    let alloc = ptl_pt_alloc(Pt(5), portal_option::MATCHING);
    let outcome = perform(node, &mut process, &[alloc, ptl_me_append(&entry)]);
    (process, outcome)
}

#[test]
fn the_last_entry_of_a_context_is_given_back_when_its_process_is_closed() {
    for (nic, top) in CONFIGURATIONS {
        let config = NodeConfig {
            top,
            ..NodeConfig::default()
        };
        let mut node = Node::new(&config).unwrap();
        let last = top.shares().entries - 1;
        for turn in 0..2 {
            let (mut process, appended) = append(&mut node, last);
            assert_eq!(appended, Ok(()), "{nic}, process {turn}");
            process.close(&mut node, 1000).unwrap();
        }
        let (mut process, _) = append(&mut node, last);
        let unlinked = perform(&mut node, &mut process, &[ptl_me_unlink(Me(last))]);
        assert_eq!(unlinked, Ok(()), "{nic}: it is this process's");
        let (.., more) = append(&mut Node::new(&config).unwrap(), last + 1);
        assert!(more.is_err(), "{nic}: {more:?}");
    }
}
