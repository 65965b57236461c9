// Parses metric names with parameters, as typed by people.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/metric/metric.h"
#include "core/paths.h"
#include "metric/definitions.h"
#include "metric/number_list.h"
#include "metric/other_names.h"

namespace assay {
namespace {

// Returns "top" for "topk", a metric whose name contains a parameter.
std::string_view stem_of(const MetricFacts& facts) {
    return facts.name.substr(0, facts.name.size() - facts.numbered_by.size());
}

// Returns "5" for "top5", or "" if the name is not this metric's name with a number.
std::string_view number_in(std::string_view name, const MetricFacts& facts) {
    if (facts.numbered_by.empty() || !name.starts_with(stem_of(facts))) return {};
    const std::string_view rest = name.substr(stem_of(facts).size());
    int number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return error == std::errc() && end == rest.data() + rest.size() && number > 0
               ? rest
               : std::string_view();
}

const MetricFacts* find_metric(std::string_view name) {
    for (const auto& facts : metric_table()) {
        if (facts.name == name || !number_in(name, facts).empty()) return &facts;
    }
    return nullptr;
}

MetricRequest with_defaults(const MetricFacts& facts) {
    MetricRequest request{&facts, {}};
    for (const auto& p : facts.parameters)
        request.parameters[std::string(p.name)] = std::string(p.fallback);
    return request;
}

// The metric of a plug-in with the name FILE:NAME, where FILE is the name of its library or the
// path.
const MetricFacts* metric_of_plugin(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return nullptr;
    const std::string_view file = text.substr(0, colon), function = text.substr(colon);
    for (const MetricFacts& facts : metric_table()) {
        if (facts.name == text) return &facts;
        if (facts.name.ends_with(function) && file.find('/') != std::string_view::npos &&
            absolute_path(file) == facts.origin)
            return &facts;
    }
    return nullptr;
}

// Throws for FILE:NAME if no such metric exists; parameters contain a '='.
[[noreturn]] void no_metric_of_plugin(std::string_view text) {
    std::vector<std::string> names;
    for (const MetricFacts& facts : metric_table()) {
        if (facts.name.find(':') != std::string_view::npos) names.emplace_back(facts.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown metric `{}`{}", text,
                            names.empty() ? "; for the metrics of a plug-in, add --plugin FILE"
                                          : suggest(text, names)));
}

// The metric and the choices with this definition id, such as "asma.jaccard", if any.
std::optional<MetricRequest> with_definition(std::string_view id) {
    for (const auto& facts : metric_table()) {
        if (!facts.numbered_by.empty()) continue;  // its ids do not contain the number
        for (const auto& chosen : choices_of(facts)) {
            if (facts.definition(chosen) == id) return MetricRequest{&facts, chosen};
        }
    }
    return std::nullopt;
}

// A list continues after its commas, so "subgroups=2,3,4-6" is one parameter.
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
    std::vector<std::string> names;
    for (const auto& facts : metric_table()) {
        const auto all = names_of(facts);
        names.insert(names.end(), all.begin(), all.end());
    }
    return names;
}

const MetricFacts& metric_named(std::string_view name) {
    if (const MetricFacts* const facts = find_metric(name)) return *facts;
    if (const std::string_view near = near_metric(name); !near.empty())
        throw Error(ErrorCode::usage, fmt::format("unknown metric `{}`: {}", name, near));
    const std::vector<std::string> own = metric_names();
    std::vector<std::string> all = own;
    for (std::string& other : other_metric_names()) all.push_back(std::move(other));
    // Without a similar name, the message lists only Assay's own names.
    throw Error(ErrorCode::usage,
                fmt::format("unknown metric `{}`{}", name,
                            suggest(name, nearest_name(name, all).empty() ? own : all)));
}

void MetricRequest::set(std::string_view key, std::string_view value) {
    const auto& list = facts->parameters;
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const ParameterFacts& p) { return p.name == key; });
    if (found == list.end()) {
        std::vector<std::string> known;
        for (const auto& p : list) known.emplace_back(p.name);
        throw Error(ErrorCode::usage,
                    list.empty() ? fmt::format("metric `{}` has no parameters; remove `{}`",
                                               facts->name, key)
                                 : fmt::format("metric `{}` has no parameter `{}`{}", facts->name,
                                               key, suggest(key, known)));
    }
    if (found->list) {
        const auto numbers = parse_number_list(value, found->low, found->high);
        if (!numbers) {
            throw Error(
                ErrorCode::usage,
                fmt::format(
                    "{} of `{}` is `{}`; allowed: numbers and ranges from {} to {}, as in `1-3,7`",
                    key, facts->name, value, found->low, found->high));
        }
        parameters[std::string(key)] = number_list_text(*numbers);
        return;
    }
    if (found->allowed.empty()) {
        int number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number < found->low ||
            number > found->high) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} of `{}` is `{}`; allowed: a whole number from {} to {}",
                                    key, facts->name, value, found->low, found->high));
        }
        parameters[std::string(key)] = std::to_string(number);
        return;
    }
    if (std::find(found->allowed.begin(), found->allowed.end(), value) == found->allowed.end()) {
        const std::vector<std::string> allowed(found->allowed.begin(), found->allowed.end());
        throw Error(ErrorCode::usage, fmt::format("{} of `{}` cannot be `{}`{}", key, facts->name,
                                                  value, suggest(value, allowed)));
    }
    parameters[std::string(key)] = std::string(value);
}

