//! Several nodes in one waveform.

use crate::common::{Folder, report, xtq};

#[test]
fn both_nics_and_the_links_are_in_the_waveform() {
    let folder = Folder::new("nodes-wave");
    let (_, report) = report(&[]);
    let message = &report["messages"][0];
    let at = |name: &str| message[name].as_u64().unwrap();
    for name in ["w.vcd", "w.fst"] {
        let file = folder.path(name);
        let ran = xtq(&["run", "--wave", &file]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let mut wave = wellen::simple::read(&file).unwrap();
        let ids: Vec<_> = (wave.hierarchy().iter_vars())
            .map(|var| (var.full_name(wave.hierarchy()), var.signal_ref()))
            .collect();
        let mut rises = |path: &str| {
            let (_, id) = ids.iter().find(|(name, _)| name == path).expect(path);
            wave.load_signals(&[*id]);
            let times = wave.time_table().to_vec();
            let signal = wave.get_signal(*id).unwrap();
            let ones = signal
                .iter_changes()
                .filter(|(_, value)| value.to_string() == "1");
            let cycles: Vec<u64> = ones.map(|(time, _)| times[time as usize] / 1000).collect();
            cycles
        };
        // The packet leaves node 0 and comes to node 1, and the other way the acknowledgement.
        assert!(rises("top.node0.m_axis_net_tvalid").contains(&at("first_beat")));
        assert!(rises("top.node1.s_axis_net_tvalid").contains(&at("arrived")));
        assert!(rises("top.network.link1.offers").contains(&at("arrived")));
        assert!(rises("top.node0.s_axis_ans_tvalid").contains(&at("acknowledged")));
        assert!(rises("top.node1.trace_admit").contains(&at("admitted")));
        assert!(rises("top.node0.trace_admit").is_empty());
    }
}

#[test]
fn the_scope_of_a_waveform_may_be_a_node_or_a_part_of_it() {
    let folder = Folder::new("nodes-scope");
    for (scope, shown, hidden) in [
        ("node1", "m_axi_awvalid", "link0"),
        ("network.link0", "beats_on_the_way", "m_axi_awvalid"),
        (
            "node0.m_axis_net_tvalid",
            "m_axis_net_tvalid",
            "s_axis_net_tvalid",
        ),
    ] {
        let file = folder.path("w.vcd");
        let ran = xtq(&["run", "--wave", &file, "--scope", scope]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let text = std::fs::read_to_string(&file).unwrap();
        let head = text.split("$enddefinitions").next().unwrap();
        assert!(
            head.contains(shown) && !head.contains(hidden),
            "{scope}: {head}"
        );
    }
    let ran = xtq(&["run", "--wave", &folder.path("w.vcd"), "--scope", "node2"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("node2"), "{}", ran.stderr);
}
