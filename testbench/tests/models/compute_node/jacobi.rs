//! The relaxation of `compnet-jacobi` is that of one processor, bit by bit; how figure 9 is judged.

use xtq_compute::experiments::compnet_jacobi::{
    CompnetJacobi, Compute, DESIGNS, Parameters, Point, Row, Shape, Variant, Way, first_row,
    statements,
};
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::{Experiment, Interval};

fn parameters(nodes: usize, steps: u64) -> Parameters {
    let mut parameters = Parameters::parse("p.toml", CompnetJacobi.parameters()).unwrap();
    (parameters.sweep.nodes, parameters.sweep.steps) = (nodes, steps);
    parameters
}

/// A field with a frame around it, relaxed by one processor; bits of numbers and residuals.
fn oracle(shape: Shape, nodes: usize, steps: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let (rows, width) = (shape.rows * nodes, shape.width);
    let wide = width + 2;
    let mut old = vec![0.0f32; wide * (rows + 2)];
    old[1..=width].fill(1.0);
    for row in 0..rows {
        let at = (row + 1) * wide + 1;
        old[at..at + width].copy_from_slice(&first_row(row, width, seed));
    }
    let mut residuals = Vec::new();
    for _ in 0..steps {
        let mut new = old.clone();
        let mut residual = 0.0f32;
        for row in 1..=rows {
            for at in row * wide + 1..=row * wide + width {
                let vertical = old[at - wide] + old[at + wide];
                let horizontal = old[at - 1] + old[at + 1];
                new[at] = (vertical + horizontal) / 4.0;
                residual = f32::max(residual, f32::abs(old[at] - new[at]));
            }
        }
        old = new;
        residuals.push(residual.to_bits());
    }
    let inside = (1..=rows).flat_map(|row| &old[row * wide + 1..=row * wide + width]);
    (inside.map(|number| number.to_bits()).collect(), residuals)
}

fn compare(point: &Point, nodes: usize, steps: u64, seed: u64) {
    let outcome = point.run(&parameters(nodes, steps - 1), seed);
    let outcome = outcome.unwrap_or_else(|error| panic!("{point:?}, seed {seed}: {error}"));
    let (field, residuals) = oracle(Shape::of(point.points), nodes, steps as usize, seed);
    let bits = |numbers: &[f32]| -> Vec<u32> { numbers.iter().map(|one| one.to_bits()).collect() };
    assert_eq!(
        bits(&outcome.residuals),
        residuals,
        "{point:?}, seed {seed}"
    );
    assert!(
        bits(&outcome.field.concat()) == field,
        "{point:?}, seed {seed}: another field"
    );
    assert!(outcome.step_us > 1.0, "{outcome:?}");
}

fn point(design: Design, points: u64, way: Way) -> Point {
    Point {
        design,
        points,
        way,
        variant: Variant::Base,
        seeds: vec![],
    }
}

/// Time of a step of two nodes, in us.
fn step_us(point: &Point, change: impl Fn(&mut Parameters)) -> f64 {
    let mut parameters = parameters(2, 1);
    change(&mut parameters);
    point.measure(&parameters, 1).unwrap()
}

/// Leaving the last field in memory for who looks is no part of the step: 16 lines for each of 64 rows, by 16 groups.
#[test]
fn a_step_with_kernels_has_no_clean_up() {
    let more = |design| {
        let [streams, roofline] =
            [Way::Streams, Way::Roofline].map(|way| step_us(&point(design, 4096, way), |_| {}));
        streams - roofline
    };
    let [kernels, apu] = [Design::InterKernel, Design::Apu].map(more);
    assert!((kernels - apu).abs() < 1.0, "{kernels} us, APU {apu} us");
}

#[test]
fn a_step_has_the_time_between_kernels_once() {
    let of = |kernel_ns: f64| {
        let point = point(Design::InterKernel, 256, Way::Streams);
        step_us(&point, |parameters| parameters.sweep.kernel_ns = kernel_ns)
    };
    let more = of(12_000.0) - of(2_000.0);
    assert!((more - 10.0).abs() < 0.5, "{more} us");
    let mut at_once = point(Design::InterKernel, 256, Way::Streams);
    at_once.variant = Variant::NoBoundary;
    assert_eq!(step_us(&at_once, |_| {}), of(0.0));
}

