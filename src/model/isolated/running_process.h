// The process of a model as the program sees it, whoever started it, and waiting for what it sends.
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

/// What a process writes to stderr; the end of it is kept. From several threads.
class LastWords {
public:
    /// A pipe whose reading end never waits; -1: nothing is heard.
    explicit LastWords(Descriptor pipe) : pipe_(std::move(pipe)) {}
    /// To wait for; -1 once nothing more can come.
    int descriptor() const;
    /// Takes what is there. A process whose pipe is full waits, so that whoever waits for it calls
    /// this.
    void read_on();
    /// The last line, at most 300 bytes; "" when it wrote nothing.
    std::string line();
    /// Bytes that were taken so far.
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

    /// The channel for requests that are no batches.
    int control() const { return control_.get(); }
    /// Readable once the process has ended; -1: the ends of its channels alone tell.
    virtual int gone() const { return -1; }
    /// Its wait status, where that is known in a moment.
    virtual std::optional<int> status() = 0;
    /// Ends it at once, whatever it does.
    virtual void end() = 0;
    /// What to try when it crashed; "" for nothing.
    virtual std::string_view after_a_crash() const = 0;

    /// Of status(): "exited with status 1, saying "..."", with what to try after a crash.
    std::string end_in_words(std::optional<int> status);

    /// Tenths of a second that it has computed, hundreds of pages of memory that it has touched for
    /// the first time, and bytes that it wrote to stderr: what grows while it loads or downloads,
    /// and does not while it hangs.
    std::uint64_t work_done();

    LastWords words;
    std::mutex asking;  ///< held from a request over control() until its answer

protected:
    /// Where the system counts what it computes; empty: it is not known.
    virtual std::vector<int> pids() { return {}; }

private:
    Descriptor control_;
};

/// Of status(), the same words each time: "was ended by signal 11 (Segmentation fault)".
std::string end_in_short(std::optional<int> status);

using WaitClock = std::chrono::steady_clock;

enum class Arrival {
    message,  ///< there is one, or the other end is closed: receive_message() does not wait
    gone,     ///< the process has ended
    late,     ///< the deadline has passed
};
/// Waits for a message at `end`. Throws interrupted within a second of a request to stop, whatever
/// the process does; io.
Arrival wait_at(RunningProcess& process, int end, WaitClock::time_point deadline);

/// How long a process may do nothing where no other time was chosen.
inline constexpr std::chrono::seconds longest_silence = std::chrono::minutes(10);
/// The same for what may take as long as it likes, a download of hours too: late once the process
/// has neither computed nor said anything for so long.
Arrival wait_while_it_works(RunningProcess& process, int end, std::chrono::seconds silence);

/// How long a batch may take: what was chosen, else ten times the slowest of the first five, image
/// by image, at least a minute; until these are known ten minutes. Not for several threads.
class BatchLimit {
public:
    /// 0: by the first five.
    explicit BatchLimit(std::uint32_t chosen_seconds) : chosen_(chosen_seconds) {}
    std::chrono::duration<double> of(std::size_t images) const;
    void took(std::size_t images, std::chrono::duration<double> time);

private:
    std::chrono::duration<double> chosen_;
    std::chrono::duration<double> slowest_{0};  ///< an image
    int seen_ = 0;
};

}  // namespace assay::isolated
