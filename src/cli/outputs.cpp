#include "cli/outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "assay/error.h"
#include "assay/model/settings_file.h"
#include "assay/report/log.h"
#include "cli/ranks.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/file_stream.h"
#include "core/parallel.h"
#include "core/terminal_text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// The options whose values are files to write. All other values may be inputs.
constexpr std::array<std::string_view, 13> output_options = {
    "output", "label-sets", "questions",     "posteriors", "annotator-quality",
    "curve",  "rejected",   "probabilities", "figures",    "sheet",
    "junit",  "log",        "also"};

struct Named {
    std::string by;  ///< the option that names it: "--output", or "votes" of a plain argument
    fs::path path;
};

/// The same for `assay mad questions` and `assay labels export`: in other commands, --out is a
/// folder.
constexpr std::array<std::string_view, 3> question_outputs = {"out", "label-studio", "config"};

bool is_output(const CLI::App& app, const CLI::Option& option) {
    if (app.get_name().ends_with("assay serve")) return false;  // --questions is read there
    const auto& names = option.get_lnames();
    const auto is_in = [&](const auto& options, const std::string& name) {
        return std::find(options.begin(), options.end(), name) != options.end();
    };
    const bool asks =
        app.get_name().ends_with("mad questions") || app.get_name().ends_with("labels export");
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return is_in(output_options, name) || (asks && is_in(question_outputs, name));
    });
}

std::optional<struct stat> look_at(const fs::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    return info;
}

/// The target of a chain of symbolic links, whether or not it exists.
fs::path behind_links(fs::path path) {
    constexpr int most = 40;  // the kernel's limit
    std::error_code error;
    for (int i = 0; i < most && fs::is_symlink(path, error); ++i) {
        const fs::path next = fs::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / next;  // becomes `next` alone if that is absolute
    }
    return path;
}

/// The absolute path, also of a file that does not exist. The standard library's own function
/// returns a relative path if the beginning of the path does not exist.
fs::path true_path(const fs::path& path) {
    std::error_code error;
    return fs::weakly_canonical(fs::absolute(behind_links(path), error), error);
}

/// Existing files are the same if device and inode are equal; devices and pipes may be used twice.
bool same_file(const fs::path& a, const fs::path& b) {
    const auto first = look_at(a), second = look_at(b);
    if (first && second) {
        return S_ISREG(first->st_mode) && first->st_dev == second->st_dev &&
               first->st_ino == second->st_ino;
    }
    return !first && !second && true_path(a) == true_path(b);
}

/// The value, and its parts for LIST and NAME=PATH.
std::vector<fs::path> possible_paths(const std::string& value) {
    std::vector<fs::path> paths = {value};
    if (const auto sign = value.find('='); sign != std::string::npos)
        paths.emplace_back(value.substr(sign + 1));
    for (std::size_t begin = 0; value.find(',') != std::string::npos && begin <= value.size();) {
        const std::size_t end = std::min(value.find(',', begin), value.size());
        paths.emplace_back(value.substr(begin, end - begin));
        begin = end + 1;
    }
    return paths;
}

/// True for a store's manifest and shards, and for the description that the stores of a data set
/// share.
bool is_part_of_a_store(const fs::path& target) {
    std::error_code error;
    const fs::path path = true_path(target);
    const auto is_store = [&](const fs::path& folder) {
        return fs::exists(folder / "manifest.json", error) &&
               fs::is_directory(folder / "shards", error);
    };
    const fs::path folder = path.parent_path();
    if (is_store(folder) || is_store(folder.parent_path())) return true;
    return (path.filename() == "items.csv" || path.filename() == "items.columns" ||
            path.filename() == "dataset.json") &&
           fs::exists(path, error) && fs::exists(folder / "dataset.json", error);
}

/// True for its database, its list of images, its predictions, and a new file next to them.
bool is_part_of_a_competition(const fs::path& target) {
    std::error_code error;
    const fs::path folder = true_path(target).parent_path();
    const auto is_competition = [&](const fs::path& where) {
        return fs::exists(where / "competition.sqlite", error);
    };
    return is_competition(folder) || fs::exists(folder / "labelling.sqlite", error) ||
           (folder.filename() == "predictions" && is_competition(folder.parent_path()));
}

[[noreturn]] void refuse_output(const Named& output, const std::string& why) {
    throw Error(ErrorCode::usage, fmt::format("{} {}: {}", output.by, output.path.string(), why));
}

/// A result next to a model, with the name of its settings file, would replace these settings.
void check_beside_a_model(const Named& output) {
    for (const fs::path& path : {output.path, behind_links(output.path)}) {
        const fs::path model = model_of_sidecar(path);
        if (model.empty()) continue;
        refuse_output(
            output,
            fmt::format(
                "commands take a file of this name for the settings of the model `{}`; "
                "write the result to another name, such as {}",
                model.string(),
                (output.path.parent_path() / fmt::format("{}-result{}", output.path.stem().string(),
                                                         output.path.extension().string()))
                    .string()));
    }
}

