// The message in which a model's process sends a cost. It is complete or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "message_of.h"
#include "model/isolated/channel.h"
#include "model/isolated/cost_wire.h"
#include "model/isolated/wire.h"

namespace assay::isolated {
namespace {

using testing::HasSubstr;

ModelCost some_cost(std::size_t nodes) {
    ModelCost cost;
    cost.batch = 8;
    cost.weights = {25'557'032, 53'120, 102'440'000};
    cost.operators = {{"aten::conv2d", OperatorKind::product, true, 53, 1'000'000'007, 12, 0},
                      {"acme::wobble", OperatorKind::unknown, false, 2, 0, 0, 0}};
    for (std::size_t i = 0; i < nodes; ++i)
        cost.nodes.push_back({"node " + std::to_string(i), "Conv", "1 x 64 x 56 x 56", i, 7 * i});
    cost.executed_nodes = nodes;
    cost.peak_bytes = 9'633'792;
    cost.peak_node = "node 3: Relu";
    cost.notes = {"one", ""};
    cost.no_weights = "nobody weighed it";
    cost.measured_peak_bytes = 0;
    cost.seconds = {0.5, 1.0 / 3, 0};
    return cost;
}

CostRequest asked_for(const ModelCost& cost) {
    CostRequest request;
    request.batch = cost.batch;
    request.runs = static_cast<int>(cost.seconds.size());
    return request;
}

ModelCost sent(const ModelCost& cost, const CostRequest& asked) {
    CostParts parts;
    bool last = false;
    for (const std::string& part : parts_of(cost)) {
        EXPECT_FALSE(last);
        EXPECT_LE(part.size(), most_message);
        last = parts.take(part);
    }
    EXPECT_TRUE(last);
    return parts.joined(asked);
}

TEST(CostWire, EverythingComesBackInOnePartOrMany) {
    for (const std::size_t nodes : {std::size_t{0}, std::size_t{1}, ModelCost::most_nodes}) {
        const ModelCost want = some_cost(nodes);
        const ModelCost got = sent(want, asked_for(want));
        EXPECT_EQ(got.batch, 8);
        EXPECT_EQ(got.weights.buffers, 53'120U);
        ASSERT_EQ(got.operators.size(), 2U);
        EXPECT_EQ(got.operators[0].macs, 1'000'000'007U);
        EXPECT_TRUE(got.operators[0].integer);
        EXPECT_EQ(got.operators[1].kind, OperatorKind::unknown);
        ASSERT_EQ(got.nodes.size(), nodes);
        for (std::size_t i = 0; i < nodes; ++i) EXPECT_EQ(got.nodes[i].live_bytes, 7 * i);
        EXPECT_EQ(got.peak_node, want.peak_node);
        EXPECT_EQ(got.measured_peak_bytes, 0U);
        EXPECT_EQ(got.seconds, want.seconds);
        EXPECT_EQ(got.notes, want.notes);
        EXPECT_EQ(got.no_weights, "nobody weighed it");
        EXPECT_EQ(got.no_operators, "");
    }
    EXPECT_GT(parts_of(some_cost(ModelCost::most_nodes)).size(), 10U);
    CostRequest request;
    request.batch = 3;
    request.runs = 21;
    EXPECT_EQ(cost_request(text_of(request)).batch, 3);
    EXPECT_EQ(cost_request(text_of(request)).runs, 21);
    request.threads = most_cost_threads + 1;
    EXPECT_THAT(message_of([&] { cost_request(text_of(request)); }), HasSubstr("invalid message"));
}

TEST(CostWire, NonsenseIsRefused) {
    CostParts parts;
    EXPECT_THAT(message_of([&] { parts.take(text_of(MessageKind::done)); }),
                HasSubstr("invalid message"));
    ModelCost cost = some_cost(1);
    cost.seconds[0] = -1;
    EXPECT_THAT(message_of([&] { sent(cost, asked_for(cost)); }),
                HasSubstr("a time that is not valid"));
    cost = some_cost(1);
    cost.operators[0].macs = ~std::uint64_t{0};
    EXPECT_THAT(message_of([&] { sent(cost, asked_for(cost)); }), HasSubstr("at most"));
    cost = some_cost(1);
    cost.operators[0].activation_macs = cost.operators[0].macs + 1;
    EXPECT_THAT(message_of([&] { sent(cost, asked_for(cost)); }), HasSubstr("at most"));
    for (const auto& change :
         {+[](CostRequest& r) { ++r.batch; }, +[](CostRequest& r) { ++r.runs; }}) {
        cost = some_cost(1);
        CostRequest other = asked_for(cost);
        change(other);
        EXPECT_THAT(message_of([&] { sent(cost, other); }), HasSubstr("another request"));
    }
    // Messages that lack the last one also end.
    const std::string part = std::string(1, static_cast<char>(MessageKind::cost)) + '\0' +
                             std::string(most_message - 2, 'x');
    CostParts endless;
    EXPECT_THAT(message_of([&] {
                    while (!endless.take(part)) {
                    }
                }),
                HasSubstr("without an end"));
    // Changed bytes give an Error or a different cost.
    const std::string whole = parts_of(some_cost(3)).front();
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string damaged = whole.substr(0, i % 2 == 0 ? whole.size() : random() % whole.size());
        if (!damaged.empty()) damaged[random() % damaged.size()] ^= static_cast<char>(1 << (i % 8));
        try {
            CostParts one;
            one.take(damaged);
            one.joined(asked_for(some_cost(3)));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
        }
    }
}

}  // namespace
}  // namespace assay::isolated
