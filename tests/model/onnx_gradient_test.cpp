// Compares the gradients of every ONNX operator with differences of the scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "images.h"
#include "model/plugin.h"
#include "model/torch/onnx_graph.h"
#include "operator_cases.h"
#include "scratch.h"

extern "C" const assay::TorchPlugin* assay_torch_plugin_v1();

namespace assay {
namespace {

constexpr std::size_t side = 5, numbers = 3 * side * side;

struct Checked {
    bool refused = false;   ///< whether the model reports that it has no gradient
    double largest = 0;     ///< element of a gradient with the largest difference
    double error = 0;       ///< largest difference by the gradient's largest element
    std::string where;      ///< the score and the input number of the largest difference
    std::size_t pairs = 0;  ///< number of pairs of scores; a model with one score has none
    std::size_t compared = 0;
    std::size_t not_smooth = 0;  ///< not compared: a kink or a jump within the steps
};

/// Compares the model's gradient with central differences, for up to 12 pairs of scores. Every
/// second number of an image is changed (the even or the odd ones). The steps are 1/128 and 1/64,
/// with extrapolation, because errors grow with the squares of the steps. Scores of float32 around
/// 1 leave 2^-24 * 128 = 8e-6 of noise.
class ScoreDifferences {
public:
    ScoreDifferences(Classifier& classifier, bool odd)
        : classifier_(classifier), x_(images(1, side)) {
        for (float& v : x_) v = .97F * v + .013F;  // the values are away from integers and halves
        for (std::size_t k = odd ? 1 : 0; k < numbers; k += 2) {
            asked_.push_back(k);
            near_.push_back({moved(k, -step), moved(k, step)});
            far_.push_back({moved(k, -2 * step), moved(k, 2 * step)});
        }
        here_ = moved(0, 0);
    }

    Checked check() {
        Checked out;
        const std::size_t classes = here_.size();
        for (std::size_t p = 0; p < std::min<std::size_t>(classes, 12); ++p) {
            const auto label = static_cast<std::uint32_t>(p * 7 % classes);
            const auto target = static_cast<std::uint32_t>((p * 8 + 1) % classes);
            if (label == target) continue;
            std::vector<float> scores(classes), gradient(numbers);
            double loss = 0;
            try {
                classifier_.gradients({Loss::difference, x_, {&label, 1}, {&target, 1}},
                                      {scores, {&loss, 1}, gradient});
            } catch (const Error& error) {
                EXPECT_THAT(error.what(), testing::HasSubstr("no gradient"));
                out.refused = true;
                return out;
            }
            ++out.pairs;
            compare(label, target, gradient, out);
        }
        return out;
    }

private:
    using Scores = std::vector<float>;
    static constexpr float step = 1.0F / 128;

    /// The scores after number k of the image was moved.
    Scores moved(std::size_t k, float by) {
        std::vector<float> x = x_;
        x[k] += by;
        Scores out(classifier_.facts().classes);
        classifier_.scores(x, 1, out);
        return out;
    }

    void compare(std::uint32_t label, std::uint32_t target, const std::vector<float>& gradient,
                 Checked& out) const {
        const auto between = [&](const Scores& z) {
            return static_cast<double>(z[target]) - static_cast<double>(z[label]);
        };
        double largest = 0;
        for (const float g : gradient) {
            ASSERT_TRUE(std::isfinite(g));
            largest = std::max(largest, static_cast<double>(std::abs(g)));
        }
        out.largest = std::max(out.largest, largest);
        const double scale = std::max(largest, .1);
        for (std::size_t a = 0; a < asked_.size(); ++a) {
            const std::size_t k = asked_[a];
            const double up = (between(near_[a][1]) - between(here_)) / step;
            const double down = (between(here_) - between(near_[a][0])) / step;
            const double far = (between(far_[a][1]) - between(far_[a][0])) / (4 * step);
            if (!std::isfinite(far) || !std::isfinite(up) || !std::isfinite(down)) continue;
            const double near = (up + down) / 2;
            if (std::abs(up - down) > .1 * scale || std::abs(far - near) > .003 * scale) {
                ++out.not_smooth;
                continue;
            }
            ++out.compared;
            const double expected = (4 * near - far) / 3;
            const double off = std::abs(expected - static_cast<double>(gradient[k])) / scale;
            if (off <= out.error) continue;
            out.error = off;
            out.where = fmt::format("score {} less score {} by number {}: {}, expected {}", target,
                                    label, k, gradient[k], expected);
        }
    }

