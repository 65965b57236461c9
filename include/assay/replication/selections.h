// Raw annotations of a replication study: who selected which image for which class; cleaning,
// counting, overlap.
//
// A file of selections is a csv with the columns annotator, image, label and selected (0 or 1). It
// may also have the columns batch (the grid in which images were shown together) and control (1:
// known not to show the class). There is one file per data set. The files of a study share
// annotators, classes and batches, so they are read with the same StudyNames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/estimate.h"
#include "assay/replication/cells.h"
#include "assay/result_type.h"

namespace assay::replication {

/// Texts that are numbered in the order of their first appearance.
class Names {
public:
    std::uint32_t number(std::string_view text);  ///< adds the text if it is new
    /// The number, or size() if the text is unknown.
    std::size_t find(std::string_view text) const;
    std::size_t size() const noexcept { return texts_.size(); }
    const std::string& operator[](std::size_t i) const { return texts_[i]; }
    const std::vector<std::string>& all() const noexcept { return texts_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    std::vector<std::string> texts_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

struct StudyNames {
    Names annotators, classes, batches;
};

/// 16 bytes per annotation.
struct Selection {
    std::uint32_t annotator = 0, image = 0, batch = 0;
    bool selected = false, control = false;
};

struct Selections {
    std::string source;  ///< the file's name
    std::vector<Selection> rows;
    StringColumn images;  ///< distinct (image, label) pairs in order of appearance
    std::vector<std::uint32_t> image_class;  ///< one index per image into StudyNames::classes
    bool has_batches = false, has_controls = false;
};

/// Throws bad_input (file, line, value) for missing columns, a `selected` or `control` that is not
/// 0 or 1, an empty annotator or image, and a file without rows.
Selections read_selections(const std::filesystem::path& path, StudyNames& names);

/// Engstrom et al., appendix B.1. A batch is flagged when fewer than min_selected of its images
/// were selected or more than max_controls of its controls were. An annotator is dropped completely
/// if at least the proportion max_flagged of the annotator's batches is flagged.
struct CleaningRules {
    std::uint32_t min_selected = 6;
    std::uint32_t max_controls = 1;
    double max_flagged = 0.30;
};
struct AnnotatorRecord {
    std::uint32_t annotator = 0;
    std::uint32_t batches = 0, flagged = 0;
    std::uint64_t annotations = 0;
    bool dropped = false;
};
struct CleaningReport {
    std::uint64_t batches = 0, too_few_selected = 0, controls_selected = 0, flagged = 0;
    std::uint32_t smallest_batch = 0, largest_batch = 0;
    std::uint64_t annotations_before = 0, annotations_after = 0;
    std::vector<AnnotatorRecord> annotators;  ///< by number
    std::size_t dropped() const;
};
ResultType result_type(ResultOf<AnnotatorRecord>);
ResultType result_type(ResultOf<CleaningReport>);
/// Finds annotators who guess. A batch may have images of several sets. Throws bad_input if batches
/// are not known, or controls if max_controls is used.
CleaningReport judge_annotators(std::span<Selections* const> sets, const StudyNames& names,
                                const CleaningRules& rules);
/// The same, but also drops those annotators' annotations from all sets.
CleaningReport clean(std::span<Selections* const> sets, const StudyNames& names,
                     const CleaningRules& rules);

/// Keeps the first answer of each annotator to each image. Counts the removed answers, and how many
/// of them contradicted the first.
struct Duplicates {
    std::uint64_t removed = 0, contradicting = 0;
};
ResultType result_type(ResultOf<Duplicates>);
Duplicates remove_duplicates(Selections& set);

/// The annotators who judged both sets. Readings by different people are not comparable. Shifting
/// one set's selection rates by 0.1 on the probit scale changes the adjusted accuracy by more than
/// a point.
struct AnnotatorOverlap {
    std::size_t first = 0, second = 0, common = 0;  ///< annotators
    double first_proportion = 0,
           second_proportion = 0;            ///< proportion of annotations by annotators of both
                                             ///< sets
    double first_grid = 0, second_grid = 0;  ///< ... by annotators of the same class in both sets
    std::optional<double> first_mixed,
        second_mixed;  ///< ... proportion in a batch that shows both sets, if both have batches
};
ResultType result_type(ResultOf<AnnotatorOverlap>);
AnnotatorOverlap annotator_overlap(const Selections& first, const Selections& second);
/// Describes the problem if different people judged the sets; otherwise "".
std::string overlap_warning(const AnnotatorOverlap& overlap);

/// The readings of one set, one per image. Memory: 8 bytes per image, plus its name.
struct Readings {
    std::string source;
    StringColumn images;
    std::vector<std::uint32_t> classes;  ///< one index per image into StudyNames::classes
    std::vector<std::uint16_t> annotators, selected;
    std::uint64_t without_annotators = 0;  ///< images without any remaining annotator
    bool held_out = false;                 ///< true if the annotators did not choose the images

    std::size_t size() const noexcept { return annotators.size(); }
    CellCounts cells() const;
};
/// Returns the mean of k / n over images. Its standard error and 95 % interval (Student's t) are
/// over classes, or over images if there is only one class.
Estimate mean_frequency(const Readings& set);
/// Counts without controls. Throws bad_input if an image has more than max_annotators.
Readings count_readings(const Selections& set);

/// A csv with the columns image, label, annotators, selected: the output of `frequencies`. From
/// `match`'s table of chosen images, uses the readings of held-out annotators, because the others
/// chose the images. Throws bad_input (file, line, value), also for a table of several sets (a
/// column `set`) or without held-out annotators.
Readings read_frequencies(const std::filesystem::path& path, StudyNames& names);
std::string frequencies_csv(const Readings& readings, const StudyNames& names);
/// True for a file of raw annotations (it has a column `annotator`, `worker` or `rater`), false for
/// frequencies.
bool is_raw_selections(const std::filesystem::path& path);

/// Keeps m random annotators of each image: the number of remaining selections is hypergeometric,
/// drawn by (seed, purpose, image's position). Images with fewer than m are excluded, and
/// `left_out` receives their number.
Readings keep_annotators(const Readings& readings, int m, std::uint64_t seed,
                         std::string_view purpose, std::uint64_t* left_out = nullptr);

}  // namespace assay::replication
