#include "assay/evaluate/streaming_score.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/byte_fields.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "evaluate/metric_states.h"
#include "evaluate/score_tables.h"
#include "evaluate/scored_rows.h"
#include "evaluate/truth.h"

namespace assay {
namespace {

bool is_sum(const MetricRequest& request) {
    if (request.facts->source == Source::composite) {
        return std::ranges::all_of(
            request.facts->parts, [](std::string_view part) { return is_sum(parse_metric(part)); });
    }
    return request.facts->source == Source::accumulated;
}

/// Of the requests, those that are sums; the others are named in `note`, or refused.
std::vector<MetricRequest> sums_among(std::vector<MetricRequest> requests, bool refuse,
                                      std::string& note) {
    std::string others;
    std::erase_if(requests, [&](const MetricRequest& request) {
        if (is_sum(request)) return false;
        others += (others.empty() ? "" : ", ") + request.text();
        return true;
    });
    if (others.empty()) return requests;
    const std::string why =
        fmt::format("{} go over all rows once more, which a stream does not keep", others);
    if (refuse) throw Error(ErrorCode::usage, why + ": measure them of a store");
    note = why + ": left out";
    return requests;
}

ScoreOptions options_for_rows(const StreamingOptions& options) {
    ScoreOptions one;
    one.resampling = options.measure.resampling;
    one.threads = options.measure.threads;
    one.confusions = options.confusions;
    if (options.reliability) one.reliability = reliability_of(options.measure);
    return one;
}

void check_not_taken(const MeasureOptions& measure) {
    const auto refuse = [](std::string_view what) {
        throw Error(ErrorCode::usage, fmt::format("a stream takes no {}", what));
    };
    if (!measure.labels.empty() || measure.label_sets)
        refuse("file of labels: labels come with each batch");
    if (!measure.class_map.empty()) refuse("class map");
    if (!measure.gates.empty()) refuse("gates: check them against its report");
    if (measure.null_draws > 0) refuse("calibrated null, which draws labels for all rows again");
}

std::string texts_of(const std::vector<MetricRequest>& list) {
    std::string text;
    for (const MetricRequest& request : list) text += request.text() + " ";
    return text;
}

// ---- the state as bytes ----

constexpr std::string_view state_mark = "assay.stream/1";

[[noreturn]] void refuse_state(std::string_view what) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the state of these metrics cannot be read: {}", what));
}

void write_names(FieldWriter& out, const ClassList& classes) {
    out.number(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) out.text(classes.id(c)).text(classes.name(c));
}

ClassList read_names(FieldReader& in) {
    std::vector<std::string> ids(in.count()), names(ids.size());
    for (std::size_t c = 0; c < ids.size(); ++c) {
        ids[c] = in.text();
        names[c] = in.text();
    }
    return ids.empty() ? ClassList{} : ClassList(std::move(ids), std::move(names));
}

void write_shape(FieldWriter& out, const Shape& shape) {
    out.number(shape.classes).number(shape.probabilities).number(shape.ranking);
    out.number(shape.full_rows).number(shape.kept).number(shape.most_labels);
    out.number(shape.only_valid).text(shape.no_cues);
}

Shape read_shape(FieldReader& in, std::size_t classes) {
    Shape shape;
    shape.classes = static_cast<std::uint32_t>(in.number(classes));
    if (shape.classes != classes) refuse_state("its classes are not those that it names");
    shape.probabilities = in.flag();
    shape.ranking = in.flag();
    shape.full_rows = in.flag();
    shape.kept = static_cast<std::uint32_t>(in.number(classes));
    shape.most_labels = static_cast<std::uint32_t>(in.number(most_labels_per_image));
    shape.only_valid = in.flag();
    shape.no_cues = in.text();
    return shape;
}

template <class Counts>
auto fields_of(Counts& c) {
    static_assert(sizeof(ScoreCounts) == 8 * sizeof(std::uint64_t), "a new count belongs here");
    return std::array{&c.items,  &c.missing,    &c.unreadable,  &c.not_finite,
                      &c.scored, &c.unlabelled, &c.multi_label, &c.unnamed};
}

void write_score_counts(FieldWriter& out, const ScoreCounts& counts) {
    for (const std::uint64_t* count : fields_of(counts)) out.number(*count);
}

void read_score_counts(FieldReader& in, ScoreCounts& counts) {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    for (std::uint64_t* count : fields_of(counts)) *count = in.number(most);
}

/// The group is not known yet.
void write_row(FieldWriter& out, const RowFacts& row) {
    static_assert(sizeof(RowFacts) == 80, "a new fact belongs here and into read_row()");
    out.small(row.predicted).small(row.rank).small(row.hits).number(row.target_known);
    out.real(row.confidence).real(row.target_probability).real(row.log_target).real(row.square_sum);
    out.real(row.scale.shift).real(row.scale.factor);
    out.number(row.item).small(row.target).number(row.valid).number(row.in_set);
    out.small(row.shape_cue).small(row.texture_cue);
}

RowFacts read_row(FieldReader& in, std::uint64_t items, const Shape& shape) {
    const auto place = [&] {  // -1, or a class, or a number of classes
        const std::int64_t value = in.small();
        if (value < -1 || value > std::int64_t{shape.classes})
            refuse_state("a row of classes that are not there");
        return static_cast<std::int32_t>(value);
    };
    const auto cls = [&] {
        const std::int32_t value = place();
        if (std::cmp_equal(value, shape.classes))
            refuse_state("a row of classes that are not there");
        return value;
    };
    const auto real = [&](double low, double high) {
        const double value = in.real();
        if (!(value >= low && value <= high)) refuse_state("a number that no row can have");
        return value;
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    RowFacts row;
    row.predicted = cls();
    row.rank = place();
    row.hits = place();
    row.target_known = in.flag();
    row.confidence = static_cast<float>(real(0, 1));
    row.target_probability = static_cast<float>(real(0, 1));
    row.log_target = real(-infinity, infinity);
    row.square_sum = real(0, infinity);
    row.scale.shift = static_cast<float>(real(-infinity, infinity));
    row.scale.factor = static_cast<float>(real(0, infinity));
    row.item = in.number(items == 0 ? 0 : items - 1);
    if (row.item / group_stretch != items / group_stretch)
        refuse_state("a row that should not wait for others");
    row.target = cls();
    row.valid = static_cast<std::uint32_t>(in.number(shape.classes));
    row.in_set = in.flag();
    row.shape_cue = cls();
    row.texture_cue = cls();
    return row;
}

}  // namespace

struct StreamingScore::Impl {
    StreamingOptions options;
    ScoreOptions score;
    bool with_targets = false, with_sets = false;  // of every batch
    std::optional<MetricStates> states;            // once there was a batch
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    ClassList names;
    ScoreCounts counts;
    std::vector<std::uint64_t> label_counts;
    bool several = false;  // some set has several members
    std::int64_t sampled = 0, suspicious = 0;
    std::vector<std::string> notes;
    std::vector<RowFacts> pending;  // of the last stretch of rows, whose groups are not known yet

