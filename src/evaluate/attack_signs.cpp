#include "evaluate/attack_signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/statistics.h"
#include "core/text.h"

namespace assay {

namespace attack {
namespace {

/// The attacks from weak to strong: each is at least as strong as those before it.
constexpr std::array<std::string_view, 6> by_strength = {"noise",   "fgsm",   "pgd",
                                                         "apgd-ce", "apgd-t", "autoattack"};

std::size_t strength_of(std::string_view attack) {
    return static_cast<std::size_t>(std::ranges::find(by_strength, attack) - by_strength.begin());
}

/// One exact McNemar test: the stronger attack should fool what the weaker one does.
struct Test {
    std::string name;          ///< name of the sign
    std::string what;          ///< "pgd at 8/255 and fgsm"
    std::uint64_t bad = 0;     ///< number of images with the opposite of the expected result
    std::uint64_t good = 0;    ///< number of images with the expected result
    std::uint64_t images = 0;  ///< images that both attacked
    std::string text;
};

class Judge {
public:
    Judge(const ControlMeasures& measures, const JudgedModel& model, double eps)
        : m_(measures), model_(model), eps_(eps) {}

    AttackControl run() {
        repeated();
        outputs();
        large_budget();
        none_fooled();
        slope();
        std::vector<Test> tests;
        add_strengths(tests);
        add_budgets(tests);
        without_gradient(tests);
        judge(tests);
        looseness();
        control_.forward = m_.forward;
        control_.backward = m_.backward;
        control_.verdict = verdict_of(control_.signs);
        return control_;
    }

private:
    void add(std::string name, AttackVerdict means, bool found, std::string text) {
        control_.signs.push_back({.name = std::move(name),
                                  .means = means,
                                  .found = found,
                                  .text = std::move(text),
                                  .tested = true});
    }
    void add_untested(std::string name, AttackVerdict means, std::string why) {
        control_.signs.push_back({.name = std::move(name),
                                  .means = means,
                                  .found = false,
                                  .text = "not tested: " + std::move(why),
                                  .tested = false});
    }

    void repeated() {
        constexpr AttackVerdict means = AttackVerdict::not_usable;
        if (m_.probed == 0) return add_untested("random", means, "no image could be read");
        const bool random = m_.repeat_difference > m_.limit;
        add("random", means, random,
            fmt::format(
                "the scores of {} in two passes differ by up to {:.2g} of the largest score (limit "
                "{:g})",
                how_many(m_.probed, "image"), m_.repeat_difference, m_.limit));
        if (random) return add_untested("batch", means, "the scores are random");
        if (m_.ran_alone == 0) return add_untested("batch", means, "images run one at a time");
        add("batch", means, m_.alone_difference > m_.limit,
            fmt::format("{} alone and in a batch differ by up to {:.2g} of the largest score "
                        "(limit {:g})",
                        how_many(m_.ran_alone, "image"), m_.alone_difference, m_.limit));
    }

    void outputs() {
        constexpr AttackVerdict means = AttackVerdict::not_usable;
        if (m_.probed == 0) return add_untested("outputs", means, "no image could be read");
        std::string text = fmt::format("the scores of {} of {} are not finite", m_.not_finite,
                                       how_many(m_.probed, "image"));
        if (m_.probabilities)
            text = "the outputs lie in [0, 1] as probabilities do: attacks need logits" +
                   (m_.not_finite > 0 ? ", and " + text : std::string());
        add("outputs", means, m_.probabilities || m_.not_finite > 0, std::move(text));
    }

    void large_budget() {
        constexpr AttackVerdict means = AttackVerdict::doubtful;
        if (m_.large_images == 0) return add_untested("large_budget", means, not_attacked());
        const auto n = static_cast<double>(m_.large_images);
        const double chance = 1 / static_cast<double>(std::max<std::size_t>(model_.classes, 1));
        const double most = n * chance + 3 * std::sqrt(n * chance * (1 - chance));
        add("large_budget", means, static_cast<double>(m_.large_left) > most,
            fmt::format("pgd at {} leaves {} of {} (chance and three standard errors: {:.1f})",
                        budget_text(m_.large_eps, model_.norm), m_.large_left,
                        how_many(m_.large_images, "control image"), most));
    }

