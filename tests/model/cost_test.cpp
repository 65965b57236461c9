// Counts are by hand. Each expected number is the product of the sizes in the line above it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "images.h"
#include "onnx_writer.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Sizes = OnnxWriter::Sizes;

/// Counts without timing.
CostRequest counted_only(std::int64_t batch = 1) {
    CostRequest request;
    request.batch = batch;
    request.runs = 0;
    return request;
}

ModelSpec cost_spec(const std::filesystem::path& path, int side) {
    ModelSpec spec = fixture_spec(path.filename().string());
    spec.path = path;
    spec.preprocess.height = spec.preprocess.width = side;
    return spec;
}

/// The cost of a network on images of side x side, whose result is flattened to scores.
ModelCost cost_of(OnnxWriter net, const std::string& result, int side, std::int64_t batch = 1) {
    const Scratch scratch;
    const auto path = scratch / "net.onnx";
    net.save(path, net.node("Flatten", {result}), side);
    return open_classifier(cost_spec(path, side), {"cpu"})->cost(counted_only(batch));
}

ModelCost cost_of_fixture(const std::string& name, std::int64_t batch = 1) {
    return open_classifier(fixture_spec(name), {"cpu"})->cost(counted_only(batch));
}

struct ConvCase {
    const char* what;
    const char* op;
    Sizes weight;
    OnnxWriter::Attributes attributes;
    std::uint64_t macs;
    Sizes shape = {};  ///< shape of the input, or empty for n x 3 x 9 x 9
};

TEST(Cost, Convolutions) {
    const std::int64_t three = 3;
    const ConvCase cases[] = {
        {"padding keeps 9 x 9", "Conv", {4, 3, 3, 3}, {{"pads", Sizes{1, 1, 1, 1}}}, 81 * 4 * 27},
        {"without padding 7 x 7", "Conv", {4, 3, 3, 3}, {}, 49 * 4 * 27},
        {"stride 2: 4 x 4", "Conv", {4, 3, 3, 3}, {{"strides", Sizes{2, 2}}}, 16 * 4 * 27},
        {"stride 2 x 1: 4 x 7", "Conv", {4, 3, 3, 3}, {{"strides", Sizes{2, 1}}}, 28 * 4 * 27},
        {"dilation 2, reach 5: 5 x 5",
         "Conv",
         {4, 3, 3, 3},
         {{"dilations", Sizes{2, 2}}},
         25 * 4 * 27},
        {"padding on one side: 9 x 7",
         "Conv",
         {4, 3, 3, 3},
         {{"pads", Sizes{0, 0, 2, 0}}},
         63 * 4 * 27},
        {"3 groups", "Conv", {6, 1, 3, 3}, {{"group", three}}, 49 * 6 * 9},
        {"a kernel of 5 x 1: 5 x 9", "Conv", {2, 3, 5, 1}, {}, 45 * 2 * 15},
        {"one dimension", "Conv", {4, 3, 5}, {{"pads", Sizes{2, 2}}}, 81 * 4 * 15, {0, 3, 81}},
        {"three dimensions: 1 x 7 x 7", "Conv", {2, 1, 3, 3, 3}, {}, 49 * 2 * 27, {0, 1, 3, 9, 9}},
        // Transposed: each of the 9 x 9 x 3 input numbers is multiplied by 4 x 3 x 3
        // weights.
        {"transposed", "ConvTranspose", {3, 4, 3, 3}, {}, 81 * 3 * 36},
        {"transposed, stride 2",
         "ConvTranspose",
         {3, 4, 3, 3},
         {{"strides", Sizes{2, 2}}},
         81 * 3 * 36},
        {"transposed, 3 groups", "ConvTranspose", {3, 2, 3, 3}, {{"group", three}}, 81 * 3 * 18},
    };
    for (const ConvCase& one : cases) {
        SCOPED_TRACE(one.what);
        OnnxWriter net;
        std::string x = "x";
        if (!one.shape.empty()) x = net.node("Reshape", {x, net.ints(one.shape)});
        std::uint64_t parameters = 1;
        for (const std::int64_t size : one.weight) parameters *= static_cast<std::uint64_t>(size);
        x = net.node(one.op, {x, net.weight(one.weight)}, one.attributes);
        const ModelCost cost = cost_of(net, x, 9);
        EXPECT_EQ(cost.macs(), one.macs);
        EXPECT_EQ(cost.activation_macs(), 0U);
        EXPECT_EQ(cost.weights.parameters, parameters);
        EXPECT_EQ(cost.calls_of(OperatorKind::product), 1U);
        EXPECT_EQ(cost.calls_of(OperatorKind::unknown), 0U);
    }
}

