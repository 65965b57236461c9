#include "patchml/image_index.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/text.h"
#include "data/folder_scan.h"

namespace assay {

StringColumn ImageIndex::scan(const std::filesystem::path& root) {
    StringColumn images;
    ScanCounts counts;
    scan_images(root, "", 0, images, counts);
    if (images.size() == 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no image (.jpg .jpeg .png .webp .bmp .tif .tiff .gif .ppm "
                                ".pgm .pbm .pnm) in this folder",
                                root.string()));
    }
    return images;
}

ImageIndex::ImageIndex(const std::filesystem::path& root)
    : images_(scan(root)),
      paths_(images_.size(), [this](std::uint32_t i) { return images_[i]; }),
      path_stems_(images_.size(),
                  [this](std::uint32_t i) { return without_extension(images_[i]); }),
      names_(images_.size(), [this](std::uint32_t i) { return base_name(images_[i]); }),
      stems_(images_.size(),
             [this](std::uint32_t i) { return without_extension(base_name(images_[i])); }) {
    for (std::uint32_t i = 0; i < images_.size(); ++i) {
        for (Table* table : {&paths_, &path_stems_, &names_, &stems_}) table->add(i);
    }
}

ImageIndex::Found ImageIndex::find(std::string_view name) const {
    while (name.starts_with("./")) name.remove_prefix(2);
    if (name.empty()) return {};
    // The extension in the annotation may differ from the file's, because annotations outlive
    // conversions.
    const std::string_view stem = has_image_extension(name) ? without_extension(name) : name;
    for (const auto& [table, key] :
         {std::pair(&paths_, name), std::pair(&path_stems_, stem),
          std::pair(&names_, base_name(name)), std::pair(&stems_, base_name(stem))}) {
        if (const Found found = table->find(key); found.kind != Found::Kind::none) return found;
    }
    return {};
}

}  // namespace assay
