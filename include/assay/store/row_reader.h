// The rows of stored predictions. All code that interprets scores reads them through this class.
//
// A reader presents one store in a requested order of classes (`places`) and through a class map.
// Arguments and results are classes of classes(): targets of the map if there is one, else classes
// in the requested order. Equal scores rank in the order of these classes. A reduced store keeps
// the order of its own classes, and dropped entries are unknown.
//
// Softmax turns a row of logits or log-probabilities into probabilities. Stored probabilities are
// clipped to [0, 1]. Thread-safe. A shard is opened and checked against its checksum when one of
// its rows is first requested. It stays open as long as the reader. For a store with very many
// shards, only 64 stay open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// Shows that a row has scores, or the reason why not.
enum class RowStatus : std::uint8_t { ok, missing, unreadable, not_finite };

/// Gives a row's probabilities without another sum: exp(score - shift) * factor, or for stored
/// probabilities score * factor, clipped to [0, 1]. A factor of 0 means that the row has no scores.
struct RowScale {
    float shift = 0, factor = 0;
};

/// The prediction of one row, and its hits among the valid classes.
struct RowPrediction {
    std::int32_t predicted =
        -1;  ///< class with the highest score, lowest index first; -1 if it maps to no target class
    std::int32_t rank = -1;  ///< classes ranked before the target; -1 if not known (no target, or
                             ///< it is below the stored top k)
    std::int32_t hits = -1;  ///< valid classes among the g ranked highest, of g valid ones; -1 if
                             ///< not known (fewer are stored), or if g = 0
    bool target_known = false;  ///< target_probability and log_target are known
    float confidence = 0;       ///< probability of the predicted class
    float target_probability = 0;
    double log_target = 0;  ///< natural logarithm of the target's probability, computed from the
                            ///< logits so that it never rounds to -infinity
    double square_sum = 0;  ///< sum over the classes of the squared probabilities; only for full
                            ///< rows
    RowScale scale;
};

/// A row's confidence in its likeliest class, in double precision.
struct RowOdds {
    /// ln(p / (1 - p)) of the class with the highest score. For logits it is that score minus the
    /// log-sum-exp of all others. For probabilities near 1, few bits of 1 - p remain. If the other
    /// classes have about the same sum, it replaces 1 - p. For StorageFormat::top_k the others are
    /// the stored entries and the rest of the log-sum-exp.
    double log_odds = 0;
    double scale = 1;  ///< for order_keys(): the largest logit, or the sum of probabilities
    std::int32_t cls =
        -1;  ///< for order_keys(): the class, if `log_odds` is more precise than its score
};

struct RankedClass {
    std::int32_t cls = -1;
    float probability = 0;
};

class RowReader {
public:
    /// `store` must outlive the reader. `map` applies to the model's classes, in the requested
    /// order. `places` gives the store's position of each requested class (places_in()); empty
    /// means its own number. Throws bad_input for a map for another number of classes, or a map
    /// that needs every class's score while the store has fewer. Also throws bad_input: a map with
    /// a target without a class (`restrict_`: with several).
    explicit RowReader(const PredictionStore& store, std::optional<ClassMap> map = std::nullopt,
                       std::vector<std::int32_t> places = {});
    ~RowReader();
    RowReader(RowReader&&) noexcept;

    const PredictionStore& store() const noexcept;
    std::uint32_t classes() const noexcept;
    /// True if every class's score is stored.
    bool full() const noexcept;
    /// The number of classes of a row whose rank is known.
    std::uint32_t depth() const noexcept;
    /// True if ranks beyond the first are meaningful. They are not with an arg-max map.
    bool ranks() const noexcept;
    /// True if confidences are meaningful. They are not with maps that only decide, or with
    /// ScoreKind::labels.
    bool has_probabilities() const noexcept;

    RowStatus status(std::uint64_t row) const;
    /// "" if the row has scores, else the reason, for people: "unreadable: cut off after 77 bytes".
    std::string why_not(std::uint64_t row) const;

    enum class Detail {
        ranking,        ///< only predicted, rank and hits; the other members keep their defaults
        probabilities,  ///< everything
    };
    /// `valid` must be ascending and within classes(). `target` is the image's single label, which
    /// need not be valid; -1 means none. `out` is filled if the status is ok. Cost: one pass over
    /// the row, one more for the probabilities, and 1 + log2(g) for g > 1 valid classes.
    RowStatus read(std::uint64_t row, std::int32_t target, std::span<const std::int32_t> valid,
                   RowPrediction& out, Detail detail = Detail::probabilities) const;
    /// The same, with the only valid class as the target.
    RowStatus read(std::uint64_t row, std::span<const std::int32_t> valid, RowPrediction& out,
                   Detail detail = Detail::probabilities) const {
        return read(row, valid.size() == 1 ? valid[0] : -1, valid, out, detail);
    }
    /// The min(k, depth()) best classes of the row, best first, with their probabilities. With
    /// `mean_of_group` a probability is the group's mean. With `map_argmax`, which gives at most
    /// one class, it is that of the model's own best class.
    RowStatus top(std::uint64_t row, std::size_t k, std::vector<RankedClass>& out) const;
    /// The number of classes ranked before `cls`, and its probability as in top(). Nothing if the
    /// row has no scores or the stored entries do not determine it.
    struct Place {
        std::size_t rank;
        float probability;
    };
    std::optional<Place> place_of(std::uint64_t row, std::int32_t cls) const;
    /// Natural logarithm of the sum of the exponentials of the row's logits, before any map; 0 for
    /// probabilities. Nothing without scores, and for StorageFormat::label.
    std::optional<double> log_sum_exp(std::uint64_t row) const;

    /// Nothing without scores or probabilities. Permuting a row's classes does not change its odds.
    /// Cost: a pass over the row in double precision.
    std::optional<RowOdds> odds(std::uint64_t row) const;
    /// Numbers that order all rows of the store by a class in the same way as its log-odds. For the
    /// classes [begin, end) of a row, with odds(); requires full(). The status must be ok.
    void order_keys(std::uint64_t row, std::uint32_t begin, std::uint32_t end, const RowOdds& odds,
                    double* out) const;
    /// The scores of the same classes in their known precision: float32, or float64 for such
    /// matrices in memory. Not available with a map of groups or an arg-max map.
    void wide_scores(std::uint64_t row, std::uint32_t begin, std::uint32_t end, double* out) const;

    /// The scores of a row, in the requested order and before any map, in place or in `buffer`.
    /// Requires full(). The status must be ok.
    std::span<const float> scores(std::uint64_t row, std::vector<float>& buffer) const;
    /// True if scores stay in memory in the requested form: full_f32, all shards open, no order, no
    /// map.
    bool is_mapped() const noexcept;
    /// Their location. Requires is_mapped() and an existing shard.
    const float* mapped(std::uint64_t row) const;
    /// Probabilities of the classes [begin, end) of a row whose scale read() gave. Requires full()
    /// and has_probabilities(). The status must be ok.
    void probabilities(std::uint64_t row, std::uint32_t begin, std::uint32_t end, RowScale scale,
                       float* out) const;

    /// Opens a shard for data that rows do not have. The pointer is valid until the thread requests
    /// another row, and is nullptr without a shard. Throws bad_input if it is damaged.
    const PredictionStore::Shard* shard(std::size_t index) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace assay
