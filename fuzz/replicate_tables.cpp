// Reads any bytes as annotations, frequencies or hits, then runs cleaning, counting, joining and
// adjusting. The result is numbers or an Error.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "assay/error.h"
#include "assay/replication/adjust.h"
#include "assay/replication/matching.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;
using namespace assay::replication;
using fuzz::attempt;

const fs::path& folder() {
    static const fs::path made = fuzz::scratch_folder("replicate");
    return made;
}

void use(const Readings& readings, const fs::path& path, const StudyNames& names) {
    attempt([&] { match(readings, readings, names, {.per_class = 2, .annotators = 1}); });
    attempt([&] { keep_annotators(readings, 2, 1, "fuzz"); });
    attempt([&] {
        const Hits hits = read_hits_csv(path);
        const Study study = join_study(readings, hits, readings, hits, names);
        AdjustOptions options;
        options.bootstrap = 20;
        options.threads = 1;
        adjust(study, options);
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fs::path path = folder() / "x.csv";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    attempt([&] { is_raw_selections(path); });
    attempt([&] { read_hits_csv(path); });
    attempt([&] {
        StudyNames names;
        Selections set = read_selections(path, names);
        attempt([&] {
            Selections* const sets[] = {&set};
            clean(sets, names, {});
        });
        remove_duplicates(set);
        overlap_warning(annotator_overlap(set, set));
        use(count_readings(set), path, names);
    });
    attempt([&] {
        StudyNames names;
        use(read_frequencies(path, names), path, names);
    });
    return 0;
}
