// Other programs: started without a shell, their words as given.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct ProgramCall {
    std::vector<std::string> words;  ///< the first is looked for on the PATH, unless it has a '/'
    std::filesystem::path errors = {};        ///< the file that gets its stderr; "": nobody
    std::size_t most = std::size_t{1} << 16;  ///< bytes of stdout; with more it is ended
    std::chrono::milliseconds limit{};        ///< it is ended after that; 0: never
};

struct ProgramEnd {
    bool found = true;   ///< false: there is no such program
    bool ended = false;  ///< by us: it took too long, or said too much
    int status = 0;      ///< exit status; 128 + signal
    std::string out;
    bool good() const { return found && !ended && status == 0; }
};

/// Waits for its end. It reads nothing. Throws io: the system refuses.
ProgramEnd run_program(const ProgramCall& call);

}  // namespace assay
