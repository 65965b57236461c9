#include "metric/multilabel_pass.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "core/parallel.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"
#include "metric/score_reading.h"

namespace assay {
namespace {

bool counts_empty(const MetricRequest& request) {
    return request.parameters.at(std::string(empty_items)) == counted_too;
}

// The included items have scores, and a label unless items without labels also count.
class MatrixItems {
public:
    MatrixItems(const MetricRows& rows, bool empty) : rows_(rows), empty_(empty) {}
    bool counts(std::uint64_t item) const {
        return has_scores(item) && (empty_ || !rows_.valid(item).empty());
    }
    std::uint64_t without_labels() const {
        std::uint64_t n = 0;
        for (std::uint64_t i = 0; i < rows_.items(); ++i)
            n += has_scores(i) && rows_.valid(i).empty() ? 1 : 0;
        return n;
    }

private:
    bool has_scores(std::uint64_t item) const {
        return rows_.records()[static_cast<std::size_t>(item)].scale.factor != 0;
    }

    const MetricRows& rows_;
    const bool empty_;
};

struct MatrixState final : PassState {
    // keyed by percent and whether empty items count
    std::map<std::pair<int, bool>, MultilabelSums> of_threshold;
    std::map<bool, MultilabelSums> of_order;  // sums by whether empty items count
};

// Adds up this rank's items, then those of all ranks. Several threads call `prepare`, but only one
// at a time calls `add`.
template <class Prepared>
void add_items(
    const PassRows& again, const MatrixItems& items, MultilabelSums& sums,
    const std::function<Prepared(std::uint64_t item, std::span<const double> scores)>& prepare,
    const std::function<void(std::uint64_t item, const Prepared&)>& add) {
    constexpr std::uint64_t at_once = 256;
    const auto own = again.own_items();
    const auto blocks = static_cast<std::size_t>((own.second - own.first + at_once - 1) / at_once);
    std::mutex mutex;
    agree(again.comm, [&] {
        parallel_blocks(blocks, again.threads, [&](std::size_t block) {
            throw_if_stopped();
            const std::uint64_t begin = own.first + block * at_once;
            std::vector<double> scores(again.rows.classes());
            std::vector<std::pair<std::uint64_t, Prepared>> list;
            for (std::uint64_t i = begin; i < std::min(own.second, begin + at_once); ++i) {
                if (!items.counts(i)) continue;
                again.rows.read_stored(i, 0, again.rows.classes(), scores.data());
                list.emplace_back(i, prepare(i, scores));
            }
            const std::lock_guard lock(mutex);  // integers can be added in any order
            for (const auto& [item, prepared] : list) add(item, prepared);
        });
    });
    again.comm.all_reduce(sums.counts());
}

class MultilabelPass : public MetricPass {
public:
    // Even if only predicted classes are known, it counts the items that it leaves undefined.
    KeptItems keeps(const MetricRequest&, bool) const override { return {true, false}; }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        const PassRows& again = run.again();
        const MatrixItems items(again.rows, counts_empty(request));
        ResampledEstimate result;
        for (std::uint64_t i = 0; i < again.rows.items(); ++i) result.n += items.counts(i) ? 1 : 0;
        result.undefined = again.rows.lacking("every class's score is needed");
        if (result.undefined.empty() && again.class_map)
            result.undefined = "stored scores are the model's classes', not those of a class map";
        if (result.undefined.empty() && result.n == 0)
            result.undefined =
                counts_empty(request) ? "no item has scores" : "no item has a valid label";
        if (result.undefined.empty()) result.undefined = why_not(request, again);
        if (!result.undefined.empty()) return result;
        return measure(request, run, items);
    }

