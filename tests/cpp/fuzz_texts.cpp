// Any bytes as the text of a position or an action of any ruleset: read or refused, never worse.
//
// libFuzzer runs this where clang is at hand (clang++ -fsanitize=fuzzer,address,undefined …).
// Without it, main() below changes texts that make sense at random, for as many inputs as its
// argument says.
#include <cstdio>
#include <cstdlib>

#include "all_games.hpp"
#include "any_game.hpp"

namespace spielwerk {
namespace {

const std::vector<std::shared_ptr<const AnyGame>>& games() {
  static const auto all = [] {
    std::vector<std::shared_ptr<const AnyGame>> made;
    for (const Ruleset& ruleset : registry().rulesets()) made.push_back(ruleset.make({}));
    return made;
  }();
  return all;
}

// The first byte chooses the ruleset, the rest is the text.
void read(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto& game = games()[static_cast<unsigned char>(bytes[0]) % games().size()];
  const std::string_view text = bytes.substr(1);
  const auto start = game->start(0, ChanceMode::automatic);
  try {
    start->play(text);
  } catch (const std::invalid_argument&) {
  }
  try {
    const auto state = game->from_text(text, 0, ChanceMode::automatic);
    const auto again = game->from_text(state->to_text(), 0, ChanceMode::automatic);
    if (again->to_text() != state->to_text()) std::abort();
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace
}  // namespace spielwerk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spielwerk::read({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifndef SPIELWERK_LIBFUZZER
namespace {

// A position on the way through a random game, or the notation of an action there.
std::string sensible(const spielwerk::AnyGame& game, spielwerk::Rng& rng) {
  const auto state = game.start(rng.next(), spielwerk::ChanceMode::automatic);
  std::vector<spielwerk::Action> legal;
  for (int plies = rng.below(60); plies > 0 && state->player() >= 0; --plies) {
    legal.clear();
    state->legal_actions(legal);
    state->play(legal[static_cast<std::size_t>(rng.below(static_cast<int>(legal.size())))]);
  }
  if (state->player() < 0 || rng.below(2) == 0) return state->to_text();
  legal.clear();
  state->legal_actions(legal);
  return state->text(legal.front());
}

std::string changed(std::string text, spielwerk::Rng& rng) {
  for (int edits = rng.below(4); edits > 0 && !text.empty(); --edits) {
    const auto at = static_cast<std::size_t>(rng.below(static_cast<int>(text.size())));
    const auto length = static_cast<std::size_t>(1 + rng.below(8));
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.insert(at, 1, static_cast<char>(rng.below(256)));
    }
  }
  return text;
}

}  // namespace

int main(int count, char** words) {
  const long inputs = count > 1 ? std::atol(words[1]) : 20'000;
  spielwerk::Rng rng(count > 2 ? static_cast<std::uint64_t>(std::atoll(words[2])) : 1);
  const auto& games = spielwerk::games();
  for (long input = 0; input < inputs; ++input) {
    const auto number = static_cast<std::size_t>(rng.below(static_cast<int>(games.size())));
    spielwerk::read(static_cast<char>(number) + changed(sensible(*games[number], rng), rng));
  }
  std::printf("%ld texts read or refused\n", inputs);
  return 0;
}
#endif
