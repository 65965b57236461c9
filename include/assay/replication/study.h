// A complete replication study: the readings of two sets of images, and which classifiers
// classified each image correctly.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/replication/cells.h"
#include "assay/replication/selections.h"
#include "assay/replication/simulation.h"

namespace assay::replication {

/// Records which images each classifier classified correctly.
struct Hits {
    static constexpr std::uint8_t unknown = 2;
    std::string source;
    std::vector<std::string> classifiers;
    StringColumn images;
    std::vector<std::uint8_t> hit;  ///< image-major, classifiers.size() per image: 0, 1 or unknown
    std::vector<std::string> warnings;  ///< warnings about stores that are incomplete or skipped
};

/// Reads a csv: `image` and one column per classifier (0, 1 or empty), or the columns image,
/// classifier, hit. Throws bad_input (file, line, value).
Hits read_hits_csv(const std::filesystem::path& path);
/// Reads hits from the stores below a folder, except stores of attacks. A hit means that the best
/// class is among the image's labels. It is unknown without a score or label. All stores must have
/// one data set. Throws bad_input for several data sets, or one with other images. Every rank reads
/// a part of the shards and gets all hits.
Hits hits_of_stores(const std::filesystem::path& folder, int threads, Comm& comm);
/// Reads hits in either form.
Hits read_hits(const std::filesystem::path& path, int threads, Comm& comm);

/// One set of a study. Memory: 8 bytes per image (12 with numbers of labels), and a byte for each
/// classifier.
struct StudySet {
    static constexpr std::uint32_t unlabelled = UINT32_MAX;  ///< if no file of labels lists it
    std::vector<std::uint32_t> classes;                      ///< class in Study::classes per image
    std::vector<std::uint16_t> annotators, selected;
    std::vector<std::uint8_t> hits;     ///< image-major; Study::row_bytes per image, padded with 0
    std::vector<std::uint32_t> labels;  ///< number of valid labels; empty if not known for any
    std::size_t size() const noexcept { return classes.size(); }
    CellCounts cells() const;
    /// Appends an image of another set, without its number of labels. Both have `row_bytes`.
    void append(const StudySet& from, std::size_t image, std::size_t row_bytes);
};

struct Study {
    StudySet first, second;
    std::vector<std::string> classifiers, classes;
    std::size_t row_bytes = 0;  ///< number of classifiers, rounded up to 16
    std::vector<std::string> warnings;
    bool partial = false;  ///< images with annotations but without hits were excluded

    std::size_t models() const noexcept { return classifiers.size(); }
    /// The number of correct images in a set by cell of its grid and classifier: cell-major.
    std::vector<double> correct(const StudySet& set, const CellGrid& grid) const;
    std::vector<double> accuracies(const StudySet& set) const;
};

struct StudyOptions {
    int min_annotators = 2;  ///< images with fewer are excluded; at least 2
};

/// The number of valid labels of each image.
struct LabelCounts {
    std::string source;  ///< the file or folder; "" if none was given
    StringColumn images;
    std::vector<std::uint32_t> labels;
};
/// Counts labels in a file of label sets, or in a folder of images or stores with labels. `notes`
/// get the interpretation of columns. Throws bad_input.
LabelCounts read_label_counts(const std::filesystem::path& path, std::vector<std::string>& notes);

/// The position of each reading's image in another list, which messages call `source`. Matched by
/// id or, if no id matches, by file name without folder and extension; a name that several images
/// share matches none. Throws bad_input if an image is repeated in the list.
struct ImagePlaces {
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    std::vector<std::uint32_t> place;
    bool by_name = false;
};
ImagePlaces find_images(const Readings& readings, const StringColumn& images,
                        const std::string& source);

/// Joins readings and hits by image (by file name without folder and extension when no id is the
/// same). Excludes and names classifiers that one set lacks, and images without hits. Throws
/// bad_input if no classifier or image is common, an image was judged under two labels, or nothing
/// remains. Either both sets get numbers of labels or none.
Study join_study(const Readings& first, const Hits& first_hits, const Readings& second,
                 const Hits& second_hits, const StudyNames& names, const StudyOptions& options = {},
                 const LabelCounts& first_labels = {}, const LabelCounts& second_labels = {});

/// Converts a simulated study without writing files.
Study study_of(const Simulation& simulation);

}  // namespace assay::replication
