// Reads any bytes as a .npy, .npz or .safetensors file of scores (by the first bytes). The result
// is rows that can be read, or an Error.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "scratch.h"
#include "store/kind_check.h"
#include "store/score_source.h"

namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
    static const fs::path made = fuzz::scratch_folder("arrays");
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay::store;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const char* const ending = bytes.starts_with("PK")        ? "npz"
                               : bytes.starts_with("\x93NUM") ? "npy"
                                                              : "safetensors";
    const fs::path file = folder() / (std::string("x.") + ending);
    std::ofstream(file, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    SourceOptions options;
    options.spool_folder = folder();
    for (const char* array : {"", "logits"}) {
        options.array = array;
        fuzz::attempt([&] {
            const ScoreSource source = open_source(file, options);
            if (source.ids && source.ids->size() != source.rows) std::abort();
            if (source.classes == 0) std::abort();
            std::vector<float> row(source.classes);
            for (std::uint64_t r = 0; r < std::min<std::uint64_t>(source.rows, 64); ++r) {
                source.read(r, 1, row);
                (void)facts_of_rows(row, source.classes, r, 1e-3);
            }
        });
    }
    return 0;
}
