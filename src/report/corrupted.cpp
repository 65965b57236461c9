#include "report/corrupted.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "assay/error.h"
#include "data/dataset_name.h"

namespace assay {
namespace {

/// The places of the corrupted versions of each clean data set, keyed by its name in the stores.
using VersionsOf = std::map<std::string, std::set<std::size_t>>;

VersionsOf find_clean(const std::vector<StoreGroup>& groups, const std::string& named, Said& said) {
    std::set<std::string> clean;
    for (const StoreGroup& group : groups)
        if (group.version.corruption == nullptr && (named.empty() || group.own_dataset == named))
            clean.insert(group.own_dataset);
    // A pilot next to all images of its data set is not another data set.
    if (named.empty()) {
        std::erase_if(clean, [all = clean](const std::string& name) {
            const std::string whole(name_of_whole(name));
            return whole != name && all.contains(whole);
        });
    }
    VersionsOf versions;
    std::string homeless;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const StoreGroup& group = groups[i];
        if (group.version.corruption == nullptr) continue;
        if (clean.contains(group.corrupted_from)) {
            versions[group.corrupted_from].insert(i);
        } else if (clean.size() == 1) {
            versions[*clean.begin()].insert(i);
        } else {
            homeless += (homeless.empty() ? "" : ", ") + group.dataset;
        }
    }
    if (!homeless.empty())
        said.leave_out(
            fmt::format("{} look like corrupted images; to compare them, name their clean data set "
                        "with --clean.",
                        homeless));
    return versions;
}

SourcedResult measure_versions(const std::vector<StoreGroup>& groups, const std::string& clean,
                               const std::set<std::size_t>& versions, const ReportOptions& options,
                               Said& said) {
    CorruptedAccuracyOptions how{.paths = {},
                                 .clean = clean,
                                 .plugins = options.measure.plugins,
                                 .level = options.measure.resampling.level,
                                 .threads = options.threads};
    std::string source;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const bool is_clean =
            groups[i].version.corruption == nullptr && groups[i].own_dataset == clean;
        if (is_clean) source = groups[i].folder.string();
        if (!is_clean && !versions.contains(i)) continue;
        for (const ReportStore& store : groups[i].stores)
            how.paths.push_back(store.folder.string());
    }
    const CorruptedAccuracyResult result = measure_corrupted(how);
    const Report report = report_of(result);
    for (const std::string& text : report.warnings) said.warn(text);
    said.partial = said.partial || report.partial;
    return {source, report.result};
}

}  // namespace

std::vector<SourcedResult> corrupted_results(std::vector<StoreGroup>& groups,
                                             const ReportOptions& options, Said& said) {
    std::vector<SourcedResult> results;
    std::set<std::size_t> measured;
    VersionsOf all = find_clean(groups, options.clean, said);
    if (!options.clean.empty() && all.empty()) all[options.clean];  // reports missing data
    for (const auto& [clean, versions] : all) {
        try {
            results.push_back(measure_versions(groups, clean, versions, options, said));
        } catch (const Error& error) {
            const bool about_input =
                error.code() == ErrorCode::usage || error.code() == ErrorCode::bad_input;
            if (!options.clean.empty() || !about_input) throw;
            said.leave_out(fmt::format("The corrupted versions of {} are not compared with it: {}.",
                                       clean, error.message()));
            continue;
        }
        measured.insert(versions.begin(), versions.end());
        said.leave_out(
            fmt::format("The report only has the accuracy of the {} corrupted versions of {}; make "
                        "a report of one of them to see all measurements.",
                        versions.size(), clean));
    }
    std::vector<StoreGroup> others;
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (!measured.contains(i)) others.push_back(std::move(groups[i]));
    groups = std::move(others);
    return results;
}

}  // namespace assay
