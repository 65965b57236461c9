#include "annotation/true_sets/set_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"

namespace assay::true_sets {
namespace {

constexpr std::size_t em_blocks = 32;
constexpr std::size_t least_images = 128;  ///< fewest images in a block
constexpr int most_fit_rounds = 120;
constexpr double still = 1e-5;
constexpr double longest_leap = 20;

void add_to(std::vector<double>& sum, const std::vector<double>& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

EmSums empty_sums(const Layout& layout) {
    EmSums sums;
    sums.valid.resize(layout.levels());
    sums.expected.resize(layout.levels());
    sums.sizes.resize(layout.rates - layout.levels());
    sums.answers.resize(layout.size - layout.rates);
    return sums;
}

void add_image(const AskedImages& images, const Layout& layout, const SetPosterior& posterior,
               std::size_t image, EmSums& sums) {
    const std::size_t rates = std::size_t{images.annotators} * images.answers;
    for (std::size_t c = 0; c < posterior.asked(); ++c) {
        const std::size_t question = images.begin[image] + c;
        const double yes = posterior.yes()[c];
        for (std::size_t m = 0; m < images.models; ++m) {
            const std::size_t level =
                layout.first_level[m] + images.rank[question * images.models + m];
            sums.valid[level] += yes;
            sums.expected[level] += posterior.expected()[c];
        }
        for (const std::uint32_t code : images.votes_of(question)) {
            sums.answers[code] += 1 - yes;
            sums.answers[rates + code] += yes;
        }
    }
    const std::size_t first = layout.first_size[images.cell[image]] - layout.levels();
    for (std::size_t g = 0; g <= posterior.asked(); ++g)
        sums.sizes[first + g] += posterior.size()[g];
}

/// The logarithms of counts divided by their sum, with `more` added to each.
void log_proportions(std::span<const double> counts, double more, std::span<double> out) {
    double sum = 0;
    for (const double count : counts) sum += count + more;
    for (std::size_t i = 0; i < counts.size(); ++i) out[i] = std::log((counts[i] + more) / sum);
}

void add_rates(const AskedImages& images, const Layout& layout, std::span<const double> answers,
               double more, std::span<double> parameters) {
    const std::size_t r = images.answers;
    for (std::size_t at = 0; at < answers.size(); at += r)
        log_proportions(answers.subspan(at, r), more, parameters.subspan(layout.rates + at, r));
}

std::vector<double> answers_by(const AskedImages& images, std::span<const double> yes) {
    const std::size_t rates = std::size_t{images.annotators} * images.answers;
    std::vector<double> out(2 * rates);
    for (std::size_t q = 0; q < images.questions(); ++q) {
        for (const std::uint32_t code : images.votes_of(q)) {
            out[code] += 1 - yes[q];
            out[rates + code] += yes[q];
        }
    }
    return out;
}

std::vector<double> start_of(const AskedImages& images, const Layout& layout) {
    constexpr int plain_rounds = 30;
    const std::vector<double> yes = plain_posteriors(images, plain_rounds);
    std::vector<double> parameters(layout.size);
    EmSums sums = empty_sums(layout);
    SetPosterior room(images, layout);
    for (std::size_t i = 0; i < images.images(); ++i) {
        room.independent(std::span(yes).subspan(images.begin[i], images.asked(i)));
        const std::size_t first = layout.first_size[images.cell[i]] - layout.levels();
        for (std::size_t g = 0; g <= room.asked(); ++g) sums.sizes[first + g] += room.size()[g];
    }
    for (std::size_t z = 0; z < layout.cells(); ++z) {
        log_proportions(
            std::span(sums.sizes).subspan(layout.first_size[z] - layout.levels(), layout.room(z)),
            tenth_an_image, std::span(parameters).subspan(layout.first_size[z], layout.room(z)));
    }
    add_rates(images, layout, answers_by(images, yes), 1, parameters);
    return parameters;
}

/// Normalizes logarithms that are proportions up to a factor.
void normalise(const AskedImages& images, const Layout& layout, std::vector<double>& parameters) {
    const auto scale = [&](std::size_t first, std::size_t n) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += std::exp(parameters[first + i]);
        for (std::size_t i = 0; i < n; ++i) parameters[first + i] -= std::log(sum);
    };
    for (std::size_t l = 0; l < layout.levels(); ++l)
        parameters[l] = std::clamp(parameters[l], -largest_log_odds, largest_log_odds);
    for (std::size_t z = 0; z < layout.cells(); ++z) scale(layout.first_size[z], layout.room(z));
    for (std::size_t at = layout.rates; at < layout.size; at += images.answers)
        scale(at, images.answers);
}

/// Varadhan and Roland's squared extrapolation. It is never shorter than the two steps.
std::vector<double> leap(const std::vector<double>& a, const std::vector<double>& b,
                         const std::vector<double>& c) {
    double step = 0, change = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double r = b[i] - a[i], s = c[i] - b[i] - r;
        step += r * r;
        change += s * s;
    }
    const double length = std::clamp(std::sqrt(step / std::max(change, 1e-300)), 1.0, longest_leap);
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double r = b[i] - a[i], s = c[i] - b[i] - r;
        out[i] = a[i] + 2 * length * r + length * length * s;
    }
    return out;
}

double largest_move(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

}  // namespace