#[test]
fn the_host_of_a_dgpu_is_as_far_as_the_file_says() {
    let far = point(Design::Dgpu, 256, Way::Streams);
    let of = |pcie_ns: f64| step_us(&far, |parameters| parameters.host.pcie_ns = pcie_ns);
    let [near, there, away] = [60.0, 450.0, 900.0].map(of);
    assert!(
        near + 1.0 < there && there + 1.0 < away,
        "{near} {there} {away} us"
    );
    let mut on_die = far.clone();
    on_die.variant = Variant::HostOnDie;
    let on_die = step_us(&on_die, |_| {});
    assert!(on_die + 1.0 < there, "{on_die} us");
    // The NIC stays where it is.
    let apu = step_us(&point(Design::Apu, 256, Way::Streams), |_| {});
    assert!((on_die - apu).abs() < 0.5, "{on_die} us, APU {apu} us");
}

#[test]
fn the_host_computes_before_it_calls() {
    let host = point(Design::Cpu, 256, Way::Roofline);
    let of = |rate: f64| {
        step_us(&host, |parameters| {
            parameters.compute.core_rate = rate;
            parameters.compute.cache_gigabytes_per_second = 1e6;
        })
    };
    // 256 points of five operations.
    let more = of(0.128) - of(128.0);
    assert!((more - 9.99).abs() < 0.1, "{more} us");
}

fn compute() -> Compute {
    parameters(2, 1).compute
}

#[test]
fn a_roofline_is_the_larger_of_computing_and_moving() {
    let compute = Compute {
        operations: 5.0,
        gpu_rate: 1000.0,
        core_rate: 10.0,
        cores: 16,
        core_points: 1024,
        join_ns: 200.0,
        cache_bytes: 1 << 24,
        cache_gigabytes_per_second: 1024.0,
        l2_bytes: 1 << 20,
        l2_gigabytes_per_second: 512.0,
        memory_gigabytes_per_second: 128.0,
        ..compute()
    };
    for (design, points, ns) in [
        (Design::Apu, 1 << 10, 16.0),
        // The L2 holds both fields, and no more.
        (Design::Apu, 1 << 17, 2048.0),
        (Design::Apu, 1 << 18, 16_384.0),
        (Design::Cpu, 1 << 10, 512.0),
        // Two cores, and all of them.
        (Design::Cpu, 1 << 11, 200.0 + 512.0),
        (Design::Cpu, 1 << 21, 200.0 + 65_536.0),
        (Design::Cpu, 1 << 22, 200.0 + 262_144.0),
    ] {
        assert_eq!(
            compute.roofline_ns(design, points),
            ns,
            "{design:?}, {points}"
        );
    }
    let computing = Compute {
        gpu_rate: 1.0,
        ..compute
    };
    assert_eq!(computing.roofline_ns(Design::Apu, 1 << 10), 5120.0);
}

#[test]
fn a_larger_field_adds_computing_and_halo() {
    let compute = compute();
    let [small, large] = [1 << 16, 1 << 20];
    for row in rows(small, [20.0; 5]) {
        let computing = |points| compute.roofline_ns(row.design, points) / 1000.0;
        let row = Row {
            compute_us: computing(small),
            ..row
        };
        let found = row.extrapolated(&compute, large);
        // Rows of 256 and of 1,024 numbers of four bytes.
        let halo = (4096.0 - 1024.0) / 12.5 / 1000.0;
        let want = 20.0 + computing(large) - computing(small) + halo;
        assert!(
            (found.step_us.mean - want).abs() < 1e-9,
            "{found:?}, {want}"
        );
        assert_eq!((found.points, found.way), (large, Way::Extrapolated));
        let slow = Compute {
            core_rate: compute.core_rate / 8.0,
            ..compute.clone()
        };
        let more = found.with_host(&slow).step_us.mean - found.step_us.mean;
        match row.design {
            Design::Cpu => assert!(more > 0.0, "{more}"),
            _ => assert_eq!(more, 0.0),
        }
    }
}

#[test]
fn every_design_relaxes_as_one_processor_does() {
    for (design, seed) in DESIGNS.into_iter().zip(1..) {
        compare(&point(design, 256, Way::Streams), 3, 4, seed);
    }
}

