#include "audit/wrong_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/statistics.h"
#include "core/text.h"

namespace assay::audit {
namespace {

constexpr double score_power = 1.5;
constexpr double a_mean = -4, a_deviation = 2, b_deviation = 3;
/// People's answers are false with one of these probabilities, which have these prior weights.
constexpr std::array<std::pair<double, double>, 4> answer_errors = {
    {{0, 0.25}, {0.02, 0.25}, {0.05, 0.25}, {0.1, 0.25}}};
constexpr int grid_points = 41;  ///< for each of a and b
constexpr int grid_passes = 3;   ///< each on the part of the last grid that has weight
constexpr double least_weight = 1e-5;
constexpr double uncovered_part = 0.05;
constexpr std::string_view regression_method = "logistic regression on the score";

double probability_at(double logit) {
    return 1 / (1 + std::exp(-logit));
}
/// A logistic curve of the posterior distribution, and the proportion of false answers.
struct Curve {
    double a = 0, b = 0, weight = 0, error = 0;
    double at(double x) const { return probability_at(a + b * x); }
};
/// What people were asked about.
struct Judged {
    std::vector<double> x;
    std::vector<bool> wrong;  ///< by their answers
};

struct Range {
    double low = 0, high = 0;
    double step() const { return (high - low) / (grid_points - 1); }
    double at(int place) const { return low + place * step(); }
};

/// The points of one grid. First, their weights are logarithms without a common constant.
class Grid {
public:
    Grid(Range a, Range b, const Judged& judged) : a_(a), b_(b) {
        for (int i = 0; i < grid_points; ++i)
            for (int k = 0; k < grid_points; ++k) add(a.at(i), b.at(k), judged);
        double most = curves_.front().weight;
        for (const Curve& curve : curves_) most = std::max(most, curve.weight);
        double sum = 0;
        for (Curve& curve : curves_) curve.weight = std::exp(curve.weight - most);
        std::erase_if(curves_, [](const Curve& curve) { return curve.weight < least_weight; });
        for (const Curve& curve : curves_) sum += curve.weight;
        for (Curve& curve : curves_) curve.weight /= sum;
    }
    /// The ranges of all points with weight, and a step more to each side.
    std::pair<Range, Range> ranges_with_weight() const {
        Range a = {a_.high, a_.low}, b = {b_.high, b_.low};
        for (const Curve& curve : curves_) {
            a = {std::min(a.low, curve.a), std::max(a.high, curve.a)};
            b = {std::min(b.low, curve.b), std::max(b.high, curve.b)};
        }
        return {{a.low - a_.step(), a.high + a_.step()},
                {std::max(0.0, b.low - b_.step()), b.high + b_.step()}};
    }
    /// Their weights add up to 1.
    const std::vector<Curve>& curves() const { return curves_; }

private:
    void add(double a, double b, const Judged& judged) {
        const double u = (a - a_mean) / a_deviation, v = b / b_deviation;
        std::array<double, answer_errors.size()> sums = {};
        for (std::size_t i = 0; i < judged.x.size(); ++i) {
            const double logit = a + b * judged.x[i];
            const double agreed = probability_at(judged.wrong[i] ? logit : -logit);
            for (std::size_t e = 0; e < sums.size(); ++e) {
                const double error = answer_errors[e].first;
                sums[e] += std::log(std::max(1e-300, error + (1 - 2 * error) * agreed));
            }
        }
        for (std::size_t e = 0; e < sums.size(); ++e)
            curves_.push_back(
                {.a = a,
                 .b = b,
                 .weight = sums[e] + std::log(answer_errors[e].second) - (u * u + v * v) / 2,
                 .error = answer_errors[e].first});
    }

