#include "score_set.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/parallel.h"
#include "assay/statistics.h"
#include "calibrated_null.h"
#include "metric/class_table.h"
#include "metric/families.h"
#include "ranks.h"

namespace assay {
namespace {

// Confidence of the top answer as a column of its own: its class 0 is "the answer is right".
class TopConfidence final : public ProbabilityRows {
public:
    explicit TopConfidence(const ScoredRows& rows) : rows_(rows) {}
    std::uint64_t items() const override { return rows_.items(); }
    std::uint32_t classes() const override { return 2; }
    std::int32_t target(std::uint64_t item) const override {
        const std::int32_t target = rows_.target(item);
        return target < 0 ? -1 : record(item).predicted == target ? 0 : 1;
    }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t, std::uint32_t, float* out) const override {
        for (std::uint64_t item = first; item < first + n; ++item) {
            *out++ = rows_.target(item) < 0 ? 0 : record(item).confidence;
        }
    }

private:
    const ItemRecord& record(std::uint64_t item) const { return rows_.records()[static_cast<std::size_t>(item)]; }
    const ScoredRows& rows_;
};

struct Shared {  // one state of all threads: integers, so that their order does not matter
    std::unique_ptr<Accumulator> accumulator;
    std::vector<std::int64_t> state;
    std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();
};

class Run {
public:
    Run(const PredictionStore& store, const OpenShards& shards, const LabelSets& labels, const ScoreOptions& options,
        std::vector<std::uint64_t> rows, std::string_view subgroup, Comm& comm)
        : store_(store),
          labels_(labels),
          options_(options),
          subgroup_(subgroup),
          comm_(comm),
          rows_(store, shards, labels, options.map ? &*options.map : nullptr, std::move(rows)),
          shape_(rows_.shape()),
          threads_(resolve_threads(options.threads)) {
        set_.requests = options.metrics.empty() ? default_metrics() : options.metrics;
    }

    ScoredSet run() {
        prepare();
        agree(comm_, [&] { pass(); });
        join_ranks();
        for (std::size_t i = 0; i < set_.requests.size(); ++i) {
            set_.estimates.push_back(estimate_of(set_.requests[i]));
            set_.report.measurements.push_back(measure(set_.requests[i], set_.estimates.back()));
        }
        if (options_.null_draws > 0) add_null();
        per_class();
        answers();
        warnings();
        return std::move(set_);
    }

private:
    void prepare() {
        // The class table is always filled: it is part of the report.
        add_accumulator(families::accumulate_classes({shape_, {}, options_.resampling.level}));
        for (const MetricRequest& request : set_.requests) prepare(request);
    }

    void prepare(const MetricRequest& request) {
        for (const auto part : request.facts->parts) prepare(parse_metric(part));
        if (request.facts->accumulate != nullptr) add_accumulator(request.facts->accumulate(context(request)));
    }

    MetricContext context(const MetricRequest& request) const {
        return {shape_, request.parameters, options_.resampling.level};
    }

    void add_accumulator(std::unique_ptr<Accumulator> accumulator) {
        Shared& shared = shared_[accumulator->key()];
        if (shared.accumulator) return;
        shared.state.assign(accumulator->slots() * (accumulator->grouped() ? group_count : 1), 0);
        shared.accumulator = std::move(accumulator);
    }

    std::size_t first_unit(int rank) const {
        return rows_.units() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(comm_.size());
    }

    void pass() {
        const std::size_t begin = first_unit(comm_.rank()), end = first_unit(comm_.rank() + 1);
        parallel_blocks(end - begin, threads_, [&](std::size_t block) {
            throw_if_stopped();
            std::vector<RowFacts> facts;
            ScoreCounts counts;
            rows_.score(begin + block, facts, counts);
            for (auto& [key, shared] : shared_) {
                const std::lock_guard lock(*shared.mutex);
                shared.accumulator->update(shared.state, facts);
            }
            const std::lock_guard lock(mutex_);
            add_counts(counts);
            for (const RowFacts& row : facts) {
                if (row.target >= 0 && row.predicted != row.target) ++confused_[{row.target, row.predicted}];
                if (row.target >= 0) ++group_sizes_[row.group];
            }
        });
    }

