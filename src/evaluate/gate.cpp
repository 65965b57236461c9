#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/gate.h"
#include "core/finite_number.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/rate_gate.h"

namespace assay {
namespace {

constexpr std::string_view grammar =
    "expected `metric op number`, like `top1 >= 0.75`, `low(top1) >= 70%` or `top1.delta >= "
    "-0.005`, with op one of >= "
    "<= > < ==";

struct Operator {
    std::string_view sign;
    Gate::Op op;
};
constexpr std::array<Operator, 5> operators{{{">=", Gate::Op::at_least},
                                             {"<=", Gate::Op::at_most},
                                             {"==", Gate::Op::equal},
                                             {">", Gate::Op::above},
                                             {"<", Gate::Op::below}}};

bool holds(double value, Gate::Op op, double bound) {
    switch (op) {
        case Gate::Op::at_least:
            return value >= bound;
        case Gate::Op::at_most:
            return value <= bound;
        case Gate::Op::above:
            return value > bound;
        case Gate::Op::below:
            return value < bound;
        case Gate::Op::equal:
            return value == bound;
    }
    return false;
}

bool same_metric(const MeasurementKey& key, const Gate& gate) {
    if (!key.cls.empty() || key.subgroup != gate.group) return false;
    if (gate.worst) return key.metric == fmt::format("worst({})", gate.metric.name());
    std::map<std::string, std::string> parameters = key.parameters;
    // A gate is about the metric as it was measured.
    parameters.erase("weights");
    parameters.erase("sample_weight");
    return gate.metric.is_of(key.definition, parameters);
}

GateResult judged(const Gate& gate, const Estimate& found) {
    GateResult result;
    result.gate = gate;
    result.measured = found;
    result.value = found.value;
    result.reason = found.undefined;
    if (found.value && gate.end != Gate::End::value) {
        result.value.reset();
        if (found.interval) {
            result.value = gate.end == Gate::End::low ? found.interval->low : found.interval->high;
        } else {
            result.reason = "the value has no interval";
        }
    }
    result.passed = result.value && holds(*result.value, gate.op, gate.bound);
    return result;
}

// A bound outside the metric's range always passes or always fails. Usually, it is a percentage
// without its sign. Losses, whose range is that of floats, are not checked.
std::string fault_of_bound(const Gate& gate, std::string_view metric, bool percent) {
    const MetricFacts& facts = *gate.metric.facts;
    constexpr double widest_proportion = 2;
    const double width = facts.high - facts.low;
    if (width > widest_proportion) return "";
    const double low = gate.delta ? -width : facts.low, high = gate.delta ? width : facts.high;
    const auto inside = [&](double x) { return x >= low && x <= high; };
    if (inside(gate.bound)) return "";
    std::string text = fmt::format("{:g} is outside the range of {}{}, {:g} to {:g}", gate.bound,
                                   metric, gate.delta ? ".delta" : "", low, high);
    if (!percent && inside(gate.bound / 100))
        text += fmt::format("; did you mean {:g}%?", gate.bound);
    return text;
}

[[noreturn]] void needs_groups(const Gate& gate) {
    throw Error(
        ErrorCode::usage,
        fmt::format("gate `{}` is about groups of images: `{} --by ATTRIBUTE` measures them",
                    gate.text,
                    gate.delta ? "assay compare BASELINE CANDIDATE" : "assay score RUNS"));
}

[[noreturn]] void needs_subgroup(const Gate& gate) {
    const std::string attribute = gate.group.substr(0, gate.group.find('='));
    throw Error(ErrorCode::usage,
                fmt::format("gate `{}`: --by measures only top1 and real of groups; `assay score "
                            "RUNS --subgroup {}` measures {} of each",
                            gate.text, attribute, gate.metric.name()));
}

/// Reports a gate about a group without values. Returns if the group is measured by another
/// definition.
void refuse_group(const Gate& gate, std::vector<std::string> groups) {
    if (!groups.empty() && std::ranges::find(groups, gate.group) == groups.end()) {
        std::ranges::sort(groups);  // each group has several measurements
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        throw Error(ErrorCode::usage, fmt::format("gate `{}`: there is no group `{}`{}", gate.text,
                                                  gate.group, suggest(gate.group, groups)));
    }
    if (!evaluate::has_groups(gate.metric)) needs_subgroup(gate);
    if (groups.empty()) needs_groups(gate);
}

[[noreturn]] void needs_one_store(const Gate& gate) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "gate `{}` is about the images of one data set and their own "
            "labels, without weights, clusters, class maps or means: assay score RUNS --gate {}",
            gate.text, shell_word(gate.text)));
}

