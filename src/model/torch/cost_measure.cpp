#include "model/torch/cost_measure.h"

#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "model/torch/cost_watch.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

#if TORCH_VERSION_MAJOR >= 2
using ReportedTotal = std::size_t;
#else
using ReportedTotal = std::int64_t;
#endif

/// Counts the bytes that LibTorch's CPU allocator gives this thread beyond those at the start.
class AllocatedBytes final : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void* /*place*/, std::int64_t bytes, ReportedTotal /*allocated*/,
                           ReportedTotal /*reserved*/, c10::Device device) override {
        if (!device.is_cpu()) return;
        now_ += bytes;
        most_ = std::max(most_, now_);
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::uint64_t most() const { return static_cast<std::uint64_t>(most_); }

private:
    std::int64_t now_ = 0, most_ = 0;
};

/// Sets the number of threads for one run, and one thread again afterwards.
class RunThreads {
public:
    explicit RunThreads(int threads) : changed_(threads != 1) {
        if (changed_) compute_on_threads(threads);
    }
    ~RunThreads() {
        if (changed_) compute_on_threads(1);
    }
    RunThreads(const RunThreads&) = delete;
    RunThreads& operator=(const RunThreads&) = delete;

private:
    bool changed_;
};

void watch_once(Network& network, const at::Tensor& input, ModelCost& cost) {
    OperatorWatch watch(input);
    const at::Tensor output = network.forward(input);
    watch.finish(output, cost);
}

std::uint64_t measured_peak(Network& network, const std::function<at::Tensor()>& input) {
    const auto allocated = std::make_shared<AllocatedBytes>();
    {
        const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, allocated);
        network.forward(input());
    }
    return allocated->most();
}

}  // namespace

ModelCost cost_of_network(Network& network, const std::function<at::Tensor()>& input,
                          const CostRequest& request) {
    ModelCost cost;
    cost.batch = request.batch;
    cost.weights = network.weights();
    const at::Tensor first = input();
    // Counts use the file's steps, while timings use the optimized steps of a real run.
    const std::unique_ptr<Network> written = network.as_written();
    watch_once(written != nullptr ? *written : network, first, cost);
    if (first.device().is_cpu()) cost.measured_peak_bytes = measured_peak(network, input);
    const RunThreads threads(request.threads);
    for (int run = -request.warmup; run < request.runs && request.runs > 0; ++run) {
        const at::Tensor batch = input();
        if (!batch.is_cpu()) batch.flatten()[0].to(at::kCPU);  // waits for the kernels before it
        const auto start = std::chrono::steady_clock::now();
        // On a GPU the copy waits for the result.
        network.forward(batch).to(at::kCPU);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        if (run >= 0) cost.seconds.push_back(taken.count());
    }
    return cost;
}

}  // namespace assay::torch_plugin
