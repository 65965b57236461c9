// For precompiled headers alone (cmake/component.cmake): the functions of nlohmann::json are
// compiled once, in json_instances.cpp. Otherwise each group of sources has its own copies of them.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
extern template class std::vector<nlohmann::json>;
