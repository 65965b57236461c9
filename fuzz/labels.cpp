// Reads any bytes as labels, a class list, a class map, an item table or a list of images. The
// result is an answer or an Error.
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;
using fuzz::attempt;

const fs::path& folder() {
    static const fs::path made = fuzz::scratch_folder("labels");
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr std::array<const char*, 5> extensions = {".json", ".csv", ".txt", ".npy", ".tsv"};
    const fs::path path = folder() / (std::string("x") + extensions[data[0] % extensions.size()]);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));

    static const assay::ClassList classes({"n01440764", "n01443537", "dog"},
                                          {"tench", "great white shark", "dog"});
    static const assay::Dataset items = [] {
        assay::Dataset made;
        for (const char* id : {"a/1.jpg", "b/2.jpg", "c/2.jpg"}) made.ids.append(id);
        return made;
    }();
    attempt([&] { assay::read_label_sets(path, items, classes); });
    attempt([&] { assay::read_label_sets(path, items, {}); });
    attempt([&] { assay::read_class_list(path); });
    attempt([&] { assay::class_map_named(path.string(), classes); });
    attempt([&] { assay::read_items_csv(path); });
    attempt([&] { assay::open_dataset(path, {}); });
    return 0;
}
