/* The simulator program; --help prints its usage. */

#include <stdio.h>

#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void usage(const char *what)
{
    fprintf(stderr, "sim: %s\n%s", what, command_help);
    exit(2);
}

/* ---- many seeds ---- */

struct sums {
    uint64_t seeds;
    uint64_t bad;
    uint64_t found[SIM_FOUND_COUNT];
    uint64_t passes;
    uint64_t made;
    uint64_t ended;
    uint64_t fingerprint;
};

static void result_add(struct sums *sums, const struct sim_setup *setup,
                       const struct sim_result *result)
{
    sums->seeds++;
    sums->bad += result->first[0] != '\0';
    sums->passes += result->passes;
    sums->made += result->made;
    sums->ended += result->ended;
    sums->fingerprint = sums->fingerprint * 31 + result->fingerprint;
    for (int i = 0; i < SIM_FOUND_COUNT; i++) {
        sums->found[i] += result->found[i];
    }
    if (result->first[0] != '\0') {
        printf("seed %llu: %s\n", (unsigned long long)setup->seed, result->first);
    }
    fflush(stdout);
}

static void sums_show(const struct sums *sums, const struct sim_setup *setup, double seconds)
{
    printf("%llu seeds of %llu days, %llu with findings:", (unsigned long long)sums->seeds,
           (unsigned long long)setup->days, (unsigned long long)sums->bad);
    for (int i = 0; i < SIM_FOUND_COUNT; i++) {
        printf(" %llu %s%s", (unsigned long long)sums->found[i],
               sim_violation_name((enum sim_violation)i), i + 1 < SIM_FOUND_COUNT ? "," : "\n");
    }
    printf("fingerprint %016llx\n", (unsigned long long)sums->fingerprint);
    printf("%llu passes, %llu machines made, %llu ended; %.1f s of cpu, %.0f times real time\n",
           (unsigned long long)sums->passes, (unsigned long long)sums->made,
           (unsigned long long)sums->ended, seconds,
           seconds > 0 ? (double)(sums->seeds * (setup->days * 86400 + 43200)) / seconds : 0.0);
}

static int seeds_run(const struct command *command)
{
    struct sim_setup setup = command->setup;
    struct sums sums = { 0 };
    clock_t start = clock();

    setup.is_brief = command->is_until_found;
    for (uint64_t seed = command->first; seed <= command->last; seed++) {
        struct sim_result result;

        setup.seed = seed;
        result = sim_run(&setup);
        if (command->is_twice && sim_run(&setup).fingerprint != result.fingerprint) {
            printf("seed %llu: two runs differ\n", (unsigned long long)seed);
            sums.bad++;
        }
        result_add(&sums, &setup, &result);
        if (result.first[0] != '\0' && command->is_shrunk) {
            struct sim_setup smallest = shrink(&setup, result.first_kind);

            command_print(stdout, &smallest);
        }
        if (sums.bad > 0 && (command->is_until_found || command->is_shrunk)) {
            break;
        }
    }
    sums_show(&sums, &setup, (double)(clock() - start) / CLOCKS_PER_SEC);
    return sums.bad > 0;
}

/* ---- kept cases ---- */

enum { WORDS_MAX = 32 };

/* Runs one line of a file with recorded cases. Returns true if the run has the expected result. */
static bool line_run(const char *file, char *line)
{
    char *words[WORDS_MAX];
    char *rest = NULL;
    int count = 0;
    struct command command;
    const char *problem = "too long";
    struct sim_result result;
    bool must_find;

    for (char *word = strtok_r(line, " \n", &rest); word != NULL && count < WORDS_MAX;
         word = strtok_r(NULL, " \n", &rest)) {
        words[count++] = word;
    }
    if (count == 0 || words[0][0] == '#') {
        return true;
    }
    if (!command_read(count, words, &command, &problem)) {
        printf("not ok %s: %s\n", file, problem);
        return false;
    }
    must_find = command.setup.guards_off != 0 || command.setup.bug != 0;
    result = sim_run(&command.setup);
    printf("%s %s: %s\n", (result.first[0] != '\0') == must_find ? "ok" : "not ok", file,
           result.first[0] != '\0' ? result.first : "nothing is found");
    fflush(stdout);
    return (result.first[0] != '\0') == must_find;
}

static int kept_run(char **files, int count)
{
    char line[2000];
    int bad = 0;

    for (int i = 0; i < count; i++) {
        FILE *file = fopen(files[i], "re");

        if (file == NULL) {
            printf("not ok %s: it cannot be read\n", files[i]);
            bad++;
            continue;
        }
        while (fgets(line, sizeof(line), file) != NULL) {
            bad += !line_run(files[i], line);
        }
        fclose(file);
    }
    return bad > 0;
}

int main(int argc, char **argv)
{
    struct command command;
    const char *problem = "";

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(command_help, stdout);
        return 0;
    }
    if (!command_read(argc - 1, argv + 1, &command, &problem)) {
        usage(problem);
    }
    if (command.is_list) {
        for (size_t i = 0; scenario_at(i) != NULL; i++) {
            printf("%-20s %s\n", scenario_at(i)->name, scenario_at(i)->shows);
        }
        return 0;
    }
    if (command.is_kept) {
        return kept_run(argv + 1 + command.kept_at, argc - 1 - command.kept_at);
    }
    return seeds_run(&command);
}
