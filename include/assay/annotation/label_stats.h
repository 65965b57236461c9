// What a set of label sets looks like: how many labels images have, how often each class, and
// which come together.
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
    double expected = 0;  ///< together by chance: count_a * count_b / labelled items
    /// together / expected. Interval: the ends of Wilson's intervals of P(more frequent | rarer)
    /// and of P(more frequent), divided crosswise (at least the level). A pair that was seen twice
    /// has a wide one, whatever its lift.
    Estimate lift;
    double pmi = 0;   ///< log2(lift)
    double npmi = 0;  ///< pmi / -log2(together / items): 1 when neither comes without the other
};

struct LabelStatsOptions {
    std::filesystem::path data{};  ///< what open_labelled takes
    std::string classes{};         ///< class list file, or "imagenet"; "": the data's
    /// Pairs that the report lists, and CSV then holds; unset: ten in the text, all in JSON.
    std::optional<std::size_t> pairs{};
    bool all_classes = false;            ///< the text lists every class, not the ten most frequent
    std::uint64_t minimum_together = 5;  ///< pairs seen less often are counted, not listed
    double level = 0.95;
};

struct LabelStats {
    std::uint64_t items = 0, labelled = 0, labels = 0;
    std::map<std::uint64_t, std::uint64_t> histogram;  ///< labels of an image -> images; 0 included
    Measurement mean_labels;                 ///< over labelled images; interval from their spread
    std::vector<std::uint64_t> class_count;  ///< C: images with the class
    std::vector<std::uint64_t> class_alone;  ///< C: of these, images with no other
    std::uint64_t unused_classes = 0;
    std::uint64_t pairs = 0;       ///< distinct pairs seen
    std::uint64_t rare_pairs = 0;  ///< of these, seen less than minimum_together times
    std::vector<ClassPair>
        together;               ///< the others, the largest lower end of the lift's interval first
    std::uint64_t crowded = 0;  ///< images with more labels than `most_for_pairs`: not in the pairs
    static constexpr std::size_t most_for_pairs = 256;
};

/// Cost: one pass; memory: one entry per distinct pair of classes. Classes outside [0, classes)
/// throw bad_input. Of the options only minimum_together and level matter here.
LabelStats label_stats(const LabelSets& sets, std::size_t classes,
                       const LabelStatsOptions& options = {});

struct DatasetLabelStats {
    LabelStatsOptions options;
    Dataset dataset;
    LabelStats stats;
    std::vector<std::string> assumed;  ///< what was assumed about the data set; whole sentences
};
/// Opens options.data and counts its labels. Throws as open_labelled.
DatasetLabelStats dataset_label_stats(const LabelStatsOptions& options);
/// "assay.label_stats/2", docs/results.md.
ResultType result_type(ResultOf<DatasetLabelStats>);
/// CSV holds a row per class, or with options.pairs a row per pair.
Report report_of(const DatasetLabelStats& stats);

/// Items with labels, from whatever holds them: a prediction store or a folder of stores of one
/// data set, a folder of images or a csv that lists them (open_dataset), or a file of label sets
/// (json, npy, txt, or a csv that read_label_sets takes; items without a name get their number).
/// `classes` may be empty: then the data set's own, or numbers. `notes` as in open_dataset. Throws
/// as these do.
Dataset open_labelled(const std::filesystem::path& path, const ClassList& classes,
                      std::vector<std::string>* notes = nullptr);

}  // namespace assay
