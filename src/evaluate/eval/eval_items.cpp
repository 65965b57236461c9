#include "evaluate/eval/eval_items.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/statistics.h"

namespace assay::evaluate {
namespace {

constexpr std::size_t listed = 5;
constexpr std::uint64_t block_rows = 4096;
constexpr double interval_level = 0.95;

/// An item with its ranking key.
struct Ranked {
    double by = 0;
    std::uint64_t row = 0;
    bool operator<(const Ranked& other) const {
        return by != other.by ? by > other.by : row < other.row;
    }
};
void keep_first(std::vector<Ranked>& list) {
    std::ranges::sort(list, std::less<>());
    list.resize(std::min(list.size(), listed));
}

struct Sums {
    std::uint64_t n = 0;
    double sum = 0, squares = 0;
};
struct Block {
    std::vector<Ranked> doubted, unsure;
    std::vector<Sums> confidence;  ///< by model
    std::uint64_t same = 0, compared = 0;
};

/// The probability of the most likely label.
double label_probability(const RowReader& reader, std::uint64_t row,
                         std::span<const std::int32_t> labels) {
    double best = 0;
    for (const std::int32_t label : labels) {
        if (const auto place = reader.place_of(row, label))
            best = std::max(best, static_cast<double>(place->probability));
    }
    return best;
}

class Walk {
public:
    explicit Walk(std::span<const PredictionStore* const> stores)
        : dataset_(stores.front()->dataset()) {
        for (const PredictionStore* store : stores) readers_.emplace_back(*store);
    }

    Block block(std::uint64_t begin, std::uint64_t end) const {
        Block block;
        block.confidence.resize(readers_.size());
        for (std::uint64_t row = begin; row < end; ++row) add(row, block);
        keep_first(block.doubted);
        keep_first(block.unsure);
        return block;
    }

    DoubtedLabel doubted(std::uint64_t row) const {
        const auto labels = labels_of(row);
        DoubtedLabel out{.id = std::string(dataset_.ids[static_cast<std::size_t>(row)]),
                         .label = "",
                         .predicted = ""};
        for (const std::int32_t label : labels)
            out.label += (out.label.empty() ? "" : ", ") + name_of_class(label);
        for (const RowReader& reader : readers_) {
            RowPrediction p;
            reader.read(row, labels, p);
            if (out.predicted.empty()) out.predicted = name_of_class(p.predicted);
            out.predicted_probability += static_cast<double>(p.confidence) / models();
            out.label_probability += label_probability(reader, row, labels) / models();
        }
        return out;
    }
    UnsureItem unsure(std::uint64_t row) const {
        UnsureItem out{.id = std::string(dataset_.ids[static_cast<std::size_t>(row)]),
                       .predicted = {},
                       .confidence = {}};
        for (const RowReader& reader : readers_) {
            RowPrediction p;
            reader.read(row, {}, p);
            out.predicted.push_back(name_of_class(p.predicted));
            out.confidence.push_back(static_cast<double>(p.confidence));
        }
        return out;
    }

private:
    double models() const { return static_cast<double>(readers_.size()); }
    std::span<const std::int32_t> labels_of(std::uint64_t row) const {
        return row < dataset_.labels.size() ? dataset_.labels[static_cast<std::size_t>(row)]
                                            : std::span<const std::int32_t>{};
    }
    std::string name_of_class(std::int32_t cls) const {
        const ClassList& classes = readers_.front().store().dataset().classes;
        const auto c = static_cast<std::size_t>(cls);
        return cls >= 0 && c < classes.size() ? classes.name(c) : std::to_string(cls);
    }

    void add(std::uint64_t row, Block& block) const {
        const auto labels = labels_of(row);
        bool all_scored = true, all_same = true, all_doubt = !labels.empty();
        std::int32_t first = -1;
        double confidence = 0;
        for (std::size_t m = 0; m < readers_.size(); ++m) {
            RowPrediction p;
            if (readers_[m].read(row, labels, p) != RowStatus::ok) {
                all_scored = false;
                continue;
            }
            const double sure = static_cast<double>(p.confidence);
            Sums& sums = block.confidence[m];
            ++sums.n;
            sums.sum += sure;
            sums.squares += sure * sure;
            confidence += sure / models();
            if (m == 0) first = p.predicted;
            all_same = all_same && p.predicted == first;
            all_doubt = all_doubt && std::ranges::find(labels, p.predicted) == labels.end();
        }
        if (!all_scored) return;
        ++block.compared;
        block.same += all_same ? 1 : 0;
        if (labels.empty()) {
            if (readers_.size() == 1) block.unsure.push_back({-confidence, row});
            if (readers_.size() > 1 && !all_same) block.unsure.push_back({confidence, row});
        } else if (all_doubt) {
            double of_label = 0;
            for (const RowReader& reader : readers_)
                of_label += label_probability(reader, row, labels) / models();
            block.doubted.push_back({confidence - of_label, row});
        }
        if (block.doubted.size() > block_rows / 8) keep_first(block.doubted);
        if (block.unsure.size() > block_rows / 8) keep_first(block.unsure);
    }

    const Dataset& dataset_;
    std::vector<RowReader> readers_;
};

Estimate mean_of(const Sums& sums) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = sums.n;
    if (sums.n == 0) {
        out.undefined = "no image has scores";
        return out;
    }
    const auto n = static_cast<double>(sums.n);
    out.value = sums.sum / n;
    if (sums.n < 2) return out;
    const double variance = std::max(0.0, (sums.squares - n * *out.value * *out.value) / (n - 1));
    out.standard_error = std::sqrt(variance / n);
    out.interval = symmetric_interval(*out.value, *out.standard_error, interval_level, "normal");
    return out;
}

}  // namespace

ItemsOfScores look_at_items(std::span<const PredictionStore* const> stores, int threads) {
    const Walk walk(stores);
    const std::uint64_t rows = stores.front()->rows();
    const auto count = static_cast<std::size_t>((rows + block_rows - 1) / block_rows);
    std::vector<Block> blocks(count);
    parallel_blocks(count, resolve_threads(threads), [&](std::size_t b) {
        throw_if_stopped();
        const std::uint64_t begin = b * block_rows;
        blocks[b] = walk.block(begin, std::min(rows, begin + block_rows));
    });
    Block all;
    all.confidence.resize(stores.size());
    for (const Block& block : blocks) {
        all.doubted.insert(all.doubted.end(), block.doubted.begin(), block.doubted.end());
        all.unsure.insert(all.unsure.end(), block.unsure.begin(), block.unsure.end());
        all.same += block.same;
        all.compared += block.compared;
        for (std::size_t m = 0; m < stores.size(); ++m) {
            all.confidence[m].n += block.confidence[m].n;
            all.confidence[m].sum += block.confidence[m].sum;
            all.confidence[m].squares += block.confidence[m].squares;
        }
    }
    keep_first(all.doubted);
    keep_first(all.unsure);
    ItemsOfScores out;
    for (const Ranked& one : all.doubted) out.doubted.push_back(walk.doubted(one.row));
    for (const Ranked& one : all.unsure) out.unsure.push_back(walk.unsure(one.row));
    for (const Sums& sums : all.confidence) out.confidence.push_back(mean_of(sums));
    out.agreement =
        wilson_proportion(all.same, all.compared, interval_level, "no image has scores of all");
    return out;
}

}  // namespace assay::evaluate
