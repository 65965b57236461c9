#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "evaluate/described_evaluate.h"

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

ResultType result_type(ResultOf<ShownFinding>) {
    static constexpr auto finding = &ShownFinding::finding;
    static constexpr auto rows = describe_result<ShownFinding>(
        {.name = "CheckFinding", .columns = "model,dataset,id,severity,title,detail,advice"},
        {
            part<&ShownFinding::pair, &CheckedPair::model>({}),
            part<&ShownFinding::pair, &CheckedPair::dataset>({}),
            part<finding, &Finding::id>({.help = "Stable: `classes.order`"}),
            part<finding, &Finding::severity>({.script = R"("ok" | "note" | "warning" | "error")"}),
            part<finding, &Finding::title>({.help = "One line"}),
            part<finding, &Finding::detail>({.help = "What was measured"}),
            part<finding, &Finding::advice>({.help = "What to do about it; may be empty"}),
        });
    return rows;
}

ResultType result_type(ResultOf<CheckResult>) {
    static constexpr auto rows = describe_result<CheckResult>(
        {.name = "CheckResult", .help = "What `assay check` prints", .schema = "assay.check/1"},
        {part<&CheckResult::findings>({})});
    return rows;
}

bool any_fault(std::span<const CheckedPair> pairs) {
    return std::any_of(pairs.begin(), pairs.end(), [](const CheckedPair& pair) {
        return std::any_of(pair.findings.begin(), pair.findings.end(),
                           [](const Finding& f) { return f.severity == Finding::Severity::error; });
    });
}

Report report_of(std::span<const CheckedPair> pairs) {
    Report report;
    CheckResult result;
    for (const CheckedPair& pair : pairs) {
        report.sections.push_back({.title = pair.model + " on " + pair.dataset,
                                   .blocks = {text_of(pair)},
                                   .sections = {}});
        for (const Finding& f : pair.findings) result.findings.push_back({&pair, &f});
    }
    report.sections.push_back({.title = "", .blocks = {summary_of(pairs)}, .sections = {}});
    report.records = table_of(result.findings);
    report.result = json_of(result);
    return report;
}

}  // namespace assay
