// What completion proposes for one argument, as it is gathered.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::cli {

struct Candidate {
    std::string text;   ///< the whole argument
    std::string about;  ///< a few words, or ""
};

/// What the line says before the argument that is completed: values by the long name of their
/// option (or by the name of a plain argument), in their order.
struct Given {
    std::vector<std::pair<std::string, std::string>> values;

    std::vector<std::string> of(std::string_view name) const;
    bool has(std::string_view name) const { return !of(name).empty(); }
};

/// Which files and folders are proposed. Folders on the way to them always are.
struct PathRule {
    /// Of files, in lower case, with the dot; a single "" is any file; none: folders alone.
    std::span<const std::string_view> endings = {};
    /// A folder that is itself what is asked for: nothing below it is proposed.
    bool (*whole)(const std::filesystem::path& folder) = nullptr;
};

class Offers {
public:
    /// `typed`: the argument so far, as the program would get it.
    explicit Offers(std::string typed) : typed_(std::move(typed)) {}

    const std::string& typed() const { return typed_; }
    std::vector<Candidate>& candidates() { return candidates_; }
    /// Some of them are files or folders.
    bool has_paths() const { return has_paths_; }

    /// Proposes `text` where it goes on from what is typed; each text once.
    void name(std::string_view text, std::string_view about = {});
    /// The entries of the folder that the typed path is in. Folders end in '/' unless they are the
    /// whole of it; hidden ones are proposed where a dot is typed. A folder that cannot be read has
    /// none. "~/" and "$NAME/" in front are looked up, and stay as they are typed.
    void paths(const PathRule& rule);

private:
    std::string typed_;
    std::vector<Candidate> candidates_;
    bool has_paths_ = false;
};

/// What a shell would make of a path's beginning: "~/runs" and "$SCRATCH/runs" by the environment;
/// all else as it is.
std::filesystem::path expanded(std::string_view path);

}  // namespace assay::cli
