// The passes of fit_which_class. Counts over images are computed by fixed blocks of patterns, and
// merged in order.
#include "assay/annotation/which_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "annotation/answers_together.h"
#include "annotation/class_patterns.h"
#include "assay/error.h"
#include "assay/report.h"
#include "core/log_gamma.h"
#include "core/parallel.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr double mean_right = 4, mean_wrong = 1;  // pseudo answers for the mean accuracy
constexpr double accuracy_answers = 20;           // pseudo answers for an annotator's accuracy
// pseudo answers for the pooled answers about a class
constexpr double pool_answers = 20;
constexpr double pool_share = 0.25;        // weight of the pool in the prior of a row
constexpr double class_images = 3;         // pseudo images for the proportion of a class
constexpr double start_votes = 0.5;        // pseudo votes for all classes together, at the start
constexpr double least_remainder = 1e-12;  // prior of the classes that nobody chose
constexpr std::size_t class_block_patterns = 4096, most_class_blocks = 16;
constexpr std::array prior_strengths = {16.0, 32.0, 64.0, 128.0, 256.0, 512.0};
/// The number of factors above 1e-14 in a product before its logarithm is taken.
constexpr std::size_t likely_factors_a_log = 16;

bool strength_is_chosen(int pass) {
    return pass == 0 || pass == 1 || pass == 3 || pass == 7 || pass == 15;
}

/// Expected counts over images. Images with one answer only enter `classes`, because they would
/// only repeat what the annotator said.
struct ClassCounts {
    std::vector<double> cells, classes;
    double remainder = 0, moved = 0;
};

/// The parameters of a pass, from the counts.
struct ClassParameters {
    double mean = 0;
    std::vector<double> right, answers;  // by annotator
    std::vector<double> rows, pools, pool_rows;
};

class ClassPasses {
public:
    ClassPasses(const ClassPatterns& patterns, const TogetherGroups& together, int threads)
        : patterns_(patterns), threads_(threads) {
        size_ = std::max(class_block_patterns,
                         (patterns.size() + most_class_blocks - 1) / most_class_blocks);
        blocks_.resize((patterns.size() + size_ - 1) / size_);
        for (const std::uint32_t images : patterns.images) images_ += images;
        weigh(together);
        now_.answers.assign(patterns.annotators, 0);
        for (std::size_t p = 0; p < patterns.size(); ++p) {
            for (const ClassAnswer& answer : patterns.of(p))
                now_.answers[answer.annotator] += counted(p) ? patterns.images[p] : 0;
        }
        for (const double n : now_.answers) all_answers_ += n;
        start();
    }

    void pass(int number) {
        take_counts(number);
        run([this](ClassCounts& block, std::size_t p) { judge(block, p); });
    }
    double moved() const { return counts_.moved; }
    double strength() const { return strength_; }
    double posterior(std::size_t candidate) const { return posterior_[candidate]; }
    double accuracy(std::uint32_t annotator) const {
        return (now_.right[annotator] + accuracy_answers * now_.mean) /
               (now_.answers[annotator] + accuracy_answers);
    }
    double proportion(std::uint32_t cls) const {
        return (counts_.classes[cls] + remainder_of_each() + class_images) /
               (images_ + classes() * class_images);
    }

private:
    double classes() const { return patterns_.classes; }
    double remainder_of_each() const { return counts_.remainder / classes(); }
    /// True if the pattern contains any information about its annotators.
    bool counted(std::size_t p) const { return patterns_.of(p).size() > 1; }

    /// Equal answers by annotators who answer together count as one.
    void weigh(const TogetherGroups& together) {
        weight_.assign(patterns_.answers.size(), 1);
        for (std::size_t p = 0; p < patterns_.size() && !together.groups.empty(); ++p) {
            const auto answers = patterns_.of(p);
            for (std::size_t a = 0; a < answers.size(); ++a) {
                const auto alike = std::ranges::count_if(answers, [&](const ClassAnswer& other) {
                    return other.said == answers[a].said &&
                           together.of_annotator[other.annotator] ==
                               together.of_annotator[answers[a].annotator];
                });
                weight_[patterns_.begin[p] + a] = 1 / static_cast<double>(alike);
            }
        }
    }

    /// Makes the parameters from the proportions of the votes.
    void start() {
        posterior_.resize(patterns_.candidates.size());
        run([this](ClassCounts& block, std::size_t p) {
            const auto candidates = patterns_.candidates_of(p);
            double* const posterior = posterior_.data() + patterns_.candidates_begin[p];
            double votes = start_votes;
            for (std::size_t a = patterns_.begin[p]; a < patterns_.begin[p + 1]; ++a)
                votes += weight_[a];
            double remainder = 1;
            for (std::size_t c = 0; c < candidates.size(); ++c) {
                double own = start_votes / classes();
                for (std::size_t a = patterns_.begin[p]; a < patterns_.begin[p + 1]; ++a)
                    own += patterns_.answers[a].said == candidates[c] ? weight_[a] : 0;
                remainder -= posterior[c] = own / votes;
            }
            count(block, p, patterns_.full ? 0 : std::max(0.0, remainder));
        });
    }

