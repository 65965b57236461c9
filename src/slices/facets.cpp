#include "slices/facets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "assay/report.h"
#include "core/finite_number.h"
#include "core/statistics.h"
#include "core/text.h"
#include "data/class_text.h"
#include "data/text_numbers.h"

namespace assay::slices {
namespace {

/// The facet with the values in the order of their keys.
template <class Key, class NameOf>
Facet keyed_facet(std::string by, std::string kind, std::size_t source,
                  std::span<const std::int32_t> number_of, const std::vector<Key>& keys,
                  const NameOf& name_of) {
    Facet out{.by = std::move(by), .kind = std::move(kind), .source = source};
    std::vector<std::size_t> order(keys.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::sort(order, {}, [&](std::size_t k) { return keys[k]; });
    std::vector<std::int32_t> place(keys.size());
    for (const std::size_t k : order) {
        place[k] = static_cast<std::int32_t>(out.values.size());
        out.values.push_back(name_of(keys[k]));
    }
    out.of.reserve(number_of.size());
    for (const std::int32_t number : number_of)
        out.of.push_back(number == Facet::none ? Facet::none
                                               : place[static_cast<std::size_t>(number)]);
    return out;
}

/// Groups items by whole numbers of at least 0. A negative number means no value.
template <class NameOf>
Facet whole_facet(std::string by, std::string kind, std::size_t source,
                  std::span<const std::int32_t> of, const NameOf& name_of) {
    std::map<std::int32_t, std::int32_t> numbers;
    std::vector<std::int32_t> keys, number_of;
    number_of.reserve(of.size());
    for (const std::int32_t one : of) {
        if (one < 0) {
            number_of.push_back(Facet::none);
            continue;
        }
        const auto [at, first] = numbers.try_emplace(one, static_cast<std::int32_t>(keys.size()));
        if (first) keys.push_back(one);
        number_of.push_back(at->second);
    }
    return keyed_facet(std::move(by), std::move(kind), source, number_of, keys, name_of);
}

std::string end_text(double x, int digits) {
    constexpr double most_whole = 1e15;
    return x == std::trunc(x) && std::abs(x) < most_whole ? fmt::format("{:.0f}", x)
                                                          : fmt::format("{:.{}g}", x, digits);
}

/// Names of ranges that are ascending and do not overlap.
std::vector<std::string> range_names(std::span<const std::pair<double, double>> ranges) {
    // 17 digits distinguish all numbers.
    for (int digits = 4;; ++digits) {
        std::vector<std::string> names;
        bool apart = true;
        for (const auto& [low, high] : ranges) {
            const std::string first = end_text(low, digits), last = end_text(high, digits);
            apart = apart && (low == high || first != last);
            names.push_back(low == high ? first : fmt::format("{} to {}", first, last));
        }
        if (digits >= 17 || (apart && std::ranges::adjacent_find(names) == names.end()))
            return names;
    }
}

/// A number or 0, and the text that people see.
using AttributeKey = std::pair<double, std::string_view>;

std::vector<AttributeKey> keys_of_texts(const StringColumn& texts) {
    std::vector<AttributeKey> keys;
    for (std::size_t t = 0; t < texts.size(); ++t) keys.emplace_back(0, texts[t]);
    return keys;
}

/// Equal numbers, such as 1 and 1.0, are one key, with the shortest of their texts. `number_of`:
/// the text of each item, which becomes its key.
std::vector<AttributeKey> keys_of_numbers(const StringColumn& texts,
                                          const std::vector<double>& values,
                                          std::vector<std::int32_t>& number_of) {
    const auto sooner = [](std::string_view a, std::string_view b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);
    };
    std::vector<AttributeKey> keys;
    std::vector<std::int32_t> key_of;
    std::map<double, std::int32_t> places;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const auto [at, first] =
            places.try_emplace(values[t], static_cast<std::int32_t>(keys.size()));
        key_of.push_back(at->second);
        if (first) keys.emplace_back(values[t], texts[t]);
        std::string_view& text = keys[static_cast<std::size_t>(at->second)].second;
        if (sooner(texts[t], text)) text = texts[t];
    }
    for (std::int32_t& one : number_of)
        if (one != Facet::none) one = key_of[static_cast<std::size_t>(one)];
    return keys;
}

}  // namespace