    void none_fooled() {
        constexpr AttackVerdict means = AttackVerdict::doubtful;
        // For l2, the length of a change by this amount in every element.
        // For l1, the sum of such changes. For l0, a tenth of the elements.
        const auto numbers = static_cast<double>(model_.numbers);
        const double least = model_.norm == Norm::linf ? least_budget
                             : model_.norm == Norm::l2 ? least_budget * std::sqrt(numbers)
                             : model_.norm == Norm::l1 ? least_budget * numbers
                                                       : std::ceil(numbers / 10);
        if (eps_ < least) {
            return add_untested(
                "none_fooled", means,
                fmt::format("the largest budget is below {}", model_.norm == Norm::linf
                                                                  ? eps_text(least)
                                                                  : fmt::format("{:.6g}", least)));
        }
        std::uint64_t most_attacked = 0, most_fooled = 0;
        bool any = false;
        for (const JudgedAttack& one : model_.attacks) {
            if (one.eps != eps_ || one.attack == "noise") continue;
            std::uint64_t attacked = 0, fooled = 0;
            for (std::size_t i = 0; i < model_.clean.size(); ++i) {
                if (model_.clean[i] != RowOutcome::correct || one.outcomes[i] == RowOutcome::none)
                    continue;
                ++attacked;
                fooled += one.outcomes[i] == RowOutcome::incorrect ? 1 : 0;
            }
            any = true;
            most_attacked = std::max(most_attacked, attacked);
            most_fooled = std::max(most_fooled, fooled);
        }
        if (!any) return add_untested("none_fooled", means, "noise alone is no attack");
        if (most_attacked < fewest_fooled_none)
            return add_untested("none_fooled", means, too_few(most_attacked, fewest_fooled_none));
        add("none_fooled", means, most_fooled == 0,
            fmt::format("at {} the model is fooled on {} of {}", budget_text(eps_, model_.norm),
                        most_fooled == 0 ? "none" : count_text(most_fooled),
                        how_many(most_attacked, "attacked image")));
    }

    void slope() {
        constexpr AttackVerdict means = AttackVerdict::doubtful;
        if (!m_.gradient_tried) return add_untested("slope", means, no_gradients());
        if (m_.slopes == 0)
            return add_untested("slope", means, "the score is constant along every direction");
        // If half of the images have no gradient, half of the errors are 1.
        const bool found = m_.slope_error > slope_limit || 2 * m_.zero_gradients >= m_.slope_images;
        std::string text = fmt::format(
            "the gradient and central differences along {} of {} disagree by {:.2g} "
            "(median relative error, limit {:g})",
            how_many(m_.slopes, "direction"), how_many(m_.slope_images, "image"), m_.slope_error,
            slope_limit);
        if (m_.zero_gradients > 0)
            text += fmt::format("; the gradient is 0 for {} whose score moves",
                                how_many(m_.zero_gradients, "image"));
        add("slope", means, found, std::move(text));
    }

    std::string not_attacked() const {
        return m_.gradient_tried ? fmt::format("pgd has no budget of {}", name_of(model_.norm))
                                 : no_gradients();
    }
    std::string no_gradients() const {
        return m_.probed == 0 ? "no image could be read" : "no image is attacked along a gradient";
    }
    Test compared(const JudgedAttack& weaker, const JudgedAttack& stronger) const {
        Test test;
        test.name = "stronger";
        for (std::size_t i = 0; i < model_.clean.size(); ++i) {
            if (model_.clean[i] != RowOutcome::correct || weaker.outcomes[i] == RowOutcome::none ||
                stronger.outcomes[i] == RowOutcome::none)
                continue;
            ++test.images;
            const bool by_weaker = weaker.outcomes[i] == RowOutcome::incorrect;
            const bool by_stronger = stronger.outcomes[i] == RowOutcome::incorrect;
            test.bad += by_weaker && !by_stronger ? 1 : 0;
            test.good += by_stronger && !by_weaker ? 1 : 0;
        }
        const auto text_of = [&](const JudgedAttack& one) {
            return fmt::format("{} at {}", one.attack, budget_text(one.eps, model_.norm));
        };
        test.what = fmt::format("{} and {}", text_of(stronger), text_of(weaker));
        test.text =
            fmt::format("{} leaves {} that {} fools, and fools {} that it leaves",
                        text_of(stronger), how_many(test.bad, "image"), text_of(weaker), test.good);
        return test;
    }

    /// Compares each attack with the next weaker one of the same budget.
    void add_strengths(std::vector<Test>& tests) const {
        for (const JudgedAttack& stronger : model_.attacks) {
            const std::size_t own = strength_of(stronger.attack);
            if (own == by_strength.size() || !stronger.usual || stronger.eps == 0) continue;
            const JudgedAttack* weaker = nullptr;
            for (const JudgedAttack& other : model_.attacks) {
                const std::size_t strength = strength_of(other.attack);
                if (other.eps == stronger.eps && strength < own &&
                    (weaker == nullptr || strength > strength_of(weaker->attack)))
                    weaker = &other;
            }
            if (weaker != nullptr) tests.push_back(compared(*weaker, stronger));
        }
    }

