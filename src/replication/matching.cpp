#include "assay/replication/matching.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/random.h"
#include "replication/enough_annotators.h"
#include "replication/frequency_means.h"
#include "replication/matching_parts.h"

namespace assay::replication {
namespace {

/// A candidate after dividing its annotators.
struct Dealt {
    std::uint32_t candidate = 0;
    int selected = 0, annotators = 0, easy = 0, rest_selected = 0, rest = 0;
};

/// The number of choosing annotators, and the number of annotators that a candidate must have.
struct Numbers {
    int choose = 0, needed = 0, reference = 0;
    bool hold_out = false;
};

/// Removes `count` random annotators from the remaining ones. Returns their selections.
int deal(RandomStream& random, int& n, int& k, int count) {
    int selected = 0;
    for (int i = 0; i < count; ++i, --n) {
        if (random.below(static_cast<std::uint64_t>(n)) < static_cast<std::uint64_t>(k)) {
            ++selected;
            --k;
        }
    }
    return selected;
}

/// The largest number of annotators that all but a hundredth of the images have.
int usual_in(const Readings& set) {
    std::vector<std::uint16_t> numbers = set.annotators;
    if (numbers.empty()) return 1;
    const auto skipped =
        static_cast<std::ptrdiff_t>(most_left_out * static_cast<double>(numbers.size()));
    std::nth_element(numbers.begin(), numbers.begin() + skipped, numbers.end());
    return numbers[static_cast<std::size_t>(skipped)];
}

Numbers numbers_of(const Readings& reference, const Readings& candidates,
                   const MatchOptions& options) {
    Numbers numbers;
    const int usual = usual_in(candidates);
    const bool matched = options.strategy == Strategy::matched;
    numbers.choose = options.annotators;
    if (numbers.choose == 0 && !matched) numbers.choose = usual;
    if (numbers.choose == 0)
        numbers.choose = options.reference_annotators > 0
                             ? std::min(usual, options.reference_annotators)
                             : std::min(usual, usual_in(reference));
    // At least one annotator must be held out, because a chosen image cannot be checked without a
    // held-out reading.
    numbers.hold_out = options.annotators > 0 || usual > numbers.choose;
    numbers.needed = numbers.choose + options.easy_annotators + (numbers.hold_out ? 1 : 0);
    if (matched)
        numbers.reference =
            options.reference_annotators > 0 ? options.reference_annotators : numbers.choose;
    return numbers;
}

std::vector<std::vector<Dealt>> deal_candidates(const Readings& candidates, std::size_t classes,
                                                const MatchOptions& options, const Numbers& numbers,
                                                MatchResult& result) {
    std::vector<std::vector<Dealt>> by_class(classes);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        int n = candidates.annotators[i], k = candidates.selected[i];
        if (n < numbers.needed) {
            ++result.too_few_annotators;
            continue;
        }
        RandomStream random(options.seed, "replicate.match.deal", i);
        Dealt d;
        d.candidate = static_cast<std::uint32_t>(i);
        d.annotators = numbers.choose;
        d.selected = deal(random, n, k, d.annotators);
        d.easy = deal(random, n, k, options.easy_annotators);
        if (numbers.hold_out) {
            d.rest = n;
            d.rest_selected = k;
        }
        if (d.easy < options.easy_min) {
            ++result.not_easy;
            continue;
        }
        by_class[candidates.classes[i]].push_back(d);
        ++result.candidates;
    }
    return by_class;
}

/// The reference's usable readings. Throws bad_input if no reading has this many annotators.
Readings seen_of(const Readings& reference, const MatchOptions& options, const Numbers& numbers,
                 std::vector<std::string>& warnings) {
    if (numbers.reference == 0) return reference;
    std::uint64_t left_out = 0;
    Readings seen = keep_annotators(reference, numbers.reference, options.seed,
                                    "replicate.match.reference", &left_out);
    if (seen.size() == 0) {
        const int most =
            reference.annotators.empty()
                ? 0
                : *std::max_element(reference.annotators.begin(), reference.annotators.end());
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no image has {} annotators, and frequencies from different numbers of "
                        "annotators cannot be compared. At most {} can choose, as in: "
                        "--annotators {} (a candidate needs one more, who is held out)",
                        reference.source, numbers.reference, most, most));
    }
    if (left_out > 0) {
        warnings.push_back(fmt::format("{}: {} images with fewer than {} annotators are skipped",
                                       reference.source, left_out, numbers.reference));
    }
    return seen;
}