    explicit Impl(StreamingOptions given) : options(std::move(given)) {
        check_not_taken(options.measure);
        assay::check(options.measure, false);
        score = options_for_rows(options);
        if (!options.measure.metrics.empty()) requests();  // says at once what cannot be
    }

    /// Named, or the default ones for labels of this form. Those that are no sums are refused where
    /// they are named.
    std::vector<MetricRequest> requests() {
        LabelCoverage coverage;
        coverage.labelled = 1;
        coverage.single = with_sets && !with_targets ? 0 : 1;
        coverage.several = with_sets;
        std::string note;
        std::vector<MetricRequest> list =
            sums_among(metrics_of(options.measure, coverage, false).metrics,
                       !options.measure.metrics.empty(), note);
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
        // Which numbers of labels occur is known at the end: the sums are of all of them.
        const std::vector<std::uint64_t> any(most_labels_per_image + 1, 1);
        for (const MetricRequest& request : expand_labels_per_image(score.metrics, any))
            states->prepare(request);
        if (score.reliability) states->prepare(*score.reliability);
    }

    /// The facts of the rows of one stretch, which has `items` of them in all.
    static void deal(std::span<RowFacts> facts, std::uint64_t items) {
        if (facts.empty()) return;
        const std::uint64_t stretch = facts.front().item / group_stretch;
        const auto places = group_places(stretch, stretch * group_stretch + items);
        for (RowFacts& fact : facts) {
            fact.group = static_cast<std::uint16_t>(
                places[static_cast<std::size_t>(fact.item % group_stretch)] % group_count);
        }
    }

