// Compares TorchScript modules that the tests build with closed forms, and with the same network in
// ONNX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/script.h>

#include "images.h"
#include "onnx_writer.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Sizes = OnnxWriter::Sizes;

/// A module. `body` may use the parameters by their names, and the buffer "b" if it is given.
torch::jit::Module script(const std::string& body,
                          const std::vector<std::pair<std::string, Sizes>>& parameters = {}) {
    torch::jit::Module module("Net");
    for (const auto& [name, sizes] : parameters)
        module.register_parameter(name, torch::zeros(sizes), false);
    module.define("def forward(self, x):\n" + body);
    return module;
}

ModelCost cost_of_script(const torch::jit::Module& module, int side, std::int64_t batch = 1) {
    const Scratch scratch;
    ModelSpec spec = fixture_spec("net.pt");
    spec.path = scratch / "net.pt";
    spec.preprocess.height = spec.preprocess.width = side;
    module.save(spec.path.string());
    CostRequest request;
    request.batch = batch;
    request.runs = 0;
    return open_classifier(spec, {"cpu", Isolation::on})->cost(request);
}

TEST(CostOfScript, ProductsByTheirSizes) {
    struct Case {
        const char* body;
        std::vector<std::pair<std::string, Sizes>> parameters;
        std::uint64_t macs, attention;
    };
    const Case cases[] = {
        // from 9 x 9 to 5 x 5
        {R"(
    return torch.conv2d(x, self.w, None, [2, 2], [1, 1], [1, 1], 1).flatten(1)
)",
         {{"w", {4, 3, 3, 3}}},
         25 * 4 * 27,
         0},
        {R"(
    return torch.conv2d(x, self.w, None, [1, 1], "same", [2, 2], 3).flatten(1)
)",
         {{"w", {6, 1, 3, 3}}},
         81 * 6 * 9,
         0},
        {R"(
    return torch.conv_transpose2d(x, self.w, None, [2, 2], [1, 1], [1, 1], 1, [1, 1]).flatten(1)
)",
         {{"w", {3, 4, 3, 3}}},
         81 * 3 * 36,
         0},
        {R"(
    return torch.conv1d(x.flatten(2), self.w).flatten(1)
)",
         {{"w", {4, 3, 5}}},
         77 * 4 * 15,
         0},
        {R"(
    return torch.conv3d(x.unsqueeze(1), self.w).flatten(1)
)",
         {{"w", {2, 1, 3, 3, 3}}},
         49 * 2 * 27,
         0},
        {R"(
    return torch.linear(x.flatten(1), self.w, self.c)
)",
         {{"w", {7, 243}}, {"c", {7}}},
         243 * 7,
         0},
        {R"(
    return torch.matmul(x.flatten(2), self.w).flatten(1)
)",
         {{"w", {81, 7}}},
         3 * 81 * 7,
         0},
        // 3 x 3 sums of 81 products each
        {R"(
    return torch.bmm(x.flatten(2), x.flatten(2).transpose(1, 2)).flatten(1)
)",
         {},
         9 * 81,
         9 * 81},
        {R"(
    return torch.einsum("nchw,ndhw->ncd", [x, x]).flatten(1)
)",
         {},
         9 * 81,
         9 * 81},
        {R"(
    return torch.einsum("nchw,dchw->nd", [x, self.w])
)",
         {{"w", {5, 3, 9, 9}}},
         5 * 243,
         0},
        {R"(
    return torch.addmm(self.c, x.flatten(1), self.w)
)",
         {{"w", {243, 7}}, {"c", {7}}},
         243 * 7,
         0},
        {R"(
    return torch.baddbmm(self.c, x.flatten(2), x.flatten(2).transpose(1, 2)).flatten(1)
)",
         {{"c", {1, 3, 3}}},
         9 * 81,
         9 * 81},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.body);
        for (const std::int64_t batch : {1, 3}) {
            const ModelCost cost = cost_of_script(script(one.body, one.parameters), 9, batch);
            const auto images = static_cast<std::uint64_t>(batch);
            EXPECT_EQ(cost.macs(), images * one.macs);
            EXPECT_EQ(cost.activation_macs(), images * one.attention);
            EXPECT_EQ(cost.calls_of(OperatorKind::unknown), 0U);
        }
    }
}

TEST(CostOfScript, EqualsTheSameNetworkInOnnx) {
    const ModelCost ours = cost_of_script(
        script(R"(
    y = torch.relu(torch.conv2d(x, self.a, None, [1, 1], [1, 1], [1, 1], 1))
    z = torch.relu(torch.conv2d(y, self.b, None, [1, 1], [1, 1], [1, 1], 8))
    y = y + z
    return torch.linear(y.mean([2, 3]), self.c, self.d)
)",
               {{"a", {8, 3, 3, 3}}, {"b", {8, 1, 3, 3}}, {"c", {5, 8}}, {"d", {5}}}),
        16);
    OnnxWriter net;
    const OnnxWriter::Attributes pads = {{"pads", Sizes{1, 1, 1, 1}}};
    const std::string y =
        net.node("Relu", {net.node("Conv", {"x", net.weight({8, 3, 3, 3})}, pads)});
    OnnxWriter::Attributes depthwise = pads;
    depthwise.emplace_back("group", std::int64_t{8});
    const std::string z =
        net.node("Relu", {net.node("Conv", {y, net.weight({8, 1, 3, 3})}, depthwise)});
    std::string end =
        net.node("Flatten", {net.node("GlobalAveragePool", {net.node("Add", {y, z})})});
    end =
        net.node("Gemm", {end, net.weight({5, 8}), net.weight({5})}, {{"transB", std::int64_t{1}}});
    const Scratch scratch;
    ModelSpec spec = fixture_spec("net.onnx");
    spec.path = scratch / "net.onnx";
    net.save(spec.path, end, 16);
    CostRequest request;
    request.runs = 0;
    const ModelCost theirs = open_classifier(spec, {"cpu"})->cost(request);
    EXPECT_EQ(ours.macs(), 256 * 8 * 27 + 256 * 8 * 9 + 40U);
    EXPECT_EQ(theirs.macs(), ours.macs());
    EXPECT_EQ(theirs.weights.parameters, ours.weights.parameters);
    // At the peak, y, the second convolution and z have 3 x 8 x 16 x 16 floats.
    EXPECT_EQ(ours.peak_bytes, 3 * 8 * 256 * 4U);
    EXPECT_EQ(theirs.peak_bytes, ours.peak_bytes);
}

