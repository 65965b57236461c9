/* Assay for C, and for every language that can call C.
 *
 * Errors. A function that can fail takes an `assay_error**` last: NULL, or where it may leave an
 * error, which the caller frees. It then returns NULL, or a negative number. No C++ exception
 * leaves it.
 *
 * Text is UTF-8 and ends with a zero byte. Options are JSON objects ("{}" or NULL: the defaults); a
 * key that is unknown or of the wrong type is an error that names the nearest one. Results are JSON
 * in the schemas of docs/formats.md, the same bytes as those of the command.
 *
 * Threads. Different objects may be used from different threads at once. One object may be read
 * from many threads at once (functions that take it as const) and changed from one. Functions that
 * compute use all cores, unless the option `threads` says otherwise; results are the same bits for
 * any number.
 *
 * Memory that is passed in stays the caller's. Stores of scores in memory read it as long as they
 * are there.
 *
 * Versions. Functions and constants are added and never changed within one ASSAY_C_VERSION. Structs
 * are passed by pointer and never grow; new ones get new functions. The SONAME ends in Assay's
 * MAJOR.MINOR, for the library holds the C++ interface, too.
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

/* "0.1.0", and ASSAY_C_VERSION of the library that was loaded. */
ASSAY_C_API const char* assay_version(void);
ASSAY_C_API int assay_c_version(void);

/* ---- errors ---- */

typedef struct assay_error assay_error;
/* "usage", "bad_input", "io", "unreachable", "busy", "out_of_memory", "interrupted", "internal". */
ASSAY_C_API const char* assay_error_code(const assay_error* error);
/* What was wrong, the value met, and what is allowed. */
ASSAY_C_API const char* assay_error_message(const assay_error* error);
/* Where it happened, from the innermost (0) on: each completes "while ..."; NULL: no more. */
ASSAY_C_API const char* assay_error_note(const assay_error* error, size_t number);
ASSAY_C_API void assay_error_free(assay_error* error);

/* ---- texts that are returned ---- */

typedef struct assay_text assay_text;
ASSAY_C_API const char* assay_text_data(const assay_text* text);
ASSAY_C_API size_t assay_text_size(const assay_text* text); /* without the zero byte */
ASSAY_C_API void assay_text_free(assay_text* text);

/* ---- how a long call is watched and stopped ---- */

/* Called on a thread of the library, one call at a time: what is being done, how much of it (total
 * 0: not known). */
typedef void (*assay_progress)(void* context, const char* step, uint64_t done, uint64_t total);
typedef struct assay_call assay_call;
/* `progress` may be NULL. One call at a time uses it. */
ASSAY_C_API assay_call* assay_call_new(assay_progress progress, void* context);
/* From any thread, or a signal handler: what uses it ends within moments with the error
 * "interrupted". It stays so. */
ASSAY_C_API void assay_call_stop(assay_call* call);
ASSAY_C_API void assay_call_free(assay_call* call);

/* ---- arrays that are passed ---- */

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

/* Numbers in memory, in the machine's byte order. Strides are in bytes, of any sign. Two
 * dimensions: scores, a row for each item and a column for each class. One dimension of whole
 * numbers: a class for each item, -1 for none where these are labels. */
typedef struct assay_array {
    const void* data;
    int32_t type;       /* enum assay_type */
    int32_t dimensions; /* 1 or 2 */
    int64_t shape[2];
    int64_t strides[2];
} assay_array;

/* Texts, one behind the other: text i ends before byte ends[i] and begins where the one before it
 * ends. */
typedef struct assay_texts {
    const char* text;
    const uint64_t* ends;
    uint64_t count;
} assay_texts;

/* Valid classes of each item: item i has classes[offsets[i]] .. classes[offsets[i + 1] - 1],
 * ascending. */
typedef struct assay_sets {
    const uint64_t* offsets; /* items + 1 */
    const int32_t* classes;
    uint64_t items;
} assay_sets;

/* ---- stored predictions ---- */

typedef struct assay_store assay_store;
/* A store below a RUNS folder: RUNS/DATA_SET/MODEL. */
ASSAY_C_API assay_store* assay_store_open(const char* path, assay_error** error);
/* Folders of the stores below a RUNS folder, a data set's or a store's: a JSON list, by data set,
 * then model. */
ASSAY_C_API assay_text* assay_store_list(const char* path, assay_error** error);
/* Scores that are in memory, and stay there until the store is freed and nothing reads it. `labels`
 * and `sets` may be NULL: a single label for each item, or its valid classes (not both). `ids` may
 * be NULL: row numbers. Options: "model", "dataset" (names), "kind" ("logits", "probabilities",
 * "log_probabilities"; none: found out from all rows), "classes" (a list of names, or a name or
 * file that --classes takes), "num_classes" (of predicted classes), "attributes" ({name: [text,
 * ...]}), "threads". */
