// One face for every game: what outer layers hold when they do not know the game at compile time.
// A virtual call per action is nothing next to a Python call; loops that matter (batches, playouts,
// searches) run inside the templates behind it.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch.hpp"
#include "game.hpp"
#include "gpu/image.hpp"
#include "lessons.hpp"
#include "playout.hpp"
#include "search/alphabeta.hpp"
#include "search/expectimax.hpp"
#include "search/greedy.hpp"
#include "search/mcts.hpp"
#include "search/puct.hpp"
#include "search/solver.hpp"
#include "selfplay.hpp"
#include "td.hpp"
#include "text.hpp"

namespace spielwerk {

enum class ChanceMode { automatic, explicit_ };

// Longer texts are refused before they are parsed.
inline constexpr std::size_t kMaxPositionText = 100'000;
inline std::string too_long_a_position() {
  return "a position text has at most " + std::to_string(kMaxPositionText) + " characters";
}
inline constexpr std::size_t kMaxActionText = 200;

class IllegalActionError : public std::invalid_argument {
 public:
  IllegalActionError(std::string code, const std::string& reason)
      : std::invalid_argument(reason), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

class AnyGame;

class AnyState {
 public:
  virtual ~AnyState() = default;
  virtual const std::shared_ptr<const AnyGame>& game() const = 0;
  virtual std::unique_ptr<AnyState> clone() const = 0;
  virtual bool equals(const AnyState& other) const = 0;
  virtual std::size_t hash() const = 0;
  virtual std::uint64_t stream() const = 0;
  virtual ChanceMode chance_mode() const = 0;

  virtual Seat player() const = 0;
  virtual void legal_actions(std::vector<Action>& out) const = 0;
  virtual bool is_legal(long long action) const = 0;
  virtual void play(long long action) = 0;
  virtual void play(std::string_view text) = 0;
  virtual std::vector<ChanceOutcome> outcomes() const = 0;
  virtual const std::vector<std::string>& fallen() const = 0;

  virtual std::vector<double> returns() const = 0;
  virtual std::vector<int> points() const = 0;
  virtual bool truncated() const = 0;
  virtual std::string_view ending() const = 0;

  virtual std::string text(long long action) const = 0;
  virtual Action parse(std::string_view text) const = 0;
  virtual std::vector<std::string> split_turn(std::string_view text) const = 0;
  virtual std::string to_text() const = 0;
  virtual std::string picture() const = 0;
  virtual Facts facts() const = 0;