#[test]
fn rows_in_the_program_are_relaxed_the_same() {
    for (design, seed) in [Design::InterKernel, Design::CompNet].into_iter().zip(7..) {
        compare(&point(design, 512, Way::Roofline), 2, 3, seed);
    }
}

#[test]
fn more_work_groups_relax_the_same() {
    compare(&point(Design::CompNet, 2048, Way::Streams), 2, 3, 9);
}

/// Times of CPU, Inter-Kernel, APU, dGPU, ComP-Net.
fn rows(points: u64, times: [f64; 5]) -> Vec<Row> {
    let row = |(design, us): (Design, f64)| Row {
        design,
        points,
        way: Way::Streams,
        variant: Variant::Base,
        runs: 1,
        step_us: Interval::of(&[us]).unwrap(),
        compute_us: 1.0,
    };
    DESIGNS.into_iter().zip(times).map(row).collect()
}

#[test]
fn figure_9_is_judged_by_its_times() {
    let judged = |small, middle, large| {
        let all = [rows(256, small), rows(4096, middle), rows(1 << 20, large)].concat();
        let statements = statements(&all).into_iter();
        statements.map(|one| one.holds).collect::<Vec<_>>()
    };
    let (small, large) = (
        [5.0, 20.0, 9.0, 11.0, 9.5],
        [200.0, 102.0, 100.0, 101.0, 100.5],
    );
    assert_eq!(
        judged(small, [20.0, 11.5, 10.0, 11.5, 10.0], large),
        [true; 6]
    );
    // ComP-Net 5 % ahead of dGPU, 50 % ahead of Inter-Kernel.
    assert_eq!(
        judged(small, [20.0, 15.0, 9.5, 10.5, 10.0], large),
        [true, false, false, true, false, true]
    );
    // No region 2: the CPU is always best.
    assert_eq!(
        judged(
            small,
            [5.0, 11.5, 10.0, 11.5, 10.0],
            [50.0, 120.0, 100.0, 101.0, 100.5]
        ),
        [true, false, false, false, false, false]
    );
    assert!(
        !judged(
            [9.0, 20.0, 8.0, 11.0, 9.5],
            [20.0, 11.5, 10.0, 11.5, 10.0],
            large
        )[0]
    );
    assert!(statements(&[]).is_empty());
}

/// A lead that is within the intervals is none.
#[test]
fn ahead_is_by_more_than_the_intervals() {
    let small = rows(256, [5.0, 20.0, 9.0, 11.0, 9.5]);
    let large = rows(1 << 20, [200.0, 102.0, 100.0, 101.0, 100.5]);
    let of = |half: f64| {
        let mut middle = rows(4096, [10.5, 11.5, 10.0, 11.5, 10.0]);
        middle.iter_mut().for_each(|row| row.step_us.half = half);
        let all = statements(&[small.clone(), middle, large.clone()].concat());
        all[1].clone()
    };
    assert!(of(0.2).holds);
    assert_eq!(of(0.3).measured, "there is no such size");
    let mut wide = small.clone();
    wide[0].step_us.half = 5.0;
    assert!(!statements(&wide)[0].holds);
}

#[test]
fn runs_beside_are_part_of_the_reason() {
    let own = [
        rows(256, [5.0, 20.0, 9.0, 11.0, 9.5]),
        rows(4096, [15.0, 20.0, 9.0, 12.0, 10.0]),
    ];
    let mut others = rows(4096, [5.0, 10.5, 5.0, 11.0, 5.0]);
    others.retain(|row| [Design::InterKernel, Design::Dgpu].contains(&row.design));
    for row in &mut others {
        row.variant = match row.design {
            Design::Dgpu => Variant::HostOnDie,
            _ => Variant::NoBoundary,
        };
    }
    let all = statements(&[own.concat(), others].concat());
    let texts = [
        "a lead of +10 instead of +20 %",
        "a lead of +5 instead of +100 %",
    ];
    for (one, text) in all[1..].iter().zip(texts) {
        assert!(one.because.contains(text), "{}", one.because);
    }
    assert!(all.iter().all(|one| !one.beside));
}
