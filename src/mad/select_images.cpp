#include "assay/mad/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "assay/error.h"
#include "core/text.h"

namespace assay::mad {
namespace {

constexpr std::size_t first_limit = 1024;
/// Allows for rounding: as a double, .57 is slightly less than 114 / 200.
constexpr double rounding = 1e-9;

/// A bijection of 64 bits with seemingly random results (Steele, Lea and Flood 2014).
std::uint64_t splitmix64(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/// The 64-bit hash of Fowler, Noll and Vo.
std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

std::uint32_t cell_of(const Candidate& c) {
    return std::uint32_t{c.first_label} << 16 | c.second_label;
}
std::uint32_t unordered_cell_of(const Candidate& c) {
    return std::uint32_t{std::min(c.first_label, c.second_label)} << 16 |
           std::max(c.first_label, c.second_label);
}

/// Counts by label. The table grows to the largest label.
class Counts {
public:
    std::uint32_t& operator[](std::uint16_t label) {
        if (label >= counts_.size()) counts_.resize(std::size_t{label} + 1);
        return counts_[label];
    }
    std::uint32_t of(std::uint16_t label) const {
        return label < counts_.size() ? counts_[label] : 0;
    }

private:
    std::vector<std::uint32_t> counts_;
};

/// Counts by cell, for a number of cells that is known in advance. A hash table without deletions
/// is enough, because a sketch makes a new one each time it is pruned.
class CellCounts {
public:
    explicit CellCounts(std::size_t cells) : places_(std::bit_ceil(2 * cells + 1)) {}
    std::uint32_t& operator[](std::uint32_t cell) {
        // Multiplicative hashing by the golden ratio, which mixes the upper bits best.
        const std::uint64_t hash = (std::uint64_t{cell} + 1) * 0x9E3779B97F4A7C15ULL;
        for (std::size_t at = (hash >> 32) & (places_.size() - 1);;
             at = (at + 1) & (places_.size() - 1)) {
            Place& place = places_[at];
            if (place.key == 0) place.key = std::uint64_t{cell} + 1;
            if (place.key == std::uint64_t{cell} + 1) return place.count;
        }
    }

private:
    struct Place {
        std::uint64_t key = 0;  ///< the cell plus 1; 0 if free
        std::uint32_t count = 0;
    };
    std::vector<Place> places_;
};

/// The images selected so far, counted for the caps.
class Selected {
public:
    explicit Selected(const SelectionRule& rule) : rule_(rule) {}

    /// Tests the next candidate in the order. Returns true if the caps allow it.
    bool allows(const Candidate& c) {
        if (rule_.mode == CapMode::official) {
            const bool early = ++first_[c.first_label] <= rule_.cap;
            const bool both_early = ++first_[c.second_label] <= rule_.cap && early;
            return both_early && !cells_.contains(unordered_cell_of(c));
        }
        if (rule_.one_of_a_parent && parents_.contains(c.parent)) return false;
        switch (rule_.mode) {
            case CapMode::side:
                return below(first_, c.first_label) && below(second_, c.second_label);
            case CapMode::first:
                return below(first_, c.first_label);
            case CapMode::shared:
                return below(first_, c.first_label) && below(first_, c.second_label);
            case CapMode::official:
            case CapMode::none:
                break;
        }
        return true;
    }
    void take(const Candidate& c) {
        if (rule_.one_of_a_parent) parents_.insert(c.parent);
        if (rule_.mode == CapMode::official) {
            cells_.insert(unordered_cell_of(c));
            return;
        }
        ++first_[c.first_label];
        ++(rule_.mode == CapMode::shared ? first_ : second_)[c.second_label];
    }

private:
    bool below(const Counts& counts, std::uint16_t label) const {
        return counts.of(label) < rule_.cap;
    }
    const SelectionRule& rule_;
    Counts first_, second_;  ///< by label; the modes shared and official use only `first_`
    std::unordered_set<std::uint32_t> cells_;
    std::unordered_set<std::uint64_t> parents_;
};

/// The largest number of candidates of one cell that are needed: the cell's cap, plus one for each
/// candidate that may be rejected or whose parent may be selected.
std::uint64_t most_of_a_cell(const SelectionRule& rule) {
    const std::uint64_t all = std::uint64_t{rule.k} + rule.reserves;
    if (rule.mode == CapMode::none) return all;
    return std::uint64_t{rule.cap} + (rule.one_of_a_parent ? all : rule.reserves);
}

/// Candidates after this many selected images are never needed. Suppose that c caps limit each
/// image. Then a greedily selected list has at least 1/c of the length of the longest one (a
/// maximal independent set of a c-uniform hypergraph). The longest list only grows with more
/// images, so c (k + reserves) selected images are enough.
std::uint64_t enough_selected(const SelectionRule& rule) {
    std::uint64_t caps = rule.one_of_a_parent ? 1 : 0;
    if (rule.mode == CapMode::side || rule.mode == CapMode::shared) caps += 2;
    if (rule.mode == CapMode::first) caps += 1;
    return std::max<std::uint64_t>(caps, 1) * (std::uint64_t{rule.k} + rule.reserves);
}

/// The length of the longest list that the caps allow for any candidates.
std::uint64_t longest_list(const SelectionRule& rule, std::uint32_t classes) {
    const std::uint64_t all = std::uint64_t{rule.cap} * classes;
    return rule.mode == CapMode::shared ? all / 2 : all;
}

}  // namespace

std::uint64_t planned_candidates(const SelectionRule& rule, std::uint32_t classes) {
    constexpr std::uint64_t usual = 65'536;
    const std::uint64_t cells = std::uint64_t{classes} * std::max(classes, 1U);
    if (rule.mode == CapMode::official)
        return std::max(usual, (std::uint64_t{rule.cap} + rule.reserves) * classes);
    if (rule.mode == CapMode::none) return std::max(usual, std::uint64_t{rule.k} + rule.reserves);
    const bool early = 2 * enough_selected(rule) <= longest_list(rule, classes);
    return early ? usual : std::max(usual, cells * most_of_a_cell(rule));
}

std::uint8_t quantised_exactly(double probability) {
    if (!(probability > 0)) return 0;  // NaN, too
    const double levels = std::floor(confidence_levels * probability + rounding);
    return static_cast<std::uint8_t>(std::clamp(levels, 0.0, double{confidence_levels}));
}

std::uint8_t quantised(double probability) {
    const std::uint8_t level = quantised_exactly(probability);
    if (level == confidence_levels) return level;
    // .9 in single precision is slightly below .9.
    const auto next = static_cast<float>((level + 1) / double{confidence_levels});
    return static_cast<std::uint8_t>(level + (probability >= double{next} ? 1 : 0));
}

std::uint8_t threshold_of(double p) {
    if (!(p >= 0 && p <= 1))
        throw Error(ErrorCode::usage, fmt::format("the threshold is {}; it must be in [0, 1]", p));
    const double levels = std::ceil(confidence_levels * p - rounding);
    return static_cast<std::uint8_t>(std::clamp(levels, 0.0, double{confidence_levels}));
}

std::string_view name_of(CapMode mode) {
    return words_of(mode).at(static_cast<std::size_t>(mode)).second;
}

CapMode cap_mode_named(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& [mode, known] : words_of(CapMode{})) {
        if (known == name) return mode;
        names.emplace_back(known);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown cap mode `{}`{}", shortened(name), suggest(name, names)));
}

TieOrder tie_order_named(std::string_view name) {
    for (const TieOrder order : {TieOrder::pair, TieOrder::image})
        if (words_of(order).at(static_cast<std::size_t>(order)).second == name) return order;
    throw Error(ErrorCode::usage, fmt::format("--hashed-ties is `{}`; allowed: pair, image, or no "
                                              "value for pair",
                                              shortened(name)));
}

std::uint64_t tie_key_of(std::uint64_t seed, std::string_view first, std::string_view second) {
    return splitmix64(splitmix64(seed) ^ (splitmix64(fnv1a(first)) + splitmix64(fnv1a(second))));
}

bool comes_before(const Candidate& a, const Candidate& b, const SelectionRule& rule) {
    if (a.units != b.units) return a.units > b.units;
    if (rule.ties != TieOrder::confidence) {
        const std::uint64_t key =
            rule.ties == TieOrder::pair ? rule.tie_key : splitmix64(rule.seed);
        const std::uint64_t x = splitmix64(a.image ^ key), y = splitmix64(b.image ^ key);
        if (x != y) return x < y;
    } else if (a.confidence != b.confidence) {
        return a.confidence > b.confidence;
    }
    return a.image < b.image;
}

PairSketch::PairSketch(const ClassDistances& distances, const SelectionRule& rule)
    : distances_(&distances), rule_(rule), limit_(first_limit) {
    if (rule.k == 0) throw Error(ErrorCode::usage, "k is 0; allowed: 1 or more");
    if (rule.cap == 0 && rule.mode != CapMode::none)
        throw Error(ErrorCode::usage, "the cap is 0; allowed: 1 or more (mode none: no cap)");
    if (rule.mode == CapMode::official && rule.one_of_a_parent)
        throw Error(ErrorCode::usage,
                    "the mode official follows the authors' code, which ignores parents");
}

void PairSketch::add(const Candidate& candidate) {
    if (bounded_ && comes_before(bound_, candidate, rule_)) return;
    kept_.push_back(candidate);
    if (kept_.size() >= limit_) prune();
}

void PairSketch::merge(const PairSketch& other) {
    if (!(rule_ == other.rule_) || distances_ != other.distances_)
        throw Error(ErrorCode::internal, "the sketches follow different rules");
    offered_ += other.offered_;
    // The other sketch's bound is also valid for the union, because that sketch's images fill the
    // list before the bound.
    if (other.bounded_ && (!bounded_ || comes_before(other.bound_, bound_, rule_))) {
        bounded_ = true;
        bound_ = other.bound_;
        least_units_ = bound_.units;
    }
    for (const Candidate& candidate : other.kept_) add(candidate);
}

void PairSketch::prune() {
    const auto before = [&](const Candidate& a, const Candidate& b) {
        return comes_before(a, b, rule_);
    };
    const auto fresh = kept_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    std::sort(fresh, kept_.end(), before);
    std::inplace_merge(kept_.begin(), fresh, kept_.end(), before);
    std::size_t end = 0;
    if (rule_.mode == CapMode::official) {
        // Only the first few candidates with a label count. The reserves replace rejected ones.
        const std::uint64_t most = std::uint64_t{rule_.cap} + rule_.reserves;
        Counts shown;
        for (const Candidate& c : kept_) {
            const bool early = ++shown[c.first_label] <= most;
            const bool other_early = ++shown[c.second_label] <= most;
            if (early || other_early) kept_[end++] = c;
        }
        kept_.resize(end);
    } else {
        const std::uint64_t most = most_of_a_cell(rule_), enough = enough_selected(rule_);
        CellCounts cells(kept_.size());
        std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>> parents;
        Selected selected(rule_);
        std::uint64_t taken = 0;
        for (const Candidate& c : kept_) {
            std::uint32_t& kept_of_cell = cells[cell_of(c)];
            // Of candidates with one parent and one cell, only the first can be selected.
            if (kept_of_cell >= most) continue;
            if (rule_.one_of_a_parent && !parents[cell_of(c)].insert(c.parent).second) continue;
            ++kept_of_cell;
            kept_[end++] = c;
            if (!selected.allows(c)) continue;
            selected.take(c);
            if (++taken < enough) continue;
            bounded_ = true;
            bound_ = c;
            least_units_ = c.units;
            break;
        }
        kept_.resize(end);
    }
    sorted_ = kept_.size();
    limit_ = std::max(first_limit, 2 * kept_.size());
}

std::vector<Candidate> PairSketch::candidates() const {
    PairSketch copy = *this;
    copy.prune();
    return std::move(copy.kept_);
}

std::vector<Candidate> select_of(std::span<const Candidate> candidates, const SelectionRule& rule,
                                 std::span<const Candidate> settled,
                                 std::span<const Candidate> rejected,
                                 std::span<const Candidate> passed_over) {
    if (rejected.size() + passed_over.size() > rule.reserves)
        throw Error(ErrorCode::usage,
                    fmt::format("{} rejected images, but {} reserves",
                                rejected.size() + passed_over.size(), rule.reserves));
    std::unordered_set<std::uint64_t> stays, gone, gone_parents;
    for (const Candidate& c : rejected) {
        gone.insert(c.image);
        if (rule.one_of_a_parent) gone_parents.insert(c.parent);
    }
    for (const Candidate& c : passed_over) gone.insert(c.image);
    const auto is_gone = [&](const Candidate& c) {
        return gone.contains(c.image) || gone_parents.contains(c.parent);
    };
    Selected selected(rule);
    std::vector<Candidate> out;
    for (const Candidate& c : settled) {
        if (is_gone(c)) continue;
        stays.insert(c.image);
        selected.take(c);
        out.push_back(c);
    }
    for (const Candidate& c : candidates) {
        if (is_gone(c)) continue;
        // The authors' counters count all candidates, selected or not.
        const bool is_new = !stays.contains(c.image);
        if (rule.mode != CapMode::official && (!is_new || out.size() >= rule.k)) continue;
        if (!selected.allows(c) || !is_new || out.size() >= rule.k) continue;
        selected.take(c);
        out.push_back(c);
    }
    std::sort(out.begin(), out.end(),
              [&](const Candidate& a, const Candidate& b) { return comes_before(a, b, rule); });
    return out;
}

}  // namespace assay::mad