  virtual std::string bytes() const = 0;
  virtual void observe(Seat seat, std::uint8_t* out) const = 0;
  virtual void mask(std::uint8_t* out) const = 0;
  virtual double evaluate(Seat seat) const = 0;
  virtual Seat settled() const = 0;
  virtual std::unique_ptr<AnyState> symmetric(int k) const = 0;
  virtual Action greedy(std::uint64_t seed) const = 0;
  virtual std::uint64_t perft(int depth) const = 0;
};

// A search that keeps what it learnt from one position to the next.
class AnySearch {
 public:
  virtual ~AnySearch() = default;
  virtual const std::shared_ptr<const AnyGame>& game() const = 0;
  // Needs a seat to act in `state`.
  virtual SearchReport search(const AnyState& state, const SearchLimits& limits,
                              std::uint64_t seed) = 0;
};

using SolverProgress = std::function<bool(const Solution&)>;  // false: enough

// Finds exact results and keeps what it learnt.
class AnySolver {
 public:
  virtual ~AnySolver() = default;
  virtual const std::shared_ptr<const AnyGame>& game() const = 0;
  virtual Solution solve(const AnyState& state, const SearchLimits& limits, bool want_distance,
                         const SolverProgress& progress) = 0;
};

class AnyBatch {
 public:
  virtual ~AnyBatch() = default;
  virtual const std::shared_ptr<const AnyGame>& game() const = 0;
  virtual const BatchOptions& options() const = 0;
  virtual BatchBuffers& buffers() = 0;
  virtual void reset(std::uint64_t seed) = 0;
  virtual void step(const std::int32_t* actions) = 0;
  virtual void step(const std::int64_t* actions) = 0;
  virtual void random_actions(std::uint64_t seed) = 0;
  virtual void greedy_actions(std::uint64_t seed) = 0;
  virtual void evaluate() = 0;
  virtual std::unique_ptr<AnyState> state(int i) const = 0;
  virtual void place(int i, const AnyState& state, bool with_dice) = 0;
};

// Many games under Gumbel search; see selfplay.hpp.
class AnySelfPlay {
 public:
  virtual ~AnySelfPlay() = default;
  virtual const std::shared_ptr<const AnyGame>& game() const = 0;
  virtual const SelfPlayOptions& options() const = 0;
  virtual Pages<std::uint8_t>& observation() = 0;
  virtual void reset(std::uint64_t seed) = 0;
  virtual void restart() = 0;
  virtual void step(const float* logits, const float* values, std::size_t width) = 0;
  virtual SelfPlayRows take_rows() = 0;
  virtual SelfPlayEnds take_ends() = 0;
  virtual SelfPlayCounts counts() const = 0;
  virtual std::unique_ptr<AnyState> state(int i) const = 0;
  virtual SelfPlayMemory memory(int i) const = 0;
  virtual void place(int i, const AnyState& state, const SelfPlayMemory& memory) = 0;
  virtual GumbelRoot root(int i) = 0;
};

// A search whose leaves an evaluator outside judges, batch by batch; see search/puct.hpp.
class AnyPuct {
 public:
  virtual ~AnyPuct() = default;
  virtual const std::shared_ptr<const AnyGame>& game() const = 0;
  // Needs a seat to act in `state`.
  virtual void begin(const AnyState& state, std::uint64_t seed) = 0;
  virtual bool finished() const = 0;
  virtual std::uint64_t simulations() const = 0;
  // The leaves to judge, observed one after the other; `out` has room for `most`.
  virtual std::size_t select(std::size_t most, std::uint8_t* out) = 0;
  virtual void judge(const float* logits, const float* values, std::size_t width) = 0;
  virtual SearchReport report() = 0;
};

class AnyGame {
 public:
  AnyGame(std::string name, std::string summary, std::vector<Parameter> parameters,
          RuleValues rules)
      : name_(std::move(name)),
        summary_(std::move(summary)),
        parameters_(std::move(parameters)),
        rules_(std::move(rules)) {}
  virtual ~AnyGame() = default;

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const RuleValues& rules() const { return rules_; }
  bool same_rules(const AnyGame& other) const {
    return name_ == other.name_ && rules_ == other.rules_;
  }

  virtual int rules_version() const = 0;
  virtual bool has_chance() const = 0;
  virtual bool zero_sum() const = 0;
  virtual int seats() const = 0;
  virtual int side_of(Seat seat) const = 0;
  virtual int actions() const = 0;
  virtual int max_plies() const = 0;
  virtual int symmetries() const = 0;
  virtual Action symmetric_action(Action action, int k) const = 0;
  virtual ActionCell action_cell(Action action) const = 0;
  virtual ActionPlanes action_planes(Action action) const = 0;
  virtual std::vector<Plane> planes() const = 0;
  virtual const std::array<std::size_t, 3>& observation_shape() const = 0;

  virtual std::unique_ptr<AnyState> start(std::uint64_t seed, ChanceMode mode) const = 0;
  virtual std::unique_ptr<AnyState> from_text(std::string_view text, std::uint64_t seed,
                                              ChanceMode mode) const = 0;
  virtual std::vector<std::string> check(std::string_view text, bool strict) const = 0;
  virtual std::unique_ptr<AnyBatch> batch(BatchOptions options) const = 0;
  virtual PlayoutCount random_playouts(std::uint64_t games, std::uint64_t seed) const = 0;

  // For a GPU: the rules as bytes, none where the game is not made for it; positions as bytes, from
  // and to the device's memory.
  virtual std::optional<gpu::Image> image() const = 0;
  virtual std::unique_ptr<AnyState> from_bytes(std::string_view bytes, std::uint64_t stream,
                                               ChanceMode mode) const = 0;

