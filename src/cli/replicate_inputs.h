// What the replicate commands share: reading, cleaning and counting the annotations of one or two
// sets.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/replication/selections.h"

namespace assay::cli {

int replicate_frequencies(std::vector<std::string> arguments);
int replicate_match(std::vector<std::string> arguments);
int replicate_adjust(std::vector<std::string> arguments);
int replicate_plan(std::vector<std::string> arguments);
int replicate_simulate(std::vector<std::string> arguments);

/// --clean, --min-selected, --max-controls, --max-flagged, --equalise, --other-annotators, --seed.
class AnnotationFlags {
public:
    void add_to(CLI::App& app);
    bool clean = false;
    replication::CleaningRules rules;
    int equalise = -1;  ///< -1: no; 0: to the smallest number; else to this
    bool other_annotators = false;
    std::uint64_t seed = 1;
};

/// The readings of one or two sets, and what was done to get them.
struct PreparedSets {
    replication::StudyNames names;
    std::vector<replication::Readings> sets;
    std::vector<std::optional<replication::Duplicates>> duplicates;  ///< raw annotations only
    std::optional<replication::CleaningReport> cleaning;
    std::optional<replication::AnnotatorOverlap> overlap;  ///< two sets of raw annotations only
    std::vector<std::string> warnings;
};
/// Files of raw annotations or of frequencies. Throws bad_input: cleaning asked of frequencies, no
/// annotator in common (unless other_annotators), nothing left.
PreparedSets prepare_sets(const std::vector<std::filesystem::path>& files,
                          const AnnotationFlags& flags);

nlohmann::json to_json(const PreparedSets& prepared);

/// "76.13 ± 0.72" in percent.
std::string percent_text(double value, std::optional<double> half_width = std::nullopt);

}  // namespace assay::cli