    std::string note(const MetricRequest& request, const PassRun& run) const override {
        const MatrixItems items(run.again().rows, true);
        const std::uint64_t empty = items.without_labels();
        if (empty == 0) return "";
        return counts_empty(request)
                   ? fmt::format("{} items without a label count as items of no class", empty)
                   : fmt::format(
                         "{} items without a label are omitted; to count them, as scikit-learn "
                         "does, use {}:{}={}",
                         empty, request.facts->name, empty_items, counted_too);
    }

protected:
    virtual std::string why_not(const MetricRequest&, const PassRows&) const { return ""; }
    virtual ResampledEstimate measure(const MetricRequest&, PassRun&, const MatrixItems&) const = 0;
};

// ---- classes that reach a threshold ----

/// The smallest stored score whose sigmoid reaches the threshold. A 32-bit probability that was
/// written with the threshold's value reaches it.
double stored_threshold(ScoreKind kind, double p) {
    if (kind == ScoreKind::logits) return std::log(p / (1 - p));
    return std::min(p, static_cast<double>(static_cast<float>(p)));
}

bool is_per_class(const MetricRequest& request) {
    return request.parameters.at("threshold") == threshold_per_class;
}

/// The threshold of each class.
std::vector<double> stored_thresholds(const MetricRequest& request, const MetricRows& rows) {
    const ScoreKind kind = rows.reader().store().spec().kind;
    if (!is_per_class(request))
        return std::vector<double>(
            rows.classes(),
            stored_threshold(kind, std::stoi(request.parameters.at("threshold")) / 100.0));
    std::vector<double> own;
    for (const double p : rows.given().thresholds) own.push_back(stored_threshold(kind, p));
    return own;
}

class ThresholdPass : public MultilabelPass {
public:
    /// Class thresholds replace the usual threshold. Other requested thresholds stay.
    std::vector<MetricRequest> requests_for(const MetricRequest& request,
                                            const GivenTruth& given) const override {
        std::vector<MetricRequest> list = {request};
        const bool usual = request.parameters.at("threshold") == usual_threshold;
        if (usual && !given.thresholds.empty()) list.front().set("threshold", threshold_per_class);
        return list;
    }

    std::string choose(MetricRequest& request, const PassRun& run) const override {
        std::string& how = request.parameters.at(std::string(ranked_by));
        const MetricRows& rows = run.again().rows;
        if (!rows.lacking().empty() || run.again().class_map) return "";
        const StoreSpec& spec = rows.reader().store().spec();
        const HeadReading read = head_of(rows.reader(), rows.labels());
        if (how != by_what_scores_tell) {
            return read.head == ScoreHead::softmax
                       ? "read as a sigmoid for each class, although the scores look like those of "
                         "one softmax"
                       : "";
        }
        // The value is undefined, with the reason.
        if (read.head == ScoreHead::softmax || read.head == ScoreHead::unknown) return "";
        if (read.head == ScoreHead::either) {
            throw Error(
                ErrorCode::usage,
                fmt::format(
                    "{0}: the logits of {1} may belong to one softmax, which has no threshold, or "
                    "to one sigmoid per class ({2}). For sigmoids, use {0}:{3}={4}",
                    request.facts->name, spec.model_name, read.found, ranked_by, by_sigmoid));
        }
        how = by_sigmoid;
        return "read as a sigmoid for each class: the probabilities of a row do not sum to 1";
    }

protected:
    std::string why_not(const MetricRequest& request, const PassRows& again) const override {
        if (is_per_class(request) && again.rows.given().thresholds.empty())
            return "no class thresholds are given: add --threshold-file FILE";
        const ScoreKind kind = again.rows.reader().store().spec().kind;
        if (kind == ScoreKind::log_probabilities)
            return "log-probabilities belong to one softmax, but a threshold needs one sigmoid per "
                   "class";
        if (request.parameters.at(std::string(ranked_by)) == by_sigmoid) return "";
        const HeadReading read = head_of(again.rows.reader(), again.rows.labels());
        if (read.head == ScoreHead::unknown)
            return fmt::format(
                "no item has a label that shows whether the scores are sigmoids; if they are, use "
                "{}:{}={}",
                request.facts->name, ranked_by, by_sigmoid);
        return fmt::format(
            "the scores look like those of one softmax ({}), but a threshold needs one sigmoid per "
            "class; to use it anyway, write {}:{}={}",
            read.found.empty() ? "the probabilities of a row sum to 1" : read.found,
            request.facts->name, ranked_by, by_sigmoid);
    }