  // std::invalid_argument where a game is beyond a search: alpha-beta and the solver need two
  // seats and no dice.
  virtual std::unique_ptr<AnySearch> alphabeta(AlphaBetaOptions options) const = 0;
  // Planes that an evaluation network sees, and games that it learns from.
  virtual int evaluation_planes() const = 0;
  virtual Lessons lessons(const LessonOptions& options) const = 0;
  virtual std::unique_ptr<AnySearch> expectimax(
      std::shared_ptr<const AfterstateWeights> network) const = 0;
  virtual std::unique_ptr<AnySearch> mcts(MctsOptions options) const = 0;
  // std::invalid_argument where a game has none.
  virtual int afterstate_features() const = 0;
  virtual void learn_afterstates(AfterstateWeights& weights, const TdOptions& options) const = 0;
  virtual std::unique_ptr<AnySolver> solver(std::size_t megabytes) const = 0;
  virtual std::unique_ptr<AnyPuct> puct(PuctOptions options) const = 0;
  virtual std::unique_ptr<AnySelfPlay> self_play(const SelfPlayOptions& options) const = 0;

 private:
  std::string name_, summary_;
  std::vector<Parameter> parameters_;
  RuleValues rules_;
};

// By seat; seats of one side win and lose together.
inline std::vector<int> sides(const AnyGame& game) {
  std::vector<int> all;
  for (Seat seat = 0; seat < game.seats(); ++seat) all.push_back(game.side_of(seat));
  return all;
}

// The winning seats; none in a draw or while the game runs.
inline std::vector<int> winners(const AnyState& state) {
  const std::vector<double> returns = state.returns();
  double best = 0;
  for (const double value : returns) best = value > best ? value : best;
  std::vector<int> seats;
  for (std::size_t seat = 0; seat < returns.size(); ++seat)
    if (best > 0 && returns[seat] == best) seats.push_back(static_cast<int>(seat));
  return seats;
}

template <Game G>
class GameOf;

template <Game G>
class StateOf final : public AnyState {
 public:
  using Position = typename G::State;

  StateOf(std::shared_ptr<const AnyGame> game, const G& rules, const Position& position, Rng rng,
          ChanceMode mode)
      : game_(std::move(game)), rules_(&rules), position_(position), rng_(rng), mode_(mode) {
    settle();
  }

  const Position& position() const { return position_; }

  const std::shared_ptr<const AnyGame>& game() const override { return game_; }
  std::unique_ptr<AnyState> clone() const override { return std::make_unique<StateOf>(*this); }

  bool equals(const AnyState& other) const override {
    const auto* same = dynamic_cast<const StateOf*>(&other);
    return same != nullptr && game_->same_rules(*same->game_) &&
           std::memcmp(&position_, &same->position_, sizeof(Position)) == 0;
  }

  std::size_t hash() const override {
    const std::string_view bytes(reinterpret_cast<const char*>(&position_), sizeof(Position));
    return std::hash<std::string_view>{}(bytes) ^ std::hash<std::string>{}(game_->name());
  }

  std::uint64_t stream() const override { return rng_.state(); }
  ChanceMode chance_mode() const override { return mode_; }

  Seat player() const override { return rules_->player(position_); }

  void legal_actions(std::vector<Action>& out) const override {
    rules_->legal(position_).each([&](Action action) { out.push_back(action); });
  }

  bool is_legal(long long action) const override {
    return action >= 0 && action < 64 * G::kMaskWords &&
           rules_->legal(position_).contains(static_cast<Action>(action));
  }

  void play(long long action) override {
    check(position_, action);
    rules_->apply(position_, static_cast<Action>(action));
    settle();
  }

  // A single action, or a whole turn of the player to move: all of it, or nothing.
  void play(std::string_view text) override {
    StateOf after = *this;
    for (const Action action : actions_of(text)) after.play(static_cast<long long>(action));
    *this = std::move(after);
  }

  std::vector<ChanceOutcome> outcomes() const override {
    if constexpr (G::kHasChance) {
      if (player() == kChance) return rules_->outcomes(position_);
    }
    return {};
  }

  const std::vector<std::string>& fallen() const override { return fallen_; }

