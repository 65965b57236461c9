#include "core/toml.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"

// toml++ 3.3 asserts on some damaged files ("[@"), which would end the process: bad input throws
// instead.
namespace {
[[noreturn]] void refuse_toml() {
    throw assay::Error(assay::ErrorCode::bad_input, "not valid TOML");
}
}  // namespace
#undef NDEBUG  // with it toml++ takes this macro away
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : refuse_toml())
#include <toml++/toml.h>

namespace assay {
namespace {

using nlohmann::json;

json to_json(const toml::node& node) {
    if (const auto* table = node.as_table()) {
        json out = json::object();
        for (const auto& [key, value] : *table) out[std::string(key.str())] = to_json(value);
        return out;
    }
    if (const auto* array = node.as_array()) {
        json out = json::array();
        for (const auto& value : *array) out.push_back(to_json(value));
        return out;
    }
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_integer()) return value->get();
    if (const auto* value = node.as_floating_point()) return value->get();
    if (const auto* value = node.as_boolean()) return value->get();
    throw Error(ErrorCode::bad_input,
                fmt::format("line {} holds a date or time; no setting takes one",
                            static_cast<unsigned>(node.source().begin.line)));
}

/// TOML allows characters beyond ASCII in quotes and comments only; toml++ 3.3 has undefined
/// behaviour elsewhere.
void refuse_bare_non_ascii(std::string_view text) {
    unsigned line = 1;
    std::string_view quote;  // the delimiter that ends the string we are in, or "\n" in a comment
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (text[i] == '\n') ++line;
        if (quote.empty()) {
            if (static_cast<unsigned char>(text[i]) >= 0x80 &&
                !(i < 3 && text.starts_with("\xef\xbb\xbf"))) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format(
                        "not valid TOML: a character beyond ASCII outside quotes in line {}",
                        line));
            }
            for (const std::string_view opening : {"\"\"\"", "'''", "\"", "'", "#"}) {
                if (!rest.starts_with(opening)) continue;
                quote = opening == "#" ? "\n" : opening;
                i += opening.size() - 1;
                break;
            }
        } else if (quote.front() == '"' && text[i] == '\\') {
            ++i;  // the escaped character ends nothing
        } else if (rest.starts_with(quote) || (quote.size() == 1 && text[i] == '\n')) {
            i += quote.size() - 1;
            quote = {};
        }
    }
}

}  // namespace

json parse_toml(std::string_view text) {
    refuse_bare_non_ascii(text);
    try {
        return to_json(toml::parse(text));
    } catch (const toml::parse_error& error) {
        const auto at = error.source().begin;
        throw Error(ErrorCode::bad_input,
                    fmt::format("not valid TOML: {} (line {}, column {})", error.description(),
                                static_cast<unsigned>(at.line), static_cast<unsigned>(at.column)));
    }
}

}  // namespace assay
