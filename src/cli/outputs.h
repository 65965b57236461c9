// Files that a command writes because an option names them: where they may be, and how they are
// written.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <string_view>

namespace assay::cli {

/// Before anything is computed: throws usage when an output is a folder, a file inside a prediction
/// store or a competition, or a file that another argument of the command line names, too, be it an
/// input or another output.
void check_outputs(const CLI::App& app);

/// Whether `file` means stdout: "" or "-".
bool is_stdout(const std::filesystem::path& file);

/// Writes a result to stdout or where the user asked for it. A pipe or character device is written
/// to; a symbolic link stays, and what it leads to is replaced; a file is replaced by the whole
/// result or stays as it was, and keeps its permissions and owner (file_stream.h). A terminal shows
/// the control characters of ids and names instead of obeying them.
void write_result(const std::filesystem::path& file, std::string_view text);
/// Writes what the program itself has to say, colours included, to stdout.
void write_own(std::string_view text);

/// The same for a result that comes in pieces: a file is replaced at commit(), and stays as it was
/// without; stdout, a pipe or a device gets each piece at once.
class ResultStream {
public:
    explicit ResultStream(const std::filesystem::path& file);
    ~ResultStream();
    void write(std::string_view text);
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::cli
