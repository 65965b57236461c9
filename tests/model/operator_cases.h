// The models of make_onnx_ops.py. There is one for each operator and each variant that matters.
#pragma once

#include <string>
#include <string_view>

#include "images.h"
#include "scratch.h"

namespace assay {

inline std::string from_base64(const std::string& text) {
    std::string out;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        const auto at =
            std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
                .find(c);
        if (at == std::string_view::npos) break;
        bits = bits << 6 | static_cast<unsigned>(at);
        if ((count += 6) >= 8) out.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
    }
    return out;
}

inline nlohmann::json operator_cases(const char* name) {
    return nlohmann::json::parse(std::ifstream(fixture(name)));
}

/// Writes the model of a case, for images of 5 x 5.
inline ModelSpec operator_spec(const Scratch& scratch, const nlohmann::json& one) {
    ModelSpec spec = fixture_spec("op.onnx");
    spec.path = scratch / "op.onnx";
    spec.preprocess.height = spec.preprocess.width = 5;
    write(spec.path, from_base64(one["model"]));
    return spec;
}

}  // namespace assay
