#include "assay/annotation/label_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "assay/error.h"
#include "core/statistics.h"

namespace assay {
namespace {

ClassPair describe(std::int32_t a, std::int32_t b, std::uint64_t together, const LabelStats& stats,
                   double level) {
    ClassPair pair;
    pair.a = a;
    pair.b = b;
    pair.together = together;
    pair.count_a = stats.class_count[static_cast<std::size_t>(a)];
    pair.count_b = stats.class_count[static_cast<std::size_t>(b)];
    const auto items = static_cast<double>(stats.labelled);
    pair.expected = static_cast<double>(pair.count_a) * static_cast<double>(pair.count_b) / items;
    pair.lift.value = static_cast<double>(together) / pair.expected;
    pair.lift.n = stats.labelled;
    const std::uint64_t rarer = std::min(pair.count_a, pair.count_b),
                        more = std::max(pair.count_a, pair.count_b);
    // The lift is P(more frequent | rarer) / P(more frequent); this combines the ends of both.
    const Interval among = wilson(together, rarer, level),
                   overall = wilson(more, stats.labelled, level);
    pair.lift.interval =
        Interval{among.low / overall.high, among.high / overall.low, level, "wilson.ratio"};
    pair.pmi = std::log2(*pair.lift.value);
    // If both classes occur in every image, the value is 0/0; its limit is 1.
    const double self = -std::log2(static_cast<double>(together) / items);
    pair.npmi = self > 0 ? std::clamp(pair.pmi / self, -1.0, 1.0) : 1;
    return pair;
}

Measurement mean_of(const LabelStats& stats, double level) {
    Measurement m;
    m.key.metric = "labels_per_image";
    m.key.definition = "labels_per_image.labelled";
    m.n = stats.labelled;
    m.left_out = stats.items - stats.labelled;
    if (stats.labelled == 0) {
        m.undefined = "no image has a label";
        return m;
    }
    const auto n = static_cast<double>(stats.labelled);
    const double mean = static_cast<double>(stats.labels) / n;
    m.value = mean;
    double squares = 0;
    for (const auto& [labels, images] : stats.histogram) {
        const double off = static_cast<double>(labels) - mean;
        if (labels > 0) squares += static_cast<double>(images) * off * off;
    }
    if (stats.labelled > 1 && squares <= 0) {
        m.note = "all images have the same number of labels: no interval";
    } else if (stats.labelled > 1) {
        m.interval = symmetric_interval(mean, std::sqrt(squares / (n - 1) / n), level, "normal");
        m.interval->low = std::max(1.0, m.interval->low);
    } else {
        m.note = "one image: no interval";
    }
    return m;
}

}  // namespace

LabelStats label_stats(const LabelSets& sets, std::size_t classes,
                       const LabelStatsOptions& options) {
    LabelStats stats;
    stats.items = sets.size();
    stats.class_count.assign(classes, 0);
    stats.class_alone.assign(classes, 0);
    std::unordered_map<std::uint64_t, std::uint64_t> pairs;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto set = sets[i];
        ++stats.histogram[set.size()];
        stats.labelled += set.empty() ? 0 : 1;
        stats.labels += set.size();
        for (const std::int32_t c : set) {
            if (static_cast<std::size_t>(c) >= classes) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("label {} of item {} is outside the {} classes", c, i, classes));
            }
            ++stats.class_count[static_cast<std::size_t>(c)];
            stats.class_alone[static_cast<std::size_t>(c)] += set.size() == 1 ? 1 : 0;
        }
        if (set.size() > LabelStats::most_for_pairs) {
            ++stats.crowded;
            continue;
        }
        for (std::size_t a = 0; a < set.size(); ++a) {
            for (std::size_t b = a + 1; b < set.size(); ++b) {
                ++pairs[(static_cast<std::uint64_t>(set[a]) << 32) |
                        static_cast<std::uint64_t>(set[b])];
            }
        }
    }
    stats.mean_labels = mean_of(stats, options.level);
    stats.unused_classes = static_cast<std::uint64_t>(
        std::count(stats.class_count.begin(), stats.class_count.end(), 0U));
    stats.pairs = pairs.size();
    for (const auto& [key, together] : pairs) {
        if (together < options.minimum_together) {
            ++stats.rare_pairs;
            continue;
        }
        stats.together.push_back(describe(static_cast<std::int32_t>(key >> 32),
                                          static_cast<std::int32_t>(key & 0xFFFF'FFFFU), together,
                                          stats, options.level));
    }
    const auto low_of = [](const ClassPair& pair) {
        return pair.lift.interval ? pair.lift.interval->low
                                  : 0.0;  // describe() sets one for every pair
    };
    std::sort(stats.together.begin(), stats.together.end(),
              [&](const ClassPair& x, const ClassPair& y) {
                  const double x_low = low_of(x), y_low = low_of(y);
                  if (x_low != y_low) return x_low > y_low;
                  return x.a != y.a ? x.a < y.a : x.b < y.b;
              });
    return stats;
}

}  // namespace assay
