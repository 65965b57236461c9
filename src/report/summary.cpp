// Writes a report for a terminal.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"
#include "assay/report/document.h"
#include "report/placed.h"

namespace assay {
namespace {

using nlohmann::json;

std::string text_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Adds a row for each schema.
Table parts_of(const json& document) {
    Table table{.title = "",
                .columns = {{"result", false}, {"number"}, {"from", false}},
                .rows = {},
                .notes = {}};
    std::map<std::string, std::vector<std::string>> sources;
    std::vector<std::string> order;
    for (const json& one : document["results"]) {
        const std::string schema = text_at(one["result"], "schema");
        if (!sources.contains(schema)) order.push_back(schema);
        sources[schema].push_back(text_at(one, "source"));
    }
    for (const std::string& schema : order) {
        const std::vector<std::string>& from = sources.at(schema);
        table.add({schema, Count{from.size()}, from.size() == 1 ? from[0] : from[0] + ", ..."});
    }
    return table;
}

/// Adds a row for each result.
Table all_parts_of(const json& document) {
    Table table{
        .title = "", .columns = {{"result", false}, {"source", false}}, .rows = {}, .notes = {}};
    for (const json& one : document["results"])
        table.add({text_at(one["result"], "schema"), text_at(one, "source")});
    return table;
}

std::string holdings_of(const ReportDocument& document) {
    const json& d = document.json;
    const auto counted = [](std::size_t n, std::string_view noun) {
        return fmt::format("{} {}{}", count_text(n), noun, n == 1 ? "" : "s");
    };
    return fmt::format(
        "{}: {} of {}, {} with what models predict, {}", text_at(d, "title"),
        counted(d["results"].size(), "result"), counted(d["provenance"]["stores"].size(), "store"),
        counted(d["items"].size(), "image"), counted(document.thumbnails.size(), "thumbnail"));
}

}  // namespace

Report summary_of(const ReportDocument& document) {
    const json& d = document.json;
    Report report;
    report.title = text_at(d, "title");
    Section section{.title = "", .blocks = {}, .sections = {}};
    section.blocks.emplace_back(parts_of(d));
    section.blocks.emplace_back(holdings_of(document));
    if (!d["left_out"].empty()) {
        std::string text = "Skipped:";
        for (const json& sentence : d["left_out"]) text += "\n- " + sentence.get<std::string>();
        section.blocks.emplace_back(std::move(text));
    }
    report.sections.push_back(std::move(section));
    report.records = all_parts_of(d);
    report.warnings = document.warnings;
    report.partial = document.partial;
    report.result = with_embedded_thumbnails(document);
    return report;
}

}  // namespace assay