    void count(ClassCounts& block, std::size_t p, double remainder) const {
        const double images = patterns_.images[p];
        const auto candidates = patterns_.candidates_of(p);
        const auto cells = patterns_.cells_of(p);
        const double* const posterior = posterior_.data() + patterns_.candidates_begin[p];
        for (std::size_t c = 0; c < candidates.size(); ++c)
            block.classes[candidates[c]] += images * posterior[c];
        block.remainder += images * remainder;
        for (std::size_t i = 0; i < cells.size() && counted(p); ++i)
            block.cells[cells[i]] += images * posterior[i % candidates.size()];
    }

    template <class Body>
    void run(Body body) {
        const std::size_t cells = patterns_.cells.size(), classes = patterns_.classes;
        parallel_blocks(blocks_.size(), threads_, [&](std::size_t b) {
            ClassCounts& block = blocks_[b];
            block.cells.assign(cells, 0);
            block.classes.assign(classes, 0);
            block.remainder = block.moved = 0;
            for (std::size_t p = b * size_; p < std::min(patterns_.size(), (b + 1) * size_); ++p)
                body(block, p);
        });
        counts_.cells.assign(cells, 0);
        counts_.classes.assign(classes, 0);
        counts_.remainder = counts_.moved = 0;
        for (const ClassCounts& block : blocks_) {
            for (std::size_t i = 0; i < cells; ++i) counts_.cells[i] += block.cells[i];
            for (std::size_t k = 0; k < classes; ++k) counts_.classes[k] += block.classes[k];
            counts_.remainder += block.remainder;
            counts_.moved = std::max(counts_.moved, block.moved);
        }
    }

    void take_counts(int number) {
        now_.right.assign(patterns_.annotators, 0);
        now_.rows.assign(patterns_.rows, 0);
        now_.pools.assign(patterns_.pools.size(), 0);
        now_.pool_rows.assign(patterns_.classes, 0);
        double right = 0;
        for (std::size_t i = 0; i < patterns_.cells.size(); ++i) {
            const ClassPatterns::Cell& cell = patterns_.cells[i];
            const double n = counts_.cells[i];
            now_.rows[cell.row] += n;
            now_.pools[cell.pool] += n;
            now_.pool_rows[cell.truth] += n;
            if (cell.right()) now_.right[cell.annotator] += n, right += n;
        }
        now_.mean = (right + mean_right) / (all_answers_ + mean_right + mean_wrong);
        if (strength_is_chosen(number)) choose_strength();
    }

    /// The prior's expectation of an answer, from its annotator's `accuracy` and from the pooled
    /// answers.
    double expected(bool right, double accuracy, double pool, double pool_row) const {
        const double of_all = right ? now_.mean : (1 - now_.mean) / (classes() - 1);
        const double own = right ? accuracy : (1 - accuracy) / (classes() - 1);
        return (1 - pool_share) * own +
               pool_share * (pool + pool_answers * of_all) / (pool_row + pool_answers);
    }

