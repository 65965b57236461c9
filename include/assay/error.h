// Errors: the one exception type of the library.
//
// The library throws `Error`, never prints and never exits. A message says what is wrong, which
// value was found, and what is allowed. Notes that callers add ("while reading
// runs/val/resnet50/manifest.json") say where. An undefined result (0/0, an absent subgroup) is a
// value and no error: see measurement.h.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// The kind of a failure, by what the caller can do about it.
enum class ErrorCode {
    usage,          ///< the request makes no sense (unknown flag, metric or model name)
    bad_input,      ///< a file or value is damaged, missing, of the wrong shape or not supported
    io,             ///< the system refused: full disk, no permission, read-only folder
    unreachable,    ///< a server does not answer, or answers wrongly; a later try may succeed
    busy,           ///< another process holds the store
    out_of_memory,  ///< a batch or buffer did not fit; a smaller one may fit
    interrupted,    ///< the user asked to stop (SIGINT, SIGTERM)
    internal,       ///< Assay broke its own contract: please report it
};

class Error : public std::exception {
public:
    Error(ErrorCode code, std::string message);

    ErrorCode code() const noexcept { return code_; }
    const std::string& message() const noexcept { return message_; }
    /// Innermost first.
    const std::vector<std::string>& notes() const noexcept { return notes_; }
    /// Message and notes on one line: "message (while a; while b)".
    const char* what() const noexcept override { return what_.c_str(); }

    /// Adds context to the error. `note` completes the phrase "while ...".
    Error& add_note(std::string note);

private:
    ErrorCode code_;
    std::string message_;
    std::vector<std::string> notes_;
    std::string what_;
};

/// Runs `body`; an Error that leaves it carries the note "while `note`".
template <class Body>
decltype(auto) with_note(std::string_view note, Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (Error& error) {
        error.add_note(std::string(note));
        throw;
    }
}

/// The candidate nearest to `word` by edit distance, or "" if none is near (at most a third of its
/// letters differ).
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "; did you mean `x`?" for the nearest candidate, else "; known: a, b, c" (at most 12,
/// then "...").
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace assay
