// Commands and options that people bring from PyTorch's and timm's scripts, and what they are
// called here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay::cli {

/// "--amp is not needed: ..." for an option that is none of ours; "" where nothing better than the
/// nearest name is known. Options that the command does not have (`has`) are not proposed.
std::string habit(std::string_view option, const std::function<bool(const std::string&)>& has);

/// What does here what other programs have a command for; metrics are such words, too; "" for
/// others. "`assay score runs --metrics nll` measures it" of "log_loss".
std::string what_does(std::string_view word);

}  // namespace assay::cli
