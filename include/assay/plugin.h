/* Metrics and corruptions of your own, in a shared library that `assay --plugin FILE` opens
 * (docs/plugins.md). C99. Include nothing else of Assay, and link nothing.
 *
 * The library exports one constant, `assay_plugin_v1`, which lists its functions:
 *
 *     ASSAY_PLUGIN_EXPORT const assay_plugin assay_plugin_v1 = {
 *         .version = ASSAY_PLUGIN_VERSION, .size = sizeof(assay_plugin),
 *         .metrics = metrics, .metric_count = 1};
 *
 * Users call a function FILE:NAME. FILE is the name of the library without folder and extension:
 * letters, digits, `-` and `_`.
 *
 * Memory: arrays belong to the caller, and only for the call. Texts of the tables are constants of
 * the library. Neither side frees what the other allocates.
 *
 * Threads: several threads call a function at once. Results depend on the arguments alone: not on
 * other rows of the call, on their number, on the thread, or on earlier calls. Assay tries this in
 * a forked process before it uses a function, and refuses the function if it does not hold. So a
 * function starts no threads of its own (OpenMP, for example): they may hang in that process.
 *
 * Errors: a function that cannot do its work writes a sentence into `error` (at most `error_size`
 * bytes, the final zero included) and returns -1. The command then ends with status 2.
 */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_PLUGIN_VERSION 1

#if defined(__GNUC__)
#define ASSAY_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define ASSAY_PLUGIN_EXPORT
#endif

/* ---- metrics ---- */

/* What the scores of a row are. */
enum assay_plugin_kind {
    ASSAY_PLUGIN_LOGITS = 0,
    ASSAY_PLUGIN_PROBABILITIES = 1,
    ASSAY_PLUGIN_LOG_PROBABILITIES = 2
};

/* Items with their scores, one per row. All scores are finite. */
typedef struct assay_plugin_rows {
    int64_t rows;               /* 1 or more */
    int64_t classes;            /* 2 or more */
    int32_t kind;               /* of `scores`: enum assay_plugin_kind */
    const float* scores;        /* rows x classes, row after row, as they are stored */
    const float* probabilities; /* rows x classes: the softmax of logits and log-probabilities */
    const int32_t* labels;      /* rows: the single label of each item, -1: none */
    /* The valid classes of row i, ascending: set_classes[j] for j from set_ends[i - 1] (0 for the
     * first row) to set_ends[i] - 1. */
    const int64_t* set_ends;
    const int32_t* set_classes;
} assay_plugin_rows;

/* What an item must have to get a value. */
enum assay_plugin_needs {
    ASSAY_PLUGIN_NEEDS_NOTHING = 0,
    ASSAY_PLUGIN_NEEDS_LABEL = 1,    /* a single label */
    ASSAY_PLUGIN_NEEDS_LABEL_SET = 2 /* one valid class or several */
};

enum assay_plugin_unit { ASSAY_PLUGIN_NUMBER = 0, ASSAY_PLUGIN_PROPORTION = 1 };

/* The mean of one value per item. Assay adds the values up and computes the interval (jackknife
 * over 128 groups of items) and the paired comparison of two models. */
typedef struct assay_plugin_metric {
    const char* name;    /* a-z, 0-9, _: "margin" */
    const char* title;   /* "Mean margin" */
    const char* formula; /* what it is, in one sentence */
    int32_t needs;       /* enum assay_plugin_needs */
    int32_t unit;        /* enum assay_plugin_unit */
    int32_t better;      /* 1: a higher value is better, -1: a lower, 0: neither */
    double low, high;    /* the range of the values, within -1e6 to 1e6 */
    /* Writes values[i] for each row i. counted[i] is 1 before the call; set it to 0 to leave the
     * item out of the mean. Returns how many values it wrote: rows->rows, or -1 (see Errors). */
    int64_t (*values)(const assay_plugin_rows* rows, double* values, uint8_t* counted, char* error,
                      size_t error_size);
} assay_plugin_metric;

/* ---- corruptions ---- */

/* An image to corrupt. */
typedef struct assay_plugin_image {
    int32_t width, height; /* pixels */
    const uint8_t* pixels; /* height x width x 3 bytes: R G B, from the upper left, row after row */
    int32_t severity;      /* 1 to 5 */
    uint64_t seed;         /* for random draws: the same for the same image, severity and --seed */
} assay_plugin_image;

/* One corruption for `assay corrupt`, `assay predict --corrupt` and `assay robustness`. The means
 * of these commands are over the 15 corruptions of ImageNet-C, without it. */
typedef struct assay_plugin_corruption {
    const char* name;       /* a-z, 0-9, _: "stripes" */
    const char* parameters; /* what severities change, for people: "amplitude 1 2 3 4 6 pixels" */
    int32_t min_side;       /* the smallest width and height that it takes, 1 to 4096 pixels */
    /* Writes all of `out`, which has the size of image->pixels. Returns how many bytes it wrote, or
     * -1 (see Errors). */
    int64_t (*apply)(const assay_plugin_image* image, uint8_t* out, char* error, size_t error_size);
} assay_plugin_corruption;

/* ---- the table ---- */

typedef struct assay_plugin {
    int32_t version; /* ASSAY_PLUGIN_VERSION */
    int32_t size;    /* sizeof(assay_plugin) */
    const assay_plugin_metric* metrics;
    int32_t metric_count; /* 0 to 64 */
    const assay_plugin_corruption* corruptions;
    int32_t corruption_count; /* 0 to 64 */
} assay_plugin;

/* What the library defines. */
extern ASSAY_PLUGIN_EXPORT const assay_plugin assay_plugin_v1;

#ifdef __cplusplus
}
#endif

#endif