    Range a_, b_;
    std::vector<Curve> curves_;
};

std::vector<Curve> posterior_curves(const Judged& judged) {
    Grid grid({a_mean - 6 * a_deviation, a_mean + 7 * a_deviation}, {0, 5 * b_deviation}, judged);
    for (int pass = 1; pass < grid_passes; ++pass) {
        const auto [a, b] = grid.ranges_with_weight();
        grid = Grid(a, b, judged);
    }
    return grid.curves();
}

/// The lowest probability that holds so much of the posterior distribution below it.
double quantile(std::vector<std::pair<double, double>>& by_curve, double part) {
    double sum = 0;
    for (const auto& [p, weight] : by_curve) {
        sum += weight;
        if (sum >= part) return p;
    }
    return by_curve.back().first;
}

Estimate probability_of(double x, const std::vector<Curve>& curves, std::size_t answers,
                        double level) {
    std::vector<std::pair<double, double>> by_curve;
    double mean = 0;
    for (const Curve& curve : curves) {
        by_curve.emplace_back(curve.at(x), curve.weight);
        mean += by_curve.back().first * curve.weight;
    }
    std::ranges::sort(by_curve);
    Estimate out;
    out.unit = Unit::proportion;
    out.n = answers;
    out.value = mean;
    out.interval = Interval{.low = quantile(by_curve, (1 - level) / 2),
                            .high = quantile(by_curve, (1 + level) / 2),
                            .level = level,
                            .method = std::string(regression_method)};
    return out;
}

/// The probability that a label is wrong after an answer about it, which may be false.
double after_answer(const Curve& curve, double x, bool wrong) {
    const double p = curve.at(x);
    const double yes = (wrong ? 1 - curve.error : curve.error) * p;
    const double no = (wrong ? curve.error : 1 - curve.error) * (1 - p);
    return yes / std::max(1e-300, yes + no);
}

/// The wrong ones among labels with and without an answer: for each curve the mean and the
/// deviation.
class CountOfWrong {
public:
    CountOfWrong(std::span<const double> open, const Judged& judged,
                 const std::vector<Curve>& curves)
        : curves_(curves), labels_(open.size() + judged.x.size()) {
        for (const Curve& curve : curves) {
            double mean = 0, variance = 0;
            const auto add = [&](double p) {
                mean += p;
                variance += p * (1 - p);
            };
            for (const double x : open) add(curve.at(x));
            for (std::size_t i = 0; i < judged.x.size(); ++i)
                add(after_answer(curve, judged.x[i], judged.wrong[i]));
            mean_.push_back(mean);
            deviation_.push_back(std::sqrt(std::max(variance, 1e-12)));
        }
    }
    double expected() const {
        double out = 0;
        for (std::size_t i = 0; i < curves_.size(); ++i) out += curves_[i].weight * mean_[i];
        return out;
    }
    /// The lowest number that is not exceeded with this probability.
    double quantile_at(double part) const {
        std::size_t low = 0, high = labels_;
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (at_most(static_cast<double>(middle)) >= part) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return static_cast<double>(low);
    }

private:
    double at_most(double number) const {
        double out = 0;
        for (std::size_t i = 0; i < curves_.size(); ++i)
            out += curves_[i].weight * normal_cdf((number + 0.5 - mean_[i]) / deviation_[i]);
        return out;
    }
    const std::vector<Curve>& curves_;
    std::size_t labels_;
    std::vector<double> mean_, deviation_;
};

std::vector<double> distances_of(std::span<const double> scores) {
    std::vector<double> out;
    for (const double score : scores) out.push_back(std::pow(std::max(-score, 0.0), score_power));
    std::vector<double> sorted = out;
    const auto half = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, half);
    if (*half > 0)
        for (double& x : out) x /= *half;
    return out;
}

Estimate undefined_because(std::string reason, std::size_t n, Unit unit) {
    Estimate out;
    out.undefined = std::move(reason);
    out.n = n;
    out.unit = unit;
    return out;
}

bool is_of_people(Answer answer) {
    return answer == Answer::correct || answer == Answer::wrong;
}

}  // namespace