    /// Takes the facts of the batch's rows; those of stretches that are whole become sums.
    void take(std::vector<RowFacts>& facts) {
        const std::uint64_t whole = counts.items / group_stretch;
        for (std::size_t begin = 0; begin < facts.size();) {
            const std::uint64_t stretch = facts[begin].item / group_stretch;
            if (!pending.empty() && pending.front().item / group_stretch != stretch) flush();
            std::size_t end = begin;
            while (end < facts.size() && facts[end].item / group_stretch == stretch) ++end;
            pending.insert(pending.end(), facts.begin() + static_cast<std::ptrdiff_t>(begin),
                           facts.begin() + static_cast<std::ptrdiff_t>(end));
            begin = end;
        }
        if (!pending.empty() && pending.front().item / group_stretch < whole) flush();
    }
    void flush() {
        deal(pending, group_stretch);
        states->add(pending);
        pending.clear();
    }

    void write(FieldWriter& out) const;
    void read(FieldReader& in);
};

void StreamingScore::Impl::write(FieldWriter& out) const {
    write_names(out, options.names);
    out.number(states ? 1 : 0);
    if (!states) return;
    out.number(with_targets).number(with_sets);
    out.number(static_cast<std::uint64_t>(kind)).number(static_cast<std::uint64_t>(storage));
    write_names(out, names);
    write_shape(out, states->shape());
    out.text(texts_of(score.metrics));
    states->write(out);
    write_score_counts(out, counts);
    out.number(label_counts.size());
    for (const std::uint64_t count : label_counts) out.number(count);
    out.small(sampled).small(suspicious);
    out.number(notes.size());
    for (const std::string& note : notes) out.text(note);
    out.number(pending.size());
    for (const RowFacts& row : pending) write_row(out, row);
}

void StreamingScore::Impl::read(FieldReader& in) {
    options.names = read_names(in);
    if (!in.flag()) return;
    with_targets = in.flag();
    with_sets = in.flag();
    kind = static_cast<ScoreKind>(in.number(static_cast<std::uint64_t>(ScoreKind::labels)));
    storage =
        static_cast<StorageFormat>(in.number(static_cast<std::uint64_t>(StorageFormat::label)));
    names = read_names(in);
    states.emplace(read_shape(in, names.size()), options.measure.resampling);
    score.metrics = requests();
    if (in.text() != texts_of(score.metrics)) refuse_state("it is of other metrics");
    prepare();
    states->read(in);
    read_score_counts(in, counts);
    label_counts.resize(in.count());
    for (std::uint64_t& count : label_counts) count = in.number(counts.items);
    sampled = in.small();
    suspicious = in.small();
    notes.resize(in.count());
    for (std::string& note : notes) note = in.text();
    pending.resize(static_cast<std::size_t>(in.number(group_stretch)));
    for (RowFacts& row : pending) row = read_row(in, counts.items, states->shape());
}

StreamingScore::StreamingScore(StreamingOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
StreamingScore::~StreamingScore() = default;
StreamingScore::StreamingScore(StreamingScore&&) noexcept = default;
StreamingScore& StreamingScore::operator=(StreamingScore&&) noexcept = default;

void StreamingScore::update(const ScoreMatrix& scores, const LabelSets* targets,
                            const LabelSets* sets) {
    Impl& all = *impl_;
    const bool first = !all.states;
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
                    fmt::format("this batch is of {} scores, the first of {}",
                                name_of(batch.spec().storage), name_of(all.storage)));
    ScoreOptions labels = all.score;
    if (sets != nullptr) labels.labels = *sets;
    Truth truth = truth_for(batch, labels);
    // In a batch of which no row has a single label, sets do not stand in for them.
    if (targets != nullptr) truth.targets = OnlyMembers(*targets);
    const RowReader reader(batch);
    ScoredRows rows(reader, truth, {}, {});

    // Nothing is kept before the whole batch was read.
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
    }
    const std::uint64_t before = all.counts.items;
    add_counts(all.counts, counts);
    all.sampled += static_cast<std::int64_t>(rows.sampled());
    all.suspicious += static_cast<std::int64_t>(rows.suspicious());
    const std::vector<std::uint64_t>& with = rows.label_counts();
    all.label_counts.resize(std::max(all.label_counts.size(), with.size()));
    for (std::size_t g = 0; g < with.size(); ++g) all.label_counts[g] += with[g];
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
        all.score.metrics = more.score.metrics;
        all.states.emplace(more.states->shape(), all.options.measure.resampling);
        all.prepare();
    } else if (all.kind != more.kind || all.names.ids() != more.names.ids() ||
               all.with_sets != more.with_sets || all.with_targets != more.with_targets ||
               texts_of(all.score.metrics) != texts_of(more.score.metrics)) {
        throw Error(ErrorCode::usage,
                    "streams of other metrics, classes, kinds of scores or labels do not add up");
    }
    all.states->merge(*more.states);
    std::vector<RowFacts> rest = more.pending;
    Impl::deal(rest, more.counts.items % group_stretch);
    all.states->add(rest);
    // Rows of this stream that wait for their groups must be followed by rows of its own stretch.
    const std::uint64_t own = all.counts.items;
    Impl::deal(all.pending, own % group_stretch);
    all.states->add(all.pending);
    all.pending.clear();
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
    return FieldWriter().text(state_mark).text(hash_text(body.bytes())).text(body.bytes()).take();
}

