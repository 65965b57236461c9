// What every format becomes before it is stored: a matrix of scores, or the best k entries of each
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/store/import_columns.h"
#include "assay/store/prediction_store.h"
#include "assay/store/score_kind.h"
#include "containers/npy.h"

namespace assay::store {

struct ScoreSource {
    std::uint64_t rows = 0;
    std::uint32_t classes = 0;
    NumberType precision = NumberType::f4;  ///< of the numbers in the file
    std::string array;                      ///< the one taken, where there are several

    /// Full rows [first, first + n) into n x classes floats. May be called from many threads. Empty
    /// for top-k sources.
    std::function<void(std::uint64_t first, std::uint32_t n, std::span<float> out)> read;

    std::uint32_t top = 0;              ///< entries per row; 0: full rows
    std::span<const TopEntry> entries;  ///< rows x top, best first

    std::optional<StringColumn> ids;  ///< when the file names its rows
    ClassList columns;                ///< when the file names its classes
    std::optional<ScoreKind> hint;    ///< from the name of a column; `labels`: predicted classes
                                      ///< alone, as entries of score 1
    StringColumn truth;       ///< of each row, when the file has a column of labels; else empty
    std::string truth_name;   ///< of that column
    std::uint32_t views = 0;  ///< of which one is read; 0: the array has none
    std::string reading;      ///< what else decides the numbers, where the user chose it
    std::vector<std::string> notes;                   ///< what was not used, or assumed
    std::vector<std::shared_ptr<const void>> owners;  ///< of the bytes behind it all
};

struct NumberedItems;

struct SourceOptions {
    std::filesystem::path spool_folder;
    std::string array;
    std::uint32_t view = 0;  ///< of an array of items x views x classes, from 1; 0: it has none
    /// For class names and numbers in top-k files; may be empty when `class_count` is there.
    ClassList classes;
    std::uint32_t class_count = 0;
    bool classes_told = false;  ///< `classes` is the user's list, not that of the data set there is
    ScoreColumnNames columns;
    const NumberedItems* numbered = nullptr;  ///< of the annotation file, for COCO's results
};

ScoreSource open_npy(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_npz(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_safetensors(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_hdf5(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_csv(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_jsonl(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_json(const std::filesystem::path& file, const SourceOptions& options);
/// By the file's ending. Throws bad_input for endings not known, and notes the file in every error.
ScoreSource open_source(const std::filesystem::path& file, const SourceOptions& options);

/// Whether files with this ending hold arrays and no table.
bool is_ending_of_arrays(std::string_view ending);

/// A line for the shell that makes a file that is read of one that Python alone can read, by its
/// ending (".pt"); "" where none is known.
std::string conversion_of(std::string_view ending, const std::filesystem::path& file);

/// Throws usage where `options.columns` name columns: `what` ("arrays") have none.
void refuse_columns(const SourceOptions& options, std::string_view what);

/// csv, jsonl and json from text that somebody else holds.
ScoreSource read_csv(std::string_view text, const std::string& name, const SourceOptions& options);
ScoreSource read_jsonl(std::string_view text, const std::string& name,
                       const SourceOptions& options);
ScoreSource read_json(std::string_view text, const std::string& name, const SourceOptions& options);

}  // namespace assay::store
