/* Writes AQL packets with the structs of the HSA runtime: DIR/packets.aql, DIR/arguments.bin, DIR/payload.bin, as
 * scenarios/aql-file.toml names them. Pointers are coordinated indices (XTQ): kernel_object or return_address is the
 * index of the kernel or function, the reserved field at offset 48 the index of the queue.
 *
 * usage: write_packets DIR
 */
#include <hsa/hsa.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KERNEL_INDEX = 42, FUNCTION_INDEX = 3, QUEUE_INDEX = 42, PAYLOAD_BYTES = 128, ARGUMENT_WORDS = 4 };

static uint16_t header(hsa_packet_type_t type, int barrier) {
    return (uint16_t)((type << HSA_PACKET_HEADER_TYPE) | (barrier << HSA_PACKET_HEADER_BARRIER) |
                      (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE) |
                      (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE));
}

static hsa_kernel_dispatch_packet_t kernel(uint32_t grid, int barrier) {
    hsa_kernel_dispatch_packet_t packet;
    memset(&packet, 0, sizeof packet);
    packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, barrier);
    packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    packet.workgroup_size_x = 64;
    packet.workgroup_size_y = 1;
    packet.workgroup_size_z = 1;
    packet.grid_size_x = grid;
    packet.grid_size_y = 1;
    packet.grid_size_z = 1;
    packet.private_segment_size = 16;
    packet.group_segment_size = 1024;
    packet.kernel_object = KERNEL_INDEX;
    packet.reserved2 = QUEUE_INDEX;
    return packet;
}

static hsa_agent_dispatch_packet_t agent(void) {
    hsa_agent_dispatch_packet_t packet;
    memset(&packet, 0, sizeof packet);
    packet.header = header(HSA_PACKET_TYPE_AGENT_DISPATCH, 0);
    packet.type = 0x8001;
    packet.return_address = (void *)(uintptr_t)FUNCTION_INDEX;
    packet.arg[2] = 0x1111;
    packet.arg[3] = 0x2222;
    packet.reserved2 = QUEUE_INDEX;
    packet.completion_signal.handle = 0x40000040;
    return packet;
}

static int save(const char *dir, const char *name, const void *bytes, size_t length) {
    char path[4096];
    int used = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (used < 0 || (size_t)used >= sizeof path) {
        fprintf(stderr, "%s: the path is too long\n", name);
        return 1;
    }
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t written = fwrite(bytes, 1, length, file);
    if (fclose(file) != 0 || written != length) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: write_packets DIR\n");
        return 2;
    }
    union {
        hsa_kernel_dispatch_packet_t kernel;
        hsa_agent_dispatch_packet_t agent;
    } packets[3];
    packets[0].kernel = kernel(256, 0);
    packets[1].agent = agent();
    packets[2].kernel = kernel(1024, 1);

    uint64_t arguments[2][ARGUMENT_WORDS];
    uint8_t payload[3][PAYLOAD_BYTES];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < ARGUMENT_WORDS; j++) arguments[i][j] = 0x1000u * (i + 1) + j;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < PAYLOAD_BYTES; j++) payload[i][j] = (uint8_t)(16 * i + j);

    return save(argv[1], "packets.aql", packets, sizeof packets) ||
           save(argv[1], "arguments.bin", arguments, sizeof arguments) ||
           save(argv[1], "payload.bin", payload, sizeof payload);
}
