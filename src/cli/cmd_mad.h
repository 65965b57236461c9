// The parts of `assay mad` that have their own files.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace assay::cli {

int mad_init(std::vector<std::string> arguments);
int mad_select(std::vector<std::string> arguments);
int mad_questions(std::vector<std::string> arguments);
int mad_answers(std::vector<std::string> arguments);
int mad_block(std::vector<std::string> arguments);
int mad_rank(std::vector<std::string> arguments);
int mad_status(std::vector<std::string> arguments);
int mad_export(std::vector<std::string> arguments);
int mad_gallery(std::vector<std::string> arguments);
int mad_distance(std::vector<std::string> arguments);

}  // namespace assay::cli
