// The crowd of the demo world answers the questions of a competition over its unlabelled images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "demo/world/world.h"

namespace assay::cli {

/// The visible contents of an image of the demo world.
struct KnownImage {
    std::uint64_t number = 0;         ///< row of the truth, from 0
    std::vector<std::string> labels;  ///< ids of classes
};
/// Path -> contents. Reads truth/SET.csv. Throws bad_input.
std::map<std::string, KnownImage> read_known_images(const std::filesystem::path& truth);

struct CrowdAnswers {
    std::uint64_t questions = 0;  ///< that got answers
    std::uint64_t answers = 0;    ///< to these
};
/// Adds answers to `answers` (csv: question, annotator, answer) for the open questions of
/// `questions` (csv as `assay mad questions` writes it), beside those that stand there or in a file
/// of `earlier` (where it is there). Annotators at random are asked one after the other until the
/// question is settled, each once, and none of `blocked`, whose answers do not count; they err as
/// truth/annotators.csv says, from what truth/unlabelled.csv says. The same answers for the same
/// question, whenever and in whatever company it is asked. Throws bad_input: a question about no
/// image of the world.
CrowdAnswers answer_questions(const WorldSpec& spec, const std::filesystem::path& questions,
                              const std::vector<std::filesystem::path>& earlier,
                              const std::filesystem::path& answers,
                              const std::set<std::string>& blocked);

}  // namespace assay::cli
