// The data of a stream of scores besides its sums, and its form as bytes (StreamingScore::state()).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/store/prediction_store.h"
#include "core/byte_fields.h"
#include "evaluate/seen_rows.h"

namespace assay {

struct StreamedRows {
    bool with_targets = false, with_sets = false;  ///< true if every batch has them
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    ClassList names;
    ScoreCounts counts;
    std::vector<std::uint64_t> label_counts;
    std::int64_t sampled = 0, suspicious = 0;
    std::vector<std::string> notes;
    std::vector<RowFacts> pending;  ///< rows of the last stretch, whose groups are not known yet
    std::optional<SeenRows> seen;   ///< set if every batch has row numbers

    /// One more than the largest row.
    std::uint64_t end() const { return seen ? seen->end() : counts.items; }
};

/// Throws bad_input, as all readers do for damaged bytes.
[[noreturn]] void refuse_state(std::string_view what);

void write_names(FieldWriter& out, const ClassList& classes);
ClassList read_names(FieldReader& in);
/// Properties that all batches share.
void write_form(FieldWriter& out, const StreamedRows& stream, const Shape& shape);
Shape read_form(FieldReader& in, StreamedRows& stream);
/// The counts, and the waiting rows.
void write_rows(FieldWriter& out, const StreamedRows& stream);
void read_rows(FieldReader& in, StreamedRows& stream, const Shape& shape);

/// Adds the mark of the format and a checksum to the body, and removes them.
std::string sealed_state(std::string_view body);
std::string opened_state(std::string_view bytes);

}  // namespace assay
