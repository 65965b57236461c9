// Input, fixtures and expected scores for the model tests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/model/classifier.h"

namespace assay {

/// Returns the same numbers as images() in make_models.py, which are exact in float32.
inline std::vector<float> images(std::size_t n, std::size_t side) {
    std::vector<float> x(n * 3 * side * side);
    for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = static_cast<float>((k * 7919) % 1009) / 504.5F - 1.0F;
    return x;
}

inline std::filesystem::path fixture(const std::string& name) {
    return std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/model/fixtures" / name;
}

inline const nlohmann::json& expected() {
    static const nlohmann::json all =
        nlohmann::json::parse(std::ifstream(fixture("expected.json")));
    return all;
}

/// Writes a file. There are thousands of small ones, so they are not synced.
inline void write(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A spec for a fixture with images of 16 x 16.
inline ModelSpec fixture_spec(const std::string& name) {
    ModelSpec spec;
    spec.name = name;
    spec.path = fixture(name);
    spec.format = spec.path.extension() == ".onnx"  ? ModelFormat::onnx
                  : spec.path.extension() == ".pt2" ? ModelFormat::torch_export
                                                    : ModelFormat::torchscript;
    spec.preprocess.height = spec.preprocess.width = 16;
    return spec;
}

inline std::vector<float> run(Classifier& classifier, std::size_t n, std::size_t side) {
    std::vector<float> out(n * classifier.facts().classes);
    classifier.scores(images(n, side), n, out);
    return out;
}

/// The Error that `body` throws. The test fails without one.
template <class Body>
Error error_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error;
    }
    ADD_FAILURE() << "no error was thrown";
    return Error(ErrorCode::internal, "none");
}

}  // namespace assay
