// The quick start's images, for tests that evaluate them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "program.h"

namespace assay {

/// The first images of each of the six classes, at most 64. They are drawn once, with the build,
/// because drawing them takes longer than evaluating them.
inline void copy_shapes(const std::filesystem::path& folder, int each) {
    for (const auto& kind : std::filesystem::directory_iterator(ASSAY_SHAPES)) {
        const std::string name = kind.path().filename().string();
        std::filesystem::create_directories(folder / name);
        for (int i = 0; i < each; ++i) {
            const std::string file = fmt::format("{}_{:04}.png", name, i);
            std::filesystem::copy_file(kind.path() / file, folder / name / file);
        }
    }
}

/// Tests that use 240 of these images.
class ShapesTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        scratch_ = new Scratch;
        copy_shapes(images(), 40);
    }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }
    static std::filesystem::path images() { return *scratch_ / "shapes"; }
    static std::filesystem::path fresh(const std::string& name) { return *scratch_ / name; }

    /// Every file of a store's shards, by name.
    static std::map<std::string, std::string> shards_of(const std::filesystem::path& store) {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(store / "shards"))
            files[entry.path().filename().string()] = slurp(entry.path());
        return files;
    }

private:
    inline static Scratch* scratch_ = nullptr;
};

}  // namespace assay
