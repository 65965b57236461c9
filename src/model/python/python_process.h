// Python processes that run models: those that the program starts, and the one that started it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/descriptor.h"
#include "model/isolated/running_process.h"
#include "model/python/interpreter.h"

namespace assay {

/// Starts the worker with these arguments. The worker's sources are in this library, or in the
/// folder ASSAY_WORKER_PATH. The worker has its own session and always ends with this program. If
/// the last owner is gone, it is killed with all processes that it started. `also` adds NAME=VALUE
/// to its environment. Throws io if the system refuses.
std::shared_ptr<isolated::RunningProcess> start_worker(const Interpreter& python,
                                                       const std::vector<std::string>& arguments,
                                                       bool offline,
                                                       const std::vector<std::string>& also = {});

/// Memory with these bytes that can be passed to a process. Throws io if the system refuses.
Descriptor memory_with(std::string_view bytes, const char* name);

/// The exit status of a worker if its Python is too old. Its last line gives the version.
inline constexpr int python_too_old = 97;

/// The process at the other end of a descriptor that was passed to this program. Throws usage if
/// the descriptor is no packet socket.
std::shared_ptr<isolated::RunningProcess> process_at(int descriptor);

}  // namespace assay
