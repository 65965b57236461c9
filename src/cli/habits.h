// Commands and options from PyTorch's and timm's scripts that people are used to, and their names
// here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay::cli {

/// "--amp is not needed: ..." for an option that does not exist here; "" if nothing better than the
/// nearest name is known. Options that the command does not have (`has`) are not proposed.
std::string habit(std::string_view option, const std::function<bool(const std::string&)>& has);

/// The equivalent of a command of other programs; metrics also count; "" for other words. For
/// "log_loss": "`assay score runs --metrics nll` measures it".
std::string what_does(std::string_view word);

}  // namespace assay::cli
