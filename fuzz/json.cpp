// Reads any text with the project's JSON reader. An accepted text is the same when written and read
// again, as a tree and as events. nlohmann's own parser accepts it, too.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "core/json_events.h"
#include "core/json_limits.h"

namespace {

/// Accepts every event and stores none.
class Nothing : public nlohmann::json_sax<nlohmann::json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        damaged = true;
        return false;
    }
    bool damaged = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr int depth = 20;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    bool read = false;
    try {
        const nlohmann::json value = assay::parse_json(text, depth, 100'000);
        read = true;
        if (!nlohmann::json::accept(text)) std::abort();
        if (assay::parse_json(value.dump(), depth, 100'000) != value) std::abort();
    } catch (const assay::Error&) {
    }
    Nothing events;
    try {
        assay::read_json_events(text, depth, events, "fuzz.json");
        if (events.damaged && read) std::abort();
    } catch (const assay::Error&) {
        if (read) std::abort();
    }
    return 0;
}
