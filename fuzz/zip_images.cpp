// Reads any bytes as a zip file of images: its images or an Error. Images that can be read have the
// size that is claimed.
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
    static const fs::path path = fuzz::scratch_folder("zip_images") / "x.zip";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    fuzz::attempt([&] {
        std::vector<std::string> notes;
        const assay::Dataset dataset = assay::open_dataset(path, {}, &notes);
        if (dataset.size() == 0 || dataset.archive == nullptr) std::abort();
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            if (dataset.labels[i].size() > 1) std::abort();
            // A damaged image does not hide the next one.
            fuzz::attempt([&] {
                if (dataset.read_image(i).size() > std::size_t{1032} * size) std::abort();
            });
        }
    });
    return 0;
}
