// EM in logarithms. A pass visits the patterns of answers (vote_patterns.h), each weighted by its
// number of questions. With a few annotators per image, there are far fewer patterns than
// questions. A pass takes the tables log P(answer | latent class) of the last parameters. From
// these it computes each pattern's posterior, and immediately adds it to the expected counts for
// the next parameters. Counts and the log-likelihood are summed by fixed blocks of patterns.
// Extrapolation (squarem.h) saves many passes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "annotation/squarem.h"
#include "annotation/vote_patterns.h"
#include "assay/annotation/aggregate.h"
#include "assay/error.h"
#include "core/parallel.h"

namespace assay {
namespace {

constexpr std::size_t block_patterns = 4096;
constexpr std::size_t most_blocks = 64;
constexpr std::size_t most_table_bytes = 64U << 20;  // limit for the tables of all blocks together
/// The number of factors, at most 2 each, in a product before its logarithm is taken: it stays
/// below 2^1023.
constexpr int factors_a_log = 512;

/// Two doubles in one register with plain additions, so that every processor gives the same bits.
using Pair [[gnu::vector_size(16)]] = double;

Pair load(const double* from) {
    Pair pair;
    std::memcpy(&pair, from, sizeof pair);
    return pair;
}
void store(double* to, Pair pair) {
    std::memcpy(to, &pair, sizeof pair);
}

/// Expected counts of one block: [code][latent], then L prior counts.
struct Counts {
    std::vector<double> cells;
    std::vector<double> prior;
    double log_likelihood = 0;
    double moved = 0;  ///< the largest difference between a posterior and the one before it
};

class Em {
public:
    Em(const Votes& votes, const DawidSkeneOptions& options)
        : votes_(votes),
          patterns_(group_by_answers(votes)),
          options_(options),
          latents_(options.latents),
          reported_(latents_ - 1),
          codes_(votes.annotators.size() * votes.answers()),
          threads_(resolve_threads(options.threads)) {
        // The blocks depend only on the data, because the order of the sums must not depend on
        // threads.
        const std::size_t patterns = patterns_.size(),
                          table = std::max<std::size_t>(1, codes_ * latents_ * 8);
        const std::size_t most = std::clamp<std::size_t>(most_table_bytes / table, 1, most_blocks);
        size_ = std::max(block_patterns, (patterns + most - 1) / most);
        blocks_.resize((patterns + size_ - 1) / size_);
        yes_.resize(patterns);
        for (Counts& block : blocks_) {
            block.cells.resize(codes_ * latents_);
            block.prior.resize(latents_);
        }
    }

    /// Expected counts from the proportions of the votes.
    void start() {
        run([&](Counts& block, std::size_t first, std::size_t last) {
            std::vector<double> posterior(latents_);
            for (std::size_t p = first; p < last; ++p) {
                const auto codes = patterns_[p];
                std::fill(posterior.begin(), posterior.end(),
                          codes.empty() ? 1.0 / static_cast<double>(latents_) : 0.0);
                for (const std::uint32_t code : codes) {
                    const std::size_t answer = code % votes_.answers();
                    const double proportion = 1.0 / static_cast<double>(codes.size());
                    if (latents_ == 2) {
                        posterior[1] += votes_.scale.worth(answer) * proportion;
                    } else {
                        posterior[answer] += proportion;
                    }
                }
                if (latents_ == 2 && !codes.empty()) posterior[0] = 1 - posterior[1];
                add(block, p, posterior);
            }
        });
    }

    /// Parameters from the counts (with the smoothing).
    LogParameters maximise() const {
        const double s = options_.smoothing;
        const auto latents = static_cast<double>(latents_),
                   answers = static_cast<double>(votes_.answers());
        const double questions = std::accumulate(total_.prior.begin(), total_.prior.end(), 0.0);
        LogParameters out{.prior = std::vector<double>(latents_),
                          .table = std::vector<double>(codes_ * latents_)};
        for (std::size_t l = 0; l < latents_; ++l)
            out.prior[l] = std::log((total_.prior[l] + s) / (questions + latents * s));
        for (std::size_t r = 0; r < votes_.annotators.size(); ++r) {
            for (std::size_t l = 0; l < latents_; ++l) {
                double sum = 0;
                for (std::size_t a = 0; a < votes_.answers(); ++a) sum += cell(r, a, l);
                for (std::size_t a = 0; a < votes_.answers(); ++a) {
                    out.table[(r * votes_.answers() + a) * latents_ + l] =
                        std::log((cell(r, a, l) + s) / (sum + answers * s));
                }
            }
        }
        return out;
    }

