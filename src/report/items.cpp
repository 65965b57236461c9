#include "report/items.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "assay/store/row_reader.h"
#include "evaluate/truth.h"

namespace assay {
namespace {

constexpr std::size_t confusions_with_examples = 20;  // number for a model
constexpr std::size_t examples_of_a_confusion = 2;
constexpr std::size_t classes_of_a_model = 5;
/// With fewer examples, it is not clear what a model confuses.
constexpr std::size_t fewest_examples_of_a_model = 10;
/// With more models than that, an image shows the models for which it was selected, and the first
/// others.
constexpr std::size_t models_of_an_item = 8;

class WantedItems {
public:
    explicit WantedItems(std::size_t most) : most_(most), limit_(most) {}

    /// The maximum from now on, which is at most the total maximum.
    void limit(std::size_t most) { limit_ = std::min(most, most_); }
    bool full() const { return items_.size() >= limit_; }
    std::size_t size() const { return items_.size(); }
    std::size_t left() const { return limit_ - std::min(limit_, items_.size()); }
    bool cut() const { return cut_; }
    void add(std::uint64_t row, std::initializer_list<std::size_t> stores) {
        auto at = places_.find(row);
        if (at == places_.end()) {
            if (full()) {
                cut_ = limit_ == most_;
                return;
            }
            at = places_.emplace(row, items_.size()).first;
            items_.push_back({row, {}});
        }
        items_[at->second].stores.insert(stores);
    }
    std::vector<WantedItem> take() { return std::move(items_); }

private:
    std::size_t most_, limit_;
    bool cut_ = false;
    std::vector<WantedItem> items_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
};

std::size_t store_called(const StoreGroup& group, const std::string& model) {
    const auto found =
        std::ranges::find_if(group.stores, [&](const auto& s) { return s.model == model; });
    return static_cast<std::size_t>(found - group.stores.begin());
}

/// The rows of these ids, which are the keys.
void find_rows(const Dataset& dataset, std::unordered_map<std::string_view, std::uint64_t>& rows) {
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const auto found = rows.find(dataset.ids[i]);
        if (found != rows.end()) found->second = i;
    }
}

/// The worst slice of each model first, then the next of each.
void want_slices(WantedItems& wanted, const StoreGroup& group, const Dataset& dataset,
                 const slices::SliceResult& result) {
    std::unordered_map<std::string_view, std::uint64_t> rows;
    std::size_t longest = 0;
    for (const slices::SlicedModel& model : result.models) {
        longest = std::max(longest, model.found.size());
        for (const slices::FoundSlice& slice : model.found)
            for (const std::string& id : slice.examples) rows.emplace(id, UINT64_MAX);
    }
    find_rows(dataset, rows);
    for (std::size_t turn = 0; turn < longest; ++turn) {
        for (const slices::SlicedModel& model : result.models) {
            if (turn >= model.found.size()) continue;
            const std::size_t store = store_called(group, model.model);
            for (const std::string& id : model.found[turn].examples)
                if (const std::uint64_t row = rows.at(id); row != UINT64_MAX)
                    wanted.add(row, {store});
        }
    }
}

void want_disagreements(WantedItems& wanted, const StoreGroup& group, const Dataset& dataset,
                        const CompareResult& comparison) {
    std::unordered_map<std::string_view, std::uint64_t> rows;
    for (const PairReport& pair : comparison.pairs)
        for (const Disagreement& d : pair.disagreements) rows.emplace(d.id, UINT64_MAX);
    find_rows(dataset, rows);
    std::size_t longest = 0;
    for (const PairReport& pair : comparison.pairs)
        longest = std::max(longest, pair.disagreements.size());
    for (std::size_t turn = 0; turn < longest; ++turn) {
        for (const PairReport& pair : comparison.pairs) {
            if (turn >= pair.disagreements.size()) continue;
            const std::uint64_t row = rows.at(pair.disagreements[turn].id);
            if (row != UINT64_MAX)
                wanted.add(
                    row, {store_called(group, pair.baseline), store_called(group, pair.candidate)});
        }
    }
}

/// Each of the best models gets its share, and later models get the rest.
void want_confusions(WantedItems& wanted, const StoreGroup& group, const ScoreResult& scores,
                     const std::vector<std::size_t>& best_first, const MeasureOptions& measure,
                     int threads) {
    const std::size_t models =
        std::clamp<std::size_t>(wanted.left() / fewest_examples_of_a_model, 1, best_first.size());
    for (std::size_t i = 0; i < models && !wanted.full(); ++i) {
        const std::size_t s = best_first[i];
        const std::size_t own = (wanted.left() + models - i - 1) / (models - i);
        if (scores.reports[s].confusions.empty()) continue;
        const PredictionStore store = PredictionStore::open(group.stores[s].folder);
        for (const std::uint64_t row :
             confusion_examples(store, resolve(measure, store), scores.reports[s],
                                confusions_with_examples, examples_of_a_confusion, own, threads))
            wanted.add(row, {s});
    }
}

ItemClass item_class(const ClassList& classes, std::int32_t c) {
    const auto index = static_cast<std::size_t>(c);
    if (c >= 0 && index < classes.size())
        return {c, std::string(classes.id(index)), std::string(classes.name(index))};
    const std::string number = std::to_string(c);
    return {c, number, number};
}

ItemModel item_model(const std::string& name, const RowReader& reader, std::uint64_t row,
                     std::span<const std::int32_t> labels, const ClassList& classes) {
    ItemModel out{name, {}, {}};
    std::vector<RankedClass> best;
    if (reader.top(row, classes_of_a_model, best) != RowStatus::ok) {
        out.not_scored = reader.why_not(row);
        return out;
    }
    out.predictions.emplace();
    for (const RankedClass& one : best) {
        ItemPrediction& predicted = out.predictions->emplace_back();
        predicted.cls = item_class(classes, one.cls);
        predicted.rank = out.predictions->size();
        if (reader.has_probabilities())
            predicted.probability = static_cast<double>(one.probability);
        predicted.correct = std::find(labels.begin(), labels.end(), one.cls) != labels.end();
    }
    return out;
}

/// The stores that an item shows, ascending.
std::vector<std::size_t> stores_shown(const WantedItem& item, std::size_t stores) {
    std::set<std::size_t> shown;
    for (const std::size_t s : item.stores)
        if (shown.size() < models_of_an_item) shown.insert(s);
    for (std::size_t s = 0; s < stores && shown.size() < models_of_an_item; ++s) shown.insert(s);
    return {shown.begin(), shown.end()};
}

std::vector<ReportItem> show_items(const StoreGroup& group, const std::vector<WantedItem>& wanted,
                                   const MeasureOptions& measure, const ScoreResult& scores) {
    std::vector<ReportItem> items;
    std::vector<std::vector<std::size_t>> stores;
    for (const WantedItem& item : wanted) stores.push_back(stores_shown(item, group.stores.size()));
    for (std::size_t s = 0; s < group.stores.size(); ++s) {
        const PredictionStore store = PredictionStore::open(group.stores[s].folder);
        const ScoreOptions how = resolve(measure, store);
        const Truth truth = truth_for(store, how);
        const RowReader reader(store, how.map);
        const ClassList& classes = scores.reports[s].classes;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto labels = truth.labels[wanted[i].row];
            if (s == 0) {
                items.push_back({group.dataset,
                                 std::string(store.dataset().ids[wanted[i].row]),
                                 wanted[i].row,
                                 {},
                                 {}});
                for (const std::int32_t c : labels)
                    items[i].labels.push_back(item_class(classes, c));
            }
            if (!std::binary_search(stores[i].begin(), stores[i].end(), s)) continue;
            items[i].models.push_back(
                item_model(group.stores[s].model, reader, wanted[i].row, labels, classes));
        }
    }
    return items;
}

