/* Assay for C, and for every language that can call C.
 *
 * Errors. A function that can fail takes an `assay_error**` as its last argument. Pass NULL, or the
 * place for an error, which the caller frees. On failure it returns NULL or a negative number. No
 * C++ exception leaves it.
 *
 * Text is UTF-8 and ends with a zero byte. Options are JSON objects; "{}" or NULL means the
 * defaults. A key that is unknown or has the wrong type is an error that names the nearest key.
 * Results are JSON in the schemas of docs/formats.md, with the same bytes as those of the command.
 *
 * Threads. Different objects may be used from different threads at once. One object may be read
 * from many threads at once (functions that take it as const) and changed from one. Functions that
 * compute use all cores, unless the option `threads` says otherwise. Results are bit-identical for
 * any number of threads.
 *
 * Memory that is passed in belongs to the caller. A store of scores in memory reads it until the
 * store is freed.
 *
 * Versions. Functions and constants are added and never changed within one ASSAY_C_VERSION. Structs
 * are passed by pointer and never grow; a new struct gets new functions. The SONAME ends in Assay's
 * MAJOR.MINOR, because the library also exports the C++ interface.
 */
#ifndef ASSAY_C_ASSAY_H
#define ASSAY_C_ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_C_VERSION 1
#define ASSAY_C_API __attribute__((visibility("default")))

/* The version, such as "0.1.0", and the ASSAY_C_VERSION of the loaded library. */
ASSAY_C_API const char* assay_version(void);
ASSAY_C_API int assay_c_version(void);

/* ---- errors ---- */

typedef struct assay_error assay_error;
/* One of "usage", "bad_input", "io", "unreachable", "busy", "out_of_memory", "interrupted" and
 * "internal". */
ASSAY_C_API const char* assay_error_code(const assay_error* error);
/* What was wrong, the value that was found, and what is allowed. */
ASSAY_C_API const char* assay_error_message(const assay_error* error);
/* Where it happened: note 0 is the innermost, and each completes "while ...". NULL after the last
 * one. */
ASSAY_C_API const char* assay_error_note(const assay_error* error, size_t number);
ASSAY_C_API void assay_error_free(assay_error* error);

/* ---- returned texts ---- */

typedef struct assay_text assay_text;
ASSAY_C_API const char* assay_text_data(const assay_text* text);
ASSAY_C_API size_t assay_text_size(const assay_text* text); /* without the zero byte */
ASSAY_C_API void assay_text_free(assay_text* text);

/* ---- watching and stopping a long call ---- */

/* Called on a thread of the library, never twice at once. `step` says what is being done, and
 * `done` of `total` how much of it. A total of 0 means unknown. */
typedef void (*assay_progress)(void* context, const char* step, uint64_t done, uint64_t total);
typedef struct assay_call assay_call;
/* `progress` may be NULL. Use the object for one call at a time. */
ASSAY_C_API assay_call* assay_call_new(assay_progress progress, void* context);
/* Stops the call that uses the object. It then ends soon with the error "interrupted", and so do
 * later calls. May be called from any thread or a signal handler. */
ASSAY_C_API void assay_call_stop(assay_call* call);
ASSAY_C_API void assay_call_free(assay_call* call);

/* ---- arrays as arguments ---- */

enum assay_type {
    ASSAY_FLOAT16 = 0,
    ASSAY_FLOAT32 = 1,
    ASSAY_FLOAT64 = 2,
    ASSAY_BFLOAT16 = 3,
    ASSAY_UINT8 = 4,
    ASSAY_UINT16 = 5,
    ASSAY_UINT32 = 6,
    ASSAY_UINT64 = 7,
    ASSAY_INT8 = 8,
    ASSAY_INT16 = 9,
    ASSAY_INT32 = 10,
    ASSAY_INT64 = 11
};

/* Numbers in memory, in the byte order of the machine. Strides are in bytes and may be negative.
 * Two dimensions are scores, with a row for each item and a column for each class. One dimension of
 * integers is a class for each item; as a label, -1 means none. */
