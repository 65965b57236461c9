// Imports saved scores of any framework into a prediction store. Formats, by the file's extension:
//
// - .npy, .npz: N x C of f16, f32 or f64, C or Fortran order. From N x T x C, one of the T views of
//   each item is used. N integers are predicted classes without scores. In an .npz, an array named
//   label, target, y_true, ... has the items' labels.
//
// - .safetensors: N x C of F16, BF16, F32 or F64.
//
// - .csv, .tsv, .parquet: a full matrix, the best k of each image, or the predicted class alone. A
//   full matrix has at most a column of ids, and C columns of scores. The best k are as timm's
//   inference script writes them: columns filename, index and/or label, prob (or logit). They have
//   a row for every entry, or a list in each cell ("[1 2 3]"), or columns index_0, ... and prob_0,
//   .... The predicted class is a column pred, or a column of classes and no other. Columns target,
//   y_true, ... always hold the items' labels. A column label holds them if there are full rows or
//   a column pred.
//
// - .jsonl: the same, one object per line: {"id": ..., "scores": [...]} or {"filename": ...,
//   "index": [...], "prob": [...]}. Also the samples that lm-eval logs.
//
// - .json: a list of such objects, or an object of them by image. Also COCO's results ({"image_id",
//   "category_id", "score"}), and FiftyOne's labels.json and samples.json.
//
// Memory does not grow with N except for the ids and labels. Arrays are mapped. Packed entries and
// tables go through an unnamed temporary file in the runs folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/import_columns.h"
#include "assay/store/prediction_store.h"
#include "assay/store/score_kind.h"

namespace assay {

/// The scale to undo before anything else: percent, or logarithms to another base.
enum class ScoreScale { none, percent, log2, log10 };
/// The meaning of -1 if the labels are -1 and 1.
enum class MinusOne { unlabelled, first_class };

struct ImportOptions {
    std::string
        dataset_name;  ///< names the data set; "" uses the stem of `ids`, which must then be given
    std::string model_name;    ///< "" uses the file's stem
    std::string array;         ///< for a .npz or .safetensors file; "" means its only matrix of
                               ///< floats
    std::uint32_t view = 0;    ///< for an array of items x views x classes, from 1; 0 means that it
                               ///< has no views
    ScoreColumnNames columns;  ///< column names of tables
    std::optional<ScoreKind>
        kind;  ///< without a value: as the column's name says, else by the numbers
    /// The scale of the file's numbers: percent become probabilities, and logarithms to base 2 or
    /// 10 become natural ones.
    ScoreScale scale = ScoreScale::none;
    bool force = false;  ///< use `kind` even if the numbers contradict it
    std::optional<StorageFormat>
        storage;  ///< without a value: all of the file (full_f16 for f16, full_f32, or top_k)
    std::uint32_t top_k = 0;  ///< with StorageFormat::top_k; 0 means all entries of a top-k file
    /// The items: a text with one id per line, a csv, or JSON with classes and labels (COCO's
    /// annotations, FiftyOne's labels.json). A csv has a column id, filename, path, image,
    /// image_id, ... It may have label or labels, and its other columns become attributes. If the
    /// file of scores also has ids, rows are matched by them, ignoring extensions and leading
    /// folders. Rows that match no item are skipped. Otherwise both must be in the same order.
    /// Empty uses the file's own ids, else the row numbers.
    std::filesystem::path ids;
    /// The items' labels, in a format of read_label_sets(). They replace the labels in `ids` or in
    /// the file of scores. Labels without names must be in the order of the file of scores.
    std::filesystem::path labels;
    /// The column with the image names in the table of labels; "" uses the usual names. This and
    /// `columns.label` apply to `labels`. Without `labels` they apply to `ids` if the scores are an
    /// array; if the scores are a table, `columns.label` applies to it.
    std::string image_column;
    /// Unset: -1 is no label; it is refused if there are two classes and all other labels are 1.
    std::optional<MinusOne> minus_one;
    ClassList classes;  ///< empty: from the file's columns, or ImageNet's for 1000 classes, or
                        ///< numbers
    std::uint32_t class_count =
        0;  ///< required for top-k files without `classes`; otherwise checked if it is not 0
    std::uint32_t shard_rows = 0;  ///< 0 uses the store's default
    int threads = 0;               ///< 0 uses one per core
    std::string
        provenance_json;  ///< provenance from the caller (an object); a field "import" is added
};

/// Sets `kind` and `scale` from a user's word: a kind that a classifier may return, "percent",
/// "log2_probabilities" or "log10_probabilities". Throws usage with these names.
void take_kind(ImportOptions& options, std::string_view name);
/// Finds "class" or "unlabelled". Throws usage.
MinusOne minus_one_named(std::string_view name);

struct ImportReport {
    std::filesystem::path store;
    std::uint64_t rows = 0;
    std::uint64_t left_out = 0;  ///< rows of the file whose ids match no item
    std::uint32_t classes = 0;
    std::uint32_t top_k = 0;  ///< entries per row of a top-k file; 0 for full rows
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    std::string array;           ///< the array that was used
    std::uint64_t bad_rows = 0;  ///< recorded as not_finite
    std::string first_error;
    std::vector<std::string> notes;  ///< assumptions and findings, for the user
};

/// Imports `file` under `runs`. If the data set exists already with the same items in another order
/// or spelling, the rows are reordered to match. Its class list is the default. Repeating the call
/// resumes, or does nothing if everything exists. Progress counts rows, first "checking" them, then
/// "writing". Throws usage if an option is missing (which array, how many classes, a name). Throws
/// bad_input for a damaged file or a wrong shape. Without `force`, throws bad_input for a stated
/// kind that the numbers contradict, because probabilities taken for logits would go through
/// softmax twice. Throws the store's errors, interrupted.
ImportReport import_predictions(const std::filesystem::path& file,
                                const std::filesystem::path& runs, const ImportOptions& options,
                                const ProgressCallback& callback = {});

/// The report is partial, with a warning, if rows lack a score. JSON: assay.import/1.
Report report_of(const ImportReport& result);

}  // namespace assay
