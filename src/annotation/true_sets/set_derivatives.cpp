// The posterior is an exponential family in log L, so a derivative by log L is a covariance with
// "class c is valid". The terms log w also occur in the prior's denominator, which subtracts the
// prior's expectation of the class given g.
#include "annotation/true_sets/set_derivatives.h"

#include <algorithm>

namespace assay::true_sets {
namespace {

void make_room(Moves& moves, std::size_t rows, std::size_t k, std::size_t forms) {
    moves.yes.assign(rows * k, 0);
    moves.expected.assign(rows * k, 0);
    moves.size.assign(rows * (k + 1), 0);
    moves.forms.assign(rows * forms, 0);
}

}  // namespace

double LinearForm::value(const SetPosterior& posterior) const {
    const std::size_t row = posterior.asked() + 1;
    double sum = 0;
    for (std::size_t g = 0; g < row; ++g) sum += by_size[g] * posterior.size()[g];
    for (std::size_t c = 0; c < posterior.asked(); ++c)
        for (std::size_t g = 1; g < row; ++g) sum += by_class[c * row + g] * posterior.joint(c)[g];
    return sum;
}

/// P(c, d and g classes in total are valid), K x (K + 1) for one c; `scale` as in SetPosterior.
void SetDerivatives::pairs(std::span<const double> probability, std::size_t c,
                           std::span<const double> scale, std::vector<double>& out) {
    const std::size_t k = probability.size(), row = k + 1, rest = k - 1;
    out.assign(k * row, 0);
    if (rest == 0) return;
    others_.assign(probability.begin(), probability.end());
    others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(c));
    without_.resize(rest * rest);
    without_one_(others_, without_);
    for (std::size_t j = 0; j < rest; ++j) {
        const std::size_t d = j < c ? j : j + 1;
        for (std::size_t g = 2; g < row; ++g)
            out[d * row + g] =
                probability[c] * probability[d] * without_[j * rest + g - 2] * scale[g];
    }
}

void SetDerivatives::compute(const SetPosterior& posterior, std::span<const LinearForm> forms) {
    const std::size_t k = posterior.asked(), row = k + 1;
    const auto size = posterior.size(), yes = posterior.yes(), expected = posterior.expected();
    make_room(by_ratio_, k, k, forms.size());
    make_room(by_odds_, k, k, forms.size());
    make_room(by_size_, row, k, forms.size());
    scale_before_.resize(row);
    for (std::size_t g = 0; g < row; ++g)
        scale_before_[g] = 1 / std::max(posterior.sizes_before()[g], 1e-300);
    joint_.resize(k * row);
    const auto finish = [&](Moves& moves, std::size_t r) {
        double* const change = moves.size.data() + r * row;
        for (std::size_t d = 0; d < k; ++d) {
            for (std::size_t g = 1; g < row; ++g) {
                moves.yes[r * k + d] += joint_[d * row + g];
                moves.expected[r * k + d] += change[g] * posterior.before(d)[g];
            }
        }
        for (std::size_t f = 0; f < forms.size(); ++f) {
            double& sum = moves.forms[r * forms.size() + f];
            for (std::size_t g = 0; g < row; ++g) sum += forms[f].by_size[g] * change[g];
            for (std::size_t at = 0; at < k * row; ++at) sum += forms[f].by_class[at] * joint_[at];
        }
    };
    for (std::size_t c = 0; c < k; ++c) {
        pairs(posterior.q(), c, posterior.scale(), pair_);
        pairs(posterior.p(), c, scale_before_, pair_before_);
        const auto own = posterior.joint(c), before = posterior.before(c);
        std::copy(own.begin(), own.end(), pair_.begin() + static_cast<std::ptrdiff_t>(c * row));
        std::copy(before.begin(), before.end(),
                  pair_before_.begin() + static_cast<std::ptrdiff_t>(c * row));
        for (std::size_t g = 0; g < row; ++g)
            by_ratio_.size[c * row + g] = own[g] - yes[c] * size[g];
        for (std::size_t d = 0; d < k; ++d)
            for (std::size_t g = 0; g < row; ++g)
                joint_[d * row + g] = pair_[d * row + g] - yes[c] * posterior.joint(d)[g];
        finish(by_ratio_, c);
        for (std::size_t g = 0; g < row; ++g) {
            const double more = before[g] - expected[c];
            by_odds_.size[c * row + g] = by_ratio_.size[c * row + g] - size[g] * more;
            for (std::size_t d = 0; d < k; ++d) {
                joint_[d * row + g] -= posterior.joint(d)[g] * more;
                by_odds_.expected[c * k + d] +=
                    size[g] * (pair_before_[d * row + g] - before[g] * posterior.before(d)[g]);
            }
        }
        finish(by_odds_, c);
    }
    for (std::size_t moved = 0; moved < row; ++moved) {
        for (std::size_t g = 0; g < row; ++g) {
            const double own = g == moved ? 1 : 0;
            by_size_.size[moved * row + g] = size[g] * (own - size[moved]);
            for (std::size_t d = 0; d < k; ++d)
                joint_[d * row + g] = posterior.joint(d)[g] * (own - size[moved]);
        }
        finish(by_size_, moved);
    }
}

}  // namespace assay::true_sets
