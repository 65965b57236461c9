#include "data/layouts/open_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assay/error.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/string_index.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/folder_classes.h"
#include "data/image_folder.h"
#include "data/layouts/layout.h"
#include "data/layouts/split_folders.h"

namespace assay::layouts {
namespace {

namespace fs = std::filesystem;

bool is_layout(const Layout& layout, const fs::path& folder) {
    const auto there = [&](std::string_view mark) { return is_there(folder / mark); };
    return std::ranges::all_of(layout.all, there) &&
           (layout.any.empty() || std::ranges::any_of(layout.any, there)) &&
           (layout.unless.empty() || !there(layout.unless));
}

struct Found {
    const Layout* layout;
    fs::path folder;
};

/// Finds the data set in the folder itself, or in the folder that torchvision makes below its
/// root.
std::optional<Found> find_layout(const fs::path& path) {
    std::vector<Found> found;
    for (const Layout& layout : layouts()) {
        std::vector<fs::path> folders = {path};
        if (!layout.place.empty()) {
            folders.push_back(path / layout.place);
            folders.push_back(path / fs::path(layout.place).filename());
        }
        const auto folder = std::ranges::find_if(
            folders, [&](const fs::path& one) { return is_layout(layout, one); });
        if (folder != folders.end()) found.push_back({&layout, *folder});
    }
    if (found.empty()) return std::nullopt;
    if (found.size() > 1) {
        std::vector<std::string> folders;
        for (const Found& one : found)
            folders.push_back(fmt::format("{} ({})", one.folder.string(), one.layout->name));
        refuse(fmt::format("{} holds several data sets; name one: {}", path.string(),
                           fmt::join(folders, ", ")));
    }
    return found.front();
}

/// Throws usage if columns are given and the layout has none.
void check_columns(std::string_view name, bool takes_label_column, const DatasetOptions& options) {
    if (!options.image_column.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("--image-column is for lists of labels, Parquet, .npz and HDF5 "
                                "files; {} defines where its images are",
                                name));
    if (!options.label_column.empty() && !takes_label_column)
        throw Error(
            ErrorCode::usage,
            fmt::format("--label-column is for lists of labels, Parquet, .npz and HDF5 files, and "
                        "tars; {} has one label for each image",
                        name));
}

/// The names of the splits whose files exist.
std::vector<std::string_view> splits_there(const Found& found) {
    std::vector<std::string_view> there;
    for (const Split& split : found.layout->splits)
        if (is_there(found.folder / split.file)) there.push_back(split.name);
    return there;
}

const Split& split_of(const Found& found, const std::string& asked) {
    const Layout& layout = *found.layout;
    const auto missing = [&](const Split& split) {
        const auto there = splits_there(found);
        refuse(fmt::format(
            "{}, which lists the split {} of {}, is missing{}",
            (found.folder / split.file).string(), split.name, layout.name,
            there.empty() ? ""
                          : fmt::format("; --split reads one of: {}", fmt::join(there, ", "))));
    };
    const bool unsplit = layout.splits.front().name.empty();
    if (!asked.empty()) {
        const auto split = std::ranges::find_if(
            layout.splits, [&](const Split& one) { return same_split(one.name, asked); });
        std::vector<std::string_view> known;
        for (const Split& one : layout.splits) known.push_back(one.name);
        if (unsplit || split == layout.splits.end())
            throw Error(ErrorCode::usage,
                        unsplit ? fmt::format("--split {}: {} has no splits; omit --split",
                                              shortened(asked), layout.name)
                                : fmt::format("--split {}: {} has the splits {}", shortened(asked),
                                              layout.name, fmt::join(known, ", ")));
        if (!is_there(found.folder / split->file)) missing(*split);
        return *split;
    }
    for (const Split& split : layout.splits) {
        if (!split.asked && is_there(found.folder / split.file)) return split;
    }
    missing(layout.splits.front());
    return layout.splits.front();
}

/// Throws bad_input for an image that is missing or listed twice.
void check_images(const Items& items, const fs::path& folder, std::size_t count) {
    const auto refuse_item = [&](std::size_t i, const std::string& what) {
        if (!items.lines.empty()) refuse_line(items.file, items.lines[i], what);
        refuse(fmt::format("{}: {}", items.file.string(), what));
    };
    StringIndex index(count, [&](std::uint32_t i) { return items.images[i]; });
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view image = items.images[i];
        if (const auto earlier = index.insert(i))
            refuse_item(i, fmt::format("the image {} is listed twice{}", shortened(image, 120),
                                       items.lines.empty() ? ""
                                                           : fmt::format(" (first in line {})",
                                                                         items.lines[*earlier])));
        if (!is_there(folder / image))
            refuse_item(i, fmt::format("the image {} is missing", (folder / image).string()));
    }
}

struct TakenClasses {
    ClassList classes;
    std::vector<std::int32_t> class_of;  ///< class of each class name of the data set
};

/// Finds the classes of the data set among those of the classifier.
TakenClasses take_classes(const std::vector<std::string>& names, const Layout& layout,
                          const ClassList& known, std::vector<std::string>& notes) {
    TakenClasses out{known.empty() || only_numbers(known) ? named_classes(names) : known, {}};
    if (known.empty() || only_numbers(known)) {
        if (!known.empty() && known.size() != names.size())
            refuse(
                fmt::format("{} has {} classes, but the classifier has {} classes without "
                            "names: give its class list (--classes FILE)",
                            layout.name, names.size(), known.size()));
        for (std::size_t c = 0; c < names.size(); ++c)
            out.class_of.push_back(static_cast<std::int32_t>(c));
        if (!known.empty())
            notes.push_back(
                fmt::format("no class list; assuming that the data set's {} classes, "
                            "in its own order, are the classifier's (pass --classes)",
                            names.size()));
        return out;
    }
    const ClassAliases aliases(known);
    std::vector<std::string_view> name_of(known.size());
    for (const std::string& name : names) {
        const auto found = find_class(known, aliases, name);
        if (!found)
            refuse(fmt::format(
                "the class `{}` of {} is not one of the classifier's {} classes, by id, name or "
                "number{}",
                shortened(name), layout.name, known.size(), suggest(name, known.names())));
        std::string_view& other = name_of[static_cast<std::size_t>(*found)];
        if (!other.empty())
            refuse(
                fmt::format("the classes `{}` and `{}` of {} both mean the classifier's class "
                            "{} (`{}`)",
                            shortened(other), shortened(name), layout.name, *found,
                            known.id(static_cast<std::size_t>(*found))));
        other = name;
        out.class_of.push_back(*found);
    }
    return out;
}

/// A description of what was found, such as "Oxford-IIIT Pets: annotations/test.txt, 37 classes,
/// split test of test, trainval (--split)".
std::string said_of(const Found& found, const Split& split, const fs::path& file,
                    const std::string& classes, const std::string& more) {
    const auto there = splits_there(found);
    std::string text = fmt::format("{}: {}{}", found.layout->name,
                                   file.lexically_relative(found.folder).string(), classes);
    if (!split.name.empty()) text += fmt::format(", split {}", split.name);
    if (there.size() > 1) text += fmt::format(" of {} (--split)", fmt::join(there, ", "));
    return more.empty() ? text : text + "; " + more;
}

Dataset open_items(const Found& found, const Split& split, const DatasetOptions& options,
                   std::vector<std::string>& notes) {
    Items items = found.layout->read({found.folder, split, options.label_column});
    const std::size_t all = items.images.size(),
                      count = options.limit == 0 ? all : std::min(all, options.limit);
    if (count == 0)
        refuse(fmt::format("{}: no image of the split {} in it", items.file.string(), split.name));
    check_images(items, found.folder, count);
    notes.push_back(said_of(found, split, items.file,
                            fmt::format(", {} classes", items.classes.size()), items.more));
    const TakenClasses taken = take_classes(items.classes, *found.layout, options.classes, notes);
    Dataset dataset;
    dataset.root = found.folder;
    dataset.classes = taken.classes;
    for (std::size_t i = 0; i < count; ++i) {
        dataset.ids.append(items.images[i]);
        const std::int32_t own = items.labels[i];
        const std::int32_t label = own < 0 ? own : taken.class_of[static_cast<std::size_t>(own)];
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    }
    return dataset;
}

}  // namespace

