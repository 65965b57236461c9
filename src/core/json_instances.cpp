#include "core/json_instances.h"

template class nlohmann::basic_json<>;
template class nlohmann::detail::serializer<nlohmann::json>;
template class std::vector<nlohmann::json>;
