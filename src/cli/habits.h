// Commands and options that users know from PyTorch's and timm's scripts, and their names in
// Assay.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay::cli {

/// "--amp is not needed: ..." for an option that Assay lacks; "" if only the nearest name can help.
/// Options that the command does not have (`has`) are not proposed.
std::string habit(std::string_view option, const std::function<bool(const std::string&)>& has);

/// The equivalent of a command or metric of other programs; "" for other words. For
/// "log_loss": "`assay score runs --metrics nll` measures it".
std::string what_does(std::string_view word);

}  // namespace assay::cli
