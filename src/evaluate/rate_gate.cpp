#include "evaluate/rate_gate.h"

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/report.h"
#include "core/finite_number.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/short_threshold.h"
#include "evaluate/threshold_halves.h"

namespace assay {
namespace evaluate {
namespace {

constexpr std::string_view sensitivity_word = "sensitivity", specificity_word = "specificity";
/// Those of `assay decide` without options, so that both give one number.
constexpr double gate_split = 0.5, lowest_rate = 0.0001, highest_rate = 0.9999;
constexpr std::uint64_t gate_seed = 0;

std::string_view measured_word(const RateAt& rate) {
    return rate.sensitivity ? sensitivity_word : specificity_word;
}
std::string_view fixed_word(const RateAt& rate) {
    return rate.sensitivity ? specificity_word : sensitivity_word;
}

[[noreturn]] void refuse_rate(std::string_view text, const std::string& what) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}`: {}{} Write --gate \"sensitivity@specificity=.95 >= .8\" or "
                            "--gate \"specificity@sensitivity=.9 >= .8\"",
                            text, what, what.ends_with('?') ? "" : "."));
}

double fixed_rate(std::string_view text, std::string_view value) {
    const bool percent = value.ends_with('%');
    const std::optional<double> number =
        finite_number(percent ? trimmed(value.substr(0, value.size() - 1)) : value);
    if (!number) refuse_rate(text, fmt::format("`{}` is not a number", value));
    const double rate = percent ? *number / 100 : *number;
    if (rate >= lowest_rate && rate <= highest_rate) return rate;
    const bool meant_percent = !percent && rate >= 2 && rate < 100;
    refuse_rate(text, fmt::format("{} is outside {:g} to {:g}{}", value, lowest_rate, highest_rate,
                                  meant_percent ? fmt::format("; did you mean {}%?", value) : ""));
}

}  // namespace

std::optional<RateAt> parse_rate(std::string_view text) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view measured = trimmed(text.substr(0, at));
    if (measured != sensitivity_word && measured != specificity_word) {
        for (const std::string_view word : {sensitivity_word, specificity_word})
            if (trimmed(text.substr(at + 1)).starts_with(word))
                refuse_rate(text, fmt::format("`{}` is no rate{}", measured,
                                              suggest(measured, {std::string(sensitivity_word),
                                                                 std::string(specificity_word)})));
        return std::nullopt;
    }
    RateAt rate;
    rate.sensitivity = measured == sensitivity_word;
    bool fixed = false;
    std::string_view rest = text.substr(at + 1);
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view piece = rest.substr(0, comma);
        rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
        const std::size_t equal = piece.find('=');
        const std::string_view name = trimmed(piece.substr(0, equal));
        const std::string_view value =
            equal == std::string_view::npos ? "" : trimmed(piece.substr(equal + 1));
        const bool twice = name == "positive" ? !rate.positive.empty() : fixed;
        if ((name == "positive" || name == fixed_word(rate)) && twice) {
            refuse_rate(text, fmt::format("`{}=` appears twice", name));
        } else if (name == "positive" && !value.empty()) {
            rate.positive = value;
        } else if (name == fixed_word(rate)) {
            rate.fixed = fixed_rate(text, value);
            fixed = true;
        } else {
            refuse_rate(text, fmt::format("after `{}@`, `{}=` and `positive=` are allowed, found "
                                          "`{}`",
                                          measured, fixed_word(rate), trimmed(piece)));
        }
    }
    if (!fixed)
        refuse_rate(text, fmt::format("`{}=` is missing after `{}@`", fixed_word(rate), measured));
    return rate;
}

void check_rate(const Gate& gate, bool percent) {
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorCode::usage, fmt::format("gate `{}`: {}", gate.text, what));
    };
    const std::string name = gate.rate->name();
    if (gate.op != Gate::Op::at_least && gate.op != Gate::Op::above)
        fail(
            fmt::format("a higher {} is better, so the operator must be >= or >: --gate "
                        "\"{} >= {:g}\"",
                        measured_word(*gate.rate), name, gate.bound));
    if (gate.bound < 0 || gate.bound > 1)
        fail(fmt::format("{:g} is outside the range of {}, 0 to 1{}", gate.bound, name,
                         !percent && gate.bound >= 2 && gate.bound <= 100
                             ? fmt::format("; did you mean {:g}%?", gate.bound)
                             : ""));
    if (gate.delta || gate.worst || !gate.group.empty())
        fail(fmt::format("{} has no difference and no groups: --gate \"{} >= {:g}\"", name, name,
                         gate.bound));
}

GatePoint measure_rate(const RateAt& rate, const PredictionStore& store, double level,
                       int threads) {
    const auto hint = [&](const std::string& cls) {
        RateAt with = rate;
        with.positive = cls;
        return "--gate " + shell_word(with.name() + " >= 0.8");
    };
    const std::int32_t positive = positive_class(store, rate.positive, hint);
    const ThresholdHalves halves = read_halves(
        store, positive, gate_split, gate_seed, threads,
        "Use more images, or choose the parts yourself: assay decide RUNS --split 0.3 --require "
        "0.8");
    GatePoint out;
    out.positive = positive_class_id(store, positive);
    const double threshold = rate.sensitivity
                                 ? threshold_for_specificity(halves.chosen, rate.fixed)
                                 : threshold_for_sensitivity(halves.chosen, rate.fixed);
    const ShownThreshold shown = shown_threshold(halves, threshold);
    out.threshold = shown.probability;
    out.log_odds = shown.log_odds;
    out.chosen_on = halves.chosen.size();
    const Outcomes found = outcomes_at(halves.tested, threshold);
    out.positives = found.positives;
    out.negatives = found.negatives;
    out.sensitivity = sensitivity_of(found, level);
    out.specificity = specificity_of(found, level);
    return out;
}

std::string note_of(const Gate& gate, const GatePoint& point) {
    const Estimate& measured = gate.rate->sensitivity ? point.sensitivity : point.specificity;
    // In a store of probabilities, the rule can need a number above 1.
    const bool is_above = !point.threshold && !point.log_odds;
    return fmt::format(
        "{}: {:.1f} % ({:g} % CI {:.1f}-{:.1f}) at the threshold {} of `{}`; chosen on {} "
        "images, tested on {} positive and {} negative ones{}",
        gate.rate->name(), 100 * *measured.value, 100 * measured.interval->level,
        100 * measured.interval->low, 100 * measured.interval->high,
        text_of({point.threshold, point.log_odds}), point.positive, count_text(point.chosen_on),
        count_text(point.positives), count_text(point.negatives),
        is_above ? fmt::format(". No image is called positive, because no threshold up "
                               "to 1 has {} >= {:g}",
                               fixed_word(*gate.rate), gate.rate->fixed)
                 : "");
}

}  // namespace evaluate

std::string RateAt::name() const {
    return fmt::format("{}@{}={:g}{}", evaluate::measured_word(*this), evaluate::fixed_word(*this),
                       fixed, positive.empty() ? "" : ",positive=" + positive);
}

ResultType result_type(ResultOf<GatePoint>) {
    static constexpr auto rows = describe_result<GatePoint>(
        {.name = "GatePoint", .help = "Where the rate of a gate was measured"},
        {part<&GatePoint::positive>({.help = "The positive class"}),
         part<&GatePoint::threshold>(
             {.help = "An image is positive if its probability is at least this; null: no "
                      "probability decides so"}),
         part<&GatePoint::log_odds>(
             {.help = "The same for the logit of the positive class minus the other one; null: "
                      "the store has probabilities"}),
         part<&GatePoint::chosen_on>({.help = "Images"}),
         part<&GatePoint::positives>({.help = "Number of these among the other images"}),
         part<&GatePoint::negatives>({.help = "Number of these among the other images"}),
         part<&GatePoint::sensitivity>({.help = "On the other images"}),
         part<&GatePoint::specificity>({.help = "On the other images"})});
    return rows;
}

}  // namespace assay
