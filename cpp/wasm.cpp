// The core in a browser: one door, a text in and a text out.
//
// A request is a verb and its arguments, each after a zero byte; the answer is JSON, and what cannot be done is
// {"error": …, "code": …}. The desk behind the door holds one game, one position of it, and what searches have learnt.
//
//   rulesets                        every ruleset with its parameters
//   game NAME [rule=value …]        puts a game on the desk, at its start
//   start SEED explicit|automatic   the first position; automatic: dice fall by themselves
//   position TEXT SEED explicit|automatic
//   play TEXT | act NUMBER          an action, or as text a whole turn
//   show                            the position on the desk
//   split TEXT                      the single actions of a legal action or whole turn
//   text NUMBER                     the notation of an action
//   count DEPTH                     how many sequences of so many actions there are
//   search KIND SEED [limit=value …]   greedy, alphabeta, mcts, expectimax, solver, to a limit of depth, nodes or ms
//   study KIND SEED [limit=value …]    likewise, with values of all actions that can be compared
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "all_games.hpp"
#include "any_game.hpp"
#include "study.hpp"

namespace spielwerk {
namespace {

// -- JSON ---------------------------------------------------------------------------------------

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      (out += '\\') += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", letter);
      out += escape;
    } else {
      out += letter;
    }
  }
  return out += '"';
}

std::string json(std::string_view text) { return quoted(text); }
std::string json(const std::string& text) { return quoted(text); }
std::string json(bool value) { return value ? "true" : "false"; }
std::string json(int value) { return std::to_string(value); }
std::string json(std::uint64_t value) { return std::to_string(value); }
std::string json(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);  // to the bit
  return digits;
}
std::string json(std::int64_t value) { return std::to_string(value); }
std::string json(const RuleValue& value) {
  return std::holds_alternative<std::string>(value) ? quoted(std::get<std::string>(value))
                                                    : shown(value);
}

template <class Items, class Each>
std::string list(const Items& items, Each each) {
  std::string out = "[";
  for (const auto& item : items) (out += out.size() > 1 ? "," : "") += each(item);
  return out += ']';
}

template <class Item>
std::string json(const std::vector<Item>& items) {
  return list(items, [](const Item& item) { return json(item); });
}

// {"name":value,…}: members that are JSON already.
std::string object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string out = "{";
  for (const auto& [name, value] : members)
    ((out += out.size() > 1 ? "," : "") += quoted(name)) += ':' + value;
  return out += '}';
}

// -- reading ------------------------------------------------------------------------------------

using Fields = std::vector<std::string_view>;

template <class Number>
Number whole(std::string_view text, std::string_view name) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(std::string(name) + " must be a whole number, not '" +
                                excerpt(text) + "'");
  return number;
}

std::pair<std::string_view, std::string_view> setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    throw std::invalid_argument("'" + excerpt(text) + "' is not of the form name=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// A text as the kind of its parameter; what is none stays a text, which the check of the rules refuses.
RuleValue rule_value(const Ruleset& ruleset, std::string_view name, std::string_view text) {
  for (const Parameter& parameter : ruleset.parameters) {
    if (parameter.name != name) continue;
    if (parameter.kind == Parameter::Kind::boolean && (text == "true" || text == "false"))
      return text == "true";
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parameter.kind == Parameter::Kind::integer && failure == std::errc{} &&
        end == text.data() + text.size())
      return number;
  }
  return std::string(text);
}

ChanceMode chance_mode(std::string_view text) {
  if (text != "explicit" && text != "automatic")
    throw std::invalid_argument("chance is explicit or automatic, not '" + excerpt(text) + "'");
  return text == "explicit" ? ChanceMode::explicit_ : ChanceMode::automatic;
}

// -- answers ------------------------------------------------------------------------------------

std::string shown_player(Seat player) {
  if (player == kNobody) return "null";
  return player == kChance ? "\"chance\"" : json(player);
}

std::string shown_kind(Parameter::Kind kind) {
  static constexpr std::string_view kNames[] = {"int", "bool", "choice", "text"};
  return quoted(kNames[static_cast<std::size_t>(kind)]);
}