  std::vector<double> returns() const override {
    std::vector<double> all(static_cast<std::size_t>(rules_->seats()));
    rules_->returns(position_, all.data());
    return all;
  }

  std::vector<int> points() const override {
    std::vector<int> all(static_cast<std::size_t>(rules_->seats()));
    rules_->points(position_, all.data());
    return all;
  }

  bool truncated() const override { return rules_->truncated(position_); }
  std::string_view ending() const override { return rules_->ending(position_); }

  std::string text(long long action) const override {
    const bool chance = player() == kChance;
    const long long limit = chance ? 64 * G::kMaskWords : rules_->actions();
    if (action < 0 || action >= limit || (chance && !is_legal(action))) refuse_number(action);
    return rules_->text(position_, static_cast<Action>(action));
  }

  Action parse(std::string_view text) const override {
    const Action action = text.size() > kMaxActionText ? -1 : rules_->parse(position_, text);
    if (action < 0) refuse_text(text);
    return action;
  }

  std::vector<std::string> split_turn(std::string_view text) const override {
    StateOf after = *this;
    std::vector<std::string> parts;
    for (const Action action : actions_of(text)) {
      parts.push_back(after.text(action));
      after.play(static_cast<long long>(action));
    }
    return parts;
  }

  std::string to_text() const override { return rules_->to_text(position_); }
  std::string bytes() const override { return gpu::bytes_of(position_); }
  std::string picture() const override { return rules_->picture(position_); }
  Facts facts() const override { return rules_->facts(position_); }

  void observe(Seat seat, std::uint8_t* out) const override {
    spielwerk::observe(*rules_, position_, seat, out);
  }

  void mask(std::uint8_t* out) const override {
    auto legal = rules_->legal(position_);
    if (player() == kChance) legal = {};  // the mask speaks of decisions
    legal.expand_to(out, rules_->actions());
  }

  double evaluate(Seat seat) const override { return rules_->evaluate(position_, seat); }
  Seat settled() const override { return rules_->settled(position_); }

  std::unique_ptr<AnyState> symmetric(int k) const override {
    auto image = std::make_unique<StateOf>(*this);
    image->position_ = rules_->symmetric(position_, k);
    return image;
  }

  Action greedy(std::uint64_t seed) const override {
    Rng rng = Rng::stream(seed, Purpose::actions);
    return greedy_action(*rules_, position_, rng);
  }

  std::uint64_t perft(int depth) const override {
    return spielwerk::perft(*rules_, position_, depth);
  }

 private:
  // Lets chance decide where it does so by itself, and remembers what it decided.
  void settle() {
    if constexpr (G::kHasChance) {
      fallen_.clear();
      while (mode_ == ChanceMode::automatic && player() == kChance) {
        const Action outcome = rules_->roll(position_, rng_);
        fallen_.push_back(rules_->text(position_, outcome));
        rules_->apply(position_, outcome);
      }
    }
  }

  void check(const Position& position, long long action) const {
    const bool known = action >= 0 && action < 64 * G::kMaskWords;
    if (!known || !rules_->legal(position).contains(static_cast<Action>(action)))
      refuse(position, action);
  }

  // The actions a text names, each legal after the ones before it.
  std::vector<Action> actions_of(std::string_view text) const {
    if (text.size() > kMaxActionText) refuse_text(text);
    if (const Action single = rules_->parse(position_, text); single >= 0) {
      check(position_, single);
      return {single};
    }
    const auto parts = rules_->split_turn(text);
    if (parts.size() < 2) refuse_text(text);
    std::vector<Action> actions;
    Position position = position_;
    for (const std::string& part : parts) {
      const Action action = rules_->parse(position, part);
      if (action < 0) refuse_text(text);
      const Seat next = rules_->player(position);
      if (next != player() && next != kNobody)
        throw IllegalActionError("turn-over", excerpt(text) + " is more than one turn");
      check(position, action);
      rules_->apply(position, action);
      actions.push_back(action);
    }
    return actions;
  }