    /// Sets the parameters of the next pass.
    void take(LogParameters parameters) {
        log_ = std::move(parameters);
        penalty_ =
            options_.smoothing * (std::accumulate(log_.prior.begin(), log_.prior.end(), 0.0) +
                                  std::accumulate(log_.table.begin(), log_.table.end(), 0.0));
    }

    /// Sets the latent class whose posterior the next pass stores.
    void report(std::size_t latent) { reported_ = latent; }
    /// One pass: computes the log-likelihood of the parameters, the next counts, and the change of
    /// the posteriors.
    void pass() {
        run([&](Counts& block, std::size_t first, std::size_t last) {
            if (latents_ == 2) {
                pass_of_two(block, first, last);
            } else {
                pass_of_many(block, first, last);
            }
        });
    }
    /// The posteriors of the last pass, one per question.
    std::vector<double> yes() const {
        std::vector<double> out(votes_.questions());
        for (std::size_t q = 0; q < out.size(); ++q) out[q] = yes_[patterns_.of_question[q]];
        return out;
    }

    const LogParameters& parameters() const { return log_; }
    /// The largest change of a posterior (of the reported latent class) since the previous pass.
    double moved() const { return total_.moved; }
    double log_likelihood() const { return total_.log_likelihood; }
    /// The objective function that EM maximises.
    double objective() const { return total_.log_likelihood + penalty_; }
    const Counts& total() const { return total_; }

private:
    double cell(std::size_t annotator, std::size_t answer, std::size_t latent) const {
        return total_.cells[(annotator * votes_.answers() + answer) * latents_ + latent];
    }

    void add(Counts& block, std::size_t pattern, std::span<const double> posterior) const {
        const double weight = patterns_.questions[pattern];
        for (const std::uint32_t code : patterns_[pattern]) {
            for (std::size_t l = 0; l < latents_; ++l)
                block.cells[code * latents_ + l] += weight * posterior[l];
        }
        for (std::size_t l = 0; l < latents_; ++l) block.prior[l] += weight * posterior[l];
    }

    /// Processes both latent classes of a pattern together, with one addition for both.
    void pass_of_two(Counts& block, std::size_t first, std::size_t last) {
        const double* const table = log_.table.data();
        double* const cells = block.cells.data();
        const std::uint32_t* const codes = patterns_.codes.data();
        const std::uint64_t* const begin = patterns_.begin.data();
        const Pair log_prior = {log_.prior[0], log_.prior[1]};
        Pair prior = {0, 0};
        double sum = 0, product = 1, moved = 0;
        int factors = 0;
        for (std::size_t p = first; p < last; ++p) {
            const std::uint32_t *const from = codes + begin[p], *const to = codes + begin[p + 1];
            const double weight = patterns_.questions[p];
            Pair logs = log_prior;
            for (const std::uint32_t* c = from; c != to; ++c)
                logs += load(table + 2 * std::size_t{*c});
            // Uses log(e^log0 + e^log1) = larger + log(1 + ratio). Patterns with one question share
            // the logarithm of a product of many factors.
            const double difference = logs[1] - logs[0], ratio = std::exp(-std::abs(difference));
            const double likely = 1 / (1 + ratio), unlikely = ratio * likely;
            // Uses a mask, because branch prediction cannot guess which class is likelier.
            const Pair zero = {0, 0}, signs = {-difference, difference};
            const Pair posterior = signs >= zero ? Pair{likely, likely} : Pair{unlikely, unlikely};
            sum += weight * std::max(logs[0], logs[1]);
            if (weight > 1) {
                sum += weight * std::log(1 + ratio);
            } else {
                product *= 1 + ratio;
                ++factors;
            }
            if (factors == factors_a_log) {
                sum += std::log(product);
                product = 1;
                factors = 0;
            }
            const Pair weighted = posterior * Pair{weight, weight};
            for (const std::uint32_t* c = from; c != to; ++c) {
                double* const cell = cells + 2 * std::size_t{*c};
                store(cell, load(cell) + weighted);
            }
            prior += weighted;
            moved = std::max(moved, std::abs(posterior[reported_] - yes_[p]));
            yes_[p] = posterior[reported_];
        }
        block.moved = moved;
        block.prior[0] += prior[0];
        block.prior[1] += prior[1];
        block.log_likelihood = sum + std::log(product);
    }