    /// The strength that makes the rows' counts most likely (Dirichlet-multinomial).
    void choose_strength() {
        std::vector<double> means(patterns_.cells.size());
        for (std::size_t i = 0; i < means.size(); ++i) {
            const ClassPatterns::Cell& cell = patterns_.cells[i];
            means[i] = expected(cell.right(), accuracy(cell.annotator), now_.pools[cell.pool],
                                now_.pool_rows[cell.truth]);
        }
        std::array<double, prior_strengths.size()> likely{};
        parallel_blocks(prior_strengths.size(), threads_, [&](std::size_t s) {
            const double strength = prior_strengths[s];
            double sum = 0;
            for (const double n : now_.rows)
                if (n > 0) sum += log_gamma(strength) - log_gamma(strength + n);
            for (std::size_t i = 0; i < means.size(); ++i) {
                const double mean = strength * means[i], n = counts_.cells[i];
                if (n > 0) sum += log_gamma(mean + n) - log_gamma(mean);
            }
            likely[s] = sum;
        });
        strength_ = prior_strengths[static_cast<std::size_t>(std::ranges::max_element(likely) -
                                                             likely.begin())];
    }
    /// The posterior of a pattern, from the counts of all images except one of its own.
    void judge(ClassCounts& block, std::size_t p) {
        const auto candidates = patterns_.candidates_of(p);
        const auto answers = patterns_.of(p);
        const auto cells = patterns_.cells_of(p);
        const double* const weights = weight_.data() + patterns_.begin[p];
        double* const posterior = posterior_.data() + patterns_.candidates_begin[p];
        const double own = counted(p) ? 1 : 0;
        const std::size_t many = candidates.size();
        std::vector<double> logs(many), factors(many, 1);
        double chosen = 0;
        for (std::size_t c = 0; c < many; ++c) {
            const double prior = (std::max(0.0, counts_.classes[candidates[c]] - posterior[c]) +
                                  (patterns_.full ? 0 : remainder_of_each()) + class_images) /
                                 (images_ - 1 + classes() * class_images);
            chosen += prior;
            logs[c] = std::log(prior);
        }
        double remainder = std::log(std::max(least_remainder, 1 - chosen));
        for (std::size_t a = 0; a < answers.size(); ++a) {
            const std::uint32_t said = answers[a].said;
            const auto at = static_cast<std::size_t>(std::ranges::lower_bound(candidates, said) -
                                                     candidates.begin());
            std::size_t alike = 0, of_one = 0, twins = 0;
            for (const ClassAnswer& other : answers) {
                alike += other.said == said ? 1 : 0;
                of_one += other.annotator == answers[a].annotator ? 1 : 0;
                twins += other == answers[a] ? 1 : 0;
            }
            const double accuracy = accuracy_without(
                answers[a].annotator, own, own * posterior[at] * static_cast<double>(twins),
                static_cast<double>(of_one));
            for (std::size_t c = 0; c < many; ++c) {
                const std::uint32_t cell = cells[a * many + c];
                const ClassPatterns::Cell& place = patterns_.cells[cell];
                const double t = own * posterior[c];
                const double pool =
                    std::max(0.0, now_.pools[place.pool] - t * static_cast<double>(alike));
                const double pool_row = std::max(
                    0.0, now_.pool_rows[candidates[c]] - t * static_cast<double>(answers.size()));
                const double mean = expected(place.right(), accuracy, pool, pool_row);
                const double n =
                    std::max(0.0, counts_.cells[cell] - t * static_cast<double>(twins));
                const double row =
                    std::max(0.0, now_.rows[place.row] - t * static_cast<double>(of_one));
                const double likely = (n + strength_ * mean) / (row + strength_);
                if (weights[a] == 1) {
                    factors[c] *= likely;
                } else {
                    logs[c] += weights[a] * std::log(likely);
                }
            }
            remainder += weights[a] * std::log((1 - accuracy) / (classes() - 1));
            if (a % likely_factors_a_log == likely_factors_a_log - 1 || a + 1 == answers.size()) {
                for (std::size_t c = 0; c < many; ++c) {
                    logs[c] += std::log(factors[c]);
                    factors[c] = 1;
                }
            }
        }
        double largest = *std::ranges::max_element(logs), sum = 0;
        if (!patterns_.full) largest = std::max(largest, remainder);
        for (double& log : logs) sum += log = std::exp(log - largest);
        const double rest = patterns_.full ? 0 : std::exp(remainder - largest);
        sum += rest;
        for (std::size_t c = 0; c < many; ++c) {
            block.moved = std::max(block.moved, std::abs(logs[c] / sum - posterior[c]));
            posterior[c] = logs[c] / sum;
        }
        count(block, p, rest / sum);
    }
    double accuracy_without(std::uint32_t annotator, double own, double right,
                            double answers) const {
        return (std::max(0.0, now_.right[annotator] - right) + accuracy_answers * now_.mean) /
               (now_.answers[annotator] - own * answers + accuracy_answers);
    }

    const ClassPatterns& patterns_;
    int threads_;
    std::size_t size_ = 0;
    std::vector<ClassCounts> blocks_;
    ClassCounts counts_;
    ClassParameters now_;
    std::vector<double> weight_;     // by answer
    std::vector<double> posterior_;  // by candidate
    double images_ = 0, all_answers_ = 0, strength_ = 64;
};

void check_which_class(const Votes& votes, const WhichClassOptions& options) {
    if (!votes.which_class) throw Error(ErrorCode::internal, "votes that name no class");
    if (votes.questions() == 0 || votes.codes.empty())
        throw Error(ErrorCode::usage, "there are no votes to combine");
    if (!(options.tolerance >= 0) || options.max_passes < 1)
        throw Error(ErrorCode::usage,
                    fmt::format("tolerance {}, passes {}; allowed: a tolerance of 0 or "
                                "more, 1 pass or more",
                                options.tolerance, options.max_passes));
}

