/* Scores in memory, in C: docs/c.md shows this file. */
#include <assay/c/assay.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    /* Four items, three classes. */
    const float scores[4][3] = {{2, 1, 0}, {0, 3, 1}, {1, 0, 4}, {5, 1, 1}};
    const int64_t labels[4] = {0, 1, 2, 2};
    const assay_array rows = {scores, ASSAY_FLOAT32, 2, {4, 3}, {sizeof scores[0], sizeof scores[0][0]}};
    const assay_array truth = {labels, ASSAY_INT64, 1, {4, 0}, {sizeof labels[0], 0}};

    assay_error* error = NULL;
    assay_store* store = assay_store_in_memory(&rows, &truth, NULL, NULL, "{\"kind\": \"logits\"}", &error);
    assay_result* result = NULL;
    assay_text* table = NULL;
    int status = 2;
    if (store != NULL) {
        const assay_store* all[1];
        all[0] = store;
        result = assay_score(all, 1, NULL, "{\"metrics\": \"top1,nll\"}", NULL, &error);
    }
    if (result != NULL) table = assay_result_render(result, "text", &error);
    if (table != NULL) {
        fputs(assay_text_data(table), stdout);
        status = strstr(assay_text_data(table), "75.0") != NULL ? 0 : 1;
    } else {
        fprintf(stderr, "%s: %s\n", assay_error_code(error), assay_error_message(error));
        assay_error_free(error);
    }
    assay_text_free(table);
    assay_result_free(result);
    assay_store_free(store);
    return status;
}
