// Compares scores and gradients of graphs with fused steps with those of single steps. Also tests
// steps that must not be fused.
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "images.h"
#include "model/torch/fused_layer.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/runtime.h"
#include "onnx_writer.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Sizes = OnnxWriter::Sizes;
using torch_plugin::Network;

constexpr int fused_side = 8;

ModelSpec fused_spec(const std::filesystem::path& path, int side) {
    ModelSpec spec = fixture_spec(path.filename().string());
    spec.path = path;
    spec.preprocess.height = spec.preprocess.width = side;
    return spec;
}

std::unique_ptr<Network> opened_network(const ModelSpec& spec, bool fuse) {
    static const bool prepared =
        (torch_plugin::prepare_process(), torch_plugin::define_newer_operators(), true);
    static_cast<void>(prepared);
    return spec.format == ModelFormat::onnx ? torch_plugin::load_onnx(spec, {}, fuse)
                                            : torch_plugin::load_pt2(spec, {}, fuse);
}

at::Tensor some_images(std::int64_t n, std::int64_t side, at::MemoryFormat order) {
    std::vector<float> numbers =
        images(static_cast<std::size_t>(n), static_cast<std::size_t>(side));
    return at::from_blob(numbers.data(), {n, 3, side, side}, at::kFloat).clone().contiguous(order);
}

at::Tensor scores_of(Network& network, const at::Tensor& x) {
    const c10::InferenceMode guard;
    return network.forward(x.clone());
}

at::Tensor input_gradient(Network& network, const at::Tensor& x) {
    const at::Tensor from = x.clone().requires_grad_();
    const at::Tensor y = network.forward(from).flatten(1);
    const at::Tensor sum = y.mul(at::arange(1, y.size(1) + 1, y.options())).sum();
    return torch::autograd::grad({sum}, {from}).front();
}

double apart(const at::Tensor& a, const at::Tensor& b) {
    return a.sub(b).abs().max().item<double>() / std::max(1e-3, b.abs().max().item<double>());
}

/// Compares both for one network, with one and three images, and in both memory orders.
void expect_same(Network& fused, Network& written, std::int64_t side) {
    for (const auto order : {at::MemoryFormat::ChannelsLast, at::MemoryFormat::Contiguous}) {
        for (const std::int64_t n : {1, 3}) {
            const at::Tensor x = some_images(n, side, order);
            const at::Tensor want = scores_of(written, x);
            ASSERT_GT(want.abs().max().item<double>(), 0);
            EXPECT_LT(apart(scores_of(fused, x), want), 1e-5);
            EXPECT_LT(apart(input_gradient(fused, x), input_gradient(written, x)), 1e-5);
        }
    }
}

struct Built {
    OnnxWriter net;
    std::string conv(const std::string& x, std::int64_t in, std::int64_t out, std::int64_t kernel,
                     std::int64_t groups = 1, std::int64_t stride = 1) {
        const std::int64_t pad = kernel / 2;
        return net.node("Conv",
                        {x, net.spread({out, in / groups, kernel, kernel}, -0.4F, 0.5F),
                         net.spread({out}, -0.2F, 0.3F)},
                        {{"pads", Sizes{pad, pad, pad, pad}},
                         {"strides", Sizes{stride, stride}},
                         {"group", groups}});
    }
    std::string norm(const std::string& x, std::int64_t channels) {
        return net.node("BatchNormalization",
                        {x, net.spread({channels}, 0.5F, 1.5F), net.spread({channels}, -0.3F, 0.3F),
                         net.spread({channels}, -0.5F, 0.5F), net.spread({channels}, 0.3F, 2)},
                        {{"epsilon", 1e-3}});
    }
};

/// Writes the graph, compares both ways, and returns the fused network.
std::unique_ptr<Network> compared(const std::function<std::string(Built&)>& build,
                                  bool expect_fused = true) {
    const Scratch scratch;
    Built built;
    const std::string result = build(built);
    const auto path = scratch / "net.onnx";
    built.net.save(path, built.net.node("Flatten", {result}), fused_side);
    const ModelSpec spec = fused_spec(path, fused_side);
    auto fused = opened_network(spec, true);
    const auto written = opened_network(spec, false);
    EXPECT_EQ(fused->fused(), expect_fused);
    EXPECT_FALSE(written->fused());
    EXPECT_EQ(written->as_written(), nullptr);
    if (expect_fused) {
        const auto again = fused->as_written();
        const at::Tensor x = some_images(2, fused_side, at::MemoryFormat::ChannelsLast);
        EXPECT_TRUE(scores_of(*again, x).equal(scores_of(*written, x)));
    }
    expect_same(*fused, *written, fused_side);
    return fused;
}