void StreamingScore::set_state(std::string_view bytes) {
    FieldReader in(bytes, refuse_state);
    if (in.text(64) != state_mark) refuse_state(fmt::format("it is no `{}`", state_mark));
    const std::string hash = in.text(64), body = in.text();
    in.finish();
    if (hash_text(body) != hash) refuse_state("its checksum is another");
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
    if (!all.states) throw Error(ErrorCode::usage, "there was no batch yet");
    // Rows that wait for their group get it now, in a copy of the sums.
    Shape shape = all.states->shape();
    MetricStates sums(shape, all.options.measure.resampling);
    const std::vector<MetricRequest> requests =
        expand_labels_per_image(all.score.metrics, all.label_counts);
    for (const MetricRequest& request : requests) sums.prepare(request);
    if (all.score.reliability) sums.prepare(*all.score.reliability);
    sums.merge(*all.states);
    std::vector<RowFacts> rest = all.pending;
    Impl::deal(rest, all.counts.items % group_stretch);
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
    const std::function<ResampledEstimate(const MetricRequest&)> estimate_of =
        [&](const MetricRequest& request) {
            return request.facts->source == Source::composite ? composite_of(request, estimate_of)
                                                              : sums.estimate(request);
        };
    // Sets of which none has several members are single labels.
    if (!all.label_counts.empty() && all.label_counts.size() <= 2) shape.only_valid = false;
    for (const MetricRequest& request : requests)
        report.measurements.push_back(measurement_of(request, estimate_of(request), shape, on,
                                                     all.options.measure.resampling.level));
    sums.fill(report, all.score.reliability ? &*all.score.reliability : nullptr);
    report.classes = all.names;
    name_classes(report);
    fill_confusions(report, sums.confusions(), all.score.confusions);
    add_kind_warning(report, all.kind, all.sampled, all.suspicious);
    return report;
}

}  // namespace assay
