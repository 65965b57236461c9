// Gradients of exported models with respect to their input, for attacks. They are compared with
// PyTorch 2.6 (make_pt2.py) and finite differences.
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "images.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/runtime.h"

namespace assay {
namespace {

std::unique_ptr<torch_plugin::Network> network_of(const std::string& name) {
    static const bool prepared =
        (torch_plugin::prepare_process(), torch_plugin::define_newer_operators(), true);
    static_cast<void>(prepared);
    return torch_plugin::load_pt2(fixture_spec(name), {});
}

at::Tensor two_images() {
    std::vector<float> numbers = images(2, 16);
    return at::from_blob(numbers.data(), {2, 3, 16, 16}, at::kFloat).clone();
}

/// The sum of the scores, each multiplied by its position (from 1).
at::Tensor weighted_sum(torch_plugin::Network& network, const at::Tensor& x) {
    const at::Tensor y = network.forward(x);
    return y.mul(at::arange(1, y.size(1) + 1, y.options())).sum();
}

at::Tensor gradient_of(torch_plugin::Network& network, const at::Tensor& at_point) {
    const at::Tensor x = at_point.clone().requires_grad_();
    return torch::autograd::grad({weighted_sum(network, x)}, {x}).front();
}

TEST(TorchExportGradient, EqualsPyTorchs) {
    const auto all = nlohmann::json::parse(std::ifstream(fixture("pt2.json")));
    for (const char* name : {"pt2_plain.pt2", "pt2_vit.pt2", "pt2_decomposed.pt2",
                             "pt2_no_grad.pt2", "pt2_in_place.pt2"}) {
        SCOPED_TRACE(name);
        const auto& want = all.at(std::string("gradient of ") + name);
        const auto network = network_of(name);
        const at::Tensor got = gradient_of(*network, two_images())[1].flatten();
        float largest = 0;
        for (const float v : want) largest = std::max(largest, std::abs(v));
        ASSERT_GT(largest, 0);
        ASSERT_EQ(want.size(), 154U);
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_NEAR(got[static_cast<std::int64_t>(5 * i)].item<float>(), want[i].get<float>(),
                        1e-5F * largest)
                << i;
        }
    }
}

TEST(TorchExportGradient, EqualsFiniteDifferences) {
    // In double precision, steps of 1e-6 give a difference with an error of about 1e-9.
    const auto network = network_of("pt2_double.pt2");
    const at::Tensor x = two_images().to(at::kDouble);
    const at::Tensor gradient = gradient_of(*network, x);
    for (std::int64_t k = 0; k < x.numel(); k += 131) {
        const auto moved = [&](double step) {
            at::Tensor there = x.clone();
            there.view(-1)[k].add_(step);
            return weighted_sum(*network, there).item<double>();
        };
        const double want = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        EXPECT_NEAR(gradient.view(-1)[k].item<double>(), want, 1e-7) << k;
    }
}

}  // namespace
}  // namespace assay
