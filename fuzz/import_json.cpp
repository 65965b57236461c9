// Reads any text as predictions in JSON, and as a list of annotated items. The result is rows of
// valid classes, or an Error.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "assay/error.h"
#include "store/annotated_items.h"
#include "store/kind_check.h"
#include "store/score_source.h"

namespace {

using namespace assay::store;

void check_rows(const ScoreSource& source, std::int32_t classes) {
    if (source.ids && source.ids->size() != source.rows) std::abort();
    if (source.top != 0) {
        for (const assay::TopEntry& entry : source.entries) {
            if (entry.cls < 0 || entry.cls >= classes) std::abort();
        }
        facts_of_entries(source.entries, source.top, 0, 1e-3);
        return;
    }
    std::vector<float> row(source.classes);
    for (std::uint64_t r = 0; r < source.rows; ++r) {
        source.read(r, 1, row);
        facts_of_rows(row, source.classes, r, 1e-3);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    NumberedItems numbered;
    for (std::int32_t c = 0; c < 5; ++c) {
        numbered.images.emplace(c, "image" + std::to_string(c));
        numbered.categories.emplace(10 + c, c);
    }
    const assay::ClassList classes({"a", "b", "c", "d", "e"});
    SourceOptions options;
    options.spool_folder = std::filesystem::temp_directory_path();
    options.numbered = &numbered;
    for (const bool told : {true, false}) {
        if (told) options.classes = classes;
        if (!told) options.classes = {};
        try {
            const ScoreSource source = read_json(text, "fuzz.json", options);
            check_rows(source, told ? 5 : static_cast<std::int32_t>(source.classes));
        } catch (const assay::Error&) {
        }
        try {
            const AnnotatedItems items = read_annotated_items(text, options.classes);
            if (items.labels.size() != items.ids.size()) std::abort();
            for (const std::int32_t c : items.labels.classes()) {
                if (c < 0 || c >= static_cast<std::int32_t>(items.classes.size())) std::abort();
            }
        } catch (const assay::Error&) {
        }
    }
    return 0;
}
