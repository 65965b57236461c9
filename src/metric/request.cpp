// Metrics by name, with parameters, as typed by people.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/metric/metric.h"
#include "definitions.h"
#include "number_list.h"

namespace assay {
namespace {

// "top5" -> 5; 0 when it is nothing of the kind.
int top_number(std::string_view name) {
    if (!name.starts_with("top") || name.size() < 4) return 0;
    int k = 0;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), k);
    return error == std::errc() && end == name.data() + name.size() && k > 0 ? k : 0;
}

void set_parameter(MetricRequest& request, std::string_view key, std::string_view value) {
    const auto& list = request.facts->parameters;
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const ParameterFacts& p) { return p.name == key; });
    if (found == list.end()) {
        std::vector<std::string> known;
        for (const auto& p : list) known.emplace_back(p.name);
        throw Error(ErrorCode::usage,
                    list.empty() ? fmt::format("metric `{}` has no parameters, and `{}` was given",
                                               request.facts->name, key)
                                 : fmt::format("metric `{}` has no parameter `{}`{}",
                                               request.facts->name, key, suggest(key, known)));
    }
    if (found->list) {
        const auto numbers = parse_number_list(value, found->low, found->high);
        if (!numbers) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} of `{}` is `{}`; numbers and ranges from {} to {} are "
                                    "allowed, as in `1-3,7`",
                                    key, request.facts->name, value, found->low, found->high));
        }
        request.parameters[std::string(key)] = number_list_text(*numbers);
        return;
    }
    if (found->allowed.empty()) {
        int number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number < found->low ||
            number > found->high) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} of `{}` is `{}`; a whole number from {} to {} is allowed",
                                    key, request.facts->name, value, found->low, found->high));
        }
        request.parameters[std::string(key)] = std::to_string(number);
        return;
    }
    if (std::find(found->allowed.begin(), found->allowed.end(), value) == found->allowed.end()) {
        const std::vector<std::string> allowed(found->allowed.begin(), found->allowed.end());
        throw Error(ErrorCode::usage,
                    fmt::format("{} of `{}` cannot be `{}`{}", key, request.facts->name, value,
                                suggest(value, allowed)));
    }
    request.parameters[std::string(key)] = std::string(value);
}

MetricRequest with_defaults(const MetricFacts& facts) {
    MetricRequest request{&facts, {}};
    for (const auto& p : facts.parameters)
        request.parameters[std::string(p.name)] = std::string(p.fallback);
    return request;
}

// The metric and the choices that have this definition id, if any: "asma.jaccard".
std::optional<MetricRequest> with_definition(std::string_view id) {
    for (const auto& facts : metric_table()) {
        if (facts.name == "topk") continue;  // its ids do not say k
        for (const auto& chosen : choices_of(facts)) {
            if (facts.definition(chosen) == id) return MetricRequest{&facts, chosen};
        }
    }
    return std::nullopt;
}

// A list goes on after its commas: "subgroups=2,3,4-6" is one parameter.
std::size_t end_of_parameter(std::string_view text, const MetricFacts& facts) {
    std::size_t end = std::min(text.find(','), text.size());
    const std::string_view key = text.substr(0, text.find('='));
    const auto found = std::find_if(facts.parameters.begin(), facts.parameters.end(),
                                    [&](const ParameterFacts& p) { return p.name == key; });
    if (found == facts.parameters.end() || !found->list) return end;
    while (end + 1 < text.size() && text[end + 1] >= '0' && text[end + 1] <= '9')
        end = std::min(text.find(',', end + 1), text.size());
    return end;
}

}  // namespace

std::vector<std::string> metric_names() {
    std::vector<std::string> names{"top1", "top5"};
    for (const auto& facts : metric_table()) names.emplace_back(facts.name);
    return names;
}

const MetricFacts& metric_named(std::string_view name) {
    if (top_number(name) > 0) name = "topk";
    for (const auto& facts : metric_table()) {
        if (facts.name == name) return facts;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown metric `{}`{}", name, suggest(name, metric_names())));
}

std::string MetricRequest::definition() const {
    return facts->definition(parameters);
}

std::string MetricRequest::text() const {
    if (facts->name == "topk") return "top" + parameters.at("k");
    std::string text(facts->name);
    char separator = ':';
    for (const auto& p : facts->parameters) {
        const std::string& value = parameters.at(std::string(p.name));
        if (value == p.fallback) continue;
        text += separator + std::string(p.name) + "=" + value;
        separator = ',';
    }
    return text;
}

MetricRequest parse_metric(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, colon);
    const auto by_definition = name.find('.') < name.size() ? with_definition(name) : std::nullopt;
    MetricRequest request = by_definition ? *by_definition : with_defaults(metric_named(name));
    if (const int k = top_number(name); k > 0) set_parameter(request, "k", std::to_string(k));
    std::string_view rest = colon < text.size() ? text.substr(colon + 1) : std::string_view();
    if (colon < text.size() && rest.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` ends after the colon; expected name:parameter=value", text));
    }
    while (!rest.empty()) {
        const std::size_t comma = end_of_parameter(rest, *request.facts);
        const std::string_view part = rest.substr(0, comma);
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` in `{}` is not parameter=value", part, text));
        }
        set_parameter(request, part.substr(0, equals), part.substr(equals + 1));
        rest = comma < rest.size() ? rest.substr(comma + 1) : std::string_view();
    }
    return request;
}

bool MetricRequest::every_count() const {
    const auto g = parameters.find("g");
    return g != parameters.end() && g->second == "0";
}

std::vector<MetricRequest> expand_label_counts(std::span<const MetricRequest> requests,
                                               std::span<const std::uint64_t> counts) {
    std::vector<MetricRequest> list;
    const auto add = [&](const MetricRequest& request) {
        if (std::find(list.begin(), list.end(), request) == list.end()) list.push_back(request);
    };
    for (const MetricRequest& request : requests) {
        if (!request.every_count()) {
            add(request);
            continue;
        }
        MetricRequest one = request;
        for (std::size_t g = 1; g < counts.size() && g <= most_label_counts; ++g) {
            if (counts[g] == 0) continue;
            set_parameter(one, "g", std::to_string(g));
            add(one);
        }
    }
    return list;
}

std::vector<MetricRequest> default_metrics(std::span<const int> k, int bins, std::string_view edges,
                                           bool several, bool single, bool cues) {
    static constexpr int usual[] = {1, 5};
    if (k.empty()) k = usual;
    std::vector<MetricRequest> list;
    for (const auto& facts : metric_table()) {
        const bool needs_single = (facts.needs & static_cast<unsigned>(Needs::labels)) != 0;
        if (!facts.by_default || (facts.with_sets && !several) || (facts.with_cues && !cues) ||
            (needs_single && !single))
            continue;
        MetricRequest request = with_defaults(facts);
        if (facts.name == "topk") {
            for (const int count : k) {
                set_parameter(request, "k", std::to_string(count));
                list.push_back(request);
            }
            continue;
        }
        if (bins > 0 && request.parameters.contains("bins"))
            set_parameter(request, "bins", std::to_string(bins));
        if (!edges.empty() && request.parameters.contains("edges"))
            set_parameter(request, "edges", edges);
        list.push_back(request);
        // Two readings of one paper: both are always shown, so that they are never mixed up.
        if (facts.name == "class_balance") {
            set_parameter(request, "spread", "between");
            list.push_back(request);
        }
        if (facts.name == "ace") {
            set_parameter(request, "variant", "top_label");
            list.push_back(request);
        }
    }
    return list;
}

}  // namespace assay
