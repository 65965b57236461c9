#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/simulation.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "replication/ticker.h"
#include "replication/worlds.h"

namespace assay::replication {
namespace {

constexpr std::array<std::string_view, 5> world_names = {"beta", "lenient", "probit", "steep",
                                                         "matching"};
constexpr std::uint32_t pool_size = 1000;
constexpr double leniency_standard_deviation = .5;
constexpr double shared_hardness =
    .7;  ///< the part of a hit's normal variable that all classifiers share

/// The normal quantile of a rate, computed from the accurate side of 1/2.
double probit(const Rate& rate) {
    constexpr double tiny = 1e-300;
    return rate.s < 0.5 ? normal_quantile(std::max(rate.s, tiny))
                        : -normal_quantile(std::max(rate.rest, tiny));
}

bool happens(RandomStream& random, double p) {
    return random.next_u32() < p * 4294967296.0;
}

/// Draws each class's annotators: `n` of the pool without replacement.
std::vector<std::uint32_t> choose_annotators(const SimulationOptions& options, std::uint32_t pool) {
    const auto n = static_cast<std::uint32_t>(options.annotators);
    std::vector<std::uint32_t> chosen;
    chosen.reserve(std::size_t{options.classes} * n);
    std::vector<std::uint32_t> all(pool);
    for (std::uint32_t c = 0; c < options.classes; ++c) {
        for (std::uint32_t w = 0; w < pool; ++w) all[w] = w;
        // A stream's name determines its numbers. Renaming would change the draws of every seed.
        RandomStream random(options.seed, "replicate.simulate.workers", c);
        for (std::uint32_t i = 0; i < n; ++i) {
            std::swap(all[i], all[i + random.below(pool - i)]);
            chosen.push_back(all[i]);
        }
    }
    return chosen;
}

/// Draws one set, class by class.
class Painter {
public:
    Painter(const Simulation& simulation, bool first, std::uint32_t per_class, SimulatedSet& out)
        : simulation_(simulation),
          options_(simulation.options),
          first_(first),
          per_class_(per_class),
          models_(options_.world == World::matching ? 1 : options_.classifiers),
          out_(out) {
        const std::size_t images = std::size_t{options_.classes} * per_class;
        out.classes.resize(images);
        out.rate.resize(images);
        out.selected.resize(images * static_cast<std::size_t>(options_.annotators));
        out.hits.resize(images * models_);
        if (options_.world == World::lenient) {
            for (std::uint32_t w = 0; w < simulation.annotator_pool; ++w) {
                leniency_.push_back(
                    leniency_standard_deviation *
                    RandomStream(options_.seed, "replicate.simulate.leniency", w).normal());
            }
        }
    }

    void draw_class(std::uint32_t c) {
        const double u = RandomStream(options_.seed, "replicate.simulate.class", c).normal();
        for (std::uint32_t i = 0; i < per_class_; ++i)
            draw_image(c, std::size_t{c} * per_class_ + i, u);
    }

private:
    void draw_image(std::uint32_t c, std::size_t image, double u) {
        RandomStream random(options_.seed,
                            first_ ? "replicate.simulate.first" : "replicate.simulate.second",
                            image);
        Rate rate{1, 0};
        double z = atom_z;
        if (options_.world == World::probit) {
            const ProbitSet& set = first_ ? probit_first : probit_second;
            const double place = random.uniform();
            if (place >= set.atom) {
                const ProbitPart& part =
                    place < set.atom + set.parts[0].weight ? set.parts[0] : set.parts[1];
                z = part.mean + class_effect * u +
                    std::sqrt(part.standard_deviation * part.standard_deviation -
                              class_effect * class_effect) *
                        random.normal();
                rate = {normal_cdf(z), normal_cdf(-z)};
            }
        } else if (options_.world == World::matching) {
            rate = draw_mixture(random, first_ ? matching_first : matching_pool);
        } else if (options_.world == World::steep) {
            rate = draw_mixture(random, first_ ? steep_first : steep_second);
        } else {
            rate = draw_mixture(random, first_ ? beta_first : beta_second);
        }
        out_.classes[image] = c;
        out_.rate[image] = rate.s;
        draw_answers(random, c, image, rate);
        draw_hits(random, image, rate, z, u);
    }

