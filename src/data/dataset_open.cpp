#include <fmt/format.h>

#include "assay/dataset.h"
#include "assay/error.h"
#include "image_folder.h"
#include "list_dataset.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string folder_name(const fs::path& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Dataset open_folder(const fs::path& path, const DatasetOptions& options, std::vector<std::string>& notes) {
    using Layout = DatasetOptions::Layout;
    if (!options.list.empty()) {
        if (options.layout == Layout::image_folder) {
            throw Error(ErrorCode::usage, "a list of labels goes with a flat folder, not with class folders");
        }
        return open_list(path, options.list, options, notes);
    }
    if (options.layout == Layout::flat) return open_flat(path, options, notes);
    if (auto dataset = open_image_folder(path, options, notes)) return std::move(*dataset);
    if (options.layout == Layout::image_folder) {
        throw Error(ErrorCode::bad_input, fmt::format("{}: no class folder with a picture in it", path.string()));
    }
    return open_flat(path, options, notes);
}

}  // namespace

Dataset open_dataset(const fs::path& path, const DatasetOptions& options, std::vector<std::string>* notes) {
    std::vector<std::string> unheard;
    std::vector<std::string>& heard = notes != nullptr ? *notes : unheard;
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    if (!fs::exists(status))
        throw Error(ErrorCode::bad_input, fmt::format("no such folder or list: {}", path.string()));
    Dataset dataset;
    if (fs::is_directory(status)) {
        dataset = open_folder(path, options, heard);
        dataset.name = folder_name(path);
    } else {
        if (!options.list.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} is a list itself; a second list goes with a folder", path.string()));
        }
        const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
        dataset = open_list(folder, path, options, heard);
        dataset.name = path.stem().string();
    }
    if (!options.name.empty()) dataset.name = options.name;
    return dataset;
}

}  // namespace assay
