/* Plug-ins with one fault each. FAULT selects it. */
#include "assay/plugin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    none,
    version,
    size,
    no_symbol,
    not_a_number,
    too_few,
    too_many,
    overflow,
    before,
    range,
    crash,
    crash_at_open,
    leave,
    threads,
    batches,
    again,
    hang,
    message,
    late,
    equal_names,
    no_function,
    bad_name,
    built_in_name,
    image_crash,
    image_short,
    image_threads,
    image_again,
    image_overflow,
    image_hang,
    built_in_image,
    image_message
};

static __thread int mark;
static int* first_mark;

/* Returns 0 on the first thread, and 1 on all others. */
static int on_another_thread(void) {
    if (first_mark == NULL) first_mark = &mark;
    return first_mark == &mark ? 0 : 1;
}

static int calls;

static int64_t values(const assay_plugin_rows* rows, double* out, uint8_t* counted, char* error,
                      size_t error_size) {
    int64_t i;
    volatile int* nowhere = NULL;
    for (i = 0; i < rows->rows; ++i) {
        out[i] = rows->probabilities[i * rows->classes];
        if (FAULT == none && out[i] > 0.9) counted[i] = 0;
    }
    switch (FAULT) {
        case not_a_number:
            out[rows->rows - 1] = NAN;
            break;
        case too_few:
            return rows->rows - 1;
        case too_many:
            return rows->rows * rows->classes;
        case overflow:
            out[rows->rows] = 1;
            break;
        case range:
            out[0] = 7;
            break;
        case crash:
            *nowhere = 1;
            break;
        case before:
            out[-1] = 1;
            break;
        case leave:
            exit(0);
        case hang:
            pause();
            break;
        case threads:
            for (i = 0; i < rows->rows; ++i) out[i] = on_another_thread();
            break;
        case batches:
            out[0] = 1.0 / (double)rows->rows;
            break;
        case again:
            out[0] = 1.0 / ++calls;
            break;
        case message:
            snprintf(error, error_size, "it is %d o'clock", 5);
            return -1;
        case late: /* only an item after the tried ones has this probability */
            for (i = 0; i < rows->rows; ++i)
                if (rows->probabilities[i * rows->classes] > 0.999) out[i] = INFINITY;
            break;
        default:
            break;
    }
    return rows->rows;
}

static int64_t apply(const assay_plugin_image* image, uint8_t* out, char* error,
                     size_t error_size) {
    const int64_t bytes = (int64_t)image->width * image->height * 3;
    volatile int* nowhere = NULL;
    int64_t i;
    for (i = 0; i < bytes; ++i) out[i] = (uint8_t)(image->pixels[i] / image->severity);
    switch (FAULT) {
        case image_crash:
            *nowhere = 1;
            break;
        case image_short:
            return bytes / 3;
        case image_threads:
            out[0] = (uint8_t)(on_another_thread() * 255);
            break;
        case image_overflow:
            out[bytes] = 1;
            break;
        case image_hang:
            pause();
            break;
        case image_again:
            out[0] = (uint8_t)++calls;
            break;
        case image_message:
            snprintf(error, error_size, "no film in the camera");
            return -1;
        default:
            break;
    }
    return bytes;
}

#define METRIC(its_name, its_function)                                                     \
    {                                                                                      \
        .name = its_name, .title = "First class", .formula = "mean of its probability",    \
        .needs = ASSAY_PLUGIN_NEEDS_NOTHING, .unit = ASSAY_PLUGIN_PROPORTION, .better = 0, \
        .low = 0, .high = 1, .values = its_function                                        \
    }

static const assay_plugin_metric metrics[] = {
    METRIC(FAULT == bad_name        ? "a name"
           : FAULT == built_in_name ? "nll"
                                    : "first",
           FAULT == no_function ? NULL : values),
    METRIC(FAULT == equal_names ? "first" : "second", values)};
static const assay_plugin_corruption corruptions[] = {
    {.name = FAULT == built_in_image ? "fog" : "darker",
     .parameters = "divided by 1 2 3 4 5",
     .min_side = 1,
     .apply = apply}};

__attribute__((constructor)) static void at_open(void) {
    if (FAULT == crash_at_open) abort();
}

#ifdef NO_SYMBOL
#define TABLE another_table
ASSAY_PLUGIN_EXPORT extern const assay_plugin another_table;
#else
#define TABLE assay_plugin_v1
#endif

ASSAY_PLUGIN_EXPORT const assay_plugin TABLE = {
    .version = FAULT == version ? 2 : ASSAY_PLUGIN_VERSION,
    .size = (int32_t)sizeof(assay_plugin) - (FAULT == size ? 8 : 0),
    .metrics = metrics,
    .metric_count = 2,
    .corruptions = corruptions,
    .corruption_count = 1};
