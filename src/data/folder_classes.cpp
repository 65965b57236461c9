#include "data/folder_classes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "assay/error.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/imagenet_names.h"

namespace assay {
namespace {

/// The folders' numbers, or nothing if one is no number or two are equal.
std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& folders) {
    std::vector<std::uint64_t> numbers(folders.size());
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (!parse_number(folders[i], numbers[i])) return {};
    }
    std::vector<std::uint64_t> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return {};
    return numbers;
}

[[noreturn]] void refuse_unknown(const std::vector<std::string>& folders,
                                 const std::vector<std::int32_t>& class_of,
                                 const ClassList& known) {
    const auto first = static_cast<std::size_t>(std::find(class_of.begin(), class_of.end(), -1) -
                                                class_of.begin());
    const auto unknown = std::count(class_of.begin(), class_of.end(), -1);
    const auto numbers = numbers_of(folders);
    std::string hint = suggest(folders[first], known.names());
    if (!numbers.empty() && *std::max_element(numbers.begin(), numbers.end()) == known.size() &&
        *std::min_element(numbers.begin(), numbers.end()) > 0) {
        hint = fmt::format(
            "; folders count from 1, classes from 0 to {}: pass --classes with a list whose ids "
            "are the folder names",
            known.size() - 1);
    }
    throw Error(
        ErrorCode::bad_input,
        fmt::format("folder `{}` is not one of the classifier's {} classes, by id, name or number "
                    "({} of {} folders are unknown){}",
                    shortened(folders[first]), known.size(), unknown, folders.size(), hint));
}

void refuse_doubles(const std::vector<std::string>& folders, const FolderClasses& found) {
    std::map<std::int32_t, std::size_t> folder_of;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        const auto [entry, fresh] = folder_of.emplace(found.class_of[i], i);
        if (!fresh) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("folders `{}` and `{}` both mean class {} (`{}`)",
                                    shortened(folders[entry->second]), shortened(folders[i]),
                                    found.class_of[i],
                                    found.classes.id(static_cast<std::size_t>(found.class_of[i]))));
        }
    }
}

FolderClasses match_known(const std::vector<std::string>& folders, const ClassList& known) {
    FolderClasses out{.classes = known, .class_of = {}, .note = {}};
    std::optional<ClassAliases> aliases;
    std::size_t by_id = 0, by_number = 0;
    for (const std::string& folder : folders) {
        std::optional<std::int32_t> c = known.find(folder);
        if (!c) {
            if (!aliases) aliases.emplace(known);
            c = aliases->find(folder);
        } else if (known.id(static_cast<std::size_t>(*c)) == folder) {
            ++by_id;
        } else if (known.name(static_cast<std::size_t>(*c)) != folder) {
            ++by_number;
        }
        out.class_of.push_back(c.value_or(-1));
    }
    if (std::find(out.class_of.begin(), out.class_of.end(), -1) != out.class_of.end()) {
        refuse_unknown(folders, out.class_of, known);
    }
    refuse_doubles(folders, out);
    out.note = fmt::format("{} class folders, matched to the classifier's {} classes by {}",
                           folders.size(), known.size(),
                           by_id == folders.size()       ? "id"
                           : by_number == folders.size() ? "number"
                                                         : "name");
    const std::vector<std::uint64_t> numbers = numbers_of(folders);
    if (only_numbers(known) && !std::is_sorted(numbers.begin(), numbers.end())) {
        // In byte order "10" comes before "2".
        constexpr std::size_t most = 3;
        const std::span<const std::string> first(folders.data(), std::min(most, folders.size()));
        out.note += fmt::format(
            ". torchvision's ImageFolder and Keras sort such folders as text ({}{}). If the "
            "model was trained so, give --classes FILE with the names in that order",
            fmt::join(first, ", "), folders.size() > most ? ", ..." : "");
    }
    return out;
}

