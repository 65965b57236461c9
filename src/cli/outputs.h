// Files that a command writes because an option names them: allowed places, and how they are
// written.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <string_view>

namespace assay::cli {

/// Runs before anything is computed. Throws usage if an output is a folder, or a file inside a
/// prediction store or a competition. Throws usage if another argument of the command line also
/// names the file, as an input or as another output.
void check_outputs(const CLI::App& app);

/// True if `file` means stdout: "" or "-".
bool is_stdout(const std::filesystem::path& file);

/// Writes a result to stdout or to the user's file. Pipes and character devices are written
/// directly. A symbolic link is kept, and its target is replaced. A file is either replaced by the
/// whole result or not changed, and keeps its permissions and owner (file_stream.h). On a terminal,
/// the control characters of ids and names are shown and not executed.
void write_result(const std::filesystem::path& file, std::string_view text);
/// Writes the program's own text, including colors, to stdout.
void write_own(std::string_view text);

/// The same for a result that arrives in pieces. A file is replaced at commit(), and without
/// commit() it does not change. Stdout, a pipe or a device receives each piece immediately.
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
