// Reads any bytes as a file with arrays of images. The result is images or an Error. The first byte
// chooses the kind of file.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "scratch.h"

namespace fs = std::filesystem;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fs::path folder = fuzz::scratch_folder("arrays");
    constexpr std::array<const char*, 7> names = {
        "x.npy",          "x.npz",          "x-idx3-ubyte", "x-idx3-ubyte.gz",
        "test_batch.pkl", "test_batch.bin", "x.mat"};
    if (size == 0) return 0;
    const fs::path path = folder / names[data[0] % names.size()];
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
    fuzz::attempt([&] {
        std::vector<std::string> notes;
        const assay::Dataset dataset = assay::open_dataset(path, {}, &notes);
        if (dataset.size() == 0 || dataset.archive == nullptr) std::abort();
        const std::size_t most = 64;
        for (std::size_t i = 0; i < dataset.size() && i < most; ++i) {
            if (dataset.labels[i].size() > 1) std::abort();
            // An opened file can be read.
            if (dataset.read_image(i).size() > 32 + std::size_t{1032} * size) std::abort();
        }
    });
    fs::remove(path);
    return 0;
}
