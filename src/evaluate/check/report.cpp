#include <fmt/format.h>

#include <algorithm>

#include "assay/evaluate/check.h"

namespace assay {
namespace {

std::string_view mark_of(Finding::Severity severity) {
    switch (severity) {
        case Finding::Severity::ok:
            return "✓";
        case Finding::Severity::note:
            return "·";
        case Finding::Severity::warning:
            return "!";
        case Finding::Severity::error:
            return "✗";
    }
    return "";
}

std::string text_of(const CheckedPair& pair) {
    std::string text;
    for (const Finding& f : pair.findings) {
        text += fmt::format("{}{} {}", text.empty() ? "" : "\n", mark_of(f.severity), f.title);
        if (!f.detail.empty()) text += "\n    " + f.detail;
        if (!f.advice.empty()) text += "\n    → " + f.advice;
    }
    return text;
}

Table summary_of(std::span<const CheckedPair> pairs) {
    using Severity = Finding::Severity;
    Table table{
        .title = "",
        .columns =
            {{"model", false}, {"data set", false}, {"errors"}, {"warnings"}, {"notes"}, {"ok"}},
        .rows = {},
        .notes = {}};
    for (const CheckedPair& pair : pairs) {
        const auto count = [&](Severity severity) {
            return Count{static_cast<std::uint64_t>(
                std::count_if(pair.findings.begin(), pair.findings.end(),
                              [&](const Finding& f) { return f.severity == severity; }))};
        };
        table.add({pair.model, pair.dataset, count(Severity::error), count(Severity::warning),
                   count(Severity::note), count(Severity::ok)});
    }
    return table;
}

}  // namespace

bool any_fault(std::span<const CheckedPair> pairs) {
    return std::any_of(pairs.begin(), pairs.end(), [](const CheckedPair& pair) {
        return std::any_of(pair.findings.begin(), pair.findings.end(),
                           [](const Finding& f) { return f.severity == Finding::Severity::error; });
    });
}

Report report_of(std::span<const CheckedPair> pairs) {
    Report report;
    report.records.columns = {{"model", false},    {"dataset", false}, {"id", false},
                              {"severity", false}, {"title", false},   {"detail", false},
                              {"advice", false}};
    nlohmann::json findings = nlohmann::json::array();
    for (const CheckedPair& pair : pairs) {
        report.sections.push_back({.title = pair.model + " on " + pair.dataset,
                                   .blocks = {text_of(pair)},
                                   .sections = {}});
        for (const Finding& f : pair.findings) {
            const std::string severity(name_of(f.severity));
            report.records.add(
                {pair.model, pair.dataset, f.id, severity, f.title, f.detail, f.advice});
            findings.push_back({{"model", pair.model},
                                {"dataset", pair.dataset},
                                {"id", f.id},
                                {"severity", severity},
                                {"title", f.title},
                                {"detail", f.detail},
                                {"advice", f.advice}});
        }
    }
    report.sections.push_back({.title = "", .blocks = {summary_of(pairs)}, .sections = {}});
    report.result = {{"schema", "assay.check/1"}, {"findings", std::move(findings)}};
    return report;
}

}  // namespace assay
