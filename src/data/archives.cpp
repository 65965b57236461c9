#include "data/archives.h"

#include <algorithm>
#include <set>
#include <vector>

#include "data/array_dataset.h"
#include "data/parquet/file_names.h"
#include "data/parquet/rows.h"
#include "data/saved_dataset.h"
#include "data/tar_dataset.h"
#include "data/zip_dataset.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const StringColumn& names_of_images(const Dataset& dataset) {
    return dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
}

/// The archive in "<archive>/<row or member>".
std::string_view archive_in(std::string_view name) {
    return name.substr(0, std::min(name.find('/'), name.size()));
}

}  // namespace

bool has_archived_images(const Dataset& dataset) {
    if (dataset.archive != nullptr) return true;
    if (dataset.size() == 0 || dataset.root.empty()) return false;
    const fs::path file = archive_in(names_of_images(dataset)[0]);
    std::error_code problem;
    // A folder may also have such a name.
    return (parquet::has_parquet_extension(file) || webdataset::has_tar_extension(file) ||
            has_zip_extension(file) || has_arrow_extension(file) ||
            is_array_file(dataset.root / file)) &&
           !fs::is_directory(dataset.root / file, problem);
}

std::shared_ptr<const ImageArchive> archive_of(const Dataset& dataset,
                                               const fs::path& index_folder) {
    if (dataset.archive != nullptr || !has_archived_images(dataset)) return dataset.archive;
    const StringColumn& names = names_of_images(dataset);
    if (is_array_file(dataset.root / archive_in(names[0]))) {
        std::set<std::string> arrays;
        for (std::size_t i = 0; i < dataset.size(); ++i)
            arrays.emplace(names[i].substr(0, names[i].rfind('/')));
        return open_array_images(dataset.root, arrays);
    }
    std::set<fs::path> seen;
    std::string_view last;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::string_view file = archive_in(names[i]);
        if (i == 0 || file != last) seen.insert(dataset.root / file);
        last = file;
    }
    const std::vector<fs::path> files(seen.begin(), seen.end());
    if (parquet::has_parquet_extension(files.front())) return parquet::open_images(files, "");
    if (has_arrow_extension(files.front())) return open_saved_images(files);
    return has_zip_extension(files.front()) ? open_zip_images(files)
                                            : open_tar_images(files, index_folder);
}

}  // namespace assay
