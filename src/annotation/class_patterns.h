// Which-class votes in the form for the passes of which_class.cpp. Images with the same answers by
// the same annotators form one pattern. Everything that a pass counts has an index.
//
// Annotators and classes are numbered in the order of their names, and patterns in the order of
// their answers. So sums do not depend on the order of reading.
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
    /// with up to this many classes, all are candidates
    static constexpr std::uint32_t most_full = 16;

    std::uint32_t annotators = 0;
    std::uint32_t classes = 0;            ///< at least 2
    std::vector<std::uint32_t> label_of;  ///< index of the class in Votes::labels
    std::vector<std::uint32_t> annotator_of;
    bool full = false;  ///< every class is a candidate of every image

    std::vector<std::uint64_t> begin;  ///< patterns + 1 positions in `answers`
    std::vector<ClassAnswer> answers;  ///< ascending within a pattern
    std::vector<std::uint32_t> images;
    std::vector<std::uint64_t> candidates_begin;  ///< patterns + 1 positions in `candidates`
    std::vector<std::uint32_t> candidates;        ///< classes, ascending within a pattern
    std::vector<std::uint64_t> cells_begin;       ///< patterns + 1 positions in `cell_of`
    std::vector<std::uint32_t> cell_of;           ///< for each answer, the cells of its candidates
    /// The pattern of each item; none for an item without answers.
    std::vector<std::uint32_t> of_item;

    /// A cell is an annotator, a class that may be true, and the answer. A row is the annotator and
    /// the class, and a pool is the class and the answer.
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
