// Calibration after temperature scaling: the rounds that fit, the round that measures
// (temperature.h), and its row of the table.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include <fmt/core.h>

#include "assay/collective/comm.h"
#include "core/parallel.h"
#include "core/random.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"
#include "metric/table_rows.h"
#include "metric/temperature.h"

namespace assay {
namespace {

// Results are the same for any number of threads and ranks. Cost: about ten passes over the rows,
// and 12 bytes per item.
class TemperaturePasses {
public:
    TemperaturePasses(const PassRows& again, std::uint64_t seed)
        : rows_(again.rows),
          logarithms_(rows_.reader().store().spec().kind == ScoreKind::probabilities),
          threads_(again.threads),
          comm_(again.comm),
          own_(again.own_items()),
          half_(static_cast<std::size_t>(rows_.items())) {
        const auto& ids = rows_.reader().store().dataset().ids;
        for (std::uint64_t i = 0; i < rows_.items(); ++i) {
            const auto id = ids[static_cast<std::size_t>(rows_.row_of(i))];
            // The half depends only on the id, and not on other items.
            half_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
                RandomStream(seed, fmt::format("temperature half of {}", id)).next_u32() & 1U);
        }
    }

    ResampledEstimate run(const MetricRequest& request, double level) {
        ResampledEstimate result;
        std::array<std::uint64_t, 2> sizes{};
        for (std::uint64_t i = 0; i < rows_.items(); ++i)
            if (rows_.target(i) >= 0) ++sizes[half_[static_cast<std::size_t>(i)]];
        result.n = sizes[0] + sizes[1];
        if (result.n == 0) {
            result.undefined = "no item has a single label";
        } else if (sizes[0] == 0 || sizes[1] == 0) {
            result.undefined = "one of the two halves has no item with a label";
        }
        if (!result.undefined.empty()) return result;
        while (!(fits_[0].done() && fits_[1].done())) {
            step();
            if (impossible_ > 0) {
                result.undefined = fmt::format(
                    "the labels of {} items have probability 0, so no temperature has a finite "
                    "loss",
                    impossible_);
                return result;
            }
        }
        const std::uint64_t n = result.n;
        result = scaled_ece(items(), sums_, request.parameters, level);
        result.n = n;
        if (!result.value) return result;
        const std::string temperatures = fmt::format(
            "temperatures {:.4g} and {:.4g}{}", 1 / fits_[0].beta(), 1 / fits_[1].beta(),
            fits_[0].at_limit() || fits_[1].at_limit() ? ", the end of the search range" : "");
        result.note = temperatures + "; " + result.note;
        return result;
    }

private:
    // Calls body(item, logits) for this rank's items with a label, in blocks on several threads.
    template <class Body>
    void each_block(Body&& body) const {
        constexpr std::uint64_t block_items = 256;
        const auto first = own_.first, last = own_.second;
        const auto blocks =
            static_cast<std::size_t>((last - first + block_items - 1) / block_items);
        agree(comm_, [&] {
            parallel_blocks(blocks, threads_, [&](std::size_t b) {
                throw_if_stopped();
                const std::uint64_t begin = first + b * block_items;
                body(begin, std::min(last, begin + block_items));
            });
        });
    }

    std::span<const float> logits_of(std::uint64_t item, std::vector<float>& buffer) const {
        const std::span<const float> scores = rows_.reader().scores(rows_.row_of(item), buffer);
        if (!logarithms_) return scores;
        buffer.resize(scores.size());  // a row in memory is used directly
        std::transform(scores.begin(), scores.end(), buffer.begin(),
                       [](float p) { return p > 0 ? std::log(p) : -INFINITY; });
        return buffer;
    }

