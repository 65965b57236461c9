// Statistics of label sets: the number of labels per image, the frequency of each class, and pairs
// of classes that occur together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/metric/measurement.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay {

struct ClassPair {
    std::int32_t a = 0, b = 0;  ///< a < b
    std::uint64_t together = 0, count_a = 0, count_b = 0;
    double expected = 0;  ///< expected by chance: count_a * count_b / labelled items
    /// The ratio together / expected. Its interval divides the ends of two Wilson intervals
    /// crosswise: P(more frequent | rarer) by P(more frequent). It covers at least `level`. A pair
    /// that occurs twice has a wide interval, whatever its lift.
    Estimate lift;
    double pmi = 0;   ///< log2(lift)
    double npmi = 0;  ///< 1 if neither class occurs without the other
};

struct LabelStatsOptions {
    std::filesystem::path data{};  ///< the input of open_labelled()
    std::string classes{};         ///< class list file, or "imagenet"; "" uses the data's
    /// The number of pairs in the report and the csv. If unset, the text lists ten and JSON
    /// all.
    std::optional<std::size_t> pairs{};
    bool all_classes = false;            ///< list every class in the text, not only the ten most
                                         ///< frequent
    std::uint64_t minimum_together = 5;  ///< pairs below this count are counted but not listed
    double level = 0.95;
};

struct LabelStats {
    std::uint64_t items = 0, labelled = 0, labels = 0;
    std::map<std::uint64_t, std::uint64_t> histogram;  ///< number of labels -> number of images
    Measurement mean_labels;                 ///< over labeled images; the interval comes from their
                                             ///< spread
    std::vector<std::uint64_t> class_count;  ///< C: the number of images with the class
    std::vector<std::uint64_t> class_alone;  ///< C: the number of images with no other class
    std::uint64_t unused_classes = 0;
    std::uint64_t pairs = 0;          ///< distinct pairs seen
    std::uint64_t rare_pairs = 0;     ///< pairs below minimum_together
    std::vector<ClassPair> together;  ///< the other pairs, ordered by the lower end of the lift's
                                      ///< interval, descending
    std::uint64_t crowded = 0;  ///< images with more labels than `most_for_pairs`, which the pairs
                                ///< exclude
    static constexpr std::size_t most_for_pairs = 256;
};

/// Cost: one pass; memory: one entry per distinct pair of classes. Throws bad_input for classes
/// outside [0, classes). Uses only the options minimum_together and level.
LabelStats label_stats(const LabelSets& sets, std::size_t classes,
                       const LabelStatsOptions& options = {});

struct DatasetLabelStats {
    LabelStatsOptions options;
    Dataset dataset;
    LabelStats stats;
    std::vector<std::string> assumed;  ///< assumptions about the data set, as sentences
};
/// Opens options.data and counts its labels. Throws as open_labelled.
DatasetLabelStats dataset_label_stats(const LabelStatsOptions& options);
/// Schema "assay.label_stats/2" (docs/results.md).
ResultType result_type(ResultOf<DatasetLabelStats>);
/// CSV has a row per class, or with options.pairs a row per pair.
Report report_of(const DatasetLabelStats& stats);

}  // namespace assay
