/* A custom metric: the label's probability minus that of the best other class.
 *
 *     cc -std=c99 -O2 -fPIC -shared -I/usr/include margin.c -o margin.so
 *     assay score runs --plugin ./margin.so --metrics top1,margin:margin
 */
#include "assay/plugin.h"

static int64_t margins(const assay_plugin_rows* rows, double* values, uint8_t* counted, char* error,
                       size_t error_size) {
    int64_t i, c;
    (void)counted; /* every item counts, because `needs` requires a label */
    (void)error;
    (void)error_size;
    for (i = 0; i < rows->rows; ++i) {
        const float* p = rows->probabilities + i * rows->classes;
        double other = 0;
        for (c = 0; c < rows->classes; ++c) {
            if (c != rows->labels[i] && p[c] > other) other = p[c];
        }
        values[i] = p[rows->labels[i]] - other;
    }
    return rows->rows;
}

static const assay_plugin_metric metrics[] = {
    {.name = "margin",
     .title = "Mean margin",
     .formula = "mean over the items of the label's probability minus the highest other one",
     .needs = ASSAY_PLUGIN_NEEDS_LABEL,
     .unit = ASSAY_PLUGIN_NUMBER,
     .better = 1,
     .low = -1,
     .high = 1,
     .values = margins}};

ASSAY_PLUGIN_EXPORT const assay_plugin assay_plugin_v1 = {.version = ASSAY_PLUGIN_VERSION,
                                                          .size = sizeof(assay_plugin),
                                                          .metrics = metrics,
                                                          .metric_count = 1};
