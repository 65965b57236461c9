// A report for a terminal.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

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

Table parts_of(const json& document) {
    Table table{
        .title = "", .columns = {{"result", false}, {"source", false}}, .rows = {}, .notes = {}};
    for (const json& one : document["results"])
        table.add({text_at(one["result"], "schema"), text_at(one, "source")});
    return table;
}

}  // namespace

Report summary_of(const ReportDocument& document) {
    const json& d = document.json;
    Report report;
    report.title = text_at(d, "title");
    Section section{.title = "", .blocks = {}, .sections = {}};
    section.blocks.emplace_back(parts_of(d));
    section.blocks.emplace_back(fmt::format(
        "{}: {} of {}, {} with what models predict, {}", report.title,
        count_text(d["results"].size()) + (d["results"].size() == 1 ? " result" : " results"),
        count_text(d["provenance"]["stores"].size()) +
            (d["provenance"]["stores"].size() == 1 ? " store" : " stores"),
        count_text(d["items"].size()) + (d["items"].size() == 1 ? " image" : " images"),
        count_text(document.thumbnails.size()) +
            (document.thumbnails.size() == 1 ? " thumbnail" : " thumbnails")));
    if (!d["left_out"].empty()) {
        std::string text = "Left out:";
        for (const json& sentence : d["left_out"]) text += "\n- " + sentence.get<std::string>();
        section.blocks.emplace_back(std::move(text));
    }
    report.sections.push_back(std::move(section));
    report.warnings = document.warnings;
    report.partial = document.partial;
    report.result = with_embedded_thumbnails(document);
    return report;
}

}  // namespace assay
