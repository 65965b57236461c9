#include "assay/evaluate/streaming_score.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/byte_fields.h"
#include "core/parallel.h"
#include "evaluate/metric_states.h"
#include "evaluate/score_tables.h"
#include "evaluate/scored_rows.h"
#include "evaluate/streaming_state.h"
#include "evaluate/truth.h"
#include "metric/pass.h"
#include "store/same_data.h"

namespace assay {
namespace {

/// The requests that are sums. Others are named in `note`, or refused.
std::vector<MetricRequest> sums_among(std::vector<MetricRequest> requests, bool refuse,
                                      std::string& note) {
    std::string others;
    std::erase_if(requests, [&](const MetricRequest& request) {
        if (pass_of(request).of_sums()) return false;
        others += (others.empty() ? "" : ", ") + request.text();
        return true;
    });
    if (others.empty()) return requests;
    const std::string why =
        fmt::format("{} need a second pass over all rows, which a stream does not keep", others);
    if (refuse) throw Error(ErrorCode::usage, why + ": measure them from a store");
    note = why + ": skipped";
    return requests;
}

ScoreOptions options_for_rows(const StreamingOptions& options) {
    ScoreOptions one;
    one.resampling = options.measure.resampling;
    one.threads = options.measure.threads;
    one.confusions = options.confusions;
    if (options.reliability) one.reliability = reliability_of(options.measure);  // or refuses it
    if (options.rows_kept) one.reliability.reset();
    return one;
}

void check_not_taken(const MeasureOptions& measure) {
    const auto refuse = [](std::string_view what) {
        throw Error(ErrorCode::usage, fmt::format("a stream does not support {}", what));
    };
    if (!measure.labels.empty() || measure.label_sets)
        refuse("file of labels: labels come with each batch");
    if (!measure.class_map.empty()) refuse("class map");
    if (!measure.cluster.empty()) refuse("--cluster, which needs the clusters of all rows");
    if (!measure.gates.empty()) refuse("gates: check them against its report");
    if (measure.null_draws > 0) refuse("calibrated_null, which needs all rows again");
}

[[noreturn]] void refuse_twice(std::uint64_t row) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("row {} appears twice; each row of the data set is measured once", row));
}

void check_places(std::span<const std::uint64_t> places, std::uint64_t rows, const SeenRows* seen) {
    if (places.size() != rows)
        throw Error(ErrorCode::usage, fmt::format("the numbers of {} rows for {} rows of scores",
                                                  places.size(), rows));
    for (const std::uint64_t row : places) {
        if (row < StreamingScore::most_rows) continue;
        throw Error(ErrorCode::bad_input, fmt::format("row {} is too large; the limit is {}", row,
                                                      StreamingScore::most_rows - 1));
    }
    if (const auto twice = SeenRows::twice(places, seen)) refuse_twice(*twice);
}

std::string texts_of(const std::vector<MetricRequest>& list) {
    std::string text;
    for (const MetricRequest& request : list) text += request.text() + " ";
    return text;
}

}  // namespace

struct StreamingScore::Impl : StreamedRows {
    StreamingOptions options;
    ScoreOptions score;
    std::optional<MetricStates> states;  // set after the first batch

    explicit Impl(StreamingOptions given) : options(std::move(given)) {
        check_not_taken(options.measure);
        assay::check(options.measure, false);
        score = options_for_rows(options);
        if (!options.measure.metrics.empty()) requests();  // reports impossible requests at once
    }

    /// The named metrics, or the default ones for labels of this form. Named metrics that are not
    /// sums are refused. If the caller keeps the rows, there is nothing to add up.
    std::vector<MetricRequest> requests() {
        LabelCoverage coverage;
        coverage.labelled = 1;
        coverage.single = with_sets && !with_targets ? 0 : 1;
        coverage.several = with_sets;
        std::string note;
        std::vector<MetricRequest> list = metrics_of(options.measure, coverage, false).metrics;
        if (options.rows_kept) return {};
        list = sums_among(std::move(list), !options.measure.metrics.empty(), note);
        if (!note.empty()) notes.push_back(std::move(note));
        return list;
    }

