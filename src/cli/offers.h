// The collected proposals of completion for one argument.
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
    std::string about;  ///< a short description, or ""
};

/// The parts of the line before the completed argument, in their order. Values are keyed by the
/// long name of their option, or by the name of a plain argument.
struct Given {
    std::vector<std::pair<std::string, std::string>> values;

    std::vector<std::string> of(std::string_view name) const;
    bool has(std::string_view name) const { return !of(name).empty(); }
};

/// The files and folders that are proposed. Folders on the way to them are always proposed.
struct PathRule {
    /// File extensions, in lower case, with the dot; a single "" means any file; if empty, only
    /// folders.
    std::span<const std::string_view> endings = {};
    /// True for a folder that is itself a possible value: nothing below it is proposed.
    bool (*whole)(const std::filesystem::path& folder) = nullptr;
};

class Offers {
public:
    /// `typed` is the argument so far, as the program would receive it.
    explicit Offers(std::string typed) : typed_(std::move(typed)) {}

    const std::string& typed() const { return typed_; }
    std::vector<Candidate>& candidates() { return candidates_; }
    /// Marks that some candidates are files or folders.
    bool has_paths() const { return has_paths_; }

    /// Proposes `text` if it begins with the typed text; each text once.
    void name(std::string_view text, std::string_view about = {});
    /// The entries of the folder that the typed path is in. Folders end in '/' unless they are
    /// complete values; hidden ones are proposed if a dot is typed. A folder that cannot be read
    /// has none. "~/" and "$NAME/" in front are looked up, and stay as they are typed.
    void paths(const PathRule& rule);

private:
    std::string typed_;
    std::vector<Candidate> candidates_;
    bool has_paths_ = false;
};

/// Expands the beginning of a path like a shell: "~/runs" and "$SCRATCH/runs" from the environment;
/// everything else is unchanged.
std::filesystem::path expanded(std::string_view path);

}  // namespace assay::cli
