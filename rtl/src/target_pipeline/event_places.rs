//! Places in event rings: who takes, holds and loses them.

use super::TargetPipeline;
use xtq_kernel::kernel;

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize>
    TargetPipeline<C, P, N, I, T>
{
    /// Admission and own events reserve through the arbiter; MatchStage holds.
    pub(super) fn event_places(&mut self) {
        self.rings.flow_portals.next = self.portals.flow_portals.val();
        self.admission.room.next = self.rings.room.val();
        self.admission.room_flow.next = self.rings.room_flow.val();
        self.places.admission_context.next = self.admission.event_context.val();
        self.places.admission_reserve.next = self.admission.reserve.val();
        self.places.admission_hold.next = self.admission.hold.val();
        self.places.admission_lost.next = self.admission.lost.val();
        self.places.admission_give_back.next = self.admission.give_back.val();
        self.places.holding.next = self.matching.holding.val();
        self.places.own_context.next = self.merge.own_context.val();
        self.places.own_claim.next = self.merge.claim.val();
        self.places.own_lost.next = self.merge.lost.val();
        self.places.own_failed.next = self.merge.own_failed.val();
        self.places.visible.next = self.merge.visible.data.val();
        connect!(self.completer.event_failed => self.places.held_failed);
        connect!(self.places.reserve => self.rings.reserve);
        self.rings.flow_held.next = self.matching.flow_held.val();
        self.rings.hold.next = self.matching.hold.val();
        self.rings.hold_context.next = self.matching.hold_context.val();
        self.rings.give_back.next = self.admission.give_back.val();
        self.rings.lost.next = self.places.lost.val();
        self.rings.lost_count.next = self.places.lost_count.val();
        connect!(self.ring_cfg => self.rings.cfg);
        connect!(self.ring_status => self.rings.status);
    }
}