std::string shown_parameter(const Parameter& parameter) {
  return object({{"name", json(parameter.name)},
                 {"kind", shown_kind(parameter.kind)},
                 {"default", json(parameter.fallback)},
                 {"minimum", std::to_string(parameter.minimum)},
                 {"maximum", std::to_string(parameter.maximum)},
                 {"choices", json(parameter.choices)},
                 {"help", json(parameter.help)}});
}

std::string shown_ruleset(const Ruleset& ruleset) {
  return object({{"name", json(ruleset.name)},
                 {"summary", json(ruleset.summary)},
                 {"parameters", list(ruleset.parameters, shown_parameter)}});
}

std::string json(const Fact& fact) {
  return std::visit([](const auto& plain) { return json(plain); }, fact);
}

template <class Named>
std::string shown_members(const Named& all) {
  std::string out = "{";
  for (const auto& [name, value] : all)
    ((out += out.size() > 1 ? "," : "") += quoted(name)) += ':' + json(value);
  return out += '}';
}

std::string shown_game(const AnyGame& game) {
  return object({{"name", json(game.name())},
                 {"rules", shown_members(game.rules())},
                 {"rules_version", json(game.rules_version())},
                 {"seats", json(game.seats())},
                 {"sides", json(sides(game))},
                 {"actions", json(game.actions())},
                 {"max_plies", json(game.max_plies())},
                 {"has_chance", json(game.has_chance())}});
}

std::vector<double> evaluation(const AnyState& state) {
  std::vector<double> values;
  for (Seat seat = 0; seat < state.game()->seats(); ++seat) values.push_back(state.evaluate(seat));
  return values;
}

std::string shown_state(const AnyState& state) {
  std::vector<Action> actions;
  state.legal_actions(actions);
  std::vector<std::string> texts;
  for (const Action action : actions) texts.push_back(state.text(action));
  const auto odds = [](const ChanceOutcome& one) { return json(one.probability); };
  return object({{"position", json(state.to_text())},
                 {"player", shown_player(state.player())},
                 {"actions", list(actions, [](Action action) { return json(int{action}); })},
                 {"texts", json(texts)},
                 {"odds", list(state.outcomes(), odds)},
                 {"fallen", json(state.fallen())},
                 {"returns", json(state.returns())},
                 {"winner", json(winners(state))},
                 {"points", json(state.points())},
                 {"truncated", json(state.truncated())},
                 {"ending", json(state.ending())},
                 {"evaluation", json(evaluation(state))},
                 {"facts", shown_members(state.facts())}});
}

// The notation of actions that follow one another, as far as no die falls between them.
std::vector<std::string> texts_along(const AnyState& from, const std::vector<Action>& actions) {
  const auto state = from.clone();
  std::vector<std::string> texts;
  for (const Action action : actions) {
    texts.push_back(state->text(action));
    state->play(static_cast<long long>(action));
    if (!state->fallen().empty() || state->player() < 0) break;
  }
  return texts;
}

std::string shown_distance(const SearchLine&) { return "null"; }
std::string shown_distance(const ProvedLine& line) {
  return line.distance < 0 ? "null" : json(line.distance);
}

template <class Report>
std::string shown_report(const AnyState& state, const Report& report) {
  const auto line = [&](const auto& found) {
    return object({{"actions", json(texts_along(state, found.actions))},
                   {"value", json(found.value)},
                   {"visits", json(found.visits)},
                   {"proved", json(found.proved)},
                   {"distance", shown_distance(found)}});
  };
  return object({{"lines", list(report.lines, line)},
                 {"nodes", json(report.nodes)},
                 {"depth", json(report.depth)},
                 {"milliseconds", json(report.milliseconds)},
                 {"proved", json(report.proved)}});
}

// -- the desk -----------------------------------------------------------------------------------

struct SearchRequest {
  SearchLimits limits;
  AlphaBetaOptions alphabeta;
  MctsOptions mcts{.max_nodes = std::size_t{1} << 20};  // a page has less memory than a server
  bool is_limited = false;

  explicit SearchRequest(const Fields& settings) {
    for (const std::string_view text : settings) set(setting(text));
  }

  bool is_timed() const { return limits.milliseconds < SearchLimits{}.milliseconds; }

  void require_limit() const {
    if (!is_limited)
      throw std::invalid_argument("a search needs a limit: depth, nodes, sims or ms");
  }

