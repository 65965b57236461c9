// Options that several replicate steps share.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/replication/prepare.h"

namespace assay::cli {

int replicate_frequencies(std::vector<std::string> arguments);
int replicate_match(std::vector<std::string> arguments);
int replicate_adjust(std::vector<std::string> arguments);
int replicate_plan(std::vector<std::string> arguments);
int replicate_simulate(std::vector<std::string> arguments);

/// Adds the options for cleaning, from --clean to --other-annotators, and --seed.
void add_annotation_options(CLI::App& app, replication::PrepareOptions& options);
/// The two sets of a study.
void add_sets(CLI::App& app, std::filesystem::path& original, std::filesystem::path& replication);
/// Adds --hits ORIGINAL REPLICATION.
CLI::Option* add_hits(CLI::App& app, std::filesystem::path& original,
                      std::filesystem::path& replication, const std::string& description);

}  // namespace assay::cli
