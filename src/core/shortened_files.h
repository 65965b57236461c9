// Reports truncated files. If another process truncates a mapped file during a read, the kernel
// kills the program with SIGBUS and without a message.
#pragma once

namespace assay {

/// After this call, the program names the file on stderr, as an error of `program`, and exits with
/// the status of bad input. Only programs should call it, because the handler applies to the whole
/// process. A SIGBUS for any other reason ends the process as before.
void name_shortened_files(const char* program);

}  // namespace assay