 private:
  void set(std::pair<std::string_view, std::string_view> given) {
    const auto [name, value] = given;
    if (name == "memory") {
      alphabeta.megabytes = in_range<std::size_t>(name, value, 256);
    } else if (name == "playouts") {
      mcts.playouts = in_range<int>(name, value, 1) == 1;
    } else if (name == "exploration") {
      mcts.exploration = amount(name, value);
    } else {
      limit(name, value);
    }
  }

  void limit(std::string_view name, std::string_view value) {
    is_limited = true;
    if (name == "depth")
      limits.depth = in_range<int>(name, value, 1000);
    else if (name == "nodes" || name == "sims")
      limits.nodes = in_range<std::uint64_t>(name, value, 1'000'000'000'000);
    else if (name == "ms")
      limits.milliseconds = amount(name, value);
    else
      throw std::invalid_argument("no setting '" + excerpt(name) +
                                  "'; there are: depth, nodes, sims, ms, memory, exploration, "
                                  "playouts");
  }

  template <class Number>
  static Number in_range(std::string_view name, std::string_view text, Number most) {
    const auto number = whole<Number>(text, name);
    if (number > most || number < Number{})
      throw std::invalid_argument(std::string(name) + " must be from 0 to " + std::to_string(most));
    return number;
  }

  static double amount(std::string_view name, std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end != 0 || !(number >= 0) || !(number <= 1e12))
      throw std::invalid_argument(std::string(name) + " must be a number from 0, not '" +
                                  excerpt(text) + "'");
    return number;
  }
};

constexpr std::size_t kSolverMegabytes = 64;

class Desk {
 public:
  std::string answer(const Fields& request) {
    const auto found = verbs().find(request.front());
    if (found == verbs().end())
      throw std::invalid_argument("no verb '" + excerpt(request.front()) + "'");
    const auto& [verb, entry] = *found;
    if (request.size() - 1 < entry.least || request.size() - 1 > entry.most)
      throw std::invalid_argument("'" + std::string(verb) + "' with " +
                                  std::to_string(request.size() - 1) + " arguments");
    return (this->*entry.obey)({request.begin() + 1, request.end()});
  }

 private:
  struct Verb {
    std::size_t least, most;  // arguments
    std::string (Desk::*obey)(const Fields& arguments);
  };

  static const std::map<std::string_view, Verb>& verbs() {
    static const std::map<std::string_view, Verb> all = {
        {"rulesets", {0, 0, &Desk::rulesets}}, {"game", {1, 40, &Desk::take}},
        {"start", {2, 2, &Desk::start}},       {"position", {3, 3, &Desk::place}},
        {"play", {1, 1, &Desk::play}},         {"act", {1, 1, &Desk::act}},
        {"show", {0, 0, &Desk::show}},         {"count", {1, 1, &Desk::count}},
        {"search", {2, 12, &Desk::search}},    {"study", {2, 12, &Desk::study}},
        {"split", {1, 1, &Desk::split_turn}},  {"text", {1, 1, &Desk::text}},
    };
    return all;
  }

  std::string rulesets(const Fields&) { return list(registry().rulesets(), shown_ruleset); }