    void begin(const PredictionStore& batch, const RowReader& reader,
               std::vector<std::string> found) {
        kind = batch.spec().kind;
        storage = batch.spec().storage;
        names = batch.dataset().classes;
        notes = std::move(found);
        Shape shape;
        shape.classes = reader.classes();
        shape.full_rows = reader.full();
        shape.kept = reader.full() || !reader.ranks() ? 0 : reader.depth();
        shape.probabilities = reader.has_probabilities();
        shape.ranking = reader.ranks();
        shape.most_labels = with_sets ? most_labels_per_image : 1;
        shape.only_valid = with_sets && !with_targets;
        states.emplace(shape, options.measure.resampling);
        score.metrics = requests();
        prepare();
    }

    void prepare() {
        // The existing numbers of labels are only known at the end, so the sums cover all numbers.
        const std::vector<std::uint64_t> any(most_labels_per_image + 1, 1);
        for (const MetricRequest& request : expand_labels_per_image(score.metrics, any))
            states->prepare(request);
        if (score.reliability) states->prepare(*score.reliability);
    }

    /// Assigns groups to the rows of one stretch, which has `items` rows in total.
    static void deal(std::span<RowFacts> facts, std::uint64_t items) {
        if (facts.empty()) return;
        const std::uint64_t stretch = facts.front().item / group_stretch;
        const auto places = group_places(stretch, stretch * group_stretch + items);
        for (RowFacts& fact : facts) {
            fact.group = static_cast<std::uint16_t>(
                places[static_cast<std::size_t>(fact.item % group_stretch)] % group_count);
        }
    }

    /// Adds facts in the order of their rows, which end() already counts. Facts of complete
    /// stretches (blocks of rows) are added to sums. The others are kept until their stretch is
    /// complete.
    void take(std::span<RowFacts> facts) {
        const std::uint64_t whole = end() / group_stretch;
        if (!pending.empty() && pending.front().item / group_stretch < whole) {
            deal(pending, group_stretch);
            states->add(pending);
            pending.clear();
        }
        while (!facts.empty()) {
            const std::uint64_t stretch = facts.front().item / group_stretch;
            std::size_t n = 1;
            while (n < facts.size() && facts[n].item / group_stretch == stretch) ++n;
            const std::span<RowFacts> run = facts.first(n);
            if (stretch < whole) {
                deal(run, group_stretch);
                states->add(run);
            } else {
                pending.insert(pending.end(), run.begin(), run.end());
            }
            facts = facts.subspan(n);
        }
    }
    /// The same for rows whose numbers are in `rows`, in the order of the batch.
    void take_placed(std::vector<std::vector<RowFacts>>& units,
                     std::span<const std::uint64_t> rows) {
        seen->add(rows);
        std::vector<RowFacts> all;
        for (std::vector<RowFacts>& unit : units) {
            for (RowFacts& fact : unit) fact.item = rows[static_cast<std::size_t>(fact.item)];
            all.insert(all.end(), unit.begin(), unit.end());
        }
        std::ranges::sort(all, {}, &RowFacts::item);
        take(all);
    }

    void write(FieldWriter& out) const;
    void read(FieldReader& in);
};

void StreamingScore::Impl::write(FieldWriter& out) const {
    write_names(out, options.names);
    out.number(states ? 1 : 0);
    if (!states) return;
    write_form(out, *this, states->shape());
    out.text(texts_of(score.metrics));
    states->write(out);
    write_rows(out, *this);
}

void StreamingScore::Impl::read(FieldReader& in) {
    options.names = read_names(in);
    if (!in.flag()) return;
    states.emplace(read_form(in, *this), options.measure.resampling);
    score.metrics = requests();
    if (in.text() != texts_of(score.metrics)) refuse_state("it belongs to other metrics");
    prepare();
    states->read(in);
    read_rows(in, *this, states->shape());
}

