#include "evaluate/weighted_items.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/parallel.h"
#include "evaluate/scored_rows.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"

namespace assay::evaluate {
namespace {

/// The sums of one metric over a few items, each of which is a group of its own.
class FewItemsSums final : public MetricSums {
public:
    FewItemsSums(const Shape& shape, const Resampling& resampling)
        : shape_(shape), resampling_(resampling), group_sizes_(group_count) {}

    const Shape& shape() const noexcept override { return shape_; }
    const Resampling& resampling() const noexcept override { return resampling_; }
    const std::vector<std::uint64_t>& group_sizes() const noexcept override { return group_sizes_; }
    std::span<const std::int64_t> state(const std::string& key) const override {
        return states_.at(key);
    }

    void fill(const MetricRequest& request, std::span<const RowFacts> facts) {
        const MetricContext context{shape_, request.parameters, resampling_.level};
        for (const auto& accumulator : pass_of(request).accumulators(request, context)) {
            std::vector<std::int64_t>& state = states_[accumulator->key()];
            state.assign(accumulator->slots() * (accumulator->grouped() ? group_count : 1), 0);
            accumulator->update(state, facts);
        }
        for (const RowFacts& fact : facts) group_sizes_[fact.group] += fact.target >= 0 ? 1 : 0;
    }

private:
    const Shape shape_;
    const Resampling resampling_;
    std::vector<std::uint64_t> group_sizes_;
    std::map<std::string, std::vector<std::int64_t>> states_;
};

/// The values of single items, in the order in which they are added.
class ItemValues {
public:
    ItemValues(const MetricRequest& request, const RowReader& reader, const Truth& truth,
               const Resampling& resampling, Comm& comm)
        : request_(request),
          reader_(reader),
          truth_(truth),
          resampling_{resampling.level, 0, resampling.seed},
          comm_(comm) {}

    void add(const std::vector<std::uint64_t>& rows) {
        for (std::size_t first = 0; first < rows.size(); first += group_count) {
            throw_if_stopped();
            add_few(std::span(rows).subspan(
                first, std::min<std::size_t>(group_count, rows.size() - first)));
        }
    }

    const std::vector<std::uint64_t>& rows() const { return rows_; }
    const std::vector<double>& values() const { return values_; }

private:
    /// Each item is a group: n times the mean, minus n - 1 times the mean without the item, is the
    /// item's value. This needs every item to count for the metric; otherwise tries both halves.
    void add_few(std::span<const std::uint64_t> few) {
        const ResampledEstimate all = estimate(few);
        if (!all.value && (all.n == 0 || few.size() == 1)) return;  // none counts
        const bool every = all.value && all.n == few.size() && all.without.size() == few.size();
        if (!every && few.size() > 1) {
            add_few(few.first(few.size() / 2));
            add_few(few.subspan(few.size() / 2));
            return;
        }
        rows_.insert(rows_.end(), few.begin(), few.end());
        if (few.size() == 1) return values_.push_back(*all.value);
        const auto n = static_cast<double>(few.size());
        // `without` is in the order of the groups.
        const std::vector<std::uint16_t> places = group_places(0, few.size());
        std::vector<std::size_t> order(few.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t i) { return places[i]; });
        const std::size_t first = values_.size();
        values_.resize(first + few.size());
        for (std::size_t k = 0; k < order.size(); ++k)
            values_[first + order[k]] = n * *all.value - (n - 1) * all.without[k];
    }

    ResampledEstimate estimate(std::span<const std::uint64_t> few) {
        const bool known = reader_.full() || reader_.has_probabilities();
        ScoredRows rows(reader_, truth_, {few.begin(), few.end()},
                        pass_of(request_).keeps(request_, known));
        std::vector<RowFacts> facts, unit;
        ScoreCounts counts;
        for (std::size_t u = 0; u < rows.units(); ++u) {
            rows.score(u, unit, counts);
            facts.insert(facts.end(), unit.begin(), unit.end());
        }
        FewItemsSums sums(rows.shape(), resampling_);
        sums.fill(request_, facts);
        const PassRows again{rows, comm_};
        PassRun run(sums, &again);
        return pass_of(request_).estimate(request_, run);
    }

