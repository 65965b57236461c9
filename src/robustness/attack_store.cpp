#include "robustness/attack_store.h"

#include <algorithm>
#include <string_view>

#include "assay/robustness/attack.h"

namespace assay::robustness {

bool is_of_an_attack(const std::string& name, const std::vector<std::string>& models) {
    const auto at = name.rfind('@');
    if (at == std::string::npos) return false;
    const std::string_view rest = std::string_view(name).substr(at + 1);
    const auto begins = [&](std::string_view attack) {
        return rest.size() > attack.size() && rest.starts_with(attack) &&
               rest[attack.size()] == '-';
    };
    const bool known = begins("autoattack") || std::ranges::any_of(attacks(), [&](const Attack& a) {
                           return begins(a.name);
                       });
    return known && std::find(models.begin(), models.end(), name.substr(0, at)) != models.end();
}

}  // namespace assay::robustness
