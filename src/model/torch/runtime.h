// LibTorch's process-wide state, its devices, and conversion of its exceptions.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <string_view>

#include "assay/error.h"
#include "assay/model/classifier.h"

namespace assay::torch_plugin {

/// One thread per call, and no output on stderr. Call it once, before the first tensor.
void prepare_process();
/// LibTorch stores thread counts and the warning handler per thread, so call this at the start of
/// each call into it.
void prepare_thread();

/// The number of threads for one call; one unless something else is measured.
void compute_on_threads(int threads);

/// True if products of float32 numbers may use TF32. LibTorch has one setting per process. Throws
/// usage if another one was set before.
void compute_with(Precision precision);

CudaFacts cuda_facts();

std::string framework_name();  ///< "LibTorch 1.13.1"
/// On a CUDA device, the name includes its libraries: "LibTorch 2.6.0 (CUDA 12.4, cuDNN 9.1.0)".
std::string framework_name(c10::Device device);

/// The line of a LibTorch message that gives the reason, without stack traces.
std::string first_reason(std::string_view message);

/// Converts the current exception to an Error. Assay's own errors do not change, a lack of memory
/// becomes out_of_memory, and others become bad_input with `context` in front.
Error translated(std::string_view context);

/// Runs `body` and translates its exceptions.
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
