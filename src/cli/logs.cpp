#include "cli/logs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <string>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/ranks.h"
#include "core/file.h"
#include "core/text.h"

namespace assay::cli {
namespace {

/// TensorBoard needs a time for every event. Reproducible builds set it.
std::uint64_t event_time() {
    const char* const said = std::getenv("SOURCE_DATE_EPOCH");
    if (said == nullptr) {
        using namespace std::chrono;
        return static_cast<std::uint64_t>(
            duration_cast<seconds>(system_clock::now().time_since_epoch()).count());
    }
    std::uint64_t seconds = 0;
    if (!parse_number(said, seconds))
        throw Error(ErrorCode::usage,
                    fmt::format("SOURCE_DATE_EPOCH is `{}`; allowed: whole seconds since 1970",
                                shortened(said)));
    return seconds;
}

}  // namespace

void Logs::add_to(CLI::App& app) {
    auto* const log = app.add_option_function<std::vector<std::string>>(
        "--log",
        [this](const std::vector<std::string>& names) {
            targets.clear();
            for (const std::string& name : names) {
                targets.push_back(log_target_named(name));
                if (targets.back().kind == LogTarget::Kind::tensorboard) time = event_time();
            }
        },
        "Log every value and the ends of its interval for experiment trackers (docs/tools.md): "
        "FILE.jsonl for MLflow and Weights & Biases, tensorboard:DIR for TensorBoard; repeatable");
    log->type_name("LOG")->allow_extra_args(false);
    app.add_option("--log-step", step,
                   "Step number for --log: the training step, or a count of releases")
        ->check(decimal_number())
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{INT64_MAX}))
        ->type_name("N")
        ->needs(log)
        ->capture_default_str();
}

void Logs::write(const Report& report) const {
    if (targets.empty() || report.values.empty()) return;  // a plan measures nothing
    const Log log = log_of(report);
    for (const std::string& text : log.warnings) warn(text);
    for (const LogTarget& target : targets) {
        if (target.kind == LogTarget::Kind::lines) {
            write_result(target.path, log_lines(log, step));
        } else if (is_first_rank()) {
            make_folders(target.path);
            const std::string bytes = event_file(log, step, time);
            write_file_atomically(target.path / event_file_name(bytes, time), bytes);
        }
    }
}

}  // namespace assay::cli