    const MetricRequest& request_;
    const RowReader& reader_;
    const Truth& truth_;
    const Resampling resampling_;
    Comm& comm_;
    std::vector<std::uint64_t> rows_;
    std::vector<double> values_;
};

/// Weights of these rows, with the sum 1.
std::vector<double> weights_of_rows(std::span<const double> weights,
                                    const std::vector<std::uint64_t>& rows) {
    std::vector<double> out;
    double largest = 0, sum = 0;
    for (const std::uint64_t row : rows)
        largest = std::max(largest, weights[static_cast<std::size_t>(row)]);
    for (const std::uint64_t row : rows) {
        out.push_back(weights[static_cast<std::size_t>(row)] / largest);  // so no sum overflows
        sum += out.back();
    }
    for (double& weight : out) weight /= sum;
    return out;
}

/// From the first value on, so that equal values have exactly that mean.
Influenced mean_of_items(const std::vector<double>& values, const std::vector<double>& weights) {
    Influenced out{.value = values.front(), .influence = values};
    for (std::size_t i = 0; i < values.size(); ++i)
        out.value += weights[i] * (values[i] - values.front());
    for (double& x : out.influence) x -= out.value;
    return out;
}

/// The mean over the numbers of labels of the mean agreement of the items with so many labels.
Influenced mean_of_subgroups(const std::vector<double>& values, const std::vector<double>& weights,
                             const std::vector<std::size_t>& labels) {
    std::map<std::size_t, std::pair<double, double>> sums;  // weight and weighted agreement
    for (std::size_t i = 0; i < values.size(); ++i) {
        sums[labels[i]].first += weights[i];
        sums[labels[i]].second += weights[i] * values[i];
    }
    Influenced out;
    const auto count = static_cast<double>(sums.size());
    for (const auto& [g, sum] : sums) out.value += sum.second / sum.first / count;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto& sum = sums.at(labels[i]);
        out.influence.push_back((values[i] - sum.second / sum.first) / sum.first / count);
    }
    return out;
}

MetricRequest agreement_of_items(const MetricRequest& asma) {
    MetricRequest request = parse_metric("variable_topk");
    request.set("agreement", asma.parameters.at("agreement"));
    return request;
}

/// Quadratic weighted kappa from each item's squared error. The rest of it are weighted sums of the
/// grades.
std::optional<WeightedItems> weighted_kappa(const RowReader& reader, const Truth& truth,
                                            std::span<const double> weights) {
    std::vector<std::uint64_t> rows;
    std::vector<std::pair<double, double>> grades;
    for (std::uint64_t row = 0; row < weights.size(); ++row) {
        const std::int32_t label = truth.targets[static_cast<std::size_t>(row)];
        RowPrediction found;
        if (label < 0 || weights[static_cast<std::size_t>(row)] == 0 ||
            reader.read(row, label, {}, found, RowReader::Detail::ranking) != RowStatus::ok ||
            found.predicted < 0)
            continue;
        rows.push_back(row);
        grades.emplace_back(truth.given.grades[static_cast<std::size_t>(label)],
                            truth.given.grades[static_cast<std::size_t>(found.predicted)]);
    }
    if (rows.empty()) return std::nullopt;
    WeightedItems out{{.interval = WeightedInterval::fisher}, weights_of_rows(weights, rows), rows};
    double label = 0, predicted = 0, squares = 0, error = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [a, b] = grades[i];
        label += out.weights[i] * a;
        predicted += out.weights[i] * b;
        squares += out.weights[i] * (a * a + b * b);
        error += out.weights[i] * (a - b) * (a - b);
    }
    const double expected = squares - 2 * label * predicted;
    if (!(expected > 1e-12 * squares)) return std::nullopt;
    const double ratio = error / expected;
    out.found.value = 1 - ratio;
    if (ratio == 0) out.found.no_interval = "every prediction is the label";
    for (const auto& [a, b] : grades) {
        const double of_expected = a * a + b * b - 2 * (a * predicted + b * label);
        const double moved = -((a - b) * (a - b) - ratio * of_expected) / expected;
        out.found.influence.push_back(moved);
    }
    double mean = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) mean += out.weights[i] * out.found.influence[i];
    for (double& x : out.found.influence) x -= mean;
    return out;
}

}  // namespace