typedef struct assay_array {
    const void* data;
    int32_t type;       /* enum assay_type */
    int32_t dimensions; /* 1 or 2 */
    int64_t shape[2];
    int64_t strides[2];
} assay_array;

/* Concatenated texts: text i ends before byte ends[i] and begins at the end of text i - 1. */
typedef struct assay_texts {
    const char* text;
    const uint64_t* ends;
    uint64_t count;
} assay_texts;

/* The valid classes of each item in ascending order. Those of item i are classes[offsets[i]] to
 * classes[offsets[i + 1] - 1]. */
typedef struct assay_sets {
    const uint64_t* offsets; /* items + 1 numbers */
    const int32_t* classes;
    uint64_t items;
} assay_sets;

/* ---- stored predictions ---- */

typedef struct assay_store assay_store;
/* Opens the store RUNS/DATA_SET/MODEL. */
ASSAY_C_API assay_store* assay_store_open(const char* path, assay_error** error);
/* Lists the folders of all stores below a RUNS folder, a data set or a store. The result is a JSON
 * list, sorted by data set and then by model. */
ASSAY_C_API assay_text* assay_store_list(const char* path, assay_error** error);
/* A store of scores in memory. Keep the arrays until the store is freed and nothing reads it.
 * `labels` is a single label for each item, and `sets` its valid classes: pass at most one of them.
 * `ids` may be NULL for row numbers. Options: "model", "dataset" (names), "kind", "classes",
 * "num_classes" (of predicted classes), "attributes" ({name: [text, ...]}), "threads". The "kind"
 * is "logits", "probabilities" or "log_probabilities"; if missing, it is detected from all rows.
 * The "classes" are a list of names, or a name or file as for --classes. */
ASSAY_C_API assay_store* assay_store_in_memory(const assay_array* scores, const assay_array* labels,
                                               const assay_sets* sets, const assay_texts* ids,
                                               const char* options, assay_error** error);
/* Facts of the store: {"dataset", "model", "path", "rows", "classes", "kind", "storage", "top_k",
 * "shards", "shard_rows", "missing_shards", "finished", "class_ids", "class_names", "attributes":
 * [names], "notes", "provenance"}. */
ASSAY_C_API assay_text* assay_store_describe(const assay_store* store, assay_error** error);
/* The ids of the items (number 0), or the values of the attribute `number` - 1. They are valid
 * until the store is freed. Returns 0, or -1 on failure. */
ASSAY_C_API int assay_store_texts(const assay_store* store, size_t number, assay_texts* out,
                                  assay_error** error);
/* The labels of the items as sets, valid until the store is freed. Returns 0, or -1 on failure. */
ASSAY_C_API int assay_store_labels(const assay_store* store, assay_sets* out, assay_error** error);

/* One shard (a file of the store), mapped into memory and compared with its checksum. */
typedef struct assay_shard assay_shard;
ASSAY_C_API assay_shard* assay_store_shard(const assay_store* store, size_t number,
                                           assay_error** error);
/* The scores of a shard as they are stored: rows x classes of float32 or float16. A store that
 * keeps only the best classes has rows x k: the classes (part 0, int32) and their scores (part 1,
 * float32). The array is valid until the shard is freed. Returns 0, or -1 if there is no such
 * part. */
ASSAY_C_API int assay_shard_scores(const assay_shard* shard, size_t part, assay_array* out);
/* The state of each row. 0: it has scores, 1: its image could not be read, 2: a score is not
 * finite. */
ASSAY_C_API const uint8_t* assay_shard_states(const assay_shard* shard, uint64_t* rows);
ASSAY_C_API void assay_shard_free(assay_shard* shard);

struct ArrowArrayStream; /* defined by the Arrow C stream interface */
/* The columns that `assay export` writes for each item, as record batches. Options: "top" (5),
 * "scores" (false), "labels", "class_map", "threads". The caller releases `out`, and may free the
 * store before. Returns 0, or -1 on failure. */
ASSAY_C_API int assay_store_arrow(const assay_store* store, const char* options,
                                  struct ArrowArrayStream* out, assay_error** error);