TEST(Cost, MatrixProducts) {
    {
        OnnxWriter net;
        const std::string flat = net.node("Flatten", {"x"});
        // 3 * 16 numbers become 10. The bias is not a product.
        const std::string y = net.node("Gemm", {flat, net.weight({10, 48}), net.weight({10})},
                                       {{"transB", std::int64_t{1}}});
        EXPECT_EQ(cost_of(net, y, 4).macs(), 480U);
        EXPECT_EQ(cost_of(net, y, 4, 5).macs(), 5 * 480U);
        EXPECT_EQ(cost_of(net, y, 4).weights.parameters, 490U);
    }
    {
        OnnxWriter net;
        const std::string flat = net.node("Flatten", {"x"});
        EXPECT_EQ(cost_of(net, net.node("Gemm", {flat, net.weight({48, 10})}), 4).macs(), 480U);
    }
    {
        // n x 1 x 3 x 16 by 5 x 16 x 7 gives n x 5 x 3 x 7 sums of 16.
        OnnxWriter net;
        const std::string x = net.node("Reshape", {"x", net.ints({0, 1, 3, 16})});
        const ModelCost cost = cost_of(net, net.node("MatMul", {x, net.weight({5, 16, 7})}), 4, 2);
        EXPECT_EQ(cost.macs(), 2 * 5 * 3 * 7 * 16U);
        EXPECT_EQ(cost.activation_macs(), 0U);
    }
}

TEST(Cost, ProductsOfTwoActivationsAreToldApart) {
    // Rows by rows give n x 3 x 3 sums of 16, then n x 3 x 16 sums of 3, and then a weight.
    OnnxWriter net;
    const std::string x = net.node("Reshape", {"x", net.ints({0, 3, 16})});
    const std::string turned = net.node("Transpose", {x}, {{"perm", Sizes{0, 2, 1}}});
    const std::string weights = net.node("Softmax", {net.node("MatMul", {x, turned})});
    const std::string y = net.node("MatMul", {weights, x});
    const ModelCost cost = cost_of(net, net.node("MatMul", {y, net.weight({16, 2})}), 4, 2);
    EXPECT_EQ(cost.activation_macs(), 2 * (9 * 16 + 48 * 3U));
    EXPECT_EQ(cost.macs(), 2 * (9 * 16 + 48 * 3 + 3 * 2 * 16U));
    EXPECT_EQ(cost.calls_of(OperatorKind::softmax), 1U);
    EXPECT_EQ(cost.elements_of(OperatorKind::softmax), 2 * 9U);
}

TEST(Cost, EinsumIsCountedByTheProductsThatItBecomes) {
    const auto einsum_of = [](const char* equation, const Sizes& weight) {
        OnnxWriter net;
        const std::string x = net.node("Reshape", {"x", net.ints({0, 3, 16})});
        const std::string other = weight.empty() ? x : net.weight(weight);
        return cost_of(net, net.node("Einsum", {x, other}, {{"equation", equation}}), 4);
    };
    EXPECT_EQ(einsum_of("nck,kd->ncd", {16, 5}).macs(), 3 * 5 * 16U);
    EXPECT_EQ(einsum_of("nck,kd->ncd", {16, 5}).activation_macs(), 0U);
    // The sums are over c and k. A sum over only one factor has no products.
    EXPECT_EQ(einsum_of("nck,ckd->nd", {3, 16, 5}).macs(), 3 * 16 * 5U);
    EXPECT_EQ(einsum_of("nck,ndk->ncd", {}).macs(), 3 * 3 * 16U);
    EXPECT_EQ(einsum_of("nck,ndk->ncd", {}).activation_macs(), 3 * 3 * 16U);
}

TEST(Cost, WeightsThatAreSharedAreHeldOnceAndComputedTwice) {
    OnnxWriter net;
    const std::string shared = net.weight({3, 3, 1, 1});
    const std::string y = net.node("Conv", {net.node("Conv", {"x", shared}), shared});
    const ModelCost cost = cost_of(net, y, 4);
    EXPECT_EQ(cost.weights.parameters, 9U);
    EXPECT_EQ(cost.weights.bytes, 36U);
    EXPECT_EQ(cost.macs(), 2 * 16 * 9U);
}

