//! `Plan`: where everything lies on each node, and what the programs of a node share.

use super::field::{Shape, outside};
use crate::compute_node::{ComputeCluster, ComputeError, HOST_HEAP, Local};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The work-group that collects residuals; the first and the last have the edges.
pub(super) const LEADER: usize = 1;
/// Sides of a node's part: the node above, the node below.
pub(super) const SIDES: [usize; 2] = [0, 1];

/// Where the numbers are.
#[derive(Clone)]
pub(super) enum Rows {
    /// In the heap: addresses of the field before odd and before even steps. They cross the L2.
    Heap([u64; 2]),
    /// In the program: both fields. Only what is sent crosses the L2, and a row costs what a roofline says.
    Program(Rc<RefCell<[Vec<Vec<f32>>; 2]>>),
}

/// Who finds what when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) pe: usize,
    pub(super) step: u64,
    /// GPU cycle.
    pub(super) cycle: u64,
    pub(super) residual: u32,
}

/// What the programs of a node know.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) shape: Shape,
    pub(super) steps: u64,
    /// Work-groups of the GPU.
    pub(super) groups: usize,
    /// GPU cycles that a row costs beside its accesses.
    pub(super) row_cycles: u64,
    /// GPU cycles that the host computes in a step.
    pub(super) host_cycles: u64,
    /// GPU cycles from the end of a kernel to the start of the next.
    pub(super) kernel_cycles: u64,
    pub(super) rows: Rows,
    /// By side and by parity of the step: what came from there.
    halos: [[u64; 2]; 2],
    /// The same, what goes there, if rows are in the program.
    edges: [[u64; 2]; 2],
    /// By side, the last step whose halo has come.
    flags: [u64; 2],
    /// A line for each work-group.
    pub(super) residuals: u64,
    /// The last step whose residual all know.
    pub(super) known: u64,
    /// Kernels started so far; `None`: one kernel does everything.
    pub(super) kernels: Option<Rc<Cell<u64>>>,
    pub(super) told: Rc<RefCell<Vec<Told>>>,
}

/// Where the last work-group of a kernel leaves step and residual for the host.
pub(super) const SIGNAL: u64 = HOST_HEAP + 64 * 2;
/// The last step that the host's core that exchanges may send the edges of.
pub(super) const COMPUTED: u64 = HOST_HEAP + 64 * 3;

/// Flag of the host for halos from a side.
pub(super) fn host_flag(side: usize) -> u64 {
    HOST_HEAP + 64 * side as u64
}

impl Plan {
    /// A plan with these numbers of steps, work-groups and cycles (of a row, of the host, between kernels). Errors: the
    /// heap has no room.
    pub(super) fn new(
        cluster: &mut ComputeCluster,
        shape: Shape,
        [steps, groups]: [u64; 2],
        [row_cycles, host_cycles, kernel_cycles]: [u64; 3],
        in_heap: bool,
    ) -> Result<Self, ComputeError> {
        let row = shape.row_bytes();
        let mut pair = |bytes| -> Result<[u64; 2], ComputeError> {
            Ok([cluster.shmalloc(bytes)?, cluster.shmalloc(bytes)?])
        };
        let halos = [pair(row)?, pair(row)?];
        let edges = [pair(row)?, pair(row)?];
        let flags = pair(64)?;
        let [residuals, known] = pair(64 * groups)?;
        let rows = match in_heap {
            true => Rows::Heap(pair(row * shape.rows as u64)?),
            false => Rows::Program(Rc::default()),
        };
        Ok(Self {
            shape,
            steps,
            groups: groups as usize,
            row_cycles,
            host_cycles,
            kernel_cycles,
            rows,
            halos,
            edges,
            flags,
            residuals,
            known,
            kernels: None,
            told: Rc::default(),
        })
    }

    /// The same for another node: nothing shared that a node has of its own.
    pub(super) fn of_node(&self, kernels: bool) -> Self {
        Self {
            rows: match &self.rows {
                Rows::Heap(at) => Rows::Heap(*at),
                Rows::Program(_) => Rows::Program(Rc::default()),
            },
            kernels: kernels.then(Rc::default),
            ..self.clone()
        }
    }

    /// The node on a side.
    pub(super) fn neighbour(local: &Local, side: usize) -> Option<usize> {
        match side {
            0 => local.pe().checked_sub(1),
            _ => Some(local.pe() + 1).filter(|pe| *pe < local.nodes()),
        }
    }

    /// What lies beyond the edge before this step, if a node is there: its address.
    pub(super) fn halo(&self, side: usize, step: u64) -> u64 {
        self.halos[side][((step + 1) % 2) as usize]
    }

    /// Where the neighbour on a side takes what it needs after this step.
    pub(super) fn halo_there(&self, side: usize, step: u64) -> u64 {
        self.halo(1 - side, step + 1)
    }

    /// The flag of halos from a side.
    pub(super) fn flag(&self, side: usize) -> u64 {
        self.flags[side]
    }

    /// Where the row at an edge lies after this step, to be sent.
    pub(super) fn edge(&self, side: usize, step: u64) -> u64 {
        match &self.rows {
            Rows::Heap(fields) => {
                let row = if side == 0 { 0 } else { self.shape.rows - 1 };
                fields[(step % 2) as usize] + row as u64 * self.shape.row_bytes()
            }
            Rows::Program(_) => self.edges[side][(step % 2) as usize],
        }
    }

    /// A row before this step.
    pub(super) async fn load_row(&self, local: &Local, step: u64, row: usize) -> Vec<f32> {
        let parity = ((step + 1) % 2) as usize;
        match &self.rows {
            Rows::Heap(fields) => {
                let at = fields[parity] + row as u64 * self.shape.row_bytes();
                numbers(&local.load_lines(at, self.shape.row_bytes()).await)
            }
            Rows::Program(fields) => fields.borrow()[parity][row].clone(),
        }
    }

    /// Stores a row as it is after this step; into the heap too if it is sent.
    pub(super) async fn store_row(&self, local: &Local, step: u64, row: usize, numbers: Vec<f32>) {
        let parity = (step % 2) as usize;
        let bytes: Vec<u8> = numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
        match &self.rows {
            Rows::Heap(fields) => {
                let at = fields[parity] + row as u64 * self.shape.row_bytes();
                local.store(at, &bytes).await;
            }
            Rows::Program(fields) => {
                for side in SIDES {
                    let edge = if side == 0 { 0 } else { self.shape.rows - 1 };
                    if row == edge && Self::neighbour(local, side).is_some() {
                        local.store(self.edge(side, step), &bytes).await;
                    }
                }
                fields.borrow_mut()[parity][row] = numbers;
            }
        }
    }

    /// What lies beyond an edge before this step, if it has come.
    pub(super) async fn load_halo(&self, local: &Local, side: usize, step: u64) -> Vec<f32> {
        if Self::neighbour(local, side).is_none() {
            return outside(side, self.shape.width);
        }
        let at = self.halo(side, step);
        numbers(&local.load_lines(at, self.shape.row_bytes()).await)
    }

    /// Notes when a residual was known.
    pub(super) fn tell(&self, local: &Local, step: u64, residual: u32) {
        self.told.borrow_mut().push(Told {
            pe: local.pe(),
            step,
            cycle: local.now(),
            residual,
        });
    }
}

fn numbers(lines: &[[u8; 64]]) -> Vec<f32> {
    let (words, _) = lines.as_flattened().as_chunks();
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}
