#include "report/report_paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "report/schemas.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_a_result = std::uint64_t{1} << 28;
constexpr int deepest_result = 32;  // results of this program have ten levels

constexpr std::string_view allowed_inputs =
    "a report takes RUNS folders, data sets and stores in them, competitions, csv tables of "
    "quality dimensions, folders of adversarial images, and JSON from --json";

SavedResult published() {
    SavedResult saved;
    saved.source = "published";
    saved.table = quality::published_models();
    return saved;
}

void check_schema(const nlohmann::json& result) {
    if (!result.is_object() || !result.contains("schema") || !result["schema"].is_string())
        refuse(fmt::format("the JSON has no text `schema`; {}", allowed_inputs));
    const auto& schema = result["schema"].get_ref<const std::string&>();
    if (is_reportable(schema)) return;
    refuse(fmt::format("a report cannot show the schema `{}`; allowed: {}", shortened(schema),
                       reportable_schemas()));
}

SavedResult saved_json(const fs::path& file, const std::string& text) {
    SavedResult saved;
    saved.source = file.string();
    saved.hash = hash_text(text);
    std::string_view start = text;
    if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
    saved.result = parse_json(start, deepest_result);
    check_schema(saved.result);
    if (saved.result["schema"] != "assay.quality/1") return saved;
    try {
        saved.table = quality::parse_quality_table(text, file.string());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        saved.no_table = error.message();
    }
    return saved;
}

SavedResult saved_csv(const fs::path& file, const std::string& text) {
    SavedResult saved;
    saved.source = file.string();
    saved.hash = hash_text(text);
    try {
        saved.table = quality::parse_quality_table(text, file.string());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        refuse(fmt::format("{}; {}", error.message(), allowed_inputs));
    }
    return saved;
}

SavedResult saved_result(const fs::path& file) {
    return with_note(fmt::format("reading `{}`", file.string()), [&] {
        const std::string text = read_text(file, most_bytes_of_a_result);
        std::string_view start = text;
        if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
        start = trimmed(start.substr(0, 4096));
        const bool json = start.starts_with('{') || start.starts_with('[') ||
                          lower_extension(file.string()) == ".json";
        return json ? saved_json(file, text) : saved_csv(file, text);
    });
}

}  // namespace

ReportInputs look_at_inputs(const std::vector<fs::path>& paths) {
    if (paths.empty())
        throw Error(ErrorCode::usage, fmt::format("nothing to report: {}", allowed_inputs));
    ReportInputs inputs;
    std::vector<fs::path> runs, seen;
    for (const fs::path& path : paths) {
        if (path == "published" && !is_there(path)) {
            inputs.saved.push_back(published());
            continue;
        }
        if (!is_there(path))
            refuse(fmt::format("`{}` does not exist; {}", path.string(), allowed_inputs));
        std::error_code error;
        fs::path whole = fs::weakly_canonical(path, error);
        if (error) whole = path;
        if (std::find(seen.begin(), seen.end(), whole) != seen.end()) continue;
        seen.push_back(std::move(whole));
        if (!is_folder(path)) {
            inputs.saved.push_back(saved_result(path));
        } else if (is_there(path / "attack.json") && is_there(path / "examples.json")) {
            inputs.saved.push_back(saved_result(path / "examples.json"));
        } else if (mad::is_competition(path)) {
            inputs.competitions.push_back(path);
        } else {
            runs.push_back(path);
        }
    }
    if (!runs.empty())
        inputs.stores = with_note(fmt::format("looking for results; {}", allowed_inputs),
                                  [&] { return find_stores(runs); });
    return inputs;
}

}  // namespace assay
