#include "make/picture_index.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "data/folder_scan.h"
#include "data/text.h"

namespace assay {

StringColumn PictureIndex::scan(const std::filesystem::path& root) {
    StringColumn pictures;
    ScanCounts counts;
    scan_pictures(root, "", 0, pictures, counts);
    if (pictures.size() == 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no picture (.jpg .jpeg .png .webp .bmp .tif .tiff) below it", root.string()));
    }
    return pictures;
}

PictureIndex::PictureIndex(const std::filesystem::path& root)
    : pictures_(scan(root)),
      paths_(pictures_.size(), [this](std::uint32_t i) { return pictures_[i]; }),
      path_stems_(pictures_.size(), [this](std::uint32_t i) { return without_extension(pictures_[i]); }),
      names_(pictures_.size(), [this](std::uint32_t i) { return base_name(pictures_[i]); }),
      stems_(pictures_.size(), [this](std::uint32_t i) { return without_extension(base_name(pictures_[i])); }) {
    for (std::uint32_t i = 0; i < pictures_.size(); ++i) {
        for (Table* table : {&paths_, &path_stems_, &names_, &stems_}) table->add(i);
    }
}

PictureIndex::Found PictureIndex::find(std::string_view name) const {
    while (name.starts_with("./")) name.remove_prefix(2);
    if (name.empty()) return {};
    // An extension that is a picture's may be another than the file's: annotations outlive conversions.
    const std::string_view stem = has_picture_extension(name) ? without_extension(name) : name;
    for (const auto& [table, key] : {std::pair(&paths_, name), std::pair(&path_stems_, stem),
                                     std::pair(&names_, base_name(name)), std::pair(&stems_, base_name(stem))}) {
        if (const Found found = table->find(key); found.kind != Found::Kind::none) return found;
    }
    return {};
}

}  // namespace assay
