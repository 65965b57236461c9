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

/// Whether products of float32 numbers may be cut to TF32: LibTorch has one answer for a process.
/// Throws usage: it was given otherwise before.
void compute_with(Precision precision);

CudaFacts cuda_facts();

std::string framework_name();  ///< "LibTorch 1.13.1"
/// On a CUDA device with its libraries: "LibTorch 2.6.0 (CUDA 12.4, cuDNN 9.1.0)".
std::string framework_name(c10::Device device);

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
