// The rows of stored predictions: the one way in which scores are read by whatever wants to know
// what a row says.
//
// A reader sees one store through an order of the classes (`places`) and a class map. Every class
// that goes in or comes out is one of classes(): a target of the map where there is one, else a
// class in the order asked about. Equal scores rank in the order of these classes; a reduced store
// keeps the order of its own classes, and what it left out is not known.
//
// A score becomes a probability by the row's softmax (of logits and log-probabilities), or is one
// already, cut to [0, 1]. Thread-safe; a shard is opened, and checked against its checksum, when a
// row of it is first asked for, and stays open with the reader, or 64 do of a store of very many
// shards.
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

/// Whether a row has scores, or why not.
enum class RowStatus : std::uint8_t { ok, missing, unreadable, not_finite };

/// Gives a row's probabilities without summing again: exp(score - shift) * factor; of stored
/// probabilities score * factor, cut to [0, 1]. A factor of 0: the row has no scores.
struct RowScale {
    float shift = 0, factor = 0;
};

/// What the scores of one row say, given the classes that are valid for it.
struct RowPrediction {
    std::int32_t predicted =
        -1;  ///< class with the highest score, lowest index first; -1: maps to no target class
    std::int32_t rank = -1;  ///< classes ranked before the target; -1: not known (no target, or it
                             ///< is below the kept top k)
    std::int32_t hits = -1;  ///< valid classes among the g ranked highest, of g valid ones; -1: not
                             ///< known (fewer are kept), or g = 0
    bool target_known = false;  ///< target_probability and log_target are known
    float confidence = 0;       ///< probability of the predicted class
    float target_probability = 0;
    double log_target = 0;  ///< natural logarithm of the target's probability, taken from the
                            ///< logits: never rounded to 0
    double square_sum = 0;  ///< sum over the classes of the squared probabilities; of full rows
    RowScale scale;
};

/// How sure a row is of its likeliest class, in double precision.
struct RowOdds {
    /// ln(p / (1 - p)) of the class with the highest score. Of logits it is that score minus the
    /// log-sum-exp of all others. Of probabilities 1 - p is the sum of the others where p is so
    /// near 1 that few bits of it are left and the others add up to about as little. Of
    /// StorageFormat::top_k the others are those that are kept and what the log-sum-exp leaves for
    /// the rest.
    double log_odds = 0;
    double scale = 1;  ///< for order_keys(): the largest logit, or the sum of probabilities
    std::int32_t cls =
        -1;  ///< for order_keys(): the class, if `log_odds` says more than its number
};

struct RankedClass {
    std::int32_t cls = -1;
    float probability = 0;
};

class RowReader {
public:
    /// `store` must outlive the reader. `map`: of the model's classes, in the order asked about.
    /// `places`: where the store has each class asked about (places_in()); empty: at its own
    /// number. Throws bad_input: a map for another number of classes, a map that needs every
    /// class's score of a store that keeps fewer, a map with a target of no class (`restrict_`: of
    /// several).
    explicit RowReader(const PredictionStore& store, std::optional<ClassMap> map = std::nullopt,
                       std::vector<std::int32_t> places = {});
    ~RowReader();
    RowReader(RowReader&&) noexcept;

    const PredictionStore& store() const noexcept;
    std::uint32_t classes() const noexcept;
    /// Every class's score is stored.
    bool full() const noexcept;
    /// How many classes of a row have a known rank.
    std::uint32_t depth() const noexcept;
    /// Ranks beyond the first mean something: not with a map of the arg-max.
    bool ranks() const noexcept;
    /// Confidences mean something: not with maps that only decide, nor with ScoreKind::labels.
    bool has_probabilities() const noexcept;

    RowStatus status(std::uint64_t row) const;
    /// "" where the row has scores, else why not, for people: "unreadable: cut off after 77 bytes".
    std::string why_not(std::uint64_t row) const;

    enum class Detail {
        ranking,        ///< predicted, rank and hits; the rest stays as it is by default
        probabilities,  ///< everything
    };
    /// `valid`: ascending, within classes(). `target`: the image's single label, which need not be
    /// among the valid ones; -1: none. `out` is filled where the status is ok. Cost: one pass over
    /// the row, one more for the probabilities, and 1 + log2(g) for g > 1 valid classes.
    RowStatus read(std::uint64_t row, std::int32_t target, std::span<const std::int32_t> valid,
                   RowPrediction& out, Detail detail = Detail::probabilities) const;
    /// The same, with the only valid class as target.
    RowStatus read(std::uint64_t row, std::span<const std::int32_t> valid, RowPrediction& out,
                   Detail detail = Detail::probabilities) const {
        return read(row, valid.size() == 1 ? valid[0] : -1, valid, out, detail);
    }
    /// The min(k, depth()) best classes of the row, best first. Probabilities are of the classes;
    /// with `mean_of_group` their group's mean; with `map_argmax`, which gives one class or none,
    /// that of the model's own best class.
    RowStatus top(std::uint64_t row, std::size_t k, std::vector<RankedClass>& out) const;
    /// Classes ranked before `cls`, and its probability as in top(); nothing where the row has no
    /// scores or they do not tell.
    struct Place {
        std::size_t rank;
        float probability;
    };
    std::optional<Place> place_of(std::uint64_t row, std::int32_t cls) const;
    /// Natural logarithm of the sum of the exponentials of the row's logits, before any map; 0 of
    /// probabilities. Nothing without scores, and of StorageFormat::label.
    std::optional<double> log_sum_exp(std::uint64_t row) const;

    /// Nothing without scores or probabilities. Equal rows have equal odds, whatever the order of
    /// their classes. Cost: a pass over the row in double precision.
    std::optional<RowOdds> odds(std::uint64_t row) const;
    /// Numbers that order all rows of the store by a class as its log-odds do (they increase with
    /// them), for the classes [begin, end) of a row of full() with odds(). The status must be ok.
    void order_keys(std::uint64_t row, std::uint32_t begin, std::uint32_t end, const RowOdds& odds,
                    double* out) const;
    /// The scores of the same classes in the precision in which they are known: float32 but for
    /// float64 matrices in memory. Not with a map of groups or of the arg-max.
    void wide_scores(std::uint64_t row, std::uint32_t begin, std::uint32_t end, double* out) const;

    /// The scores of a row of full(), in the order asked about, before any map: where they lie, or
    /// in `buffer`. The status must be ok.
    std::span<const float> scores(std::uint64_t row, std::vector<float>& buffer) const;
    /// The scores stay in memory as they are asked about: full_f32, all open, no order, no map.
    bool is_mapped() const noexcept;
    /// Where they lie, with is_mapped(); the row's shard must be there.
    const float* mapped(std::uint64_t row) const;
    /// Probabilities of the classes [begin, end) of a row of full() whose scale read() gave; only
    /// with has_probabilities(). The status must be ok.
    void probabilities(std::uint64_t row, std::uint32_t begin, std::uint32_t end, RowScale scale,
                       float* out) const;

    /// Opens a shard, for what rows alone do not tell. Valid until the thread asks for another row.
    /// nullptr: it is not there. Throws bad_input when it is damaged.
    const PredictionStore::Shard* shard(std::size_t index) const;

private:
    struct Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace assay
