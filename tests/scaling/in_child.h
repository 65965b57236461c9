// Measures work in a separate process, so that its peak of memory is not that of earlier work.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>

namespace assay {

struct Cost {
    double seconds = 0;    ///< processor time of all threads, which other processes hardly change
    double mebibytes = 0;  ///< the peak minus the memory that the process had before
};

inline double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Measures `body`. Returns nothing if it throws or the process crashes. The exception is printed.
template <class Body>
std::optional<Cost> in_child(Body&& body) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return std::nullopt;
    ::malloc_trim(0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto peak = [] {
            rusage usage{};
            ::getrusage(RUSAGE_SELF, &usage);
            return static_cast<double>(usage.ru_maxrss) / 1024;
        };
        int status = 0;
        try {
            Cost cost{processor_seconds(), peak()};
            body();
            cost = {processor_seconds() - cost.seconds, peak() - cost.mebibytes};
            if (::write(ends[1], &cost, sizeof cost) != sizeof cost) status = 2;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            status = 1;
        }
        ::_exit(status);
    }
    ::close(ends[1]);
    Cost cost;
    const bool told = ::read(ends[0], &cost, sizeof cost) == sizeof cost;
    ::close(ends[0]);
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0 || !told) return std::nullopt;
    return cost;
}

}  // namespace assay
