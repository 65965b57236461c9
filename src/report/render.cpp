#include <fmt/format.h>

#include "assay/error.h"
#include "core/json_text.h"
#include "report/renderers.h"

namespace assay {
namespace {

struct FormatRow {
    ReportFormat format;
    std::string_view name;
    std::string_view ending;  ///< of files in this format; "" if there is none
    std::string (*render)(const Report&, const RenderOptions&);
};

/// A further format needs a function and a row.
constexpr FormatRow formats[] = {
    {ReportFormat::text, "text", "", render_text},
    {ReportFormat::csv, "csv", ".csv",
     [](const Report& r, const RenderOptions&) { return render_csv(r); }},
    {ReportFormat::json, "json", ".json",
     [](const Report& r, const RenderOptions&) { return json_text(r.result); }},
    {ReportFormat::markdown, "md", ".md",
     [](const Report& r, const RenderOptions&) { return render_markdown(r); }},
    {ReportFormat::latex, "latex", ".tex",
     [](const Report& r, const RenderOptions&) { return render_latex(r); }},
};

const FormatRow& row_of(ReportFormat format) {
    for (const FormatRow& row : formats) {
        if (row.format == format) return row;
    }
    throw Error(ErrorCode::internal, "the report format has no renderer");
}

}  // namespace

std::string_view name_of(ReportFormat format) {
    return row_of(format).name;
}

const std::vector<std::string>& report_format_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const FormatRow& row : formats) list.emplace_back(row.name);
        return list;
    }();
    return names;
}

ReportFormat report_format_named(std::string_view name) {
    for (const FormatRow& row : formats) {
        if (row.name == name) return row.format;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown format `{}`{}", name, suggest(name, report_format_names())));
}

std::optional<ReportFormat> report_format_of(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    for (const FormatRow& row : formats) {
        if (!ending.empty() && row.ending == ending) return row.format;
    }
    return std::nullopt;
}

std::string render(const Report& report, ReportFormat format, const RenderOptions& options) {
    return row_of(format).render(report, options);
}

}  // namespace assay
