#include "parquet_dataset.h"

#include <fmt/format.h>

#include <set>
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

std::shared_ptr<const ImageArchive> archive_of(const Dataset& dataset) {
    const StringColumn& names = dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
    std::set<std::string, std::less<>> seen;
    std::vector<fs::path> files;
    std::string_view last;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::string_view file = names[i].substr(0, names[i].rfind('/'));
        if (file == last) continue;
        last = file;
        std::error_code problem;
        const bool parquet = parquet::has_parquet_extension(fs::path(file));
        // A folder may be called so, too.
        if (!parquet || fs::is_directory(dataset.root / file, problem)) return nullptr;
        if (seen.emplace(file).second) files.push_back(dataset.root / file);
    }
    if (files.empty()) return nullptr;
    return parquet::open_images(files, "");
}

}  // namespace assay
