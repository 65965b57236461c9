#include "model/python/plugin_process.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "core/child_trial.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "model/isolated/channel.h"
#include "model/python/python_process.h"

namespace assay {
namespace {

using isolated::Arrival;
using isolated::SharedBuffer;
using nlohmann::json;

constexpr int deepest_plugin_json = 6;
/// The alignment of arrays, for vector instructions.
constexpr std::size_t plugin_alignment = 64;

/// With two processes, differences between them become visible.
constexpr std::size_t fewest_plugin_processes = 2;

std::size_t most_plugin_processes() {
    constexpr std::size_t most = 16;
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), fewest_plugin_processes,
                                   most);
}

std::size_t plugin_aligned(std::size_t bytes) {
    return (bytes + plugin_alignment - 1) / plugin_alignment * plugin_alignment;
}

std::byte* bytes_of(const SharedBuffer& buffer) {
    return reinterpret_cast<std::byte*>(buffer.floats().data());
}
std::size_t room_of(const SharedBuffer& buffer) {
    return buffer.floats().size_bytes();
}
std::unique_ptr<SharedBuffer> buffer_for(std::size_t bytes) {
    return SharedBuffer::made(bytes / sizeof(float) + 1);
}

Error process_ended(isolated::RunningProcess& process, std::string_view name) {
    const std::optional<int> status = process.status();
    if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == python_too_old)
        return Error(ErrorCode::usage,
                     fmt::format("{}; name another Python: ASSAY_PYTHON=/path/to/python",
                                 process.words.line()));
    return Error(ErrorCode::bad_input,
                 fmt::format("{}: its process {}", name, process.end_in_words(status)));
}

}  // namespace

PluginProcess::PluginProcess(const Interpreter& python, const std::string& file,
                             const std::string& source)
    // All processes use the same seed for hashes of texts, so that sets have the same order.
    : process_(start_worker(python, {"--plugin"}, false, {"PYTHONHASHSEED=0"})) {
    const auto bytes = buffer_for(source.size());
    std::memcpy(bytes_of(*bytes), source.data(), source.size());
    description_ = ask(file, {{"load", file}, {"bytes", source.size()}}, bytes->descriptor());
}

json PluginProcess::ask(std::string_view name, const json& request, int descriptor) {
    const std::chrono::seconds limit(trial_seconds());
    works_ = false;
    std::vector<int> along;
    if (descriptor >= 0) along.push_back(descriptor);
    std::optional<std::string> answer;
    if (isolated::send_message(process_->control(), json_line(request), along)) {
        const Arrival arrival =
            isolated::wait_at(*process_, process_->control(), isolated::WaitClock::now() + limit);
        if (arrival == Arrival::late) {
            process_->end();
            refuse(fmt::format(
                "{}: it took longer than {} s; set ASSAY_PLUGIN_SECONDS=600 to allow ten minutes",
                name, limit.count()));
        }
        if (arrival == Arrival::message) answer = isolated::receive_message(process_->control());
    }
    if (!answer) throw process_ended(*process_, name);
    json all = with_note(fmt::format("reading what the process of {} sends", name),
                         [&] { return parse_json(*answer, deepest_plugin_json); });
    const JsonReader reader(all, {"what the process sends"});
    works_ = true;
    if (const auto failed = reader.find("failed"))
        refuse(fmt::format("{}: {}", name, failed->text()));
    return all;
}

void PluginProcess::call(std::string_view name, json request, const std::vector<PluginArray>& in,
                         std::span<std::byte> out) {
    std::size_t end = 0;
    for (const PluginArray& array : in) end += plugin_aligned(array.bytes.size());
    const std::size_t out_at = end;
    end += plugin_aligned(out.size());
    const bool grows = buffer_ == nullptr || room_of(*buffer_) < end;
    if (grows)
        buffer_ = buffer_for(buffer_ == nullptr ? end : std::max(end, room_of(*buffer_) * 2));
    std::size_t at = 0;
    for (const PluginArray& array : in) {
        if (!array.bytes.empty())
            std::memcpy(bytes_of(*buffer_) + at, array.bytes.data(), array.bytes.size());
        request["at"][array.name] = at;
        at += plugin_aligned(array.bytes.size());
    }
    request["at"]["out"] = out_at;
    ask(name, request, grows ? buffer_->descriptor() : -1);
    std::memcpy(out.data(), bytes_of(*buffer_) + out_at, out.size());
}

PluginProcesses::PluginProcesses(Interpreter python, std::string file, std::string source)
    : python_(std::move(python)), file_(std::move(file)), source_(std::move(source)) {
    auto first = std::make_unique<PluginProcess>(python_, file_, source_);
    running_ = 1;
    description_ = first->description();
    free_.push_back({std::move(first), std::this_thread::get_id()});
}

std::unique_ptr<PluginProcess> PluginProcesses::take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !free_.empty() || running_ < most_plugin_processes(); });
    const bool usable = !free_.empty() && (running_ >= fewest_plugin_processes ||
                                           free_.back().last_user == std::this_thread::get_id());
    if (usable) {
        auto process = std::move(free_.back().process);
        free_.pop_back();
        return process;
    }
    ++running_;
    lock.unlock();
    try {
        auto process = std::make_unique<PluginProcess>(python_, file_, source_);
        if (process->description() != description_)
            refuse(file_ + " defines different functions each time it runs");
        return process;
    } catch (...) {
        give_back(nullptr);
        throw;
    }
}

void PluginProcesses::give_back(std::unique_ptr<PluginProcess> process) {
    {
        const std::scoped_lock lock(mutex_);
        if (process != nullptr && process->works()) {
            free_.push_back({std::move(process), std::this_thread::get_id()});
        } else {
            --running_;
        }
    }
    freed_.notify_one();
}

void PluginProcesses::call(std::string_view name, const json& request,
                           const std::vector<PluginArray>& in, std::span<std::byte> out) {
    auto process = take();
    try {
        process->call(name, request, in, out);
    } catch (...) {
        give_back(std::move(process));
        throw;
    }
    give_back(std::move(process));
}

}  // namespace assay