void Items::add(std::string_view image, std::size_t label, std::size_t line) {
    images.append(image);
    labels.push_back(static_cast<std::int32_t>(label));
    lines.push_back(static_cast<std::uint32_t>(line));
}

void refuse_line(const fs::path& file, std::size_t line, const std::string& what) {
    refuse(fmt::format("{} line {}: {}", file.string(), line, what));
}

std::size_t class_of_number(std::string_view text, std::size_t first, std::size_t count,
                            const fs::path& file, std::size_t line) {
    std::uint64_t number = 0;
    if (!parse_number(text, number) || number < first || number - first >= count)
        refuse_line(file, line,
                    fmt::format("class `{}` is not a number from {} to {}", shortened(text), first,
                                first + count - 1));
    return static_cast<std::size_t>(number) - first;
}

std::vector<std::string_view> words_in(std::string_view line) {
    std::vector<std::string_view> words;
    for_each_part(line, " \t\r", [&](std::string_view word) { words.push_back(word); });
    return words;
}

std::vector<std::string_view> words_of_line(std::string_view text, std::size_t count,
                                            std::string_view example, const fs::path& file,
                                            std::size_t line) {
    std::vector<std::string_view> words = words_in(text);
    if (words.size() != count)
        refuse_line(file, line,
                    fmt::format("`{}` has {} instead of {} (such as `{}`)", shortened(text),
                                how_many(words.size(), "word"), count, example));
    return words;
}

