// What a command measured, as trackers of experiments keep it: one flat name for each number.
//
// The names are made for MLflow, Weights & Biases and TensorBoard alike: parts between slashes, of
// letters and digits of ASCII, `_`, `-` and `.`, at most 250 characters, none twice. The ends of an
// interval and the number of items stand beside their value as NAME_low, NAME_high and NAME_n, and
// not below it: MLflow keeps metrics as files, and a file cannot be a folder, too.
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
    std::string undefined;        ///< why there is none
};
struct Log {
    std::vector<LogEntry> entries;      ///< in the order of the report
    std::vector<std::string> warnings;  ///< names that had to be told apart
};
/// Each of the report's values with its interval and its n.
Log log_of(const Report& report);

/// An object a line: {"name", "step", "value"}, or {"name", "step", "undefined": why}.
std::string log_lines(const Log& log, std::uint64_t step);

/// The bytes of a TensorBoard event file: TFRecords of the version and of one event with every
/// value as a scalar (float32, as TensorBoard keeps them). `time`: seconds since 1970, which is all
/// that differs between two calls for the same numbers.
std::string event_file(const Log& log, std::uint64_t step, std::uint64_t time);
/// "events.out.tfevents.<time>.assay.<hash of the bytes>": the same events have the same name, and
/// no others have it.
std::string event_file_name(std::string_view bytes, std::uint64_t time);

/// Where a log goes: "FILE.jsonl", or "tensorboard:DIR".
struct LogTarget {
    enum class Kind { lines, tensorboard };
    Kind kind = Kind::lines;
    std::filesystem::path path;
};
/// Throws usage with what is allowed.
LogTarget log_target_named(std::string_view text);

}  // namespace assay
