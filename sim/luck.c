#include "sim.h"

/* public names start with: luck_ */

struct luck luck_make(uint64_t seed, uint64_t stream)
{
    struct luck luck = { seed * UINT64_C(0x9e3779b97f4a7c15) + stream };

    for (int i = 0; i < 4; i++) {
        (void)luck_draw(&luck, 2);
    }
    return luck;
}

uint64_t luck_draw(struct luck *luck, uint64_t below)
{
    uint64_t z = (luck->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return below == 0 ? z : z % below;
}

double luck_share(struct luck *luck)
{
    return (double)(luck_draw(luck, 0) >> 11) / 9007199254740992.0;
}

bool luck_hits(struct luck *luck, double share)
{
    return luck_share(luck) < share;
}

/* Draws from a uniform distribution between zero and twice the mean. An exponential distribution is
 * not used, because functions of the C library differ in their last bits between machines. */
uint64_t luck_wait(struct luck *luck, double per_hour)
{
    double mean_ms = 3600000.0 / per_hour;

    return 1 + (uint64_t)(2.0 * mean_ms * luck_share(luck));
}
