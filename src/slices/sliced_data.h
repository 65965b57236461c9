// Data that the stores of one data set share: labels, halves, facets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/progress.h"
#include "assay/slices/slices.h"
#include "assay/store/prediction_store.h"
#include "evaluate/given_labels.h"
#include "evaluate/groups_of_store.h"
#include "slices/facets.h"
#include "slices/image_statistics.h"
#include "slices/search.h"

namespace assay::slices {

class SlicedData {
public:
    /// All must outlive this object. Throws bad_input for labels that are not classes.
    SlicedData(const PredictionStore& store, const GivenLabels& labels, const SliceOptions& options,
               SliceResult& result);

    /// Makes the facets, and adds their summaries and notes to the result. Throws as
    /// find_slices().
    void read(KnownStatistics& known, const ProgressCallback& progress);

    const LabelSets& labels() const { return labels_; }
    const std::vector<Facet>& facets() const { return facets_; }
    /// Returns 0 or 1 for the first or the second half.
    unsigned half_of(std::size_t row) const { return halves_[row]; }
    /// The cluster of each row; nullptr if images are independent.
    const evaluate::Clusters* clusters() const { return clusters_ ? &*clusters_ : nullptr; }
    /// What the result says of a facet.
    SliceFacet& summary_of(std::size_t facet) const;

private:
    const Dataset& dataset() const { return store_.dataset(); }
    void note(const std::string& text);
    void open_images();
    void read_clusters();
    void divide();
    void add_attributes();
    /// The images where they were when they were predicted; nullptr, with the reason, if they are
    /// no longer there.
    const Dataset* images_in_place(std::string& why_not);
    bool any_image_is_there() const;

    /// Statistics of images in place or of --data; nullptr, with a note, if there are none.
    const ImageStatistics* statistics(KnownStatistics& known, const ProgressCallback& progress);
    void add_statistics(KnownStatistics& known, const ProgressCallback& progress);
    void add_labels();
    /// `again` means that the facet is a second view of the previous attribute.
    void add_summary(const Facet& facet, bool again);

    const PredictionStore& store_;
    const SliceOptions& options_;
    SliceResult& result_;
    LabelSets labels_;
    std::optional<Dataset> images_;    ///< of --data
    std::optional<Dataset> archived_;  ///< the store's data set, with its archive
    std::vector<std::int64_t> items_;  ///< the image of each row
    std::vector<Facet> facets_;
    std::size_t next_source_ = first_free_source;
    std::optional<evaluate::Clusters> clusters_;
    std::vector<std::string> cluster_names_;  ///< of each row; "": it is one of its own
    std::vector<std::uint8_t> halves_;        ///< of each row
    std::size_t first_summary_ = 0;           ///< of these facets, in the result
};

}  // namespace assay::slices
