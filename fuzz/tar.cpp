// Reads any bytes as a tar archive of images: samples, whose bytes can be read, or an Error.
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
    static const fs::path path = fuzz::scratch_folder("tar") / "x.tar";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    fuzz::attempt([&] {
        std::vector<std::string> notes;
        const assay::Dataset dataset = assay::open_dataset(path, {}, &notes);
        if (dataset.size() == 0 || dataset.archive == nullptr) std::abort();
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            if (dataset.labels[i].size() > 1) std::abort();
            // The file did not change, so every image is inside it.
            if (dataset.read_image(i).size() > size) std::abort();
        }
    });
    return 0;
}
