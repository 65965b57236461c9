// The best classes of a row with their probabilities, from any kind of store.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

struct TopAnswer {
    std::int32_t cls = -1;
    float probability = 0;
};

/// A store whose shards are opened when first needed and kept. Thread-safe.
class AnswerStore {
public:
    explicit AnswerStore(PredictionStore store);

    const PredictionStore& store() const noexcept { return store_; }
    /// How many classes of a row are known at most.
    std::uint32_t depth() const noexcept;
    /// The min(k, depth()) best of the row, best first. False: the row has no scores; `why`, when
    /// given, says why.
    bool read(std::uint64_t row, std::size_t k, std::vector<TopAnswer>& out,
              std::string* why = nullptr) const;
    /// Rank of a class from 0 and its probability, where the store keeps them.
    struct Place {
        std::size_t rank;
        float probability;
    };
    std::optional<Place> place_of(std::uint64_t row, std::int32_t cls) const;
    /// How many of `labels` are among the labels.size() best classes; nothing where the store keeps
    /// too few.
    std::optional<std::uint32_t> hits(std::uint64_t row,
                                      std::span<const std::int32_t> labels) const;

private:
    const PredictionStore::Shard* shard_of(std::uint64_t row) const;
    std::span<const float> full_row(const PredictionStore::Shard& shard, std::uint32_t local,
                                    std::vector<float>& buffer) const;
    bool is_full() const;

    PredictionStore store_;
    mutable std::unique_ptr<std::once_flag[]> once_;
    mutable std::vector<std::optional<PredictionStore::Shard>> shards_;
};

/// Opens the stores at or below each path; all must be of the same items and classes. Throws usage
/// when they are not.
std::vector<std::unique_ptr<AnswerStore>> open_answer_stores(const std::vector<std::string>& paths);

}  // namespace assay
