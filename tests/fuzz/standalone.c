/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target without libFuzzer: all files of a corpus, then seeded mutations of them. The
 * same arguments give the same inputs on every machine. When one of them ends the program, it is
 * left in a file for a debugger and for the corpus. */
#include "fuzz.h"

#include "base/rng.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEEDS  256
#define INPUT_SIZE 8192

typedef struct input {
    size_t size;
    uint8_t data[INPUT_SIZE];
} input;

static input seeds[MAX_SEEDS];
static size_t seed_count;
static input current;
static const char *crash_file;

static int by_content(const void *a, const void *b)
{
    const input *left = a, *right = b;

    if (left->size != right->size)
        return left->size < right->size ? -1 : 1;
    return memcmp(left->data, right->data, left->size);
}

static void read_seed(const char *folder, const char *name)
{
    char path[4096];
    FILE *file;

    if (name[0] == '.' || seed_count == MAX_SEEDS)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    seeds[seed_count].size = fread(seeds[seed_count].data, 1, INPUT_SIZE, file);
    seed_count++;
    fclose(file);
}

static void read_corpus(const char *folder)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;

    if (!listing) {
        perror(folder);
        exit(2);
    }
    while ((entry = readdir(listing)))
        read_seed(folder, entry->d_name);
    closedir(listing);
    /* Folders list in any order; mutations must not depend on it. */
    qsort(seeds, seed_count, sizeof *seeds, by_content);
}

static size_t below(lt_rng *rng, size_t bound)
{
    return bound ? (size_t)(lt_rng_next(rng) % bound) : 0;
}

/* Makes room for, or takes out, a few bytes somewhere. */
static void resize(lt_rng *rng, input *in)
{
    size_t at = below(rng, in->size + 1), count = 1 + below(rng, 16);

    if (lt_rng_next(rng) % 2) {
        if (count > in->size - at)
            count = in->size - at;
        memmove(in->data + at, in->data + at + count, in->size - at - count);
        in->size -= count;
    } else if (in->size + count <= INPUT_SIZE) {
        memmove(in->data + at + count, in->data + at, in->size - at);
        for (size_t i = 0; i < count; i++)
            in->data[at + i] = (uint8_t)lt_rng_next(rng);
        in->size += count;
    }
}

/* Appends, or puts over the end, a part of another seed. */
static void splice(lt_rng *rng, input *in)
{
    const input *other = &seeds[below(rng, seed_count)];
    size_t from = below(rng, other->size + 1), at = below(rng, in->size + 1);
    size_t count = below(rng, other->size - from + 1);

    if (at + count > INPUT_SIZE)
        count = INPUT_SIZE - at;
    memcpy(in->data + at, other->data + from, count);
    if (in->size < at + count)
        in->size = at + count;
}

static void overwrite(lt_rng *rng, input *in)
{
    static const uint8_t interesting[] = {0, 1, 2, 0x7f, 0x80, 0xc8, 0xcc, 0xff};
    size_t at = below(rng, in->size);

    if (!in->size)
        return;
    switch (lt_rng_next(rng) % 4) {
    case 0:
        in->data[at] ^= (uint8_t)(1u << below(rng, 8));
        break;
    case 1:
        in->data[at] = (uint8_t)lt_rng_next(rng);
        break;
    case 2:
        in->data[at] = interesting[below(rng, sizeof interesting)];
        break;
    default:
        in->data[at] = (uint8_t)(in->data[at] + (lt_rng_next(rng) % 2 ? 1 : -1));
        break;
    }
}

static void mutate(lt_rng *rng, input *in)
{
    for (size_t steps = 1 + below(rng, 8); steps; steps--) {
        unsigned kind = (unsigned)below(rng, 8);
        if (kind == 0)
            splice(rng, in);
        else if (kind == 1)
            resize(rng, in);
        else
            overwrite(rng, in);
    }
}

/* Hands out a copy of exactly that size, so that a sanitizer sees a read past the end. */
static void run_current(void)
{
    uint8_t *exact = malloc(current.size ? current.size : 1);

    if (!exact) {
        perror("malloc");
        exit(2);
    }
    memcpy(exact, current.data, current.size);
    LLVMFuzzerTestOneInput(exact, current.size);
    free(exact);
}

static void keep_input(void)
{
    static const char text[] = "the input is in the crash file\n";
    FILE *file = fopen(crash_file, "wb");

    if (!file)
        return;
    fwrite(current.data, 1, current.size, file);
    fclose(file);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return;
}

static void on_abort(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers call this before they end the program, where one is linked. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch(void)
{
    signal(SIGABRT, on_abort);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(keep_input);
    } else {
        signal(SIGSEGV, on_abort);
        signal(SIGBUS, on_abort);
        signal(SIGFPE, on_abort);
    }
}

int main(int argc, char **argv)
{
    unsigned long mutations, seed;
    lt_rng rng;

    if (argc != 5) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER MUTATIONS SEED CRASH-FILE\n", argv[0]);
        return 2;
    }
    mutations = strtoul(argv[2], NULL, 0);
    seed = strtoul(argv[3], NULL, 0);
    crash_file = argv[4];
    read_corpus(argv[1]);
    if (!seed_count) {
        fprintf(stderr, "%s: no input files\n", argv[1]);
        return 2;
    }
    watch();
    for (size_t i = 0; i < seed_count; i++) {
        current = seeds[i];
        run_current();
    }
    lt_rng_seed(&rng, seed);
    for (unsigned long i = 0; i < mutations; i++) {
        current = seeds[below(&rng, seed_count)];
        mutate(&rng, &current);
        run_current();
    }
    printf("%zu inputs and %lu mutations of them\n", seed_count, mutations);
    return 0;
}
