// Simulations in which the true ASMA is known, so that the coverage of its interval can be checked.
// They were defined before the method was chosen. The method was chosen on other simulations, with
// other proportions and accuracies.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"

namespace assay {

inline constexpr std::size_t asma_subgroups = 5;

struct AsmaWorld {
    using Each = std::array<double, asma_subgroups>;
    std::string name;
    /// The proportions of images with 1, ..., 5 labels, among easy and among hard images. Half of
    /// the images are hard.
    Each easy, hard;
    /// The probability that a label is found, on an easy and on a hard image.
    Each found_easy, found_hard;
    bool atoms = false;  ///< whether an image's labels are all found or all missed
    /// If not empty, the fixed numbers of images with 1, ..., 5 labels in every draw. The
    /// proportions are then not used.
    std::vector<std::uint64_t> sizes = {};

    double truth() const {
        double sum = 0;
        for (std::size_t g = 0; g < asma_subgroups; ++g) {
            const double a = sizes.empty() ? easy[g] : 0.5, b = sizes.empty() ? hard[g] : 0.5;
            sum += (a * found_easy[g] + b * found_hard[g]) / (a + b);
        }
        return sum / asma_subgroups;
    }
};

inline std::vector<AsmaWorld> asma_worlds() {
    using Each = AsmaWorld::Each;
    const auto all = [](double p) { return Each{p, p, p, p, p}; };
    const Each equal = all(0.2), unequal{0.55, 0.22, 0.12, 0.07, 0.04};
    const Each steep{0.95, 0.8, 0.6, 0.35, 0.15};
    std::vector<AsmaWorld> list;
    for (const bool atoms : {false, true}) {
        const std::string how = atoms ? ", all or none" : "";
        for (const double p : {0.5, 0.9, 0.99}) {
            const std::string name = p == 0.5 ? ".5" : p == 0.9 ? ".9" : ".99";
            list.push_back({name + ", equal" + how, equal, equal, all(p), all(p), atoms});
            list.push_back({name + ", unequal" + how, unequal, unequal, all(p), all(p), atoms});
        }
        list.push_back({"steep, unequal" + how, unequal, unequal, steep, steep, atoms});
        // Hard images have more labels, and fewer of them are found.
        list.push_back({"sizes depend on the answer" + how,
                        {0.7, 0.18, 0.07, 0.03, 0.02},
                        {0.25, 0.3, 0.22, 0.14, 0.09},
                        {0.95, 0.9, 0.85, 0.8, 0.75},
                        {0.6, 0.5, 0.45, 0.4, 0.35},
                        atoms});
        // There are thirty images with five labels. They nearly always have the same result.
        list.push_back({"thirty that agree" + how,
                        equal,
                        equal,
                        {0.8, 0.75, 0.7, 0.9, 0.995},
                        {0.8, 0.75, 0.7, 0.9, 0.995},
                        atoms,
                        {600, 300, 150, 60, 30}});
    }
    return list;
}

/// [g - 1][h] is the number of images with g labels of which h are found.
using AsmaCounts = std::array<std::array<std::int64_t, asma_subgroups + 1>, asma_subgroups>;

/// `images` is not used if the world has sizes.
inline AsmaCounts asma_draw(const AsmaWorld& world, std::uint64_t images, RandomStream& random) {
    AsmaCounts counts{};
    const auto add = [&](std::size_t g, bool is_hard) {
        const double chance = (is_hard ? world.found_hard : world.found_easy)[g];
        std::size_t hits = 0;
        if (world.atoms) {
            hits = random.uniform() < chance ? g + 1 : 0;
        } else {
            for (std::size_t k = 0; k <= g; ++k) hits += random.uniform() < chance ? 1 : 0;
        }
        ++counts[g][hits];
    };
    for (std::size_t g = 0; g < world.sizes.size(); ++g) {
        for (std::uint64_t i = 0; i < world.sizes[g]; ++i) add(g, random.uniform() < 0.5);
    }
    for (std::uint64_t i = 0; i < images && world.sizes.empty(); ++i) {
        const bool is_hard = random.uniform() < 0.5;
        double u = random.uniform();
        std::size_t g = 0;
        const auto& proportions = is_hard ? world.hard : world.easy;
        while (g + 1 < asma_subgroups && u >= proportions[g]) u -= proportions[g++];
        add(g, is_hard);
    }
    return counts;
}

/// Two classifiers on the same images. With probability `same`, the second finds a label if the
/// first does. Otherwise it finds the label independently, with its own probability.
struct AsmaPair {
    std::string name;
    AsmaWorld first;
    double same = 0;
    AsmaWorld::Each found;  ///< of the second alone, on easy and hard images

    double truth() const {
        AsmaWorld second = first;
        for (std::size_t g = 0; g < asma_subgroups; ++g) {
            second.found_easy[g] = same * first.found_easy[g] + (1 - same) * found[g];
            second.found_hard[g] = same * first.found_hard[g] + (1 - same) * found[g];
        }
        return second.truth() - first.truth();
    }
};

/// The simulations of pairs, which were defined before the paired interval was chosen.
inline std::vector<AsmaPair> asma_pairs() {
    using Each = AsmaWorld::Each;
    const auto all = [](double p) { return Each{p, p, p, p, p}; };
    std::vector<AsmaPair> list;
    for (const AsmaWorld& world : asma_worlds()) {
        const bool keep = world.name.starts_with(".9, unequal") ||
                          world.name.starts_with(".99, equal") || world.name.starts_with("steep") ||
                          world.name.starts_with("sizes") || world.name.starts_with("thirty");
        if (!keep) continue;
        list.push_back({world.name + ", much the same", world, 0.8, all(0.6)});
        list.push_back({world.name + ", apart", world, 0, world.found_easy});
    }
    return list;
}

/// [g - 1][h of the first][h of the second] is a number of images.
using AsmaPairCounts =
    std::array<std::array<std::array<std::int64_t, asma_subgroups + 1>, asma_subgroups + 1>,
               asma_subgroups>;

inline AsmaPairCounts asma_draw(const AsmaPair& pair, std::uint64_t images, RandomStream& random) {
    const AsmaWorld& world = pair.first;
    AsmaPairCounts counts{};
    const auto add = [&](std::size_t g, bool is_hard) {
        const double chance = (is_hard ? world.found_hard : world.found_easy)[g];
        std::size_t one = 0, two = 0;
        bool found = false, also = false;
        for (std::size_t k = 0; k <= g; ++k) {
            if (k == 0 || !world.atoms) {
                found = random.uniform() < chance;
                also = random.uniform() < pair.same ? found : random.uniform() < pair.found[g];
            }
            one += found ? 1 : 0;
            two += also ? 1 : 0;
        }
        ++counts[g][one][two];
    };
    for (std::size_t g = 0; g < world.sizes.size(); ++g) {
        for (std::uint64_t i = 0; i < world.sizes[g]; ++i) add(g, random.uniform() < 0.5);
    }
    for (std::uint64_t i = 0; i < images && world.sizes.empty(); ++i) {
        const bool is_hard = random.uniform() < 0.5;
        double u = random.uniform();
        std::size_t g = 0;
        const auto& proportions = is_hard ? world.hard : world.easy;
        while (g + 1 < asma_subgroups && u >= proportions[g]) u -= proportions[g++];
        add(g, is_hard);
    }
    return counts;
}

}  // namespace assay
