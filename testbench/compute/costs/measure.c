/* Calls one function so often that count.sh can count it: measure NAME. Prints how many calls, or lines, it made. */
#include "library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1000, PLACES = 1024, BYTES = 1 << 16, ENTRIES = 100 };

static struct command commands[PLACES];
static struct event events[PLACES];
static struct packet packets[PLACES];
static struct receive entries[ENTRIES + CALLS];
static volatile uint32_t command_tail, command_head, event_consumer;
static volatile uint64_t doorbell;
static _Atomic uint64_t write_index, read_index;
static _Atomic int64_t signal_value = 1;
static _Alignas(64) char target[BYTES], source[BYTES];

static struct interface ni = {
    commands, events, PLACES - 1, PLACES - 1, 0, 0, 0, &command_tail, &command_head, &event_consumer,
};
static struct queue queue = {packets, PLACES, 0, &write_index, &read_index, &doorbell};
static struct list posted = {NULL, &posted.first}, unexpected = {NULL, &unexpected.first};

static void add(struct receive *entry, uint64_t bits) {
    *entry = (struct receive){.match_bits = bits, .source = -1};
    *posted.last = entry;
    posted.last = &entry->next;
}

/* A list of which the first `before` entries do not match. */
static void list_of(int before) {
    posted.first = NULL;
    posted.last = &posted.first;
    for (int i = 0; i < before; i++)
        add(&entries[i], 7);
}

int main(int count, char **names) {
    const char *name = count > 1 ? names[1] : "";
    unsigned done = 0;
    struct event event;
    for (int i = 0; i < PLACES; i++)
        events[i].kind = 0xff;
    if (strncmp(name, "sum_", 4) == 0 || strcmp(name, "copy_words") == 0) {
        if (strcmp(name, "sum_int32") == 0)
            sum_int32((int32_t *)target, (int32_t *)source, BYTES / 4);
        else if (strcmp(name, "sum_int64") == 0)
            sum_int64((int64_t *)target, (int64_t *)source, BYTES / 8);
        else if (strcmp(name, "sum_float") == 0)
            sum_float((float *)target, (float *)source, BYTES / 4);
        else if (strcmp(name, "sum_double") == 0)
            sum_double((double *)target, (double *)source, BYTES / 8);
        else
            copy_words((uint64_t *)target, (uint64_t *)source, BYTES / 8);
        done = BYTES / 64;
    } else if (strcmp(name, "match_none") == 0 || strcmp(name, "match_100") == 0) {
        int before = strcmp(name, "match_100") == 0 ? ENTRIES : 0;
        for (int i = 0; i < CALLS; i++, done++) {
            list_of(before);
            add(&entries[before], 9);
            if (match(&posted, 3, 9) != &entries[before])
                abort();
        }
    } else {
        for (int i = 0; i < CALLS; i++, done++) {
            struct put put = {.length = 64, .ack = 1, .node = 1, .user_pointer = (uint64_t)i};
            command_head = ni.tail;
            read_index = write_index;
            if (strcmp(name, "ptl_put") == 0) {
                ptl_put(&ni, &put);
            } else if (strcmp(name, "event_poll") == 0) {
                event_poll(&ni);
            } else if (strcmp(name, "event_get") == 0) {
                events[ni.consumed % PLACES].kind = 2;
                event_get(&ni, &event);
            } else if (strcmp(name, "aql_dispatch") == 0) {
                aql_dispatch(&queue, 5, (uint64_t *)target, (uint64_t[4]){1, 2, 3, 4}, 1024, 9);
            } else if (strcmp(name, "agent_take") == 0) {
                struct packet task;
                packets[i % PLACES].header = 4;
                agent_take(&queue, (uint64_t)i, &task);
            } else if (strcmp(name, "agent_end") == 0) {
                agent_end(&queue, (uint64_t)i, &signal_value);
            } else if (strcmp(name, "signal_poll") == 0) {
                signal_poll(&signal_value, 1);
            } else if (strcmp(name, "mpi_send") == 0) {
                mpi_send(&ni, &entries[0], 64, 512, 3, 9);
            } else if (strcmp(name, "mpi_receive") == 0) {
                entries[i] = (struct receive){.match_bits = 9, .source = 3};
                mpi_receive(&posted, &unexpected, &entries[i]);
            } else if (strcmp(name, "mpi_progress") == 0) {
                events[ni.consumed % PLACES].kind = 10;
                events[ni.consumed % PLACES].packet_id = (uint64_t)(uintptr_t)&entries[0];
                mpi_progress(&ni, &posted);
            } else {
                fprintf(stderr, "measure: no function '%s'\n", name);
                return 2;
            }
        }
    }
    printf("%u\n", done);
    return 0;
}
