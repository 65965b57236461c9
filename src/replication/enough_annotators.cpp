#include "replication/enough_annotators.h"

#include <algorithm>

#include <fmt/format.h>

#include "assay/error.h"

namespace assay::replication {
namespace {

int usual_in(const CellCounts& counts) {
    const double allowed = most_left_out * counts.total();
    double below = 0;
    for (const int n : counts.grid.annotators()) {
        for (int k = 0; k <= n; ++k) below += counts.images[counts.grid.cell(n, k)];
        if (below > allowed) return n;
    }
    return counts.grid.max_n();
}

std::vector<std::size_t> places_of(const CellGrid& part, const CellGrid& whole) {
    std::vector<std::size_t> places;
    for (std::size_t c = 0; c < part.size(); ++c)
        places.push_back(whole.cell(part.n(c), part.k(c)));
    return places;
}

}  // namespace

int usual_annotators(const CellCounts& first, const CellCounts& second) {
    return std::min(usual_in(first), usual_in(second));
}

CellCounts with_annotators(const CellCounts& counts, int least) {
    std::vector<int> kept;
    for (const int n : counts.grid.annotators()) {
        if (n >= least) kept.push_back(n);
    }
    CellCounts out{CellGrid(kept), {}};
    for (const std::size_t c : places_of(out.grid, counts.grid))
        out.images.push_back(counts.images[c]);
    return out;
}

EnoughAnnotators::EnoughAnnotators(const CellCounts& all_first, const CellCounts& all_second,
                                   const Correct& all_correct, int least)
    : first(with_annotators(all_first, least)),
      second(with_annotators(all_second, least)),
      correct{all_correct.models, {}},
      first_place(places_of(first.grid, all_first.grid)),
      second_place(places_of(second.grid, all_second.grid)),
      least_(least),
      second_cells_(all_second.grid.size()) {
    if (first.total() <= 0 || second.total() <= 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("no image of a set has {} annotators or more", least));
    }
    first_left_out = all_first.total() - first.total();
    second_left_out = all_second.total() - second.total();
    for (const std::size_t c : second_place) {
        const auto row =
            all_correct.by_cell.begin() + static_cast<std::ptrdiff_t>(c * correct.models);
        correct.by_cell.insert(correct.by_cell.end(), row,
                               row + static_cast<std::ptrdiff_t>(correct.models));
    }
}

std::vector<double> EnoughAnnotators::spread_second(const std::vector<double>& values) const {
    std::vector<double> out(second_cells_, 0.0);
    for (std::size_t c = 0; c < values.size(); ++c) out[second_place[c]] = values[c];
    return out;
}

std::string EnoughAnnotators::note() const {
    if (first_left_out + second_left_out == 0) return "";
    return fmt::format(
        "{:.0f} images of the original and {:.0f} of the replication with fewer than {} annotators "
        "are skipped",
        first_left_out, second_left_out, least_);
}

}  // namespace assay::replication