TEST(CostOfScript, ResultsInPlaceAreTheirBase) {
    const std::string before = R"(
    y = torch.neg(x)
)";
    // For neg, these are x and y. For a separate relu, they are y and z, then z and its negative.
    EXPECT_EQ(cost_of_script(script(before + R"(
    z = torch.relu(y)
    return torch.add(z, y).flatten(1)
)"),
                             8)
                  .peak_bytes,
              3 * 768U);
    EXPECT_EQ(cost_of_script(script(before + R"(
    z = torch.relu_(y)
    return torch.add(z, y).flatten(1)
)"),
                             8)
                  .peak_bytes,
              2 * 768U);
    // A view that is written to keeps its base alive.
    EXPECT_EQ(cost_of_script(script(before + R"(
    z = y.transpose(1, 2)
    z.add_(1)
    w = torch.neg(x)
    return torch.add(w, y).flatten(1)
)"),
                             8)
                  .peak_bytes,
              3 * 768U);
}

TEST(CostOfScript, ParametersBuffersAndConstants) {
    torch::jit::Module module("Net");
    module.register_parameter("w", torch::zeros({7, 48}), false);
    module.register_parameter("again", module.attr("w").toTensor(), false);
    module.register_buffer("b", torch::zeros({48}));
    module.define(R"(
def forward(self, x):
    y = torch.linear(x.flatten(1) - self.b, self.w)
    return y + torch.linear(x.flatten(1), self.again)
)");
    module.eval();
    const ModelCost cost = cost_of_script(module, 4);
    EXPECT_EQ(cost.weights.parameters, 7 * 48U);
    EXPECT_EQ(cost.weights.buffers, 48U);
    EXPECT_EQ(cost.weights.bytes, 4 * (7 * 48 + 48U));
    EXPECT_EQ(cost.macs(), 2 * 7 * 48U);
    // In a frozen module, all weights are constants of the graph, and count as parameters.
    const ModelCost frozen = cost_of_script(torch::jit::freeze(module), 4);
    EXPECT_EQ(frozen.weights.parameters, 7 * 48 + 48U);
    EXPECT_EQ(frozen.weights.buffers, 0U);
    EXPECT_EQ(frozen.macs(), cost.macs());
}

TEST(CostOfScript, OperatorsWithoutARuleAreNamed) {
    const ModelCost cost = cost_of_script(script(R"(
    y = torch.fft_rfft2(torch.conv2d(x, self.w))
    return torch.abs(torch.fft_rfft2(torch.real(y))).flatten(1)
)",
                                                 {{"w", {2, 3, 1, 1}}}),
                                          8);
    EXPECT_EQ(cost.macs(), 64 * 2 * 3U);
    std::uint64_t calls = 0;
    for (const OperatorCost& op : cost.operators) {
        if (op.kind != OperatorKind::unknown) continue;
        EXPECT_THAT(op.name, HasSubstr("aten::_fft_"));
        calls += op.calls;
    }
    EXPECT_GE(calls, 2U);
}

TEST(CostOfScript, QuantisedLayersCountAsIntegers) {
    CostRequest request;
    request.runs = 0;
    std::unique_ptr<Classifier> classifier;
    try {
        classifier = open_classifier(fixture_spec("quantised_packed.pt"), {"cpu"});
    } catch (const Error& error) {
        GTEST_SKIP() << "this LibTorch has no engine for quantised layers: " << error.what();
    }
    const ModelCost cost = classifier->cost(request);
    // 8 x 8 x 4 by 27, and 256 by 5, then the weights and the biases of 4 and 5.
    EXPECT_EQ(cost.macs(), 64 * 4 * 27 + 256 * 5U);
    EXPECT_EQ(cost.weights.parameters, 4 * 27 + 4 + 256 * 5 + 5U);
    for (const OperatorCost& op : cost.operators)
        EXPECT_EQ(op.integer, op.kind == OperatorKind::product) << op.name;
    EXPECT_EQ(cost.calls_of(OperatorKind::unknown), 0U);
}

TEST(CostOfScript, BranchesAndLoopsCountAsOftenAsTheyRun) {
    const ModelCost cost = cost_of_script(script(R"(
    for i in range(5):
        x = torch.conv2d(x, self.w)
    if x.size(0) > 2:
        x = torch.conv2d(x, self.w)
    return x.flatten(1)
)",
                                                 {{"w", {3, 3, 1, 1}}}),
                                          4);
    EXPECT_EQ(cost.macs(), 5 * 16 * 9U);
}

}  // namespace
}  // namespace assay
