// Reads any text as JSON lines of scores (if it begins with a brace) or as csv. The result is rows
// of valid classes, or an Error.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "assay/error.h"
#include "store/kind_check.h"
#include "store/score_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay::store;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    SourceOptions options;
    options.spool_folder = std::filesystem::temp_directory_path();
    options.classes = assay::ClassList({"a", "b", "c", "d", "e"});
    try {
        ScoreSource source = text.starts_with('{') ? read_jsonl(text, "fuzz.jsonl", options)
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