  std::string take(const Fields& arguments) {
    const Ruleset& ruleset = registry().find(arguments[0]);
    RuleValues given;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const auto [name, value] = setting(arguments[i]);
      given[std::string(name)] = rule_value(ruleset, name, value);
    }
    auto made = ruleset.make(given);
    if (game_ == nullptr || !game_->same_rules(*made)) {
      searches_.clear();
      solver_.reset();
      game_ = std::move(made);
    }
    state_ = game_->start(0, ChanceMode::automatic);
    return shown_game(*game_);
  }

  std::string start(const Fields& arguments) {
    state_ = game().start(whole<std::uint64_t>(arguments[0], "seed"), chance_mode(arguments[1]));
    return shown_state(*state_);
  }

  std::string place(const Fields& arguments) {
    state_ = game().from_text(arguments[0], whole<std::uint64_t>(arguments[1], "seed"),
                              chance_mode(arguments[2]));
    return shown_state(*state_);
  }

  std::string play(const Fields& arguments) {
    state().play(arguments[0]);
    return shown_state(*state_);
  }

  std::string act(const Fields& arguments) {
    state().play(whole<long long>(arguments[0], "an action"));
    return shown_state(*state_);
  }

  std::string show(const Fields&) { return shown_state(state()); }

  std::string split_turn(const Fields& arguments) { return json(state().split_turn(arguments[0])); }

  std::string text(const Fields& arguments) {
    return json(state().text(whole<long long>(arguments[0], "an action")));
  }

  std::string count(const Fields& arguments) {
    const int depth = whole<int>(arguments[0], "depth");
    if (depth < 0 || depth > 100) throw std::invalid_argument("depth must be from 0 to 100");
    return json(state().perft(depth));
  }

  std::string search(const Fields& arguments) {
    return searched(arguments, [this](AnySearch& search, const SearchLimits& limits, auto seed) {
      return search.search(state(), limits, seed);
    });
  }

  // Searches other than alpha-beta say what each action is worth by themselves.
  std::string study(const Fields& arguments) {
    if (arguments[0] != "alphabeta") return search(arguments);
    return searched(arguments, [this](AnySearch& search, const SearchLimits& limits, auto seed) {
      return Study(search, state(), limits, seed).report();
    });
  }

  template <class Run>
  std::string searched(const Fields& arguments, Run run) {
    const SearchRequest request({arguments.begin() + 2, arguments.end()});
    const auto seed = whole<std::uint64_t>(arguments[1], "seed");
    if (arguments[0] == "greedy") return shown_report(state(), one_ply(state(), seed));
    request.require_limit();
    if (arguments[0] == "solver") return proved(request, seed);
    return shown_report(state(), run(search_of(arguments[0], request), request.limits, seed));
  }

  std::string proved(const SearchRequest& request, std::uint64_t seed) {
    if (!request.is_timed()) throw std::invalid_argument("the solver needs a limit of ms");
    if (solver_ == nullptr) solver_ = game().solver(kSolverMegabytes);
    AnySearch& guesser = search_of("alphabeta", request);
    const SearchLimits time{.milliseconds = request.limits.milliseconds};
    ProofStudy study(*solver_, guesser, state(), time, seed);
    return shown_report(state(), study.report());
  }

  // A search keeps what it learnt as long as the same kind is asked for with the same options.
  AnySearch& search_of(std::string_view kind, const SearchRequest& request) {
    const std::string key = std::string(kind) + ' ' + std::to_string(request.alphabeta.megabytes) +
                            ' ' + json(request.mcts.exploration) + json(request.mcts.playouts);
    auto& kept = searches_[key];
    if (kept == nullptr) kept = new_search(kind, request);
    return *kept;
  }

  std::unique_ptr<AnySearch> new_search(std::string_view kind, const SearchRequest& request) {
    if (kind == "alphabeta") return game().alphabeta(request.alphabeta);
    if (kind == "mcts") return game().mcts(request.mcts);
    if (kind == "expectimax") return game().expectimax(nullptr);
    throw std::invalid_argument("unknown search '" + excerpt(kind) +
                                "'; there are: greedy, alphabeta, mcts, expectimax, "
                                "solver");
  }

  const AnyGame& game() const {
    if (game_ == nullptr) throw std::invalid_argument("no game is on the desk");
    return *game_;
  }

  AnyState& state() const {
    game();
    return *state_;
  }

  std::shared_ptr<const AnyGame> game_;
  std::unique_ptr<AnyState> state_;
  std::map<std::string, std::unique_ptr<AnySearch>> searches_;
  std::unique_ptr<AnySolver> solver_;
};

std::string answer_of(std::string_view request) {
  static Desk desk;
  try {
    return desk.answer(split(request, '\0'));
  } catch (const IllegalActionError& error) {
    return object({{"error", json(std::string_view(error.what()))}, {"code", json(error.code())}});
  } catch (const std::exception& error) {
    return object({{"error", json(std::string_view(error.what()))}});
  } catch (...) {
    return object({{"error", quoted("unknown failure")}});
  }
}

std::string request, answer;

}  // namespace
}  // namespace spielwerk

// Where the next request of so many bytes is to be written.
extern "C" char* spielwerk_request(std::size_t size) {
  spielwerk::request.assign(size, 0);
  return spielwerk::request.data();
}

// Obeys the request; the answer, in UTF-8 with a zero byte at its end, stands until the next one.
extern "C" const char* spielwerk_answer() {
  spielwerk::answer = spielwerk::answer_of(spielwerk::request);
  return spielwerk::answer.c_str();
}