  [[noreturn]] void refuse(const Position& position, long long action) const {
    if (over(*rules_, position)) throw IllegalActionError("over", "the game is over");
    if (rules_->player(position) == kChance)
      throw IllegalActionError("chance-due", "chance is to decide, not a player");
    if (action < 0 || action >= rules_->actions()) refuse_number(action);
    const Refusal refusal = rules_->refusal(position, static_cast<Action>(action));
    throw IllegalActionError(refusal.code, refusal.reason);
  }

  [[noreturn]] void refuse_number(long long action) const {
    throw IllegalActionError("no-such-action", game_->name() + " has no action " +
                                                   std::to_string(action) + "; actions are 0 to " +
                                                   std::to_string(rules_->actions() - 1));
  }

  [[noreturn]] void refuse_text(std::string_view text) const {
    throw IllegalActionError("notation", "'" + excerpt(text) + "' is no action of " +
                                             game_->name() + ": " +
                                             std::string(rules_->notation_help()));
  }

  std::shared_ptr<const AnyGame> game_;
  const G* rules_;  // lives in *game_
  Position position_;
  Rng rng_;
  ChanceMode mode_;
  std::vector<std::string> fallen_;
};

template <Game G>
class BatchOf final : public AnyBatch {
 public:
  BatchOf(std::shared_ptr<const AnyGame> game, const G& rules, BatchOptions options)
      : game_(std::move(game)), rules_(&rules), options_(options), batch_(rules, options) {}

  const std::shared_ptr<const AnyGame>& game() const override { return game_; }
  const BatchOptions& options() const override { return options_; }
  BatchBuffers& buffers() override { return batch_.buffers(); }
  void reset(std::uint64_t seed) override { batch_.reset(seed); }
  void step(const std::int32_t* actions) override { batch_.step(actions); }
  void step(const std::int64_t* actions) override { batch_.step(actions); }
  void random_actions(std::uint64_t seed) override { batch_.random_actions(seed); }
  void greedy_actions(std::uint64_t seed) override { batch_.greedy_actions(seed); }
  void evaluate() override { batch_.evaluate(); }

  std::unique_ptr<AnyState> state(int i) const override {
    return std::make_unique<StateOf<G>>(game_, *rules_, batch_.state(i), batch_.stream(i),
                                        ChanceMode::automatic);
  }

  void place(int i, const AnyState& state, bool with_dice) override {
    const auto* same = dynamic_cast<const StateOf<G>*>(&state);
    if (same == nullptr || !same->game()->same_rules(*game_))
      throw std::invalid_argument("the state belongs to other rules than the batch");
    batch_.place(i, same->position(), with_dice ? Rng(same->stream()) : batch_.stream(i));
  }

 private:
  std::shared_ptr<const AnyGame> game_;
  const G* rules_;  // lives in *game_
  BatchOptions options_;
  Batch<G> batch_;
};

// What a search works on; std::invalid_argument for a state of another game.
template <Game G>
const typename G::State& position_of(const AnyState& state, const AnyGame& game) {
  const auto* same = dynamic_cast<const StateOf<G>*>(&state);
  if (same == nullptr || !same->game()->same_rules(game))
    throw std::invalid_argument("the state belongs to other rules than the search");
  return same->position();
}

template <Game G, class Search>
class SearchOf final : public AnySearch {
 public:
  template <class... Options>
  SearchOf(std::shared_ptr<const AnyGame> game, const G& rules, Options... options)
      : game_(std::move(game)), search_(rules, options...) {}

  const std::shared_ptr<const AnyGame>& game() const override { return game_; }

  SearchReport search(const AnyState& state, const SearchLimits& limits,
                      std::uint64_t seed) override {
    const auto& position = position_of<G>(state, *game_);
    if (state.player() < 0) throw std::invalid_argument("no seat is to act in this position");
    return search_.search(position, limits, seed);
  }

 private:
  std::shared_ptr<const AnyGame> game_;
  Search search_;
};

template <Game G>
class SolverOf final : public AnySolver {
 public:
  SolverOf(std::shared_ptr<const AnyGame> game, const G& rules, std::size_t megabytes)
      : game_(std::move(game)), solver_(rules, megabytes) {}

  const std::shared_ptr<const AnyGame>& game() const override { return game_; }