FolderClasses numbered(const std::vector<std::string>& folders,
                       const std::vector<std::uint64_t>& numbers) {
    std::vector<std::size_t> order(folders.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    FolderClasses out;
    out.class_of.resize(folders.size());
    std::vector<std::string> ids;
    for (const std::size_t folder : order) {
        out.class_of[folder] = static_cast<std::int32_t>(ids.size());
        ids.push_back(folders[folder]);
    }
    out.note =
        fmt::format("{} class folders are numbers ({} to {}): sorted as numbers, not as text",
                    folders.size(), ids.front(), ids.back());
    out.classes = ClassList(std::move(ids));
    return out;
}

FolderClasses sorted_names(const std::vector<std::string>& folders) {
    if (const auto numbers = numbers_of(folders); !numbers.empty())
        return numbered(folders, numbers);
    FolderClasses out;
    std::vector<std::string> ids = folders;
    std::sort(ids.begin(), ids.end());
    out.classes = ClassList(std::move(ids));
    for (const std::string& folder : folders)
        out.class_of.push_back(out.classes.find(folder).value());
    out.note = fmt::format("{} class folders: their names, sorted by bytes, are the classes",
                           folders.size());
    return out;
}

/// Refuses a folder if two classes have its name, because the class is ambiguous. Repeated names
/// without a folder do no harm.
void refuse_doubled_name(const std::vector<std::string>& folders, const ClassList& known) {
    const std::set<std::string_view> meant(folders.begin(), folders.end());
    std::map<std::string_view, std::size_t> first;
    for (std::size_t c = 0; c < known.size(); ++c) {
        const auto [entry, fresh] = first.emplace(known.name(c), c);
        if (fresh || !meant.contains(known.name(c)) || known.find(known.name(c))) continue;
        throw Error(
            ErrorCode::bad_input,
            fmt::format("class folder `{}` is ambiguous: the class list has this name twice "
                        "(entries {} and {} of {}). Name the folder by the class's id or "
                        "number",
                        shortened(known.name(c)), entry->second + 1, c + 1, known.size()));
    }
}

/// If the classifier's classes are mere numbers, and the folders have other names, the same number
/// of folders may be its classes.
FolderClasses match_unnamed(const std::vector<std::string>& folders, const ClassList& known) {
    if (folders.size() != known.size()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{} class folders (`{}`, ...), but the classifier has {} classes without names: "
                "give its class list (--classes), so that folders can be matched to it{}",
                folders.size(), shortened(folders.front()), known.size(),
                published_list(known.size())));
    }
    FolderClasses out = sorted_names(folders);
    out.note +=
        fmt::format("; used as the classifier's {} classes, which have no names", known.size());
    return out;
}

}  // namespace

bool only_numbers(const ClassList& known) {
    // Ids that are numbers, with names, come from a list of names in which some repeat.
    const bool has_names = known.names() != known.ids();
    return is_numbered(known) && !has_names;
}

bool folder_names_fit(const std::vector<std::string>& folders, const ClassList& known) {
    return !only_numbers(known) || std::all_of(folders.begin(), folders.end(), [&](const auto& f) {
        return known.find(f).has_value();
    });
}

FolderClasses match_folders(const std::vector<std::string>& folders, const ClassList& known) {
    refuse_doubled_name(folders, known);
    if (!known.empty())
        return folder_names_fit(folders, known) ? match_known(folders, known)
                                                : match_unnamed(folders, known);
    const ClassList& imagenet = imagenet_classes();
    if (std::all_of(folders.begin(), folders.end(),
                    [&](const auto& f) { return is_wnid(f) && imagenet.find(f); })) {
        FolderClasses out = match_known(folders, imagenet);
        out.note = fmt::format("{} class folder{} WordNet ids: ImageNet's 1000 classes",
                               folders.size(), folders.size() == 1 ? " is named by" : "s are");
        return out;
    }
    return sorted_names(folders);
}

}  // namespace assay
