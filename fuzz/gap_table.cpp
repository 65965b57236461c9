// Reads any bytes as a published table of results. The result is a report or an Error.
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/gap.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto unit = static_cast<assay::TableUnit>(data[0] % 3);
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    try {
        const assay::GapTable table = assay::parse_gap_table(text, "table", unit);
        assay::to_json(assay::gap_of_table(table, {"V1", "V2"}, {}, {100, 50}))
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    } catch (const assay::Error&) {
    }
    return 0;
}
