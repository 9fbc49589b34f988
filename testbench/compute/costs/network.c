/* Puts and events. */
#include "library.h"

int ptl_put(struct interface *ni, const struct put *put) {
    if (ni->tail - ni->head > ni->command_mask) {
        ni->head = *ni->command_head;
        if (ni->tail - ni->head > ni->command_mask)
            return -1;
    }
    struct command *command = &ni->commands[ni->tail & ni->command_mask];
    command->operation = 1;
    command->flags = 0;
    command->ack = put->ack;
    command->descriptor = put->descriptor;
    command->portal_index = put->portal_index;
    command->user_pointer = put->user_pointer;
    command->start = put->local_offset;
    command->length = put->length;
    command->node = put->node;
    command->context = put->context;
    command->match_bits = put->match_bits;
    command->remote_offset = put->remote_offset;
    command->header_data = put->header_data;
    ni->tail++;
    /* The command must be there before the NIC hears of it. */
    atomic_thread_fence(memory_order_release);
    *ni->command_tail = ni->tail;
    return 0;
}

int event_poll(const struct interface *ni) {
    const struct event *next = &ni->events[ni->consumed & ni->event_mask];
    return atomic_load_explicit(&next->kind, memory_order_acquire) != 0xff;
}

int event_get(struct interface *ni, struct event *event) {
    struct event *next = &ni->events[ni->consumed & ni->event_mask];
    uint8_t kind = atomic_load_explicit(&next->kind, memory_order_acquire);
    if (kind == 0xff)
        return 0;
    event->kind = kind;
    event->status = next->status;
    event->ni_fail = next->ni_fail;
    event->dropped = next->dropped;
    event->source_node = next->source_node;
    event->source_context = next->source_context;
    event->portal_index = next->portal_index;
    event->match_bits = next->match_bits;
    event->header_data = next->header_data;
    event->start = next->start;
    event->requested_length = next->requested_length;
    event->delivered_length = next->delivered_length;
    event->remote_offset = next->remote_offset;
    event->packet_id = next->packet_id;
    atomic_store_explicit(&next->kind, 0xff, memory_order_release);
    ni->consumed++;
    /* Places are given back a quarter of the ring at a time. */
    if ((ni->consumed & (ni->event_mask >> 2)) == 0)
        *ni->event_consumer = ni->consumed;
    return event->dropped == 0 ? 1 : -1;
}
