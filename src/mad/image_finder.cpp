#include "mad/image_finder.h"

#include <algorithm>

namespace assay::mad {

ImageFinder::ImageFinder(const Competition& competition)
    : competition_(competition),
      rows_(read_images(competition.impl().database)),
      addresses_(competition, rows_) {
    std::unordered_map<std::string, std::vector<std::int64_t>> by_path;
    for (const auto& [number, row] : rows_) images_[row.id] = {number};
    for (const auto& [number, row] : rows_)
        if (!row.path.empty()) by_path[row.path].push_back(number);
    images_.merge(by_path);
}

std::vector<std::int64_t> ImageFinder::find(const std::string& text) {
    if (const auto found = images_.find(text); found != images_.end()) return found->second;
    // A file below the images' folder, as tables of questions may name it.
    const std::string root = competition_.image_root().string() + "/";
    if (root.size() > 1 && text.starts_with(root)) {
        const auto found = images_.find(text.substr(root.size()));
        if (found != images_.end()) return found->second;
    }
    std::vector<std::int64_t> numbers;
    if (!is_address(text)) return numbers;
    for (const ImageRow& row : addresses_.meant_by(text)) numbers.push_back(row.number);
    return numbers;
}

std::vector<std::string> ImageFinder::names() const {
    std::vector<std::string> names;
    for (const auto& [name, numbers] : images_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace assay::mad