TEST(FusedGraph, ConvolutionsTakeTheirNormsSumsAndActivations) {
    compared([](Built& b) {
        const std::string stem = b.net.node("Relu", {b.norm(b.conv("x", 3, 8, 3), 8)});
        const std::string inner = b.net.node("Relu", {b.norm(b.conv(stem, 8, 8, 3, 8), 8)});
        const std::string sum = b.net.node("Add", {stem, b.norm(b.conv(inner, 8, 8, 1), 8)});
        const std::string down = b.norm(b.conv(b.net.node("Relu", {sum}), 8, 16, 1, 1, 2), 16);
        const std::string side = b.norm(b.conv(b.net.node("Relu", {sum}), 8, 16, 3, 4, 2), 16);
        return b.net.node("Relu", {b.net.node("Add", {down, side})});
    });
}

TEST(FusedGraph, TheProductWithASigmoidIsOneActivation) {
    compared([](Built& b) {
        const std::string y = b.norm(b.conv("x", 3, 6, 3), 6);
        return b.net.node("Mul", {b.net.node("Sigmoid", {y}), y});
    });
}

TEST(FusedGraph, OtherActivations) {
    compared([](Built& b) {
        const std::string clipped = b.net.node(
            "Clip", {b.conv("x", 3, 4, 3), b.net.spread({}, 0, 0), b.net.spread({}, 6, 6)});
        const std::string narrow = b.net.node(
            "Clip", {b.conv(clipped, 4, 4, 3), b.net.spread({}, 0, 0), b.net.spread({}, 1, 1)});
        const std::string y = b.net.node("HardSwish", {b.conv(narrow, 4, 6, 5)});
        const std::string rows = b.net.node("Transpose", {y}, {{"perm", Sizes{0, 2, 3, 1}}});
        const std::string wide =
            b.net.node("Add", {b.net.node("MatMul", {rows, b.net.spread({6, 12}, -0.5F, 0.4F)}),
                               b.net.spread({12}, -0.3F, 0.2F)});
        return b.net.node("com.microsoft::Gelu", {wide});
    });
}

TEST(FusedGraph, AResultThatIsReadTwiceStays) {
    compared([](Built& b) {
        const std::string y = b.conv("x", 3, 6, 3);
        const std::string sum = b.net.node("Add", {b.net.node("Relu", {y}), y});
        // Two steps use the gate: the product and the sum.
        const std::string z = b.conv(sum, 6, 6, 1);
        const std::string gate = b.net.node("Sigmoid", {z});
        return b.net.node("Add", {b.net.node("Mul", {z, gate}), gate});
    });
}

TEST(FusedGraph, ASumOfAResultWithItselfStays) {
    compared([](Built& b) {
        const std::string y = b.conv("x", 3, 6, 3);
        return b.net.node("Add", {y, y});
    });
}

TEST(FusedGraph, AWeightOfTwoConvolutionsIsFoldedForEach) {
    compared([](Built& b) {
        const std::string weight = b.net.spread({3, 3, 3, 3}, -0.3F, 0.4F);
        const OnnxWriter::Attributes pads = {{"pads", Sizes{1, 1, 1, 1}}};
        const std::string first = b.norm(b.net.node("Conv", {"x", weight}, pads), 3);
        return b.norm(b.net.node("Conv", {first, weight}, pads), 3);
    });
}

TEST(FusedGraph, ASumMayBeLargerThanTheConvolution) {
    compared([](Built& b) {
        const std::string pooled = b.net.node("GlobalAveragePool", {b.conv("x", 3, 6, 3)});
        return b.net.node("Add", {b.conv(pooled, 6, 6, 1), b.conv("x", 3, 6, 3)});
    });
}

TEST(FusedGraph, AWeightThatAnImageMakesStays) {
    compared(
        [](Built& b) {
            // A tensor of 1 x 3 x 1 x 1 only counts as a weight if it does not depend on the
            // images. Here it is a mean over the batch.
            const std::string mean = b.net.node(
                "ReduceMean", {"x"}, {{"axes", Sizes{0, 2, 3}}, {"keepdims", std::int64_t{1}}});
            return b.net.node("Relu", {b.net.node("Conv", {"x", mean})});
        },
        false);
}