TEST(Cost, BuffersStandApartFromParameters) {
    OnnxWriter net;
    const std::string y = net.node("BatchNormalization", {"x", net.weight({3}), net.weight({3}),
                                                          net.weight({3}), net.weight({3})});
    const ModelCost cost = cost_of(net, y, 4);
    EXPECT_EQ(cost.weights.parameters, 6U);
    EXPECT_EQ(cost.weights.buffers, 6U);
    EXPECT_EQ(cost.weights.bytes, 48U);
    EXPECT_EQ(cost.macs(), 0U);
    EXPECT_EQ(cost.elements_of(OperatorKind::normalisation), 48U);
}

// An image of 3 x 8 x 8 floats has 768 bytes.
TEST(Cost, AChainHoldsTwoTensors) {
    OnnxWriter net;
    const std::string y = net.node("Sigmoid", {net.node("Relu", {net.node("Neg", {"x"})})});
    const ModelCost cost = cost_of(net, y, 8);
    EXPECT_EQ(cost.peak_bytes, 2 * 768U);
    EXPECT_THAT(cost.peak_node, AllOf(HasSubstr("node 1: Neg"), HasSubstr("1 x 3 x 8 x 8")));
    EXPECT_EQ(cost_of(net, y, 8, 3).peak_bytes, 3 * 2 * 768U);
}

TEST(Cost, AResidualHoldsThree) {
    OnnxWriter net;
    const std::string a = net.node("Neg", {"x"});                    // x and a are alive
    const std::string b = net.node("Relu", {net.node("Abs", {a})});  // a, |a| and b are alive
    const std::string y = net.node("Add", {a, b});                   // a, b and y are alive
    const ModelCost cost = cost_of(net, y, 8);
    EXPECT_EQ(cost.peak_bytes, 3 * 768U);
    EXPECT_THAT(cost.peak_node, HasSubstr("node 3: Relu"));
    ASSERT_GE(cost.nodes.size(), 4U);
    const std::vector<std::uint64_t> live = {2 * 768U, 2 * 768U, 3 * 768U, 3 * 768U};
    for (std::size_t i = 0; i < live.size(); ++i) EXPECT_EQ(cost.nodes[i].live_bytes, live[i]) << i;
}

TEST(Cost, ViewsAreTheirBase) {
    OnnxWriter net;
    std::string y = net.node("Neg", {"x"});
    y = net.node("Reshape", {y, net.ints({0, 8, 24})});
    y = net.node("Transpose", {y}, {{"perm", Sizes{0, 2, 1}}});
    y = net.node("Unsqueeze", {y, net.ints({1})});
    y = net.node("Relu", {y});
    EXPECT_EQ(cost_of(net, y, 8).peak_bytes, 2 * 768U);
}

TEST(Cost, WhatAnOperatorMakesForItselfIsNotLive) {
    // Asymmetric padding needs a separate tensor in the convolution, which counts as workspace.
    OnnxWriter net;
    const std::string y =
        net.node("Conv", {"x", net.weight({3, 3, 2, 2})}, {{"pads", Sizes{0, 0, 1, 1}}});
    const ModelCost cost = cost_of(net, y, 8);
    EXPECT_EQ(cost.peak_bytes, 2 * 768U);
    ASSERT_TRUE(cost.measured_peak_bytes.has_value());
    EXPECT_GE(*cost.measured_peak_bytes, cost.peak_bytes);
}

TEST(Cost, ConstantsAreNotActivations) {
    OnnxWriter net;
    const std::string y = net.node("Add", {"x", net.weight({1, 3, 8, 8})});
    EXPECT_EQ(cost_of(net, y, 8).peak_bytes, 2 * 768U);
}