ASSAY_C_API void assay_store_free(assay_store* store);

/* ---- results ---- */

typedef struct assay_result assay_result;
/* Does the same as `assay score`. Options: "metrics" (a list, or one text with commas), "k",
 * "bins", "edges", "subgroups", "plugin" (a file or several), "labels" (a file), "class_map". More
 * options: "gates", "bootstrap", "null", "seed", "level", "threads", "confusions" (how many),
 * "reliability", "per_class". Options that name attributes: "subgroup", "by" (a list), "cluster"
 * and "weights". `sets` gives valid classes for the metrics of label sets, instead of those of the
 * data set. `sets` and `call` may be NULL. */
ASSAY_C_API assay_result* assay_score(const assay_store* const* stores, size_t count,
                                      const assay_sets* sets, const char* options, assay_call* call,
                                      assay_error** error);
/* Does the same as `assay compare`: compares the first store with each of the others. Options:
 * those of assay_score() except "subgroup", "weights", "confusions", "reliability" and "per_class";
 * also "disagreements" and "other_images".
 * Training methods are compared without stores and sets: `count` is 0. Their options are "methods",
 * "within", "labels" (a file), "level" and "threads". "methods" lists objects with "name", and
 * "pattern" or "stores"; a store is an object with "run" (its seed) and "store" (a path). */
ASSAY_C_API assay_result* assay_compare(const assay_store* const* stores, size_t count,
                                        const assay_sets* sets, const char* options,
                                        assay_call* call, assay_error** error);
/* Does the same as `assay gap`. Options: "sets" (two folders of data sets, or names below "runs"),
 * "runs", "labels" (two files), "table", "unit", "by", "also", "also_labels", "also_subgroups".
 * More options: "rank_by", "rank_against", "subgroups", "pooled_above", "agreement", "margin" (a
 * proportion), "mark", "slivers", "top", "level", "bootstrap", "seed", "threads", "all_models". */
ASSAY_C_API assay_result* assay_gap(const char* options, assay_call* call, assay_error** error);
/* The report of `assay eval` for stored predictions of one data set. The stores must be complete
 * and on the disk. Options: "metrics", "k", "bins", "edges", "labels", "gates", "bootstrap",
 * "seed", "level", "threads". More options: "preprocessing" (a text for each store: how its input
 * was prepared) and "warnings" (a list of texts). Also "report" (the page to write; "": none) and
 * "command" (for the provenance of the page). `call` may be NULL. */
ASSAY_C_API assay_result* assay_eval(const assay_store* const* stores, size_t count,
                                     const char* options, assay_call* call, assay_error** error);
/* The result in the format "json", "text", "csv", "md" or "latex". */
ASSAY_C_API assay_text* assay_result_render(const assay_result* result, const char* format,
                                            assay_error** error);
/* 0: success, 1: a gate failed, 3: something that should have been measured is missing. */
ASSAY_C_API int assay_result_status(const assay_result* result);
/* Plots a result (JSON) by a recipe of `assay plot`, such as "reliability", in the format "svg",
 * "pdf" or "png". Options: "models", "datasets", "metric", "x", "y", "top", "width", "height"
 * (millimetres), "font" (points), "dpi", "dark", "title". */
ASSAY_C_API assay_text* assay_plot(const char* recipe, const char* result, const char* format,
                                   const char* options, assay_error** error);
ASSAY_C_API void assay_result_free(assay_result* result);
/* All metrics with their definitions and parameters: the JSON of `assay list metrics --json`. */
ASSAY_C_API assay_text* assay_metric_table(assay_error** error);

/* ---- metrics that are accumulated batch by batch ---- */

typedef struct assay_metrics assay_metrics;
/* Options: those of assay_score() except "plugin", "labels", "class_map", "gates", "null" and those
 * that name attributes. More options: "kind", "classes", "num_classes", "model", "dataset" and
 * "rows_kept". Set "rows_kept" to true if you keep the rows for assay_score(). All metrics are then
 * accepted, and assay_metrics_update() only checks the batches. */
