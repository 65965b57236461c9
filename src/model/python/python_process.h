// Processes that run models in Python: those that the program starts, and the one that started it.
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

/// Starts the worker, whose sources are in this library (or in the folder ASSAY_WORKER_PATH), with
/// these arguments. It has a session of its own, and ends with this program whatever happens; when
/// the last owner goes it is killed with all that it started. `also`: more of its environment,
/// NAME=VALUE. Throws io: the system refuses.
std::shared_ptr<isolated::RunningProcess> start_worker(const Interpreter& python,
                                                       const std::vector<std::string>& arguments,
                                                       bool offline,
                                                       const std::vector<std::string>& also = {});

/// Memory with these bytes, which a process can be given. Throws io: the system refuses.
Descriptor memory_with(std::string_view bytes, const char* name);

/// The exit status of a worker whose Python is too old; its last line says which it is.
inline constexpr int python_too_old = 97;

/// The process at the other end of a descriptor that this program was started with. Throws usage:
/// no socket of packets.
std::shared_ptr<isolated::RunningProcess> process_at(int descriptor);

}  // namespace assay