  Solution solve(const AnyState& state, const SearchLimits& limits, bool want_distance,
                 const SolverProgress& progress) override {
    return solver_.solve(position_of<G>(state, *game_), limits, want_distance, progress);
  }

 private:
  std::shared_ptr<const AnyGame> game_;
  Solver<G> solver_;
};

template <Game G>
class PuctOf final : public AnyPuct {
 public:
  PuctOf(std::shared_ptr<const AnyGame> game, const G& rules, PuctOptions options)
      : game_(std::move(game)), rules_(&rules), search_(rules, options) {}

  const std::shared_ptr<const AnyGame>& game() const override { return game_; }

  void begin(const AnyState& state, std::uint64_t seed) override {
    const auto& position = position_of<G>(state, *game_);
    if (state.player() < 0) throw std::invalid_argument("no seat is to act in this position");
    search_.begin(position, seed);
    leaves_ = 0;
  }

  bool finished() const override { return search_.finished(); }
  std::uint64_t simulations() const override { return search_.simulations(); }

  std::size_t select(std::size_t most, std::uint8_t* out) override {
    const auto& [planes, height, width] = game_->observation_shape();
    leaves_ = search_.select(most);
    for (std::size_t i = 0; i < leaves_; ++i, out += planes * height * width)
      spielwerk::observe(*rules_, search_.leaf(i), rules_->player(search_.leaf(i)), out);
    return leaves_;
  }

  void judge(const float* logits, const float* values, std::size_t width) override {
    const auto actions = static_cast<std::size_t>(rules_->actions());
    const std::size_t waiting = std::exchange(leaves_, 0);
    for (std::size_t i = 0; i < waiting; ++i) {
      const Seat seat = rules_->player(search_.leaf(i));
      search_.judge(i, logits + i * actions,
                    prospects_of(*rules_, seat, values + i * width, width));
    }
  }

  SearchReport report() override { return search_.report(); }

 private:
  std::shared_ptr<const AnyGame> game_;
  const G* rules_;  // lives in *game_
  PuctSearch<G> search_;
  std::size_t leaves_ = 0;  // that wait for an answer
};

template <Game G>
class SelfPlayOf final : public AnySelfPlay {
 public:
  SelfPlayOf(std::shared_ptr<const AnyGame> game, const G& rules, const SelfPlayOptions& options)
      : game_(std::move(game)), rules_(&rules), play_(rules, options) {}

  const std::shared_ptr<const AnyGame>& game() const override { return game_; }
  const SelfPlayOptions& options() const override { return play_.options(); }
  Pages<std::uint8_t>& observation() override { return play_.observation(); }
  void reset(std::uint64_t seed) override { play_.reset(seed); }
  void restart() override { play_.restart(); }
  void step(const float* logits, const float* values, std::size_t width) override {
    play_.step(logits, values, width);
  }
  SelfPlayRows take_rows() override { return play_.take_rows(); }
  SelfPlayEnds take_ends() override { return play_.take_ends(); }
  SelfPlayCounts counts() const override { return play_.counts(); }
  SelfPlayMemory memory(int i) const override { return play_.memory(i); }
  GumbelRoot root(int i) override { return play_.root(i); }

  std::unique_ptr<AnyState> state(int i) const override {
    return std::make_unique<StateOf<G>>(game_, *rules_, play_.state(i), play_.dice(i),
                                        ChanceMode::automatic);
  }

  void place(int i, const AnyState& state, const SelfPlayMemory& memory) override {
    const auto* same = dynamic_cast<const StateOf<G>*>(&state);
    if (same == nullptr || !same->game()->same_rules(*game_))
      throw std::invalid_argument("the state belongs to other rules than the games");
    play_.place(i, same->position(), Rng(same->stream()), memory);
  }

 private:
  std::shared_ptr<const AnyGame> game_;
  const G* rules_;  // lives in *game_
  SelfPlay<G> play_;
};

template <Game G>
class GameOf final : public AnyGame, public std::enable_shared_from_this<GameOf<G>> {
 public:
  GameOf(std::string name, std::string summary, std::vector<Parameter> parameters,
         RuleValues values, G rules)
      : AnyGame(std::move(name), std::move(summary), std::move(parameters), std::move(values)),
        game_(std::move(rules)),
        shape_{game_.planes().size(), static_cast<std::size_t>(game_.grid().height),
               static_cast<std::size_t>(game_.grid().width)} {}

