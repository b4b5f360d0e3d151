// What the processor hands to a GPU: the rules in force as plain bytes.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "../game.hpp"

namespace spielwerk::gpu {

struct Image {
  // A table that the game points to: it travels, too, and the pointer at `offset` follows it.
  struct Table {
    std::size_t offset;
    std::string bytes;
  };

  std::string type;  // as the names of its kernels spell it
  std::string game;
  std::vector<Table> tables;
  std::size_t state_bytes, mask_words;
};

// A game can play on a GPU when its bytes are all there is to it, tables aside, and when it tells
// how many cells a plane has at most.
template <class G>
concept Portable = std::is_trivially_copyable_v<G> && requires { G::kMaxCells; };

inline std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <Portable G>
Image image_of(const G& game) {
  // Kernels reserve memory by these two.
  if (game.planes().size() != G::kPlanes || game.grid().height * game.grid().width > G::kMaxCells)
    throw std::logic_error("kPlanes or kMaxCells does not fit the game's planes");
  Image image{
      demangled(typeid(G).name()), bytes_of(game), {}, sizeof(typename G::State), G::kMaskWords};
  if constexpr (requires { game.tables(); }) {
    const auto* const& table = game.tables();
    static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(*table)>>);
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(&table) -
                                                 reinterpret_cast<const char*>(&game));
    image.tables.push_back({offset, bytes_of(*table)});
  }
  return image;
}

}  // namespace spielwerk::gpu