StreamingScore::StreamingScore(StreamingOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
StreamingScore::~StreamingScore() = default;
StreamingScore::StreamingScore(StreamingScore&&) noexcept = default;
StreamingScore& StreamingScore::operator=(StreamingScore&&) noexcept = default;

void StreamingScore::update(const ScoreMatrix& scores, const LabelSets* targets,
                            const LabelSets* sets,
                            std::optional<std::span<const std::uint64_t>> places) {
    Impl& all = *impl_;
    const bool first = !all.states;
    if (places) check_places(*places, scores.rows, all.seen ? &*all.seen : nullptr);
    if (!first && all.seen.has_value() != places.has_value())
        throw Error(ErrorCode::usage, "either every batch says which rows it has, or none does");
    if (!first && (all.with_targets != (targets != nullptr) || all.with_sets != (sets != nullptr)))
        throw Error(ErrorCode::usage,
                    "every batch has labels of the same form as the first: single ones, sets, or "
                    "both");
    MemoryStoreOptions how;
    how.dataset_name = all.options.dataset;
    how.model_name = all.options.model;
    how.kind = first ? all.options.kind : std::optional(all.kind);
    if (how.kind == ScoreKind::labels) how.kind.reset();
    how.classes = first ? all.options.names : all.names;
    how.class_count = all.options.classes;
    if (targets != nullptr) {
        how.labels = *targets;
    } else if (sets != nullptr) {
        how.labels = *sets;
    }
    std::vector<std::string> found;
    const PredictionStore batch = PredictionStore::in_memory(scores, how, &found);
    if (!first && batch.spec().storage != all.storage)
        throw Error(ErrorCode::usage,
                    fmt::format("this batch has {} scores per row, but the first had {}",
                                name_of(batch.spec().storage), name_of(all.storage)));
    ScoreOptions labels = all.score;
    if (sets != nullptr) labels.labels = *sets;
    Truth truth = truth_for(batch, labels);
    // In a batch in which no row has a single label, sets do not replace them.
    if (targets != nullptr) truth.targets = OnlyMembers(*targets);
    const RowReader reader(batch);
    ScoredRows rows(reader, truth, {}, {});

    // No row is added before the whole batch was read.
    std::vector<std::vector<RowFacts>> facts(rows.units());
    ScoreCounts counts;
    std::mutex mutex;
    constexpr std::uint64_t worth_a_thread = std::uint64_t{1} << 20;
    const bool small = scores.rows * batch.classes() < worth_a_thread;
    parallel_blocks(rows.units(), small ? 1 : resolve_threads(all.options.measure.threads),
                    [&](std::size_t unit) {
                        throw_if_stopped();
                        ScoreCounts own;
                        rows.score(unit, facts[unit], own);
                        const std::lock_guard lock(mutex);
                        add_counts(counts, own);
                    });

    if (first) {
        all.with_targets = targets != nullptr;
        all.with_sets = sets != nullptr;
        all.begin(batch, reader, std::move(found));
        if (places) all.seen.emplace();
    }
    const std::uint64_t before = all.counts.items;
    add_counts(all.counts, counts);
    all.sampled += static_cast<std::int64_t>(rows.sampled());
    all.suspicious += static_cast<std::int64_t>(rows.suspicious());
    const std::vector<std::uint64_t>& with = rows.label_counts();
    all.label_counts.resize(std::max(all.label_counts.size(), with.size()));
    for (std::size_t g = 0; g < with.size(); ++g) all.label_counts[g] += with[g];
    if (places) {
        all.take_placed(facts, *places);
        return;
    }
    for (std::vector<RowFacts>& unit : facts) {
        for (RowFacts& fact : unit) fact.item += before;
        all.take(unit);
    }
}

void StreamingScore::merge(const StreamingScore& other) {
    const Impl& more = *other.impl_;
    if (!more.states) return;
    Impl& all = *impl_;
    if (&all == &more) throw Error(ErrorCode::usage, "a stream cannot be added to itself");
    if (!all.states) {
        all.with_targets = more.with_targets;
        all.with_sets = more.with_sets;
        all.kind = more.kind;
        all.storage = more.storage;
        all.names = more.names;
        all.notes = more.notes;
        if (more.seen) all.seen.emplace();
        all.score.metrics = more.score.metrics;
        all.states.emplace(more.states->shape(), all.options.measure.resampling);
        all.prepare();
    } else if (all.kind != more.kind || !store::same_class_ids(all.names, more.names) ||
               all.with_sets != more.with_sets || all.with_targets != more.with_targets ||
               all.storage != more.storage ||
               texts_of(all.score.metrics) != texts_of(more.score.metrics)) {
        throw Error(
            ErrorCode::usage,
            "streams with different metrics, classes, kinds of scores or labels cannot be added");
    } else if (all.seen.has_value() != more.seen.has_value()) {
        throw Error(ErrorCode::usage,
                    "only one of the streams knows its row numbers, so they cannot be added");
    }
    if (all.seen) {
        if (const auto twice = all.seen->common(*more.seen)) refuse_twice(*twice);
        all.seen->merge(*more.seen);
        std::vector<RowFacts> rest = more.pending;
        std::ranges::sort(rest, {}, &RowFacts::item);
        all.states->merge(*more.states);
        all.take(rest);
    } else {
        all.states->merge(*more.states);
        std::vector<RowFacts> rest = more.pending;
        Impl::deal(rest, more.counts.items % group_stretch);
        all.states->add(rest);
        // Waiting rows must be followed by rows of their own stretch.
        Impl::deal(all.pending, all.counts.items % group_stretch);
        all.states->add(all.pending);
        all.pending.clear();
    }
    add_counts(all.counts, more.counts);
    all.sampled += more.sampled;
    all.suspicious += more.suspicious;
    all.label_counts.resize(std::max(all.label_counts.size(), more.label_counts.size()));
    for (std::size_t g = 0; g < more.label_counts.size(); ++g)
        all.label_counts[g] += more.label_counts[g];
}

void StreamingScore::reset() {
    *this = StreamingScore(std::move(impl_->options));
}

std::string StreamingScore::state() const {
    FieldWriter body;
    impl_->write(body);
    return sealed_state(body.bytes());
}

void StreamingScore::set_state(std::string_view bytes) {
    const std::string body = opened_state(bytes);
    auto made = std::make_unique<Impl>(impl_->options);
    FieldReader fields(body, refuse_state);
    made->read(fields);
    fields.finish();
    impl_ = std::move(made);
}

std::uint64_t StreamingScore::rows() const noexcept {
    return impl_->counts.items;
}

ScoreReport StreamingScore::report() const {
    const Impl& all = *impl_;
    if (all.options.rows_kept)
        throw Error(ErrorCode::usage,
                    "this stream only checks batches, because the caller keeps the rows: measure "
                    "them from a store");
    if (!all.states) throw Error(ErrorCode::usage, "there is no batch yet; call update() first");
    // Waiting rows now get their group, in a copy of the sums.
    Shape shape = all.states->shape();
    MetricStates sums(shape, all.options.measure.resampling);
    const std::vector<MetricRequest> requests =
        expand_labels_per_image(all.score.metrics, all.label_counts);
    for (const MetricRequest& request : requests) sums.prepare(request);
    if (all.score.reliability) sums.prepare(*all.score.reliability);
    sums.merge(*all.states);
    std::vector<RowFacts> rest = all.pending;
    Impl::deal(rest, all.end() % group_stretch);
    sums.add(rest);

    ScoreReport report;
    report.model = all.options.model;
    report.dataset = all.options.dataset;
    report.kind = all.kind;
    report.storage = all.storage;
    report.counts = all.counts;
    report.labels_per_image = all.label_counts;
    report.notes = all.notes;
    const MeasuredOn on{report.model, report.dataset, "", all.counts.items};
    PassRun run(sums, nullptr);
    // Sets that never have several members are single labels.
    if (!all.label_counts.empty() && all.label_counts.size() <= 2) shape.only_valid = false;
    for (const MetricRequest& request : requests)
        report.measurements.push_back(measurement_of(request, run.estimate(request), shape, on,
                                                     all.options.measure.resampling.level));
    sums.fill(report, all.score.reliability ? &*all.score.reliability : nullptr);
    report.classes = all.names;
    name_classes(report);
    report.confusions = most_frequent(sums.confusions(), all.score.confusions);
    add_kind_warning(report, all.kind, all.sampled, all.suspicious);
    return report;
}

}  // namespace assay
