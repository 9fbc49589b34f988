/* The host library as a C program would have it: what a core executes for each call.
 *
 * Layouts are those of docs/reference/formats.md (commands of 128 bytes, events of 64) and of HSA (packets of 64).
 * count.sh counts the instructions of each function; costs.toml keeps the counts. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A command: the fields that a put sets. */
struct command {
    uint8_t operation, flags, ack, atomic, datatype, reserved[3];
    uint16_t descriptor, second_descriptor, command_length, portal_index;
    uint64_t user_pointer, start, second_start, length;
    uint16_t node, context;
    uint32_t reserved2;
    uint64_t match_bits, remote_offset, header_data;
    uint8_t rest[128 - 88];
};

/* An event as the NIC writes it. Kind 0xff: nothing yet. */
struct event {
    _Atomic uint8_t kind;
    uint8_t status, access, ni_fail;
    uint16_t source_node, portal_index;
    uint32_t user_id;
    uint16_t queue_index;
    uint8_t source_context, dropped;
    uint64_t match_bits, header_data, start;
    uint32_t requested_length, delivered_length;
    uint64_t remote_offset, packet_id;
};

/* A network interface: rings in memory, registers of the NIC. */
struct interface {
    struct command *commands;
    struct event *events;
    uint32_t command_mask, event_mask;
    uint32_t tail, head, consumed;
    volatile uint32_t *command_tail, *command_head, *event_consumer;
};

struct put {
    uint64_t local_offset, length, match_bits, remote_offset, user_pointer, header_data;
    uint16_t descriptor, node, context, portal_index;
    uint8_t ack;
};

int ptl_put(struct interface *ni, const struct put *put);
int event_poll(const struct interface *ni);
int event_get(struct interface *ni, struct event *event);

/* hsa_queue_t and what a producer keeps of it. */
struct packet {
    uint16_t header, setup;
    uint16_t workgroup[3], reserved;
    uint32_t grid[3], private_bytes, group_bytes;
    uint64_t kernel, kernarg, reserved2, signal;
};

struct queue {
    struct packet *packets;
    uint64_t size, read_seen;
    _Atomic uint64_t *write_index;
    _Atomic uint64_t *read_index;
    volatile uint64_t *doorbell;
};

uint64_t aql_dispatch(struct queue *queue, uint64_t kernel, uint64_t *kernarg, const uint64_t arguments[4],
                      uint32_t items, uint64_t signal);
int agent_take(const struct queue *queue, uint64_t id, struct packet *task);
void agent_end(struct queue *queue, uint64_t id, _Atomic int64_t *signal);
int signal_poll(const _Atomic int64_t *value, int64_t below);

/* A receive that was posted, in a list. */
struct receive {
    struct receive *next;
    uint64_t match_bits, ignore_bits;
    void *buffer;
    size_t length, received;
    int32_t source;
    uint32_t state;
};

struct list {
    struct receive *first, **last;
};

struct receive *match(struct list *list, int32_t source, uint64_t bits);
int mpi_send(struct interface *ni, struct receive *request, uint64_t offset, size_t length, int to, uint32_t tag);
int mpi_receive(struct list *posted, struct list *unexpected, struct receive *request);
int mpi_progress(struct interface *ni, struct list *posted);

void sum_int32(int32_t *target, const int32_t *source, size_t elements);
void sum_int64(int64_t *target, const int64_t *source, size_t elements);
void sum_float(float *target, const float *source, size_t elements);
void sum_double(double *target, const double *source, size_t elements);
void copy_words(uint64_t *target, const uint64_t *source, size_t words);

#endif
