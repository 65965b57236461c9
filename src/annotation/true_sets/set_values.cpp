#include "annotation/true_sets/set_values.h"

#include <algorithm>
#include <cmath>

namespace assay::true_sets {
namespace {

constexpr double least_sum = 1e-12;

}  // namespace

void add_pieces(const AskedImages& images, const SetPosterior& posterior, std::size_t image,
                std::size_t model, std::span<const int> subgroups, std::span<double> pieces) {
    const std::size_t k = posterior.asked();
    pieces[1] += 1 - posterior.size()[0];
    for (std::size_t c = 0; c < k; ++c) {
        const std::size_t rank = images.rank[(images.begin[image] + c) * images.models + model];
        if (rank == 0) pieces[0] += posterior.yes()[c];
        for (std::size_t s = 0; s < subgroups.size(); ++s) {
            const auto g = static_cast<std::size_t>(subgroups[s]);
            if (g <= k && rank < g)
                pieces[2 + 2 * s] += posterior.joint(c)[g] / static_cast<double>(g);
        }
    }
    for (std::size_t s = 0; s < subgroups.size(); ++s) {
        const auto g = static_cast<std::size_t>(subgroups[s]);
        if (g <= k) pieces[3 + 2 * s] += posterior.size()[g];
    }
}

void add_pieces(std::span<const std::int32_t> set, std::span<const std::int32_t> best,
                std::span<const int> subgroups, std::span<double> pieces) {
    if (set.empty()) return;
    const auto valid = [&](std::int32_t c) {
        return std::find(set.begin(), set.end(), c) != set.end();
    };
    pieces[0] += !best.empty() && valid(best.front()) ? 1 : 0;
    pieces[1] += 1;
    for (std::size_t s = 0; s < subgroups.size(); ++s) {
        const auto g = static_cast<std::size_t>(subgroups[s]);
        if (g != set.size()) continue;
        const auto hits = std::count_if(
            best.begin(), best.begin() + static_cast<std::ptrdiff_t>(std::min(g, best.size())),
            valid);
        pieces[2 + 2 * s] += static_cast<double>(hits) / static_cast<double>(g);
        pieces[3 + 2 * s] += 1;
    }
}

std::array<double, metric_count> values_of(std::span<const double> sums) {
    std::array<double, metric_count> out{};
    out[real_metric] = sums[0] / std::max(sums[1], least_sum);
    const std::size_t subgroups = sums.size() / 2 - 1;
    for (std::size_t s = 1; s <= subgroups; ++s) {
        out[asma_metric] += sums[2 * s] / std::max(sums[2 * s + 1], least_sum);
    }
    if (subgroups > 0) out[asma_metric] /= static_cast<double>(subgroups);
    return out;
}

std::vector<double> gradient_of(std::span<const double> sums, Metric metric) {
    std::vector<double> out(sums.size());
    const std::size_t subgroups = sums.size() / 2 - 1;
    const std::size_t first = metric == real_metric ? 0 : 1,
                      last = metric == real_metric ? 1 : 1 + subgroups;
    const double weight = metric == real_metric ? 1 : 1 / static_cast<double>(subgroups);
    for (std::size_t s = first; s < last; ++s) {
        const double n = std::max(sums[2 * s + 1], least_sum);
        out[2 * s] = weight / n;
        out[2 * s + 1] = -weight * sums[2 * s] / (n * n);
    }
    return out;
}

ByMetric plain_values(const AskedImages& images, const Layout& layout, std::span<const double> yes,
                      std::span<const int> subgroups, std::span<const double> given) {
    const std::size_t p = piece_count(subgroups), all = images.models * p;
    std::vector<double> sums(all);
    SetPosterior room(images, layout);
    for (std::size_t i = 0; i < images.images(); ++i) {
        room.independent(yes.subspan(images.begin[i], images.asked(i)));
        for (std::size_t m = 0; m < images.models; ++m)
            add_pieces(images, room, i, m, subgroups, std::span(sums).subspan(m * p, p));
    }
    for (std::size_t at = 0; at < given.size(); ++at) sums[at % all] += given[at];
    ByMetric out;
    for (std::size_t m = 0; m < images.models; ++m)
        out.push_back(values_of(std::span(sums).subspan(m * p, p)));
    return out;
}

ExpertValues corrected_by_experts(const AskedImages& images, const Layout& layout,
                                  std::span<const double> parameters,
                                  std::span<const int> subgroups, std::span<const double> given,
                                  const SetValues& values, const ExpertPieces& experts) {
    constexpr double least = 1e-9;
    const std::size_t p = piece_count(subgroups), models = images.models, n = experts.image.size();
    const double all = static_cast<double>(images.images()) +
                       static_cast<double>(given.size()) / static_cast<double>(models * p);
    const double weight = all / static_cast<double>(n);
    std::vector<double> differences = experts.pieces;  // n x M x pieces numbers
    SetPosterior room(images, layout);
    std::vector<double> before(p);
    for (std::size_t e = 0; e < n; ++e) {
        const std::size_t image = experts.image[e];
        const bool asked = image < images.images();
        if (asked) room.compute(image, parameters);
        for (std::size_t m = 0; m < models; ++m) {
            std::fill(before.begin(), before.end(), 0);
            if (asked) {
                add_pieces(images, room, image, m, subgroups, before);
            } else {
                const auto from = given.subspan(((image - images.images()) * models + m) * p, p);
                before.assign(from.begin(), from.end());
            }
            for (std::size_t j = 0; j < p; ++j) differences[(e * models + m) * p + j] -= before[j];
        }
    }
    ExpertValues out;
    for (std::size_t m = 0; m < models; ++m) {
        std::vector<double> sums(values.sums.begin() + static_cast<std::ptrdiff_t>(m * p),
                                 values.sums.begin() + static_cast<std::ptrdiff_t>((m + 1) * p));
        for (std::size_t e = 0; e < n; ++e)
            for (std::size_t j = 0; j < p; ++j)
                sums[j] += weight * differences[(e * models + m) * p + j];
        for (double& sum : sums) sum = std::max(sum, least);
        out.sums.insert(out.sums.end(), sums.begin(), sums.end());
        out.values.push_back(values_of(sums));
        auto& variance = out.variance.emplace_back();
        for (const Metric metric : {real_metric, asma_metric}) {
            const std::vector<double> gradient = gradient_of(sums, metric);
            std::vector<double> own(n);
            double mean = 0;
            for (std::size_t e = 0; e < n; ++e) {
                for (std::size_t j = 0; j < p; ++j)
                    own[e] += weight * gradient[j] * differences[(e * models + m) * p + j];
                mean += own[e] / static_cast<double>(n);
            }
            const double scale = std::sqrt(static_cast<double>(n) / static_cast<double>(n - 1));
            for (double& x : own) {
                x = (x - mean) * scale;
                variance[metric] += x * x;
            }
            for (const double x : values.of(m, metric)) variance[metric] += x * x;
            out.influence.push_back(std::move(own));
        }
    }
    return out;
}

double variance_of_one_more(std::span<const double> sums, Metric metric) {
    const std::size_t subgroups = sums.size() / 2 - 1;
    const std::size_t first = metric == real_metric ? 0 : 1,
                      last = metric == real_metric ? 1 : 1 + subgroups;
    double sum = 0;
    for (std::size_t s = first; s < last; ++s) {
        const double n = std::max(sums[2 * s + 1], 1.0);
        const double mean = std::clamp(sums[2 * s] / n, 0.0, 1.0);
        const double weight = 1 / static_cast<double>(last - first) / n;
        sum += weight * weight * mean * (1 - mean);
    }
    return sum;
}

double variance_by_votes(std::span<const double> influence, double moved) {
    constexpr double allowed = .1;
    double sum = allowed * moved * allowed * moved;
    for (const double x : influence) sum += x * x;
    return sum;
}

}  // namespace assay::true_sets
