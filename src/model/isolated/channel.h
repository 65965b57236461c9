// Messages between the program and its model processes: datagrams in order over a pair of connected
// sockets, with open descriptors if needed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace assay::isolated {

/// The size of the largest message in bytes. A longer message from the other side is refused.
inline constexpr std::size_t most_message = std::size_t{60} << 10;

/// Two connected ends, closed on exec. Throws io.
std::pair<Descriptor, Descriptor> connected_ends();

/// Returns false if the other end is gone. Throws io if the system refuses; usage if the message is
/// longer than most_message.
bool send_message(int end, std::string_view bytes, std::vector<int> descriptors = {});

/// Waits for the next message. Returns nothing if the other end is gone. Accompanying descriptors
/// are closed unless `descriptors` takes them (at most 2). Throws bad_input if the message is
/// longer than most_message; io if the system refuses.
std::optional<std::string> receive_message(int end, std::vector<Descriptor>* descriptors = nullptr);

}  // namespace assay::isolated