ASSAY_C_API assay_metrics* assay_metrics_new(const char* options, assay_error** error);
/* Adds a batch, with a label for each row, valid classes for each row, or both. All batches must
 * have the same of these. Returns 0, or -1 on failure; then nothing of the batch is added. */
ASSAY_C_API int assay_metrics_update(assay_metrics* metrics, const assay_array* scores,
                                     const assay_array* labels, const assay_sets* sets,
                                     assay_error** error);
/* Adds rows in any order. `rows` holds the number of each of the `count` rows in the whole data
 * set, from 0. All batches have row numbers, or none has. Metrics of several processes over one
 * data set can then be merged, and the result is bit-identical to that of one process. A row that
 * is added twice is an error. */
ASSAY_C_API int assay_metrics_update_rows(assay_metrics* metrics, const assay_array* scores,
                                          const assay_array* labels, const assay_sets* sets,
                                          const uint64_t* rows, size_t count, assay_error** error);
ASSAY_C_API int assay_metrics_merge(assay_metrics* metrics, const assay_metrics* other,
                                    assay_error** error);
/* Assay's name of a metric that another library calls `name`, such as "top1" for "accuracy".
 * Returns `name` itself if no other library uses it. The text is static, or it is `name`. */
ASSAY_C_API const char* assay_metric_name(const char* name);
ASSAY_C_API void assay_metrics_reset(assay_metrics* metrics);
ASSAY_C_API uint64_t assay_metrics_rows(const assay_metrics* metrics);
/* Everything that was added, as bytes, for a copy or another process. */
ASSAY_C_API assay_text* assay_metrics_state(const assay_metrics* metrics, assay_error** error);
/* Restores `size` bytes of assay_metrics_state(), from metrics with the same options. Both give the
 * same bits from then on. The bytes contain "classes". Returns 0, or -1 if the bytes are damaged or
 * come from another version or other options; then nothing changes. */
ASSAY_C_API int assay_metrics_set_state(assay_metrics* metrics, const char* state, size_t size,
                                        assay_error** error);
/* The result for the rows so far. More rows may follow. Refused with "rows_kept". */
ASSAY_C_API assay_result* assay_metrics_compute(const assay_metrics* metrics, assay_error** error);
ASSAY_C_API void assay_metrics_free(assay_metrics* metrics);

/* ---- writing a store from your own loop ---- */

typedef struct assay_writer assay_writer;
/* Begins the store RUNS/DATA_SET/MODEL, or resumes it. Options: "dataset", "model", "kind"
 * ("logits", or "labels" for predicted classes), "classes", "num_classes", "storage", "identity",
 * "model_file", "root", "paths", "attributes", "provenance". The "storage" is "full", "f16", "top5"
 * (or another number) or "label". The "identity" is a text that differs between models; without it
 * an existing store is refused. The "model_file" is a file whose bytes are the identity. The "root"
 * and "paths" are where the images are. `labels` and `sets` may be NULL, as above. `ids` may not
 * be NULL. */
ASSAY_C_API assay_writer* assay_writer_open(const char* runs, const char* options,
                                            const assay_texts* ids, const assay_array* labels,
                                            const assay_sets* sets, assay_error** error);
/* Writes rows from `first_row` on. Calls may come in any order, and rows that are already stored
 * stay unchanged. Returns the number of new rows, or -1 on failure. */
ASSAY_C_API int64_t assay_writer_write(assay_writer* writer, uint64_t first_row,
                                       const assay_array* scores, assay_error** error);
/* The state of the store: {"path", "rows", "missing": [[begin, end], ...], "shard_rows",
 * "warning"}. */
ASSAY_C_API assay_text* assay_writer_describe(const assay_writer* writer, assay_error** error);
/* Finishes the store, which must have all its rows. Returns 0, or -1 on failure. */
ASSAY_C_API int assay_writer_finish(assay_writer* writer, assay_error** error);
/* If the store is not finished, written rows stay, and the next assay_writer_open() resumes it.
 * Predicted classes in an incomplete shard are lost. */
ASSAY_C_API void assay_writer_free(assay_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