    const MultilabelSums& sums_of(const MetricRequest& request, PassRun& run,
                                  const MatrixItems& items) const {
        const int percent = std::stoi(request.parameters.at("threshold"));
        auto& known = run.state<MatrixState>().of_threshold;
        const std::pair<int, bool> key{percent, counts_empty(request)};
        if (const auto found = known.find(key); found != known.end()) return found->second;
        const PassRows& again = run.again();
        const std::vector<double> least = stored_thresholds(request, again.rows);
        MultilabelSums sums(again.rows.classes(), true);
        using Reached = std::vector<std::int32_t>;
        add_items<Reached>(
            again, items, sums,
            [&least](std::uint64_t, std::span<const double> scores) {
                Reached reached;
                for (std::size_t c = 0; c < scores.size(); ++c) {
                    if (scores[c] >= least[c]) reached.push_back(static_cast<std::int32_t>(c));
                }
                return reached;
            },
            [&](std::uint64_t item, const Reached& reached) {
                sums.add_sets(again.rows.group_of(item), again.rows.valid(item), reached);
            });
        return known.emplace(key, std::move(sums)).first->second;
    }
};

class SetScorePass final : public ThresholdPass {
public:
    SetScorePass(SetScore score, ItemMean of_items) : score_(score), of_items_(of_items) {}

protected:
    ResampledEstimate measure(const MetricRequest& request, PassRun& run,
                              const MatrixItems& items) const override {
        const MultilabelSums& sums = sums_of(request, run, items);
        const double level = run.sums().resampling().level;
        const MetricRows& rows = run.again().rows;
        const int cls = std::stoi(request.parameters.at("class"));
        if (cls >= 0) return of_class(sums, rows, cls, level);
        const std::string& average = request.parameters.at("average");
        if (average == "samples") return sums.mean(of_items_, level);
        const SetAverage how = average == "micro"   ? SetAverage::micro
                               : average == "macro" ? SetAverage::macro
                                                    : SetAverage::weighted;
        ResampledEstimate result = sums.score(score_, how, 0, level);
        const std::uint32_t empty = how == SetAverage::macro ? sums.empty_classes() : 0;
        if (empty > 0 && result.value)
            result.note = fmt::format(
                "{} of {} classes have no label and no prediction, and count as 0, as in "
                "scikit-learn",
                empty, rows.classes());
        return result;
    }

private:
    ResampledEstimate of_class(const MultilabelSums& sums, const MetricRows& rows, int cls,
                               double level) const {
        const auto c = static_cast<std::uint32_t>(cls);
        if (c >= rows.classes()) {
            ResampledEstimate none;
            none.n = sums.items();
            none.undefined = fmt::format("class {} does not exist: the scores have classes 0 to {}",
                                         cls, rows.classes() - 1);
            return none;
        }
        ResampledEstimate result = sums.score(score_, SetAverage::one_class, c, level);
        const ClassList& classes = rows.reader().store().dataset().classes;
        if (c < classes.size() && classes.name(c) != std::to_string(c))
            result.note = fmt::format("class {}: {}", cls, classes.name(c));
        return result;
    }

    const SetScore score_;
    const ItemMean of_items_;
};

class ItemMeanPass final : public ThresholdPass {
public:
    explicit ItemMeanPass(ItemMean which) : which_(which) {}

protected:
    ResampledEstimate measure(const MetricRequest& request, PassRun& run,
                              const MatrixItems& items) const override {
        return sums_of(request, run, items).mean(which_, run.sums().resampling().level);
    }

private:
    const ItemMean which_;
};

// ---- the order of the scores ----

class RankingPass final : public MultilabelPass {
public:
    explicit RankingPass(ItemMean which) : which_(which) {}

    std::string note(const MetricRequest& request, const PassRun& run) const override {
        std::string note = MultilabelPass::note(request, run);
        const std::string rounding = run.again().rows.rounding();
        if (!rounding.empty()) note += (note.empty() ? "" : "; ") + rounding;
        return note;
    }

protected:
    ResampledEstimate measure(const MetricRequest& request, PassRun& run,
                              const MatrixItems& items) const override {
        auto& known = run.state<MatrixState>().of_order;
        auto found = known.find(counts_empty(request));
        if (found == known.end()) {
            const PassRows& again = run.again();
            MultilabelSums sums(again.rows.classes(), false);
            add_items<RankingValues>(
                again, items, sums,
                [&](std::uint64_t item, std::span<const double> scores) {
                    return ranking_values(scores, again.rows.valid(item));
                },
                [&](std::uint64_t item, const RankingValues& values) {
                    sums.add_ranking(again.rows.group_of(item), values);
                });
            found = known.emplace(counts_empty(request), std::move(sums)).first;
        }
        return found->second.mean(which_, run.sums().resampling().level);
    }

private:
    const ItemMean which_;
};

}  // namespace

std::shared_ptr<const MetricPass> set_score_pass(SetScore score, ItemMean of_items) {
    return std::make_shared<SetScorePass>(score, of_items);
}

std::shared_ptr<const MetricPass> item_mean_pass(ItemMean which) {
    return std::make_shared<ItemMeanPass>(which);
}

std::shared_ptr<const MetricPass> ranking_pass(ItemMean which) {
    return std::make_shared<RankingPass>(which);
}

}  // namespace assay
