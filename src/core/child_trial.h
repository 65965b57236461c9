// Tries code that nobody vouches for in a process of its own, so that a crash there is a sentence
// here.
#pragma once

#include <functional>
#include <string_view>

namespace assay {

/// Runs `body` in a forked process. Throws bad_input with a sentence that begins with `what`: the
/// process crashed, ended by itself, or took longer than trial_seconds(); and with what `body`
/// throws, as it is. Throws io where the system has no process to give. Cost: a fork.
void try_in_child(std::string_view what, const std::function<void()>& body);

/// `body` here where `apart` says that it runs nobody's code in this process; else try_in_child().
void try_apart(std::string_view what, bool apart, const std::function<void()>& body);
/// Why code that is apart may differ from thread to thread.
inline constexpr std::string_view processes_differ =
    ": threads use different processes, so it must not keep state between calls or draw random "
    "numbers";

/// ASSAY_PLUGIN_SECONDS, or 60. Throws usage: no whole number from 1 to 86400.
int trial_seconds();

/// What `body(thread)` says on each of four threads that start together: whether all say true. An
/// exception counts as false. Throws interrupted.
bool true_on_all_threads(const std::function<bool(int thread)>& body);
inline constexpr int trial_threads = 4;

}  // namespace assay
