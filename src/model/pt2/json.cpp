#include "model/pt2/json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/json_limits.h"
#include "core/python_words.h"

namespace assay::pt2 {

nlohmann::json parse_export_json(std::string_view text) {
    constexpr int deepest = 128;
    std::string copy;
    return parse_json(without_python_words(text, copy), deepest);
}

double real_of(const JsonReader& value) {
    if (value.json().is_string()) {
        const std::string& word = value.text();
        if (word == "Infinity") return std::numeric_limits<double>::infinity();
        if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
        if (word == "NaN") return std::nan("");
    }
    return value.number();
}

}  // namespace assay::pt2
