// Reads any text as csv. The reader ends, and the result is the same when written and read again.
#include "containers/csv.h"

#include <cstdint>
#include <cstdlib>

#include "assay/error.h"

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text, assay::CsvOptions options) {
    assay::CsvReader reader(text, "fuzz.csv", options);
    Rows rows;
    while (reader.next()) {
        auto& row = rows.emplace_back();
        for (std::size_t c = 0; c < reader.fields(); ++c) row.emplace_back(reader[c]);
    }
    return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const Rows rows = rows_of(text, {.delimiter = '\0', .header = false});
        std::string again;
        assay::CsvWriter writer(again);
        for (const auto& row : rows) writer.row(row);
        if (rows_of(again, {.delimiter = ',', .header = false}) != rows) std::abort();
        assay::CsvReader with_header(text, "fuzz.csv");
        while (with_header.next()) {
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
