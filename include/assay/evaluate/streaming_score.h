// Metrics of scores that come in batches and are not kept: in a training or evaluation loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/data/label_sets.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/score.h"
#include "assay/store/memory_store.h"

namespace assay {

struct StreamingOptions {
    MeasureOptions measure;     ///< `labels`, `class_map`, `gates` and `null_draws` are not taken
    std::uint32_t classes = 0;  ///< 0: as many as the first batch has columns
    ClassList names{};          ///< of the classes; empty: ImageNet's where there are 1000, else
                                ///< numbers
    std::optional<ScoreKind> kind{};  ///< none: as all rows of the first batch look
    std::string model = "model", dataset = "data";
    std::size_t confusions = 0;  ///< most frequent confusions kept in the report
    bool reliability = false;    ///< with the bins and the edge rule of `measure`
};

/// What score_store() gives for the same rows in the same order, to the last bit, of metrics that
/// are sums over rows (most: accuracies, losses, calibration in bins of equal width, metrics of
/// label sets). Metrics that go over the rows once more (ACE, AURC, AUROC, ...) need a store: asked
/// for by name they are refused; of the default ones they are left out, with a note. Memory: the
/// sums (some megabytes), and up to 2,048 rows' facts; nothing grows with the number of rows.
class StreamingScore {
public:
    /// Throws usage: metrics that are unknown, or need all rows.
    explicit StreamingScore(StreamingOptions options);
    ~StreamingScore();
    StreamingScore(StreamingScore&&) noexcept;
    StreamingScore& operator=(StreamingScore&&) noexcept;

    /// One more batch: `targets` the single label of each row (-1: none), or none of them; `sets`
    /// its valid classes, for metrics of label sets, or none. Every batch has the same of them as
    /// the first. A batch that is refused leaves no trace. Throws usage and bad_input as
    /// PredictionStore::in_memory() does, and for labels outside the classes.
    /// `rows`: the number of each row in the whole data set, from 0, below most_rows, each once; or
    /// none: the next ones. Every batch says them, or none does. With them rows may come in any
    /// order: the result is that of the whole data set in its own order. Memory: a bit for each.
    void update(const ScoreMatrix& scores, const LabelSets* targets, const LabelSets* sets,
                std::optional<std::span<const std::uint64_t>> rows = {});
    static constexpr std::uint64_t most_rows = std::uint64_t{1} << 40;
    /// Adds the rows of another stream with the same options. Where both know the numbers of their
    /// rows, both then give the bits of one stream; a row that is in both is refused (bad_input).
    /// Otherwise the other's rows come after. Groups of rows, from which some intervals follow,
    /// stay as each stream dealt them: values are those of one stream to the bit, intervals by
    /// groups equally good, but not the same bits.
    void merge(const StreamingScore& other);
    void reset();

    /// All that was added, as bytes for set_state(): for a copy, or another process. They hold the
    /// rows' sums, the classes' names and a checksum; a zero takes one byte.
    std::string state() const;
    /// Takes over what state() of a stream with the same options gave: from then on both give the
    /// same bits. What was added before is gone. Throws bad_input, and changes nothing: bytes that
    /// are damaged, of another version, or of a stream of other metrics.
    void set_state(std::string_view bytes);

    std::uint64_t rows() const noexcept;
    /// Of the rows so far; further ones may follow. Throws usage before the first.
    ScoreReport report() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
