#include <fmt/format.h>

#include "assay/mad/gallery.h"

namespace assay::mad {
namespace {

using nlohmann::json;

Table sheet_table(const Gallery& gallery, bool records) {
    Table table;
    table.columns = {{.name = records ? "file" : "sheet", .numbers = false},
                     {.name = "images"},
                     {.name = "unreadable"},
                     {.name = records ? "case_i" : "I"},
                     {.name = records ? "case_ii" : "II"},
                     {.name = records ? "case_iii" : "III"},
                     {.name = "replaced"},
                     {.name = "open"}};
    if (records) {
        table.columns.push_back({.name = "first", .numbers = false});
        table.columns.push_back({.name = "second", .numbers = false});
    }
    for (const GallerySheet& sheet : gallery.sheets) {
        std::vector<Cell> cells = {records ? sheet.file.string() : sheet.file.filename().string(),
                                   Count{sheet.images}, Count{sheet.unreadable}};
        for (const std::uint64_t n : sheet.cases) cells.emplace_back(Count{n});
        if (records) {
            cells.emplace_back(sheet.first);
            cells.emplace_back(sheet.second);
        }
        table.add(std::move(cells));
    }
    return table;
}

json label_json(const GalleryLabel& label) {
    return {{"id", label.id},
            {"name", label.name},
            {"confidence", label.confidence},
            {"correct", label.correct ? json(*label.correct) : json(nullptr)}};
}

json image_json(const GalleryImage& image) {
    return {{"first", image.first},
            {"second", image.second},
            {"place", image.place},
            {"id", image.id},
            {"first_label", label_json(image.first_label)},
            {"second_label", label_json(image.second_label)},
            {"distance", image.distance},
            {"case", image.outcome}};
}

}  // namespace

Report report_of(const Gallery& gallery) {
    Report report;
    report.title = "Gallery";
    Table table = sheet_table(gallery, false);
    if (!gallery.sheets.empty())
        table.notes.push_back(
            fmt::format("In {}.", gallery.sheets.front().file.parent_path().string()));
    report.sections = {{.title = "", .blocks = {std::move(table)}, .sections = {}}};
    report.records = sheet_table(gallery, true);
    json sheets = json::array();
    for (const GallerySheet& sheet : gallery.sheets) {
        sheets.push_back({{"file", sheet.file.string()},
                          {"first", sheet.first},
                          {"second", sheet.second},
                          {"images", sheet.images},
                          {"unreadable", sheet.unreadable},
                          {"cases",
                           {{"I", sheet.cases[0]},
                            {"II", sheet.cases[1]},
                            {"III", sheet.cases[2]},
                            {"replaced", sheet.cases[3]},
                            {"open", sheet.cases[4]}}}});
    }
    json shown = json::array();
    for (const GalleryImage& image : gallery.shown) shown.push_back(image_json(image));
    report.result = {{"schema", "assay.mad_gallery/1"},  {"sheets", std::move(sheets)},
                     {"shown", std::move(shown)},        {"images", gallery.images},
                     {"unreadable", gallery.unreadable}, {"warnings", gallery.warnings}};
    report.warnings = gallery.warnings;
    report.partial = gallery.unreadable > 0;
    return report;
}

}  // namespace assay::mad
