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
constexpr int grid_half = 20;     ///< steps from the middle to each end
constexpr double grid_reach = 6;  ///< standard deviations to each end
constexpr double least_weight = 1e-7;
constexpr double uncovered_part = 0.05;
constexpr std::string_view regression_method = "logistic regression on the score";

double probability_at(double logit) {
    return 1 / (1 + std::exp(-logit));
}
/// ln(1 + exp(x)) without overflow.
double softplus(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// A logistic curve of the posterior distribution.
struct Curve {
    double a = 0, b = 0, weight = 0;
};

class Posterior {
public:
    Posterior(std::vector<double> x, std::vector<bool> wrong)
        : x_(std::move(x)), wrong_(std::move(wrong)) {
        find_mode(true);
        // The density is concave, so its maximum over b >= 0 is then at b = 0.
        if (b_ < 0) {
            b_ = 0;
            find_mode(false);
        }
        draw_grid();
    }
    /// Their weights add up to 1.
    const std::vector<Curve>& curves() const { return curves_; }

private:
    double log_density(double a, double b) const {
        const double u = (a - a_mean) / a_deviation, v = b / b_deviation;
        double out = -(u * u + v * v) / 2;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const double logit = a + b * x_[i];
            out -= softplus(wrong_[i] ? -logit : logit);
        }
        return out;
    }
    /// Minus the second derivatives: of a, of both, of b.
    std::array<double, 3> curvature() const {
        std::array<double, 3> out = {1 / (a_deviation * a_deviation), 0,
                                     1 / (b_deviation * b_deviation)};
        for (const double x : x_) {
            const double p = probability_at(a_ + b_ * x), w = p * (1 - p);
            out[0] += w;
            out[1] += w * x;
            out[2] += w * x * x;
        }
        return out;
    }
    /// Newton's method, with halved steps where the density would fall.
    void find_mode(bool both) {
        for (int pass = 0; pass < 100; ++pass) {
            double to_a = -(a_ - a_mean) / (a_deviation * a_deviation);
            double to_b = -b_ / (b_deviation * b_deviation);
            for (std::size_t i = 0; i < x_.size(); ++i) {
                const double rest = (wrong_[i] ? 1 : 0) - probability_at(a_ + b_ * x_[i]);
                to_a += rest;
                to_b += rest * x_[i];
            }
            const auto [aa, ab, bb] = curvature();
            const double determinant = aa * bb - ab * ab;
            double step_a = both ? (bb * to_a - ab * to_b) / determinant : to_a / aa;
            double step_b = both ? (aa * to_b - ab * to_a) / determinant : 0;
            const double now = log_density(a_, b_);
            int halvings = 0;
            while (halvings < 40 && log_density(a_ + step_a, b_ + step_b) < now) {
                step_a /= 2;
                step_b /= 2;
                ++halvings;
            }
            if (halvings == 40) return;
            a_ += step_a;
            b_ += step_b;
            if (std::abs(step_a) + std::abs(step_b) < 1e-9) return;
        }
    }
    /// Points along the axes of the normal approximation at the mode.
    void draw_grid() {
        const auto [aa, ab, bb] = curvature();
        const double for_b = std::sqrt(aa / (aa * bb - ab * ab)), for_a = 1 / std::sqrt(aa);
        const double top = log_density(a_, b_);
        double sum = 0;
        for (int i = -grid_half; i <= grid_half; ++i) {
            const double b = b_ + for_b * grid_reach * i / grid_half;
            if (b < 0) continue;
            for (int k = -grid_half; k <= grid_half; ++k) {
                const double a = a_ - ab / aa * (b - b_) + for_a * grid_reach * k / grid_half;
                const double weight = std::exp(log_density(a, b) - top);
                if (weight < least_weight) continue;
                curves_.push_back({.a = a, .b = b, .weight = weight});
                sum += weight;
            }
        }
        for (Curve& curve : curves_) curve.weight /= sum;
    }

    std::vector<double> x_;
    std::vector<bool> wrong_;
    double a_ = a_mean, b_ = 1;
    std::vector<Curve> curves_;
};

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
        by_curve.emplace_back(probability_at(curve.a + curve.b * x), curve.weight);
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

/// The wrong ones among labels without an answer: for each curve the mean and the deviation.
class CountOfWrong {
public:
    CountOfWrong(std::span<const double> x, const std::vector<Curve>& curves)
        : curves_(curves), labels_(x.size()) {
        for (const Curve& curve : curves) {
            double mean = 0, variance = 0;
            for (const double one : x) {
                const double p = probability_at(curve.a + curve.b * one);
                mean += p;
                variance += p * (1 - p);
            }
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
    std::size_t answered = 0, unknown = 0, first = labels, last = 0;
    double known_wrong = 0;
    for (std::size_t i = 0; i < labels; ++i) {
        unknown += answers[i] == Answer::none ? 1 : 0;
        known_wrong += answers[i] == Answer::wrong || answers[i] == Answer::wrong_by_file ? 1 : 0;
        if (!is_of_people(answers[i])) continue;
        ++answered;
        first = std::min(first, i);
        last = i;
    }
    out.probability.assign(
        std::min(listed, labels),
        undefined_because("people have checked the label", answered, Unit::proportion));
    if (unknown == 0) {
        out.number.n = labels;
        if (labels > 0) {
            out.number.value = known_wrong;
        } else {
            out.number.undefined = "no label is suspect";
        }
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
        out.number = undefined_because(std::move(reason), labels, Unit::number);
        return out;
    }
    const std::vector<double> x = distances_of(scores);
    std::vector<double> asked, open;
    std::vector<bool> wrong;
    for (std::size_t i = 0; i < labels; ++i) {
        if (!is_of_people(answers[i])) continue;
        asked.push_back(x[i]);
        wrong.push_back(answers[i] == Answer::wrong);
    }
    const Posterior posterior(std::move(asked), std::move(wrong));
    const double slack = uncovered_part * static_cast<double>(labels);
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
            out.probability[i] = probability_of(x[i], posterior.curves(), answered, level);
        } else {
            out.probability[i].undefined =
                "people have judged no label with a score near this one; to ask about labels of "
                "all scores, type `assay audit RUNS --questions questions.csv --sample 30`";
        }
    }
    if (!covered) {
        out.number = undefined_because(
            "people have judged only labels with similar scores; to ask about labels of all "
            "scores, type `assay audit RUNS --questions questions.csv --sample 30`",
            labels, Unit::number);
        return out;
    }
    const CountOfWrong count(open, posterior.curves());
    out.number.n = labels;
    out.number.value = known_wrong + count.expected();
    out.number.interval = Interval{.low = known_wrong + count.quantile_at((1 - level) / 2),
                                   .high = known_wrong + count.quantile_at((1 + level) / 2),
                                   .level = level,
                                   .method = std::string(regression_method)};
    return out;
}

}  // namespace assay::audit
