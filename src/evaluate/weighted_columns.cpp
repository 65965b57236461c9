#include "evaluate/weighted_columns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/parallel.h"
#include "evaluate/counted_items.h"

namespace assay::evaluate {
namespace {

/// One number for each item and each of up to 64 classes, class by class.
using Columns = std::vector<std::vector<double>>;

/// The sums of the positives of each class.
struct PositiveSums {
    std::vector<std::size_t> items;
    std::vector<double> size, squares;      ///< of their weights
    std::vector<double> effective, others;  ///< Kish's numbers of positives and of negatives
    double all = 0, all_squares = 0;
};

PositiveSums positive_sums(const CountedItems& items, std::uint32_t classes) {
    PositiveSums out;
    out.items.resize(classes);
    out.size.resize(classes);
    out.squares.resize(classes);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const double w = items.weights()[i];
        out.all += w;
        out.all_squares += w * w;
        for (const std::int32_t c : items.classes(i)) {
            ++out.items[static_cast<std::size_t>(c)];
            out.size[static_cast<std::size_t>(c)] += w;
            out.squares[static_cast<std::size_t>(c)] += w * w;
        }
    }
    for (std::size_t c = 0; c < classes; ++c) {
        const double rest = out.all - out.size[c], rest_squares = out.all_squares - out.squares[c];
        out.effective.push_back(out.size[c] > 0 ? out.size[c] * out.size[c] / out.squares[c] : 0);
        out.others.push_back(rest_squares > 0 ? rest * rest / rest_squares : 0);
    }
    return out;
}

/// The area of a class, and how much more precision positives have by counting themselves.
struct OneArea {
    double area = 0, own_part = 0;
};

/// Replaces the keys of a class by the influence of each item on the class's area.
class AreaOfClass {
public:
    AreaOfClass(const CountedItems& items, std::uint32_t cls, std::vector<double>& keys)
        : items_(items), keys_(keys), order_(keys.size()), hit_(keys.size()) {
        for (std::size_t i = 0; i < hit_.size(); ++i) {
            hit_[i] = items.is_positive(i, cls) ? 1 : 0;
            (hit_[i] != 0 ? positives_ : negatives_) += items.weights()[i];
        }
        std::iota(order_.begin(), order_.end(), 0U);
        std::ranges::stable_sort(order_, std::greater<>(),
                                 [&](std::uint32_t i) { return keys_[i]; });
        for (std::size_t first = 0; first < order_.size();) {
            std::size_t last = first;
            Tie tie;
            while (last < order_.size() && keys_[order_[last]] == keys_[order_[first]]) {
                const std::uint32_t i = order_[last++];
                (hit_[i] != 0 ? tie.positives : tie.negatives) += items.weights()[i];
            }
            tie.end = first = last;
            ties_.push_back(tie);
        }
    }

    OneArea roc() {
        OneArea out;
        double above = 0;  // weight of the positives above the tie
        double below = negatives_;
        for (Tie& tie : ties_) {
            below -= tie.negatives;
            const double lower = std::max(0.0, below) + tie.negatives / 2;
            out.area += tie.positives * lower;
            tie.positive = lower / negatives_;
            tie.negative = (above + tie.positives / 2) / positives_;
            above += tie.positives;
        }
        out.area /= positives_ * negatives_;
        fill([&](const Tie& tie, bool hit) {
            return hit ? (tie.positive - out.area) / positives_
                       : (tie.negative - out.area) / negatives_;
        });
        return out;
    }

