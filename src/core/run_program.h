// Runs other programs without a shell, with their arguments unchanged.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct ProgramCall {
    std::vector<std::string> words;  ///< the first is looked up on the PATH, unless it contains a
                                     ///< '/'
    std::filesystem::path errors = {};  ///< the file that receives stderr; "" discards it
    /// limit in bytes of stdout; a program that writes more is killed
    std::size_t most = std::size_t{1} << 16;
    /// the program is killed after this time; 0 means never
    std::chrono::milliseconds limit{};
};

struct ProgramEnd {
    bool found = true;   ///< false if the program does not exist
    bool ended = false;  ///< killed because it took too long or wrote too much
    int status = 0;      ///< exit status, or 128 + signal
    std::string out;
    bool good() const { return found && !ended && status == 0; }
};

/// Runs the program and waits for it. It gets no input. Throws io if the system refuses.
ProgramEnd run_program(const ProgramCall& call);

}  // namespace assay