  int rules_version() const override { return G::kRulesVersion; }
  bool has_chance() const override { return G::kHasChance; }
  bool zero_sum() const override { return G::kZeroSum; }
  int seats() const override { return game_.seats(); }
  int side_of(Seat seat) const override { return game_.side(seat); }
  int actions() const override { return game_.actions(); }
  int max_plies() const override { return game_.max_plies(); }
  int symmetries() const override { return game_.symmetries(); }
  Action symmetric_action(Action action, int k) const override {
    return game_.symmetric_action(action, k);
  }
  ActionCell action_cell(Action action) const override { return game_.action_cell(action); }
  ActionPlanes action_planes(Action action) const override { return game_.action_planes(action); }
  std::vector<Plane> planes() const override { return game_.planes(); }
  const std::array<std::size_t, 3>& observation_shape() const override { return shape_; }

  std::unique_ptr<AnyState> start(std::uint64_t seed, ChanceMode mode) const override {
    Rng rng(seed);
    const auto position = game_.start(rng);
    return std::make_unique<StateOf<G>>(this->shared_from_this(), game_, position, rng, mode);
  }

  std::unique_ptr<AnyState> from_text(std::string_view text, std::uint64_t seed,
                                      ChanceMode mode) const override {
    if (text.size() > kMaxPositionText) throw std::invalid_argument(too_long_a_position());
    return std::make_unique<StateOf<G>>(this->shared_from_this(), game_, game_.from_text(text),
                                        Rng(seed), mode);
  }

  std::optional<gpu::Image> image() const override {
    if constexpr (gpu::Portable<G>) return gpu::image_of(game_);
    return std::nullopt;
  }

  std::unique_ptr<AnyState> from_bytes(std::string_view bytes, std::uint64_t stream,
                                       ChanceMode mode) const override {
    typename G::State position;
    if (bytes.size() != sizeof(position))
      throw std::invalid_argument("a position of " + name() + " has " +
                                  std::to_string(sizeof(position)) + " bytes");
    std::memcpy(&position, bytes.data(), sizeof(position));
    return std::make_unique<StateOf<G>>(this->shared_from_this(), game_, position, Rng(stream),
                                        mode);
  }

  std::vector<std::string> check(std::string_view text, bool strict) const override {
    if (text.size() > kMaxPositionText) return {too_long_a_position()};
    return game_.check(text, strict);
  }

  std::unique_ptr<AnyBatch> batch(BatchOptions options) const override {
    return std::make_unique<BatchOf<G>>(this->shared_from_this(), game_, options);
  }

  PlayoutCount random_playouts(std::uint64_t games, std::uint64_t seed) const override {
    return spielwerk::random_playouts(game_, games, seed);
  }

  std::unique_ptr<AnySearch> alphabeta(AlphaBetaOptions options) const override {
    if constexpr (!G::kHasChance && G::kZeroSum) {
      if (game_.seats() == 2) return new_search<AlphaBeta<G>>(options);
    }
    refuse_alphabeta();
  }

  int evaluation_planes() const override {
    return static_cast<int>(game_.planes().size()) + G::kInsights;
  }

  Lessons lessons(const LessonOptions& options) const override {
    if constexpr (!G::kHasChance && G::kZeroSum) {
      if (game_.seats() == 2) return LessonBook<G>(game_, options).written();
    }
    refuse_alphabeta();
  }

  std::unique_ptr<AnySearch> expectimax(
      std::shared_ptr<const AfterstateWeights> network) const override {
    if (network != nullptr) network->check(afterstate_features());
    return new_search<Expectimax<G>>(std::move(network));
  }

  int afterstate_features() const override {
    if constexpr (HasAfterstates<G>) return G::kAfterstateFeatures;
    throw std::invalid_argument(name() + " has no features of afterstates");
  }