    /// With H positives among all items of weight M that reach a score, the area is the weighted
    /// mean of H / M over the positives.
    OneArea precision() {
        OneArea out;
        double hits = 0, all = 0;
        for (Tie& tie : ties_) {
            hits += tie.positives;
            all += tie.positives + tie.negatives;
            tie.hits = hits;
            tie.all = all;
            out.area += tie.positives * hits / all;
        }
        out.area /= positives_;
        double gain = 0, loss = 0;  // of all scores that a score reaches
        for (std::size_t t = ties_.size(); t-- > 0;) {
            Tie& tie = ties_[t];
            gain += tie.positives / tie.all;
            loss += tie.positives * tie.hits / (tie.all * tie.all);
            tie.positive = tie.hits / tie.all - out.area + gain - loss;
            tie.negative = -loss;
        }
        std::size_t k = 0;
        for (const Tie& tie : ties_) {
            for (; k < tie.end; ++k) {
                const double own = items_.weights()[order_[k]];
                if (hit_[order_[k]] == 0) continue;
                // If it is the only one at the top, it gives no information about the others.
                const double rest = tie.all - own;
                const double others = rest > 1e-12 * tie.all ? (tie.hits - own) / rest : 1;
                out.own_part += own * (tie.hits / tie.all - others) / positives_;
            }
        }
        fill([&](const Tie& tie, bool hit) {
            return (hit ? tie.positive : tie.negative) / positives_;
        });
        return out;
    }

private:
    /// Items with one score, the greatest first.
    struct Tie {
        std::size_t end = 0;
        double positives = 0, negatives = 0;  ///< weights
        double hits = 0, all = 0;             ///< weights of those that reach the score
        double positive = 0, negative = 0;    ///< for the influence of an item in the tie
    };

    template <class InfluenceOf>
    void fill(InfluenceOf&& influence_of) {
        std::size_t k = 0;
        for (const Tie& tie : ties_) {
            for (; k < tie.end; ++k) keys_[order_[k]] = influence_of(tie, hit_[order_[k]] != 0);
        }
    }

    const CountedItems& items_;
    std::vector<double>& keys_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint8_t> hit_;
    std::vector<Tie> ties_;
    double positives_ = 0, negatives_ = 0;
};

/// The spread around the mean of a few values is smaller than that around the true value.
double few_factor(double effective) {
    const double few = std::max(effective, 1.5);
    return std::sqrt(few / (few - 1));
}

class WeightedAreas {
public:
    WeightedAreas(const MetricRequest& request, const RowReader& reader, const CountedItems& items,
                  int threads)
        : reader_(reader),
          items_(items),
          threads_(threads),
          roc_(request.facts->name == "auroc"),
          stored_(request.parameters.at(std::string(ranked_by)) == by_stored_score),
          weighted_(request.parameters.at("average") == "weighted"),
          sums_(positive_sums(items, reader.classes())) {
        const bool binary = request.parameters.at("average") == "binary";
        double positives = 0;
        for (std::uint32_t c = binary ? 1 : 0; c < reader.classes(); ++c) {
            if (sums_.size[c] == 0 || (roc_ && sums_.items[c] == items.size())) continue;
            used_.push_back(c);
            positives += sums_.size[c];
        }
        shares_.resize(reader.classes());
        for (const std::uint32_t c : used_)
            shares_[c] =
                weighted_ ? sums_.size[c] / positives : 1 / static_cast<double>(used_.size());
        positives_ = positives;
        areas_.resize(reader.classes());
    }

    bool has_classes() const { return !used_.empty(); }

    Influenced run() {
        if (!stored_) {
            odds_.resize(items_.size());
            each_block_of_items(items_.size(), threads_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    odds_[i] = reader_.odds(items_.row(i)).value_or(RowOdds{});
            });
        }
        Influenced out{.influence = std::vector<double>(items_.size()),
                       .drawn = std::vector<double>(items_.size())};
        Columns columns(column_block, std::vector<double>(items_.size()));
        for (std::uint32_t first = 0; first < reader_.classes(); first += column_block)
            add_block(first, std::min(first + column_block, reader_.classes()), columns, out);
        double bias = 0, inverse = 0;
        for (const std::uint32_t c : used_) {
            out.value += shares_[c] * areas_[c].area;
            bias += shares_[c] * areas_[c].own_part;
            inverse += shares_[c] * shares_[c] / sums_.effective[c];
        }
        out.value = std::min(1.0, out.value);
        if (weighted_) add_shares(out);
        const std::uint32_t rare = *std::ranges::min_element(
            used_, {}, [&](std::uint32_t c) { return sums_.effective[c]; });
        if (sums_.effective[rare] < 2)
            out.no_interval = fmt::format("class {} has {:.1f} effective items, and 2 are needed",
                                          rare, sums_.effective[rare]);
        out.few = FewPositives{1 / inverse, degrees(out.drawn), bias};
        return out;
    }

private:
    void add_block(std::uint32_t first, std::uint32_t last, Columns& columns, Influenced& out) {
        if (std::ranges::none_of(used_, [&](std::uint32_t c) { return c >= first && c < last; }))
            return;
        each_block_of_items(items_.size(), threads_, [&](std::size_t begin, std::size_t end) {
            std::vector<double> keys(column_block);
            for (std::size_t i = begin; i < end; ++i) {
                stored_ ? reader_.wide_scores(items_.row(i), first, last, keys.data())
                        : reader_.order_keys(items_.row(i), first, last, odds_[i], keys.data());
                for (std::uint32_t c = first; c < last; ++c)
                    columns[c - first][i] = keys[c - first];
            }
        });
        parallel_blocks(last - first, threads_, [&](std::size_t at) {
            throw_if_stopped();
            const auto c = first + static_cast<std::uint32_t>(at);
            if (shares_[c] == 0) return;
            AreaOfClass one(items_, c, columns[at]);
            areas_[c] = roc_ ? one.roc() : one.precision();
        });
        each_block_of_items(items_.size(), threads_, [&](std::size_t begin, std::size_t end) {
            for (std::uint32_t c = first; c < last; ++c) {
                if (shares_[c] == 0) continue;
                const double ours = few_factor(sums_.effective[c]),
                             theirs = roc_ ? few_factor(sums_.others[c]) : 1;
                for (std::size_t i = begin; i < end; ++i) {
                    const double moved = shares_[c] * columns[c - first][i];
                    out.influence[i] += moved;
                    out.drawn[i] += moved * (items_.is_positive(i, c) ? ours : theirs);
                }
            }
        });
    }