    void draw_answers(RandomStream& random, std::uint32_t c, std::size_t image, const Rate& rate) {
        const auto n = static_cast<std::size_t>(options_.annotators);
        std::uint8_t* answers = out_.selected.data() + image * n;
        if (options_.world != World::lenient) {
            for (std::size_t a = 0; a < n; ++a) answers[a] = happens(random, rate.s) ? 1 : 0;
            return;
        }
        // Values are scaled so that the mean over the pool's population equals the rate.
        const double centre =
            std::sqrt(1 + leniency_standard_deviation * leniency_standard_deviation) * probit(rate);
        const std::uint32_t* annotators = simulation_.annotators.data() + std::size_t{c} * n;
        for (std::size_t a = 0; a < n; ++a) {
            answers[a] = happens(random, normal_cdf(centre + leniency_[annotators[a]])) ? 1 : 0;
        }
    }

    void draw_hits(RandomStream& random, std::size_t image, const Rate& rate, double z, double u) {
        std::uint8_t* hits = out_.hits.data() + image * models_;
        if (options_.world == World::matching) {
            hits[0] = happens(random, matching_curve.at(rate.s)) ? 1 : 0;
            return;
        }
        const double hardness = std::sqrt(shared_hardness) * random.normal();
        for (std::uint32_t m = 0; m < models_; ++m) {
            const double t = static_cast<double>(m) / (models_ - 1);
            const double limit = hit_limit(t, rate.s, z, u);
            hits[m] = hardness + std::sqrt(1 - shared_hardness) * random.normal() < limit ? 1 : 0;
        }
    }

    /// The limit below which the normal variable of a hit must be.
    double hit_limit(double t, double s, double z, double u) const {
        switch (options_.world) {
            case World::probit:
                return probit_hit(t, z) + class_effect_hit * u;
            case World::steep:
                return normal_quantile(steep_hit(t, s) + (first_ ? steep_gap : 0));
            default:
                return normal_quantile(beta_curve(t).at(s) + (first_ ? beta_gap : 0));
        }
    }

    const Simulation& simulation_;
    const SimulationOptions& options_;
    bool first_;
    std::uint32_t per_class_, models_;
    SimulatedSet& out_;
    std::vector<double> leniency_;
};

void check(const SimulationOptions& options) {
    const auto positive = [](std::string_view what, std::uint64_t value, std::uint64_t min,
                             std::uint64_t most) {
        if (value < min || value > most) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} {}; allowed: {} to {}", value, what, min, most));
        }
    };
    positive("classes", options.classes, 1, 1000000);
    positive("images per class", options.images_per_class, 1, 10000);
    positive("annotators", static_cast<std::uint64_t>(std::max(0, options.annotators)), 1,
             max_annotators);
    positive("classifiers", options.classifiers, 2, 1000);
    positive("images", std::uint64_t{options.classes} * options.images_per_class, 1, 10000000);
}

}  // namespace

std::string_view name_of(World world) {
    return world_names[static_cast<std::size_t>(world)];
}

World world_named(std::string_view name) {
    for (std::size_t i = 0; i < world_names.size(); ++i) {
        if (world_names[i] == name) return static_cast<World>(i);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown world `{}`{}", name,
                            suggest(name, {world_names.begin(), world_names.end()})));
}

std::uint16_t SimulatedSet::k(std::size_t image, int annotators) const {
    const std::size_t each = selected.size() / classes.size();
    std::uint16_t sum = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(annotators); ++a) {
        sum = static_cast<std::uint16_t>(sum + selected.at(image * each + a));
    }
    return sum;
}

Simulation simulate(const SimulationOptions& options, const ProgressCallback& progress) {
    check(options);
    Simulation simulation;
    simulation.options = options;
    simulation.annotator_pool = std::max(pool_size, static_cast<std::uint32_t>(options.annotators));
    simulation.annotators = choose_annotators(options, simulation.annotator_pool);
    simulation.truth = true_accuracies(options);
    const bool matching = options.world == World::matching;
    Painter first(simulation, true, matching ? 20 : options.images_per_class, simulation.first);
    Painter second(simulation, false, matching ? 80 : options.images_per_class, simulation.second);
    constexpr std::uint32_t block = 16;
    Ticker ticker(progress, "", options.classes);
    parallel_blocks((options.classes + block - 1) / block, options.threads, [&](std::size_t b) {
        const auto begin = static_cast<std::uint32_t>(b) * block;
        const std::uint32_t end = std::min(options.classes, begin + block);
        for (std::uint32_t c = begin; c < end; ++c) {
            throw_if_stopped();
            first.draw_class(c);
            second.draw_class(c);
        }
        ticker.add(end - begin);
    });
    return simulation;
}

}  // namespace assay::replication
