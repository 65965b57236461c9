// Networks whose parameters and multiply-accumulates are published, as ONNX files with zero
// weights.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "onnx_writer.h"

namespace assay {

/// He et al. 2016 with the stride in the 3 x 3 convolution, as in torchvision: 25,557,032
/// parameters and 4.089 GMAC at 224. The weights are in `weights.bin` next to the file.
inline void write_resnet50(const std::filesystem::path& path) {
    OnnxWriter net("weights.bin");
    const auto conv = [&](const std::string& x, std::int64_t in, std::int64_t out, std::int64_t k,
                          std::int64_t stride) {
        const std::int64_t pad = k / 2;
        const std::string y = net.node("Conv", {x, net.weight({out, in, k, k})},
                                       {{"kernel_shape", OnnxWriter::Sizes{k, k}},
                                        {"strides", OnnxWriter::Sizes{stride, stride}},
                                        {"pads", OnnxWriter::Sizes{pad, pad, pad, pad}}});
        return net.node("BatchNormalization", {y, net.weight({out}), net.weight({out}),
                                               net.weight({out}), net.weight({out})});
    };
    std::string x = net.node("Relu", {conv("x", 3, 64, 7, 2)});
    x = net.node("MaxPool", {x},
                 {{"kernel_shape", OnnxWriter::Sizes{3, 3}},
                  {"strides", OnnxWriter::Sizes{2, 2}},
                  {"pads", OnnxWriter::Sizes{1, 1, 1, 1}}});
    const std::array<std::array<std::int64_t, 3>, 4> stages = {
        {{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}}};
    std::int64_t in = 64;
    for (const auto& [blocks, width, first_stride] : stages) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::int64_t stride = b == 0 ? first_stride : 1;
            std::string y = net.node("Relu", {conv(x, in, width, 1, 1)});
            y = net.node("Relu", {conv(y, width, width, 3, stride)});
            y = conv(y, width, 4 * width, 1, 1);
            const std::string same = b == 0 ? conv(x, in, 4 * width, 1, stride) : x;
            x = net.node("Relu", {net.node("Add", {y, same})});
            in = 4 * width;
        }
    }
    x = net.node("Flatten", {net.node("GlobalAveragePool", {x})});
    x = net.node("Gemm", {x, net.weight({1000, 2048}), net.weight({1000})},
                 {{"transB", std::int64_t{1}}});
    net.save(path, x, 224);
}

/// Dosovitskiy et al. 2021, the base network with patches of 16, at 224: 86,567,656 parameters. The
/// scale of the attention and GELU have no products, so they are omitted.
inline void write_vit_b_16(const std::filesystem::path& path) {
    using Sizes = OnnxWriter::Sizes;
    OnnxWriter net("weights.bin");
    const auto norm = [&](const std::string& x) {
        return net.node("LayerNormalization", {x, net.weight({768}), net.weight({768})});
    };
    const auto linear = [&](const std::string& x, std::int64_t in, std::int64_t out) {
        const std::string y = net.node("MatMul", {x, net.weight({in, out})});
        return net.node("Add", {y, net.weight({out})});
    };
    const std::string heads = net.ints({0, 197, 12, 64}), joined = net.ints({0, 197, 768});
    std::string x = net.node("Conv", {"x", net.weight({768, 3, 16, 16}), net.weight({768})},
                             {{"strides", Sizes{16, 16}}});
    x = net.node("Reshape", {x, net.ints({0, 768, -1})});
    x = net.node("Transpose", {x}, {{"perm", Sizes{0, 2, 1}}});
    x = net.node("Concat", {net.weight({1, 1, 768}), x}, {{"axis", std::int64_t{1}}});
    x = net.node("Add", {x, net.weight({1, 197, 768})});
    for (int layer = 0; layer < 12; ++layer) {
        const std::string all =
            net.node("Split", {linear(norm(x), 768, 2304)}, {{"axis", std::int64_t{2}}}, 3);
        const auto head = [&](const std::string& part, const Sizes& order) {
            return net.node("Transpose", {net.node("Reshape", {part, heads})}, {{"perm", order}});
        };
        std::string y =
            net.node("MatMul", {head(all, {0, 2, 1, 3}), head(all + "_1", {0, 2, 3, 1})});
        y = net.node("Softmax", {y});
        y = net.node("MatMul", {y, head(all + "_2", {0, 2, 1, 3})});
        y = net.node("Reshape",
                     {net.node("Transpose", {y}, {{"perm", Sizes{0, 2, 1, 3}}}), joined});
        x = net.node("Add", {x, linear(y, 768, 768)});
        y = net.node("Relu", {linear(norm(x), 768, 3072)});
        x = net.node("Add", {x, linear(y, 3072, 768)});
    }
    x = net.node("Gather", {norm(x), net.ints({0})}, {{"axis", std::int64_t{1}}});
    x = net.node("Flatten", {x});
    x = net.node("Gemm", {x, net.weight({1000, 768}), net.weight({1000})},
                 {{"transB", std::int64_t{1}}});
    net.save(path, x, 224, 1);
}

}  // namespace assay
