// A MAD competition as a folder: classifiers, the images on which they disagree most, questions
// about them, people's answers, and every decision on the way, with its time and reason.
//
//   COMPETITION/competition.sqlite       all but the predictions (docs/formats.md has the tables)
//   COMPETITION/items.csv                the images: id, path, attributes
//   COMPETITION/distances.npy            of the classes, where they took long or are of a file
//   COMPETITION/predictions/NAME.*.npy   of each classifier: label (u2) and confidence (u1) of
//                                        each image, 3 bytes an image
//
// The folder needs the stores no more once a classifier is in it. Each step may be repeated; a step
// that is interrupted is done by repeating it. One process writes at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/mad/distance.h"
#include "assay/mad/select.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/result_type.h"
#include "assay/study/check.h"

namespace assay::mad {

/// What is fixed when a competition begins: it decides which images are selected.
struct CompetitionSettings {
    std::string name;
    DistanceReading distance = DistanceReading::tree_path;
    SelectionRule rule;
    /// Candidates need at least this confidence of both classifiers ...
    double threshold = 0.8;
    /// ... or, where set, each classifier's threshold is the one that this proportion of its
    /// images reaches: over-confident ones gain nothing by it.
    std::optional<double> confident;
    /// At most so many of the 64 bits of two images' perceptual hashes differ: they are near
    /// duplicates, and only the first is selected for a pair. Unset: images are not looked at.
    std::optional<std::uint32_t> near_duplicates;
    std::uint32_t votes = 5;  ///< answers that a question gets at most, odd
    double gold = 0.05;       ///< proportion of the questions whose answers are known
    std::uint64_t seed = 0;   ///< of all random orders and samples
    /// "ATTRIBUTE=VALUE": only images of which the data set says so take part; the others are as if
    /// they had no scores. "": all.
    std::string where;
    /// Confidences are quantised(); false, of competitions that began earlier: quantised_exactly().
    bool single_precision = true;
};

struct InitOptions {
    CompetitionSettings settings;
    /// Folders of stores, RUNS folders or data sets below them, as model_stores(): two or more
    /// classifiers' scores of the same images and classes.
    std::vector<std::string> stores;
    /// As hierarchy_named(); not read with zero_one and matrix.
    std::string hierarchy = "imagenet";
    /// csv with a row and a column for each class; with DistanceReading::matrix, and with it alone.
    std::filesystem::path distances;
    std::string classes;           ///< class list file, or "imagenet"; "": the stores' own
    std::filesystem::path images;  ///< where the images are; "": where the stores say
    std::string reason;
    int threads = 0;
};

struct CompetitionClassifier {
    std::uint32_t number = 0;
    std::string name;
    std::filesystem::path store;
    std::string store_id;
    std::string labels_hash, confidences_hash;
    std::uint8_t threshold = 0;   ///< quantised()
    std::uint64_t scored = 0;     ///< images with scores
    std::uint64_t confident = 0;  ///< of these, those that reach the threshold
    bool active = true;           ///< not removed
};
ResultType result_type(ResultOf<CompetitionClassifier>);

/// Label and confidence of every image by one classifier, mapped into memory.
class StoredPredictions {
public:
    /// Throws bad_input: missing, damaged, another number of images.
    StoredPredictions(const std::filesystem::path& folder, std::string_view name,
                      std::uint64_t images);
    ~StoredPredictions();
    StoredPredictions(StoredPredictions&&) noexcept;
    const Predictions& predictions() const noexcept;
    /// Throws bad_input where the bytes are not those that were recorded. Cost: one read.
    void check(const CompetitionClassifier& recorded) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// An open competition. Not thread-safe.
class Competition {
public:
    enum class Access { read, write };

    /// Makes the folder: all of it, or nothing; opens it where it began with the same settings and
    /// has these predictions (which takes a read of the stores). Throws usage: settings out of
    /// range, another competition or other files are there, fewer than two classifiers; bad_input:
    /// classifiers of other images or classes, two of one name, a store without confidences or with
    /// missing shards, classes that are no node of the hierarchy (with the nearest), an attribute
    /// or a value that no image has.
    static Competition create(const std::filesystem::path& folder, const InitOptions& options,
                              const ProgressCallback& progress = {});
    /// Throws bad_input: no competition there, a damaged one, or of a newer version; busy; io.
    static Competition open(const std::filesystem::path& folder, Access access = Access::read);
    ~Competition();
    Competition(Competition&&) noexcept;

    const std::filesystem::path& folder() const noexcept;
    const CompetitionSettings& settings() const noexcept;
    const ClassList& classes() const noexcept;
    std::uint64_t images() const noexcept;
    /// Where images are; may be empty.
    const std::filesystem::path& image_root() const noexcept;
    /// By number, those that were removed among them.
    const std::vector<CompetitionClassifier>& classifiers() const noexcept;
    /// Those that were not.
    std::vector<CompetitionClassifier> active() const;
    const Hierarchy& hierarchy() const;
    /// Cost: as ClassDistances; where the whole hierarchy was searched, or a file read, it is kept
    /// from the beginning on (distances.npy).
    ClassDistances distances() const;
    /// Ids, paths and attributes of the images. Read on first use, and checked.
    const Dataset& dataset() const;
    StoredPredictions predictions(const CompetitionClassifier& classifier) const;

    /// Adds the classifiers of these stores, or takes back that one of them was removed; a path
    /// where nothing is may be the name of a removed one. What is there stays as it is, to the bit;
    /// damaged predictions of a store that is given again are mended. Returns the names of those
    /// that did not take part. Throws as create(); bad_input: images that had other files; usage:
    /// another one has that name. Cost: one read of the stores; the competition may be used
    /// meanwhile.
    std::vector<std::string> add(const std::vector<std::string>& stores, std::string_view reason,
                                 int threads = 0, const ProgressCallback& progress = {});
    /// Leaves a classifier out of all results; its questions and answers stay. False: it was
    /// removed before. Throws usage: there is no such classifier, or fewer than two would be left.
    bool remove(std::string_view name, std::string_view reason);
    /// Where the images are from now on. Throws bad_input: no folder.
    void set_image_root(const std::filesystem::path& root, std::string_view reason);
    /// More images of each pair from the next selection on: the first ones stay. Throws usage:
    /// fewer than now.
    void set_k(std::uint32_t k, std::string_view reason);

    /// For the parts of this component.
    struct Impl;
    Impl& impl() const noexcept { return *impl_; }

private:
    explicit Competition(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// What a competition is made of: settings, classifiers with their thresholds. "assay.mad/1",
/// docs/results.md.
ResultType result_type(ResultOf<Competition>);
Report report_of(const Competition& competition);

/// Reads every byte. Throws as open().
study::StudyCheck verify_competition(const std::filesystem::path& folder);
/// Whether a folder holds a competition.
bool is_competition(const std::filesystem::path& folder);

}  // namespace assay::mad
