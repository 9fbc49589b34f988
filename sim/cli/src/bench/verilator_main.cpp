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

static inline uint64_t link(uint64_t d, uint64_t w) {
    d = (d ^ w) * 0x9e3779b97f4a7c15u;
    return d << 29 | d >> 35;
}

static double seconds_of(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

struct Instance {
    std::unique_ptr<Vtop> model;
    uint64_t last[@OUT_WORDS@] = {};
    bool started = false;
    uint64_t digest = 0;
};

// The digest chains the outputs of every cycle in which one changes, after the cycle's number.
static inline void cycle(Instance& instance, const uint64_t* in, uint64_t number) {
    Vtop& top = *instance.model;
@SET@
    top.clk = 0;
    top.eval();
    uint64_t out[@OUT_WORDS@];
@GET@
    if (!instance.started || memcmp(out, instance.last, sizeof out)) {
        uint64_t d = link(instance.digest, number);
        for (uint64_t word : out) d = link(d, word);
        instance.digest = d;
        instance.started = true;
        memcpy(instance.last, out, sizeof out);
    }
    top.clk = 1;
    top.eval();
}

int main(int, char** argv) {
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    const uint64_t* tape = reinterpret_cast<const uint64_t*>(bytes.data());
    const size_t cycles = strtoull(argv[2], nullptr, 10), count = strtoull(argv[3], nullptr, 10);
    VerilatedContext context;
    std::vector<Instance> instances(count);
    for (Instance& instance : instances) {
        instance.model = std::make_unique<Vtop>(&context, "");
        Vtop& top = *instance.model;
        top.rst = 1;
        for (int step = 0; step < 4; step++) {
            top.clk = step & 1;
            top.eval();
        }
        top.rst = 0;
    }
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID), begin = seconds_of(CLOCK_MONOTONIC);
    for (size_t i = 0; i < cycles; i++)
        for (Instance& instance : instances) cycle(instance, tape + i * @WORDS@, i);
    const double seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start, wall = seconds_of(CLOCK_MONOTONIC) - begin;
    uint64_t digest = instances[0].digest;
    for (Instance& instance : instances)
        if (instance.digest != instances[0].digest) digest = 0;
    printf("%.9f %.9f %016llx\n", seconds, wall, (unsigned long long)digest);
}