/// Moves `count` random entries of the pool from positions >= `from` to `from`.
void shuffle_in(std::vector<Dealt>& pool, std::size_t from, std::size_t count,
                RandomStream& random) {
    for (std::size_t at = from; at < from + count; ++at)
        std::swap(pool[at], pool[at + static_cast<std::size_t>(random.below(pool.size() - at))]);
}

using Buckets = std::vector<std::vector<Dealt>>;

/// Fills the targets from low to high. The first `taken` candidates of each bucket are chosen.
void choose_matched(Buckets& buckets, ClassMatch& cls, RandomStream& random, MatchResult& result) {
    for (std::size_t b = 0; b < buckets.size(); ++b) {
        const int carried = cls.missing, wanted = cls.target[b] + carried;
        const int taken = std::min(wanted, cls.available[b]);
        cls.missing = wanted - taken;
        cls.taken[b] = taken;
        result.from_higher += static_cast<std::uint64_t>(std::max(0, taken - cls.target[b]));
        shuffle_in(buckets[b], 0, static_cast<std::size_t>(taken), random);
    }
}

/// Chooses from the whole class: candidates with a sufficient frequency, or the highest.
void choose_others(Buckets& buckets, ClassMatch& cls, RandomStream& random,
                   const MatchOptions& options) {
    std::vector<Dealt> pool;
    for (auto& bucket : buckets) {
        pool.insert(pool.end(), bucket.begin(), bucket.end());
        bucket.clear();
    }
    if (options.strategy == Strategy::threshold) {
        // A frequency of 7/10 equals .7 despite the rounding of .7.
        std::erase_if(pool, [&](const Dealt& d) {
            return d.selected < options.threshold * d.annotators - 1e-9;
        });
    }
    const std::size_t taken = std::min(static_cast<std::size_t>(options.per_class), pool.size());
    if (options.strategy == Strategy::threshold) {
        shuffle_in(pool, 0, taken, random);
    } else {
        shuffle_in(pool, 0, pool.size(), random);
        std::stable_sort(pool.begin(), pool.end(), [](const Dealt& x, const Dealt& y) {
            return x.selected * y.annotators > y.selected * x.annotators;
        });
    }
    cls.missing = options.per_class - static_cast<int>(taken);
    for (std::size_t i = 0; i < taken; ++i) {
        const auto b = static_cast<std::size_t>(match_bucket(pool[i].annotators, pool[i].selected));
        buckets[b].push_back(pool[i]);
        ++cls.taken[b];
    }
}

/// Unweighted frequencies of the chosen images, by bucket and in total.
void add_buckets(const Readings& candidates, std::size_t classes, MatchResult& result) {
    const FrequencyMeans none(classes);
    std::vector<FrequencyMeans> in_sample(match_buckets, none), held_out = in_sample,
                                                                differences = in_sample;
    FrequencyMeans all = none;
    for (const Matched& m : result.images) {
        const std::uint32_t c = candidates.classes[m.candidate];
        const std::size_t b = m.bucket;
        in_sample[b].add(c, m.selected, m.annotators);
        if (m.held_out_annotators == 0) continue;
        held_out[b].add(c, m.held_out_selected, m.held_out_annotators);
        const double difference = static_cast<double>(m.held_out_selected) / m.held_out_annotators -
                                  static_cast<double>(m.selected) / m.annotators;
        differences[b].add(c, difference, 1.0);
        all.add(c, difference, 1.0);
    }
    for (std::size_t b = 0; b < in_sample.size(); ++b)
        result.buckets.push_back({in_sample[b].mean(), held_out[b].mean(), differences[b].mean()});
    result.regression_as_chosen = all.mean();
}

/// Counts both sets in one class, for the bias.
matching::ClassTally tally_of(const std::vector<int>& histogram, const std::vector<Dealt>& pool,
                              const ClassMatch& cls) {
    matching::ClassTally tally;
    tally.weight = std::accumulate(cls.taken.begin(), cls.taken.end(), 0);
    for (std::size_t b = 0; b < match_buckets; ++b) tally.reference[b] = histogram[b];
    for (const Dealt& d : pool) {
        if (d.rest == 0) continue;
        const auto b = static_cast<std::size_t>(match_bucket(d.annotators, d.selected));
        const double difference = static_cast<double>(d.rest_selected) / d.rest -
                                  static_cast<double>(d.selected) / d.annotators;
        tally.candidates[b] += 1;
        tally.sum[b] += difference;
        tally.squares[b] += difference * difference;
    }
    return tally;
}

}  // namespace

