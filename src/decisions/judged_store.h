// A store with the valid classes of its images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "assay/data/label_sets.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "evaluate/given_labels.h"

namespace assay::decisions {

/// The store must have the scores of every class.
class JudgedStore {
public:
    /// `file` is the one that `labels` read, for messages. Throws bad_input: a store without the
    /// scores of every class, or of fewer than two; labels that are no class.
    JudgedStore(const std::filesystem::path& folder, const GivenLabels& labels,
                const std::filesystem::path& file);

    JudgedStore(const JudgedStore&) = delete;
    JudgedStore& operator=(const JudgedStore&) = delete;

    const PredictionStore& store() const { return store_; }
    const RowReader& reader() const { return reader_; }
    std::string_view id(std::uint64_t row) const { return store_.dataset().ids[row]; }
    std::span<const std::int32_t> valid(std::uint64_t row) const {
        return (given_ ? sets_ : store_.dataset().labels)[row];
    }
    bool is_judged(std::uint64_t row) const {
        return reader_.status(row) == RowStatus::ok && !valid(row).empty();
    }

private:
    PredictionStore store_;
    RowReader reader_;
    LabelSets sets_;
    bool given_ = false;
};

}  // namespace assay::decisions
