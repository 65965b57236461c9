// Messages between the program and the processes that run its models: datagrams in order over a
// pair of connected sockets, with open descriptors where needed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace assay::isolated {

/// Bytes of the largest message. A message of the other side that is longer is refused.
inline constexpr std::size_t most_message = std::size_t{60} << 10;

/// Two connected ends, closed on exec. Throws io.
std::pair<Descriptor, Descriptor> connected_ends();

/// False where the other end is gone. Throws io: the system refuses; usage: longer than
/// most_message.
bool send_message(int end, std::string_view bytes, std::vector<int> descriptors = {});

/// Waits for the next message; nothing where the other end is gone. Descriptors that came along are
/// dropped unless `descriptors` takes them (at most 2). Throws bad_input: longer than most_message;
/// io: the system refuses.
std::optional<std::string> receive_message(int end, std::vector<Descriptor>* descriptors = nullptr);

}  // namespace assay::isolated