    /// A positive also changes the share of its class.
    void add_shares(Influenced& out) const {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            for (const std::int32_t label : items_.classes(i)) {
                const auto c = static_cast<std::size_t>(label);
                if (shares_[c] == 0) continue;
                const double moved = (areas_[c].area - out.value) / positives_;
                out.influence[i] += moved;
                out.drawn[i] += moved;
            }
        }
    }

    /// Degrees of freedom of the variance. Each item counts for its rarest class.
    double degrees(const std::vector<double>& drawn) const {
        std::vector<double> of_class(reader_.classes());
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const auto own = items_.classes(i);
            const std::int32_t rarest = *std::ranges::min_element(own, {}, [&](std::int32_t c) {
                return sums_.effective[static_cast<std::size_t>(c)];
            });
            const double moved = items_.weights()[i] * drawn[i];
            of_class[static_cast<std::size_t>(rarest)] += moved * moved;
        }
        double variance = 0, uncertain = 0;
        for (std::size_t c = 0; c < of_class.size(); ++c) {
            variance += of_class[c];
            uncertain += of_class[c] * of_class[c] / std::max(1.0, sums_.effective[c] - 1);
        }
        return uncertain > 0 ? std::max(1.0, variance * variance / uncertain)
                             : std::numeric_limits<double>::max();
    }

    const RowReader& reader_;
    const CountedItems& items_;
    const int threads_;
    const bool roc_, stored_, weighted_;
    const PositiveSums sums_;
    std::vector<std::uint32_t> used_;
    std::vector<double> shares_;  // of each class in the mean
    double positives_ = 0;        // weight of the positives of the classes in the mean
    std::vector<OneArea> areas_;
    std::vector<RowOdds> odds_;
};

}  // namespace

bool is_of_columns(const MetricRequest& request) {
    const std::string_view name = request.facts->name;
    return name == "auroc" || name == "average_precision" || name == "mean_average_precision" ||
           name == "classwise_ece";
}

std::optional<WeightedItems> weighted_columns(const MetricRequest& request, const RowReader& reader,
                                              const Truth& truth, std::span<const double> weights,
                                              int threads, std::string& undefined) {
    const CountedItems items(reader, truth, weights,
                             request.facts->name == "mean_average_precision");
    if (items.size() == 0) {
        undefined = "no image that counts has a label and scores";
        return std::nullopt;
    }
    if (request.facts->name == "classwise_ece")
        return WeightedItems{weighted_class_wise(request, reader, items, threads), items.weights(),
                             items.rows()};
    WeightedAreas areas(request, reader, items, threads);
    if (!areas.has_classes()) {
        undefined =
            "all images that count belong to one class, so there is no other class to compare with";
        return std::nullopt;
    }
    return WeightedItems{areas.run(), items.weights(), items.rows()};
}

}  // namespace assay::evaluate
