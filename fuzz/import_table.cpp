// Any text as a csv or jsonl of scores: rows of finite number of bytes with valid classes, or an
// Error.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "assay/error.h"
#include "store/kind_check.h"
#include "store/score_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay::store;
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    SourceOptions options;
    options.spool_folder = std::filesystem::temp_directory_path();
    options.classes = assay::ClassList({"a", "b", "c", "d", "e"});
    try {
        ScoreSource source = (data[0] & 1) != 0 ? read_jsonl(text, "fuzz.jsonl", options)
                                                : read_csv(text, "fuzz.csv", options);
        if (source.ids && source.ids->size() != source.rows) std::abort();
        if (source.top != 0) {
            for (const assay::TopEntry& entry : source.entries) {
                if (entry.cls < 0 || entry.cls >= 5) std::abort();
            }
            facts_of_entries(source.entries, source.top, 0, 1e-3);
        } else {
            std::vector<float> row(source.classes);
            for (std::uint64_t r = 0; r < source.rows; ++r) {
                source.read(r, 1, row);
                facts_of_rows(row, source.classes, r, 1e-3);
            }
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