/// One network in four forms. The networks and images() are those of make_models.py. A network has
/// a convolution of 3 to 6 channels, a depthwise one, a mean, and a layer from 6 to 5.
TEST(Cost, TheSameNetworkCostsTheSameInEveryFormat) {
    const ModelCost script = cost_of_fixture("cnn.pt");
    for (const char* name : {"cnn_opset11.onnx", "cnn_opset13.onnx", "pt2_plain.pt2"}) {
        SCOPED_TRACE(name);
        const ModelCost other = cost_of_fixture(name);
        EXPECT_EQ(other.macs(), script.macs());
        EXPECT_EQ(other.calls_of(OperatorKind::unknown), 0U);
    }
    EXPECT_GT(script.macs(), 0U);
    EXPECT_EQ(cost_of_fixture("frozen.pt").macs(), script.macs());
    const ModelCost vit = cost_of_fixture("vit.pt");
    for (const char* name : {"vit_opset11.onnx", "vit_opset13.onnx"}) {
        SCOPED_TRACE(name);
        const ModelCost other = cost_of_fixture(name);
        EXPECT_EQ(other.macs(), vit.macs());
        EXPECT_EQ(other.activation_macs(), vit.activation_macs());
    }
    // 16 patches and a class token have 8 numbers: 17 x 17 sums of 8, twice. pt2_vit.pt2 has two
    // such blocks.
    EXPECT_EQ(vit.activation_macs(), 2 * 17 * 17 * 8U);
    EXPECT_EQ(cost_of_fixture("pt2_vit.pt2").activation_macs(), 2 * vit.activation_macs());
}

TEST(Cost, QuantisedOperatorsCountAsIntegers) {
    const auto integer_macs = [](const ModelCost& cost) {
        std::uint64_t sum = 0;
        for (const OperatorCost& op : cost.operators) sum += op.integer ? op.macs : 0;
        return sum;
    };
    const ModelCost floats = cost_of_fixture("quantised_cnn_qdq.onnx");
    EXPECT_GT(floats.macs(), 0U);
    EXPECT_EQ(integer_macs(floats), 0U);
    for (const char* name : {"quantised_cnn_qoperator.onnx", "quantised_cnn_dynamic.onnx"}) {
        SCOPED_TRACE(name);
        const ModelCost cost = cost_of_fixture(name);
        EXPECT_EQ(cost.macs(), floats.macs());
        EXPECT_EQ(integer_macs(cost), cost.macs());
    }
    const ModelCost vit = cost_of_fixture("quantised_vit_qdq.onnx");
    for (const char* name : {"quantised_vit_qoperator.onnx", "quantised_vit_dynamic.onnx"}) {
        SCOPED_TRACE(name);
        EXPECT_EQ(cost_of_fixture(name).macs(), vit.macs());
        EXPECT_EQ(cost_of_fixture(name).activation_macs(), vit.activation_macs());
    }
}

/// The counted values without the measured values.
nlohmann::json bits_of(const ModelCost& cost) {
    nlohmann::json out = {cost.batch,      cost.weights.parameters, cost.weights.buffers,
                          cost.peak_bytes, cost.peak_node,          cost.notes};
    for (const OperatorCost& op : cost.operators)
        out.push_back(
            {op.name, op.kind, op.integer, op.calls, op.macs, op.activation_macs, op.elements});
    for (const NodeCost& node : cost.nodes)
        out.push_back({node.name, node.op, node.shape, node.macs, node.live_bytes});
    return out;
}

TEST(Cost, AProcessOfItsOwnAndThreadsChangeNothingThatIsCounted) {
    for (const char* name :
         {"cnn.pt", "vit.pt", "newer_attention.pt", "pt2_vit.pt2", "cnn_opset13.onnx"}) {
        SCOPED_TRACE(name);
        const auto inside = open_classifier(fixture_spec(name), {"cpu", Isolation::off});
        const auto apart = open_classifier(fixture_spec(name), {"cpu", Isolation::on});
        CostRequest request;
        request.runs = 20;
        request.threads = 2;
        const ModelCost timed = apart->cost(request);
        EXPECT_EQ(timed.seconds.size(), 20U);
        EXPECT_EQ(bits_of(timed), bits_of(inside->cost(counted_only())));
        // After the measurement, the model gives the same scores as before.
        EXPECT_EQ(run(*apart, 2, 16), run(*inside, 2, 16));
        EXPECT_EQ(bits_of(inside->cost(counted_only())), bits_of(timed));
    }
}

TEST(Cost, ABatchThatTheModelDoesNotTakeIsRefused) {
    const auto classifier = open_classifier(fixture_spec("fixed_batch.onnx"));
    EXPECT_THAT(error_of([&] { classifier->cost(counted_only(1)); }).message(),
                HasSubstr("the model takes exactly 2 images at once, but the batch has 1"));
    EXPECT_EQ(classifier->cost(counted_only(2)).batch, 2);
    const auto apart = open_classifier(fixture_spec("fixed_batch.pt"), {"cpu", Isolation::on});
    EXPECT_EQ(error_of([&] { apart->cost(counted_only(3)); }).code(), ErrorCode::bad_input);
}

}  // namespace
}  // namespace assay
