#include "data/parquet_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "core/url.h"
#include "data/folder_classes.h"
#include "data/list_dataset.h"
#include "data/parquet/parquet_table.h"
#include "data/parquet/rows.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path parent_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Opens a table of image paths like a csv list.
Dataset open_paths(std::span<const fs::path> files, const fs::path& folder,
                   const DatasetOptions& options, std::vector<std::string>& notes) {
    if (files.size() > 1 || is_url(files.front())) {
        refuse(
            fmt::format("{}: its rows are paths of images; such a Parquet file must be a single "
                        "file on disk, next to the images",
                        files.front().string()));
    }
    DatasetOptions told = options;
    const ClassList own = parquet::named_label_classes(files.front(), options.label_column);
    const bool unnamed = only_numbers(options.classes) && own.size() == options.classes.size();
    if (!own.empty() && (options.classes.empty() || unnamed)) {
        told.classes = own;
        notes.push_back(fmt::format(
            "the file names {} classes{}", own.size(),
            unnamed
                ? "; assuming they are in the classifier's order, because its classes have no names"
                : ""));
    }
    return open_list(folder, files.front(), told, notes);
}

}  // namespace

Dataset open_parquet(std::span<const fs::path> files, const DatasetOptions& options,
                     std::vector<std::string>& notes) {
    if (!options.list.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} contains its labels, and --list is for a folder of images: "
                                "omit --list, or name the labels with --label-column",
                                files.front().string()));
    }
    Dataset dataset;
    dataset.root = parent_of(files.front());
    for (const fs::path& file : files) {
        if (parent_of(file) != dataset.root) {
            refuse(
                fmt::format("{} and {} are in different folders; a data set must be in one folder",
                            files.front().string(), file.string()));
        }
    }
    if (parquet::lists_paths(files.front(), options.image_column))
        return open_paths(files, dataset.root, options, notes);
    parquet::Rows rows = parquet::open_rows(files,
                                            {.image_column = options.image_column,
                                             .label_column = options.label_column,
                                             .classes = options.classes,
                                             .limit = options.limit},
                                            notes);
    dataset.ids = std::move(rows.ids);
    dataset.classes = std::move(rows.labels.classes);
    dataset.archive = std::move(rows.images);
    for (const std::int32_t& label : rows.labels.label_of)
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    return dataset;
}

}  // namespace assay
