// Reads any bytes as a table of boxes, then as a pool of patches of one image. Every box is a patch
// inside the image or is listed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/patchml/boxes.h"
#include "core/text.h"
#include "patchml/box_readers.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;

constexpr int side = 5;

const fs::path& images() {
    static const fs::path made = [] {
        const fs::path folder = fuzz::scratch_folder("boxes");
        assay::save_png({side, side, std::vector<std::uint8_t>(4 * side * side, 7)},
                        folder / "a.png");
        return folder;
    }();
    return made;
}

/// If classes are numbers, all up to the largest are counted, at most a million. This is correct
/// but slow, so such inputs are skipped.
bool has_large_number(const assay::BoxList& list) {
    return std::ranges::any_of(list.classes, [](const std::string& cls) {
        std::uint64_t number = 0;
        return assay::parse_number(cls, number) && number > 1000;
    });
}

void check_pool(const assay::BoxList& list) {
    if (has_large_number(list)) return;
    const assay::PatchPool pool = assay::make_pool(list, images(), {.threads = 1});
    if (pool.patches.size() + pool.rejected.size() != pool.read) std::abort();
    for (const assay::Patch& patch : pool.patches) {
        const bool inside = patch.x >= 0 && patch.y >= 0 && patch.width > 0 && patch.height > 0 &&
                            patch.x + patch.width <= side && patch.y + patch.height <= side;
        if (!inside || patch.cls < 0 || static_cast<std::size_t>(patch.cls) >= pool.classes.size())
            std::abort();
    }
    (void)assay::rejected_csv(pool.rejected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    assay::BoxList list;
    assay::BoxListBuilder out(list);
    out.source("x.csv");
    try {
        list.corners = static_cast<assay::Corners>(data[0] / 2 % 3);
        data[0] % 2 == 0 ? assay::parse_solution(text, "x.csv", out)
                         : assay::parse_box_csv(text, "x.csv", out);
        check_pool(list);
    } catch (const assay::Error&) {
    }
    return 0;
}
