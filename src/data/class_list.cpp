#include "assay/data/class_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "assay/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "data/class_text.h"
#include "data/imagenet_names.h"

namespace assay {
namespace {

std::vector<std::uint32_t> sorted_order(const std::vector<std::string>& texts) {
    std::vector<std::uint32_t> order(texts.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const int c = texts[a].compare(texts[b]);
        return c != 0 ? c < 0 : a < b;
    });
    return order;
}

/// The only class whose text is `wanted`, or nothing if no class or several have it.
std::optional<std::int32_t> find_unique(const std::vector<std::string>& texts,
                                        const std::vector<std::uint32_t>& order,
                                        std::string_view wanted) {
    const auto first =
        std::lower_bound(order.begin(), order.end(), wanted,
                         [&](std::uint32_t c, std::string_view w) { return texts[c] < w; });
    if (first == order.end() || texts[*first] != wanted) return std::nullopt;
    if (first + 1 != order.end() && texts[*(first + 1)] == wanted) return std::nullopt;
    return static_cast<std::int32_t>(*first);
}

bool is_digits(const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
}

/// Unlike find(), this does not accept numbers, because the same position does not mean the same
/// class.
std::optional<std::int32_t> place_of_text(const ClassList& classes, const std::string& text) {
    const auto found = classes.find(text);
    if (!found) return std::nullopt;
    const auto c = static_cast<std::size_t>(*found);
    return classes.id(c) == text || classes.name(c) == text ? found : std::nullopt;
}

}  // namespace

ClassList::ClassList(std::vector<std::string> ids, std::vector<std::string> names)
    : ids_(std::move(ids)), names_(std::move(names)) {
    if (ids_.size() > static_cast<std::size_t>(INT32_MAX))
        throw Error(ErrorCode::bad_input, "too many classes");
    if (!names_.empty() && names_.size() != ids_.size()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} class names for {} classes", names_.size(), ids_.size()));
    }
    by_id_ = sorted_order(ids_);
    for (std::size_t i = 0; i < by_id_.size(); ++i) {
        const std::string& id = ids_[by_id_[i]];
        if (id.empty())
            throw Error(ErrorCode::bad_input, fmt::format("class {} has an empty id", by_id_[i]));
        if (i > 0 && ids_[by_id_[i - 1]] == id) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("class id `{}` appears twice in the list (classes {} and {})",
                                    id, by_id_[i - 1], by_id_[i]));
        }
    }
    if (names_.empty()) {
        names_ = ids_;
    } else if (names_ != ids_) {
        by_name_ = sorted_order(names_);
    }
}

std::optional<std::int32_t> ClassList::find(std::string_view id_or_name) const {
    if (const auto by_id = find_unique(ids_, by_id_, id_or_name)) return by_id;
    if (const auto by_name = find_unique(names_, by_name_, id_or_name)) return by_name;
    std::uint32_t number = 0;
    const char* const end = id_or_name.data() + id_or_name.size();
    const auto [stop, problem] = std::from_chars(id_or_name.data(), end, number);
    if (id_or_name.empty() || problem != std::errc() || stop != end) return std::nullopt;
    // With classes named 1, 2 and 3, the number 0 is no class. 07 means the class 7.
    if (std::ranges::all_of(ids_, is_digits))
        return find_unique(ids_, by_id_, std::to_string(number));
    if (number >= ids_.size()) return std::nullopt;
    return static_cast<std::int32_t>(number);
}

std::string ClassList::fingerprint() const {
    Hasher hasher;
    hasher.add_field(std::to_string(ids_.size()));
    for (const std::string& id : ids_) hasher.add_field(id);
    return hasher.digest();
}

ClassList numbered_classes(std::size_t count) {
    std::vector<std::string> ids(count);
    for (std::size_t c = 0; c < count; ++c) ids[c] = std::to_string(c);
    return ClassList(std::move(ids));
}

ClassList named_classes(std::vector<std::string> names) {
    if (const auto places = as_imagenet(names)) {
        std::vector<std::string> ids;
        for (const std::int32_t c : *places)
            ids.push_back(imagenet_classes().id(static_cast<std::size_t>(c)));
        return ClassList(std::move(ids), std::move(names));
    }
    for (std::size_t c = 0; c < names.size(); ++c) {
        if (names[c].empty())
            throw Error(ErrorCode::bad_input, fmt::format("class {} has an empty name", c));
    }
    if (std::set<std::string_view>(names.begin(), names.end()).size() == names.size())
        return ClassList(std::move(names));
    std::vector<std::string> numbers = numbered_classes(names.size()).ids();
    return ClassList(std::move(numbers), std::move(names));
}

bool is_numbered(const ClassList& classes) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (classes.id(c) != std::to_string(c)) return false;
    }
    return !classes.empty();
}

std::optional<std::vector<std::int32_t>> places_in(const ClassList& other,
                                                   const ClassList& classes) {
    if (other.size() != classes.size()) return std::nullopt;
    std::vector<std::int32_t> places;
    std::vector<bool> taken(other.size(), false);
    for (std::size_t c = 0; c < classes.size(); ++c) {
        auto place = place_of_text(other, classes.id(c));
        if (!place) place = place_of_text(other, classes.name(c));
        if (!place || taken[static_cast<std::size_t>(*place)]) return std::nullopt;
        taken[static_cast<std::size_t>(*place)] = true;
        places.push_back(*place);
    }
    return places;
}

std::string first_difference(const ClassList& one, const ClassList& two) {
    for (std::size_t c = 0; c < std::min(one.size(), two.size()); ++c) {
        if (one.id(c) != two.id(c))
            return fmt::format("class {} is `{}` and `{}`", c, one.id(c), two.id(c));
    }
    return one.size() == two.size() ? "" : fmt::format("{} and {} classes", one.size(), two.size());
}

std::string class_text(const ClassList& classes, std::int32_t c) {
    const auto at = static_cast<std::size_t>(c);
    if (at >= classes.size()) return fmt::format("class {}", c);
    if (classes.id(at) == classes.name(at)) return classes.id(at);
    return fmt::format("{} ({})", classes.id(at), classes.name(at));
}

std::string not_a_class(const ClassList& classes, std::string_view label) {
    constexpr std::size_t most_named = 5;
    std::vector<std::string> ids;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (classes.name(c) == label) ids.push_back(classes.id(c));
    }
    if (ids.size() < 2)
        return fmt::format("`{}` is not a class{}", shortened(label),
                           suggest(label, classes.names()));
    const std::size_t all = ids.size();
    ids.resize(std::min(all, most_named));
    return fmt::format("`{}` is the name of {} classes; use an id: {}{}", shortened(label), all,
                       fmt::join(ids, ", "), all > most_named ? ", ..." : "");
}

}  // namespace assay
