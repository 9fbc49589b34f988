/* The loops of a reduction, and a copy. */
#include "library.h"

#define SUM(name, type)                                                                  \
    void name(type *restrict target, const type *restrict source, size_t elements) {     \
        for (size_t i = 0; i < elements; i++)                                            \
            target[i] += source[i];                                                      \
    }

SUM(sum_int32, int32_t)
SUM(sum_int64, int64_t)
SUM(sum_float, float)
SUM(sum_double, double)

void copy_words(uint64_t *restrict target, const uint64_t *restrict source, size_t words) {
    for (size_t i = 0; i < words; i++)
        target[i] = source[i];
}
