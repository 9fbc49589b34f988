/* Two-sided messages over the network interface: the application thread matches and makes progress. */
#include "library.h"

/* The first entry that takes a message, out of the list. */
struct receive *match(struct list *list, int32_t source, uint64_t bits) {
    for (struct receive **link = &list->first; *link; link = &(*link)->next) {
        struct receive *entry = *link;
        if ((entry->source == -1 || entry->source == source)
            && ((entry->match_bits ^ bits) & ~entry->ignore_bits) == 0) {
            *link = entry->next;
            if (!entry->next)
                list->last = link;
            return entry;
        }
    }
    return NULL;
}

static void append(struct list *list, struct receive *entry) {
    entry->next = NULL;
    *list->last = entry;
    list->last = &entry->next;
}

int mpi_send(struct interface *ni, struct receive *request, uint64_t offset, size_t length, int to, uint32_t tag) {
    request->length = length;
    request->source = to;
    request->state = 1;
    struct put put = {
        .local_offset = offset,
        .length = length,
        .match_bits = (uint64_t)(uint32_t)to << 32 | tag,
        .user_pointer = (uint64_t)(uintptr_t)request,
        .header_data = length,
        .node = (uint16_t)to,
        .ack = 1,
    };
    /* Long messages announce themselves: the receiver gets them. */
    if (length > 4096) {
        put.length = 0;
        put.remote_offset = offset;
    }
    return ptl_put(ni, &put);
}

int mpi_receive(struct list *posted, struct list *unexpected, struct receive *request) {
    struct receive *found = match(unexpected, request->source, request->match_bits);
    if (found) {
        request->received = found->length;
        request->state = 2;
        return 1;
    }
    request->state = 1;
    append(posted, request);
    return 0;
}

int mpi_progress(struct interface *ni, struct list *posted) {
    struct event event;
    int got = event_get(ni, &event);
    if (got <= 0)
        return got;
    if (event.kind == 2) {
        struct receive *request = match(posted, event.source_node, event.match_bits);
        if (!request)
            return 2;
        request->received = event.delivered_length;
        request->state = 2;
    } else {
        struct receive *request = (struct receive *)(uintptr_t)event.packet_id;
        request->state = 2;
    }
    return 1;
}
