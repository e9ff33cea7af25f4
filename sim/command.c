#include "command.h"

#include <stdlib.h>
#include <string.h>

/* public names start with: command_ */

const char command_help[] =
    "usage: sim [--seed N | --seeds A..B] [--days D] [--without Gn[,Gn...]] [--bug N]\n"
    "           [--no FAULT[,FAULT...]] [--scenario NAME] [--uniform] [--staged] [--budget N] [--tokenless]\n"
    "           [--loud] [--passes] [--twice] [--until-found] [--shrink]\n"
    "       sim --kept FILE...\n"
    "\n"
    "Runs the production planner and engine in virtual time, with random faults from a seed, and\n"
    "checks that nothing harmful happens. Exit code 1: there is a finding.\n"
    "\n"
    "  --seeds 1..200    run many seeds; print a line for each seed with a finding, and the sums\n"
    "  --days 30         days with faults; twelve hours without faults follow\n"
    "  --without G5,G9   switch these guards off\n"
    "  --bug 3           plant this bug (number in enum plan_bug in src/plan/guard.h)\n"
    "  --no rollback     switch this kind of fault off (name in sim/faults.def)\n"
    "  --scenario NAME   run scripted events instead of random faults; --scenarios lists them\n"
    "  --staged          with rollouts in place, in three of ten seeds\n"
    "  --budget N        a budget over all groups: N nodes may be out of service\n"
    "  --tokenless       the provider does not compare tokens: two calls can make two machines;\n"
    "                    in odd seeds it shows for an hour that a machine has ended\n"
    "  --uniform         every kind of fault at its default rate\n"
    "  --loud            print the events\n"
    "  --passes          archive the decisions, as in production\n"
    "  --twice           run each seed twice: the fingerprints must be equal\n"
    "  --until-found     stop at the first finding\n"
    "  --shrink          find the smallest setup with the same finding, and print its line\n"
    "  --kept FILE...    run the lines of these files; with a guard off or a planted bug they\n"
    "                    must have a finding, otherwise none\n";

static bool guards_read(char *list, uint32_t *out)
{
    for (char *rest = NULL, *word = strtok_r(list, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        long number = word[0] == 'G' ? strtol(word + 1, NULL, 10) : 0;

        if (number < G1 || number > G28) {
            return false;
        }
        *out |= 1u << number;
    }
    return true;
}

static bool faults_read(char *list, uint64_t *out)
{
    for (char *rest = NULL, *word = strtok_r(list, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        int kind = 0;

        while (kind < FAULT_KIND_COUNT && strcmp(word, fault_name((enum fault_kind)kind)) != 0) {
            kind++;
        }
        if (kind == FAULT_KIND_COUNT) {
            return false;
        }
        *out |= UINT64_C(1) << kind;
    }
    return true;
}

static bool seeds_read(const char *word, struct command *out)
{
    unsigned long long first = 0;
    unsigned long long last = 0;

    if (sscanf(word, "%llu..%llu", &first, &last) != 2 || last < first) {
        return false;
    }
    out->first = first;
    out->last = last;
    return true;
}

/* Parse a flag without a value. */
static bool flag_read(const char *word, struct command *out)
{
    struct {
        const char *name;
        bool *flag;
    } const flags[] = {
        { "--staged", &out->setup.is_staged },
        { "--tokenless", &out->setup.is_tokenless },
        { "--uniform", &out->setup.is_uniform },
        { "--loud", &out->setup.is_loud },
        { "--passes", &out->setup.is_archiving_passes },
        { "--twice", &out->is_twice },
        { "--shrink", &out->is_shrunk },
        { "--until-found", &out->is_until_found },
        { "--kept", &out->is_kept },
        { "--scenarios", &out->is_list },
    };

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(word, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

static const char *value_read(const char *name, char *value, struct command *out)
{
    if (strcmp(name, "--seed") == 0) {
        out->first = out->last = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--seeds") == 0) {
        return seeds_read(value, out) ? NULL : "seeds are A..B";
    } else if (strcmp(name, "--days") == 0) {
        out->setup.days = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--without") == 0) {
        return guards_read(value, &out->setup.guards_off) ? NULL : "a guard is G1 to G28";
    } else if (strcmp(name, "--no") == 0) {
        return faults_read(value, &out->setup.faults_off) ? NULL : "there is no such fault";
    } else if (strcmp(name, "--budget") == 0) {
        out->setup.budget = (unsigned)strtoul(value, NULL, 10);
        return out->setup.budget > 0 ? NULL : "a budget is a number of nodes";
    } else if (strcmp(name, "--bug") == 0) {
        out->setup.bug = (uint32_t)strtoul(value, NULL, 10);
        return out->setup.bug > 0 && out->setup.bug < BUG_COUNT ? NULL : "there is no such bug";
    } else if (strcmp(name, "--scenario") == 0) {
        out->setup.scenario = scenario_find(value);
        return out->setup.scenario != NULL ? NULL : "there is no such scenario";
    } else {
        return "unknown flag, or one without its value";
    }
    return NULL;
}

bool command_read(int count, char **words, struct command *out, const char **out_problem)
{
    *out = (struct command){ .setup = { .seed = 1, .days = 30 }, .first = 1, .last = 1 };
    for (int i = 0; i < count; i++) {
        if (flag_read(words[i], out)) {
            out->kept_at = i + 1;
            if (out->is_kept) {
                break;
            }
            continue;
        }
        *out_problem = i + 1 < count ? value_read(words[i], words[i + 1], out)
                                     : "unknown flag, or one without its value";
        if (*out_problem != NULL) {
            return false;
        }
        i++;
    }
    out->setup.seed = out->first;
    return true;
}

void command_print(FILE *out, const struct sim_setup *setup)
{
    const char *comma = " --no ";

    if (setup->guards_off != 0) {
        const char *before = "--without ";

        for (int i = G1; i <= G28; i++) {
            if ((setup->guards_off & 1u << i) != 0) {
                fprintf(out, "%sG%d", before, i);
                before = ",";
            }
        }
        fputc(' ', out);
    }
    if (setup->bug != 0) {
        fprintf(out, "--bug %u ", setup->bug);
    }
    if (setup->scenario != NULL) {
        fprintf(out, "--scenario %s ", setup->scenario->name);
    }
    if (setup->is_staged) {
        fputs("--staged ", out);
    }
    if (setup->budget > 0) {
        fprintf(out, "--budget %u ", setup->budget);
    }
    if (setup->is_tokenless) {
        fputs("--tokenless ", out);
    }
    fprintf(out, "--seed %llu --days %llu", (unsigned long long)setup->seed,
            (unsigned long long)setup->days);
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        if ((setup->faults_off & UINT64_C(1) << i) != 0) {
            fprintf(out, "%s%s", comma, fault_name((enum fault_kind)i));
            comma = ",";
        }
    }
    fputc('\n', out);
}
