// What a model's process may not do, held by the kernel: Landlock for files, seccomp for system
// calls. Neither can be undone, and both hold for every thread that is started afterwards.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::isolated {

/// From now on nothing can be written, made, removed or executed, and only these files and what is
/// below these folders can be read; paths that do not exist are passed over. TCP and, where the
/// kernel knows how, abstract sockets and signals to others are refused, too. Descriptors that are
/// open stay as they are. Returns why it is not so where the kernel lacks Landlock (Linux 5.13), or
/// refuses.
std::optional<std::string> limit_files(const std::vector<std::filesystem::path>& readable);

/// Of this process; true, too, where the system does not tell.
bool has_one_thread();

/// From now on system calls that write, make or remove files by name, make sockets, start programs
/// or processes, or reach into other processes fail with EACCES; threads can be started. Holds
/// for the threads that there are, too. Returns why it is not so where the kernel refuses.
std::optional<std::string> limit_calls();

/// The first thing that was refused by limit_calls() and that no well-behaved model tries: "open a
/// file for writing"; nothing while there is none. Where the kernel cannot tell, always nothing.
std::optional<std::string> first_refused_call();

/// What LibTorch reads after it was loaded: its libraries (the folders of all that are loaded, and
/// the system's), the description of the processor, /dev/urandom and the like.
std::vector<std::filesystem::path> files_of_the_framework();

}  // namespace assay::isolated
