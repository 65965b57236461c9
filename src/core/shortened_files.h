// Files that are mapped may be shortened by others while they are read: the kernel then ends the
// program by SIGBUS, without a word.
#pragma once

namespace assay {

/// From now on such an end names the file on stderr, as an error of `program`, and the status is
/// that of bad input. For programs, not for the library: the handler is the process's. A SIGBUS for
/// any other reason ends the process as before.
void name_shortened_files(const char* program);

}  // namespace assay
