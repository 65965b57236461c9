// A MAD competition as a folder. It holds classifiers, the images on which they disagree most,
// questions about them, people's answers, and every decision with its time and reason.
//
//   COMPETITION/competition.sqlite       all but the predictions (docs/formats.md has the tables).
//   COMPETITION/items.csv                the images: id, path, attributes.
//   COMPETITION/distances.npy            class distances, if they took long or are from a file.
//   COMPETITION/predictions/NAME.*.npy   of each classifier: label (u2) and confidence (u1) of
//                                        each image, 3 bytes per image.
//
// Once a classifier is added, the folder no longer needs its store. Each step may be repeated,
// which also completes an interrupted one. One process writes at a time.
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

/// Settings that are fixed when a competition begins, because they decide which images are
/// selected.
struct CompetitionSettings {
    std::string name;
    DistanceReading distance = DistanceReading::tree_path;
    SelectionRule rule;
    /// A candidate needs at least this confidence from both classifiers ...
    double threshold = 0.8;
    /// ... or, if this is set, at least the confidence that this proportion of a classifier's
    /// images reaches. Then overconfident classifiers gain no advantage.
    std::optional<double> confident;
    /// The most bits, out of 64, in which the perceptual hashes of two near duplicates may differ.
    /// Of near duplicates, only the first is selected for a pair. If unset, images are not
    /// compared.
    std::optional<std::uint32_t> near_duplicates;
    std::uint32_t votes = 5;  ///< the most answers per question, odd
    double gold = 0.05;       ///< proportion of questions with known answers
    std::uint64_t seed = 0;   ///< seed of all random orders and samples
    /// With "ATTRIBUTE=VALUE", only images with this value in the data set take part. The others
    /// are treated as if they had no scores. "" includes all.
    std::string where;
    /// Quantizes confidences with quantised(). If false, uses quantised_exactly() as older versions
    /// of Assay did.
    bool single_precision = true;
};

struct InitOptions {
    CompetitionSettings settings;
    /// Folders of stores, RUNS folders or data sets below them, as in model_stores(). They have the
    /// scores of at least two classifiers on the same images and classes.
    std::vector<std::string> stores;
    /// A name as in hierarchy_named(). Not used with zero_one and matrix.
    std::string hierarchy = "imagenet";
    /// csv with a row and a column for each class. Required by DistanceReading::matrix, and only
    /// allowed with it.
    std::filesystem::path distances;
    std::string classes;           ///< class list file, or "imagenet"; "" uses the stores' own list
    std::filesystem::path images;  ///< folder of the images; "" uses the stores' record
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
    std::uint64_t scored = 0;     ///< number of images with scores
    std::uint64_t confident = 0;  ///< number of scored images that reach the threshold
    bool active = true;           ///< not removed
};
ResultType result_type(ResultOf<CompetitionClassifier>);

/// Label and confidence of every image from one classifier, mapped into memory.
class StoredPredictions {
public:
    /// Throws bad_input if the files are missing, damaged or for another number of images.
    StoredPredictions(const std::filesystem::path& folder, std::string_view name,
                      std::uint64_t images);
    ~StoredPredictions();
    StoredPredictions(StoredPredictions&&) noexcept;
    const Predictions& predictions() const noexcept;
    /// Throws bad_input if the bytes differ from the recorded ones. Cost: one read.
    void check(const CompetitionClassifier& recorded) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// An open competition; not thread-safe.
class Competition {
public:
    enum class Access { read, write };

    /// Creates the folder, completely or not at all. Opens an existing one that began with the same
    /// settings and predictions, which takes a read of the stores. Throws usage for settings out of
    /// range, another competition or other files in the folder, fewer than two classifiers. Throws
    /// bad_input: classifiers of other images or classes, two with the same name, a store without
    /// confidences or with missing shards. Also throws bad_input: classes that are no node of the
    /// hierarchy (with the nearest), an attribute or value that no image has.
    static Competition create(const std::filesystem::path& folder, const InitOptions& options,
                              const ProgressCallback& progress = {});
    /// Throws bad_input for a missing, damaged or newer competition. Also busy, io.
    static Competition open(const std::filesystem::path& folder, Access access = Access::read);
    ~Competition();
    Competition(Competition&&) noexcept;

    const std::filesystem::path& folder() const noexcept;
    const CompetitionSettings& settings() const noexcept;
    const ClassList& classes() const noexcept;
    std::uint64_t images() const noexcept;
    /// The folder of the images; may be empty.
    const std::filesystem::path& image_root() const noexcept;
    /// All classifiers by number, including removed ones.
    const std::vector<CompetitionClassifier>& classifiers() const noexcept;
    /// The classifiers that were not removed.
    std::vector<CompetitionClassifier> active() const;
    const Hierarchy& hierarchy() const;
    /// Cost: as for ClassDistances. Distances from a file or a search of the whole hierarchy are
    /// stored at the start (distances.npy).
    ClassDistances distances() const;
    /// Ids, paths and attributes of the images. Read on first use and checked.
    const Dataset& dataset() const;
    StoredPredictions predictions(const CompetitionClassifier& classifier) const;

    /// Adds the classifiers of these stores, or restores a removed one. A path that does not exist
    /// may be the name of a removed classifier. Existing data stay bit-identical, and damaged
    /// predictions of a store that is given again are repaired. Returns the names of classifiers
    /// that did not take part before. Throws as create(), bad_input for images with different
    /// files, and usage if another classifier has that name. Cost: one read of the stores; the
    /// competition stays usable meanwhile.
    std::vector<std::string> add(const std::vector<std::string>& stores, std::string_view reason,
                                 int threads = 0, const ProgressCallback& progress = {});
    /// Excludes a classifier from all results, but keeps its questions and answers. Returns false
    /// if it was removed before. Throws usage if there is no such classifier, or if fewer than two
    /// would remain.
    bool remove(std::string_view name, std::string_view reason);
    /// Changes the folder of the images. Throws bad_input if there is no such folder.
    void set_image_root(const std::filesystem::path& root, std::string_view reason);
    /// Selects more images of each pair from the next selection on, and keeps the earlier ones.
    /// Throws usage for a smaller number than the current one.
    void set_k(std::uint32_t k, std::string_view reason);

    /// For use inside this component only.
    struct Impl;
    Impl& impl() const noexcept { return *impl_; }

private:
    explicit Competition(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// The settings and the classifiers with their thresholds. "assay.mad/1", docs/results.md.
ResultType result_type(ResultOf<Competition>);
Report report_of(const Competition& competition);

/// Cost: reads every byte. Throws as open().
study::StudyCheck verify_competition(const std::filesystem::path& folder);
/// True if a folder holds a competition.
bool is_competition(const std::filesystem::path& folder);

}  // namespace assay::mad
