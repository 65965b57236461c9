#include "annotation/true_sets/subset_sizes.h"

#include <algorithm>

namespace assay::true_sets {
namespace {

/// Adds a question: `pmf` has `n` numbers before the call, and n + 1 afterwards.
void add_question(std::span<double> pmf, std::size_t n, double yes) {
    pmf[n] = pmf[n - 1] * yes;
    for (std::size_t g = n - 1; g > 0; --g) pmf[g] = pmf[g] * (1 - yes) + pmf[g - 1] * yes;
    pmf[0] *= 1 - yes;
}

}  // namespace

void size_probabilities(std::span<const double> yes, std::span<double> out) {
    out[0] = 1;
    for (std::size_t k = 0; k < yes.size(); ++k) add_question(out, k + 1, yes[k]);
}

void SizesWithoutOne::operator()(std::span<const double> yes, std::span<double> out) {
    if (yes.empty()) return;
    const double none = 1;
    fill(yes, 0, yes.size(), {&none, 1}, out, 0);
}

/// `others` is the distribution of all questions outside [begin, end).
void SizesWithoutOne::fill(std::span<const double> yes, std::size_t begin, std::size_t end,
                           std::span<const double> others, std::span<double> out,
                           std::size_t depth) {
    const std::size_t k = yes.size();
    if (end - begin == 1) {
        std::copy(others.begin(), others.end(),
                  out.begin() + static_cast<std::ptrdiff_t>(begin * k));
        return;
    }
    if (room_.size() <= depth) room_.resize(depth + 1);
    const std::size_t middle = begin + (end - begin) / 2;
    for (const bool left : {true, false}) {
        const std::size_t from = left ? middle : begin, to = left ? end : middle;
        std::vector<double>& more = room_[depth];
        more.assign(others.begin(), others.end());
        more.resize(others.size() + (to - from));
        for (std::size_t i = from; i < to; ++i)
            add_question(more, others.size() + (i - from), yes[i]);
        // Only the other half reuses the buffer of this depth.
        const std::vector<double> kept = more;
        fill(yes, left ? begin : middle, left ? middle : end, kept, out, depth + 1);
    }
}

}  // namespace assay::true_sets
