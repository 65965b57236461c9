#include "assay/robustness/model_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"

namespace assay {

ModelStores model_stores(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::filesystem::path> taken, attacked;
    for (const std::filesystem::path& path : paths) {
        std::vector<std::filesystem::path> models, others;
        for (std::filesystem::path& folder : find_stores(path)) {
            bool is_model = false;
            with_note(fmt::format("opening `{}`", folder.string()),
                      [&] { is_model = derived_of(PredictionStore::open(folder)).attack.empty(); });
            (is_model ? models : others).push_back(std::move(folder));
        }
        if (models.empty()) std::swap(models, others);
        std::ranges::move(models, std::back_inserter(taken));
        std::ranges::move(others, std::back_inserter(attacked));
    }
    ModelStores found;
    if (!taken.empty()) found.folders = find_stores(taken);  // each once
    if (attacked.empty()) return found;
    const auto is_taken = [&](const std::filesystem::path& folder) {
        return std::ranges::any_of(found.folders, [&](const std::filesystem::path& other) {
            std::error_code unknown;
            return std::filesystem::equivalent(folder, other, unknown);
        });
    };
    for (std::filesystem::path& folder : find_stores(attacked))
        if (!is_taken(folder)) found.attacked.push_back(std::move(folder));
    return found;
}

std::string ModelStores::note() const {
    if (attacked.empty()) return {};
    const std::string first = attacked.front().string();
    if (attacked.size() == 1)
        return fmt::format(
            "1 store of an attack is skipped, because it is no further model; to use it, name its "
            "folder: `{}`",
            first);
    return fmt::format(
        "{} stores of attacks are skipped, because they are no further models; to use one, name "
        "its folder, as in `{}`",
        attacked.size(), first);
}

}  // namespace assay
