// LibTorch's process-wide state, devices, and its exceptions as ours.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <string_view>

#include "assay/error.h"
#include "assay/model/classifier.h"

namespace assay::torch_plugin {

/// One thread a call, no chatter on stderr. Called once, before the first tensor.
void prepare_process();
/// LibTorch keeps thread counts and the handler of warnings per thread: called at the start of each
/// call into it.
void prepare_thread();

/// The threads that one call computes on; one unless something else is measured.
void compute_on_threads(int threads);

/// "auto", "cpu", "cuda", "cuda:1". Throws usage.
c10::Device device_named(const std::string& name, std::uint32_t process = 0);

CudaFacts cuda_facts();

std::string framework_name();  ///< "LibTorch 1.13.1"

/// The line of a LibTorch message that says what failed, without stack traces.
std::string first_reason(std::string_view message);

/// The exception being handled, as an Error: our own unchanged; memory -> out_of_memory; all else
/// -> bad_input with `context` in front.
Error translated(std::string_view context);

/// Runs `body`, whose exceptions leave translated.
template <class Body>
decltype(auto) translating(std::string_view context, Body&& body) {
    try {
        return body();
    } catch (const Error&) {
        throw;
    } catch (...) {
        throw translated(context);
    }
}

}  // namespace assay::torch_plugin
