//! Times that no call can beat, and designs that are the same with the same link.

use super::{cluster, config, pattern};
use xtq_compute::compute_node::{ComputeConfig, Shmem};
use xtq_testbench::compnet::design::Design;

/// Time of the third of three gets, in ns.
fn get_ns(config: &ComputeConfig, bytes: u64) -> f64 {
    let mut cluster = cluster(config);
    let [from, to] = [0; 2].map(|_| cluster.shmalloc(bytes).unwrap());
    cluster.write(1, from, &pattern(7, bytes as usize));
    let program = move |mut shmem: Shmem| async move {
        for _ in 0..3 {
            shmem.get(to, from, bytes, 1).await;
        }
    };
    cluster.launch(0, 0, program).unwrap();
    cluster.run(400_000).unwrap();
    assert_eq!(
        cluster.read(0, to, bytes as usize),
        pattern(7, bytes as usize)
    );
    let ended = cluster.take_ended(0);
    ended[2].cycles as f64 * 1000.0 / config.gpu.clock_mhz
}

#[test]
fn no_get_is_faster_than_its_ways_and_its_bytes() {
    for design in [Design::CompNet, Design::Apu, Design::Dgpu] {
        for bytes in [8, 16_384] {
            let config = config(design, 2, 1);
            // Two ways through the network; over PCIe the doorbell, the command and the data there, which are read, and
            // the data here.
            let ways = 2.0 * 100.0 + 6.0 * config.nic.pcie_ns;
            let least = ways + bytes as f64 / 12.5;
            let ns = get_ns(&config, bytes);
            assert!(
                ns > least,
                "{design:?}, {bytes} bytes: {ns} ns, least {least}"
            );
        }
    }
}

#[test]
fn with_the_same_link_a_host_behind_pcie_is_an_apu() {
    let with_die = |design| {
        let mut config = config(design, 2, 1);
        let host = &mut config.host;
        host.pcie_ns = host.die_ns;
        host.pcie_gigabytes_per_second = host.die_gigabytes_per_second;
        config
    };
    let [apu, dgpu] = [Design::Apu, Design::Dgpu].map(|design| get_ns(&with_die(design), 64));
    assert_eq!(apu, dgpu);
    let far = config(Design::Dgpu, 2, 1);
    assert!(get_ns(&far, 64) > apu + 2.0 * (far.host.pcie_ns - far.host.die_ns));
}
