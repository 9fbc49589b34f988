/* Reads a ring of AQL packets, as `xtq run --dump-memory` saved it, with the structs of the HSA runtime, and prints one line
 * of key=value a packet. Slots that hold no packet (type INVALID) are printed too.
 *
 * usage: read_ring FILE
 */
#include <hsa/hsa.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_kernel(const hsa_kernel_dispatch_packet_t *p) {
    printf(" setup=%u workgroup=%ux%ux%u grid=%ux%ux%u private=%u group=%u kernel_object=0x%" PRIx64
           " kernarg_address=0x%" PRIx64 " reserved2=0x%" PRIx64 " completion_signal=0x%" PRIx64,
           p->setup, p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z, p->grid_size_x, p->grid_size_y,
           p->grid_size_z, p->private_segment_size, p->group_segment_size, p->kernel_object,
           (uint64_t)(uintptr_t)p->kernarg_address, p->reserved2, p->completion_signal.handle);
}

static void print_agent(const hsa_agent_dispatch_packet_t *p) {
    printf(" agent_type=0x%x return_address=0x%" PRIx64 " arg0=0x%" PRIx64 " arg1=0x%" PRIx64 " arg2=0x%" PRIx64
           " arg3=0x%" PRIx64 " reserved2=0x%" PRIx64 " completion_signal=0x%" PRIx64,
           p->type, (uint64_t)(uintptr_t)p->return_address, p->arg[0], p->arg[1], p->arg[2], p->arg[3], p->reserved2,
           p->completion_signal.handle);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: read_ring FILE\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    uint8_t bytes[64];
    size_t got;
    for (unsigned slot = 0; (got = fread(bytes, 1, sizeof bytes, file)) == sizeof bytes; slot++) {
        hsa_kernel_dispatch_packet_t kernel;
        hsa_agent_dispatch_packet_t agent;
        memcpy(&kernel, bytes, sizeof kernel);
        memcpy(&agent, bytes, sizeof agent);
        /* The GPU makes a header INVALID when it is done; what it was can be seen in the rest of the packet. */
        printf("slot=%u header=0x%04x type=%u", slot, kernel.header, kernel.header & 0xff);
        if ((kernel.header & 0xff) == HSA_PACKET_TYPE_AGENT_DISPATCH)
            print_agent(&agent);
        else
            print_kernel(&kernel);
        printf("\n");
    }
    fclose(file);
    if (got != 0) {
        fprintf(stderr, "%s: %zu bytes too many for whole packets\n", argv[1], got);
        return 1;
    }
    return 0;
}
