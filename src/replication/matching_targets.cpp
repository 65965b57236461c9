// Computes the targets for the candidates: buckets, numbers of images by bucket, strategies.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "replication/matching_parts.h"

namespace assay::replication {

std::string_view name_of(Strategy strategy) {
    static constexpr std::array<std::string_view, 3> names = {"matched", "threshold", "top"};
    return names[static_cast<std::size_t>(strategy)];
}

void choose_strategy(MatchOptions& options, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const auto refuse = [&](std::string_view why) {
        throw Error(
            ErrorCode::usage,
            fmt::format("strategy `{}`: {}. matched, top and threshold=P are possible, P above "
                        "0 and at most 1, as in: --strategy threshold=0.7",
                        text, why));
    };
    const bool of_threshold = name == name_of(Strategy::threshold);
    if (of_threshold)
        options.strategy = Strategy::threshold;
    else if (name == name_of(Strategy::top))
        options.strategy = Strategy::top;
    else if (name == name_of(Strategy::matched))
        options.strategy = Strategy::matched;
    else
        refuse("no such strategy");
    if (equals == std::string_view::npos) return;
    if (!of_threshold) refuse("it takes no number");
    const std::string_view number = text.substr(equals + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) refuse("that is no number");
    if (!(value > 0 && value <= 1)) refuse("the threshold is outside of its range");
    options.threshold = value;
}

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

std::vector<int> drawn_targets(const std::vector<int>& histogram, int per_class, double u) {
    const int sum = std::accumulate(histogram.begin(), histogram.end(), 0);
    std::vector<int> targets(histogram.size(), 0);
    if (sum == 0) return targets;
    long running = 0;
    int before = 0;
    for (std::size_t b = 0; b < histogram.size(); ++b) {
        running += histogram[b];
        // The last running sum is exactly per_class for every u below 1.
        const int now =
            running == sum
                ? per_class
                : static_cast<int>(std::floor(static_cast<double>(running) * per_class / sum + u));
        targets[b] = now - before;
        before = now;
    }
    return targets;
}

namespace matching {

void check(const MatchOptions& o) {
    const auto refuse = [](const std::string& text) { throw Error(ErrorCode::usage, text); };
    if (o.per_class < 1) refuse(fmt::format("{} images per class", o.per_class));
    for (const int n : {o.annotators, o.reference_annotators, o.easy_annotators, o.easy_min}) {
        if (n < 0 || n > max_annotators)
            refuse(fmt::format("{} annotators: 0 to {} are possible", n, max_annotators));
    }
    if (o.easy_annotators > 0 && o.annotators == 0) {
        refuse(
            "easy candidates are found by annotators who do not choose: say how many "
            "choose (--annotators N)");
    }
    if (o.easy_min > o.easy_annotators)
        refuse(fmt::format(
            "easy candidates that at least {} of {} annotators chose: impossible; give more: "
            "--easy-annotators {}",
            o.easy_min, o.easy_annotators, o.easy_min));
    if (o.strategy == Strategy::matched) return;
    if (o.reference_annotators > 0 || o.published_targets) {
        refuse(fmt::format(
            "{} cannot act: strategy `{}` asks nothing of the reference",
            o.published_targets ? "published targets" : "a number of the reference's annotators",
            name_of(o.strategy)));
    }
}

}  // namespace matching
}  // namespace assay::replication