    void step() {
        std::array<LossSums, 2> sums;
        std::vector<std::int64_t> impossible(1);
        std::mutex mutex;
        each_block([&](std::uint64_t begin, std::uint64_t end) {
            std::vector<float> buffer;
            std::array<LossSums, 2> local;
            std::int64_t bad = 0;
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::int32_t target = rows_.target(i);
                if (target < 0) continue;
                const std::size_t h = half_[static_cast<std::size_t>(i)];
                const auto logits = logits_of(i, buffer);
                if (logits[static_cast<std::size_t>(target)] == -INFINITY) {
                    ++bad;
                    continue;
                }
                local[h].add(rows_.group_of(i), loss_slope(logits, target, fits_[h].beta()));
            }
            const std::lock_guard lock(mutex);  // integers can be added in any order
            impossible[0] += bad;
            for (std::size_t h = 0; h < 2; ++h) {
                for (std::size_t k = 0; k < sums[h].first.size(); ++k) {
                    sums[h].first[k] += local[h].first[k];
                    sums[h].second[k] += local[h].second[k];
                }
            }
        });
        comm_.all_reduce(impossible);
        impossible_ = static_cast<std::uint64_t>(impossible[0]);
        for (std::size_t h = 0; h < 2; ++h) {
            comm_.all_reduce(sums[h].first);
            comm_.all_reduce(sums[h].second);
            if (fits_[h].done()) continue;
            sums_[h] = sums[h];
            fits_[h].step(sums[h]);
        }
    }

    std::vector<ScaledItem> items() const {
        const std::uint64_t first = own_.first;
        std::vector<ScaledConfidence> own(static_cast<std::size_t>(own_.second - first));
        each_block([&](std::uint64_t begin, std::uint64_t end) {
            std::vector<float> buffer;
            for (std::uint64_t i = begin; i < end; ++i) {
                if (rows_.target(i) < 0) continue;
                const std::size_t other = 1U - half_[static_cast<std::size_t>(i)];
                own[static_cast<std::size_t>(i - first)] =
                    scaled_confidence(logits_of(i, buffer), fits_[other].beta());
            }
        });
        std::vector<ScaledItem> list;
        std::uint64_t i = 0;
        for (const auto& part : all_gather<ScaledConfidence>(comm_, own)) {
            for (const ScaledConfidence& scaled : part) {
                const std::int32_t target = rows_.target(i);
                if (target >= 0) {
                    const ItemRecord& record = rows_.records()[static_cast<std::size_t>(i)];
                    list.push_back({scaled, record.predicted == target,
                                    half_[static_cast<std::size_t>(i)], rows_.group_of(i)});
                }
                ++i;
            }
        }
        return list;
    }

    const MetricRows& rows_;
    const bool logarithms_;
    const int threads_;
    Comm& comm_;
    const std::pair<std::uint64_t, std::uint64_t> own_;  // range of this rank's items
    std::vector<std::uint8_t> half_;
    std::array<TemperatureFit, 2> fits_;
    std::array<LossSums, 2> sums_;
    std::uint64_t impossible_ = 0;
};

class TemperaturePass final : public MetricPass {
public:
    KeptItems keeps(const MetricRequest&, bool known) const override { return {known, false}; }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        const PassRows& again = run.again();
        const Resampling& resampling = run.sums().resampling();
        ResampledEstimate result;
        result.undefined = again.rows.lacking("every class's score is needed");
        if (result.undefined.empty() && again.class_map)
            result.undefined = "a temperature needs the model's classes, not those of a class map";
        if (!result.undefined.empty()) return result;
        return TemperaturePasses(again, resampling.seed).run(request, resampling.level);
    }
};

std::string temperature_definition(const Parameters& p) {
    return "temperature_scaled_ece.cross_fitted." + p.at("edges");
}

}  // namespace

namespace rows {

void add_temperature(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "temperature_scaled_ece",
         .title = "Expected calibration error after temperature scaling",
         .formula = "mean ece of two halves of the items, split by their ids (with the seed). Each "
                    "half gets the temperature that minimises the other half's negative "
                    "log-likelihood, within 0.01 to 100. The note gives the temperatures. Noise "
                    "adds to it, so the interval extends down by the most that noise can add",
         .parameters = {bins_parameter(), edges_parameter()},
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .origin = "Guo et al. 2017, On calibration of modern neural networks, section 4.2",
         .uncertainty = Uncertainty::jackknife,
         .pass = std::make_shared<TemperaturePass>(),
         .definition = temperature_definition,
         .by_default = false});
}

}  // namespace rows
}  // namespace assay