/// Computes the posteriors by question, and the classes that beat all chosen ones.
void tell_posteriors(const Votes& votes, const ClassPatterns& patterns, const ClassPasses& passes,
                     WhichClassFit& out) {
    std::vector<std::uint32_t> rank(votes.labels.size());
    for (std::uint32_t k = 0; k < patterns.label_of.size(); ++k) rank[patterns.label_of[k]] = k;
    std::vector<double> highest(votes.items.size(), 0);
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const std::uint32_t item = votes.question_item[q], p = patterns.of_item[item];
        if (p == ClassPatterns::none) {
            out.posterior.push_back(0);
            continue;
        }
        const auto candidates = patterns.candidates_of(p);
        const auto at = std::ranges::lower_bound(candidates, rank[votes.question_label[q]]);
        const bool there = at != candidates.end() && *at == rank[votes.question_label[q]];
        out.posterior.push_back(
            there ? passes.posterior(patterns.candidates_begin[p] +
                                     static_cast<std::size_t>(at - candidates.begin()))
                  : 0);
        highest[item] = std::max(highest[item], out.posterior.back());
    }
    if (!patterns.full) return;
    constexpr double rounding = 1e-9;  // posteriors that differ by less count as equal
    for (std::uint32_t item = 0; item < votes.items.size(); ++item) {
        const std::uint32_t p = patterns.of_item[item];
        if (p == ClassPatterns::none) continue;
        const auto candidates = patterns.candidates_of(p);
        std::size_t best = 0;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            if (passes.posterior(patterns.candidates_begin[p] + c) >
                passes.posterior(patterns.candidates_begin[p] + best))
                best = c;
        }
        const double posterior = passes.posterior(patterns.candidates_begin[p] + best);
        if (posterior > highest[item] + rounding)
            out.unchosen.push_back({item, patterns.label_of[candidates[best]], posterior});
    }
}

void tell_together(const ClassPatterns& patterns, const TogetherGroups& together,
                   WhichClassFit& out) {
    for (const TogetherGroups::Group& group : together.groups) {
        const auto shared = static_cast<double>(group.shared);
        AnswerTogether& found = out.together.emplace_back();
        for (const std::uint32_t r : group.annotators)
            found.annotators.push_back(patterns.annotator_of[r]);
        std::ranges::sort(found.annotators);
        found.shared = group.shared;
        found.agreement = static_cast<double>(group.equal) / shared;
        found.expected = group.expected / shared;
    }
}

void add_which_class_notes(const Votes& votes, const ClassPatterns& patterns, WhichClassFit& out) {
    for (const AnswerTogether& group : out.together) {
        std::vector<std::string> names;
        for (const std::uint32_t r : group.annotators)
            if (names.size() < 5) names.push_back(shortened(votes.annotators[r]));
        const std::size_t more = group.annotators.size() - names.size();
        out.notes.push_back(fmt::format(
            "annotators {}{} agree in {:.0f} % of {} pairs of answers, but their accuracy explains "
            "only {:.0f} %. Their equal answers to an image count as one",
            fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
            100 * group.agreement, count_text(group.shared), 100 * group.expected));
    }
    if (!out.unchosen.empty())
        out.notes.push_back(
            fmt::format("{}: nobody chose the likeliest class; it follows from the annotators' "
                        "answers to other images",
                        how_many(out.unchosen.size(), "image")));
    bool compared = false;
    for (std::size_t p = 0; p < patterns.size(); ++p) compared |= patterns.of(p).size() > 1;
    if (!compared)
        out.notes.push_back(
            fmt::format("{}: the annotators' accuracy cannot be estimated, so {:.0f} % is assumed",
                        votes.annotators.size() == 1 ? "one annotator" : "no image has two answers",
                        100 * mean_right / (mean_right + mean_wrong)));
    if (!out.converged)
        out.notes.push_back(
            fmt::format("not converged after {} passes: raise the number of passes", out.passes));
}

}  // namespace

WhichClassFit fit_which_class(const Votes& votes, const WhichClassOptions& options) {
    check_which_class(votes, options);
    const ClassPatterns patterns = class_patterns(votes);
    const TogetherGroups together = answers_together(patterns);
    const int threads = resolve_threads(options.threads);
    WhichClassFit out;
    ClassPasses passes(patterns, together, threads);
    constexpr int chosen_by = 16;  // the strength of the prior is
    while (out.passes < options.max_passes && !out.converged) {
        throw_if_stopped();
        passes.pass(out.passes++);
        out.converged = out.passes > chosen_by && passes.moved() <= options.tolerance;
    }
    out.strength = passes.strength();
    out.accuracy.resize(votes.annotators.size());
    for (std::uint32_t r = 0; r < patterns.annotators; ++r)
        out.accuracy[patterns.annotator_of[r]] = passes.accuracy(r);
    out.proportions.resize(votes.labels.size());
    for (std::uint32_t k = 0; k < patterns.label_of.size(); ++k)
        out.proportions[patterns.label_of[k]] = passes.proportion(k);
    tell_posteriors(votes, patterns, passes, out);
    tell_together(patterns, together, out);
    add_which_class_notes(votes, patterns, out);
    return out;
}

}  // namespace assay
