// The common form of all formats before storage: a matrix of scores, or the best k entries of each
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
    NumberType precision = NumberType::f4;  ///< type of the numbers in the file
    std::string array;                      ///< the array that was used, if the file has several

    /// Reads full rows [first, first + n) into n x classes floats. Can be called from many threads.
    /// Empty for top-k sources.
    std::function<void(std::uint64_t first, std::uint32_t n, std::span<float> out)> read;

    std::uint32_t top = 0;              ///< entries per row; 0 for full rows
    std::span<const TopEntry> entries;  ///< rows x top, best first

    std::optional<StringColumn> ids;  ///< if the file names its rows
    ClassList columns;                ///< if the file names its classes
    std::optional<ScoreKind> hint;    ///< from the name of a column; `labels` means only predicted
                                      ///< classes, as entries of score 1
    StringColumn truth;               ///< by row, if the file has a column of labels; else empty
    std::string truth_name;           ///< name of that column
    std::uint32_t views = 0;          ///< number of views, of which one is read; 0 if none
    bool percent_signs = false;       ///< scores had percent signs, and are already divided by 100
    std::string reading;              ///< other user choices that affect the numbers
    std::vector<std::string> notes;   ///< unused columns and assumptions
    std::vector<std::shared_ptr<const void>> owners;  ///< keep the underlying bytes alive
};

struct NumberedItems;

struct SourceOptions {
    std::filesystem::path spool_folder;
    std::string array;
    std::uint32_t view = 0;  ///< for an array of items x views x classes, from 1; else 0
    /// The list for class names and numbers in top-k files. May be empty if `class_count` is given.
    ClassList classes;
    std::uint32_t class_count = 0;
    bool classes_told = false;  ///< `classes` is the user's list and not the existing data
                                ///< set's
    ScoreColumnNames columns;
    const NumberedItems* numbered = nullptr;  ///< from the annotation file, for COCO's results
};

ScoreSource open_npy(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_npz(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_safetensors(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_hdf5(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_csv(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_jsonl(const std::filesystem::path& file, const SourceOptions& options);
ScoreSource open_json(const std::filesystem::path& file, const SourceOptions& options);
/// Chooses the reader by the file's extension. Throws bad_input for unknown extensions. Every error
/// names the file.
ScoreSource open_source(const std::filesystem::path& file, const SourceOptions& options);

/// True if files with this extension contain arrays instead of tables.
bool is_ending_of_arrays(std::string_view ending);

/// A shell command that converts a file that only Python can read (".pt") to a supported format. ""
/// if no command is known.
std::string conversion_of(std::string_view ending, const std::filesystem::path& file);

/// Throws usage if `options.columns` name columns, because `what` ("arrays") have no columns.
void refuse_columns(const SourceOptions& options, std::string_view what);

/// Reads csv, jsonl and json from text that the caller owns.
ScoreSource read_csv(std::string_view text, const std::string& name, const SourceOptions& options);
ScoreSource read_jsonl(std::string_view text, const std::string& name,
                       const SourceOptions& options);
ScoreSource read_json(std::string_view text, const std::string& name, const SourceOptions& options);

}  // namespace assay::store