TEST(FusedGraph, ABatchNormOfTheWrongWidthFailsAsItDoesAlone) {
    const Scratch scratch;
    Built b;
    const std::string y = b.norm(b.conv("x", 3, 6, 3), 5);
    b.net.save(scratch / "net.onnx", b.net.node("Flatten", {y}), fused_side);
    const ModelSpec spec = fused_spec(scratch / "net.onnx", fused_side);
    const at::Tensor x = some_images(1, fused_side, at::MemoryFormat::ChannelsLast);
    const auto refusal = [&](bool fuse) {
        std::string message;
        try {
            scores_of(*opened_network(spec, fuse), x);
        } catch (const std::exception& error) {
            message = error.what();
        }
        return message;
    };
    EXPECT_THAT(refusal(true), HasSubstr("BatchNormalization"));
    EXPECT_EQ(refusal(true), refusal(false));
}

TEST(FusedGraph, AnImageThatIsTooSmallIsRefused) {
    const Scratch scratch;
    Built b;
    const std::string y = b.net.node("Conv", {"x", b.net.spread({4, 3, 7, 7}, -1, 1)});
    b.net.save(scratch / "net.onnx", b.net.node("Flatten", {y}), 4);
    const auto network = opened_network(fused_spec(scratch / "net.onnx", 4), true);
    ASSERT_TRUE(network->fused());
    for (const auto order : {at::MemoryFormat::ChannelsLast, at::MemoryFormat::Contiguous}) {
        EXPECT_THROW(scores_of(*network, some_images(2, 4, order)), std::exception);
    }
}

TEST(FusedGraph, ExportedProgramsAreTheSame) {
    int fused = 0;
    for (const char* name : {"pt2_plain.pt2", "pt2_in_place.pt2", "pt2_decomposed_cnn.pt2",
                             "pt2_decomposed.pt2", "pt2_vit.pt2", "pt2_no_grad.pt2",
                             "pt2_through_reshape.pt2", "pt2_tied.pt2", "pt2_kernels.pt2"}) {
        SCOPED_TRACE(name);
        const auto quick = opened_network(fixture_spec(name), true);
        const auto written = opened_network(fixture_spec(name), false);
        fused += quick->fused() ? 1 : 0;
        const at::Tensor x = some_images(2, 16, at::MemoryFormat::Contiguous);
        EXPECT_LT(apart(scores_of(*quick, x), scores_of(*written, x)), 1e-5);
        const at::Tensor last = some_images(2, 16, at::MemoryFormat::ChannelsLast);
        EXPECT_LT(apart(scores_of(*quick, last), scores_of(*written, x)), 1e-5);
    }
    EXPECT_GT(fused, 3);
}

TEST(FusedGraph, ThreadsThatBeginTogetherGetTheSameBits) {
    const auto network = compared([](Built& b) {
        return b.net.node("Relu",
                          {b.norm(b.conv(b.norm(b.conv("x", 3, 32, 3), 32), 32, 16, 1), 16)});
    });
    const at::Tensor x = some_images(3, fused_side, at::MemoryFormat::ChannelsLast);
    std::vector<at::Tensor> got(4);
    {
        std::vector<std::jthread> threads;
        for (at::Tensor& one : got) {
            threads.emplace_back([&network, &x, &one] {
                torch_plugin::prepare_thread();
                one = scores_of(*network, x);
            });
        }
    }
    for (const at::Tensor& one : got) EXPECT_TRUE(one.equal(got[0]));
}

TEST(FusedGraph, TheEnvironmentCanAskForTheGraphAsWritten) {
    ::setenv("ASSAY_GRAPH", "written", 1);
    EXPECT_FALSE(torch_plugin::may_fuse());
    ::setenv("ASSAY_GRAPH", "folded", 1);
    EXPECT_THAT(error_of([] { torch_plugin::may_fuse(); }).what(),
                HasSubstr("ASSAY_GRAPH is \"folded\"; allowed: written, fused (the default)"));
    ::unsetenv("ASSAY_GRAPH");
    EXPECT_TRUE(torch_plugin::may_fuse());
}

}  // namespace
}  // namespace assay
