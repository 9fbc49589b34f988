//! `KernelPacket`: the AQL packet of a launch.

use xtq_testbench::aql::{Header, Packet, field, packet_type};

/// Fence at system scope: what other devices wrote is seen, what the kernel writes is visible to them.
const SYSTEM_SCOPE: u16 = 2;
/// Most work-items of a work-group: a wavefront.
const GROUP: u32 = 64;

/// A kernel dispatch packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelPacket {
    /// Handle of the kernel; of an XTQ put its index.
    pub kernel: u64,
    /// Address of the arguments; the NIC sets that of an XTQ put.
    pub kernarg: u64,
    /// Work-items.
    pub work_items: u32,
    /// Signal that is decremented at the end; 0: none.
    pub signal: u64,
    /// Waits until all earlier packets of the queue are complete.
    pub barrier: bool,
}

impl KernelPacket {
    /// The packet, with fences of system scope at both ends.
    pub fn bytes(&self) -> Packet {
        let header = u16::from(packet_type::KERNEL_DISPATCH)
            | u16::from(self.barrier) << 8
            | SYSTEM_SCOPE << 9
            | SYSTEM_SCOPE << 11;
        let mut packet = [0; 64];
        field::HEADER.write(&mut packet, header.into());
        field::SETUP.write(&mut packet, 1);
        let sizes = [self.work_items.max(1), 1, 1];
        for (place, size) in sizes.into_iter().enumerate() {
            let group = if place == 0 { GROUP.min(size) } else { 1 };
            field::WORKGROUP_SIZE[place].write(&mut packet, group.into());
            field::GRID_SIZE[place].write(&mut packet, size.into());
        }
        field::KERNEL_OBJECT.write(&mut packet, self.kernel);
        field::KERNARG_ADDRESS.write(&mut packet, self.kernarg);
        field::COMPLETION_SIGNAL.write(&mut packet, self.signal);
        debug_assert_eq!(Header::of(&packet).kind, packet_type::KERNEL_DISPATCH);
        packet
    }

    /// The packet of an XTQ put: it names kernel and queue by their indices at the target, which adds buffer, arguments
    /// and, if the kernel is registered with one, the signal.
    pub fn xtq(kernel_index: u16, queue_index: u16, work_items: u32, barrier: bool) -> Packet {
        let mut packet = Self {
            kernel: kernel_index.into(),
            work_items,
            barrier,
            ..Self::default()
        }
        .bytes();
        field::RESERVED2.write(&mut packet, queue_index.into());
        packet
    }
}
