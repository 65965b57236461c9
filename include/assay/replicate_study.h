// A replication study put together: the readings of two sets of pictures and which classifiers got each picture right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/replicate_cells.h"
#include "assay/replicate_selections.h"
#include "assay/replicate_simulation.h"

namespace assay::replicate {

/// Which classifier got which picture right.
struct Hits {
    static constexpr std::uint8_t unknown = 2;
    std::string source;
    std::vector<std::string> classifiers;
    StringColumn pictures;
    std::vector<std::uint8_t> hit;  ///< picture-major, classifiers.size() a picture: 0, 1 or unknown
};

/// A csv: `picture` and one column a classifier (0, 1 or empty), or the columns picture, classifier, hit. Throws
/// bad_input (file, line, value).
Hits read_hits_csv(const std::filesystem::path& path);
/// The stores below a folder, all of one data set: is the best class among the picture's labels? Unknown where there is
/// no score or no label. Throws bad_input: stores of several data sets, or of one with other pictures.
Hits hits_of_stores(const std::filesystem::path& folder, int threads);
/// One of the two.
Hits read_hits(const std::filesystem::path& path, int threads);

/// One set of a study. Memory: 8 bytes a picture and a byte for each classifier.
struct StudySet {
    std::vector<std::uint32_t> classes;  ///< of each picture, into Study::classes
    std::vector<std::uint16_t> annotators, selected;
    std::vector<std::uint8_t> hits;  ///< picture-major; Study::row_bytes a picture, the rest of a row is 0
    std::size_t size() const noexcept { return classes.size(); }
    CellCounts cells() const;
};

struct Study {
    StudySet first, second;
    std::vector<std::string> classifiers, classes;
    std::size_t row_bytes = 0;  ///< classifiers, rounded up to 16
    std::vector<std::string> warnings;
    bool partial = false;  ///< pictures with annotations were left out for want of hits

    std::size_t models() const noexcept { return classifiers.size(); }
    /// Correct pictures of a set by cell of its grid and classifier: cell-major.
    std::vector<double> correct(const StudySet& set, const CellGrid& grid) const;
    std::vector<double> accuracies(const StudySet& set) const;
};

struct StudyOptions {
    int min_annotators = 2;  ///< pictures with fewer are left out; at least 2
};

/// Where each reading's picture stands among the hits. By id, or, where no id is the same, by file name without folder
/// and extension; a name that several pictures have finds none. Throws bad_input: a picture twice among the hits.
struct PicturePlaces {
    static constexpr std::uint32_t nowhere = UINT32_MAX;
    std::vector<std::uint32_t> place;
    bool by_name = false;
};
PicturePlaces find_pictures(const Readings& readings, const Hits& hits);

/// Joins readings and hits by picture (by file name without folder and extension when no id is the same). Classifiers
/// that one set lacks are left out and named; so are pictures without hits. Throws bad_input: no classifier or picture
/// in common, a picture judged under two labels, nothing left.
Study join_study(const Readings& first, const Hits& first_hits, const Readings& second, const Hits& second_hits,
                 const StudyNames& names, const StudyOptions& options = {});

/// A simulated study without the way over files.
Study study_of(const Simulation& simulation);

}  // namespace assay::replicate
