#include "assay/store/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/store/join.h"
#include "assay/store/prediction_store.h"
#include "core/parallel.h"
#include "core/result_table.h"
#include "core/text.h"
#include "store/dataset_files.h"
#include "store/described_store.h"
#include "store/side_record.h"

namespace assay {
namespace {

/// Facts that older formats do not record.
std::vector<std::string> notes_on(const PredictionStore& store) {
    std::vector<std::string> notes;
    if (store.spec().id.empty()) {
        notes.emplace_back(
            "written in format 2, whose files do not name their store. Only scores have checksums: "
            "files of another store and changes to manifests may go unnoticed");
    }
    if (!store::read_dataset_record(store.folder().parent_path()).has_checksum)
        notes.emplace_back(
            "dataset.json is written in format 2, without a checksum: changes to it may go "
            "unnoticed");
    return notes;
}

/// Scores from other devices and libraries differ in their last bits.
std::string several_devices(const std::map<std::string, std::size_t>& computed_on) {
    std::string list;
    for (const auto& [device, shards] : computed_on)
        list +=
            fmt::format("{}{} ({})", list.empty() ? "" : "; ", device, how_many(shards, "shard"));
    return "computed on different devices or with different libraries, so the last bits differ: " +
           list;
}

/// All results are for the store as it was when opened.
StoreCheck check(const std::filesystem::path& folder) {
    StoreCheck checked{.folder = folder,
                       .shards = {},
                       .missing = {},
                       .problems = {},
                       .notes = {},
                       .written_by = {},
                       .unfinished = {}};
    const auto attempt = [&](auto&& body) {
        try {
            body();
        } catch (const Error& error) {
            if (error.code() == ErrorCode::interrupted) throw;
            if (error.code() == ErrorCode::busy) {
                ++checked.replaced;  // not damaged, but not checked
            } else {
                checked.problems.emplace_back(error.what());
            }
        }
    };
    attempt([&] {
        const PredictionStore store = PredictionStore::open(folder);
        checked.shards = store.shards();
        checked.missing = store.missing_shards();
        checked.written_by = store.written_by();
        checked.unfinished = store.unfinished_parts();
        attempt([&] { checked.notes = notes_on(store); });
        attempt([&] { store.dataset(); });
        attempt([&] { store::read_side_record(store, store::attack_control_record); });
        attempt([&] {
            if (std::string problem = store::item_columns_problem(folder.parent_path());
                !problem.empty())
                checked.problems.push_back(std::move(problem));
        });
        std::vector<std::size_t> lost;
        std::map<std::string, std::size_t> computed_on;
        for (std::size_t i = 0; i < store.shards(); ++i) {
            if (store.has(i)) {
                attempt([&] {
                    const ComputedOn on = store.shard(i).computed_on();
                    if (on.known()) ++computed_on[describe(on)];
                });
            } else {
                lost.push_back(i);
            }
        }
        if (computed_on.size() > 1) checked.notes.push_back(several_devices(computed_on));
        if (store.finished() && !lost.empty()) {
            checked.problems.push_back(
                fmt::format("{} of {} shards {} missing from the finished store, the first is "
                            "shard {}: rerun the command that made it to compute {} again",
                            lost.size(), store.shards(), lost.size() == 1 ? "is" : "are",
                            lost.front(), lost.size() == 1 ? "it" : "them"));
        }
    });
    return checked;
}

std::string state_of(const StoreCheck& check) {
    if (!check.problems.empty()) return "damaged";
    if (!check.written_by.empty()) return "still being written by " + check.written_by;
    if (check.replaced > 0) return "was being written";
    if (!check.unfinished.empty())
        return fmt::format("sound; not finished: part {}", text_of(check.unfinished));
    const std::string sound = check.notes.empty() ? "sound" : "sound as far as its format can show";
    return check.missing.value_or(0) == 0 ? sound : sound + ", not finished";
}

constexpr std::size_t line_width = 96;

/// Shows a store's problems below its name, for people.
std::string problems_text(const StoreCheck& check) {
    std::string out = check.folder.string() + ":";
    for (const std::string& problem : check.problems) {
        for (const std::string& line : folded_lines(problem, line_width)) out += "\n    " + line;
    }
    return out;
}

/// Lists each note once, with the number of its stores.
std::vector<std::string> all_notes(const std::vector<StoreCheck>& checks) {
    std::vector<std::string> order;
    std::map<std::string, std::size_t> count;
    for (const StoreCheck& check : checks) {
        for (const std::string& note : check.notes) {
            if (count[note]++ == 0) order.push_back(note);
        }
    }
    for (std::string& note : order) {
        note = fmt::format("{} of {} stores: {}", count[note], checks.size(), note);
        note = fmt::format("{}", fmt::join(folded_lines(note, line_width), "\n"));
    }
    return order;
}

/// A row of the table.
struct CheckedRow {
    std::optional<std::filesystem::path> store;
    nlohmann::json shards, missing;  ///< "?" if not known
    std::string state;
};
ResultType result_type(ResultOf<CheckedRow>) {
    static constexpr auto rows =
        describe_result<CheckedRow>({.name = "CheckedRow", .columns = "store,shards,missing,state"},
                                    {
                                        part<&CheckedRow::store>({}),
                                        part<&CheckedRow::shards>({}),
                                        part<&CheckedRow::missing>({}),
                                        part<&CheckedRow::state>({}),
                                    });
    return rows;
}

CheckedRow row_of(const StoreCheck& check) {
    const auto known = [](const std::optional<std::size_t>& n) {
        return n ? nlohmann::json(*n) : nlohmann::json("?");
    };
    return {check.folder, known(check.shards), known(check.missing), state_of(check)};
}

/// Writes one row per store. A store with several problems has a row for each problem.
std::vector<CheckedRow> records_of(const std::vector<StoreCheck>& checks) {
    std::vector<CheckedRow> rows;
    for (const StoreCheck& check : checks) {
        rows.push_back(row_of(check));
        const std::vector<std::string>& problems = check.problems;
        if (!problems.empty()) rows.back().state = "damaged: " + problems.front();
        for (std::size_t p = 1; p < problems.size(); ++p) rows.push_back({{}, {}, {}, problems[p]});
    }
    return rows;
}

}  // namespace

std::vector<std::string> verify_store(const std::filesystem::path& folder) {
    return check(folder).problems;
}

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
        checks.push_back({.folder = fault.folder,
                          .shards = {},
                          .missing = {},
                          .problems = {fault.why},
                          .notes = {},
                          .written_by = {},
                          .unfinished = {}});
    }
    return checks;
}