    /// Compares the same attack with the next smaller budget. A single step of fgsm may overshoot.
    void add_budgets(std::vector<Test>& tests) const {
        for (const JudgedAttack& larger : model_.attacks) {
            if (larger.attack == "fgsm" || larger.attack == "noise" || !larger.usual) continue;
            const JudgedAttack* smaller = nullptr;
            for (const JudgedAttack& other : model_.attacks) {
                if (other.attack == larger.attack && other.eps < larger.eps &&
                    (smaller == nullptr || other.eps > smaller->eps))
                    smaller = &other;
            }
            if (smaller != nullptr) tests.push_back(compared(*smaller, larger));
        }
    }

    void without_gradient(std::vector<Test>& tests) {
        constexpr std::string_view name = "without_gradient";
        for (const JudgedAttack& one : model_.attacks) {
            if (one.attack != "autoattack" || one.eps != eps_) continue;
            Test test;
            test.name = name;
            test.bad = one.by_square;
            test.images =
                static_cast<std::uint64_t>(std::ranges::count(model_.clean, RowOutcome::correct));
            test.text = fmt::format(
                "square, which sees no gradient, fools {} that the attacks "
                "with gradients leave",
                how_many(test.bad, "image"));
            tests.push_back(std::move(test));
            return;
        }
        if (m_.square_images == 0) {
            const std::string why = model_.norm != Norm::linf ? "square is an attack of linf"
                                    : !m_.gradient_tried
                                        ? no_gradients()
                                        : too_few(m_.stronger_images, fewest_for_tests);
            return add_untested(std::string(name), AttackVerdict::doubtful, why);
        }
        if (!m_.square_needed) {
            return add(std::string(name), AttackVerdict::doubtful, false,
                       fmt::format("of {}, the attacks with gradients leave too few images for a "
                                   "comparison with square",
                                   how_many(m_.square_images, "control image")));
        }
        Test test;
        test.name = name;
        test.bad = m_.only_square;
        test.good = m_.only_gradient;
        test.images = m_.square_images;
        test.text = fmt::format(
            "square, which sees no gradient, fools {} of {} that the attacks "
            "with gradients leave ({} queries each)",
            test.bad, how_many(m_.square_images, "control image"), m_.queries);
        tests.push_back(std::move(test));
    }

    /// Runs all McNemar tests together, with Holm's correction.
    void judge(const std::vector<Test>& tests) {
        std::vector<double> p;
        std::vector<const Test*> large_enough;
        for (const Test& test : tests) {
            if (test.images < fewest_for_tests) {
                add_untested(test.name, AttackVerdict::doubtful,
                             (test.what.empty() ? "" : test.what + ": ") +
                                 too_few(test.images, fewest_for_tests));
                continue;
            }
            large_enough.push_back(&test);
            p.push_back(mcnemar(test.bad, test.good).p);
        }
        const std::vector<double> adjusted = holm(p);
        for (std::size_t k = 0; k < large_enough.size(); ++k) {
            const Test& test = *large_enough[k];
            add(test.name, AttackVerdict::doubtful,
                test.bad > test.good && adjusted[k] < sign_level,
                fmt::format("{} (exact McNemar test, p = {:.2g})", test.text, adjusted[k]));
        }
    }

    void looseness() {
        if (m_.stronger_images == 0) return;
        control_.attack = fmt::format("apgd-dlr, {} steps", m_.stronger_steps);
        control_.eps = eps_;
        control_.images = m_.stronger_images;
        control_.left = m_.left_before;
        control_.left_by_control = m_.left_after;
    }

    const ControlMeasures& m_;
    const JudgedModel& model_;
    double eps_;
    AttackControl control_;
};

/// True if the attack follows gradients, so that the model may mask them.
bool follows_gradients(std::string_view attack) {
    return attack != "noise" && attack != "square";
}

}  // namespace

std::vector<RowOutcome> left_by_gradients(const JudgedModel& model, double eps) {
    std::vector<RowOutcome> left(model.clean.size(), RowOutcome::none);
    for (const JudgedAttack& one : model.attacks) {
        if (one.eps != eps || !follows_gradients(one.attack)) continue;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (left[i] != RowOutcome::incorrect && one.outcomes[i] != RowOutcome::none)
                left[i] = one.outcomes[i];
        }
    }
    return left;
}

AttackVerdict verdict_of(std::span<const MaskingSign> signs) {
    AttackVerdict verdict = std::ranges::any_of(signs, &MaskingSign::tested)
                                ? AttackVerdict::no_sign
                                : AttackVerdict::not_checked;
    for (const MaskingSign& sign : signs) {
        if (sign.found) verdict = std::max(verdict, sign.means);
    }
    return verdict;
}

std::string too_few(std::uint64_t n, std::size_t fewest) {
    return fmt::format("too few images for this sign ({}; it takes {})", n, fewest);
}

AttackControl judge_controls(const ControlMeasures& measures, const JudgedModel& model,
                             double largest_eps) {
    return Judge(measures, model, largest_eps).run();
}

}  // namespace attack
}  // namespace assay
