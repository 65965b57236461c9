#include "assay/store/verify.h"

#include <algorithm>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/parallel.h"

namespace assay {
namespace {

StoreCheck check(const std::filesystem::path& folder) {
    StoreCheck checked{
        .folder = folder, .shards = {}, .missing = {}, .problems = verify_store(folder)};
    try {
        const PredictionStore store = PredictionStore::open(folder);
        checked.shards = store.shards();
        checked.missing = store.missing_shards();
    } catch (const Error& error) {
        if (checked.problems.empty())
            checked.problems.emplace_back(error.what());  // it broke just now
    }
    return checked;
}

std::string state_of(const StoreCheck& check) {
    if (!check.problems.empty()) return "damaged: " + check.problems.front();
    return check.missing.value_or(0) == 0 ? "sound" : "sound, not finished";
}

}  // namespace

std::vector<StoreCheck> verify_stores(const std::filesystem::path& path,
                                      const ProgressCallback& callback) {
    const StoreFolders found = look_for_stores(path);
    std::vector<StoreCheck> checks;
    for (const auto& folder : found.stores) {
        throw_if_stopped();
        checks.push_back(check(folder));
        if (callback) callback({.done = checks.size(), .total = found.stores.size()});
    }
    for (const StoreFolders::Fault& fault : found.faults) {
        checks.push_back(
            {.folder = fault.folder, .shards = {}, .missing = {}, .problems = {fault.why}});
    }
    return checks;
}

bool any_damaged(const std::vector<StoreCheck>& checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [](const StoreCheck& check) { return !check.problems.empty(); });
}

Report report_of(const std::vector<StoreCheck>& checks) {
    Report report;
    Table table{.title = "",
                .columns = {{"store", false}, {"shards"}, {"missing"}, {"state", false}},
                .rows = {},
                .notes = {}};
    nlohmann::json stores = nlohmann::json::array();
    const auto cell = [](const std::optional<std::size_t>& n) -> Cell {
        if (n) return Count{*n};
        return "?";
    };
    const auto value = [](const std::optional<std::size_t>& n) {
        return n ? nlohmann::json(*n) : nlohmann::json();
    };
    for (const StoreCheck& check : checks) {
        report.partial = report.partial || check.missing.value_or(0) > 0;
        table.add(
            {check.folder.string(), cell(check.shards), cell(check.missing), state_of(check)});
        for (std::size_t p = 1; p < check.problems.size(); ++p)
            table.add({{}, {}, {}, check.problems[p]});
        stores.push_back({{"store", check.folder.string()},
                          {"shards", value(check.shards)},
                          {"missing", value(check.missing)},
                          {"problems", check.problems}});
    }
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = {{"schema", "assay.verify/1"}, {"stores", std::move(stores)}};
    return report;
}

}  // namespace assay