    void add_counts(const ScoreCounts& c) {
        ScoreCounts& sum = set_.report.counts;
        sum.items += c.items;
        sum.missing += c.missing;
        sum.unreadable += c.unreadable;
        sum.not_finite += c.not_finite;
        sum.scored += c.scored;
        sum.unlabelled += c.unlabelled;
        sum.several_labels += c.several_labels;
    }

    void join_ranks() {
        sampled_ = {static_cast<std::int64_t>(rows_.sampled()), static_cast<std::int64_t>(rows_.suspicious())};
        if (comm_.size() == 1) return;
        for (auto& [key, shared] : shared_) add_over_ranks(comm_, shared.state);
        add_over_ranks(comm_, sampled_);
        for (const auto& counts : exchange<ScoreCounts>(set_.report.counts)) add_counts(counts);
        std::vector<std::int64_t> sizes(group_sizes_.begin(), group_sizes_.end());
        add_over_ranks(comm_, sizes);
        group_sizes_.assign(sizes.begin(), sizes.end());

        std::vector<Confusion> pairs;
        for (const auto& [pair, count] : confused_) pairs.push_back({pair.first, pair.second, count});
        confused_.clear();
        for (const auto& part : gather<Confusion>(comm_, pairs)) {
            for (const Confusion& c : part) confused_[{c.truth, c.predicted}] += c.count;
        }
        const auto first = static_cast<std::size_t>(rows_.first_of(first_unit(comm_.rank())));
        const auto last = static_cast<std::size_t>(rows_.first_of(first_unit(comm_.rank() + 1)));
        std::vector<ItemRecord> joined;
        for (const auto& part : gather<ItemRecord>(comm_, std::span(rows_.records()).subspan(first, last - first))) {
            joined.insert(joined.end(), part.begin(), part.end());
        }
        rows_.records() = std::move(joined);
    }

    // Every rank's value; the local one is reset, so that all can be added to it.
    template <class T>
    std::vector<T> exchange(T& mine) {
        std::vector<T> all;
        for (const auto& part : gather<T>(comm_, {&mine, 1})) all.push_back(part.at(0));
        mine = T{};
        return all;
    }

    Estimate estimate_of(const MetricRequest& request) {
        switch (request.facts->source) {
            case Source::composite:
                return composite(request);
            case Source::class_wise:
                return adaptive(request);
            default:
                break;
        }
        const auto accumulator = request.facts->accumulate(context(request));
        const Shared& shared = shared_.at(accumulator->key());
        return estimate(request, shape_, *shared.accumulator, shared.state, group_sizes_, options_.resampling);
    }