ASSAY_C_API assay_store* assay_store_in_memory(const assay_array* scores, const assay_array* labels,
                                               const assay_sets* sets, const assay_texts* ids,
                                               const char* options, assay_error** error);
/* What it is: {"dataset", "model", "path", "rows", "classes", "kind", "storage", "top_k", "shards",
 * "shard_rows", "missing_shards", "finished", "class_ids", "class_names", "attributes": [names],
 * "notes", "provenance"}. */
ASSAY_C_API assay_text* assay_store_describe(const assay_store* store, assay_error** error);
/* Its ids (0), or the values of its attribute `number` - 1: valid as long as the store. Returns 0,
 * or -1. */
ASSAY_C_API int assay_store_texts(const assay_store* store, size_t number, assay_texts* out,
                                  assay_error** error);
/* Its labels, as sets. Likewise. */
ASSAY_C_API int assay_store_labels(const assay_store* store, assay_sets* out, assay_error** error);

/* One shard, mapped into memory and compared with its checksum. */
typedef struct assay_shard assay_shard;
ASSAY_C_API assay_shard* assay_store_shard(const assay_store* store, size_t number,
                                           assay_error** error);
/* Its scores, rows x classes of float32 or float16, as they are stored; of stores that keep fewer:
 * the best classes (0, int32) and their scores (1, float32), rows x k. Valid as long as the shard.
 * Returns 0, or -1: there is no such part. */
ASSAY_C_API int assay_shard_scores(const assay_shard* shard, size_t part, assay_array* out);
/* Of each row: 0 it has scores, 1 its image could not be read, 2 a score is not finite. */
ASSAY_C_API const uint8_t* assay_shard_states(const assay_shard* shard, uint64_t* rows);
ASSAY_C_API void assay_shard_free(assay_shard* shard);

struct ArrowArrayStream; /* of the Arrow C stream interface */
/* What `assay export` writes of each item, as record batches. Options: "top" (5), "scores" (false),
 * "labels", "class_map", "threads". `out` is then the caller's to release; the store may be freed
 * before. Returns 0, or -1. */
ASSAY_C_API int assay_store_arrow(const assay_store* store, const char* options,
                                  struct ArrowArrayStream* out, assay_error** error);
ASSAY_C_API void assay_store_free(assay_store* store);

/* ---- results ---- */

typedef struct assay_result assay_result;
/* `assay score`. Options: "metrics" (a list, or one text with commas), "k", "bins", "edges",
 * "subgroups", "plugin" (a file or several), "labels" (a file), "class_map", "gates", "bootstrap",
 * "null", "seed", "level", "threads", "subgroup" (an attribute), "confusions" (how many),
 * "reliability", "per_class". `sets` may be NULL: valid classes instead of the data set's own
 * labels, for the metrics of label sets. `call` may be NULL. */
ASSAY_C_API assay_result* assay_score(const assay_store* const* stores, size_t count,
                                      const assay_sets* sets, const char* options, assay_call* call,
                                      assay_error** error);
/* `assay compare`: the first store against each of the others. Options as above, without the last
 * four; "disagreements", "other_images". */
ASSAY_C_API assay_result* assay_compare(const assay_store* const* stores, size_t count,
                                        const assay_sets* sets, const char* options,
                                        assay_call* call, assay_error** error);
/* `assay gap`. Options: "sets" (two folders of data sets, or names below "runs"), "runs", "labels"
 * (two files), "table", "unit", "also", "also_labels", "also_subgroups", "rank_by", "rank_against",
 * "subgroups", "pooled_above", "agreement", "margin" (a proportion), "mark", "slivers", "top",
 * "level", "bootstrap", "seed", "threads", "all_models". */
ASSAY_C_API assay_result* assay_gap(const char* options, assay_call* call, assay_error** error);
/* What `assay eval` says of stored predictions of one data set: stores on the disk, complete.
 * Options: "metrics", "k", "bins", "edges", "labels", "gates", "bootstrap", "seed", "level",
 * "threads"; "preprocessing": how the input was prepared, a text for each store; "warnings": a list
 * of texts; "report": the page to write ("": none), and "command" for its provenance. `call` may be
 * NULL. */
ASSAY_C_API assay_result* assay_eval(const assay_store* const* stores, size_t count,
                                     const char* options, assay_call* call, assay_error** error);
/* In the format "json", "text", "csv", "md" or "latex". */
ASSAY_C_API assay_text* assay_result_render(const assay_result* result, const char* format,
                                            assay_error** error);
