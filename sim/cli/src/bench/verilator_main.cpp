// Plays a tape of inputs to instances of @TOP@; written by `xtq bench`.
#include "Vtop.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

static inline uint64_t link(uint64_t d, uint64_t w) { return (((d << 5) | (d >> 59)) + w) ^ (w >> 32); }

static double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static inline uint64_t cycle(Vtop& top, const uint64_t* in, uint64_t d) {
@SET@
    top.clk = 0;
    top.eval();
@GET@
    top.clk = 1;
    top.eval();
    return d;
}

int main(int, char** argv) {
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    const uint64_t* tape = reinterpret_cast<const uint64_t*>(bytes.data());
    const size_t cycles = strtoull(argv[2], nullptr, 10), count = strtoull(argv[3], nullptr, 10);
    VerilatedContext context;
    std::vector<std::unique_ptr<Vtop>> tops;
    for (size_t i = 0; i < count; i++) {
        tops.push_back(std::make_unique<Vtop>(&context, ""));
        Vtop& top = *tops.back();
        top.rst = 1;
        for (int step = 0; step < 4; step++) {
            top.clk = step & 1;
            top.eval();
        }
        top.rst = 0;
    }
    std::vector<uint64_t> digests(count, 0);
    const double start = cpu_seconds();
    for (size_t i = 0; i < cycles; i++)
        for (size_t n = 0; n < count; n++) digests[n] = cycle(*tops[n], tape + i * @WORDS@, digests[n]);
    printf("%.9f %016llx\n", cpu_seconds() - start, (unsigned long long)digests[0]);
}