  void learn_afterstates(AfterstateWeights& weights, const TdOptions& options) const override {
    if constexpr (HasAfterstates<G>)
      TdLearner<G>(game_, weights).learn(options);
    else
      afterstate_features();
  }

  std::unique_ptr<AnySearch> mcts(MctsOptions options) const override {
    return new_search<Mcts<G>>(options);
  }

  std::unique_ptr<AnySolver> solver(std::size_t megabytes) const override {
    if constexpr (!G::kHasChance && G::kZeroSum) {
      if (game_.seats() == 2)
        return std::make_unique<SolverOf<G>>(this->shared_from_this(), game_, megabytes);
    }
    throw std::invalid_argument(name() +
                                (G::kHasChance ? " has dice" : " has more than two seats") +
                                ": only games of two seats without dice can be solved");
  }

  std::unique_ptr<AnyPuct> puct(PuctOptions options) const override {
    return std::make_unique<PuctOf<G>>(this->shared_from_this(), game_, options);
  }

  std::unique_ptr<AnySelfPlay> self_play(const SelfPlayOptions& options) const override {
    return std::make_unique<SelfPlayOf<G>>(this->shared_from_this(), game_, options);
  }

 private:
  [[noreturn]] void refuse_alphabeta() const {
    throw std::invalid_argument("alphabeta plays games of two seats without dice, not " + name());
  }

  template <class Search, class... Options>
  std::unique_ptr<AnySearch> new_search(Options... options) const {
    return std::make_unique<SearchOf<G, Search>>(this->shared_from_this(), game_, options...);
  }

  G game_;
  std::array<std::size_t, 3> shape_;  // planes, height, width
};

// -- the list of rulesets ----------------------------------------------------------------------

struct Ruleset {
  std::string name, summary;
  std::vector<Parameter> parameters;
  std::function<std::shared_ptr<const AnyGame>(const RuleValues& given)> make;
  std::vector<std::string> types;  // of the games behind it, as gpu::Image names them
};

class Registry {
 public:
  // G is a game, or a std::variant of games where the parameters decide the type.
  template <class G, class Make>
  void add(std::string name, std::string summary, std::vector<Parameter> parameters, Make make) {
    auto build = [name, summary, parameters, make](const RuleValues& given) {
      RuleValues rules = complete_rules(name, parameters, given);
      G game = make(rules);
      return share(name, summary, parameters, std::move(rules), std::move(game));
    };
    rulesets_.push_back({std::move(name), std::move(summary), std::move(parameters), build,
                         types_of(static_cast<G*>(nullptr))});
  }

  const std::vector<Ruleset>& rulesets() const { return rulesets_; }

  const Ruleset& find(std::string_view name) const {
    std::vector<std::string> names;
    for (const Ruleset& ruleset : rulesets_) {
      if (ruleset.name == name) return ruleset;
      names.push_back(ruleset.name);
    }
    throw std::invalid_argument("unknown ruleset '" + excerpt(name) +
                                "'; there are: " + joined(names, ", "));
  }

 private:
  using Shared = std::shared_ptr<const AnyGame>;

  template <Game G>
  static std::vector<std::string> types_of(G*) {
    return {gpu::demangled(typeid(G).name())};
  }
  template <Game... Games>
  static std::vector<std::string> types_of(std::variant<Games...>*) {
    return {gpu::demangled(typeid(Games).name())...};
  }

  template <Game G>
  static Shared share(std::string name, std::string summary, std::vector<Parameter> parameters,
                      RuleValues rules, G game) {
    return std::make_shared<const GameOf<G>>(std::move(name), std::move(summary),
                                             std::move(parameters), std::move(rules),
                                             std::move(game));
  }

  template <Game... Games>
  static Shared share(std::string name, std::string summary, std::vector<Parameter> parameters,
                      RuleValues rules, std::variant<Games...> game) {
    return std::visit(
        [&](auto& chosen) {
          return share(std::move(name), std::move(summary), std::move(parameters), std::move(rules),
                       std::move(chosen));
        },
        game);
  }

  std::vector<Ruleset> rulesets_;
};

}  // namespace spielwerk