[[noreturn]] void not_measured(const Gate& gate, const std::vector<std::string>& definitions) {
    std::string known;
    for (auto id = definitions.begin(); id != definitions.end(); ++id) {
        if (std::find(definitions.begin(), id, *id) != id) continue;  // groups have the same ones
        known += (known.empty() ? "" : ", ") + *id;
    }
    throw Error(
        ErrorCode::usage,
        fmt::format("gate `{}` needs the definition `{}`, which was not measured; measured: {}",
                    gate.text, gate.metric.definition(), known.empty() ? "nothing" : known));
}

}  // namespace

Gate parse_gate(std::string_view text) {
    Gate gate;
    gate.text = trimmed(text);
    const auto fail = [&](std::string_view what) {
        throw Error(ErrorCode::usage, fmt::format("gate `{}`: {}; {}", gate.text, what, grammar));
    };
    // The name of a group may contain any operator, so it ends at the last `]`.
    const std::size_t behind_group =
        gate.text.find('[') == std::string::npos ? 0 : gate.text.rfind(']');
    const std::size_t begin = behind_group == std::string::npos ? 0 : behind_group;
    // A parameter's '=' is never followed by another '=', and never preceded by '<' or '>'.
    std::size_t at = std::string::npos;
    const Operator* found = nullptr;
    for (const Operator& candidate : operators) {
        const std::size_t position = gate.text.find(candidate.sign, begin);
        if (position != std::string::npos && (found == nullptr || position < at)) {
            at = position;
            found = &candidate;
        }
    }
    if (found == nullptr) fail("no operator");
    std::string_view left = trimmed(std::string_view(gate.text).substr(0, at));
    std::string_view right = trimmed(std::string_view(gate.text).substr(at + found->sign.size()));
    gate.op = found->op;

    const bool percent = right.ends_with('%');
    if (percent) right = trimmed(right.substr(0, right.size() - 1));
    const std::optional<double> bound = finite_number(right);
    if (!bound) fail(fmt::format("`{}` is not a number", right));
    gate.bound = percent ? *bound / 100 : *bound;

    for (const auto& [name, which] : {std::pair{std::string_view("low("), Gate::End::low},
                                      {std::string_view("high("), Gate::End::high}}) {
        if (!left.starts_with(name)) continue;
        if (!left.ends_with(')')) fail("`)` is missing");
        gate.end = which;
        left = trimmed(left.substr(name.size(), left.size() - name.size() - 1));
    }
    if (left.ends_with(".delta")) {
        gate.delta = true;
        left.remove_suffix(6);
    }
    if (left.starts_with("worst(")) {
        if (!left.ends_with(')')) fail("`)` is missing");
        gate.worst = true;
        left = trimmed(left.substr(6, left.size() - 7));
    } else if (const std::size_t open = left.find('['); open != std::string_view::npos) {
        if (!left.ends_with(']')) fail("`]` is missing");
        gate.group = trimmed(left.substr(open + 1, left.size() - open - 2));
        if (gate.group.empty()) fail("no group between `[` and `]`");
        left = trimmed(left.substr(0, open));
    }
    if (left.empty()) fail("no metric");
    gate.rate = with_note(fmt::format("reading gate `{}`", gate.text),
                          [&] { return evaluate::parse_rate(left); });
    if (gate.rate) {
        evaluate::check_rate(gate, percent);
        return gate;
    }
    gate.metric =
        with_note(fmt::format("reading gate `{}`", gate.text), [&] { return parse_metric(left); });
    if (gate.worst && !evaluate::has_groups(gate.metric))
        fail("worst() is of top1 or real, as in `worst(top1) >= 0.7`");
    if (const std::string fault = fault_of_bound(gate, left, percent); !fault.empty())
        throw Error(ErrorCode::usage, fmt::format("gate `{}`: {}", gate.text, fault));
    if (gate.metric.every_count())
        fail(fmt::format("a gate needs one number of labels, as in `{}:g=2`", left));
    const auto level = gate.metric.parameters.find("level");
    if (level != gate.metric.parameters.end() && level->second == "0")
        fail(fmt::format("a gate needs one level, as in `{}:level=1`", left));
    return gate;
}

GateResult check_rate_gate(const Gate& gate, const PredictionStore& store, double level,
                           int threads) {
    return with_note(fmt::format("checking gate `{}`", gate.text), [&] {
        const GatePoint point = evaluate::measure_rate(gate.rate.value(), store, level, threads);
        GateResult result =
            judged(gate, gate.rate->sensitivity ? point.sensitivity : point.specificity);
        result.definition = gate.rate->sensitivity ? "sensitivity.halves" : "specificity.halves";
        result.model = store.spec().model_name;
        result.dataset = store.spec().dataset_name;
        result.point = point;
        return result;
    });
}

