// What a stream of scores knows beside its sums, and its bytes (StreamingScore::state()).
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
    bool with_targets = false, with_sets = false;  ///< of every batch
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    ClassList names;
    ScoreCounts counts;
    std::vector<std::uint64_t> label_counts;
    std::int64_t sampled = 0, suspicious = 0;
    std::vector<std::string> notes;
    std::vector<RowFacts> pending;  ///< of the last stretch of rows, whose groups are not known yet
    std::optional<SeenRows> seen;   ///< where every batch says which rows it has

    /// One more than the greatest row.
    std::uint64_t end() const { return seen ? seen->end() : counts.items; }
};

/// Throws bad_input, as all readers do on damaged bytes.
[[noreturn]] void refuse_state(std::string_view what);

void write_names(FieldWriter& out, const ClassList& classes);
ClassList read_names(FieldReader& in);
/// What all batches have in common.
void write_form(FieldWriter& out, const StreamedRows& stream, const Shape& shape);
Shape read_form(FieldReader& in, StreamedRows& stream);
/// What was counted, and the rows that wait.
void write_rows(FieldWriter& out, const StreamedRows& stream);
void read_rows(FieldReader& in, StreamedRows& stream, const Shape& shape);

/// The body with the mark of the format and a checksum, and back.
std::string sealed_state(std::string_view body);
std::string opened_state(std::string_view bytes);

}  // namespace assay
