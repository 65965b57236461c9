// Processes that run the functions of a Python plug-in (docs/formats.md, "Plug-ins in Python").
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/isolated/running_process.h"
#include "model/isolated/shared_buffer.h"
#include "model/python/interpreter.h"

namespace assay {

/// An argument or result array of a function, with its name.
struct PluginArray {
    std::string name;
    std::span<const std::byte> bytes;
};

/// One process. Not thread-safe.
class PluginProcess {
public:
    /// Throws as ask(). `file` is the name in messages.
    PluginProcess(const Interpreter& python, const std::string& file, const std::string& source);

    /// The definitions in the file.
    const nlohmann::json& description() const { return description_; }
    /// Calls a function: `in` has its arrays, and `out` receives its result. Throws bad_input with
    /// `name` if the function raises or does something wrong, the process ends, or it takes longer
    /// than trial_seconds(); interrupted.
    void call(std::string_view name, nlohmann::json request, const std::vector<PluginArray>& in,
              std::span<std::byte> out);
    /// False after an error that makes the process unusable.
    bool works() const { return works_; }

private:
    nlohmann::json ask(std::string_view name, const nlohmann::json& request, int descriptor);

    std::shared_ptr<isolated::RunningProcess> process_;
    std::unique_ptr<isolated::SharedBuffer> buffer_;
    nlohmann::json description_;
    bool works_ = true;
};

/// All processes of a file. Several threads may use it.
class PluginProcesses {
public:
    /// Starts the first process. Throws as PluginProcess.
    PluginProcesses(Interpreter python, std::string file, std::string source);

    const nlohmann::json& description() const { return description_; }
    /// Calls a function in a free process, in a new one, or in the first that becomes free. The
    /// second thread that calls gets a second process, so that a trial on several threads sees how
    /// processes differ. Throws as PluginProcess::call().
    void call(std::string_view name, const nlohmann::json& request,
              const std::vector<PluginArray>& in, std::span<std::byte> out);

private:
    std::unique_ptr<PluginProcess> take();
    void give_back(std::unique_ptr<PluginProcess> process);

    const Interpreter python_;
    const std::string file_, source_;
    nlohmann::json description_;
    std::mutex mutex_;
    std::condition_variable freed_;
    struct FreeProcess {
        std::unique_ptr<PluginProcess> process;
        std::thread::id last_user;
    };
    std::vector<FreeProcess> free_;
    std::size_t running_ = 0;
};

}  // namespace assay
