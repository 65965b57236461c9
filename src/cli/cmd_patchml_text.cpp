#include "cli/cmd_patchml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"
#include "core/statistics.h"

namespace assay::cli {
namespace {

using nlohmann::json;

/// How often a class repeats within a composite: seen, and expected.
struct Repeats {
    double share;
    Interval interval;
    double expected_pool;     ///< k patches of this pool at random; 0 with distinct labels
    double expected_uniform;  ///< as many equally frequent classes
};

class Expectations {
public:
    Expectations(const PatchPool& pool, bool distinct)
        : counts_(pool.class_counts()), classes_(pool.classes.size()), distinct_(distinct) {}

    std::optional<Repeats> of(const LabelCounts& counts) {
        if (counts.composites == 0) return std::nullopt;
        const int k = counts.grid.k;
        if (!by_k_.contains(k)) by_k_[k] = distinct_ ? 0.0 : repeat_share(k, counts_);
        return Repeats{
            .share = static_cast<double>(counts.repeats()) / static_cast<double>(counts.composites),
            .interval = wilson(counts.repeats(), counts.composites),
            .expected_pool = by_k_[k],
            .expected_uniform = repeat_share(k, classes_),
        };
    }

private:
    std::vector<std::uint64_t> counts_;
    std::size_t classes_;
    bool distinct_;
    std::map<int, double> by_k_;
};

std::size_t most_labels(const PatchmlResult& result) {
    int most = 1;
    for (const Grid& grid : result.options.grids) most = std::max(most, grid.k);
    return static_cast<std::size_t>(most);
}

/// The numbers of labels that some composite has.
std::vector<std::size_t> label_counts_met(const PatchmlResult& result) {
    std::vector<std::size_t> met;
    for (std::size_t n = 1; n <= most_labels(result); ++n) {
        const bool any =
            std::any_of(result.rows.begin(), result.rows.end(), [n](const PatchmlRow& row) {
                return std::any_of(row.report.grids.begin(), row.report.grids.end(),
                                   [n](const LabelCounts& counts) {
                                       return n < counts.by_labels.size() &&
                                              counts.by_labels[n] > 0;
                                   });
            });
        if (any) met.push_back(n);
    }
    return met;
}

std::string percent(double share) {
    return fmt::format("{:.2f}", 100 * share);
}

std::string state_of(const PatchmlRow& row, bool dry_run) {
    if (dry_run) return "planned";
    if (row.report.was_there) return "was there";
    return row.report.found > 0 ? "continued" : "made";
}

}  // namespace

std::vector<std::string> describe_pool(const PatchPool& pool) {
    const auto counts = pool.class_counts();
    const auto present =
        std::count_if(counts.begin(), counts.end(), [](std::uint64_t n) { return n > 0; });
    std::vector<std::string> lines;
    lines.push_back(fmt::format("{} patches of {} images; {} of {} classes have patches",
                                count_text(pool.patches.size()), count_text(pool.images.size()),
                                count_text(static_cast<std::uint64_t>(present)),
                                count_text(pool.classes.size())));
    if (pool.clipped > 0) {
        lines.push_back(fmt::format("{} boxes reached out of their images and were clipped",
                                    count_text(pool.clipped)));
    }
    if (pool.clipped_by_one > 0 && 100 * pool.clipped_by_one >= pool.patches.size()) {
        lines.push_back(fmt::format(
            "{} of them by exactly one pixel at the right or the bottom: are the corners meant "
            "otherwise (--corners)?",
            count_text(pool.clipped_by_one)));
    }
    if (!pool.rejected.empty()) {
        std::string faults;
        const auto by_fault = pool.rejected_by_fault();
        for (std::size_t f = 0; f < by_fault.size(); ++f) {
            if (by_fault[f] == 0) continue;
            faults += fmt::format("{}{} {}", faults.empty() ? "" : ", ", count_text(by_fault[f]),
                                  name_of(static_cast<BoxFault>(f)));
        }
        lines.push_back(fmt::format("{} of {} boxes left out: {}", count_text(pool.rejected.size()),
                                    count_text(pool.read), faults));
    }
    return lines;
}

std::vector<std::string> examples_of(const PatchPool& pool, std::size_t most) {
    std::array<std::size_t, box_fault_count> shown{};
    std::vector<std::string> lines;
    for (const RejectedBox& box : pool.rejected) {
        if (shown[static_cast<std::size_t>(box.fault)]++ < most) lines.push_back(describe(box));
    }
    std::stable_sort(lines.begin(), lines.end(), [](const std::string& a, const std::string& b) {
        return a.substr(0, a.find(':')) < b.substr(0, b.find(':'));
    });
    return lines;
}

std::string patchml_text(const PatchmlResult& result, bool colour) {
    const std::vector<std::size_t> shown = label_counts_met(result);
    std::vector<Table::Column> columns{
        {"data set"}, {"k", Align::right}, {"p", Align::right}, {"composites", Align::right}};
    for (const std::size_t n : shown) {
        columns.push_back({fmt::format("{} label{}", n, n == 1 ? "" : "s"), Align::right});
    }
    for (const char* name : {"repeats", "interval", "expected", "equal classes"})
        columns.push_back({name, Align::right});
    Table table(columns, "Composites by number of distinct labels");
    Expectations expectations(result.pool, result.options.distinct);
    for (const PatchmlRow& row : result.rows) {
        if (&row != &result.rows.front()) table.rule();
        for (const LabelCounts& counts : row.report.grids) {
            const std::string name = fmt::format("{} ({})", row.report.folder.filename().string(),
                                                 state_of(row, result.dry_run));
            std::vector<std::string> cells{
                &counts == &row.report.grids.front() ? name : "", std::to_string(counts.grid.k),
                std::to_string(counts.grid.p), count_text(counts.composites)};
            for (const std::size_t n : shown) {
                cells.push_back(n < counts.by_labels.size() ? count_text(counts.by_labels[n]) : "");
            }
            if (const auto repeats = expectations.of(counts)) {
                cells.insert(cells.end(), {percent(repeats->share) + " %",
                                           fmt::format("{} – {}", percent(repeats->interval.low),
                                                       percent(repeats->interval.high)),
                                           percent(repeats->expected_pool) + " %",
                                           percent(repeats->expected_uniform) + " %"});
            } else {
                cells.insert(cells.end(), {"–", "–", "–", "–"});
            }
            table.add(std::move(cells));
        }
    }
    table.footer("repeats: composites with fewer than k labels, with Wilson's 95 % interval.");
    table.footer(fmt::format("expected: {}; equal classes: 1 - prod(1 - j/{}).",
                             result.options.distinct ? "none, the labels are distinct"
                                                     : "k patches of this pool, drawn at random",
                             result.pool.classes.size()));
    return table.text(colour, stdout_width());
}

std::string patchml_csv(const PatchmlResult& result) {
    const std::size_t most = most_labels(result);
    std::vector<Table::Column> columns;
    for (const char* name :
         {"folder", "state", "seed", "k", "p", "composites", "patches_left", "repeats",
          "repeat_share", "low", "high", "expected_pool", "expected_equal_classes"}) {
        columns.push_back({name});
    }
    for (std::size_t n = 1; n <= most; ++n) columns.push_back({fmt::format("labels_{}", n)});
    Table table(columns);
    Expectations expectations(result.pool, result.options.distinct);
    for (const PatchmlRow& row : result.rows) {
        for (const LabelCounts& counts : row.report.grids) {
            const auto r = expectations.of(counts);
            const auto exact = [&](double value) {
                return r ? fmt::format("{}", value) : std::string();
            };
            std::vector<std::string> cells{row.report.folder.string(),
                                           state_of(row, result.dry_run),
                                           std::to_string(row.report.seed),
                                           std::to_string(counts.grid.k),
                                           std::to_string(counts.grid.p),
                                           std::to_string(counts.composites),
                                           std::to_string(counts.patches_left),
                                           std::to_string(counts.repeats()),
                                           exact(r ? r->share : 0),
                                           exact(r ? r->interval.low : 0),
                                           exact(r ? r->interval.high : 0),
                                           exact(r ? r->expected_pool : 0),
                                           exact(r ? r->expected_uniform : 0)};
            for (std::size_t n = 1; n <= most; ++n) {
                cells.push_back(n < counts.by_labels.size() ? std::to_string(counts.by_labels[n])
                                                            : "");
            }
            table.add(std::move(cells));
        }
    }
    return table.csv();
}

std::string patchml_json(const PatchmlResult& result) {
    const PatchPool& pool = result.pool;
    json faults = json::object();
    const auto by_fault = pool.rejected_by_fault();
    for (std::size_t f = 0; f < by_fault.size(); ++f) {
        if (by_fault[f] > 0) faults[std::string(name_of(static_cast<BoxFault>(f)))] = by_fault[f];
    }
    json out = {{"schema", "assay.patchml_report/1"},
                {"dry_run", result.dry_run},
                {"pool",
                 {{"patches", pool.patches.size()},
                  {"images", pool.images.size()},
                  {"classes", pool.classes.size()},
                  {"boxes_read", pool.read},
                  {"clipped", pool.clipped},
                  {"rejected", faults},
                  {"fingerprint", pool.fingerprint()}}},
                {"canvas", result.options.canvas},
                {"distinct", result.options.distinct},
                {"interpolation", name_of(result.options.interpolation)},
                {"datasets", json::array()}};
    Expectations expectations(pool, result.options.distinct);
    for (const PatchmlRow& row : result.rows) {
        json set = {{"folder", row.report.folder.string()},
                    {"state", state_of(row, result.dry_run)},
                    {"seed", row.report.seed},
                    {"composites", row.report.composites},
                    {"grids", json::array()}};
        if (!result.dry_run && !row.report.was_there) {
            set["seconds"] = row.seconds;
            set["found"] = row.report.found;
            set["image_bytes"] = row.report.image_bytes;
            set["decodes"] = row.report.decodes;
            set["cache_hits"] = row.report.cache_hits;
        }
        for (const LabelCounts& counts : row.report.grids) {
            json grid = {{"k", counts.grid.k},
                         {"p", counts.grid.p},
                         {"composites", counts.composites},
                         {"by_label_count", counts.by_labels},
                         {"patches_left", counts.patches_left}};
            if (const auto r = expectations.of(counts)) {
                grid["repeats"] = {{"count", counts.repeats()},
                                   {"share", r->share},
                                   {"interval",
                                    {{"low", r->interval.low},
                                     {"high", r->interval.high},
                                     {"level", r->interval.level},
                                     {"method", r->interval.method}}},
                                   {"expected_pool", r->expected_pool},
                                   {"expected_equal_classes", r->expected_uniform}};
            }
            set["grids"].push_back(grid);
        }
        out["datasets"].push_back(set);
    }
    return json_text(out);
}

}  // namespace assay::cli
