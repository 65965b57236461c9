// Replaces libc10.so of a LibTorch. The symbol of this function shows with which std::string it was
// compiled.
#include <cstdint>
#include <string>

namespace c10::detail {

[[gnu::visibility("default")]] std::size_t torchCheckFail(const char* function, const char* file,
                                                          std::uint32_t line,
                                                          const std::string& message);
std::size_t torchCheckFail(const char*, const char*, std::uint32_t, const std::string& message) {
    return message.size();
}

}  // namespace c10::detail
