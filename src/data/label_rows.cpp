#include "data/label_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/report.h"
#include "core/paths.h"
#include "core/string_index.h"
#include "core/text.h"
#include "data/label_list.h"

namespace assay {
namespace {

/// Finds items by a text other than their id. Several items may share a text.
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
        if (!found) return no_item;
        if (shared_[*found]) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: several items have a file named `{}`: use their ids",
                                    source, shortened(text)));
        }
        return *found;
    }

private:
    StringIndex<TextOf> index_;
    std::vector<std::uint8_t> shared_;
};

/// Removes only an image's extension, because other dots are part of a name.
std::string_view stem_of(std::string_view path) {
    return has_image_extension(path) ? without_extension(path) : path;
}

bool has_folder(std::string_view key) {
    return key.find('/') != std::string_view::npos;
}

/// Finds the item of a text, which is its id, its file's name, or one of these without an image's
/// extension (the challenge's ImageId, the keys of many csv files).
class ItemKeys {
public:
    ItemKeys(const Dataset& dataset, const std::string& source)
        : dataset_(dataset),
          source_(source),
          ids_(dataset.size(), Part{this, &ItemKeys::id}),
          id_stems_(dataset.size(), Part{this, &ItemKeys::id_stem}) {
        for (std::uint32_t i = 0; i < dataset.size(); ++i) ids_.insert(i);
    }

    /// Finds an item by its id, or by the end of a path that is an id ("train/n01440764/1.JPEG").
    std::uint32_t by_id(std::string_view key) const {
        for (std::string_view end = key;; end.remove_prefix(end.find('/') + 1)) {
            if (const auto item = ids_.find(end)) return *item;
            if (const std::uint32_t item = id_stems_.find(stem_of(end), source_); item != no_item)
                return item;
            const std::size_t slash = end.find('/');
            // A file name without its folder is no id of an item in a folder.
            if (slash == std::string_view::npos || !has_folder(end.substr(slash + 1)))
                return no_item;
        }
    }
    std::uint32_t by_file(std::string_view key) {
        if (!files_) {
            files_.emplace(dataset_.size(), Part{this, &ItemKeys::file});
            file_stems_.emplace(dataset_.size(), Part{this, &ItemKeys::file_stem});
        }
        const std::uint32_t item = files_->find(base_name(key), source_);
        return item != no_item ? item : file_stems_->find(stem_of(base_name(key)), source_);
    }

private:
    struct Part {
        const ItemKeys* keys;
        std::string_view (ItemKeys::*part)(std::uint32_t) const;
        std::string_view operator()(std::uint32_t i) const { return (keys->*part)(i); }
    };
    std::string_view id(std::uint32_t i) const { return dataset_.ids[i]; }
    std::string_view id_stem(std::uint32_t i) const { return stem_of(dataset_.ids[i]); }
    std::string_view file(std::uint32_t i) const {
        return base_name(dataset_.paths.size() == 0 ? dataset_.ids[i] : dataset_.paths[i]);
    }
    std::string_view file_stem(std::uint32_t i) const { return stem_of(file(i)); }

    const Dataset& dataset_;
    const std::string& source_;
    StringIndex<Part> ids_;
    SharedIndex<Part> id_stems_;
    std::optional<SharedIndex<Part>> files_, file_stems_;
};

/// By file names alone, "cat/1.png" and "dog/1.png" would both match the item "bird/1.png".
void refuse_namesakes(const StringColumn& keys, const std::vector<std::uint32_t>& items,
                      const std::vector<std::uint32_t>& by_file, const Dataset& dataset,
                      const std::string& source) {
    // the first row that matched the item in this way
    std::vector<std::uint32_t> first(dataset.size(), no_item);
    for (const std::uint32_t row : by_file) {
        if (items[row] == no_item || !has_folder(keys[row])) continue;
        std::uint32_t& earlier = first[items[row]];
        if (earlier == no_item) earlier = row;
        if (keys[earlier] == keys[row]) continue;
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{}: `{}` and `{}` both match the item `{}` by file name: use the items' ids",
                source, shortened(keys[earlier]), shortened(keys[row]),
                shortened(dataset.ids[items[row]])));
    }
}

}  // namespace

