// Reads any bytes as a table of quality dimensions (csv or json): a table that is written and read
// back, or an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "assay/error.h"
#include "assay/quality/table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay::quality;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const QualityTable table = parse_quality_table(text, "table");
        const std::string csv = write_quality_csv(table);
        if (write_quality_csv(parse_quality_table(csv, "csv")) != csv) std::abort();
        const std::string json = write_quality_json(table);  // texts with other bytes give an Error
        if (write_quality_json(parse_quality_table(json, "json")) != json) std::abort();
    } catch (const assay::Error&) {
    }
    return 0;
}
