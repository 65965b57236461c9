#include "assay/data/dataset.h"

#include "core/hash.h"

namespace assay {

void StringColumn::append(std::string_view text) {
    arena_ += text;
    ends_.push_back(arena_.size());
}

std::filesystem::path Dataset::path_of(std::size_t item) const {
    const StringColumn& column = paths.size() == 0 ? ids : paths;
    return root / std::filesystem::path(column[item]);
}

std::int32_t Dataset::single_label(std::size_t item) const {
    const auto set = labels[item];
    return set.size() == 1 ? set[0] : -1;
}

std::string Dataset::ids_fingerprint() const {
    Hasher hasher;
    hasher.add_field(std::to_string(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i) hasher.add_field(ids[i]);
    return hasher.digest();
}

}  // namespace assay