/// The first `begin` and the rest alternate, so that the first thumbnails come from both.
std::vector<WantedItem> in_turns(std::vector<WantedItem> items, std::size_t begin) {
    std::vector<WantedItem> out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i < begin) out.push_back(std::move(items[i]));
        if (begin + i < items.size()) out.push_back(std::move(items[begin + i]));
    }
    return out;
}

}  // namespace

GroupItems items_of_group(const StoreGroup& group, const ScoreResult& scores,
                          const BestOfGroup& best, const slices::SliceResult* slices,
                          const ReportOptions& options, std::size_t most) {
    WantedItems wanted(most);
    MeasureOptions measure = options.measure;
    measure.gates.clear();
    const auto disagreements = [&] {
        if (!best.comparison) return;
        const PredictionStore first = PredictionStore::open(group.stores.front().folder);
        want_disagreements(wanted, group, first.dataset(), *best.comparison);
    };
    wanted.limit(most / 2);
    disagreements();
    const std::size_t first_disagreements = wanted.size();
    if (slices != nullptr) {
        wanted.limit(most - most / 4);
        const PredictionStore first = PredictionStore::open(group.stores.front().folder);
        want_slices(wanted, group, first.dataset(), *slices);
    }
    wanted.limit(most);
    want_confusions(wanted, group, scores, best.order, measure, options.threads);
    disagreements();
    GroupItems out;
    out.cut = wanted.cut();
    out.wanted = in_turns(wanted.take(), first_disagreements);
    if (!out.wanted.empty()) out.shown = show_items(group, out.wanted, measure, scores);
    return out;
}

}  // namespace assay
