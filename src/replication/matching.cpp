#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/matching.h"
#include "core/random.h"
#include "core/statistics.h"
#include "replication/frequency_means.h"

namespace assay::replication {
namespace {

/// A candidate with its annotators dealt out.
struct Dealt {
    std::uint32_t candidate = 0;
    int selected = 0, annotators = 0, easy = 0, rest_selected = 0, rest = 0;
};

/// Takes `count` annotators at random from those left: how many of them selected.
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

void check(const MatchOptions& o) {
    if (o.per_class < 1)
        throw Error(ErrorCode::usage, fmt::format("{} images per class", o.per_class));
    for (const int n : {o.annotators, o.reference_annotators, o.easy_annotators, o.easy_min}) {
        if (n < 0 || n > max_annotators) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} annotators: 0 to {} are possible", n, max_annotators));
        }
    }
    if (o.easy_annotators > 0 && o.annotators == 0) {
        throw Error(ErrorCode::usage,
                    "easy candidates are found by annotators who do not choose: say how many "
                    "choose (`annotators`)");
    }
    if (o.easy_min > o.easy_annotators) {
        throw Error(ErrorCode::usage, fmt::format("at least {} of {} annotators: impossible",
                                                  o.easy_min, o.easy_annotators));
    }
}

std::vector<std::vector<Dealt>> deal_candidates(const Readings& candidates, std::size_t classes,
                                                const MatchOptions& options, MatchResult& result) {
    std::vector<std::vector<Dealt>> by_class(classes);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        int n = candidates.annotators[i], k = candidates.selected[i];
        // One at least must be held out: without its reading a chosen image could not be checked.
        const int needed =
            options.annotators == 0 ? 1 : options.annotators + options.easy_annotators + 1;
        if (n < needed) {
            ++result.too_few_annotators;
            continue;
        }
        RandomStream random(options.seed, "replicate.match.deal", i);
        Dealt d;
        d.candidate = static_cast<std::uint32_t>(i);
        d.annotators = options.annotators == 0 ? n : options.annotators;
        d.selected = deal(random, n, k, d.annotators);
        d.easy = deal(random, n, k, options.easy_annotators);
        d.rest = n;
        d.rest_selected = k;
        if (d.easy < options.easy_min) {
            ++result.not_easy;
            continue;
        }
        by_class[candidates.classes[i]].push_back(d);
        ++result.candidates;
    }
    return by_class;
}

/// Held out minus in sample over the chosen images, the buckets weighing as they do in the
/// reference: targets are whole images, and with few of them a class the chosen mix of buckets is
/// another one, for which frequencies regress although nothing is biased.
Estimate regression_of(const MatchResult& result, const Readings& candidates,
                       const std::vector<std::vector<int>>& histogram) {
    std::vector<double> wanted(match_buckets, 0.0), chosen(match_buckets, 0.0);
    for (const ClassMatch& c : result.classes) {
        const double taken = std::accumulate(c.taken.begin(), c.taken.end(), 0);
        const double seen = std::accumulate(histogram[c.cls].begin(), histogram[c.cls].end(), 0);
        for (std::size_t b = 0; b < wanted.size(); ++b) {
            wanted[b] += taken * histogram[c.cls][b] / seen;
            chosen[b] += c.taken[b];
        }
    }
    FrequencyMeans differences(histogram.size());
    for (const Matched& m : result.images) {
        if (m.held_out_annotators == 0 || wanted[m.bucket] == 0) continue;
        differences.add(candidates.classes[m.candidate],
                        static_cast<double>(m.held_out_selected) / m.held_out_annotators -
                            static_cast<double>(m.selected) / m.annotators,
                        wanted[m.bucket] / chosen[m.bucket]);
    }
    return differences.mean();
}

/// Frequencies of the chosen images, bucket by bucket and of all, without weights.
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

void add_warnings(MatchResult& result) {
    auto& warnings = result.warnings;
    if (result.too_few_annotators > 0) {
        warnings.push_back(fmt::format("{} candidates with too few annotators were not considered",
                                       result.too_few_annotators));
    }
    if (result.missing > 0) {
        warnings.push_back(
            fmt::format("{} images are missing: no candidates were left for them", result.missing));
    }
    if (!result.held_out.value) {
        warnings.push_back(
            "IN-SAMPLE AGREEMENT PROVES NOTHING: images were chosen by these very frequencies, so "
            "these agree "
            "whatever "
            "was chosen. Hold annotators out (`annotators`) to see the frequencies that were "
            "really got");
        return;
    }
    const Estimate& d = result.regression;
    if (d.interval->low > 0 || d.interval->high < 0) {
        warnings.push_back(
            fmt::format("annotators who chose the images selected {:.1f} % of the time (the "
                        "reference: {:.1f} %), and held-out annotators {:.1f} %. The match is "
                        "{:+.1f} points off (± {:.1f}), which is selection bias",
                        100 * *result.in_sample.value, 100 * *result.reference.value,
                        100 * *result.held_out.value, 100 * *d.value, 100 * half_width(d)));
    }
}

}  // namespace

int match_bucket(int n, int k) {
    return std::min(match_buckets * k / n, match_buckets - 1);
}

std::vector<std::uint64_t> bucket_counts(const Readings& set) {
    std::vector<std::uint64_t> counts(match_buckets, 0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        ++counts[static_cast<std::size_t>(match_bucket(set.annotators[i], set.selected[i]))];
    }
    return counts;
}

