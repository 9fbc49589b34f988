//! How figure 8a is judged.

use xtq_compute::experiments::compnet_get::{Pcie, Row, statements};
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Interval;

/// Host and NIC have the same way.
fn pcie(way_ns: f64) -> Pcie {
    Pcie {
        host_ns: way_ns,
        nic_ns: way_ns,
    }
}

fn rows(bytes: u64, [dgpu, apu, own]: [f64; 3], way_ns: f64) -> Vec<Row> {
    let designs = [Design::Dgpu, Design::Apu, Design::CompNet];
    let times = designs.into_iter().zip([dgpu, apu, own]);
    let row = |(design, us): (Design, f64)| Row {
        design,
        bytes,
        pcie: pcie(way_ns),
        get_us: Interval::of(&[us]).unwrap(),
    };
    times.map(row).collect()
}

#[test]
fn figure_8a_is_judged_by_its_times() {
    let judged = |small, large| {
        let all = [rows(8, small, 450.0), rows(1 << 20, large, 450.0)].concat();
        let statements = statements(&all, pcie(450.0)).into_iter();
        statements.map(|one| one.holds).collect::<Vec<_>>()
    };
    assert_eq!(judged([9.0, 4.0, 4.2], [90.0, 89.0, 91.0]), [true; 4]);
    assert_eq!(
        judged([9.0, 4.6, 4.0], [90.0, 80.0, 91.0]),
        [true, false, false, false]
    );
    assert_eq!(
        judged([7.0, 3.0, 4.0], [90.0, 89.0, 91.0]),
        [false, true, false, true]
    );
    // Other ways over PCIe stand beside.
    let all = [rows(8, [9.0, 4.0, 4.2], 450.0), rows(8, [1.0; 3], 250.0)].concat();
    let beside: Vec<_> = statements(&all, pcie(450.0))
        .iter()
        .map(|one| one.beside)
        .collect();
    assert_eq!(beside, [false, false, false, true, true, true]);
    assert!(statements(&[], pcie(450.0)).is_empty());
}