std::size_t block_count(const AskedImages& images, std::size_t most_blocks) {
    return std::clamp<std::size_t>(images.images() / least_images, 1, most_blocks);
}

void for_each_block(const AskedImages& images, const Layout& layout, std::size_t most_blocks,
                    int threads,
                    const std::function<void(SetPosterior& room, std::size_t block,
                                             std::size_t first, std::size_t last)>& body) {
    const std::size_t blocks = block_count(images, most_blocks), n = images.images();
    parallel_blocks(blocks, threads, [&](std::size_t block) {
        SetPosterior room(images, layout);
        body(room, block, n * block / blocks, n * (block + 1) / blocks);
    });
}

EmSums em_sums(const AskedImages& images, const Layout& layout, std::span<const double> parameters,
               int threads) {
    std::vector<EmSums> blocks(block_count(images, em_blocks), empty_sums(layout));
    for_each_block(images, layout, em_blocks, threads,
                   [&](SetPosterior& room, std::size_t block, std::size_t first, std::size_t last) {
                       for (std::size_t i = first; i < last; ++i) {
                           room.compute(i, parameters);
                           add_image(images, layout, room, i, blocks[block]);
                       }
                   });
    for (std::size_t b = 1; b < blocks.size(); ++b) {
        add_to(blocks[0].valid, blocks[b].valid);
        add_to(blocks[0].expected, blocks[b].expected);
        add_to(blocks[0].sizes, blocks[b].sizes);
        add_to(blocks[0].answers, blocks[b].answers);
    }
    return std::move(blocks[0]);
}

std::vector<double> em_step(const AskedImages& images, const Layout& layout,
                            std::span<const double> parameters, const EmSums& sums) {
    std::vector<double> out(layout.size);
    double mean = 0;
    for (std::size_t l = 0; l < layout.levels(); ++l) {
        out[l] = parameters[l] +
                 std::log((sums.valid[l] + half_a_label) / (sums.expected[l] + half_a_label)) /
                     images.models;
        mean += out[l] / static_cast<double>(layout.levels());
    }
    for (std::size_t l = 0; l < layout.levels(); ++l)
        out[l] = std::clamp(out[l] - mean, -largest_log_odds, largest_log_odds);
    for (std::size_t z = 0; z < layout.cells(); ++z) {
        log_proportions(
            std::span(sums.sizes).subspan(layout.first_size[z] - layout.levels(), layout.room(z)),
            tenth_an_image, std::span(out).subspan(layout.first_size[z], layout.room(z)));
    }
    add_rates(images, layout, sums.answers, one_answer / images.answers, out);
    return out;
}

SetFit fit_sets(const AskedImages& images, const Layout& layout, int threads) {
    const auto step = [&](const std::vector<double>& from) {
        throw_if_stopped();
        return em_step(images, layout, from, em_sums(images, layout, from, threads));
    };
    SetFit fit;
    std::vector<double>& x = fit.parameters;
    x = start_of(images, layout);
    for (fit.rounds = 1; fit.rounds <= most_fit_rounds; ++fit.rounds) {
        const std::vector<double> once = step(x);
        std::vector<double> twice = step(once);
        if (largest_move(once, twice) < still) {
            x = std::move(twice);
            fit.converged = true;
            return fit;
        }
        std::vector<double> next = leap(x, once, twice);
        const bool finite =
            std::all_of(next.begin(), next.end(), [](double v) { return std::isfinite(v); });
        if (!finite) next = twice;
        normalise(images, layout, next);
        x = step(next);
    }
    --fit.rounds;
    return fit;
}

std::vector<double> plain_posteriors(const AskedImages& images, int most_rounds) {
    constexpr double smoothing = .01, tolerance = 1e-6, unsure = .02, certain = .98;
    const std::size_t questions = images.questions(), r = images.answers,
                      rates = std::size_t{images.annotators} * r;
    std::vector<double> yes(questions);
    for (std::size_t q = 0; q < questions; ++q) {
        const auto votes = images.votes_of(q);
        double worth = 0;
        for (const std::uint32_t code : votes)
            worth += static_cast<double>(code % r) / static_cast<double>(r - 1);
        yes[q] = std::clamp(worth / std::max<double>(1, static_cast<double>(votes.size())), unsure,
                            certain);
    }
    std::vector<double> logs(2 * rates);
    for (int round = 0; round < most_rounds; ++round) {
        const std::vector<double> answers = answers_by(images, yes);
        for (std::size_t at = 0; at < answers.size(); at += r)
            log_proportions(std::span(answers).subspan(at, r), smoothing,
                            std::span(logs).subspan(at, r));
        const double all = std::accumulate(yes.begin(), yes.end(), 0.0);
        const double prevalence = std::clamp(all / static_cast<double>(questions), 1e-6, 1 - 1e-6);
        double moved = 0;
        for (std::size_t q = 0; q < questions; ++q) {
            double logit = std::log(prevalence / (1 - prevalence));
            for (const std::uint32_t code : images.votes_of(q))
                logit += logs[rates + code] - logs[code];
            const double next = 1 / (1 + std::exp(-logit));
            moved = std::max(moved, std::abs(next - yes[q]));
            yes[q] = next;
        }
        if (moved < tolerance) break;
    }
    return yes;
}

}  // namespace assay::true_sets