std::vector<int> match_targets(const std::vector<int>& histogram, int per_class) {
    const int sum = std::accumulate(histogram.begin(), histogram.end(), 0);
    std::vector<int> targets(histogram.size(), 0);
    if (sum == 0) return targets;
    std::vector<long> remainders;
    int given = 0;
    for (std::size_t b = 0; b < histogram.size(); ++b) {
        const long product = static_cast<long>(per_class) * histogram[b];
        targets[b] = static_cast<int>(product / sum);
        remainders.push_back(product % sum);
        given += targets[b];
    }
    for (; given < per_class; ++given) {
        std::size_t best = 0;
        for (std::size_t b = 1; b < remainders.size(); ++b) {
            if (remainders[b] >= remainders[best]) best = b;
        }
        ++targets[best];
        remainders[best] = -1;
    }
    return targets;
}

MatchResult match(const Readings& reference, const Readings& candidates, const StudyNames& names,
                  const MatchOptions& options) {
    check(options);
    MatchResult result;
    std::uint64_t left_out = 0;
    const Readings seen =
        options.reference_annotators == 0
            ? reference
            : keep_annotators(reference, options.reference_annotators, options.seed,
                              "replicate.match.reference", &left_out);
    const std::size_t classes = names.classes.size();
    std::vector<std::vector<int>> histogram(classes);
    FrequencyMeans of_reference(classes), in_sample(classes), held_out(classes);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        auto& counts = histogram[seen.classes[i]];
        counts.resize(match_buckets, 0);
        ++counts[static_cast<std::size_t>(match_bucket(seen.annotators[i], seen.selected[i]))];
        of_reference.add(seen.classes[i], seen.selected[i], seen.annotators[i]);
    }
    if (seen.size() == 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no image has {} annotators", reference.source,
                                options.reference_annotators));
    }
    const auto by_class = deal_candidates(candidates, classes, options, result);
    for (std::uint32_t c = 0; c < classes; ++c) {
        if (histogram[c].empty()) continue;
        ClassMatch cls{c, match_targets(histogram[c], options.per_class),
                       std::vector<int>(match_buckets, 0), std::vector<int>(match_buckets, 0), 0};
        std::vector<std::vector<Dealt>> buckets(match_buckets);
        for (const Dealt& d : by_class[c]) {
            buckets[static_cast<std::size_t>(match_bucket(d.annotators, d.selected))].push_back(d);
        }
        RandomStream random(options.seed, "replicate.match", c);
        for (std::size_t b = 0; b < buckets.size(); ++b) {
            auto& pool = buckets[b];
            cls.available[b] = static_cast<int>(pool.size());
            const int wanted = cls.target[b] + cls.missing;
            const int taken = std::min(wanted, cls.available[b]);
            cls.missing = wanted - taken;
            cls.taken[b] = taken;
            for (int i = 0; i < taken; ++i) {
                const auto at = static_cast<std::size_t>(i);
                std::swap(pool[at],
                          pool[at + static_cast<std::size_t>(random.below(pool.size() - at))]);
            }
            std::sort(pool.begin(), pool.begin() + taken,
                      [](const Dealt& x, const Dealt& y) { return x.candidate < y.candidate; });
            for (int i = 0; i < taken; ++i) {
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
        result.classes.push_back(std::move(cls));
    }
    if (result.images.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("no candidate of {} shows a class of {}, or none has enough annotators ({} "
                        "have too few). With `annotators` 0 all choose and none is held out",
                        candidates.source, reference.source, result.too_few_annotators));
    }
    if (left_out > 0) {
        result.warnings.push_back(
            fmt::format("{}: {} images with fewer than {} annotators are skipped", reference.source,
                        left_out, options.reference_annotators));
    }
    // Classes count as often as they were chosen, or another mix of classes would look like
    // selection bias.
    const FrequencyMeans alike = of_reference.weighted_as(in_sample);
    result.reference = alike.mean();
    result.in_sample = in_sample.mean();
    result.held_out = held_out.mean();
    result.difference = held_out.minus(alike);
    result.regression = regression_of(result, candidates, histogram);
    add_buckets(candidates, classes, result);
    if (!result.held_out.value) {
        for (Estimate* e : {&result.held_out, &result.difference, &result.regression,
                            &result.regression_as_chosen})
            e->undefined = "no annotator was held out";
    }
    add_warnings(result);
    return result;
}

std::vector<MatchedAccuracy> matched_accuracies(const MatchResult& result,
                                                const Readings& candidates, const Hits& hits) {
    const ImagePlaces places = find_images(candidates, hits);
    std::vector<MatchedAccuracy> out;
    for (const std::string& name : hits.classifiers) out.push_back({name, 0, {}});
    for (const Matched& m : result.images) {
        const std::uint32_t place = places.place[m.candidate];
        if (place == ImagePlaces::nowhere) continue;
        for (std::size_t c = 0; c < out.size(); ++c) {
            const std::uint8_t hit = hits.hit[std::size_t{place} * out.size() + c];
            if (hit == Hits::unknown) continue;
            out[c].hits += hit;
            ++out[c].accuracy.n;
        }
    }
    bool any = false;
    for (MatchedAccuracy& a : out) {
        a.accuracy.unit = Unit::proportion;
        const std::uint64_t images = a.accuracy.n;
        if (images == 0) {
            a.accuracy.undefined = "no hit on a chosen image is known";
            continue;
        }
        any = true;
        a.accuracy.value = static_cast<double>(a.hits) / static_cast<double>(images);
        a.accuracy.interval = wilson(a.hits, images);
    }
    if (!any)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has hits of none of the chosen images", hits.source));
    return out;
}

}  // namespace assay::replication
