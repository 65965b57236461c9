#include "store/same_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/hash.h"
#include "core/refuse.h"

namespace assay::store {

SharedModels shared_models(std::span<const std::string> one, std::span<const std::string> two) {
    const std::set<std::string> a(one.begin(), one.end()), b(two.begin(), two.end());
    SharedModels out;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out.both));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out.only_one));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(out.only_two));
    return out;
}

std::string names_text(const std::vector<std::string>& names) {
    constexpr std::size_t most = 12;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()));
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                       names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

void require_shared(const SharedModels& models, const std::string& one, const std::string& two) {
    if (!models.both.empty()) return;
    refuse(fmt::format("no model has scores on both {0} and {1}: {0} has {2}; {1} has {3}", one,
                       two, names_text(models.only_one), names_text(models.only_two)));
}

SameOrigin same_origin(const StoreSpec& one, const StoreSpec& two) {
    return {.file = one.model_hash == two.model_hash,
            .preprocessing = one.preprocess_hash == two.preprocess_hash,
            .rows = one.import_hash == two.import_hash};
}

const std::string& model_file_of(const StoreSpec& store) {
    static const std::string none;
    return store.preprocess_hash.empty() ? none : store.model_hash;
}

bool same_model_file(const std::string& one, const std::string& two) {
    return one.empty() || two.empty() || one == two;
}

bool same_preprocessing(const StoreSpec& one, const StoreSpec& two) {
    return one.preprocess_hash.empty() || two.preprocess_hash.empty() ||
           same_origin(one, two).preprocessing;
}

bool made_by(const PredictionStore& store, const std::filesystem::path& model) {
    return store.spec().model_hash == hash_file(model);
}

}  // namespace assay::store