void require_labels(const std::filesystem::path& path) {
    if (path.empty() || is_there(path)) return;
    std::vector<std::string> beside;
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (is_folder(folder)) {
        for (const std::filesystem::path& entry : entries_of(folder))
            beside.push_back(entry.filename().string());
    }
    const std::string near = nearest_name(path.filename().string(), beside);
    throw Error(
        ErrorCode::bad_input,
        fmt::format("no labels at `{}`{}; `assay export RUNS --top 0 -o labels.csv` writes the "
                    "labels of stored predictions to a file that you can edit",
                    path.string(), near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

std::vector<std::uint32_t> items_of_keys(const StringColumn& keys, const Dataset& dataset,
                                         const std::string& source) {
    ItemKeys known(dataset, source);
    std::vector<std::uint32_t> items(keys.size(), no_item), by_file;
    bool own_folders = false;
    for (std::uint32_t row = 0; row < items.size(); ++row) {
        items[row] = known.by_id(keys[row]);
        if (items[row] == no_item) by_file.push_back(row);
        own_folders = own_folders || (items[row] != no_item && has_folder(keys[row]));
    }
    for (const std::uint32_t row : by_file) {
        // If keys include the items' folders, other folders mean other images.
        if (!own_folders || !has_folder(keys[row])) items[row] = known.by_file(keys[row]);
    }
    refuse_namesakes(keys, items, by_file, dataset, source);
    return items;
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
        throw NoItemNamed(
            ErrorCode::bad_input,
            fmt::format(
                "{}: {} rows for the {} items of the data set {}. Without file names there must be "
                "one row per item (or 50000 if the items are named ILSVRC2012_val_00000001 ...)",
                source, rows.size(), dataset.size(), dataset.name));
    }
    return rows;
}

namespace {

/// Lists examples: ": `a/1.png`, `a/2.png`, `b/1.png`, ..."; "" if there are none.
std::string examples_of(const StringColumn& texts, std::size_t first) {
    constexpr std::size_t most = 3;
    std::string out;
    for (std::size_t i = first; i < std::min(first + most, texts.size()); ++i)
        out += fmt::format("{}`{}`", out.empty() ? ": " : ", ", shortened(texts[i]));
    return out + (first + most < texts.size() ? ", ..." : "");
}

void count_others(LabelMatch& match, const std::vector<std::uint32_t>& items,
                  const StringColumn& keys, const Dataset& dataset, const std::string& source) {
    const bool imagenet_val = all_imagenet_val(dataset.ids);
    match.rows = items.size();
    for (std::size_t row = 0; row < items.size(); ++row) {
        if (items[row] != no_item || (imagenet_val && imagenet_val_number(keys[row]) != 0))
            continue;
        if (match.others++ == 0) match.first_other = shortened(keys[row]);
    }
    if (match.others == 0 || match.others < items.size()) return;
    throw NoItemNamed(
        ErrorCode::bad_input,
        fmt::format("{}: `{}` is not an item of the data set {} ({} items{}){}", source,
                    match.first_other, dataset.name, dataset.size(), examples_of(dataset.ids, 0),
                    items.size() == 1
                        ? ""
                        : fmt::format(", nor {} other row{}", count_text(items.size() - 1),
                                      items.size() == 2 ? "" : "s") +
                              examples_of(keys, 1)));
}

}  // namespace

LabelSets rows_by_key(const NamedRows& named, const Dataset& dataset, const std::string& source,
                      LabelMatch* match, std::vector<char>* names) {
    LabelMatch found;
    const auto items = items_of_keys(named.keys, dataset, source);
    count_others(found, items, named.keys, dataset, source);
    std::vector<std::uint32_t> order;  // rows of items, sorted by item
    order.reserve(items.size());
    for (std::uint32_t row = 0; row < items.size(); ++row) {
        if (items[row] != no_item) order.push_back(row);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return items[a] < items[b]; });
    LabelSets out;
    std::vector<std::int32_t> set;
    auto next = order.begin();
    for (std::uint32_t item = 0; item < dataset.size(); ++item) {
        set.clear();
        const bool is_named = next != order.end() && items[*next] == item;
        if (!is_named) ++found.unnamed;
        if (names != nullptr) names->push_back(is_named ? 1 : 0);
        for (std::size_t n = 0; next != order.end() && items[*next] == item; ++next, ++n) {
            if (n == 1 && !named.may_repeat) {
                throw Error(ErrorCode::bad_input, fmt::format("{}: item `{}` appears twice", source,
                                                              shortened(named.keys[*next])));
            }
            const auto row = named.rows[*next];
            set.insert(set.end(), row.begin(), row.end());
        }
        out.append(set);
    }
    if (match != nullptr) *match = found;
    return out;
}

std::string describe(const LabelMatch& match, std::uint64_t images,
                     const std::filesystem::path& labels) {
    const std::string file =
        labels.filename().empty() ? labels.string() : labels.filename().string();
    std::string text;
    if (match.unnamed > 0) {
        text = fmt::format("{} of {} images are not named in {}; they count as unlabelled",
                           count_text(match.unnamed), count_text(images), file);
    }
    if (match.others > 0) {
        text += fmt::format(
            "{}{} of {} rows of {} name images that are not in the data set (the first: `{}`); "
            "they are skipped",
            text.empty() ? "" : ". ", count_text(match.others), count_text(match.rows), file,
            match.first_other);
    }
    return text;
}

}  // namespace assay
