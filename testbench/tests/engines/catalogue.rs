//! The blocks of the catalogue by their names.

use xtq_engine::blocks::{
    LINKED, argument, arguments, design_of, engine_of, find, is_top, names, oracle_of, other_names,
    type_of,
};
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::{Options, write};
use xtq_engine::{EngineKind, PortId};

#[test]
fn every_block_has_a_struct() {
    assert_eq!(type_of("lane_ram_2"), Some("LaneRam"));
    assert_eq!(type_of("xtq_target"), Some("XtqTarget"));
    assert_eq!(type_of("nothing"), None);
    for name in names() {
        let found = type_of(name).unwrap_or_default();
        assert!(
            found.starts_with(|c: char| c.is_ascii_uppercase()),
            "{name}: {found}"
        );
    }
}

#[test]
fn the_arguments_of_a_block_are_those_of_its_type() {
    let small = arguments("nic_3");
    assert_eq!(small[..6], ["7", "8", "6", "7", "8", "2"]);
    assert_eq!((small.len(), small[16]), (17, "6"));
    assert_eq!(arguments("ram"), ["Bits<100>", "4"]);
    assert!(arguments("xtq_target").is_empty() && arguments("nothing").is_empty());
}

#[test]
fn a_block_is_found_by_its_name_and_by_shorter_ones() {
    assert_eq!(find("lookup_cache"), Some("lookup_cache"));
    assert_eq!(find("lookup-cache"), Some("lookup_cache"));
    assert_eq!(find("target"), Some("xtq_target"));
    assert_eq!(find("nic-large"), Some("nic_2"));
    assert_eq!(find("nic-small"), Some("nic_3"));
    assert_eq!(find("nothing"), None);
    assert_eq!(other_names().count(), 11);
    for (other, name) in other_names() {
        assert!(!names().contains(&other.as_str()), "{other}");
        assert_eq!(find(&other), Some(name));
    }
}

#[test]
fn no_two_entries_have_one_name() {
    let mut all: Vec<_> = LINKED
        .iter()
        .flat_map(|list| list.iter())
        .map(|e| e.name)
        .collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    assert!(names().is_sorted() && names().len() < count);
}

#[test]
fn only_blocks_that_take_an_argument_are_built_with_one() {
    assert!(
        ["nic", "nic_2", "nic_3", "xtq_target"]
            .into_iter()
            .all(is_top)
    );
    assert_eq!(names().into_iter().filter(|name| is_top(name)).count(), 4);
    assert_eq!(argument("l2_bank"), Some("bank_bits"));
    assert!(design_of("fifo", 0).is_ok() && design_of("nic", 1).is_ok());
    let refused = |name, argument| design_of(name, argument).err().unwrap().to_string();
    assert_eq!(
        refused("fifo", 1),
        "no block is called 'fifo with an argument'"
    );
    assert_eq!(
        refused("nic", 2),
        "no block is called 'nic with atomics = 2'"
    );
    assert_eq!(refused("nothing", 0), "no block is called 'nothing'");
}

#[test]
fn an_argument_reaches_the_block() {
    let text = |argument| {
        let design = elaborate(design_of("l2_bank_8_sets", argument).unwrap().as_ref()).unwrap();
        let modules = write(&design, &Options::default()).into_iter();
        modules.map(|module| module.text).collect::<String>()
    };
    assert_eq!(text(3), text(3));
    assert_ne!(text(0), text(3));
}

#[test]
fn the_oracle_has_the_ports_of_the_compiled_engine_and_its_values() {
    for name in ["fifo", "reg_2", "lowest", "queue_admission"] {
        let mut oracle = oracle_of(name, 0).unwrap();
        let mut jit = engine_of(name, 0, EngineKind::Jit).unwrap();
        let sorted = |engine: &dyn xtq_engine::Engine| {
            let ports = engine.ports().iter();
            let mut ports: Vec<_> = ports.map(|p| (p.name.clone(), p.width)).collect();
            ports.sort();
            ports
        };
        assert_eq!(sorted(&*oracle), sorted(&*jit), "{name}");
        // Every input is driven, and every output sampled, by its own name.
        let ports: Vec<_> = oracle.ports().to_vec();
        let find =
            |engine: &dyn xtq_engine::Engine, name: &str| -> PortId { engine.port(name).unwrap() };
        for step in 0..20u64 {
            for (number, port) in ports.iter().enumerate() {
                if matches!(port.direction, xtq_engine::Direction::In) && port.name != "rst" {
                    let words = vec![
                        step.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                            .rotate_left(number as u32);
                        port.width.div_ceil(64)
                    ];
                    let (at, other) = (find(&*oracle, &port.name), find(&*jit, &port.name));
                    oracle.set(at, &words).unwrap();
                    jit.set(other, &words).unwrap();
                }
            }
            oracle.step().unwrap();
            jit.step().unwrap();
            oracle.eval().unwrap();
            jit.eval().unwrap();
            for port in &ports {
                let mut words = [
                    vec![0; port.width.div_ceil(64)],
                    vec![0; port.width.div_ceil(64)],
                ];
                oracle.get(find(&*oracle, &port.name), &mut words[0]);
                jit.get(find(&*jit, &port.name), &mut words[1]);
                assert_eq!(words[0], words[1], "{name}: {} after {step}", port.name);
            }
        }
    }
}
