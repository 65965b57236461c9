#include "assay/robustness/model_stores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "store/usable_stores.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A store that was checked once, even if several paths lead to it.
struct Looked {
    fs::path folder;
    std::optional<PredictionStore> store;  ///< no value if it was closed again
    bool is_model = false;
    bool is_damaged = false;
    bool is_calibrated = false;
    bool is_smoothed = false;
    bool taken = false;
};

struct Found {
    ModelStores names;
    std::vector<PredictionStore> opened;  ///< the stores of names.folders, if they remain open
};

enum class Stores { closed, open, closed_or_damaged };

Found look_for_models(const std::vector<fs::path>& paths, Stores wanted) {
    const bool keep_open = wanted == Stores::open;
    std::vector<Looked> all;
    std::map<fs::path, std::size_t> known;
    const auto look_at = [&](const fs::path& folder) {
        std::error_code problem;
        fs::path whole = fs::weakly_canonical(folder, problem);
        const auto [at, is_new] = known.emplace(problem ? folder : std::move(whole), all.size());
        if (!is_new) return at->second;
        with_note(fmt::format("opening `{}`", folder.string()), [&] {
            std::optional<PredictionStore> store = wanted == Stores::closed_or_damaged
                                                       ? store::open_unless_damaged(folder)
                                                       : PredictionStore::open(folder);
            if (!store) {
                all.push_back({.folder = folder, .store = {}, .is_damaged = true});
                return;
            }
            const DerivedStore derived = derived_of(*store);
            all.push_back({.folder = folder,
                           .store = {},
                           .is_model = !derived.is_variant(),
                           .is_calibrated = !derived.is_apart() && !derived.calibration.empty(),
                           .is_smoothed = derived.attack.empty() && !derived.smoothing.empty()});
            if (keep_open) all.back().store = std::move(store);
        });
        return at->second;
    };
    std::vector<std::size_t> taken, variants;
    for (const fs::path& path : paths) {
        std::vector<std::size_t> here;
        for (const fs::path& folder : find_stores(path)) here.push_back(look_at(folder));
        const bool has_models =
            std::ranges::any_of(here, [&](std::size_t one) { return all[one].is_model; });
        for (const std::size_t one : here) {
            if (has_models && !all[one].is_model && !all[one].is_damaged)
                variants.push_back(one);
            else if (!std::exchange(all[one].taken, true))
                taken.push_back(one);
        }
    }
    Found found;
    for (const std::size_t one : taken) {
        found.names.folders.push_back(all[one].folder);
        if (keep_open) found.opened.push_back(std::move(*all[one].store));
    }
    for (const std::size_t one : variants) {
        if (std::exchange(all[one].taken, true)) continue;
        found.names.variants.push_back(all[one].folder);
        found.names.calibrated += all[one].is_calibrated ? 1 : 0;
        found.names.smoothed += all[one].is_smoothed ? 1 : 0;
    }
    return found;
}

}  // namespace

ModelStores model_stores(const std::vector<fs::path>& paths, bool keep_damaged) {
    return look_for_models(paths, keep_damaged ? Stores::closed_or_damaged : Stores::closed).names;
}

OpenedModels open_models(const std::vector<fs::path>& paths) {
    Found found = look_for_models(paths, Stores::open);
    return {std::move(found.opened), found.names.note()};
}

std::string ModelStores::note() const {
    if (variants.empty()) return {};
    const std::string first = variants.front().string();
    std::vector<std::string> counts;
    for (const auto& [count, one, many] :
         {std::tuple(variants.size() - calibrated - smoothed, "store of an attack",
                     "stores of attacks"),
          std::tuple(smoothed, "store of a smoothed model", "stores of smoothed models"),
          std::tuple(calibrated, "calibrated copy", "calibrated copies")}) {
        if (count > 0) counts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    }
    std::string skipped = std::move(counts.back());
    counts.pop_back();
    if (!counts.empty()) skipped = fmt::format("{} and {}", fmt::join(counts, ", "), skipped);
    if (variants.size() == 1)
        return fmt::format(
            "{} is skipped, because it is not a separate model; to use it, name its folder: `{}`",
            skipped, first);
    return fmt::format(
        "{} are skipped, because they are not separate models; to use one, name its folder, as in "
        "`{}`",
        skipped, first);
}

}  // namespace assay