bool is_of_items(const MetricRequest& request) {
    constexpr std::array<std::string_view, 21> names = {"real",
                                                        "variable_topk",
                                                        "asma",
                                                        "subgroup_accuracy",
                                                        "shape_bias",
                                                        "exact_match",
                                                        "hamming_loss",
                                                        "coverage_error",
                                                        "ranking_loss",
                                                        "soft_accuracy",
                                                        "soft_top1",
                                                        "soft_cross_entropy",
                                                        "soft_brier",
                                                        "soft_divergence",
                                                        "level_accuracy",
                                                        "ancestor_height",
                                                        "tree_distance",
                                                        "ordinal_error",
                                                        "within_one",
                                                        "quadratic_kappa",
                                                        "label_ranking_average_precision"};
    if (std::ranges::find(names, request.facts->name) != names.end()) return true;
    const auto average = request.parameters.find("average"), cls = request.parameters.find("class");
    return request.facts->name.starts_with("multilabel_") && average->second == "samples" &&
           cls->second == "-1";
}

std::optional<WeightedItems> weighted_items(const MetricRequest& request, const RowReader& reader,
                                            const Truth& truth, std::span<const double> weights,
                                            const Resampling& resampling, Comm& comm) {
    const std::string_view name = request.facts->name;
    if (name == "quadratic_kappa") return weighted_kappa(reader, truth, weights);
    const bool asma = name == "asma";
    const MetricRequest single = asma ? agreement_of_items(request) : request;
    const auto needs = [&](Needs what) {
        return (request.facts->needs & static_cast<unsigned>(what)) != 0;
    };
    const std::optional<std::vector<int>> counts = request.labels_per_image();
    const bool is_of_sets = name == "real" || name == "variable_topk" || counts.has_value();
    // Items without labels often do not count, so they are apart.
    std::vector<std::uint64_t> rows, unlabelled;
    for (std::uint64_t row = 0; row < weights.size(); ++row) {
        const auto i = static_cast<std::size_t>(row);
        const std::size_t labels = truth.labels[i].size();
        if (weights[i] == 0 || reader.status(row) != RowStatus::ok ||
            (needs(Needs::labels) && truth.targets[i] < 0) || (is_of_sets && labels == 0) ||
            (counts && std::ranges::find(*counts, static_cast<int>(labels)) == counts->end()))
            continue;
        (labels == 0 ? unlabelled : rows).push_back(row);
    }
    ItemValues values(single, reader, truth, resampling, comm);
    values.add(rows);
    values.add(unlabelled);
    if (values.rows().empty()) return std::nullopt;
    WeightedItems out{{}, weights_of_rows(weights, values.rows()), values.rows()};
    if (asma) {
        std::vector<std::size_t> labels;
        for (const std::uint64_t row : values.rows())
            labels.push_back(truth.labels[static_cast<std::size_t>(row)].size());
        const std::set<std::size_t> found(labels.begin(), labels.end());
        if (request.parameters.at("absent") == "undefined" && found.size() < counts->size())
            return std::nullopt;
        out.found = mean_of_subgroups(values.values(), out.weights, labels);
    } else {
        out.found = mean_of_items(values.values(), out.weights);
    }
    if (request.facts->unit == Unit::proportion ||
        (request.facts->low == 0 && request.facts->high == 1)) {
        out.found.interval = WeightedInterval::proportion;
        out.found.value = std::clamp(out.found.value, 0.0, 1.0);  // sums round
    }
    return out;
}

}  // namespace assay::evaluate