void check_place(const Named& output) {
    if (is_stdout(output.path)) {
        // The main output of these commands may replace the report.
        constexpr std::array<std::string_view, 6> results = {
            "--output", "--label-sets", "--questions", "--out", "--label-studio", "--config"};
        if (std::ranges::find(results, output.by) == results.end())
            refuse_output(output, "stdout is used for the report; name a file");
        return;
    }
    const auto there = look_at(output.path);
    const fs::path folder = behind_links(output.path).parent_path();
    std::error_code error;
    if (!there && !folder.empty() && !fs::is_directory(folder, error)) {
        refuse_output(output, fmt::format("there is no folder `{}`", folder.string()));
    }
    if (there && S_ISDIR(there->st_mode)) refuse_output(output, "this is a folder; name a file");
    if (there && !S_ISREG(there->st_mode) && !S_ISFIFO(there->st_mode) &&
        !S_ISCHR(there->st_mode)) {
        refuse_output(output, "this is neither a file nor a pipe nor a character device");
    }
    check_beside_a_model(output);
    if (is_part_of_a_store(output.path)) {
        refuse_output(output, "this is inside a prediction store; write the result elsewhere");
    }
    if (is_part_of_a_competition(output.path)) {
        refuse_output(
            output,
            "this is inside a competition or a folder of questions; write the result elsewhere");
    }
}

/// Checks a folder that files are written to.
void check_folder(const Named& output) {
    const auto there = look_at(output.path);
    if (there && !S_ISDIR(there->st_mode)) refuse_output(output, "this is not a folder");
    if (is_part_of_a_store(output.path / "events"))
        refuse_output(output, "this is inside a prediction store; write the result elsewhere");
}

void check_twice(const Named& output, const Named& other) {
    if (!is_stdout(output.path) && same_file(output.path, other.path)) {
        refuse_output(
            output,
            fmt::format("this file is also the command's {}; write the result to another name",
                        other.by));
    }
}

[[noreturn]] void fail(const char* verb, const fs::path& path) {
    throw Error(ErrorCode::io,
                fmt::format("cannot {} `{}`: {}", verb, path.string(), std::strerror(errno)));
}

/// Waits in steps for a reader of the pipe, so that a signal ends the wait.
int open_special(const fs::path& path) {
    for (;;) {
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (descriptor >= 0) {
            ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
            return descriptor;
        }
        const int problem = errno;
        const auto info = look_at(path);
        const bool waits = problem == ENXIO && info && S_ISFIFO(info->st_mode);
        errno = problem;
        if (!waits && problem != EINTR) fail("open", path);
        throw_if_stopped();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void write_into(const fs::path& path, std::string_view text) {
    const Descriptor descriptor(open_special(path));
    write_fully(descriptor.get(), std::as_bytes(std::span(text)), path);
}

void write_stdout(std::string_view text) {
    if (::isatty(STDOUT_FILENO) == 1) return write_own(without_controls(text));
    write_own(text);
}

}  // namespace

void check_outputs(const CLI::App& app) {
    std::vector<Named> outputs, others;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_items_expected_max() == 0) continue;  // a flag
        for (const std::string& value : option->results()) {
            if (is_output(app, *option)) {
                if (option->get_name() == "--log") {
                    const LogTarget target = log_target_named(value);
                    if (target.kind == LogTarget::Kind::tensorboard) {
                        check_folder({option->get_name(), target.path});
                        continue;
                    }
                }
                outputs.push_back({option->get_name(), value});
                continue;
            }
            for (const fs::path& path : possible_paths(value)) {
                if (const auto info = look_at(path); info && S_ISREG(info->st_mode)) {
                    others.push_back({option->get_name(), path});
                }
            }
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        check_place(outputs[i]);
        for (const Named& other : others) check_twice(outputs[i], other);
        for (std::size_t j = 0; j < i; ++j) check_twice(outputs[i], outputs[j]);
    }
}

void write_own(std::string_view text) {
    if (!is_first_rank()) return;
    const int problem = write_all(STDOUT_FILENO, std::as_bytes(std::span(text)));
    if (problem != 0) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot write to stdout: {}", std::strerror(problem)));
    }
}

bool is_stdout(const fs::path& file) {
    return file.empty() || file == "-";
}

void write_result(const fs::path& file, std::string_view text) {
    if (!is_first_rank()) return;
    if (is_stdout(file)) return write_stdout(text);
    const auto there = look_at(file);
    struct stat out {};
    if (there && ::fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == there->st_dev &&
        out.st_ino == there->st_ino) {
        return write_stdout(text);  // /dev/stdout: opening a file again would truncate it
    }
    if (there && (S_ISFIFO(there->st_mode) || S_ISCHR(there->st_mode)))
        return write_into(file, text);
    write_file_atomically(behind_links(file), text);
}

struct ResultStream::Impl {
    std::optional<FileStream> file;  // empty if the output is `special` or stdout
    std::optional<Descriptor> special;
    fs::path path;
};

ResultStream::ResultStream(const fs::path& file) : impl_(std::make_unique<Impl>()) {
    impl_->path = file;
    if (is_stdout(file)) return;
    const auto there = look_at(file);
    struct stat out {};
    if (there && ::fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == there->st_dev &&
        out.st_ino == there->st_ino)
        return;  // /dev/stdout
    if (there && (S_ISFIFO(there->st_mode) || S_ISCHR(there->st_mode))) {
        impl_->special.emplace(open_special(file));
        return;
    }
    impl_->file.emplace(behind_links(file));
}

ResultStream::~ResultStream() = default;

void ResultStream::write(std::string_view text) {
    if (impl_->file) return impl_->file->write(text);
    if (!impl_->special) return write_stdout(text);
    write_fully(impl_->special->get(), std::as_bytes(std::span(text)), impl_->path);
}

void ResultStream::commit() {
    if (impl_->file) impl_->file->commit();
}

}  // namespace assay::cli
