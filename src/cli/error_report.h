// The error of a command for the process that started it, with its code.
#pragma once

#include "assay/error.h"

namespace assay::cli {

/// Call this first, before there are threads. ASSAY_ERROR_FD names an open descriptor that the
/// caller of the program reads: a file in memory, or a pipe. Processes that this one starts do not
/// get it. Without the variable there are no reports. Throws usage if it names no such descriptor.
void open_error_report();

/// Writes a line of JSON: {"code": "busy", "message": "...", "notes": ["..."]}. Codes are those of
/// the C interface, and `notes` complete "while ...", the innermost first. A failed write is
/// ignored, because stderr has the text, too.
void report_error(const Error& error);

}  // namespace assay::cli
