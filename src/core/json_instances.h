// Only for precompiled headers (cmake/component.cmake): the longer functions of nlohmann::json are
// compiled once, in json_instances.cpp. Otherwise each group of sources has its own copies of them.
// The whole class is not instantiated, because its binary formats, which Assay does not use, take
// the longest to compile.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// KIND is `extern template` here and `template` in json_instances.cpp.
#define ASSAY_JSON_INSTANCES(KIND)                                                          \
    KIND class std::vector<nlohmann::json>;                                                 \
    KIND class nlohmann::detail::serializer<nlohmann::json>;                                \
    KIND class nlohmann::detail::lexer<nlohmann::json, assay_text_of_json>;                 \
    KIND class nlohmann::detail::parser<nlohmann::json, assay_text_of_json>;                \
    KIND nlohmann::basic_json<>::json_value::json_value(nlohmann::detail::value_t);         \
    KIND void nlohmann::basic_json<>::json_value::destroy(nlohmann::detail::value_t);       \
    KIND nlohmann::basic_json<>::basic_json(const nlohmann::json&);                         \
    KIND nlohmann::basic_json<>::basic_json(nlohmann::json::initializer_list_t, bool,       \
                                            nlohmann::detail::value_t);                     \
    KIND std::string nlohmann::basic_json<>::dump(int, char, bool,                          \
                                                  nlohmann::detail::error_handler_t) const; \
    KIND nlohmann::json& nlohmann::basic_json<>::at(const std::string&);                    \
    KIND const nlohmann::json& nlohmann::basic_json<>::at(const std::string&) const;        \
    KIND nlohmann::json& nlohmann::basic_json<>::at(std::size_t);                           \
    KIND const nlohmann::json& nlohmann::basic_json<>::at(std::size_t) const;               \
    KIND nlohmann::json& nlohmann::basic_json<>::operator[](std::size_t);                   \
    KIND void nlohmann::basic_json<>::update(const nlohmann::json&, bool);                  \
    KIND void nlohmann::basic_json<>::push_back(nlohmann::json&&);                          \
    KIND void nlohmann::basic_json<>::push_back(const nlohmann::json&);

using assay_text_of_json = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;
ASSAY_JSON_INSTANCES(extern template)
