// Tries untrusted code in a separate process, so that a crash there becomes an error message here.
#pragma once

#include <functional>
#include <string_view>

namespace assay {

/// Runs `body` in a forked process. Throws bad_input with a sentence that begins with `what` if the
/// process crashes, exits, or takes longer than trial_seconds(). Rethrows the exceptions of `body`
/// unchanged. Throws io if the system cannot start a process. Cost: a fork.
void try_in_child(std::string_view what, const std::function<void()>& body);

/// Runs `body` in this process if `apart` says that it loads no foreign code into it. Otherwise
/// calls try_in_child().
void try_apart(std::string_view what, bool apart, const std::function<void()>& body);
/// The reason why code in separate processes may give different results on different threads.
inline constexpr std::string_view processes_differ =
    ": threads use different processes, so it must not keep state between calls or draw random "
    "numbers";

/// ASSAY_PLUGIN_SECONDS, or 60. Throws usage unless the value is a whole number from 1 to 86400.
int trial_seconds();

/// Calls `body(thread)` on four threads that start together, and returns whether all calls return
/// true. An exception counts as false. Throws interrupted.
bool true_on_all_threads(const std::function<bool(int thread)>& body);
inline constexpr int trial_threads = 4;

}  // namespace assay
