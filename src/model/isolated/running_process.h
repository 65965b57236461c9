// A model's process as the program sees it, even if another program started it, and functions that
// wait for its messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace assay::isolated {

/// Reads the end of a process's stderr output. Several threads may use it.
class LastWords {
public:
    /// A pipe whose reading end never blocks; -1 means that nothing is read.
    explicit LastWords(Descriptor pipe) : pipe_(std::move(pipe)) {}
    /// The descriptor to wait on; -1 if no more output can arrive.
    int descriptor() const;
    /// Reads the available output. A process whose pipe is full blocks, so every thread that waits
    /// for it must call this.
    void read_on();
    /// The last line, at most 300 bytes; "" if the process wrote nothing.
    std::string line();
    /// The number of bytes read so far.
    std::uint64_t heard() const;

private:
    mutable std::mutex mutex_;
    Descriptor pipe_;
    bool closed_ = false;
    std::uint64_t heard_ = 0;
    std::string tail_;
};

class RunningProcess {
public:
    RunningProcess(Descriptor control, Descriptor errors)
        : words(std::move(errors)), control_(std::move(control)) {}
    virtual ~RunningProcess() = default;
    RunningProcess(const RunningProcess&) = delete;
    RunningProcess& operator=(const RunningProcess&) = delete;

    /// The channel for requests other than batches.
    int control() const { return control_.get(); }
    /// Readable once the process has ended; -1 if only its channels show this.
    virtual int gone() const { return -1; }
    /// The process's wait status, if it is known immediately.
    virtual std::optional<int> status() = 0;
    /// Kills the process immediately.
    virtual void end() = 0;
    /// Advice after a crash; "" if there is none.
    virtual std::string_view after_a_crash() const = 0;

    /// Describes status(): "exited with status 1, saying "..."", with advice after a crash.
    std::string end_in_words(std::optional<int> status);

    /// A measure of activity: tenths of a second of computing, hundreds of newly used memory pages,
    /// and bytes on stderr. It grows while the process loads or downloads, and not while it hangs.
    std::uint64_t work_done();

    LastWords words;
    std::mutex asking;  ///< locked from a request over control() until its answer

protected:
    /// The processes whose computing time the system counts; empty if not known.
    virtual std::vector<int> pids() { return {}; }

private:
    Descriptor control_;
};

/// Describes status() with a fixed text: "was ended by signal 11 (Segmentation fault)".
std::string end_in_short(std::optional<int> status);

using WaitClock = std::chrono::steady_clock;

enum class Arrival {
    message,  ///< a message has arrived, or the other end is closed, so receive_message() does not
              ///< block
    gone,     ///< the process has ended
    late,     ///< the deadline has passed
};
/// Waits for a message at `end`. Throws interrupted within a second of a stop request, even if the
/// process does not respond; io.
Arrival wait_at(RunningProcess& process, int end, WaitClock::time_point deadline);

/// The default limit for the time that a process may be inactive.
inline constexpr std::chrono::seconds longest_silence = std::chrono::minutes(10);
/// The same for tasks of any duration, such as a long download: late only after the process was
/// inactive and silent for this time.
Arrival wait_while_it_works(RunningProcess& process, int end, std::chrono::seconds silence);

/// The time limit for a batch: the chosen one, else ten times the slowest of the first five per
/// image, but at least a minute. Until these are known, it is ten minutes. Not thread-safe.
class BatchLimit {
public:
    /// 0 derives the limit from the first five batches.
    explicit BatchLimit(std::uint32_t chosen_seconds) : chosen_(chosen_seconds) {}
    std::chrono::duration<double> of(std::size_t images) const;
    void took(std::size_t images, std::chrono::duration<double> time);

private:
    std::chrono::duration<double> chosen_;
    std::chrono::duration<double> slowest_{0};  ///< an image
    int seen_ = 0;
};

}  // namespace assay::isolated
