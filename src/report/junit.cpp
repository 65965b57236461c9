#include "assay/report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/terminal_text.h"
#include "report/gates.h"
#include "report/markup.h"

namespace assay {
namespace {

/// Escapes texts and attributes. Line ends are kept if `lines`, and become blanks in attributes.
std::string xml_text(std::string_view raw, bool lines = false) {
    std::string out;
    const std::string text = without_controls(raw);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = std::string_view(text).substr(i);
        if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
            out += "\xEF\xBF\xBD";  // U+FFFE and U+FFFF are not characters in XML
            i += 2;
            continue;
        }
        out += !lines && (text[i] == '\n' || text[i] == '\t') ? ' ' : text[i];
    }
    return markup_text(out);
}

std::string subject_of(const GateOutcome& outcome) {
    return outcome.baseline.empty() ? outcome.model
                                    : outcome.model + " against " + outcome.baseline;
}

/// All known details, with every digit: this is read when the report is not available.
std::string details_of(const GateOutcome& outcome) {
    const Estimate& measured = outcome.measured;
    std::string text = fmt::format("gate: {}\n", outcome.gate);
    text += outcome.found ? fmt::format("found: {}\n", *outcome.found)
                          : fmt::format("found: nothing: {}\n", outcome.reason);
    text += fmt::format("bound: {}\n", outcome.bound);
    if (measured.value) text += fmt::format("value: {}\n", *measured.value);
    if (measured.interval) {
        text += fmt::format("interval: {} to {} (level {}, {})\n", measured.interval->low,
                            measured.interval->high, measured.interval->level,
                            measured.interval->method);
    }
    text += fmt::format("n: {}\ndefinition: {}\nmodel: {}\n", measured.n, outcome.definition,
                        outcome.model);
    if (!outcome.baseline.empty()) text += fmt::format("baseline: {}\n", outcome.baseline);
    return text + fmt::format("data set: {}\n", outcome.dataset);
}

std::string test_of(const GateOutcome& outcome) {
    const std::string head = fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"0\"",
                                         xml_text(outcome.dataset), xml_text(subject_of(outcome)),
                                         xml_text(outcome.gate));
    if (outcome.passed) return head + "/>\n";
    const std::string message = outcome.found ? fmt::format("found {:.6g}, but the bound is {:.6g}",
                                                            *outcome.found, outcome.bound)
                                              : "undefined: " + outcome.reason;
    return head + fmt::format(
                      ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n"
                      "    </testcase>\n",
                      outcome.found ? "broken" : "undefined", xml_text(message),
                      xml_text(details_of(outcome), true));
}

}  // namespace

std::string junit_xml(const Report& report) {
    std::vector<std::string> datasets;
    for (const GateOutcome& outcome : report.gates) {
        if (std::ranges::find(datasets, outcome.dataset) == datasets.end())
            datasets.push_back(outcome.dataset);
    }
    const auto counts = [](std::size_t tests, std::size_t failures) {
        return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"0\"", tests, failures);
    };
    const auto broken = [](const GateOutcome& outcome) { return !outcome.passed; };
    std::string out =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" {}>\n",
                    counts(report.gates.size(),
                           static_cast<std::size_t>(std::ranges::count_if(report.gates, broken))));
    for (const std::string& dataset : datasets) {
        std::string tests;
        std::size_t count = 0, failures = 0;
        for (const GateOutcome& outcome : report.gates) {
            if (outcome.dataset != dataset) continue;
            ++count;
            failures += broken(outcome) ? 1 : 0;
            tests += test_of(outcome);
        }
        out += fmt::format("  <testsuite name=\"{}\" {} skipped=\"0\">\n{}  </testsuite>\n",
                           xml_text(dataset), counts(count, failures), tests);
    }
    return out + "</testsuites>\n";
}

}  // namespace assay
