#include <algorithm>
#include <array>

#include "demo/world/sets.h"

namespace assay::world {
namespace {

constexpr int buckets = 5;

int bucket_of(const Reading& reading) {
    return std::min(buckets * reading.selected / reading.annotators, buckets - 1);
}

Reading read(const Plan& plan, std::string_view purpose, std::size_t number, double rate,
             int annotators) {
    Draw draw(plan.spec.seed, purpose, number);
    Reading reading{.number = static_cast<std::uint32_t>(number),
                    .rate = static_cast<float>(rate),
                    .annotators = annotators};
    for (int k = 0; k < annotators; ++k) reading.selected += draw.chance(rate) ? 1 : 0;
    return reading;
}

/// The number of images for each bucket, of `count` images: shares of the histogram, with the rest
/// for the largest remainders. Ties go to the higher bucket.
std::array<std::size_t, buckets> targets(const std::array<std::size_t, buckets>& histogram,
                                         std::size_t count) {
    std::size_t sum = 0, given = 0;
    for (const std::size_t h : histogram) sum += h;
    std::array<std::size_t, buckets> out{}, rest{};
    for (std::size_t b = 0; b < buckets; ++b) {
        out[b] = count * histogram[b] / sum;
        rest[b] = count * histogram[b] % sum;
        given += out[b];
    }
    for (; given < count; ++given) {
        std::size_t best = 0;
        for (std::size_t b = 1; b < buckets; ++b) {
            if (rest[b] >= rest[best]) best = b;
        }
        ++out[best];
        rest[best] = 0;
    }
    return out;
}

/// Numbers within `pool` of the chosen candidates of a class. If a bucket has too few, the next
/// higher bucket gives more. If candidates are still missing, the other candidates are used, the
/// most often selected first.
std::vector<std::size_t> choose(const std::vector<Reading>& pool, std::vector<std::size_t> members,
                                const std::array<std::size_t, buckets>& wanted, Draw& draw) {
    for (std::size_t i = members.size(); i > 1; --i) {
        std::swap(members[i - 1],
                  members[static_cast<std::size_t>(draw.below(static_cast<int>(i)))]);
    }
    std::vector<std::size_t> chosen, left;
    std::size_t lacking = 0;
    for (int b = 0; b < buckets; ++b) {
        std::size_t want = wanted[static_cast<std::size_t>(b)] + lacking;
        for (const std::size_t m : members) {
            if (bucket_of(pool[m]) != b) continue;
            if (want > 0) {
                chosen.push_back(m);
                --want;
            } else {
                left.push_back(m);
            }
        }
        lacking = want;
    }
    std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
        return pool[a].selected > pool[b].selected;
    });
    for (std::size_t i = 0; i < lacking && i < left.size(); ++i) chosen.push_back(left[i]);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

}  // namespace

Replication replicate(Plan& plan) {
    const std::size_t first = count_of(set_row("v1"), plan.spec.size);
    const std::size_t count = count_of(set_row("v2"), plan.spec.size);
    Replication out;
    for (std::size_t i = 0; i < first; ++i) {
        out.v1.push_back(read(plan, "world/reading/v1", i, v1_image(plan, i).rate, v1_annotators));
    }
    for (std::size_t i = 0; i < candidates_for_one * count; ++i) {
        out.pool.push_back(
            read(plan, "world/reading/pool", i, candidate(plan, i).rate, pool_annotators));
    }
    plan.replicated.assign(count, 0);
    for (std::size_t cls = 0; cls < class_count; ++cls) {
        std::array<std::size_t, buckets> histogram{};
        for (std::size_t i = cls; i < first; i += class_count)
            ++histogram[static_cast<std::size_t>(bucket_of(out.v1[i]))];
        std::vector<std::size_t> members;
        for (std::size_t i = cls; i < out.pool.size(); i += class_count) members.push_back(i);
        Draw draw(plan.spec.seed, "world/matching", cls);
        const auto chosen =
            choose(out.pool, std::move(members), targets(histogram, count / class_count), draw);
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            out.pool[chosen[k]].taken = true;
            plan.replicated[k * class_count + cls] = static_cast<std::uint32_t>(chosen[k]);
        }
    }
    return out;
}

}  // namespace assay::world
