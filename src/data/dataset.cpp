#include "assay/data/dataset.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/image/image.h"
#include "core/file.h"
#include "core/hash.h"

namespace assay {

StringColumn::StringColumn(HeldArray<char> text, HeldArray<std::uint64_t> ends)
    : arena_(std::move(text)), ends_(std::move(ends)) {
    std::uint64_t before = 0;
    bool ascending = true;
    for (const std::uint64_t end : ends_.span()) {
        ascending = ascending && end >= before;
        before = end;
    }
    if (!ascending || before != arena_.size())
        throw Error(ErrorCode::bad_input, "the texts of a column do not follow one another");
}

void StringColumn::append(std::string_view text) {
    arena_.append(text);
    ends_.push_back(arena_.size());
}

std::filesystem::path Dataset::path_of(std::size_t item) const {
    const StringColumn& column = paths.size() == 0 ? ids : paths;
    return root / std::filesystem::path(column[item]);
}

std::vector<std::byte> Dataset::read_image(std::size_t item, std::uint64_t limit) const {
    if (archive == nullptr) return read_file(path_of(item), limit);
    return archive->read((paths.size() == 0 ? ids : paths)[item], limit);
}

bool ends_the_run(const Error& error) noexcept {
    return error.code() == ErrorCode::interrupted || error.code() == ErrorCode::unreachable;
}

Image load_image(const Dataset& dataset, std::size_t item) {
    return with_note(fmt::format("reading the image {}", dataset.path_of(item).string()),
                     [&] { return decode_image(dataset.read_image(item)); });
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
