// Describes differences between class lists, ids and labels.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assay/report.h"
#include "core/string_index.h"
#include "core/text.h"
#include "store/same_data.h"

namespace assay::store {
namespace {

/// Describes the `ids` that are missing from `others`: their number and the first id.
std::string only_among(const StringColumn& ids, const StringColumn& others, std::string_view side) {
    StringIndex index(others.size(), [&](std::uint32_t i) { return others[i]; });
    for (std::uint32_t i = 0; i < others.size(); ++i) index.insert(i);
    std::size_t count = 0;
    std::string first;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (index.find(ids[i]) || count++ > 0) continue;
        first = shortened(ids[i]);
    }
    if (count == 0) return {};
    return fmt::format("{} {} only {} ({}`{}`)", count_text(count), count == 1 ? "is" : "are", side,
                       count == 1 ? "" : "the first: ", first);
}

/// Returns text such as "cat, dog, bird, ...".
std::string classes_text(const ClassList& classes) {
    constexpr std::size_t most = 6;
    if (classes.empty()) return "no names";
    const auto end =
        classes.ids().begin() + static_cast<std::ptrdiff_t>(std::min(most, classes.size()));
    return fmt::format("{}{}", fmt::join(classes.ids().begin(), end, ", "),
                       classes.size() > most ? ", ..." : "");
}

/// Labels in the compared form, with numbers if names alone might hide the difference.
std::string item_labels_text(const Dataset& dataset, std::size_t item, bool numbers) {
    std::string text;
    for (const std::int32_t label : dataset.labels[item]) {
        const auto c = static_cast<std::size_t>(label);
        const bool named = c < dataset.classes.size();
        text += text.empty() ? "" : " ";
        if (numbers || !named) text += fmt::format("{}", label);
        if (numbers && named) text += " = ";
        if (named) text += dataset.classes.id(c);
    }
    return text.empty() ? "nothing" : text;
}

}  // namespace

std::string classes_difference(const ClassList& one, const ClassList& two, const Sides& sides) {
    std::string first = first_difference(one, two);
    for (std::size_t c = 0; first.empty() && c < one.size(); ++c) {
        if (one.name(c) != two.name(c))
            first = fmt::format("class {} is named `{}` and `{}`", c, one.name(c), two.name(c));
    }
    if (first.empty()) return {};
    return fmt::format("{} ({}: {}; {}: {})", first, sides.one, classes_text(one), sides.two,
                       classes_text(two));
}

std::string items_difference(const StringColumn& one, const StringColumn& two, const Sides& sides) {
    const std::string gone = only_among(one, two, sides.one);
    const std::string added = only_among(two, one, sides.only_two);
    if (gone.empty() && added.empty()) return "the same ids are in another order";
    return fmt::format("of {} items {} and {} {}, {}{}{}", count_text(one.size()), sides.one,
                       count_text(two.size()), sides.two, gone,
                       gone.empty() || added.empty() ? "" : ", ", added);
}

std::string labels_difference(const Dataset& one, const Dataset& two, const Sides& sides) {
    const bool numbers = !same_class_ids(one.classes, two.classes);
    std::string first;
    std::size_t count = 0;
    for (std::size_t i = 0; i < two.size(); ++i) {
        if (std::ranges::equal(one.labels[i], two.labels[i]) || count++ > 0) continue;
        first = fmt::format("`{}` is labelled `{}` {} and `{}` {}", shortened(two.ids[i]),
                            item_labels_text(one, i, numbers), sides.one,
                            item_labels_text(two, i, numbers), sides.two);
    }
    if (count > 1)
        first += fmt::format(", and {} more of {} differ", count_text(count - 1),
                             count_text(two.size()));
    if (count > 0 && numbers && !one.classes.empty() && !two.classes.empty())
        first +=
            "; their classes differ, too: " + classes_difference(one.classes, two.classes, sides);
    return first;
}

}  // namespace assay::store
