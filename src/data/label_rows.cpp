#include "label_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/string_index.h"
#include "core/text.h"
#include "label_list.h"

namespace assay {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

/// Items by another text than their id, which several may share.
template <class TextOf>
class SharedIndex {
public:
    SharedIndex(std::size_t items, TextOf text_of) : index_(items, text_of), shared_(items, 0) {
        for (std::uint32_t i = 0; i < items; ++i) {
            if (const auto earlier = index_.insert(i)) shared_[*earlier] = 1;
        }
    }
    std::uint32_t find(std::string_view text, const std::string& source) const {
        const auto found = index_.find(text);
        if (!found) return nobody;
        if (shared_[*found]) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: several items have a file called `{}`: use their ids",
                                    source, shortened(text)));
        }
        return *found;
    }

private:
    StringIndex<TextOf> index_;
    std::vector<std::uint8_t> shared_;
};

/// The item of each row.
std::vector<std::uint32_t> items_of_rows(const NamedRows& named, const Dataset& dataset,
                                         const std::string& source) {
    const auto id_of = [&](std::uint32_t i) { return dataset.ids[i]; };
    const auto file_of = [&](std::uint32_t i) {
        const std::string_view file =
            base_name(dataset.paths.size() == 0 ? dataset.ids[i] : dataset.paths[i]);
        return named.stems ? without_extension(file) : file;
    };
    const bool imagenet_val = all_imagenet_val(dataset.ids);
    StringIndex ids(dataset.size(), id_of);
    for (std::uint32_t i = 0; i < dataset.size(); ++i) ids.insert(i);
    std::optional<SharedIndex<decltype(file_of)>> files;

    std::vector<std::uint32_t> items(named.keys.size(), nobody);
    for (std::size_t row = 0; row < items.size(); ++row) {
        const std::string_view key = named.keys[row];
        if (const auto by_id = ids.find(key)) {
            items[row] = *by_id;
            continue;
        }
        if (!files) files.emplace(dataset.size(), file_of);
        items[row] =
            files->find(named.stems ? without_extension(base_name(key)) : base_name(key), source);
        if (items[row] == nobody && !(imagenet_val && imagenet_val_number(key) != 0)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: `{}` is no item of the data set {} ({} items{})", source,
                                    shortened(key), dataset.name, dataset.size(),
                                    dataset.size() == 0 ? ""
                                                        : fmt::format(", the first is `{}`",
                                                                      shortened(dataset.ids[0]))));
        }
    }
    return items;
}

}  // namespace

void require_labels(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!path.empty() && !std::filesystem::exists(path, ignored))
        throw Error(ErrorCode::bad_input, fmt::format("no labels at `{}`", path.string()));
}

LabelSets rows_in_order(LabelSets rows, const Dataset& dataset, const std::string& source) {
    if (rows.size() == imagenet_val_size && all_imagenet_val(dataset.ids)) {
        LabelSets out;
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            const std::uint64_t number = imagenet_val_number(dataset.ids[i]);
            if (number > rows.size()) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: item `{}` has a number above {}", source,
                                        shortened(dataset.ids[i]), rows.size()));
            }
            out.append(rows[static_cast<std::size_t>(number) - 1]);
        }
        return out;
    }
    if (rows.size() != dataset.size()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: {} rows for the {} items of the data set {}; rows without "
                                "file names must be as many as the items (or "
                                "50000 when the items are named ILSVRC2012_val_00000001 ...)",
                                source, rows.size(), dataset.size(), dataset.name));
    }
    return rows;
}

LabelSets rows_by_key(const NamedRows& named, const Dataset& dataset, const std::string& source,
                      std::uint64_t* unnamed) {
    const auto items = items_of_rows(named, dataset, source);
    std::vector<std::uint32_t> order;  // rows of items, by item
    order.reserve(items.size());
    for (std::uint32_t row = 0; row < items.size(); ++row) {
        if (items[row] != nobody) order.push_back(row);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return items[a] < items[b]; });
    LabelSets out;
    std::vector<std::int32_t> set;
    auto next = order.begin();
    if (unnamed != nullptr) *unnamed = 0;
    for (std::uint32_t item = 0; item < dataset.size(); ++item) {
        set.clear();
        if (unnamed != nullptr && (next == order.end() || items[*next] != item)) ++*unnamed;
        for (std::size_t n = 0; next != order.end() && items[*next] == item; ++next, ++n) {
            if (n == 1 && !named.may_repeat) {
                throw Error(ErrorCode::bad_input, fmt::format("{}: item `{}` stands twice", source,
                                                              shortened(named.keys[*next])));
            }
            const auto row = named.rows[*next];
            set.insert(set.end(), row.begin(), row.end());
        }
        out.append(set);
    }
    return out;
}

}  // namespace assay
