#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "cli/ranks.h"

namespace assay::cli {
namespace {

bool wants_colour(int descriptor) {
    // mpirun gives each rank its own terminal and copies its contents to the output.
    if (are_ranks()) return false;
    const char* term = std::getenv("TERM");
    return ::isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr &&
           !(term != nullptr && std::string_view(term) == "dumb");
}

}  // namespace

bool stdout_is_terminal() {
    return wants_colour(STDOUT_FILENO);
}
bool stderr_is_terminal() {
    return wants_colour(STDERR_FILENO);
}

std::size_t stdout_width() {
    winsize size{};
    const bool known = ::isatty(STDOUT_FILENO) == 1 &&
                       ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 120;
}

}  // namespace assay::cli
