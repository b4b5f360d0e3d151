// The core without Python, run under the address and undefined-behaviour sanitizers: every ruleset
// played at random through the same face the bindings use, and fed with texts that make no sense.
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "all_games.hpp"
#include "any_game.hpp"

namespace spielwerk {
namespace {

int checks = 0;

void require(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  std::exit(1);
}

// Runs `attempt`, which may refuse its input with std::invalid_argument and nothing else.
template <class Attempt>
bool accepted(Attempt&& attempt) {
  try {
    attempt();
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

std::string mangled(std::string text, Rng& rng) {
  static const std::string letters = "0123456789abcdefghWBwboXxgn/@-+*,. \n\\_:;=|~pwr\xff\x01";
  for (int edits = 1 + rng.below(3); edits > 0; --edits) {
    const int at = rng.below(static_cast<int>(text.size()) + 1);
    const char letter =
        letters[static_cast<std::size_t>(rng.below(static_cast<int>(letters.size())))];
    const auto place = static_cast<std::size_t>(at);
    switch (rng.below(3)) {
      case 0:
        text.insert(place, 1, letter);
        break;
      case 1:
        if (place < text.size()) text[place] = letter;
        break;
      default:
        if (place < text.size()) text.erase(place, 1);
    }
  }
  return text;
}

// The default rules, and each number at its ends.
std::vector<std::shared_ptr<const AnyGame>> variants(const Ruleset& ruleset) {
  std::vector<std::shared_ptr<const AnyGame>> games = {ruleset.make({})};
  for (const Parameter& parameter : ruleset.parameters) {
    if (parameter.kind == Parameter::Kind::integer) {
      for (std::int64_t value : {parameter.minimum, parameter.maximum})
        games.push_back(ruleset.make({{parameter.name, value}}));
    } else if (parameter.kind == Parameter::Kind::boolean) {
      games.push_back(ruleset.make({{parameter.name, !std::get<bool>(parameter.fallback)}}));
    }
  }
  return games;
}

void look_at(const AnyState& state, std::vector<std::uint8_t>& observation,
             std::vector<std::uint8_t>& mask) {
  for (Seat seat = 0; seat < state.game()->seats(); ++seat) {
    state.observe(seat, observation.data());
    const double value = state.evaluate(seat);
    require(value >= -1 && value <= 1, "evaluate stays in bounds");
  }
  state.mask(mask.data());
  require(!state.picture().empty() && !state.facts().empty(), "a position can be shown");
}

void fuzz_texts(const AnyGame& game, const AnyState& state, Rng& rng) {
  const std::string text = state.to_text();
  require(game.from_text(text, 0, ChanceMode::explicit_)->equals(state),
          "text round trip: " + text);
  for (int i = 0; i < 8; ++i) {
    const std::string strange = mangled(text, rng);
    std::unique_ptr<AnyState> read;
    if (!accepted([&] { read = game.from_text(strange, 0, ChanceMode::explicit_); })) continue;
    require(game.from_text(read->to_text(), 0, ChanceMode::explicit_)->equals(*read),
            "an accepted text round-trips: " + strange);
    for (int ply = 0; ply < 10 && read->player() != kNobody; ++ply) {
      std::vector<Action> legal;
      read->legal_actions(legal);
      require(!legal.empty(), "a running set-up position has an action: " + strange);
      read->play(static_cast<long long>(
          legal[static_cast<std::size_t>(rng.below(static_cast<int>(legal.size())))]));
    }
  }
}

void fuzz_actions(const AnyState& state, Rng& rng) {
  const auto copy = state.clone();
  for (int i = 0; i < 6; ++i) {
    const long long number = static_cast<long long>(rng.next() % 5000) - 100;
    const auto before = copy->clone();
    if (!accepted([&] { copy->play(number); }))
      require(copy->equals(*before), "refused, unchanged");
    accepted([&] { (void)copy->text(number); });
    const std::string text = mangled(i % 2 == 0 ? "b6@d4" : "1,1+1,2+2,1", rng);
    accepted([&] { copy->play(std::string_view(text)); });
  }
}

void play_games(const AnyGame& game, Rng& rng) {
  const auto& shape = game.observation_shape();
  std::vector<std::uint8_t> observation(shape[0] * shape[1] * shape[2]);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(game.actions()));
  for (int round = 0; round < 3; ++round) {
    auto state = game.start(rng.next(), round == 0 ? ChanceMode::explicit_ : ChanceMode::automatic);
    for (int ply = 0; ply < 300 && state->player() != kNobody; ++ply) {
      std::vector<Action> legal;
      state->legal_actions(legal);
      require(!legal.empty(), "a running game has an action");
      if (ply % 7 == 0) {
        look_at(*state, observation, mask);
        fuzz_texts(game, *state, rng);
        fuzz_actions(*state, rng);
        for (int k = 0; k < game.symmetries() && k < 8; ++k)
          require(state->symmetric(k)->player() == state->player(), "symmetry keeps the player");
      }
      const bool greedy = state->player() >= 0 && rng.below(4) == 0;
      const Action action =
          greedy ? state->greedy(rng.next())
                 : legal[static_cast<std::size_t>(rng.below(static_cast<int>(legal.size())))];
      require(state->is_legal(action), "the chosen action is legal");
      if (rng.below(2) == 0) {
        state->play(static_cast<long long>(action));
      } else {
        state->play(std::string_view(state->text(action)));
      }
    }
    look_at(*state, observation, mask);
  }
}

void step_batches(const AnyGame& game, Rng& rng) {
  for (int threads : {1, 3}) {
    auto batch = game.batch({.games = 17, .threads = threads, .skip_forced = threads == 3});
    batch->reset(rng.next());
    for (int step = 0; step < 80; ++step) {
      batch->random_actions(rng.next());
      batch->step(batch->buffers().chosen.data());
    }
    std::vector<std::int64_t> wrong(17, game.actions());
    require(!accepted([&] { batch->step(wrong.data()); }), "an illegal batch is refused");
  }
}

void solve_positions(const AnyGame& game, Rng& rng) {
  if (game.has_chance() || game.seats() != 2) {
    require(!accepted([&] { game.solver(1); }), "what cannot be solved is refused");
    return;
  }
  const auto solver = game.solver(1);
  SearchLimits limits;
  limits.nodes = game.actions() < 200 ? 1000 : 5;  // a node lists every action
  for (int round = 0; round < 2; ++round) {
    const auto state = game.start(rng.next(), ChanceMode::automatic);
    while (state->player() != kNobody) {
      const Solution solution = solver->solve(*state, limits, true, {});
      require(solution.nodes <= limits.nodes, "a limit of nodes is kept");
      require(solution.line.empty() || state->is_legal(solution.line[0]), "best play is legal");
      std::vector<Action> legal;
      for (int skip = 0; skip < 9 && state->player() != kNobody; ++skip) {
        legal.clear();
        state->legal_actions(legal);
        state->play(static_cast<long long>(
            legal[static_cast<std::size_t>(rng.below(static_cast<int>(legal.size())))]));
      }
    }
    require(solver->solve(*state, limits, true, {}).solved, "a finished game is solved");
  }
}

// Numbers as a network could answer them, some of them none at all.
std::vector<float> random_answers(std::size_t count, Rng& rng) {
  std::vector<float> numbers(count);
  for (float& number : numbers)
    number = rng.below(50) == 0 ? std::numeric_limits<float>::quiet_NaN()
                                : static_cast<float>(rng.below(2001) - 1000) / 500;
  return numbers;
}

void play_against_itself(const AnyGame& game, Rng& rng) {
  const auto seats = static_cast<std::size_t>(game.seats());
  const auto actions = static_cast<std::size_t>(game.actions());
  for (int threads : {1, 3}) {
    SelfPlayOptions options;
    options.games = 5, options.threads = threads;
    options.simulations = 9, options.fast_simulations = 3;
    const auto play = game.self_play(options);
    play->reset(rng.next());
    for (int step = 0; step < 60; ++step)
      play->step(random_answers(5 * actions, rng).data(), random_answers(5 * seats, rng).data(),
                 seats);
    require(play->take_rows().place.size() % 4 == 0, "rows have places");
    for (int i = 0; i < 5; ++i) play->place(i, *play->state(i), play->memory(i));
    play->restart();
    (void)play->root(0);
  }
}

void search_with_answers(const AnyGame& game, Rng& rng) {
  constexpr std::size_t kBatch = 6;
  const auto seats = static_cast<std::size_t>(game.seats());
  const auto& shape = game.observation_shape();
  std::vector<std::uint8_t> observation(kBatch * shape[0] * shape[1] * shape[2]);
  const auto search = game.puct({});
  const auto state = game.start(rng.next(), ChanceMode::automatic);
  for (int ply = 0; ply < 6 && state->player() >= 0; ++ply) {
    search->begin(*state, rng.next());
    for (int round = 0; round < 20 && !search->finished(); ++round) {
      const std::size_t leaves = search->select(kBatch, observation.data());
      const auto logits = random_answers(leaves * static_cast<std::size_t>(game.actions()), rng);
      search->judge(logits.data(), random_answers(leaves * seats, rng).data(), seats);
    }
    const SearchReport report = search->report();
    require(!report.lines.empty() && state->is_legal(report.lines[0].actions[0]),
            "a search answers with a legal action");
    state->play(static_cast<long long>(report.lines[0].actions[0]));
  }
}

void check(const Ruleset& ruleset) {
  Rng rng(17);
  for (const auto& game : variants(ruleset)) {
    play_games(*game, rng);
    step_batches(*game, rng);
    solve_positions(*game, rng);
    play_against_itself(*game, rng);
    search_with_answers(*game, rng);
  }
  const auto game = ruleset.make({});
  require(game->random_playouts(3, 1).games == 3, "playouts");
  require(game->start(1, ChanceMode::explicit_)->perft(2) > 0, "perft");
  require(!accepted([&] { ruleset.make({{"nonsense", true}}); }), "unknown parameters are refused");
}

}  // namespace
}  // namespace spielwerk

int main() {
  using namespace spielwerk;
  for (const Ruleset& ruleset : registry().rulesets()) check(ruleset);
  std::printf("%d checks of %zu rulesets passed\n", checks, registry().rulesets().size());
}
