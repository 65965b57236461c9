// Slow, independent implementations of the definitions, for the tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metric/class_wise.h"

namespace assay::plain {

/// N x C probabilities and labels, where -1 means excluded.
struct Table {
    std::size_t classes = 0;
    std::vector<float> p;
    std::vector<std::int32_t> labels;
    std::size_t rows() const { return labels.size(); }
    float at(std::size_t i, std::size_t c) const { return p[i * classes + c]; }
};

/// 24 rows of 3 probabilities in units of 1/64 (`prob_times_64`) with labels, and values from
/// other programs.
inline nlohmann::json calibration_fixture() {
    return nlohmann::json::parse(
        std::ifstream(ASSAY_SOURCE_DIR "/tests/metric/fixtures/calibration.json"));
}

struct Adaptive {
    double by_size = 0, equal = 0;
};

inline Adaptive adaptive_error(const Table& t, int bins) {
    Adaptive mean;
    for (std::size_t c = 0; c < t.classes; ++c) {
        std::vector<float> kept;
        std::vector<int> hit;
        for (std::size_t i = 0; i < t.rows(); ++i) {
            if (t.labels[i] < 0 || !(t.at(i, c) > 0)) continue;
            kept.push_back(t.at(i, c));
            hit.push_back(t.labels[i] == static_cast<std::int32_t>(c) ? 1 : 0);
        }
        if (kept.empty()) continue;
        const double m = static_cast<double>(kept.size());
        std::vector<float> sorted = kept;
        std::sort(sorted.begin(), sorted.end());
        std::vector<float> upper;
        for (int i = 1; i < bins; ++i) {
            const double k = std::nearbyint(i * m / bins);
            upper.push_back(sorted[static_cast<std::size_t>(std::min(k, m - 1))]);
        }
        upper.push_back(1.0F);
        std::vector<double> n(upper.size() + 1), confidence(upper.size() + 1),
            right(upper.size() + 1);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            std::size_t bin = 0;
            for (const float u : upper) bin += u <= kept[i] ? 1 : 0;
            n[bin] += 1;
            confidence[bin] += kept[i];
            right[bin] += hit[i];
        }
        for (std::size_t b = 0; b < n.size(); ++b) {
            const double gap =
                std::abs(right[b] / (n[b] + 2.2e-16) - confidence[b] / (n[b] + 2.2e-16));
            mean.by_size += gap * n[b] / m / static_cast<double>(t.classes);
            mean.equal += gap / bins / static_cast<double>(t.classes);
        }
    }
    return mean;
}

/// Rows in memory, in the form that the class-wise engine reads.
class MemoryRows final : public ProbabilityRows {
public:
    explicit MemoryRows(const Table& table) : t_(table) {}
    std::uint64_t items() const override { return t_.rows(); }
    std::uint32_t classes() const override { return static_cast<std::uint32_t>(t_.classes); }
    std::int32_t target(std::uint64_t item) const override { return t_.labels[item]; }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
              float* out) const override {
        for (std::uint64_t i = first; i < first + n; ++i) {
            for (std::uint32_t c = begin; c < end; ++c) *out++ = t_.labels[i] < 0 ? 0 : t_.at(i, c);
        }
    }

private:
    const Table& t_;
};

}  // namespace assay::plain
