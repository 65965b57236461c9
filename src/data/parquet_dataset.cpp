#include "parquet_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "parquet/file_names.h"
#include "parquet/rows.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path parent_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

const StringColumn& names_of(const Dataset& dataset) {
    return dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
}

/// Of "<file>/<row>".
std::string_view file_of(std::string_view name) {
    return name.substr(0, std::min(name.rfind('/'), name.size()));
}

}  // namespace

Dataset open_parquet(std::span<const fs::path> files, const DatasetOptions& options,
                     std::vector<std::string>& notes) {
    if (!options.list.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} has its labels itself; a list goes with a folder of images",
                                files.front().string()));
    }
    Dataset dataset;
    dataset.root = parent_of(files.front());
    for (const fs::path& file : files) {
        if (parent_of(file) != dataset.root) {
            refuse(fmt::format("{} and {} lie in different folders: one data set lies in one",
                               files.front().string(), file.string()));
        }
    }
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

bool has_parquet_images(const Dataset& dataset) {
    if (dataset.archive != nullptr) return true;
    const StringColumn& names = names_of(dataset);
    if (dataset.size() == 0 || dataset.root.empty()) return false;
    const fs::path file = file_of(names[0]);
    std::error_code problem;
    // A folder may be called so, too.
    return parquet::has_parquet_extension(file) && !fs::is_directory(dataset.root / file, problem);
}

std::shared_ptr<const ImageArchive> archive_of(const Dataset& dataset) {
    if (dataset.archive != nullptr || !has_parquet_images(dataset)) return dataset.archive;
    const StringColumn& names = names_of(dataset);
    std::set<fs::path> files;
    std::string_view last;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::string_view file = file_of(names[i]);
        if (i == 0 || file != last) files.insert(dataset.root / file);
        last = file;
    }
    return parquet::open_images(std::vector<fs::path>(files.begin(), files.end()), "");
}

}  // namespace assay
