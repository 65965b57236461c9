// Saved scores of any framework become a prediction store. Formats, by the file's ending:
//  - .npy, .npz: N x C of f16, f32 or f64, C or Fortran order; or N x T x C, of which one of the T
//  views of each item is taken; or N whole numbers, which are predicted classes without scores. In
//  an .npz an array called label, target, y_true, ... holds the items' labels
//  - .safetensors: N x C of F16, BF16, F32 or F64
//  - .csv, .tsv, .parquet: a full matrix (at most a column of ids, and C columns of scores), or
//  the best k of each image as
//    timm's inference script writes them: columns filename, index and/or label, prob (or logit),
//    with a row for every entry, or a list in each cell ("[1 2 3]"), or columns index_0..,
//    prob_0..; or the predicted class alone (a column pred, or a column of classes and no other).
//    Beside full rows or a column pred, a column label (always: target, y_true, ...) holds the
//    items' labels
//  - .jsonl: the same, one object per line: {"id": ..., "scores": [...]} or {"filename": ...,
//  "index":
//  [...], "prob":
//  [...]}; the samples that lm-eval logs
//  - .json: a list of such objects, or an object of them by image; COCO's results ({"image_id",
//  "category_id", "score"}); FiftyOne's labels.json and samples.json
//
// Memory stays flat in N but for the ids and labels: arrays are mapped, and what cannot be (packed
// entries, tables) goes through an unnamed temporary file in the runs folder.
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

/// What stored scores are multiplied by, or taken to another base, before all else.
enum class ScoreScale { none, percent, log2, log10 };
/// What -1 means in labels of two classes that are -1 and 1.
enum class MinusOne { unlabelled, first_class };

struct ImportOptions {
    std::string
        dataset_name;  ///< names the data set; "": the stem of `ids`, which must then be there
    std::string model_name;    ///< "": made from the file's stem
    std::string array;         ///< of a .npz or .safetensors file; "": its only matrix of floats
    std::uint32_t view = 0;    ///< of an array of items x views x classes, from 1; 0: it has none
    ScoreColumnNames columns;  ///< of tables
    std::optional<ScoreKind>
        kind;  ///< none: as the column is called, else found out from the numbers
    /// Of the file's numbers: percent become probabilities, logarithms to base 2 or 10 natural
    /// ones.
    ScoreScale scale = ScoreScale::none;
    bool force = false;  ///< take `kind` although the numbers contradict it
    std::optional<StorageFormat>
        storage;  ///< none: all that the file holds (full_f16 for f16, full_f32, or top_k)
    std::uint32_t top_k = 0;  ///< with StorageFormat::top_k; 0: all entries that a top-k file holds
    /// The items: a text with one id per line, or a csv with a column id, filename, path, image,
    /// image_id, ... (and label or labels, perhaps; its other columns become attributes), or JSON
    /// with classes and labels: COCO's annotations, FiftyOne's labels.json. Where the
    /// file of scores has ids, too, rows are matched by them, extensions and folders in front
    /// aside, and rows of no item are left out; else the two are in the same order. Empty: the
    /// file's own ids, else the row numbers.
    std::filesystem::path ids;
    /// The items' labels, as read_label_sets() takes them, instead of those that `ids` or the file
    /// of scores have; without names they are in the order of the file of scores.
    std::filesystem::path labels;
    /// The column of the table of labels that names the images; "": by the usual names. It and
    /// `columns.label` are of `labels`; without `labels` of `ids` where the scores are an array,
    /// and `columns.label` is of the scores where they are a table.
    std::string image_column;
    /// None: -1 is no label, and refused where all other labels are 1 and there are two classes.
    std::optional<MinusOne> minus_one;
    ClassList classes;  ///< empty: the file's column names, else ImageNet's when there are 1000,
                        ///< else numbers
    std::uint32_t class_count =
        0;  ///< needed for top-k files without `classes`; else checked where it is not 0
    std::uint32_t shard_rows = 0;  ///< 0: the store's default
    int threads = 0;               ///< 0: one per core
    std::string
        provenance_json;  ///< what the caller wants recorded (an object); a field "import" is added
};

/// Sets `kind` and `scale` by what a user calls the numbers: a kind that a classifier may return,
/// "percent", "log2_probabilities" or "log10_probabilities". Throws usage with these names.
void take_kind(ImportOptions& options, std::string_view name);
/// "class" or "unlabelled". Throws usage.
MinusOne minus_one_named(std::string_view name);

struct ImportReport {
    std::filesystem::path store;
    std::uint64_t rows = 0;
    std::uint64_t left_out = 0;  ///< rows of the file whose ids are none of the items'
    std::uint32_t classes = 0;
    std::uint32_t top_k = 0;  ///< entries per row of a top-k file; 0: full rows
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    std::string array;           ///< the one that was taken
    std::uint64_t bad_rows = 0;  ///< recorded as not_finite
    std::string first_error;
    std::vector<std::string> notes;  ///< what was assumed or found, for the user
};

/// Imports `file` under `runs`. Where the data set is there already and has the same items in
/// another order or spelling, the rows are put in its order; its class list serves where none is
/// told. Repeating the call resumes, or finds everything there. Progress counts rows, first
/// "checking" them, then "writing". Throws usage (something must be told: which array, how many
/// classes, a name), bad_input (damaged file, wrong shape; a stated kind that the numbers
/// contradict, without `force`: probabilities taken for logits would go through softmax twice), the
/// store's errors, interrupted.
ImportReport import_predictions(const std::filesystem::path& file,
                                const std::filesystem::path& runs, const ImportOptions& options,
                                const ProgressCallback& callback = {});

/// One row; partial, with a warning, when rows have no score. JSON: assay.import/1.
Report report_of(const ImportReport& result);

}  // namespace assay
