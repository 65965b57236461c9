#include "same_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

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

}  // namespace assay::store