    void pass_of_many(Counts& block, std::size_t first, std::size_t last) {
        std::vector<double> posterior(latents_);
        for (std::size_t p = first; p < last; ++p) {
            const auto codes = patterns_[p];
            std::copy(log_.prior.begin(), log_.prior.end(), posterior.begin());
            for (const std::uint32_t code : codes) {
                for (std::size_t l = 0; l < latents_; ++l)
                    posterior[l] += log_.table[code * latents_ + l];
            }
            const double largest = *std::max_element(posterior.begin(), posterior.end());
            double sum = 0;
            for (double& proportion : posterior) sum += proportion = std::exp(proportion - largest);
            for (double& proportion : posterior) proportion /= sum;
            block.log_likelihood += patterns_.questions[p] * (largest + std::log(sum));
            add(block, p, posterior);
            block.moved = std::max(block.moved, std::abs(posterior[reported_] - yes_[p]));
            yes_[p] = posterior[reported_];
        }
    }

    template <class Body>
    void run(Body&& body) {
        parallel_blocks(blocks_.size(), threads_, [&](std::size_t b) {
            Counts& block = blocks_[b];
            std::fill(block.cells.begin(), block.cells.end(), 0.0);
            std::fill(block.prior.begin(), block.prior.end(), 0.0);
            block.log_likelihood = block.moved = 0;
            body(block, b * size_, std::min(patterns_.size(), (b + 1) * size_));
        });
        total_.cells.assign(codes_ * latents_, 0);
        total_.prior.assign(latents_, 0);
        total_.log_likelihood = total_.moved = 0;
        for (const Counts& block : blocks_) {
            for (std::size_t i = 0; i < total_.cells.size(); ++i) total_.cells[i] += block.cells[i];
            for (std::size_t l = 0; l < latents_; ++l) total_.prior[l] += block.prior[l];
            total_.log_likelihood += block.log_likelihood;
            total_.moved = std::max(total_.moved, block.moved);
        }
    }

    const Votes& votes_;
    const VotePatterns patterns_;
    const DawidSkeneOptions& options_;
    std::size_t latents_, reported_, codes_;
    int threads_;
    std::size_t size_ = 0;
    std::vector<Counts> blocks_;
    Counts total_;
    LogParameters log_;
    std::vector<double> yes_;  ///< posterior of the reported latent class, one per pattern
    double penalty_ = 0;
};

void check(const Votes& votes, const DawidSkeneOptions& options) {
    if (votes.questions() == 0 || votes.codes.empty())
        throw Error(ErrorCode::usage, "there are no votes to combine");
    if (options.latents != 2 && options.latents != votes.answers()) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} latent classes; known: 2, or {} (one per answer)",
                                options.latents, votes.answers()));
    }
    if (!(options.smoothing > 0 && options.smoothing <= 1e6) || !(options.tolerance >= 0) ||
        options.max_passes < 1) {
        throw Error(
            ErrorCode::usage,
            fmt::format("smoothing {}, tolerance {}, passes {}; allowed: a smoothing above 0, a "
                        "tolerance of 0 or more, 1 pass or more",
                        options.smoothing, options.tolerance, options.max_passes));
    }
}

/// Sorts the latent classes by the mean worth of the answers that they explain.
std::vector<std::size_t> order_of_latents(const Votes& votes, const Counts& counts,
                                          std::size_t latents) {
    std::vector<double> worth(latents, 0), weight(latents, 0);
    for (std::size_t code = 0; code < counts.cells.size() / latents; ++code) {
        for (std::size_t l = 0; l < latents; ++l) {
            worth[l] +=
                counts.cells[code * latents + l] * votes.scale.worth(code % votes.answers());
            weight[l] += counts.cells[code * latents + l];
        }
    }
    // A class that explains nothing has no mean, and keeps its place at the end.
    for (std::size_t l = 0; l < latents; ++l) {
        worth[l] = weight[l] > 0 ? worth[l] / weight[l]
                                 : static_cast<double>(l) / static_cast<double>(latents - 1);
    }
    std::vector<std::size_t> order(latents);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return worth[a] < worth[b]; });
    return order;
}

bool one_answer_each(const Votes& votes) {
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        if (votes.of(q).size() > 1) return false;
    }
    return true;
}

void add_notes(const Votes& votes, DawidSkene& out) {
    std::vector<char> used(votes.answers(), 0);
    for (const std::uint32_t code : votes.codes) used[code % votes.answers()] = 1;
    if (one_answer_each(votes)) {
        out.notes.push_back(fmt::format(
            "{}: the reliability of annotators is unknown, because no two of them answered the "
            "same question; the posteriors are the answers' own weights",
            votes.annotators.size() == 1 ? "one annotator" : "no question has two answers"));
    }
    if (std::count(used.begin(), used.end(), 1) == 1) {
        out.notes.emplace_back("all answers are the same: one latent class explains nothing");
    }
    if (!out.converged) {
        out.notes.push_back(
            fmt::format("not converged after {} passes; allow more with --passes", out.passes));
    }
    if (out.reordered)
        out.notes.emplace_back("the latent classes came out in another order and were sorted");
}