GateResult check_gate(const Gate& gate, std::span<const Measurement> measurements) {
    if (gate.rate) needs_one_store(gate);
    if (gate.delta) {
        throw Error(
            ErrorCode::usage,
            fmt::format("gate `{}` is about a difference: it needs a baseline (assay compare)",
                        gate.text));
    }
    std::vector<std::string> definitions, groups;
    for (const Measurement& m : measurements) {
        if (!gate.group.empty() && !m.key.subgroup.empty()) groups.push_back(m.key.subgroup);
        definitions.push_back(m.key.definition);
        if (!same_metric(m.key, gate)) continue;
        GateResult result = judged(gate, m);
        result.definition = m.key.definition;
        result.model = m.key.model;
        result.dataset = m.key.dataset;
        return result;
    }
    if (!gate.group.empty()) refuse_group(gate, std::move(groups));
    if (gate.worst && groups.empty()) needs_groups(gate);
    not_measured(gate, definitions);
}

GateResult check_gate(const Gate& gate, const PairReport& pair) {
    if (gate.rate) needs_one_store(gate);
    const auto result_of = [&](const Estimate& found, const std::string& definition) {
        GateResult result = judged(gate, found);
        result.definition = definition;
        result.model = pair.candidate;
        result.dataset = pair.candidate_dataset;
        result.baseline = pair.baseline;
        return result;
    };
    if (gate.worst) {
        for (const ComparedByGroup& by : pair.groups) {
            if (gate.delta && by.metric == gate.metric.name() && !by.groups.empty())
                return result_of(by.worst, by.groups[0].candidate.key.definition);
        }
        if (!gate.delta || pair.groups.empty()) needs_groups(gate);
    }
    std::vector<std::string> definitions, groups;
    std::vector<const PairedMetric*> all;
    for (const PairedMetric& m : pair.metrics) all.push_back(&m);
    for (const ComparedByGroup& by : pair.groups) {
        for (const PairedMetric& m : by.groups) {
            all.push_back(&m);
            groups.push_back(m.candidate.key.subgroup);
        }
    }
    for (const PairedMetric* const m : all) {
        definitions.push_back(m->candidate.key.definition);
        if (same_metric(m->candidate.key, gate))
            return result_of(gate.delta ? m->difference : m->candidate,
                             m->candidate.key.definition);
    }
    if (!gate.group.empty()) refuse_group(gate, std::move(groups));
    not_measured(gate, definitions);
}

void fail_in_doubt(GateResult& result, const DerivedStore& derived) {
    if (!derived.is_in_doubt() || !result.passed) return;
    result.passed = false;
    result.reason = doubt_of(derived);
}

bool all_passed(std::span<const GateResult> results) {
    return std::all_of(results.begin(), results.end(),
                       [](const GateResult& r) { return r.passed; });
}

ResultType result_type(ResultOf<GateResult>) {
    static constexpr auto rows = describe_result<GateResult>(
        {.name = "Gate"},
        {
            part<&GateResult::gate, &Gate::text>(
                {.help = "As it was written: `top1 >= 0.7`", .name = "gate"}),
            part<&GateResult::definition>({.help = "Id of the definition that was measured"}),
            part<&GateResult::gate, &Gate::bound>({}),
            part<&GateResult::passed>({}),
            part<&GateResult::value>({.help = "The value that was compared with the bound"}),
            part<&GateResult::reason>({.help = "Why there is no value", .omitted = true}),
            part<&GateResult::dataset>({}),
            part({.help = "Of a score", .name = "model", .omitted = true},
                 [](const GateResult& r) { return r.baseline.empty() ? &r.model : nullptr; }),
            part<&GateResult::baseline>({.help = "Of a comparison", .omitted = true}),
            part({.help = "Of a comparison", .name = "candidate", .omitted = true},
                 [](const GateResult& r) { return r.baseline.empty() ? nullptr : &r.model; }),
            part<&GateResult::point>(
                {.help = "Of `sensitivity@specificity=.95` and the reverse", .omitted = true}),
        });
    return rows;
}

nlohmann::json to_json(const GateResult& result) {
    return json_of(result);
}

GateOutcome outcome_of(const GateResult& result) {
    return {.gate = result.gate.text,
            .model = result.model,
            .dataset = result.dataset,
            .baseline = result.baseline,
            .definition = result.definition,
            .measured = result.measured,
            .found = result.value,
            .bound = result.gate.bound,
            .reason = result.reason,
            .passed = result.passed};
}

}  // namespace assay