std::string MetricRequest::name() const {
    if (facts->numbered_by.empty()) return std::string(facts->name);
    return std::string(stem_of(*facts)) + parameters.at(std::string(facts->numbered_by));
}

std::string MetricRequest::definition() const {
    return facts->definition(parameters);
}

std::string MetricRequest::definition(const Shape& shape) const {
    const bool ends =
        shape.only_valid && (facts->needs & static_cast<unsigned>(Needs::labels)) != 0;
    return definition() + (ends ? std::string(only_valid_ending) : "");
}

bool MetricRequest::is_of(std::string_view id, const Parameters& of) const {
    if (id.ends_with(only_valid_ending)) id.remove_suffix(only_valid_ending.size());
    MetricRequest asked = *this;
    const auto ranked = asked.parameters.find(std::string(ranked_by));
    const auto found = of.find(std::string(ranked_by));
    if (ranked != asked.parameters.end() && ranked->second == by_what_scores_tell &&
        found != of.end())
        ranked->second = found->second;
    return id == asked.definition() && of == asked.parameters;
}

std::string MetricRequest::text() const {
    std::string text = name();
    char separator = ':';
    for (const auto& p : facts->parameters) {
        const std::string& value = parameters.at(std::string(p.name));
        if (value == p.fallback || p.name == facts->numbered_by) continue;
        text += separator + std::string(p.name) + "=" + value;
        separator = ',';
    }
    return text;
}

MetricRequest parse_metric(std::string_view text) {
    if (const MetricFacts* const facts = metric_of_plugin(text)) return with_defaults(*facts);
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view name = own_metric_name(text.substr(0, colon));
    const auto by_definition = name.find('.') < name.size() ? with_definition(name) : std::nullopt;
    if (!by_definition && colon + 1 < text.size() && text.find('=') == std::string_view::npos &&
        find_metric(name) == nullptr)
        no_metric_of_plugin(text);
    MetricRequest request = by_definition ? *by_definition : with_defaults(metric_named(name));
    if (const std::string_view number = number_in(name, *request.facts); !number.empty())
        request.set(request.facts->numbered_by, number);
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
        request.set(part.substr(0, equals), part.substr(equals + 1));
        rest = comma < rest.size() ? rest.substr(comma + 1) : std::string_view();
    }
    return request;
}

bool MetricRequest::every_count() const {
    const auto g = parameters.find("g");
    return g != parameters.end() && g->second == "0";
}

std::optional<std::vector<int>> MetricRequest::labels_per_image() const {
    if (const auto list = parameters.find("subgroups"); list != parameters.end())
        return parse_number_list(list->second, 1, most_labels_per_image).value();
    if (const auto g = parameters.find("g"); g != parameters.end() && !every_count())
        return std::vector<int>{std::stoi(g->second)};
    return std::nullopt;
}

std::vector<MetricRequest> expand_labels_per_image(std::span<const MetricRequest> requests,
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
        for (std::size_t g = 1; g < counts.size() && g <= most_labels_per_image; ++g) {
            if (counts[g] == 0) continue;
            one.set("g", std::to_string(g));
            add(one);
        }
    }
    return list;
}

bool shows_with_given(const MetricFacts& facts) {
    return (facts.needs & (Needs::soft_labels | Needs::hierarchy | Needs::class_order)) != 0;
}

std::vector<MetricRequest> default_metrics(std::span<const int> k, int bins, std::string_view edges,
                                           bool several, bool single, bool cues, unsigned given) {
    std::vector<MetricRequest> list;
    for (const auto& facts : metric_table()) {
        const bool needs_single = (facts.needs & static_cast<unsigned>(Needs::labels)) != 0;
        const bool by_default =
            shows_with_given(facts) ? (facts.needs & given) != 0 : facts.by_default;
        if (!by_default || (facts.with_sets && !several) || (facts.with_cues && !cues) ||
            (needs_single && !single))
            continue;
        std::vector<Parameters> variants = facts.variants;
        if (!k.empty() && with_defaults(facts).parameters.contains("k")) {
            variants.clear();
            for (const int count : k) variants.push_back({{"k", std::to_string(count)}});
        }
        for (const Parameters& variant : variants) {
            MetricRequest request = with_defaults(facts);
            if (bins > 0 && request.parameters.contains("bins"))
                request.set("bins", std::to_string(bins));
            if (!edges.empty() && request.parameters.contains("edges")) request.set("edges", edges);
            for (const auto& [name, value] : variant) request.set(name, value);
            list.push_back(std::move(request));
        }
    }
    return list;
}

}  // namespace assay
