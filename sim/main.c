/* sim: the simulator. See --help. */

#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: sim [--seed N | --seeds A..B] [--days D] [--without Gn[,Gn...]] [--no FAULT[,FAULT...]]\n"
    "           [--uniform] [--loud] [--twice]\n"
    "\n"
    "Runs the production planner and engine on virtual time, with bad luck from a seed, and looks\n"
    "whether anything happens that must not. Exit code 1: it has found something.\n"
    "\n"
    "  --seeds 1..200    many seeds, a line each that found something, and the sum\n"
    "  --days 30         of bad luck; twelve hours without any follow\n"
    "  --without G5,G9   these guards are switched off\n"
    "  --no rollback     this kind of bad luck is switched off; --no all but what? see faults.def\n"
    "  --uniform         every kind of bad luck at its plain rate, no swarm\n"
    "  --loud            tell what happens\n"
    "  --twice           each seed twice: the fingerprints must be the same\n";

static void usage(const char *what)
{
    fprintf(stderr, "sim: %s\n%s", what, help);
    exit(2);
}

static uint32_t guards_read(char *list)
{
    uint32_t bits = 0;

    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        int number = word[0] == 'G' ? atoi(word + 1) : 0;

        if (number < 1 || number > 14) {
            usage("a guard is G1 to G14");
        }
        bits |= 1u << number;
    }
    return bits;
}

static uint64_t faults_read(char *list)
{
    uint64_t bits = 0;

    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        int found = 0;

        for (int i = 0; i < FAULT_KIND_COUNT; i++) {
            if (strcmp(word, fault_name((enum fault_kind)i)) == 0) {
                bits |= UINT64_C(1) << i;
                found = 1;
            }
        }
        if (!found) {
            usage("there is no such fault");
        }
    }
    return bits;
}

struct sums {
    uint64_t seeds;
    uint64_t bad;
    uint64_t found[SIM_FOUND_COUNT];
    uint64_t passes;
    uint64_t made;
    uint64_t ended;
};

static void result_add(struct sums *sums, const struct sim_setup *setup,
                       const struct sim_result *result)
{
    sums->seeds++;
    sums->bad += result->first[0] != '\0';
    sums->passes += result->passes;
    sums->made += result->made;
    sums->ended += result->ended;
    for (int i = 0; i < SIM_FOUND_COUNT; i++) {
        sums->found[i] += result->found[i];
    }
    if (result->first[0] != '\0') {
        printf("seed %llu: %s\n", (unsigned long long)setup->seed, result->first);
    }
}

static void sums_show(const struct sums *sums, const struct sim_setup *setup, double seconds)
{
    printf("%llu seeds of %llu days, %llu with findings:", (unsigned long long)sums->seeds,
           (unsigned long long)setup->days, (unsigned long long)sums->bad);
    for (int i = 0; i < SIM_FOUND_COUNT; i++) {
        printf(" %llu %s%s", (unsigned long long)sums->found[i],
               sim_violation_name((enum sim_violation)i), i + 1 < SIM_FOUND_COUNT ? "," : "\n");
    }
    printf("%llu passes, %llu machines made, %llu ended; %.1f s of cpu, %.0f times real time\n",
           (unsigned long long)sums->passes, (unsigned long long)sums->made,
           (unsigned long long)sums->ended, seconds,
           seconds > 0 ? (double)(sums->seeds * (setup->days * 86400 + 43200)) / seconds : 0.0);
}

int main(int argc, char **argv)
{
    struct sim_setup setup = { .seed = 1, .days = 30 };
    unsigned long long first = 1;
    unsigned long long last = 1;
    struct sums sums = { 0 };
    bool is_twice = false;
    clock_t start = clock();

    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;

        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        } else if (strcmp(argv[i], "--seed") == 0 && has_value) {
            first = last = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seeds") == 0 && has_value) {
            if (sscanf(argv[++i], "%llu..%llu", &first, &last) != 2 || last < first) {
                usage("seeds are A..B");
            }
        } else if (strcmp(argv[i], "--days") == 0 && has_value) {
            setup.days = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--without") == 0 && has_value) {
            setup.guards_off = guards_read(argv[++i]);
        } else if (strcmp(argv[i], "--no") == 0 && has_value) {
            setup.faults_off = faults_read(argv[++i]);
        } else if (strcmp(argv[i], "--uniform") == 0) {
            setup.is_uniform = true;
        } else if (strcmp(argv[i], "--loud") == 0) {
            setup.is_loud = true;
        } else if (strcmp(argv[i], "--twice") == 0) {
            is_twice = true;
        } else {
            usage("unknown flag, or one without its value");
        }
    }
    for (unsigned long long seed = first; seed <= last; seed++) {
        struct sim_result result;

        setup.seed = seed;
        result = sim_run(&setup);
        if (is_twice && sim_run(&setup).fingerprint != result.fingerprint) {
            printf("seed %llu: two runs differ\n", seed);
            sums.bad++;
        }
        result_add(&sums, &setup, &result);
        fflush(stdout);
    }
    sums_show(&sums, &setup, (double)(clock() - start) / CLOCKS_PER_SEC);
    return sums.bad > 0;
}