    std::uint64_t labelled_items() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t size : group_sizes_) sum += size;
        return sum;
    }

    Estimate adaptive(const MetricRequest& request) {
        Estimate result;
        Value& value = result.value;
        value.n = labelled_items();
        const std::string& variant = request.parameters.at("variant");
        const bool top = variant == "top_label";
        if (!shape_.probabilities) {
            value.undefined = "the class map decides without giving probabilities";
        } else if (!top && !shape_.full_rows) {
            value.undefined = fmt::format("the store keeps {} only: class-wise bins need every class's probability",
                                          name_of(store_.spec().keep));
        } else if (value.n == 0) {
            value.undefined = "no item has exactly one valid label";
        }
        if (!value.undefined.empty()) return result;
        const ClassWiseSums& sums = class_wise(std::stoi(request.parameters.at("bins")), top);
        const std::size_t offset = variant == "class_wise_equal" ? real_slots : 0;
        const double classes = top ? 1 : shape_.classes;
        value.value = real_of(sums.sums.data() + offset) / classes;
        for (std::size_t g = 0; g < group_count; ++g) {
            if (group_sizes_[g] == 0) continue;
            result.without.push_back(real_of(sums.without.data() + g * 2 * real_slots + offset) / classes);
        }
        return result;
    }

    const ClassWiseSums& class_wise(int bins, bool top) {
        const auto [found, added] = class_wise_.try_emplace({bins, top});
        if (!added) return found->second;
        ClassWiseOptions how{.bins = bins, .threads = threads_, .scratch_bytes = options_.scratch_bytes};
        ClassWiseSums& sums = found->second;
        how.keep_edges = options_.null_draws > 0;
        if (top) {
            how.last_class = 1;
            sums = class_wise_sums(TopConfidence(rows_), how);  // small: every rank does all of it
            return sums;
        }
        const std::uint64_t classes = shape_.classes, ranks = static_cast<std::uint64_t>(comm_.size());
        const auto share = [&](int rank) {
            return static_cast<std::uint32_t>(classes * static_cast<std::uint64_t>(rank) / ranks);
        };
        how.first_class = share(comm_.rank());
        how.last_class = share(comm_.rank() + 1);
        agree(comm_, [&] { sums = class_wise_sums(rows_, how); });
        add_over_ranks(comm_, sums.sums);
        add_over_ranks(comm_, sums.without);
        if (how.keep_edges) join_edges(sums.edges);
        return sums;
    }

    // Each rank holds the edges of its classes; the null needs those of all.
    void join_edges(std::vector<ClassEdges>& edges) {
        if (comm_.size() == 1) return;
        std::vector<double> flat;  // m, then bounds, confidence and members, class by class; -1 for nothing
        std::size_t width = 0;
        for (const ClassEdges& e : edges) width = std::max(width, e.members.size());
        std::uint64_t widest = 0;
        for (const auto& part : gather<std::uint64_t>(comm_, std::vector<std::uint64_t>{width}))
            widest = std::max(widest, part.at(0));
        for (const ClassEdges& e : edges) {
            std::vector<double> one(1 + 3 * widest, -1);
            if (!e.members.empty()) {
                one[0] = static_cast<double>(e.m);
                std::copy(e.bounds.begin(), e.bounds.end(), one.begin() + 1);
                std::copy(e.confidence.begin(), e.confidence.end(),
                          one.begin() + 1 + static_cast<std::ptrdiff_t>(widest));
                std::copy(e.members.begin(), e.members.end(),
                          one.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(widest));
            }
            flat.insert(flat.end(), one.begin(), one.end());
        }
        const std::size_t row = 1 + 3 * widest;
        for (const auto& part : gather<double>(comm_, flat)) {
            for (std::size_t c = 0; c < edges.size(); ++c) {
                const auto at = part.begin() + static_cast<std::ptrdiff_t>(c * row);
                if (*at < 0) continue;
                const auto step = static_cast<std::ptrdiff_t>(widest);
                edges[c].m = static_cast<std::uint64_t>(*at);
                edges[c].bounds.assign(at + 1, at + step);
                edges[c].confidence.assign(at + 1 + step, at + 1 + 2 * step);
                edges[c].members.assign(at + 1 + 2 * step, at + 1 + 3 * step);
            }
        }
    }

    Estimate composite(const MetricRequest& request) {
        Estimate result;
        double product = 1;
        const double power = 1 / static_cast<double>(request.facts->parts.size());
        std::vector<double> without;
        for (const auto part : request.facts->parts) {
            const MetricRequest inner = parse_metric(part);
            const Estimate one = estimate_of(inner);
            result.value.n = one.value.n;
            if (!one.value.value) {
                result.value.undefined = fmt::format("{} is undefined: {}", inner.text(), one.value.undefined);
                return result;
            }
            product *= *one.value.value;
            without.resize(one.without.size(), 1.0);
            for (std::size_t g = 0; g < without.size(); ++g) without[g] *= one.without[g];
        }
        result.value.value = std::pow(product, power);
        for (double& x : without) x = std::pow(x, power);
        result.without = std::move(without);
        return result;
    }

    Measurement measure(const MetricRequest& request, const Estimate& estimate) const {
        const MetricFacts& facts = *request.facts;
        Measurement m;
        m.key.metric = facts.name == "topk" ? "top" + request.parameters.at("k") : std::string(facts.name);
        m.key.definition = request.definition();
        m.key.parameters = request.parameters;
        m.key.model = store_.spec().model_name;
        m.key.dataset = store_.spec().dataset_name;
        m.key.subgroup = subgroup_;
        m.value = estimate.value.value;
        m.undefined = estimate.value.undefined;
        m.n = estimate.value.n;
        m.left_out = set_.report.counts.items - std::min(set_.report.counts.items, m.n);
        m.note = estimate.value.note;
        m.higher_is_better = facts.higher_is_better;
        if (!m.value) return m;
        m.interval = estimate.value.interval;
        if (!m.interval && facts.uncertainty != Uncertainty::closed_form) {
            m.interval = interval_of(*m.value, estimate.without, estimate.replicates, options_.resampling.level);
            if (m.interval) {
                m.interval->low = std::max(facts.low, m.interval->low);
                m.interval->high = std::min(facts.high, m.interval->high);
            } else {
                m.note += m.note.empty() ? "" : "; ";
                m.note += "no interval from a single item";
            }
        }
        return m;
    }

    // Calibration errors again with labels drawn from the probabilities: what would remain without any miscalibration.
    void add_null() {
        std::vector<NullMetric> metrics;
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < set_.requests.size(); ++i) {
            const MetricRequest& request = set_.requests[i];
            if (!set_.report.measurements[i].value || !shape_.full_rows) continue;
            NullMetric metric{&request};
            if (request.facts->name == "ace") {
                metric.top_label = request.parameters.at("variant") == "top_label";
                metric.sums = &class_wise(std::stoi(request.parameters.at("bins")), metric.top_label);
            } else if (request.facts->name == "ece") {
                metric.accumulator = request.facts->accumulate(context(request));
            } else {
                continue;
            }
            metrics.push_back(metric);
            which.push_back(i);
        }
        const auto values =
            calibrated_null(rows_, metrics, options_.null_draws, options_.resampling.seed, threads_, comm_);
        for (std::size_t k = 0; k < which.size(); ++k) {
            Measurement& m = set_.report.measurements[which[k]];
            double sum = 0, reached = 1;
            for (const double x : values[k]) {
                sum += x;
                reached += x >= *m.value ? 1 : 0;
            }
            const auto draws = static_cast<double>(options_.null_draws);
            m.calibrated_null = {sum / draws, reached / (1 + draws), options_.null_draws};
            if (set_.requests[which[k]].facts->name == "ece") m.note.clear();  // the rough floor
        }
    }

    void per_class() {
        const auto state = shared_.at("classes").state;
        const std::size_t slots = std::size_t{shape_.classes} * class_slots;
        std::vector<std::int64_t> total(slots, 0);
        for (std::size_t g = 0; g < group_count; ++g) {
            for (std::size_t k = 0; k < slots; ++k) total[k] += state[g * slots + k];
        }
        for (std::size_t c = 0; c < shape_.classes; ++c) {
            const std::int64_t* const cls = total.data() + c * class_slots;
            ClassResult& result = set_.report.per_class.emplace_back();
            result.n = static_cast<std::uint64_t>(cls[class_items]);
            result.correct = static_cast<std::uint64_t>(cls[class_hits]);
            if (result.n == 0) continue;
            const auto n = static_cast<double>(result.n);
            result.accuracy = static_cast<double>(result.correct) / n;
            result.interval = wilson(result.correct, result.n, options_.resampling.level);
            if (!shape_.probabilities) continue;
            result.confidence = real_of(cls + class_confidence) / n;
            if (cls[class_unknown] == 0) result.target_probability = real_of(cls + class_target) / n;
        }
        for (const auto& [pair, count] : confused_) set_.report.confusions.push_back({pair.first, pair.second, count});
        const auto more = [](const Confusion& a, const Confusion& b) {
            return a.count != b.count ? a.count > b.count
                                      : std::pair(a.truth, a.predicted) < std::pair(b.truth, b.predicted);
        };
        auto& list = set_.report.confusions;
        std::sort(list.begin(), list.end(), more);
        if (list.size() > options_.confusions) list.resize(options_.confusions);
    }

    void answers() {
        set_.targets.resize(rows_.records().size());
        set_.right.resize(rows_.records().size());
        for (std::size_t i = 0; i < set_.targets.size(); ++i) {
            set_.targets[i] = rows_.target(i);
            const ItemRecord& record = rows_.records()[i];
            const auto labels = labels_[static_cast<std::size_t>(rows_.row_of(i))];
            const bool counted = record.factor != 0 && !labels.empty();
            set_.right[i] = !counted ? 2 : std::binary_search(labels.begin(), labels.end(), record.predicted) ? 1 : 0;
        }
        set_.records = std::move(rows_.records());
    }

    void warnings() {
        ScoreReport& report = set_.report;
        const std::int64_t looked = sampled_[0], odd = sampled_[1];
        if (odd > 0 && store_.spec().kind == ScoreKind::logits && 2 * odd > looked) {
            report.warnings.push_back(fmt::format(
                "{} of {} rows looked at lie in [0, 1] and sum to 1 (or to more than 2): the scores look like "
                "probabilities, yet the store calls them logits, and a second softmax ruins every calibration value",
                odd, looked));
        } else if (odd > 0 && store_.spec().kind == ScoreKind::probabilities) {
            report.warnings.push_back(fmt::format(
                "{} of {} rows looked at do not sum to 1 within 0.01 or leave [0, 1]: they are no probabilities over "
                "exclusive classes",
                odd, looked));
        }
    }

    const PredictionStore& store_;
    const LabelSets& labels_;
    const ScoreOptions& options_;
    const std::string subgroup_;
    Comm& comm_;
    ScoredRows rows_;
    const Shape shape_;
    const int threads_;
    std::map<std::string, Shared> shared_;
    std::map<std::pair<int, bool>, ClassWiseSums> class_wise_;
    std::mutex mutex_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> confused_;
    std::vector<std::uint64_t> group_sizes_ = std::vector<std::uint64_t>(group_count, 0);
    std::vector<std::int64_t> sampled_;
    ScoredSet set_;
};

}  // namespace

std::optional<Interval> interval_of(double value, std::span<const double> without, std::span<const double> replicates,
                                    double level) {
    if (without.size() < 2) return std::nullopt;
    if (replicates.size() < 2) {
        return symmetric_interval(value, jackknife_standard_error(without), level, "jackknife",
                                  static_cast<double>(without.size() - 1));
    }
    double mean = 0, squares = 0;
    for (const double x : replicates) mean += x;
    mean /= static_cast<double>(replicates.size());
    for (const double x : replicates) squares += (x - mean) * (x - mean);
    return symmetric_interval(value, std::sqrt(squares / static_cast<double>(replicates.size() - 1)), level,
                              "bootstrap.normal");
}

ScoredSet score_set(const PredictionStore& store, const OpenShards& shards, const LabelSets& labels,
                    const ScoreOptions& options, std::vector<std::uint64_t> rows, std::string_view subgroup,
                    Comm& comm) {
    return Run(store, shards, labels, options, std::move(rows), subgroup, comm).run();
}

}  // namespace assay