WrongLabels estimate_wrong_labels(std::span<const double> scores, std::span<const Answer> answers,
                                  std::size_t listed, double level) {
    WrongLabels out;
    const std::size_t labels = scores.size();
    std::size_t answered = 0, unknown = 0, cannot = 0, first = labels, last = 0;
    double wrong_by_people = 0, wrong_by_file = 0;
    for (std::size_t i = 0; i < labels; ++i) {
        unknown += answers[i] == Answer::none ? 1 : 0;
        cannot += answers[i] == Answer::cannot_be_judged ? 1 : 0;
        wrong_by_people += answers[i] == Answer::wrong ? 1 : 0;
        wrong_by_file += answers[i] == Answer::wrong_by_file ? 1 : 0;
        if (i < listed)
            out.probability.push_back(undefined_because(
                answers[i] == Answer::cannot_be_judged ? "the answers do not decide about the label"
                                                       : "the label is checked",
                0, Unit::proportion));
        if (!is_of_people(answers[i])) continue;
        ++answered;
        first = std::min(first, i);
        last = i;
    }
    for (Estimate& one : out.probability) one.n = answered;
    out.number.n = labels - cannot;
    if (out.number.n == 0) {
        out.number.undefined =
            labels == 0 ? "no label is suspect"
                        : fmt::format(
                              "the answers decide about none of the {}: people cannot tell, or as "
                              "many say yes as no; ask more people",
                              how_many(labels, "suspect label"));
        return out;
    }
    // Few answers do not say how many of them are false.
    if (unknown == 0 && answered < fewest_answers) {
        out.number.value = wrong_by_people + wrong_by_file;
        if (answered > 0)
            out.number.note =
                fmt::format("as people say; an interval needs {} labels that people have judged",
                            fewest_answers);
        return out;
    }
    std::string reason =
        answered == 0
            ? "scores cannot tell a wrong label of a similar class from a hard image. Have people "
              "check some labels: assay audit RUNS --questions questions.csv --sample 30"
            : fmt::format(
                  "people have judged only {}, and at least {} are needed; to ask about "
                  "more, type `assay audit RUNS --questions questions.csv --sample 30`",
                  how_many(answered, "suspect label"), fewest_answers);
    if (answered < fewest_answers) {
        for (std::size_t i = 0; i < out.probability.size(); ++i)
            if (answers[i] == Answer::none) out.probability[i].undefined = reason;
        out.number.undefined = std::move(reason);
        return out;
    }
    const std::vector<double> x = distances_of(scores);
    std::vector<double> open;
    Judged judged;
    for (std::size_t i = 0; i < labels; ++i) {
        if (!is_of_people(answers[i])) continue;
        judged.x.push_back(x[i]);
        judged.wrong.push_back(answers[i] == Answer::wrong);
    }
    const std::vector<Curve> curves = posterior_curves(judged);
    const double slack = uncovered_part * static_cast<double>(last - first);
    bool covered = true;
    for (std::size_t i = 0; i < labels; ++i) {
        if (answers[i] != Answer::none) continue;
        const auto place = static_cast<double>(i);
        const bool near = place >= static_cast<double>(first) - slack &&
                          place <= static_cast<double>(last) + slack;
        covered = covered && near;
        open.push_back(x[i]);
        if (i >= out.probability.size()) continue;
        if (near) {
            out.probability[i] = probability_of(x[i], curves, answered, level);
        } else {
            out.probability[i].undefined =
                "people have judged no label with a score near this one; to ask about labels of "
                "all scores, type `assay audit RUNS --questions questions.csv --sample 30`";
        }
    }
    if (!covered) {
        out.number.undefined =
            "people have judged only labels with similar scores; to ask about labels of all "
            "scores, type `assay audit RUNS --questions questions.csv --sample 30`";
        return out;
    }
    const CountOfWrong count(open, judged, curves);
    out.number.value = wrong_by_file + count.expected();
    out.number.interval = Interval{.low = wrong_by_file + count.quantile_at((1 - level) / 2),
                                   .high = wrong_by_file + count.quantile_at((1 + level) / 2),
                                   .level = level,
                                   .method = std::string(regression_method)};
    return out;
}

}  // namespace assay::audit
