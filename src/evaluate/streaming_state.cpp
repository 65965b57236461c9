#include "evaluate/streaming_state.h"

#include <array>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/hash.h"

namespace assay {
namespace {

constexpr std::string_view state_mark = "assay.stream/2";

void write_shape(FieldWriter& out, const Shape& shape) {
    out.number(shape.classes).number(shape.probabilities).number(shape.ranking);
    out.number(shape.full_rows).number(shape.kept).number(shape.most_labels);
    out.number(shape.only_valid).text(shape.no_cues);
}

Shape read_shape(FieldReader& in, std::size_t classes) {
    Shape shape;
    shape.classes = static_cast<std::uint32_t>(in.number(classes));
    if (shape.classes != classes) refuse_state("its classes do not match its list");
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

/// The group of these rows is not known yet.
void write_row(FieldWriter& out, const RowFacts& row) {
    static_assert(sizeof(RowFacts) == 80, "a new fact belongs here and into read_row()");
    out.small(row.predicted).small(row.rank).small(row.hits).number(row.target_known);
    out.real(row.confidence).real(row.target_probability).real(row.log_target).real(row.square_sum);
    out.real(row.scale.shift).real(row.scale.factor);
    out.number(row.item).small(row.target).number(row.valid).number(row.in_set);
    out.small(row.shape_cue).small(row.texture_cue);
}

RowFacts read_row(FieldReader& in, std::uint64_t rows, const Shape& shape) {
    const auto place = [&] {  // -1, a class, or the number of classes
        const std::int64_t value = in.small();
        if (value < -1 || value > std::int64_t{shape.classes})
            refuse_state("a row has classes that do not exist");
        return static_cast<std::int32_t>(value);
    };
    const auto cls = [&] {
        const std::int32_t value = place();
        if (std::cmp_equal(value, shape.classes))
            refuse_state("a row has classes that do not exist");
        return value;
    };
    const auto real = [&](double low, double high) {
        const double value = in.real();
        if (!(value >= low && value <= high)) refuse_state("a row has an impossible number");
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
    row.log_target = real(-infinity, 1);                  // at most 0, up to rounding
    row.square_sum = real(0, double{1} + shape.classes);  // sum of probabilities
    row.scale.shift = static_cast<float>(real(-infinity, infinity));
    row.scale.factor = static_cast<float>(real(0, infinity));
    row.item = in.number(rows == 0 ? 0 : rows - 1);
    if (row.item / group_stretch != rows / group_stretch)
        refuse_state("a row waits for others although it is complete");
    row.target = cls();
    row.valid = static_cast<std::uint32_t>(in.number(shape.classes));
    // Both maps find the slots of sums.
    if (std::cmp_greater(row.hits, row.valid))
        refuse_state("a row has more valid classes found than it has");
    row.in_set = in.flag();
    row.shape_cue = cls();
    row.texture_cue = cls();
    return row;
}

}  // namespace

void refuse_state(std::string_view what) {
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

void write_form(FieldWriter& out, const StreamedRows& stream, const Shape& shape) {
    out.number(stream.with_targets).number(stream.with_sets);
    out.number(static_cast<std::uint64_t>(stream.kind));
    out.number(static_cast<std::uint64_t>(stream.storage));
    write_names(out, stream.names);
    write_shape(out, shape);
}

Shape read_form(FieldReader& in, StreamedRows& stream) {
    stream.with_targets = in.flag();
    stream.with_sets = in.flag();
    stream.kind = static_cast<ScoreKind>(in.number(static_cast<std::uint64_t>(ScoreKind::labels)));
    stream.storage =
        static_cast<StorageFormat>(in.number(static_cast<std::uint64_t>(StorageFormat::label)));
    stream.names = read_names(in);
    return read_shape(in, stream.names.size());
}

void write_rows(FieldWriter& out, const StreamedRows& stream) {
    write_score_counts(out, stream.counts);
    out.number(stream.label_counts.size());
    for (const std::uint64_t count : stream.label_counts) out.number(count);
    out.small(stream.sampled).small(stream.suspicious);
    out.number(stream.notes.size());
    for (const std::string& note : stream.notes) out.text(note);
    out.number(stream.seen ? 1 : 0);
    if (stream.seen) stream.seen->write(out);
    out.number(stream.pending.size());
    for (const RowFacts& row : stream.pending) write_row(out, row);
}

void read_rows(FieldReader& in, StreamedRows& stream, const Shape& shape) {
    read_score_counts(in, stream.counts);
    stream.label_counts.resize(in.count());
    for (std::uint64_t& count : stream.label_counts) count = in.number(stream.counts.items);
    stream.sampled = in.small();
    stream.suspicious = in.small();
    stream.notes.resize(in.count());
    for (std::string& note : stream.notes) note = in.text();
    if (in.flag()) {
        stream.seen.emplace().read(in);
        if (stream.seen->count() != stream.counts.items)
            refuse_state("its rows and its counts do not match");
    }
    stream.pending.resize(static_cast<std::size_t>(in.number(group_stretch)));
    for (RowFacts& row : stream.pending) row = read_row(in, stream.end(), shape);
}

std::string sealed_state(std::string_view body) {
    return FieldWriter().text(state_mark).text(hash_text(body)).text(body).take();
}

std::string opened_state(std::string_view bytes) {
    FieldReader in(bytes, refuse_state);
    if (in.text(64) != state_mark) refuse_state(fmt::format("it is not a `{}`", state_mark));
    const std::string hash = in.text(64);
    std::string body = in.text();
    in.finish();
    if (hash_text(body) != hash) refuse_state("its checksum does not match");
    return body;
}

}  // namespace assay