Facet quartiles_of(std::string by, std::string kind, std::size_t source,
                   std::span<const double> numbers) {
    Facet out{.by = std::move(by), .kind = std::move(kind), .source = source};
    out.of.assign(numbers.size(), Facet::none);
    std::vector<double> sorted;
    for (const double x : numbers)
        if (!std::isnan(x)) sorted.push_back(x);
    if (sorted.empty()) return out;
    std::ranges::sort(sorted);
    const std::array<double, 3> edges = {
        quantile_sorted(sorted, 0.25), quantile_sorted(sorted, 0.5), quantile_sorted(sorted, 0.75)};
    constexpr double infinite = std::numeric_limits<double>::infinity();
    std::array<double, 4> low{infinite, infinite, infinite, infinite}, high{};
    const auto quartile = [&](double x) {
        return static_cast<std::size_t>(
            std::ranges::count_if(edges, [&](double edge) { return edge < x; }));
    };
    for (const double x : sorted) {
        const std::size_t q = quartile(x);
        low[q] = std::min(low[q], x);
        high[q] = x;
    }
    std::array<std::int32_t, 4> place{};
    std::vector<std::pair<double, double>> ranges;
    for (std::size_t q = 0; q < low.size(); ++q) {
        if (low[q] == infinite) continue;
        place[q] = static_cast<std::int32_t>(ranges.size());
        ranges.emplace_back(low[q], high[q]);
    }
    out.values = range_names(ranges);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!std::isnan(numbers[i])) out.of[i] = place[quartile(numbers[i])];
    return out;
}

void add_attribute(const std::string& name, std::size_t items,
                   const std::function<std::string_view(std::size_t item)>& text_of,
                   std::size_t source, std::vector<Facet>& facets,
                   std::vector<std::string>& notes) {
    TextNumbers number;
    std::vector<std::int32_t> number_of(items, Facet::none);
    for (std::size_t i = 0; i < items; ++i) {
        const std::string_view text = text_of(i);
        if (!text.empty()) number_of[i] = static_cast<std::int32_t>(number(text));
    }
    const StringColumn texts = number.take();
    std::vector<double> values;
    for (std::size_t t = 0; t < texts.size(); ++t)
        if (const auto value = finite_number(texts[t])) values.push_back(*value);
    const bool numeric = values.size() == texts.size();
    std::vector<AttributeKey> keys =
        numeric ? keys_of_numbers(texts, values, number_of) : keys_of_texts(texts);
    if (keys.size() < 2) return;
    if (!numeric && keys.size() > most_texts) {
        notes.push_back(
            fmt::format("`{}` has {} different texts, and makes no slices: at most {} are allowed",
                        name, count_text(keys.size()), most_texts));
        return;
    }
    if (keys.size() <= most_texts)
        facets.push_back(
            keyed_facet(name, "attribute", source, number_of, keys,
                        [](const AttributeKey& key) { return std::string(key.second); }));
    if (!numeric || keys.size() <= most_plain_numbers) return;
    std::vector<double> numbers;
    numbers.reserve(items);
    for (const std::int32_t one : number_of)
        numbers.push_back(one == Facet::none ? std::numeric_limits<double>::quiet_NaN()
                                             : keys[static_cast<std::size_t>(one)].first);
    facets.push_back(quartiles_of(name, "quartiles", source, numbers));
}

Facet class_facet(std::string by, std::size_t source, std::span<const std::int32_t> of,
                  const ClassList& classes) {
    return whole_facet(std::move(by), "class", source, of,
                       [&](std::int32_t c) { return class_text(classes, c); });
}

bool is_of_label(const Facet& facet, const Facet& label) {
    std::vector<std::int32_t> value_of(label.values.size(), Facet::none);
    bool known = false;
    for (std::size_t i = 0; i < facet.of.size(); ++i) {
        if (facet.of[i] == Facet::none || label.of[i] == Facet::none) continue;
        std::int32_t& value = value_of[static_cast<std::size_t>(label.of[i])];
        if (value != Facet::none && value != facet.of[i]) return false;
        value = facet.of[i];
        known = true;
    }
    return known;
}

Facet label_count_facet(const LabelSets& labels, std::size_t source) {
    std::vector<std::int32_t> counts;
    for (std::size_t i = 0; i < labels.size(); ++i)
        counts.push_back(labels[i].empty() ? -1 : static_cast<std::int32_t>(labels[i].size()));
    return whole_facet("number of labels", "labels", source, counts,
                       [](std::int32_t n) { return std::to_string(n); });
}

}  // namespace assay::slices
