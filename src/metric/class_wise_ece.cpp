#include "metric/class_wise_ece.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metric/class_wise_kernel.h"
#include "metric/column_sweep.h"
#include "metric/families.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

using namespace detail;

struct ClassBinSums {
    std::vector<double> sums;         // sums of p by group and bin since the last transfer to
                                      // `exact`
    std::vector<std::int64_t> exact;  // exact sums in units of 2^-40
    std::vector<std::int64_t> hits;   // likewise, as counts

    void carry() {
        for (std::size_t k = 0; k < sums.size(); ++k) {
            exact[k] += static_cast<std::int64_t>(sums[k] * 0x1p40);
            sums[k] = 0;
        }
    }
};

class EceColumns {
public:
    EceColumns(const ProbabilityRows& rows, const ClassWiseEceOptions& options)
        : rows_(rows),
          options_(options),
          begin_(options.first_class),
          end_(std::min(options.last_class, rows.classes())),
          bounds_(families::bin_bounds(options.bins, options.edges)),
          stride_(bounds_.size() + 1) {}

    ClassWiseEceSums run() {
        ClassWiseEceSums result{std::vector<std::int64_t>(real_slots),
                                std::vector<std::int64_t>(real_slots),
                                std::vector<std::int64_t>(std::size_t{group_count} * real_slots)};
        count_groups();
        if (begin_ >= end_ || items_ == 0) return result;
        ClassBinSums empty;
        empty.sums.assign(group_count * stride_, 0);
        empty.exact.assign(group_count * stride_, 0);
        empty.hits.assign(group_count * stride_, 0);
        classes_.assign(end_ - begin_, empty);
        sweep_columns(rows_, begin_, end_, options_.threads, [&](const ColumnTile& tile) {
            for (std::uint32_t c = tile.from; c < tile.to; ++c) {
                ClassBinSums& cls = classes_[c - begin_];
                add_by_bin(tile.column(c), bounds_, stride_, cls.sums.data());
                if (tile.stretch % exact_stretches == exact_stretches - 1) cls.carry();
            }
            count_hits(tile);
        });
        for (ClassBinSums& cls : classes_) {
            cls.carry();
            add(cls, result);
        }
        return result;
    }

private:
    void count_groups() {
        group_items_.assign(group_count, 0);
        for (std::uint64_t first = 0; first < rows_.items(); first += group_stretch) {
            const auto places = group_places(first / group_stretch, rows_.items());
            for (std::size_t j = 0; j < group_stretch && first + j < rows_.items(); ++j) {
                if (rows_.target(first + j) >= 0) ++group_items_[places[j] % group_count];
            }
        }
        items_ = std::accumulate(group_items_.begin(), group_items_.end(), std::uint64_t{0});
    }

    void count_hits(const ColumnTile& tile) {
        for (std::size_t j = 0; j < tile.items; ++j) {
            const std::int32_t t = rows_.target(tile.first_item + j);
            if (t < static_cast<std::int32_t>(tile.from) || t >= static_cast<std::int32_t>(tile.to))
                continue;
            const auto c = static_cast<std::uint32_t>(t);
            const float p = tile.column(c)[tile.places[j]];
            const auto bin = std::upper_bound(bounds_.begin(), bounds_.end(), p) - bounds_.begin();
            ++classes_[c - begin_]
                  .hits[tile.places[j] % group_count * stride_ + static_cast<std::size_t>(bin)];
        }
    }

    void add(const ClassBinSums& cls, ClassWiseEceSums& result) const {
        std::vector<double> p(stride_), hits(stride_);
        for (std::size_t g = 0; g < group_count; ++g) {
            for (std::size_t b = 0; b < stride_; ++b) {
                p[b] += static_cast<double>(cls.exact[g * stride_ + b]) * 0x1p-40;
                hits[b] += static_cast<double>(cls.hits[g * stride_ + b]);
            }
        }
        const auto n = static_cast<double>(items_);
        double error = 0, noise = 0;
        for (std::size_t b = 0; b < stride_; ++b) {
            error += std::abs(p[b] - hits[b]);
            const double low = b == 0 ? 0 : std::min(1.0F, bounds_[b - 1]);
            noise +=
                std::sqrt(2 / 3.14159265358979323846 * families::most_variance(low, p[b], hits[b]));
        }
        add_real(result.error.data(), error / n);
        add_real(result.noise.data(), noise / n);
        for (std::size_t g = 0; g < group_count; ++g) {
            const std::uint64_t left = items_ - group_items_[g];
            if (group_items_[g] == 0 || left == 0) continue;
            double rest = 0;
            for (std::size_t b = 0; b < stride_; ++b) {
                const std::size_t k = g * stride_ + b;
                rest += std::abs(p[b] - hits[b] - static_cast<double>(cls.exact[k]) * 0x1p-40 +
                                 static_cast<double>(cls.hits[k]));
            }
            add_real(result.without.data() + g * real_slots, rest / static_cast<double>(left));
        }
    }

    const ProbabilityRows& rows_;
    const ClassWiseEceOptions& options_;
    const std::uint32_t begin_, end_;
    const std::vector<float> bounds_;
    const std::size_t stride_;
    std::vector<ClassBinSums> classes_;
    std::vector<std::uint64_t> group_items_;
    std::uint64_t items_ = 0;
};

}  // namespace

ClassWiseEceSums class_wise_ece_sums(const ProbabilityRows& rows,
                                     const ClassWiseEceOptions& options) {
    return EceColumns(rows, options).run();
}

ResampledEstimate class_wise_ece_estimate(const ClassWiseEceSums& sums, std::uint32_t classes,
                                          std::span<const std::uint64_t> group_sizes,
                                          double level) {
    ResampledEstimate result;
    const double value = real_of(sums.error.data()) / classes;
    const double noise = real_of(sums.noise.data()) / classes;
    result.value = value;
    for (std::size_t g = 0; g < group_count; ++g) {
        result.n += group_sizes[g];
        if (group_sizes[g] > 0)
            result.without.push_back(real_of(sums.without.data() + g * real_slots) / classes);
    }
    families::add_noisy_interval(result, noise, level);
    return result;
}

}  // namespace assay
