#include "model/isolated/running_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "assay/error.h"
#include "core/parallel.h"

namespace assay::isolated {
namespace {

/// The number of batches whose time limits the later ones.
constexpr int enough_batches = 5;

}  // namespace

int LastWords::descriptor() const {
    const std::scoped_lock lock(mutex_);
    return closed_ ? -1 : pipe_.get();
}

void LastWords::read_on() {
    constexpr std::size_t most_kept = std::size_t{64} << 10;
    const std::scoped_lock lock(mutex_);
    if (closed_ || pipe_.get() < 0) return;
    std::array<char, 4096> part;
    // Reads at most a pipe's capacity, so that endless output does not block the program.
    for (int i = 0; i < 16; ++i) {
        const ssize_t n = retried([&] { return ::read(pipe_.get(), part.data(), part.size()); });
        if (n == 0) closed_ = true;
        if (n <= 0) break;
        tail_.append(part.data(), static_cast<std::size_t>(n));
        heard_ += static_cast<std::uint64_t>(n);
    }
    if (tail_.size() > most_kept) tail_.erase(0, tail_.size() - most_kept);
}

std::uint64_t LastWords::heard() const {
    const std::scoped_lock lock(mutex_);
    return heard_;
}

std::string LastWords::line() {
    read_on();
    const std::scoped_lock lock(mutex_);
    std::string text = tail_;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t line = text.rfind('\n');
    return text.substr(line == std::string::npos ? 0 : line + 1).substr(0, 300);
}

std::string RunningProcess::end_in_words(std::optional<int> status) {
    const std::string line = words.line();
    const std::string said = line.empty() ? "" : fmt::format(", saying \"{}\"", line);
    if (!status) return "is gone" + said;
    if (!WIFSIGNALED(*status))
        return fmt::format("exited with status {}{}", WEXITSTATUS(*status), said);
    const int signal = WTERMSIG(*status);
    if (signal == SIGKILL)
        return fmt::format(
            "was killed{}: by a user, or by the system because memory ran out; use a smaller batch "
            "and fewer threads",
            said);
    const std::string_view advice = after_a_crash();
    return fmt::format("ended by signal {} ({}){}{}{}", signal, ::strsignal(signal), said,
                       advice.empty() ? "" : ": ", advice);
}

std::string end_in_short(std::optional<int> status) {
    if (!status) return "is gone";
    if (!WIFSIGNALED(*status)) return fmt::format("exited with status {}", WEXITSTATUS(*status));
    const int signal = WTERMSIG(*status);
    if (signal == SIGKILL) return "was killed by a user, or because memory ran out";
    return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

std::uint64_t RunningProcess::work_done() {
    words.read_on();
    std::uint64_t ticks = 0, faults = 0;
    for (const int id : pids()) {
        // The process name in brackets may contain any characters.
        std::ifstream file(fmt::format("/proc/{}/stat", id));
        std::string facts((std::istreambuf_iterator<char>(file)), {});
        facts.erase(0, facts.rfind(')') + 1);
        std::istringstream fields(facts);
        std::string skipped;
        for (int field = 3; field < 10; ++field) fields >> skipped;
        std::uint64_t minor = 0, of_children = 0, major = 0, user = 0, system = 0;
        if (fields >> minor >> of_children >> major >> of_children >> user >> system) {
            ticks += user + system;
            faults += minor + major;
        }
    }
    const long each_second = std::max(10L, ::sysconf(_SC_CLK_TCK));
    // Counts one page fault in a hundred, because a sleeping process also has page faults.
    return words.heard() + 10 * ticks / static_cast<std::uint64_t>(each_second) + faults / 100;
}

Arrival wait_at(RunningProcess& process, int end, WaitClock::time_point deadline) {
    // A signal wakes only one thread of the program; other threads poll.
    constexpr int look = 100;
    // Waits shortly, because a nearly finished batch may still complete.
    constexpr std::chrono::milliseconds patience(500);
    std::optional<WaitClock::time_point> stopped;
    for (;;) {
        if (stop_requested()) {
            if (!stopped) stopped = WaitClock::now();
            if (WaitClock::now() - *stopped >= patience) throw_if_stopped();
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - WaitClock::now());
        const bool late = left.count() <= 0;
        const int wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, look));
        // A process that closed its control channel accepts no more requests, so it counts as gone.
        std::array<pollfd, 4> watched = {pollfd{end, POLLIN, 0}, pollfd{process.gone(), POLLIN, 0},
                                         pollfd{process.words.descriptor(), POLLIN, 0},
                                         pollfd{process.control(), 0, 0}};
        const int ready = ::poll(watched.data(), watched.size(), wait);
        if (ready < 0 && errno != EINTR) {
            throw Error(ErrorCode::io, fmt::format("cannot wait for the process of a model: {}",
                                                   std::strerror(errno)));
        }
        if (ready > 0) {
            if (watched[2].revents != 0) process.words.read_on();
            // A message that it sent before its end still counts.
            if (watched[0].revents != 0) return Arrival::message;
            if (watched[1].revents != 0 || watched[3].revents != 0) return Arrival::gone;
        }
        // An answer that has arrived also counts, because this program may have been suspended
        // meanwhile.
        if (late) return Arrival::late;
    }
}

Arrival wait_while_it_works(RunningProcess& process, int end, std::chrono::seconds silence) {
    for (std::uint64_t before = process.work_done();;) {
        const Arrival arrival = wait_at(process, end, WaitClock::now() + silence);
        if (arrival != Arrival::late) return arrival;
        const std::uint64_t now = process.work_done();
        if (now == before) return Arrival::late;
        before = now;
    }
}

std::chrono::duration<double> BatchLimit::of(std::size_t images) const {
    constexpr std::chrono::duration<double> least = std::chrono::minutes(1);
    constexpr std::chrono::duration<double> unknown = std::chrono::minutes(10);
    if (chosen_.count() > 0) return chosen_;
    const auto ten_times = slowest_ * 10.0 * static_cast<double>(images);
    return std::max(ten_times, seen_ < enough_batches ? unknown : least);
}

void BatchLimit::took(std::size_t images, std::chrono::duration<double> time) {
    if (seen_ >= enough_batches || images == 0) return;
    ++seen_;
    slowest_ = std::max(slowest_, time / static_cast<double>(images));
}

}  // namespace assay::isolated
