// Limits that the kernel enforces on a model's process: Landlock for files, seccomp for system
// calls. They cannot be removed, and apply to every thread started later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::isolated {

/// After this call nothing can be written, made, removed or executed, and only these files and the
/// contents of these folders can be read. Paths that do not exist are ignored. TCP is refused, and
/// on newer kernels also abstract sockets and signals to other processes. Open descriptors stay
/// usable. Returns the reason if the kernel lacks Landlock (Linux 5.13), or refuses.
std::optional<std::string> limit_files(const std::vector<std::filesystem::path>& readable);

/// True if this process has one thread; also true if the system gives no number.
bool has_one_thread();

/// After this call, system calls that write, make or remove files by name fail with EACCES. So do
/// calls that make sockets, start programs or processes, or access other processes. New threads are
/// allowed. Existing threads are also limited. Returns the reason if the kernel refuses.
std::optional<std::string> limit_calls();

/// The first refused call that no harmless model makes: "open a file for writing". Nothing without
/// such a call, or if the kernel does not report it.
std::optional<std::string> first_refused_call();

/// The files that LibTorch reads after it was loaded. These are its libraries (the folders of all
/// loaded ones, and the system's), the processor's description, /dev/urandom and similar files.
std::vector<std::filesystem::path> files_of_the_framework();

}  // namespace assay::isolated
