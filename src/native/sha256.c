#include "native/sha256.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) && !defined(SHA256_PLAIN) /* which tests define */
#define HAS_FAST 1
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t round_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static void block_plain(uint32_t state[static 8], const unsigned char *block)
{
    uint32_t w[64];
    uint32_t v[8];

    for (size_t i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t small0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t small1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + small0 + w[i - 7] + small1;
    }
    memcpy(v, state, sizeof(v));
    for (size_t i = 0; i < 64; i++) {
        uint32_t big1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
        uint32_t big0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        uint32_t one = v[7] + big1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_words[i] + w[i];
        uint32_t two = big0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

#ifdef HAS_FAST
static bool has_instructions(void)
{
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0 &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

/* The instructions keep the state as ABEF and CDGH, and do two rounds each. */
__attribute__((target("sha,sse4.1,ssse3"))) static void
blocks_fast(uint32_t state[static 8], const unsigned char *blocks, size_t count)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
    __m128i high =
        _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xf0);

    for (; count > 0; count--, blocks += 64) {
        __m128i abef_before = abef;
        __m128i cdgh_before = cdgh;
        __m128i w[4];

        for (size_t i = 0; i < 16; i++) {
            __m128i words;

            if (i < 4) {
                words = _mm_shuffle_epi8(
                    _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i)), order);
            } else { /* of the sixteen words before */
                words = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
                words = _mm_add_epi32(words, _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4));
                words = _mm_sha256msg2_epu32(words, w[(i + 3) % 4]);
            }
            w[i % 4] = words;
            words = _mm_add_epi32(
                words, _mm_loadu_si128((const __m128i *)(const void *)(round_words + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

static void blocks_take(struct sha256 *sha, const unsigned char *blocks, size_t count)
{
#ifdef HAS_FAST
    if (has_instructions()) {
        blocks_fast(sha->state, blocks, count);
        return;
    }
#endif
    for (; count > 0; count--, blocks += 64) {
        block_plain(sha->state, blocks);
    }
}

void sha256_init(struct sha256 *sha)
{
    *sha = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                       0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    size_t have = sha->bytes % 64;

    sha->bytes += count;
    if (have > 0) {
        size_t part = count < 64 - have ? count : 64 - have;

        memcpy(sha->block + have, from, part);
        from += part;
        count -= part;
        if (have + part < 64) {
            return;
        }
        blocks_take(sha, sha->block, 1);
    }
    blocks_take(sha, from, count / 64);
    memcpy(sha->block, from + count / 64 * 64, count % 64);
}

void sha256_end(struct sha256 *sha, char out[static 65])
{
    static const char digits[] = "0123456789abcdef";
    static const unsigned char padding[64] = { 0x80 };
    uint64_t bits = sha->bytes * 8;
    unsigned char end[8];

    for (size_t i = 0; i < 8; i++) {
        end[i] = (unsigned char)(bits >> (56 - 8 * i));
    }
    sha256_add(sha, padding, 1 + (119 - sha->bytes % 64) % 64);
    sha256_add(sha, end, sizeof(end));
    for (size_t i = 0; i < 64; i++) {
        out[i] = digits[sha->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    out[64] = '\0';
}