/// The largest difference of a parameter (as a probability) between two sets of parameters.
double moved(const LogParameters& a, const LogParameters& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.prior.size(); ++i)
        most = std::max(most, std::abs(std::exp(a.prior[i]) - std::exp(b.prior[i])));
    for (std::size_t i = 0; i < a.table.size(); ++i)
        most = std::max(most, std::abs(std::exp(a.table[i]) - std::exp(b.table[i])));
    return most;
}

/// Runs passes until nothing changes. The last pass uses the parameters that `em` then has.
void climb(Em& em, const Votes& votes, const DawidSkeneOptions& options, DawidSkene& out) {
    Squarem squarem(out.latents, votes.answers());
    const auto pass = [&](LogParameters parameters) {
        throw_if_stopped();
        em.take(std::move(parameters));
        em.pass();
        ++out.passes;
    };
    const auto accept = [&] { out.objective.push_back(em.objective()); };
    pass(em.maximise());
    accept();
    while (out.passes < options.max_passes) {
        const LogParameters first = em.parameters();
        pass(em.maximise());
        accept();
        // Only a plain step shows the distance to the maximum, because extrapolations move further.
        out.converged =
            em.moved() <= options.tolerance && moved(first, em.parameters()) <= options.tolerance;
        if (out.converged) return;
        // A failed extrapolation costs a second pass.
        if (!options.accelerate || out.passes + 2 > options.max_passes) continue;
        const LogParameters next = em.maximise();
        std::optional<LogParameters> ahead = squarem.leap(first, em.parameters(), next);
        if (!ahead) continue;
        pass(std::move(*ahead));
        const bool uphill = em.objective() >= out.objective.back();
        squarem.landed(uphill);
        if (!uphill) pass(next);
        accept();
    }
}

}  // namespace

DawidSkene dawid_skene(const Votes& votes, const DawidSkeneOptions& options) {
    check(votes, options);
    const std::size_t latents = options.latents;
    DawidSkene out;
    out.latents = options.latents;
    out.prior.resize(latents);
    out.confusion.resize(votes.annotators.size() * latents * votes.answers());
    Em em(votes, options);
    em.start();
    const auto finish = [&] {
        for (std::size_t l = 0; l < latents; ++l) out.prior[l] = std::exp(em.parameters().prior[l]);
        for (std::size_t code = 0; code < votes.annotators.size() * votes.answers(); ++code) {
            const std::size_t r = code / votes.answers(), a = code % votes.answers();
            for (std::size_t l = 0; l < latents; ++l)
                out.confusion[(r * latents + l) * votes.answers() + a] =
                    std::exp(em.parameters().table[code * latents + l]);
        }
        out.log_likelihood = em.log_likelihood();
    };
    if (one_answer_each(votes)) {
        // All confusion matrices that mix to the proportions of the answers are equally likely, so
        // EM would drift without an optimum. One step gives matrices and prior, and the posteriors
        // keep their initial values.
        em.take(em.maximise());
        em.pass();
        out.passes = 1;
        out.objective.push_back(em.objective());
        finish();
        out.yes = vote_proportions(votes);
        for (std::size_t q = 0; q < votes.questions(); ++q) {
            if (votes.of(q).empty()) out.yes[q] = out.prior.back();
        }
        out.converged = true;
        add_notes(votes, out);
        return out;
    }
    climb(em, votes, options, out);
    finish();

    const auto order = order_of_latents(votes, em.total(), latents);
    out.reordered = !std::is_sorted(order.begin(), order.end());
    if (out.reordered) {
        em.report(order.back());
        em.pass();  // keeps the parameters, but each question's reported posterior
                    // changes
        const DawidSkene before = out;
        for (std::size_t l = 0; l < latents; ++l) {
            out.prior[l] = before.prior[order[l]];
            for (std::size_t r = 0; r < votes.annotators.size(); ++r) {
                for (std::size_t a = 0; a < votes.answers(); ++a) {
                    out.confusion[(r * latents + l) * votes.answers() + a] =
                        before.confusion[(r * latents + order[l]) * votes.answers() + a];
                }
            }
        }
    }
    out.yes = em.yes();
    add_notes(votes, out);
    return out;
}

}  // namespace assay
