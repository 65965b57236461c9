// The class-wise calibration error of items that do not count the same (metric/class_wise_ece.h).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/counted_items.h"
#include "metric/families.h"

namespace assay::evaluate {
namespace {

class WeightedClassWise {
public:
    WeightedClassWise(const MetricRequest& request, const RowReader& reader,
                      const CountedItems& items, int threads)
        : reader_(reader),
          items_(items),
          threads_(threads),
          bounds_(families::bin_bounds(std::stoi(request.parameters.at("bins")),
                                       request.parameters.at("edges"))) {}

    Influenced run() const {
        Influenced out{.influence = std::vector<double>(items_.size())};
        std::vector<RowScale> scales(items_.size());
        each_block_of_items(items_.size(), threads_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                RowPrediction found;
                if (reader_.read(items_.row(i), -1, {}, found) == RowStatus::ok)
                    scales[i] = found.scale;
            }
        });
        std::vector<std::vector<float>> columns(column_block, std::vector<float>(items_.size()));
        std::vector<std::pair<double, double>> parts(reader_.classes());
        std::vector<std::vector<double>> signs(reader_.classes());
        for (std::uint32_t first = 0; first < reader_.classes(); first += column_block) {
            const std::uint32_t last = std::min(first + column_block, reader_.classes());
            each_block_of_items(items_.size(), threads_, [&](std::size_t begin, std::size_t end) {
                std::vector<float> p(column_block);
                for (std::size_t i = begin; i < end; ++i) {
                    reader_.probabilities(items_.row(i), first, last, scales[i], p.data());
                    for (std::uint32_t c = first; c < last; ++c)
                        columns[c - first][i] = p[c - first];
                }
            });
            parallel_blocks(last - first, threads_, [&](std::size_t at) {
                throw_if_stopped();
                const auto c = first + static_cast<std::uint32_t>(at);
                parts[c] = measure(columns[at], c, signs[c]);
            });
            each_block_of_items(items_.size(), threads_, [&](std::size_t begin, std::size_t end) {
                for (std::uint32_t c = first; c < last; ++c) {
                    for (std::size_t i = begin; i < end; ++i) {
                        const float p = columns[c - first][i];
                        const double hit = items_.is_positive(i, c) ? 1 : 0;
                        out.influence[i] += signs[c][bin_of(p)] * (p - hit);
                    }
                }
            });
        }
        const double classes = reader_.classes();
        for (const auto& [error, noise] : parts) {
            out.value += error / classes;
            out.noise += noise / classes;
        }
        for (double& x : out.influence) x = x / classes - out.value;
        return out;
    }

private:
    std::size_t bin_of(float p) const {
        return static_cast<std::size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), p) -
                                        bounds_.begin());
    }

    /// The error and the noise of a class, and the sign of the gap of each bin.
    std::pair<double, double> measure(const std::vector<float>& column, std::uint32_t cls,
                                      std::vector<double>& signs) const {
        struct Bin {
            double gap = 0, hits = 0, weight = 0, squares = 0, variance = 0;
        };
        std::vector<Bin> bins(bounds_.size() + 1);
        for (std::size_t i = 0; i < column.size(); ++i) {
            const double w = items_.weights()[i], p = column[i];
            const double hit = items_.is_positive(i, cls) ? 1 : 0;
            Bin& bin = bins[bin_of(column[i])];
            bin.gap += w * (p - hit);
            bin.hits += w * hit;
            bin.weight += w;
            bin.squares += w * w;
            bin.variance += w * w * p * (1 - p);
        }
        double error = 0, noise = 0;
        for (const Bin& bin : bins) {
            signs.push_back(bin.gap > 0 ? 1 : bin.gap < 0 ? -1 : 0);
            error += std::abs(bin.gap);
            const double accuracy = bin.weight > 0 ? bin.hits / bin.weight : 0;
            // At least the variance that the bin's own hits show.
            noise += std::sqrt(2 / std::numbers::pi *
                               std::max(bin.variance, bin.squares * accuracy * (1 - accuracy)));
        }
        return {error, noise};
    }

    const RowReader& reader_;
    const CountedItems& items_;
    const int threads_;
    const std::vector<float> bounds_;
};

}  // namespace

Influenced weighted_class_wise(const MetricRequest& request, const RowReader& reader,
                               const CountedItems& items, int threads) {
    return WeightedClassWise(request, reader, items, threads).run();
}

}  // namespace assay::evaluate
