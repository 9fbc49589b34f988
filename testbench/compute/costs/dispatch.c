/* HSA: a kernel with its arguments into a user-mode queue, and the wait for its signal. */
#include "library.h"

uint64_t aql_dispatch(struct queue *queue, uint64_t kernel, uint64_t *kernarg, const uint64_t arguments[4],
                      uint32_t items, uint64_t signal) {
    for (int i = 0; i < 4; i++)
        kernarg[i] = arguments[i];
    uint64_t id = atomic_fetch_add_explicit(queue->write_index, 1, memory_order_relaxed);
    while (id - queue->read_seen >= queue->size)
        queue->read_seen = atomic_load_explicit(queue->read_index, memory_order_acquire);
    struct packet *packet = &queue->packets[id & (queue->size - 1)];
    packet->workgroup[0] = 64;
    packet->workgroup[1] = 1;
    packet->workgroup[2] = 1;
    packet->reserved = 0;
    packet->grid[0] = items;
    packet->grid[1] = 1;
    packet->grid[2] = 1;
    packet->private_bytes = 0;
    packet->group_bytes = 0;
    packet->kernel = kernel;
    packet->kernarg = (uint64_t)(uintptr_t)kernarg;
    packet->reserved2 = 0;
    packet->signal = signal;
    /* Header and setup are one word, written last. */
    uint32_t header = 2 | 1 << 8 | 2 << 9 | 2 << 11;
    atomic_store_explicit((_Atomic uint32_t *)packet, header | 1 << 16, memory_order_release);
    *queue->doorbell = id;
    return id;
}

int signal_poll(const _Atomic int64_t *value, int64_t below) {
    return atomic_load_explicit(value, memory_order_acquire) < below;
}

/* A core that serves a queue of its own: takes the packet that a doorbell has announced, and ends it. */
int agent_take(const struct queue *queue, uint64_t id, struct packet *task) {
    const struct packet *packet = &queue->packets[id & (queue->size - 1)];
    if ((packet->header & 0xff) != 4)
        return -1;
    *task = *packet;
    return 0;
}

void agent_end(struct queue *queue, uint64_t id, _Atomic int64_t *signal) {
    if (signal)
        atomic_fetch_sub_explicit(signal, 1, memory_order_release);
    struct packet *packet = &queue->packets[id & (queue->size - 1)];
    atomic_store_explicit((_Atomic uint16_t *)&packet->header, 1, memory_order_release);
    atomic_store_explicit(queue->read_index, id + 1, memory_order_release);
}
