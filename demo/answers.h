// The simulated crowd of the demo answers the questions of a competition over the unlabelled
// images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "demo/world/world.h"

namespace assay::cli {

/// The visible contents of an image of the demo.
struct KnownImage {
    std::uint64_t number = 0;         ///< row of the truth, from 0
    std::vector<std::string> labels;  ///< ids of classes
};
/// Contents by path. Reads truth/SET.csv. Throws bad_input.
std::map<std::string, KnownImage> read_known_images(const std::filesystem::path& truth);

struct CrowdAnswers {
    std::uint64_t questions = 0;  ///< questions that got answers
    std::uint64_t answers = 0;    ///< answers to these questions
};
/// Adds answers to `answers` (csv: question, annotator, answer) for the open questions of
/// `questions` (csv as `assay mad questions` writes it). These are in addition to the answers
/// in that file and in existing files of `earlier`. Random annotators answer one after the
/// other until the question is settled, each at most once. Answers of `blocked` annotators do
/// not count, and they are not asked. Annotators make errors with the rates in
/// truth/annotators.csv, on the truth in truth/unlabelled.csv. A question always gets the same
/// answers, at any time and with any other questions. Throws bad_input for a question about an
/// unknown image.
CrowdAnswers answer_questions(const WorldSpec& spec, const std::filesystem::path& questions,
                              const std::vector<std::filesystem::path>& earlier,
                              const std::filesystem::path& answers,
                              const std::set<std::string>& blocked);

}  // namespace assay::cli