std::optional<Dataset> open_layout(const fs::path& path, const DatasetOptions& options,
                                   std::vector<std::string>& notes) {
    const auto found = find_layout(path);
    if (!found) {
        auto dataset = open_split_folders(path, options, notes);
        if (dataset) check_columns(path.string(), false, options);
        return dataset;
    }
    const std::string what =
        fmt::format("reading {} as {} (to use its folders as classes, pass --layout folders)",
                    found->folder.string(), found->layout->name);
    return with_note(what, [&] {
        check_columns(found->layout->name, found->layout->takes_label_column, options);
        const Split& split = split_of(*found, options.split);
        const fs::path file = found->folder / split.file;
        if (found->layout->open != nullptr) {
            notes.push_back(said_of(*found, split, file, "", ""));
            return std::optional(found->layout->open(found->folder, options, notes));
        }
        if (!is_folder(file)) return std::optional(open_items(*found, split, options, notes));
        notes.push_back(said_of(*found, split, file, ", class folders", ""));
        auto dataset = open_image_folder(file, options, notes);
        if (!dataset) refuse(fmt::format("{}: no class folder with an image in it", file.string()));
        return dataset;
    });
}

void refuse_images_of_layout(const fs::path& path) {
    constexpr int most_folders_above = 3;
    const fs::path whole = absolute_path(path / ".");
    fs::path above = whole.has_filename() ? whole : whole.parent_path();
    for (int i = 0; i < most_folders_above && above.has_relative_path(); ++i) {
        above = above.parent_path();
        for (const Layout& layout : layouts()) {
            if (layout.read == nullptr || !is_layout(layout, above)) continue;
            refuse(
                fmt::format("{} holds images of {}, whose labels are in {}: pass --data {}, or "
                            "--layout flat to read the images without labels",
                            path.string(), layout.name, above.string(), above.string()));
        }
    }
}

}  // namespace assay::layouts
