// Which-class votes as the passes of which_class.cpp walk over them: images with the same answers
// of the same annotators are one pattern, and whatever a pass counts has a number.
//
// Annotators and classes have the numbers of their names' order here, and patterns the order of
// their answers: sums do not depend on the order in which votes were read.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/annotation/votes.h"

namespace assay {

struct ClassAnswer {
    std::uint32_t annotator = 0, said = 0;
    auto operator<=>(const ClassAnswer&) const = default;
};

struct ClassPatterns {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t most_full = 16;  ///< up to so many classes, all are candidates

    std::uint32_t annotators = 0;
    std::uint32_t classes = 0;            ///< at least 2
    std::vector<std::uint32_t> label_of;  ///< class -> Votes::labels
    std::vector<std::uint32_t> annotator_of;
    bool full = false;  ///< every class is a candidate of every image

    std::vector<std::uint64_t> begin;  ///< patterns + 1, of answers
    std::vector<ClassAnswer> answers;  ///< ascending within a pattern
    std::vector<std::uint32_t> images;
    std::vector<std::uint64_t> candidates_begin;  ///< patterns + 1, of candidates
    std::vector<std::uint32_t> candidates;        ///< classes, ascending within a pattern
    std::vector<std::uint64_t> cells_begin;       ///< patterns + 1, of cell_of
    std::vector<std::uint32_t> cell_of;           ///< answer by answer, its candidates
    std::vector<std::uint32_t> of_item;           ///< items -> pattern; none without an answer

    /// A cell: an annotator, a class that may be true, what was said. A row: the first two. A pool:
    /// the last two.
    struct Cell {
        std::uint32_t annotator = 0, truth = 0, said = 0, row = 0, pool = 0;
        bool right() const { return truth == said; }
    };
    std::vector<Cell> cells;
    std::uint32_t rows = 0;
    struct Pool {
        std::uint32_t truth = 0, said = 0;
    };
    std::vector<Pool> pools;

    std::size_t size() const noexcept { return images.size(); }
    std::span<const ClassAnswer> of(std::size_t p) const {
        return std::span(answers).subspan(begin[p], begin[p + 1] - begin[p]);
    }
    std::span<const std::uint32_t> candidates_of(std::size_t p) const {
        return std::span(candidates)
            .subspan(candidates_begin[p], candidates_begin[p + 1] - candidates_begin[p]);
    }
    std::span<const std::uint32_t> cells_of(std::size_t p) const {
        return std::span(cell_of).subspan(cells_begin[p], cells_begin[p + 1] - cells_begin[p]);
    }
};

ClassPatterns class_patterns(const Votes& votes);

}  // namespace assay