    Classifier& classifier_;
    std::vector<float> x_;
    Scores here_;
    std::vector<std::size_t> asked_;                 ///< number of scores
    std::vector<std::array<Scores, 2>> near_, far_;  ///< two of these: below and above
};

void add_operators(const std::vector<torch_plugin::OnnxNode>& nodes, std::set<std::string>& into) {
    for (const torch_plugin::OnnxNode& node : nodes) {
        into.insert(node.op);
        for (const torch_plugin::OnnxBlock& block : node.blocks) add_operators(block.nodes, into);
    }
}

/// The operators without a gradient. All other operators of the interpreter must have one.
const std::set<std::string_view> decisions = {
    "Sign",       "Floor",     "Ceil",        "Round",      "Not",
    "IsNaN",      "IsInf",     "And",         "Or",         "Xor",
    "Equal",      "Less",      "LessOrEqual", "Greater",    "GreaterOrEqual",
    "ArgMax",     "ArgMin",    "NonZero",     "OneHot",     "Hardmax",
    "BitwiseAnd", "BitwiseOr", "BitwiseXor",  "BitwiseNot", "BitShift"};
/// The results of these operators (shapes and constants) do not depend on the values of the image.
const std::set<std::string_view> constants = {"Shape",           "Size",  "Constant",
                                              "ConstantOfShape", "Range", "EyeLike"};
/// These operators round their results.
bool is_quantised(std::string_view op) {
    return std::ranges::any_of(torch_plugin::quantised_operators(),
                               [&](const auto& one) { return one.name == op; });
}
/// The row of an operator, or "".
std::string_view own_name(std::string_view op) {
    const auto colons = op.rfind(':');
    return colons == std::string_view::npos ? op : op.substr(colons + 1);
}

struct Family {
    std::string_view name;
    std::span<const torch_plugin::OnnxOperator> operators;
    double most;  ///< allowed error, about three times the measured one
};

std::vector<Family> families() {
    using namespace torch_plugin;
    // Errors of the first half of the rows: 4e-5, 5e-5, 4e-5, 6.6e-5 (roots), 2.1e-4 (logarithms
    // of sums of exponentials), 1.1e-5. Those of the second half are 3e-6, 2e-5, 6e-4 (a clipped
    // LSTM), none, 3.2e-4 (normalizations), 1e-4 (sampling). The kinks of the clipped LSTM
    // are too small to be recognized. Without it, the row has 2.1e-4.
    return {{"elementwise", elementwise_operators(), 1.5e-4},
            {"activation", activation_operators(), 1.5e-4},
            {"layer", layer_operators(), 1.5e-4},
            {"pool", pool_operators(), 2e-4},
            {"reduce", reduce_operators(), 6e-4},
            {"shape", shape_operators(), 4e-5},
            {"index", index_operators(), 1e-5},
            {"resize", resize_operators(), 6e-5},
            {"recurrent", recurrent_operators(), 1.8e-3},
            {"quantised", quantised_operators(), 0},
            {"fused", fused_operators(), 1e-3},
            {"sampling", sampling_operators(), 1e-4}};
}

/// The results of the cases of each operator. A case belongs to an operator if its name begins with
/// the operator's name.
struct OfOperator {
    std::size_t with_gradient = 0, without = 0;
    double error = 0;
    std::string where;
};

TEST(OnnxGradient, EqualsDifferencesForEveryOperatorOrIsKnownToBeNone) {
    const Scratch scratch;
    std::map<std::string, OfOperator> found;
    bool odd = false;
    for (const char* file : {"onnx_ops.json", "onnx_gradients.json"}) {
        for (const auto& one : operator_cases(file)) {
            const std::string name = one["name"];
            SCOPED_TRACE(name);
            // All positions are masked by -10000, so attention has scores in steps of 1/1000.
            if (name == "Attention_mask_nothing") continue;
            const ModelSpec spec = operator_spec(scratch, one);
            std::set<std::string> used;
            add_operators(torch_plugin::parse_onnx(spec.path).nodes, used);
            const auto classifier = assay_torch_plugin_v1()->open(spec, {"cpu"});
            const Checked got = ScoreDifferences(*classifier, odd = !odd).check();
            for (const std::string& op : used) {
                if (!name.starts_with(own_name(op))) continue;
                OfOperator& sum = found[op];
                ++(got.refused || got.largest == 0 ? sum.without : sum.with_gradient);
                if (got.error > sum.error) {
                    sum.error = got.error;
                    sum.where = name + ": " + got.where;
                }
            }
            EXPECT_LE(got.error, 1.8e-3) << got.where;
            EXPECT_LE(got.not_smooth, got.compared / 10);
            EXPECT_TRUE(got.compared > 0 || got.pairs == 0) << "nothing was compared";
        }
    }
    std::size_t listed = 0;
    for (const Family& family : families()) {
        for (const torch_plugin::OnnxOperator& op : family.operators) {
            const OfOperator& own = found[std::string(op.name)];
            SCOPED_TRACE(fmt::format("{} ({})", op.name, family.name));
            EXPECT_GT(own.with_gradient + own.without, 0U) << "no case is called after it";
            if (decisions.contains(op.name) || is_quantised(op.name)) {
                EXPECT_EQ(own.with_gradient, 0U) << "it has a gradient";
            } else if (!constants.contains(op.name)) {
                EXPECT_GT(own.with_gradient, 0U) << "it has no gradient";
                EXPECT_LE(own.error, family.most) << own.where;
            }
            listed += decisions.contains(op.name) || constants.contains(op.name) ? 1 : 0;
        }
    }
    EXPECT_EQ(listed, decisions.size() + constants.size()) << "a list names what there is not";
}

}  // namespace
}  // namespace assay
