#include "assay/decisions/cost_decisions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "decisions/cost_matrix.h"
#include "decisions/judged_labels.h"
#include "store/full_rows.h"
#include "store/usable_stores.h"

namespace assay::decisions {
namespace {

constexpr std::uint64_t cost_block_rows = 1024;

/// Numbers of decisions; -1 where a row has no scores.
struct Decided {
    std::int32_t cheapest = -1, likeliest = -1;
};

Decided decide(const CostMatrix& matrix, const std::vector<double>& probabilities,
               std::vector<double>& expected) {
    std::ranges::fill(expected, 0);
    for (std::size_t truth = 0; truth < probabilities.size(); ++truth) {
        for (std::size_t d = 0; d < expected.size(); ++d)
            expected[d] += probabilities[truth] * matrix.at(truth, d);
    }
    const auto likeliest = matrix.of_class[static_cast<std::size_t>(
        std::ranges::max_element(probabilities) - probabilities.begin())];
    const auto cheapest =
        static_cast<std::size_t>(std::ranges::min_element(expected) - expected.begin());
    // Sums are rounded, so costs of 0 and 1 could otherwise part from the likeliest class.
    constexpr double rounding = 1e-12;
    const double extreme = std::max(std::abs(matrix.low), std::abs(matrix.high));
    const bool tie = expected[likeliest] - expected[cheapest] <= rounding * extreme;
    return {static_cast<std::int32_t>(tie ? likeliest : cheapest),
            static_cast<std::int32_t>(likeliest)};
}

std::vector<Decided> decide_all(const PredictionStore& store, const CostMatrix& matrix,
                                int threads) {
    const RowReader reader(store);
    std::vector<Decided> out(static_cast<std::size_t>(store.rows()));
    const std::uint64_t blocks = (store.rows() + cost_block_rows - 1) / cost_block_rows;
    parallel_blocks(
        static_cast<std::size_t>(blocks), resolve_threads(threads), [&](std::size_t block) {
            throw_if_stopped();
            std::vector<float> buffer;
            std::vector<double> probabilities(store.classes());
            std::vector<double> expected(matrix.decisions.size());
            const std::uint64_t end = std::min(store.rows(), (block + 1) * cost_block_rows);
            for (std::uint64_t row = block * cost_block_rows; row < end; ++row) {
                if (reader.status(row) != RowStatus::ok) continue;
                store::read_probabilities(reader, row, buffer, probabilities);
                out[static_cast<std::size_t>(row)] = decide(matrix, probabilities, expected);
            }
        });
    return out;
}

/// How many images have each value.
using Values = std::map<double, std::uint64_t>;

/// `low` and `high` are the lowest and the highest possible value.
Estimate mean_cost_of(const Values& values, double low, double high, double level) {
    Estimate out;
    double sum = 0, squares = 0;
    for (const auto& [value, count] : values) {
        out.n += count;
        sum += value * static_cast<double>(count);
        squares += value * value * static_cast<double>(count);
    }
    const auto n = static_cast<double>(out.n);
    out.value = sum / n;
    const double z = normal_quantile((1 + level) / 2);
    const double added = std::max(1.0, std::pow(z / normal_quantile(0.975), 2));
    const auto end = [&](double extreme, double sign) {
        const double size = n + added, mean = (sum + added * extreme) / size;
        const double square = (squares + added * extreme * extreme) / size;
        return mean + sign * z * std::sqrt(std::max(0.0, square - mean * mean) / size);
    };
    out.interval = Interval{std::max(low, end(low, -1)), std::min(high, end(high, 1)), level,
                            "added_extremes"};
    return out;
}

/// Images by class, decision and likeliest class, all by number.
using JointCounts =
    std::map<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>, std::uint64_t>;

void add_costs(CostDecision& out, const JointCounts& joint, const CostMatrix& matrix,
               double level) {
    Values costs, likeliest_costs, differences;
    std::uint64_t abstained = 0;
    for (const auto& [key, count] : joint) {
        const auto [cheapest, likeliest] = key.second;
        const double cost = matrix.at(key.first, cheapest);
        const double other = matrix.at(key.first, likeliest);
        costs[cost] += count;
        likeliest_costs[other] += count;
        differences[cost - other] += count;
        out.images += count;
        if (cheapest != likeliest) out.changed += count;
        if (matrix.abstains && matrix.decisions[cheapest] == abstain_decision) abstained += count;
    }
    out.cost = mean_cost_of(costs, matrix.low, matrix.high, level);
    out.likeliest_cost = mean_cost_of(likeliest_costs, matrix.low, matrix.high, level);
    out.difference = mean_cost_of(differences, -matrix.widest, matrix.widest, level);
    out.abstained.unit = Unit::proportion;
    out.abstained.undefined = "the costs have no column `abstain`";
    if (matrix.abstains) out.abstained = wilson_proportion(abstained, out.images, level, "");
}

void add_cells(CostDecision& out, const JointCounts& joint, const CostMatrix& matrix,
               const ClassList& classes) {
    std::map<std::pair<std::size_t, std::size_t>, std::pair<std::uint64_t, std::uint64_t>> cells;
    std::vector<double> constant(matrix.decisions.size());
    for (const auto& [key, count] : joint) {
        cells[{key.first, key.second.first}].first += count;
        cells[{key.first, key.second.second}].second += count;
        for (std::size_t d = 0; d < constant.size(); ++d)
            constant[d] += static_cast<double>(count) * matrix.at(key.first, d);
    }
    for (const auto& [key, count] : cells)
        out.cells.push_back({.truth = classes.id(key.first),
                             .decision = matrix.decisions[key.second],
                             .cost = matrix.at(key.first, key.second),
                             .images = count.first,
                             .likeliest = count.second});
    const auto best = std::ranges::min_element(constant);
    out.constant = matrix.decisions[static_cast<std::size_t>(best - constant.begin())];
    out.constant_cost = *best / static_cast<double>(out.images);
}

void check_alone(const OperatingOptions& options) {
    const OperatingOptions usual;
    const auto refuse_option = [](bool given, std::string_view name) {
        if (given)
            throw Error(ErrorCode::usage,
                        fmt::format("--costs decides by expected costs on all images: omit {}: "
                                    "assay decide RUNS --costs FILE.csv",
                                    name));
    };
    refuse_option(!options.positive.empty(), "--positive");
    refuse_option(options.specificity > 0, "--specificity");
    refuse_option(options.sensitivity > 0, "--sensitivity");
    refuse_option(options.cost_false_positive > 0, "--cost-false-positive");
    refuse_option(options.cost_false_negative > 0, "--cost-false-negative");
    refuse_option(!options.threshold.empty(), "--threshold");
    refuse_option(options.prevalence > 0, "--prevalence");
    refuse_option(options.require > 0, "--require");
    refuse_option(options.at != usual.at, "--at");
    refuse_option(options.split != usual.split, "--split");
    refuse_option(options.seed != usual.seed, "--seed");
}

CostDecision decided_store(const PredictionStore& store, const OperatingOptions& options,
                           CostDecisions& result) {
    store::require_full(store);
    const Dataset& dataset = store.dataset();
    require_known_labels(store, dataset.labels, {});
    const ClassList classes =
        dataset.classes.empty() ? numbered_classes(store.classes()) : dataset.classes;
    const CostMatrix matrix = read_costs(options.costs, classes);
    CostDecision out;
    out.model = store.spec().model_name;
    out.dataset = store.spec().dataset_name;
    const std::vector<Decided> decided = decide_all(store, matrix, options.threads);
    JointCounts joint;
    std::uint64_t skipped = 0, not_scored = 0;
    for (std::size_t row = 0; row < decided.size(); ++row) {
        const std::int32_t label = dataset.single_label(row);
        const Decided& one = decided[row];
        if (one.cheapest < 0 || label < 0) {
            ++skipped;
            not_scored += one.cheapest < 0 ? 1 : 0;
            continue;
        }
        ++joint[{
            static_cast<std::size_t>(label),
            {static_cast<std::size_t>(one.cheapest), static_cast<std::size_t>(one.likeliest)}}];
    }
    if (joint.empty())
        refuse(
            fmt::format("{}: no image has scores and a single label; import the predictions "
                        "with labels: assay import SCORES --items ITEMS.csv",
                        store.folder().string()));
    result.not_scored += not_scored;
    if (skipped > 0)
        result.notes.push_back(fmt::format("{} on {}: {} without scores or a single label skipped",
                                           out.model, out.dataset,
                                           how_many(skipped, "image", "images")));
    add_costs(out, joint, matrix, options.level);
    add_cells(out, joint, matrix, classes);
    return out;
}

}  // namespace

CostDecisions cost_decisions(const OperatingOptions& options, const ProgressCallback& progress) {
    if (options.stores.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    check_alone(options);
    CostDecisions result;
    result.level = options.level;
    result.costs = options.costs;
    const ModelStores found = model_stores(options.stores, true);
    if (const std::string note = found.note(); !note.empty()) result.notes.push_back(note);
    std::uint64_t done = 0;
    result.warnings =
        store::use_stores(found.folders, "used", [&](const std::filesystem::path& folder) {
            if (progress) progress({.step = "decide", .done = done, .total = found.folders.size()});
            ++done;
            result.models.push_back(decided_store(PredictionStore::open(folder), options, result));
        });
    result.refused = result.warnings.size();
    if (progress) progress({.step = "decide", .done = done, .total = found.folders.size()});
    return result;
}

}  // namespace assay::decisions