MatchResult match(const Readings& reference, const Readings& candidates, const StudyNames& names,
                  const MatchOptions& options) {
    matching::check(options);
    MatchResult result;
    const Numbers numbers = numbers_of(reference, candidates, options);
    const bool matched = options.strategy == Strategy::matched;
    const Readings seen = seen_of(reference, options, numbers, result.warnings);
    result.annotators = numbers.choose;
    result.reference_annotators = numbers.reference;
    const std::size_t classes = names.classes.size();
    std::vector<std::vector<int>> histogram(classes);
    FrequencyMeans of_reference(classes), in_sample(classes), held_out(classes);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        auto& counts = histogram[seen.classes[i]];
        counts.resize(match_buckets, 0);
        ++counts[static_cast<std::size_t>(match_bucket(seen.annotators[i], seen.selected[i]))];
        of_reference.add(seen.classes[i], seen.selected[i], seen.annotators[i]);
    }
    const auto by_class = deal_candidates(candidates, classes, options, numbers, result);
    std::vector<matching::ClassTally> tallies;
    for (std::uint32_t c = 0; c < classes; ++c) {
        if (histogram[c].empty()) continue;
        RandomStream random(options.seed, "replicate.match", c);
        ClassMatch cls{c, std::vector<int>(match_buckets, 0), std::vector<int>(match_buckets, 0),
                       std::vector<int>(match_buckets, 0), 0};
        if (options.published_targets && matched)
            cls.target = match_targets(histogram[c], options.per_class);
        else if (matched)
            cls.target = drawn_targets(histogram[c], options.per_class, random.uniform());
        Buckets buckets(match_buckets);
        for (const Dealt& d : by_class[c]) {
            const auto b = static_cast<std::size_t>(match_bucket(d.annotators, d.selected));
            buckets[b].push_back(d);
            ++cls.available[b];
        }
        if (matched)
            choose_matched(buckets, cls, random, result);
        else
            choose_others(buckets, cls, random, options);
        for (std::size_t b = 0; b < buckets.size(); ++b) {
            auto& pool = buckets[b];
            std::sort(pool.begin(), pool.begin() + cls.taken[b],
                      [](const Dealt& x, const Dealt& y) { return x.candidate < y.candidate; });
            for (int i = 0; i < cls.taken[b]; ++i) {
                const Dealt& d = pool[static_cast<std::size_t>(i)];
                result.images.push_back({d.candidate, static_cast<std::uint16_t>(d.selected),
                                         static_cast<std::uint16_t>(d.annotators),
                                         static_cast<std::uint16_t>(d.rest_selected),
                                         static_cast<std::uint16_t>(d.rest),
                                         static_cast<std::uint8_t>(b)});
                in_sample.add(c, d.selected, d.annotators);
                if (d.rest > 0) held_out.add(c, d.rest_selected, d.rest);
            }
        }
        result.missing += static_cast<std::uint64_t>(cls.missing);
        if (matched && numbers.hold_out)
            tallies.push_back(tally_of(histogram[c], by_class[c], cls));
        result.classes.push_back(std::move(cls));
    }
    if (result.images.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("no candidate of {} shows a class of {}, or none has enough annotators ({} "
                        "have too few) or a frequency that is high enough. --annotators N needs "
                        "one more than N, who does not choose. With --annotators 0 all choose",
                        candidates.source, reference.source, result.too_few_annotators));
    }
    // Classes are weighted as chosen, because another mix of classes would look like selection
    // bias.
    const FrequencyMeans alike = of_reference.weighted_as(in_sample);
    result.reference = alike.mean();
    result.in_sample = in_sample.mean();
    result.held_out = held_out.mean();
    result.difference = held_out.minus(alike);
    add_buckets(candidates, classes, result);
    result.regression = matched ? matching::selection_bias(tallies) : result.regression_as_chosen;
    if (!numbers.hold_out) {
        for (Estimate* e : {&result.held_out, &result.difference, &result.regression,
                            &result.regression_as_chosen})
            e->undefined = "no annotator was held out";
    } else if (matched && numbers.reference != numbers.choose) {
        result.regression = {};
        result.regression.unit = Unit::proportion;
        result.regression.undefined = fmt::format(
            "readings of {} and of {} annotators are not alike", numbers.reference, numbers.choose);
    }
    matching::add_warnings(options, result);
    return result;
}

}  // namespace assay::replication
