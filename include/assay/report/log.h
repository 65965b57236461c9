// The measurements of a command for experiment trackers: one flat name for each number.
//
// The names work in MLflow, Weights & Biases and TensorBoard. They consist of parts between
// slashes, of letters and digits of ASCII, `_`, `-` and `.`. They have at most 250 characters, and
// no name occurs twice. The ends of an interval and the number of items have the names NAME_low,
// NAME_high and NAME_n. They are next to their value and not below it, because MLflow stores
// metrics as files, and a file cannot also be a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"

namespace assay {

struct LogEntry {
    std::string name;
    std::optional<double> value;  ///< always finite
    std::string undefined;        ///< reason for a missing value
};
struct Log {
    std::vector<LogEntry> entries;      ///< in the order of the report
    std::vector<std::string> warnings;  ///< names that had to be changed because they were equal
};
/// Each of the report's values with its interval and its n.
Log log_of(const Report& report);

/// One object per line: {"name", "step", "value"}, or {"name", "step", "undefined": why}.
std::string log_lines(const Log& log, std::uint64_t step);

/// The bytes of a TensorBoard event file: TFRecords of the version and of one event. The event has
/// every value as a scalar (float32, as TensorBoard keeps them). `time` is in seconds since 1970,
/// and is the only difference between two calls for the same numbers.
std::string event_file(const Log& log, std::uint64_t step, std::uint64_t time);
/// "events.out.tfevents.<time>.assay.<hash of the bytes>": only the same events have the same name.
std::string event_file_name(std::string_view bytes, std::uint64_t time);

/// The destination of a log: "FILE.jsonl", or "tensorboard:DIR".
struct LogTarget {
    enum class Kind { lines, tensorboard };
    Kind kind = Kind::lines;
    std::filesystem::path path;
};
/// Throws usage with what is allowed.
LogTarget log_target_named(std::string_view text);

}  // namespace assay
