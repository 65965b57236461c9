#include "evaluate/inspect/class_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/orders.h"
#include "evaluate/check/read_sample.h"

namespace assay::inspect {
namespace {

using Verdict = ClassOrders::Verdict;

constexpr std::size_t most_classes_shown = 3;

/// The number of classes, also if they have no names.
std::size_t count_classes(const Dataset& dataset) {
    std::size_t classes = dataset.classes.size();
    if (classes > 0) return classes;
    for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
        for (const std::int32_t c : dataset.labels[i])
            classes = std::max(classes, static_cast<std::size_t>(c) + 1);
    }
    return classes;
}

std::vector<std::string> first_of(const checks::ClassOfOutput& order, const Dataset& dataset) {
    std::vector<std::string> out;
    for (std::size_t j = 0; j < std::min(order.size(), most_classes_shown); ++j) {
        const auto c = static_cast<std::size_t>(order[j]);
        out.push_back(order[j] < 0                 ? "none"
                      : c < dataset.classes.size() ? std::string(dataset.classes.id(c))
                                                   : fmt::format("{}", c));
    }
    return out;
}

ClassOrder class_order(std::string name, const checks::ClassOfOutput& order,
                       const Dataset& dataset) {
    return {.name = std::move(name),
            .first = first_of(order, dataset),
            .correct = std::nullopt,
            .p = std::nullopt};
}

/// The scores of a row. A class that is not stored gets 0, and the stored ones 1, 2, ... from the
/// last to the best, which is all that orders depend on.
void add_scores(const RowReader& rows, std::uint64_t row, checks::Scores& scores) {
    if (rows.full()) {
        std::vector<float> buffer;
        const auto values = rows.scores(row, buffer);
        scores.values.insert(scores.values.end(), values.begin(), values.end());
        return;
    }
    std::vector<RankedClass> top;
    rows.top(row, rows.depth(), top);
    const std::size_t begin = scores.values.size();
    scores.values.resize(begin + scores.classes);
    for (std::size_t k = 0; k < top.size(); ++k)
        scores.values[begin + static_cast<std::size_t>(top[k].cls)] =
            static_cast<float>(top.size() - k);
}

/// Up to `most` of these items, only such with scores, in the items' order. Every item has its own
/// draw, so these are the items with the smallest draws among those with scores.
std::vector<std::uint32_t> draw_with_scores(const RowReader& rows,
                                            const std::vector<std::uint32_t>& items,
                                            std::size_t most) {
    std::vector<std::uint32_t> drawn;
    std::size_t batch = most;
    for (std::size_t first = 0; first < items.size() && drawn.size() < most;) {
        std::vector<std::uint32_t> with_scores;
        for (const std::uint32_t item : checks::draw_items(items, first, batch, 0)) {
            throw_if_stopped();
            if (rows.status(item) == RowStatus::ok) with_scores.push_back(item);
        }
        const std::vector<std::uint32_t> next =
            checks::draw_items(with_scores, 0, most - drawn.size(), 0);
        drawn.insert(drawn.end(), next.begin(), next.end());
        first += batch;
        batch *= 2;  // an unfinished store may lack most rows
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

/// A sample without pixels, and its scores.
checks::Scores draw_scores(const PredictionStore& store, std::size_t most, checks::Sample& sample) {
    const Dataset& dataset = store.dataset();
    std::vector<std::uint32_t> labelled;
    for (std::uint32_t i = 0; i < dataset.labels.size(); ++i) {
        if (!dataset.labels[i].empty()) labelled.push_back(i);
    }
    sample.labelled = !labelled.empty();
    checks::Scores scores{.classes = store.classes(), .values = {}};
    const RowReader rows(store);
    sample.items = draw_with_scores(rows, labelled, most);
    scores.values.reserve(sample.items.size() * scores.classes);
    for (const std::uint32_t item : sample.items) {
        throw_if_stopped();
        add_scores(rows, item, scores);
    }
    sample.asked = sample.items.size();
    return scores;
}

Verdict verdict_of(const checks::OrderResult& result) {
    if (result.tried.empty()) return Verdict::unclear;
    switch (result.findings.front().severity) {
        case Finding::Severity::ok:
            return Verdict::given;
        case Finding::Severity::error:
            return result.settled ? Verdict::other : Verdict::none;
        case Finding::Severity::note:
        case Finding::Severity::warning:
            break;
    }
    return Verdict::unclear;
}

/// The advice of `assay check`, for which `assay inspect STORE` has no option.
std::string advice_for_store(const std::string& advice) {
    const std::string_view pass = "pass --classes with ";
    if (!advice.starts_with(pass)) return advice;
    return "run `assay import` (or `assay predict`) again with `--classes FILE`: " +
           advice.substr(pass.size());
}

}  // namespace

std::optional<ClassOrders> orders_by_names(const Dataset& dataset) {
    const std::size_t classes = count_classes(dataset);
    if (classes < 2) return std::nullopt;
    ClassOrders out;
    out.orders.push_back(class_order("as given", checks::given_order(classes), dataset));
    const std::vector<std::string>& ids = dataset.classes.ids();
    const bool sorted = !ids.empty() && std::ranges::is_sorted(ids);
    for (checks::UsualOrder& usual : checks::usual_orders(classes, dataset)) {
        // Folders are sorted by id, and names in a list have another order as a rule.
        if (usual.by_names && !(sorted && usual.name == "classes sorted by name"))
            out.orders.push_back(class_order(std::move(usual.name), usual.order, dataset));
    }
    out.text = "without scores, the order of the classes cannot be tested";
    return out;
}

ClassOrders orders_by_scores(const PredictionStore& store, std::size_t most,
                             std::size_t most_scores) {
    const Dataset& dataset = store.dataset();
    const std::size_t classes = store.classes();
    if (classes > most_scores / checks::fewest_images) {
        ClassOrders out;
        out.text = fmt::format("too many classes to compare their orders: {} (at most {})", classes,
                               most_scores / checks::fewest_images);
        out.orders.push_back(
            {.name = "as given", .first = {}, .correct = std::nullopt, .p = std::nullopt});
        return out;
    }
    if (classes > 0) most = std::min(most, most_scores / classes);
    checks::Sample sample;
    const checks::Scores scores = draw_scores(store, most, sample);
    checks::OrderResult result = checks::check_order(scores, sample, dataset, {});
    const Finding& finding = result.findings.front();
    ClassOrders out;
    out.verdict = verdict_of(result);
    out.text = finding.title;
    out.advice = advice_for_store(finding.advice);
    out.orders.push_back(class_order("as given", checks::given_order(scores.classes), dataset));
    if (result.tried.empty()) return out;
    out.images = sample.size();
    out.chance_p = result.chance_p;
    out.orders.front().correct = result.given_correct;
    std::ranges::stable_sort(result.tried, std::ranges::greater(), &checks::TriedOrder::correct);
    if (out.verdict == Verdict::other) {
        // Another order may have more correct images, and still not be significantly better.
        std::stable_partition(
            result.tried.begin(), result.tried.end(),
            [&](const checks::TriedOrder& tried) { return tried.order == result.order; });
    }
    for (checks::TriedOrder& tried : result.tried) {
        ClassOrder order = class_order(std::move(tried.name), tried.order, dataset);
        order.correct = tried.correct;
        order.p = tried.p;
        out.orders.push_back(std::move(order));
    }
    return out;
}

}  // namespace assay::inspect
