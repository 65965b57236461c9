// Votes in the form for the model of whole label sets. They are grouped by image, with the ranks of
// the questions' classes in the judged models.
//
// N images, Q questions, A annotators, R answers (from no to yes), M models. A question is a pair
// of an image and a class, with one answer or more. A cell is a group of images that share P(g),
// the distribution of the number of valid labels. These images have the same number of questions
// and the same agreement of the models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::true_sets {

struct AskedImages {
    std::uint32_t annotators = 0, answers = 2, models = 0;
    std::vector<std::uint32_t> begin{
        0};  ///< N + 1: questions of image i are [begin[i], begin[i + 1])
    std::vector<std::uint64_t> votes_begin{0};  ///< Q + 1: votes of question q in `codes`
    std::vector<std::uint32_t> codes;           ///< annotator * R + answer
    /// Q x M ranks: 0 for the model's best class, 1 for the next, ...; `below` for every class that
    /// is not among its best `below`.
    std::vector<std::uint16_t> rank;
    std::vector<std::uint32_t> cell;  ///< N: numbers from 0 without a gap

    std::size_t images() const noexcept { return begin.size() - 1; }
    std::size_t questions() const noexcept { return votes_begin.size() - 1; }
    std::size_t asked(std::size_t image) const noexcept { return begin[image + 1] - begin[image]; }
    std::span<const std::uint32_t> votes_of(std::size_t question) const {
        return std::span(codes).subspan(votes_begin[question],
                                        votes_begin[question + 1] - votes_begin[question]);
    }
};

/// Merges cells of fewer than `smallest` images into the nearest cell by `places`, the smallest
/// cell first. Then renumbers the cells. `places` has one entry per cell, with any number of
/// coordinates, the first the most important.
void merge_small_cells(std::vector<std::uint32_t>& cell,
                       std::vector<std::vector<std::int64_t>> places, std::size_t smallest = 20);

/// The agreement of the models on an image. The three numbers count the classes that two models
/// share among their best 1, 2 and 3. Each is a rounded mean over all pairs. `best` has a list per
/// model, best class first.
using Agreement = std::array<std::int64_t, 3>;
Agreement agreement_of(std::span<const std::vector<std::int32_t>> best);

/// The cell of each image by its number of questions and agreement, after small cells are merged.
std::vector<std::uint32_t> cells_of(const AskedImages& images,
                                    std::span<const Agreement> agreement);

/// The positions of the model's parameters in one vector. All of them are logarithms.
struct Layout {
    explicit Layout(const AskedImages& images);

    std::vector<std::uint32_t> first_level;  ///< M + 1: the first position of model m's log odds of
                                             ///< ranks
    std::vector<std::uint32_t> first_size;   ///< cells + 1: the first position of cell z's log P(g)
    std::size_t rates = 0;  ///< log P(answer | not valid) by annotator, then log P(answer | valid)
    std::size_t size = 0;   ///< size of the vector

    std::size_t levels() const noexcept { return first_level.back(); }
    std::size_t cells() const noexcept { return first_size.size() - 1; }
    /// The numbers of labels for which the cell has parameters, including 0.
    std::size_t room(std::size_t cell) const noexcept {
        return first_size[cell + 1] - first_size[cell];
    }
};

}  // namespace assay::true_sets