/* 0; 1: a gate is broken; 3: something that should have been in it is not. */
ASSAY_C_API int assay_result_status(const assay_result* result);
/* A result (JSON) as a picture: a recipe of `assay plot` ("reliability", ...), the format "svg",
 * "pdf" or "png". Options: "models", "datasets", "metric", "x", "y", "top", "width", "height"
 * (millimetres), "font" (points), "dpi", "dark", "title". */
ASSAY_C_API assay_text* assay_plot(const char* recipe, const char* result, const char* format,
                                   const char* options, assay_error** error);
ASSAY_C_API void assay_result_free(assay_result* result);
/* The metrics there are, with definitions and parameters: JSON, as `assay list metrics --json`. */
ASSAY_C_API assay_text* assay_metric_table(assay_error** error);

/* ---- metrics of batches that are not kept ---- */

typedef struct assay_metrics assay_metrics;
/* Options: as of assay_score() without "plugin", "labels", "class_map", "gates", "null" and
 * "subgroup"; "kind", "classes", "num_classes", "model", "dataset". "rows_kept" is true if you keep
 * the rows for assay_score(): all metrics are accepted, and assay_metrics_update() only checks the
 * batches. */
ASSAY_C_API assay_metrics* assay_metrics_new(const char* options, assay_error** error);
/* One more batch, with a label for each row, or valid classes, or both (every batch alike). Returns
 * 0, or -1 and nothing of the batch is taken. */
ASSAY_C_API int assay_metrics_update(assay_metrics* metrics, const assay_array* scores,
                                     const assay_array* labels, const assay_sets* sets,
                                     assay_error** error);
/* The same of rows in any order: `rows` has the number of each of the `count` rows in the whole
 * data set, from 0. Every batch says them, or none does. What other processes saw of the same data
 * set then merges to the bits of one process; a row that comes twice is an error. */
ASSAY_C_API int assay_metrics_update_rows(assay_metrics* metrics, const assay_array* scores,
                                          const assay_array* labels, const assay_sets* sets,
                                          const uint64_t* rows, size_t count, assay_error** error);
ASSAY_C_API int assay_metrics_merge(assay_metrics* metrics, const assay_metrics* other,
                                    assay_error** error);
/* Our name of a metric that another library calls `name` ("top1" of "accuracy"); `name` itself
 * where it is none of theirs. Of static storage, or `name`. */
ASSAY_C_API const char* assay_metric_name(const char* name);
ASSAY_C_API void assay_metrics_reset(assay_metrics* metrics);
ASSAY_C_API uint64_t assay_metrics_rows(const assay_metrics* metrics);
/* All that was added, as bytes: for a copy, or another process. */
ASSAY_C_API assay_text* assay_metrics_state(const assay_metrics* metrics, assay_error** error);
/* Takes over `size` bytes of assay_metrics_state() of metrics with the same options, which give the
 * same bits from then on; "classes" are in the bytes. Returns 0, or -1 (damaged bytes, of another
 * version, of other options) and nothing has changed. */
ASSAY_C_API int assay_metrics_set_state(assay_metrics* metrics, const char* state, size_t size,
                                        assay_error** error);
/* Of the rows so far; more may follow. */
ASSAY_C_API assay_result* assay_metrics_compute(const assay_metrics* metrics, assay_error** error);
ASSAY_C_API void assay_metrics_free(assay_metrics* metrics);

/* ---- writing a store from one's own loop ---- */

typedef struct assay_writer assay_writer;
/* Begins RUNS/DATA_SET/MODEL, or resumes it. Options: "dataset", "model", "kind" ("logits";
 * "labels": predicted classes), "classes", "num_classes", "storage" ("full", "f16", "top5", ...,
 * "label"), "identity" (a text that tells this model from others: without it a store that is there
 * is refused), "model_file" (its bytes are the identity), "root" and "paths" (where the images
 * are), "attributes", "provenance". `labels` or `sets` may be NULL, as above; `ids` not. */
ASSAY_C_API assay_writer* assay_writer_open(const char* runs, const char* options,
                                            const assay_texts* ids, const assay_array* labels,
                                            const assay_sets* sets, assay_error** error);
/* Rows from `first_row` on, in any order; those that are there already stay. Returns how many were
 * not, or -1. */
ASSAY_C_API int64_t assay_writer_write(assay_writer* writer, uint64_t first_row,
                                       const assay_array* scores, assay_error** error);
/* {"path", "rows", "missing": [[begin, end], ...], "shard_rows", "warning"}. */
ASSAY_C_API assay_text* assay_writer_describe(const assay_writer* writer, assay_error** error);
/* All rows must be there. Returns 0, or -1. */
ASSAY_C_API int assay_writer_finish(assay_writer* writer, assay_error** error);
/* Without finish: what was written stays, and the next assay_writer_open() resumes it.
 * Predicted classes of a shard that is not whole are lost. */
ASSAY_C_API void assay_writer_free(assay_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
