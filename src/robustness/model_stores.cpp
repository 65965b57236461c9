#include "assay/robustness/model_stores.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A store that was checked, once for any number of paths that lead to it.
struct Looked {
    fs::path folder;
    std::optional<PredictionStore> store;  ///< no value if it was closed again
    bool is_model = false;
    bool taken = false;
};

struct Found {
    ModelStores names;
    std::vector<PredictionStore> opened;  ///< the stores of names.folders, if they remain open
};

Found look_for_models(const std::vector<fs::path>& paths, bool keep_open) {
    std::vector<Looked> all;
    std::map<fs::path, std::size_t> known;
    const auto look_at = [&](const fs::path& folder) {
        std::error_code problem;
        fs::path whole = fs::weakly_canonical(folder, problem);
        const auto [at, is_new] = known.emplace(problem ? folder : std::move(whole), all.size());
        if (!is_new) return at->second;
        with_note(fmt::format("opening `{}`", folder.string()), [&] {
            PredictionStore store = PredictionStore::open(folder);
            const bool is_model = !derived_of(store).is_variant();
            all.push_back({.folder = folder, .store = {}, .is_model = is_model});
            if (keep_open) all.back().store = std::move(store);
        });
        return at->second;
    };
    std::vector<std::size_t> taken, attacked;
    for (const fs::path& path : paths) {
        std::vector<std::size_t> models, others;
        for (const fs::path& folder : find_stores(path)) {
            const std::size_t one = look_at(folder);
            (all[one].is_model ? models : others).push_back(one);
        }
        if (models.empty()) std::swap(models, others);
        for (const std::size_t one : models)
            if (!std::exchange(all[one].taken, true)) taken.push_back(one);
        attacked.insert(attacked.end(), others.begin(), others.end());
    }
    Found found;
    for (const std::size_t one : taken) {
        found.names.folders.push_back(all[one].folder);
        if (keep_open) found.opened.push_back(std::move(*all[one].store));
    }
    for (const std::size_t one : attacked)
        if (!std::exchange(all[one].taken, true)) found.names.attacked.push_back(all[one].folder);
    return found;
}

}  // namespace

ModelStores model_stores(const std::vector<fs::path>& paths) {
    return look_for_models(paths, false).names;
}

OpenedModels open_models(const std::vector<fs::path>& paths) {
    Found found = look_for_models(paths, true);
    return {std::move(found.opened), found.names.note()};
}

std::string ModelStores::note() const {
    if (attacked.empty()) return {};
    const std::string first = attacked.front().string();
    if (attacked.size() == 1)
        return fmt::format(
            "1 store of an attack is skipped, because it is not a separate model; to use it, name "
            "its folder: `{}`",
            first);
    return fmt::format(
        "{} stores of attacks are skipped, because they are not separate models; to use one, name "
        "its folder, as in `{}`",
        attacked.size(), first);
}

}  // namespace assay
