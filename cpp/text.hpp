// Small things that everyone who reads or refuses a text needs.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spielwerk {

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The beginning of a text for an error message, never cut inside a UTF-8 character and without
// control characters: a message is one line, and a NUL would end it.
inline std::string excerpt(std::string_view text) {
  std::size_t length = std::min<std::size_t>(text.size(), 40);
  while (length < text.size() && length > 0 && (text[length] & 0xc0) == 0x80) --length;
  std::string shown(text.substr(0, length));
  for (char& letter : shown)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
  return shown;
}

inline constexpr std::string_view kImpossible = "impossible position: ";

[[noreturn]] inline void refuse_position(const std::string& reason) {
  throw std::invalid_argument(std::string(kImpossible) + reason);
}

// What is wrong with a position, all of it.
struct Violations {
  std::vector<std::string> all;

  void add(bool broken, const std::string& reason) {
    if (broken) all.push_back(reason);
  }

  void refuse_first() const {
    if (!all.empty()) refuse_position(all.front());
  }
};

}  // namespace spielwerk
