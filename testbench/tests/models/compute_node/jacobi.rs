//! The relaxation of `compnet-jacobi` is that of one processor, bit by bit; how figure 9 is judged.

use xtq_compute::experiments::compnet_jacobi::{
    CompnetJacobi, DESIGNS, Parameters, Point, Row, Shape, Way, first_row, statements,
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
        pcie_ns: 450.0,
        kernel_ns: 2000.0,
        seeds: vec![],
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
        pcie_ns: 450.0,
        kernel_ns: 1e4,
        step_us: Interval::of(&[us]).unwrap(),
    };
    DESIGNS.into_iter().zip(times).map(row).collect()
}

#[test]
fn figure_9_is_judged_by_its_times() {
    let judged = |small, middle, large| {
        let all = [rows(256, small), rows(4096, middle), rows(1 << 20, large)].concat();
        let statements = statements(&all, 450.0, 1e4).into_iter();
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
    assert!(statements(&[], 450.0, 1e4).is_empty());
}

#[test]
fn runs_without_pcie_and_without_boundaries_stand_beside() {
    let own = rows(4096, [5.0, 20.0, 9.0, 12.0, 10.0]);
    let mut free = rows(4096, [5.0, 20.0, 5.0, 6.0, 5.0]);
    free.iter_mut().for_each(|row| row.pcie_ns = 0.0);
    let mut at_once = rows(4096, [5.0, 10.5, 9.0, 12.0, 10.0]);
    at_once.retain(|row| row.design == Design::InterKernel);
    at_once[0].kernel_ns = 0.0;
    let all = statements(&[own, free, at_once].concat(), 450.0, 1e4);
    let beside: Vec<_> = all.iter().filter(|one| one.beside).collect();
    assert_eq!(beside.len(), 2);
    assert!(
        beside[0].measured.contains("+20 %"),
        "{}",
        beside[0].measured
    );
    assert!(
        beside[1].measured.contains("+5 %"),
        "{}",
        beside[1].measured
    );
}