bool any_damaged(const std::vector<StoreCheck>& checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [](const StoreCheck& check) { return !check.problems.empty(); });
}

namespace {

struct UnfinishedParts {
    const StoreCheck* check;

    std::uint32_t of() const { return check->unfinished.front().of; }
    std::vector<std::uint32_t> unfinished() const {
        std::vector<std::uint32_t> out;
        for (const StorePart& part : check->unfinished) out.push_back(part.number);
        return out;
    }
};
ResultType result_type(ResultOf<UnfinishedParts>) {
    static constexpr auto rows = describe_result<UnfinishedParts>(
        {.name = "UnfinishedParts"},
        {part<&UnfinishedParts::of>({}), part<&UnfinishedParts::unfinished>({.help = "Numbers"})});
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<StoreCheck>) {
    static constexpr auto rows = describe_result<StoreCheck>(
        {.name = "VerifiedStore"},
        {
            part<&StoreCheck::folder>({.name = "store"}),
            part<&StoreCheck::shards>({.help = "Null if the manifest cannot be read"}),
            part<&StoreCheck::missing>({.help = "Likewise"}),
            part<&StoreCheck::problems>({}),
            part<&StoreCheck::notes>({.help = "Checks that its format does not allow"}),
            part<&StoreCheck::written_by>(
                {.help = "While a process writes the store: `process 123`", .omitted = true}),
            part<&StoreCheck::replaced>(
                {.help = "Shards that a writer replaced before they were read", .omitted = true}),
            part({.help = "For unfinished stores in parts", .name = "parts", .omitted = true},
                 [](const StoreCheck& check) {
                     return check.unfinished.empty() ? std::nullopt
                                                     : std::optional(UnfinishedParts{&check});
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<VerifyResult>) {
    static constexpr auto rows = describe_result<VerifyResult>(
        {.name = "VerifyResult", .help = "What `assay verify` prints", .schema = "assay.verify/1"},
        {part<&VerifyResult::stores>({})});
    return rows;
}

Report report_of(const std::vector<StoreCheck>& checks) {
    Report report;
    std::vector<CheckedRow> shown;
    for (const StoreCheck& check : checks) {
        report.partial = report.partial || check.missing.value_or(0) > 0 ||
                         !check.written_by.empty() || check.replaced > 0;
        shown.push_back(row_of(check));
    }
    report.records = table_of(records_of(checks));
    Section section{.title = "", .blocks = {table_of(shown)}, .sections = {}};
    for (const StoreCheck& check : checks) {
        if (!check.problems.empty()) section.blocks.emplace_back(problems_text(check));
    }
    for (const std::string& note : all_notes(checks)) section.blocks.emplace_back(note);
    report.sections.push_back(std::move(section));
    report.result = json_of(VerifyResult{checks});
    return report;
}

}  // namespace assay
