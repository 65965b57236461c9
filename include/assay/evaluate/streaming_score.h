// Metrics for scores that arrive in batches and are not kept: in a training or evaluation loop.
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
    MeasureOptions measure;     ///< `labels`, `class_map`, `gates` and `null_draws` are not
                                ///< accepted
    std::uint32_t classes = 0;  ///< 0 means the number of columns of the first batch
    ClassList names{};          ///< class names; if empty, ImageNet's for 1000 classes, otherwise
                                ///< numbers
    std::optional<ScoreKind> kind{};  ///< without a value, the kind is determined from all rows of
                                      ///< the first batch
    std::string model = "model", dataset = "data";
    std::size_t confusions = 0;  ///< number of most frequent confusions in the report
    bool reliability = false;    ///< with the bins and the edge rule of `measure`
    bool rows_kept = false;      ///< the caller keeps the rows and measures them from a store: all
                                 ///< metrics are accepted, but the stream only checks the batches
};

/// Gives the same result as score_store() for the same rows in the same order, to the last bit.
/// This holds for metrics that are sums over rows. Most metrics are such sums: accuracies, losses,
/// calibration in bins of equal width, and metrics of label sets. Metrics that read the rows once
/// more (ACE, AURC, AUROC, ...) need a store: if they are requested by name, they are refused.
/// Default ones are skipped, with a note. Memory: the sums (some megabytes), and the facts of up to
/// 2,048 rows; nothing grows with the number of rows.
class StreamingScore {
public:
    /// Throws usage for metrics that are unknown or need all rows.
    explicit StreamingScore(StreamingOptions options);
    ~StreamingScore();
    StreamingScore(StreamingScore&&) noexcept;
    StreamingScore& operator=(StreamingScore&&) noexcept;

    /// Adds a batch. `targets` has the single label of each row (-1 for none), or is null; `sets`
    /// has its valid classes, for metrics of label sets, or is null. Every batch must have the same
    /// of these as the first. A batch that is refused changes nothing. Throws usage and bad_input
    /// as PredictionStore::in_memory() does, and for labels outside the classes. `rows` has the
    /// number of each row in the whole data set, from 0, below most_rows, each once; without it,
    /// the rows follow the previous ones. Either every batch has it or none does. With it, rows may
    /// arrive in any order: the result is that of the whole data set in its own order. Memory: one
    /// bit per row.
    void update(const ScoreMatrix& scores, const LabelSets* targets, const LabelSets* sets,
                std::optional<std::span<const std::uint64_t>> rows = {});
    static constexpr std::uint64_t most_rows = std::uint64_t{1} << 40;
    /// Adds the rows of another stream with the same options. If both know the numbers of their
    /// rows, the result has the bits of one stream; a row that is in both is refused (bad_input).
    /// Otherwise the other's rows follow. Groups of rows, which determine some intervals, remain as
    /// each stream assigned them. Values equal those of one stream to the bit. Intervals by groups
    /// are equally good but do not have the same bits.
    void merge(const StreamingScore& other);
    void reset();

    /// Returns everything that was added, as bytes for set_state(), for a copy or another process.
    /// They contain the rows' sums, the classes' names and a checksum; a zero needs one byte.
    std::string state() const;
    /// Replaces the content with the result of state() of a stream with the same options: from then
    /// on both give the same bits. Earlier content is discarded. Throws bad_input, and changes
    /// nothing, for bytes that are damaged, from another version, or from a stream with different
    /// metrics.
    void set_state(std::string_view bytes);

    std::uint64_t rows() const noexcept;
    /// The report for the rows so far; further rows may follow. Throws usage before the first.
    ScoreReport report() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
