// The only C++ that has heard of Python: the core's classes under their public names.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <random>
#include <thread>

#include "all_games.hpp"
#include "any_game.hpp"
#include "gpu/arguments.hpp"
#include "study.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace spielwerk {
namespace {

using GamePtr = std::shared_ptr<AnyGame>;
using StatePtr = std::unique_ptr<AnyState>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu>;

GamePtr shared(const std::shared_ptr<const AnyGame>& game) {
  return std::const_pointer_cast<AnyGame>(game);
}

// -- threads -----------------------------------------------------------------------------------

// A thread that asks for the interpreter's lock while Python is going away would be ended in the
// middle of C++, and that aborts the process. So from Python's exit on such threads rest until the
// process is gone; only the thread that leads the exit goes on.
class Exit {
 public:
  // Python calls this at exit. Those who are asking for the lock already still get it.
  static void begin() {
    leader_ = std::this_thread::get_id();
    leaving_ = true;
    const nb::gil_scoped_release unlocked;
    while (returning_ != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  template <class TakeLock>
  static void return_to_python(TakeLock&& take_lock) {
    ++returning_;
    if (leaving_ && std::this_thread::get_id() != leader_) {
      --returning_;
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    take_lock();
    --returning_;
  }

 private:
  static inline std::atomic<bool> leaving_ = false;
  static inline std::atomic<int> returning_ = 0;
  static inline std::thread::id leader_;
};

// Other threads may run Python while this lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    Exit::return_to_python([&] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// Within an Unlocked: this thread may run Python while this lives.
class Locked {
 public:
  Locked() {
    Exit::return_to_python([&] { state_ = PyGILState_Ensure(); });
  }
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

// Opens a door again that was closed behind one thread.
struct Release {
  std::atomic_flag& flag;
  ~Release() { flag.clear(); }
};

// -- from Python -------------------------------------------------------------------------------

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) ^ device();
}

nb::object as_integer(nb::handle value) {
  PyObject* integer = PyNumber_Index(value.ptr());
  if (integer == nullptr) PyErr_Clear();
  return nb::steal(integer);
}

std::string python_type(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

std::string shown_python(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

// Python texts may hold lone surrogates, which no UTF-8 can: wrong input, not a wrong type.
std::string_view utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes =
      PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  if (!PyUnicode_Check(text.ptr()))
    throw std::invalid_argument("a text is wanted, not " + python_type(text));
  PyErr_Clear();
  throw std::invalid_argument("the text is not valid Unicode");
}

std::string_view action_text(nb::handle text) {
  try {
    return utf8(text);
  } catch (const std::invalid_argument& error) {
    throw IllegalActionError("notation", error.what());
  }
}

std::uint64_t seed_of(nb::handle seed) {
  if (seed.is_none()) return random_seed();
  const nb::object integer = as_integer(seed);
  if (!integer.is_valid())
    throw std::invalid_argument("seed must be a whole number or None, not " + python_type(seed));
  return PyLong_AsUnsignedLongLongMask(integer.ptr());
}

ChanceMode chance_of(std::string_view mode) {
  if (mode == "auto") return ChanceMode::automatic;
  if (mode == "explicit") return ChanceMode::explicit_;
  throw std::invalid_argument("chance must be 'auto' or 'explicit', not '" + excerpt(mode) + "'");
}

RuleValue rule_of(const std::string& name, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::str>(value)) return std::string(utf8(value));
  if (const nb::object integer = as_integer(value); integer.is_valid()) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow == 0) return std::int64_t{number};
    throw std::invalid_argument(excerpt(name) + " is far too large a number");
  }
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    std::vector<std::string> words;
    for (nb::handle word : value) words.emplace_back(utf8(nb::str(word)));
    return joined(words, ",");
  }
  throw std::invalid_argument(excerpt(name) + " must be a number, a flag or a text, not " +
                              python_type(value));
}

GamePtr make_game(nb::handle name, const nb::dict& rules) {
  RuleValues given;
  for (auto [key, value] : rules) {
    const std::string parameter(utf8(key));
    given[parameter] = rule_of(parameter, value);
  }
  return shared(registry().find(utf8(name)).make(given));
}

Seat checked_seat(const AnyGame& game, long long seat) {
  if (seat < 0 || seat >= game.seats())
    throw std::invalid_argument("seat must be from 0 to " + std::to_string(game.seats() - 1) +
                                ", not " + std::to_string(seat));
  return static_cast<Seat>(seat);
}

int checked_symmetry(const AnyGame& game, long long k) {
  if (k < 0 || k >= game.symmetries())
    throw std::invalid_argument("symmetry must be from 0 to " +
                                std::to_string(game.symmetries() - 1) + ", not " +
                                std::to_string(k));
  return static_cast<int>(k);
}

void play(AnyState& state, nb::handle action) {
  if (PyUnicode_Check(action.ptr())) return state.play(action_text(action));
  const nb::object integer =
      PyLong_CheckExact(action.ptr()) ? nb::borrow(action) : as_integer(action);
  if (!integer.is_valid())
    throw IllegalActionError("no-such-action",
                             "an action is a whole number or a text, not " + python_type(action));
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  state.play(overflow != 0 ? -1LL : number);
}

// -- to Python ---------------------------------------------------------------------------------

// Bodies that live in Python rooms further out, reached only when they are used.
nb::object outer(const char* module, const char* function) {
  return nb::module_::import_(module).attr(function);
}

// Messages quote what was wrong, and that may not even be text. Beyond ASCII, which excerpt() has
// cleaned, the border knows what may be shown.
nb::object message_of(const std::exception& error) {
  const std::string_view message = error.what();
  const nb::object text = nb::steal(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  const bool ascii = std::ranges::all_of(message, [](char c) { return (c & 0x80) == 0; });
  return ascii ? text : outer("spielwerk.border", "quoted")(text, 1000);
}

nb::object to_python(const RuleValue& value) {
  return std::visit([](const auto& plain) { return nb::cast(plain); }, value);
}

nb::dict to_python(const RuleValues& rules) {
  nb::dict out;
  for (const auto& [name, value] : rules) out[name.c_str()] = to_python(value);
  return out;
}

nb::dict to_python(const Facts& facts) {
  nb::dict out;
  for (const auto& [name, fact] : facts)
    out[name.c_str()] = std::visit([](const auto& plain) { return nb::cast(plain); }, fact);
  return out;
}

template <class T>
nb::tuple to_tuple(const std::vector<T>& values) {
  return nb::tuple(nb::cast(values));
}

nb::list legal_actions(const AnyState& state) {
  thread_local std::vector<Action> actions;
  actions.clear();
  state.legal_actions(actions);
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(actions.size()));
  if (list == nullptr) throw nb::python_error();
  for (std::size_t i = 0; i < actions.size(); ++i)
    PyList_SetItem(list, static_cast<Py_ssize_t>(i), PyLong_FromLong(actions[i]));
  return nb::steal<nb::list>(list);
}

nb::object player(const AnyState& state) {
  const Seat seat = state.player();
  return seat == kNobody ? nb::none() : nb::object(nb::int_(seat));
}

nb::list outcomes(const AnyState& state) {
  nb::list out;
  for (const ChanceOutcome& outcome : state.outcomes())
    out.append(nb::make_tuple(outcome.action, outcome.probability));
  return out;
}

// NumPy makes small arrays faster than a capsule can be wrapped, and they own their memory.
nb::object new_bytes(const nb::object& shape) {
  static nb::object& empty = *new nb::object(nb::module_::import_("numpy").attr("empty"));
  static nb::object& uint8 = *new nb::object(nb::module_::import_("numpy").attr("uint8"));
  return empty(shape, uint8);
}

template <class Fill>
nb::object filled_bytes(const nb::object& shape, Fill&& fill) {
  nb::object array = new_bytes(shape);
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_WRITABLE) != 0) throw nb::python_error();
  fill(static_cast<std::uint8_t*>(view.buf));
  PyBuffer_Release(&view);
  return array;
}

nb::tuple observation_shape(const AnyGame& game) {
  const auto& [planes, height, width] = game.observation_shape();
  return nb::make_tuple(planes, height, width);
}

nb::object observation(const AnyState& state, long long seat) {
  const Seat viewer = checked_seat(*state.game(), seat);
  return filled_bytes(observation_shape(*state.game()),
                      [&](std::uint8_t* out) { state.observe(viewer, out); });
}

nb::object mask(const AnyState& state) {
  return filled_bytes(nb::int_(state.game()->actions()),
                      [&](std::uint8_t* out) { state.mask(out); });
}

nb::tuple observe(const AnyState& state, long long seat) {
  return nb::make_tuple(observation(state, seat), mask(state));
}

std::string shown_rules(const AnyGame& game) {
  std::string out;
  for (const auto& [name, value] : game.rules()) {
    const bool text = std::holds_alternative<std::string>(value);
    out += ", " + name + "=" + (text ? "'" + shown(value) + "'" : shown(value));
  }
  return out;
}

// -- searches ------------------------------------------------------------------------------------

SearchLimits limits_of(long long nodes, double milliseconds) {
  if (nodes < 0 || !(milliseconds >= 0))
    throw std::invalid_argument("limits of a search must not be negative; 0 means none");
  SearchLimits limits;
  if (nodes > 0) limits.nodes = static_cast<std::uint64_t>(nodes);
  if (milliseconds > 0) limits.milliseconds = milliseconds;
  return limits;
}

// Python's signal handlers wait while the core works. The main thread, the only one that gets
// signals, lets them run several times a second, so that Ctrl-C ends a search.
class Signals {
 public:
  // Which thread is the main one is asked once, and not for every search: code of Python inside of
  // C++ may lose the GIL, and a thread that wants it back while Python is going away is ended.
  static void find_main_thread() {
    main_thread_ = nb::cast<unsigned long>(
        nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    const nb::object os = nb::module_::import_("os");
    if (nb::hasattr(os, "register_at_fork"))
      os.attr("register_at_fork")("after_in_child"_a = nb::cpp_function(&forked));
  }

  // Called without the GIL; true once a handler has raised.
  bool raised() {
    if (PyThread_get_thread_ident() != main_thread_ || raised_ || Clock::now() < next_look_)
      return raised_;
    next_look_ = Clock::now() + std::chrono::milliseconds(50);
    const Locked locked;
    raised_ = PyErr_CheckSignals() != 0;
    return raised_;
  }

  // Called with the GIL, once the search has come to its end.
  void rethrow() const {
    if (raised_) throw nb::python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;

  // The only thread of a new process is its main one.
  static void forked() { main_thread_ = PyThread_get_thread_ident(); }

  static inline std::atomic<unsigned long> main_thread_ = 0;

  bool raised_ = false;
  Clock::time_point next_look_ = Clock::now();
};

// One thread at a time: a search is a memory that grows.
class SearchDoor {
 public:
  explicit SearchDoor(std::unique_ptr<AnySearch> search) : search_(std::move(search)) {}

  const std::shared_ptr<const AnyGame>& game() const { return search_->game(); }

  SearchReport search(const AnyState& state, long long depth, long long nodes, double milliseconds,
                      nb::handle seed) {
    return run(state, depth, nodes, milliseconds, seed,
               [](AnySearch& search, const AnyState& copy, const SearchLimits& limits,
                  std::uint64_t start) { return search.search(copy, limits, start); });
  }

  SearchReport study(const AnyState& state, long long depth, long long nodes, double milliseconds,
                     nb::handle seed) {
    return run(state, depth, nodes, milliseconds, seed,
               [](AnySearch& search, const AnyState& copy, const SearchLimits& limits,
                  std::uint64_t start) { return Study(search, copy, limits, start).report(); });
  }

  void stop() { stop_ = true; }

  // To somebody who searches with it; nobody else does meanwhile.
  template <class Use>
  void lend(Use use) {
    if (busy_.test_and_set()) throw std::runtime_error("another thread is using this search");
    const Release release{busy_};
    use(*search_);
  }

 private:
  template <class Work>
  SearchReport run(const AnyState& state, long long depth, long long nodes, double milliseconds,
                   nb::handle seed, Work work) {
    SearchLimits limits = limits_of(nodes, milliseconds);
    if (depth > 0) limits.depth = static_cast<int>(std::min(depth, 1000LL));
    const std::uint64_t start = seed_of(seed);
    const StatePtr copy = state.clone();
    SearchReport report;
    lend([&](AnySearch& search) {
      stop_ = false;
      Signals signals;
      limits.go_on = [&] { return !stop_.load(std::memory_order_relaxed) && !signals.raised(); };
      {
        const Unlocked unlocked;
        report = work(search, *copy, limits, start);
      }
      signals.rethrow();
    });
    return report;
  }

  std::unique_ptr<AnySearch> search_;
  std::atomic<bool> stop_ = false;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

class SolverDoor {
 public:
  using Listener = std::function<bool(const Solution&)>;

  explicit SolverDoor(std::unique_ptr<AnySolver> solver) : solver_(std::move(solver)) {}

  const std::shared_ptr<const AnyGame>& game() const { return solver_->game(); }

  Solution solve(const AnyState& state, bool distance, long long nodes, double milliseconds,
                 const std::optional<Listener>& progress) {
    const StatePtr copy = state.clone();
    if (busy_.test_and_set()) throw std::runtime_error("another thread is using this solver");
    const Release release{busy_};
    const SearchLimits limits = limits_of(nodes, milliseconds);
    Signals signals;
    const SolverProgress listen = [&](const Solution& solution) {
      if (signals.raised()) return false;
      if (!progress) return true;
      const Locked locked;
      return (*progress)(solution);
    };
    Solution solution;
    {
      const Unlocked unlocked;
      solution = solver_->solve(*copy, limits, distance, listen);
    }
    signals.rethrow();
    return solution;
  }

  ProofReport study(const AnyState& state, SearchDoor& guesser, double milliseconds,
                    nb::handle seed) {
    if (!(milliseconds > 0)) throw std::invalid_argument("milliseconds must be above 0");
    const std::uint64_t start = seed_of(seed);
    const StatePtr copy = state.clone();
    if (busy_.test_and_set()) throw std::runtime_error("another thread is using this solver");
    const Release release{busy_};
    stop_ = false;
    Signals signals;
    SearchLimits limits{.milliseconds = milliseconds};
    limits.go_on = [&] { return !stop_.load(std::memory_order_relaxed) && !signals.raised(); };
    ProofReport report;
    guesser.lend([&](AnySearch& search) {
      const Unlocked unlocked;
      report = ProofStudy(*solver_, search, *copy, limits, start).report();
    });
    signals.rethrow();
    return report;
  }

  void stop() { stop_ = true; }

 private:
  std::unique_ptr<AnySolver> solver_;
  std::atomic<bool> stop_ = false;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

std::unique_ptr<SolverDoor> make_solver(const AnyGame& game, long long megabytes) {
  if (megabytes < 1 || megabytes > 1 << 20)
    throw std::invalid_argument("megabytes must be from 1 to 1048576");
  return std::make_unique<SolverDoor>(game.solver(static_cast<std::size_t>(megabytes)));
}

// -- searches that ask a network ---------------------------------------------------------------

using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

std::string shown_shape(const Numbers& array) {
  std::string text;
  for (std::size_t i = 0; i < array.ndim(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
  return "(" + text + ")";
}

// The numbers of values per row: of one side, or of every seat. `rows` positions were asked about.
std::size_t checked_answers(const AnyGame& game, std::size_t rows, const Numbers& logits,
                            const Numbers& values) {
  const auto actions = static_cast<std::size_t>(game.actions());
  const auto seats = static_cast<std::size_t>(game.seats());
  if (logits.ndim() != 2 || logits.shape(0) != rows || logits.shape(1) != actions)
    throw std::invalid_argument("logits must have the shape (" + std::to_string(rows) + ", " +
                                std::to_string(actions) + "), not " + shown_shape(logits));
  const std::size_t width = values.ndim() == 2 ? values.shape(1) : 1;
  if (values.ndim() < 1 || values.ndim() > 2 || values.shape(0) != rows ||
      (width != 1 && width != seats))
    throw std::invalid_argument("values must have the shape (" + std::to_string(rows) + ",) or (" +
                                std::to_string(rows) + ", " + std::to_string(seats) + "), not " +
                                shown_shape(values));
  int sides = 0;
  for (Seat seat = 0; seat < game.seats(); ++seat) sides = std::max(sides, game.side_of(seat) + 1);
  if (width == 1 && sides != 2)
    throw std::invalid_argument(game.name() + " has " + std::to_string(sides) +
                                " sides: values must hold one for every seat");
  return width;
}

int checked_between(const char* what, long long value, long long least, long long most) {
  if (value < least || value > most)
    throw std::invalid_argument(std::string(what) + " must be from " + std::to_string(least) +
                                " to " + std::to_string(most) + ", not " + std::to_string(value));
  return static_cast<int>(value);
}

double checked_share(const char* what, double value) {
  if (!(value >= 0 && value <= 1))
    throw std::invalid_argument(std::string(what) + " must be from 0 to 1");
  return value;
}

// Memory that Python owns from now on, as an array whose first dimension is counted.
template <class T>
nb::object owned_array(std::vector<T> values, std::vector<std::size_t> tail) {
  std::size_t each = 1;
  for (std::size_t size : tail) each *= size;
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  tail.insert(tail.begin(), kept->size() / each);
  return nb::cast(Array<T>(kept->data(), tail.size(), tail.data(), owner));
}

class PuctDoor {
 public:
  PuctDoor(const AnyGame& game, PuctOptions options, std::size_t batch)
      : search_(game.puct(options)), batch_(batch) {
    const auto& [planes, height, width] = game.observation_shape();
    observation_.resize(batch * planes * height * width);
  }

  const std::shared_ptr<const AnyGame>& game() const { return search_->game(); }
  AnyPuct& search() { return *search_; }

  Array<std::uint8_t> select(nb::handle owner, long long most) {
    const auto wanted = static_cast<std::size_t>(std::max(most, 1LL));
    waiting_ = search_->select(std::min(wanted, batch_), observation_.data());
    const auto& [planes, height, width] = game()->observation_shape();
    const std::size_t shape[] = {waiting_, planes, height, width};
    return Array<std::uint8_t>(observation_.data(), 4, shape, owner);
  }

  void judge(const Numbers& logits, const Numbers& values) {
    const std::size_t width = checked_answers(*game(), waiting_, logits, values);
    search_->judge(logits.data(), values.data(), width);
    waiting_ = 0;
  }

 private:
  std::unique_ptr<AnyPuct> search_;
  std::size_t batch_, waiting_ = 0;
  std::vector<std::uint8_t> observation_;
};

class SelfPlayDoor {
 public:
  SelfPlayDoor(const AnyGame& game, const SelfPlayOptions& options)
      : play_(game.self_play(options)) {}

  const std::shared_ptr<const AnyGame>& game() const { return play_->game(); }
  AnySelfPlay& play() { return *play_; }
  std::size_t games() const { return static_cast<std::size_t>(play_->options().games); }

  template <class Work>
  void exclusively(Work&& work) {
    if (busy_.test_and_set()) throw std::runtime_error("another thread is stepping these games");
    const Release release{busy_};
    const Unlocked unlocked;
    work(*play_);
  }

  void reset(nb::handle seed) {
    const std::uint64_t start = seed_of(seed);
    exclusively([&](AnySelfPlay& play) { play.reset(start); });
    ready_ = true;
  }

  void restart() {
    exclusively([](AnySelfPlay& play) { play.restart(); });
    ready_ = true;
  }

  void step(const Numbers& logits, const Numbers& values) {
    if (!ready_) throw std::invalid_argument("call reset() or restart() before stepping");
    const std::size_t width = checked_answers(*game(), games(), logits, values);
    exclusively([&](AnySelfPlay& play) { play.step(logits.data(), values.data(), width); });
  }

  int checked_index(long long i) const {
    return checked_between("game", i, 0, static_cast<long long>(games()) - 1);
  }

  void place(long long i, const AnyState& state, std::uint64_t stream, long long number,
             long long decisions, long long symmetry, bool plays_out) {
    constexpr long long kMany = 1 << 30;
    SelfPlayMemory memory;
    memory.stream = stream;
    memory.number = checked_between("number", number, 0, kMany);
    memory.decisions = checked_between("decisions", decisions, 0, kMany);
    memory.symmetry = checked_symmetry(*game(), symmetry);
    memory.plays_out = plays_out;
    ready_ = false;
    play_->place(checked_index(i), state, memory);
  }

  nb::dict take_rows() {
    SelfPlayRows rows = play_->take_rows();
    const auto& [planes, height, width] = game()->observation_shape();
    const auto actions = static_cast<std::size_t>(game()->actions());
    const auto seats = static_cast<std::size_t>(game()->seats());
    nb::dict out;
    out["observation"] = owned_array(std::move(rows.observation), {planes, height, width});
    out["mask"] = owned_array(std::move(rows.mask), {actions});
    out["policy"] = owned_array(std::move(rows.policy), {actions});
    out["value"] = owned_array(std::move(rows.value), {seats});
    out["exact"] = owned_array(std::move(rows.exact), {});
    out["place"] = owned_array(std::move(rows.place), {4});
    return out;
  }

  nb::dict take_ends() {
    SelfPlayEnds ends = play_->take_ends();
    const auto& [planes, height, width] = game()->observation_shape();
    const auto seats = static_cast<std::size_t>(game()->seats());
    nb::dict out;
    out["place"] = owned_array(std::move(ends.place), {3});
    out["returns"] = owned_array(std::move(ends.returns), {seats});
    out["points"] = owned_array(std::move(ends.points), {seats});
    out["played_out"] = owned_array(std::move(ends.played_out), {});
    out["observation"] = owned_array(std::move(ends.observation), {seats, planes, height, width});
    return out;
  }

 private:
  std::unique_ptr<AnySelfPlay> play_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  bool ready_ = false;
};

std::unique_ptr<SelfPlayDoor> make_self_play(const AnyGame& game, long long games,
                                             long long threads, long long simulations,
                                             long long fast_simulations, double full_share,
                                             long long opening, double play_out_share,
                                             long long considered, double visit_offset,
                                             double value_scale) {
  if (!(visit_offset >= 0 && value_scale >= 0))
    throw std::invalid_argument("visit_offset and value_scale must not be negative");
  constexpr long long kMostSimulations = 1 << 16;
  SelfPlayOptions options;
  options.games = checked_between("games", games, 1, 1 << 20);
  options.threads = checked_between("threads", threads, 1, 256);
  options.simulations = checked_between("simulations", simulations, 1, kMostSimulations);
  options.fast_simulations =
      checked_between("fast_simulations", fast_simulations, 1, kMostSimulations);
  options.full_share = checked_share("full_share", full_share);
  options.opening = checked_between("opening", opening, 0, 1000);
  options.play_out_share = checked_share("play_out_share", play_out_share);
  options.gumbel.considered = checked_between("considered", considered, 1, 1024);
  options.gumbel.visit_offset = static_cast<float>(visit_offset);
  options.gumbel.value_scale = static_cast<float>(value_scale);
  return std::make_unique<SelfPlayDoor>(game, options);
}

// -- the batch ---------------------------------------------------------------------------------

// Python may call from several threads once the GIL is released; one step at a time.
class BatchDoor {
 public:
  BatchDoor(const AnyGame& game, BatchOptions options)
      : batch_(game.batch(options)), game_(batch_->game()) {}

  const std::shared_ptr<const AnyGame>& game() const { return game_; }
  AnyBatch& batch() { return *batch_; }
  std::size_t games() const { return static_cast<std::size_t>(batch_->options().games); }

  template <class Work>
  void exclusively(Work&& work) {
    if (busy_.test_and_set()) throw std::runtime_error("another thread is stepping this batch");
    const Release release{busy_};
    const Unlocked unlocked;
    work(*batch_);
  }

  void step(const nb::object& actions) {
    const auto array = checked_actions(actions);
    exclusively([&](AnyBatch& batch) {
      if (array.dtype() == nb::dtype<std::int32_t>()) {
        batch.step(static_cast<const std::int32_t*>(array.data()));
      } else {
        batch.step(static_cast<const std::int64_t*>(array.data()));
      }
    });
  }

  int checked_index(long long i) const {
    if (i < 0 || i >= static_cast<long long>(games()))
      throw std::invalid_argument("game must be from 0 to " + std::to_string(games() - 1) +
                                  ", not " + std::to_string(i));
    return static_cast<int>(i);
  }

 private:
  using Actions = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  Actions checked_actions(const nb::object& actions) const {
    Actions array;
    const bool fits =
        nb::try_cast(actions, array, false) && array.shape(0) == games() &&
        (array.dtype() == nb::dtype<std::int32_t>() || array.dtype() == nb::dtype<std::int64_t>());
    if (fits) return array;
    std::string got = python_type(actions);
    if (nb::hasattr(actions, "dtype") && nb::hasattr(actions, "shape"))
      got = shown_python(nb::object(actions.attr("dtype"))) + " of shape " +
            shown_python(nb::object(actions.attr("shape")));
    throw std::invalid_argument("actions must be a contiguous int32 or int64 array of shape (" +
                                std::to_string(games()) + ",), not " + got);
  }

  std::unique_ptr<AnyBatch> batch_;
  std::shared_ptr<const AnyGame> game_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

Opponent opponent_of(nb::handle name) {
  const std::string_view text = utf8(name);
  if (text == "none") return Opponent::none;
  if (text == "random") return Opponent::random;
  if (text == "greedy") return Opponent::greedy;
  throw std::invalid_argument("opponent must be one of none, random, greedy, not '" +
                              std::string(text.substr(0, 40)) + "'");
}

int own_seat(const AnyGame& game, long long seat) {
  if (seat < kAnySeat || seat >= game.seats())
    throw std::invalid_argument("seat must be from 0 to " + std::to_string(game.seats() - 1) +
                                ", or -1 for any, not " + std::to_string(seat));
  return static_cast<int>(seat);
}

std::unique_ptr<BatchDoor> make_batch(const AnyGame& game, long long num_envs, long long threads,
                                      bool skip_forced, nb::handle opponent, long long seat,
                                      bool illegal_loses, bool keep_final) {
  const auto check = [](const char* what, long long value, long long most) {
    if (value < 1 || value > most)
      throw std::invalid_argument(std::string(what) + " must be from 1 to " + std::to_string(most) +
                                  ", not " + std::to_string(value));
    return static_cast<int>(value);
  };
  return std::make_unique<BatchDoor>(game,
                                     BatchOptions{.games = check("num_envs", num_envs, 1 << 24),
                                                  .threads = check("threads", threads, 256),
                                                  .skip_forced = skip_forced,
                                                  .opponent = opponent_of(opponent),
                                                  .seat = own_seat(game, seat),
                                                  .illegal_loses = illegal_loses,
                                                  .keep_final = keep_final});
}

template <class T, class Shown = T>
auto batch_view(Pages<T> BatchBuffers::* buffer, std::vector<std::size_t> (*tail)(const AnyGame&)) {
  return [buffer, tail](nb::handle_t<BatchDoor> self) {
    auto& door = nb::cast<BatchDoor&>(self);
    std::vector<std::size_t> shape = tail(*door.game());
    shape.insert(shape.begin(), door.games());
    auto* data = reinterpret_cast<Shown*>((door.batch().buffers().*buffer).data());
    return Array<Shown>(data, shape.size(), shape.data(), self);
  };
}

std::vector<std::size_t> no_tail(const AnyGame&) { return {}; }
std::vector<std::size_t> action_tail(const AnyGame& game) {
  return {static_cast<std::size_t>(game.actions())};
}
std::vector<std::size_t> seat_tail(const AnyGame& game) {
  return {static_cast<std::size_t>(game.seats())};
}
std::vector<std::size_t> observation_tail(const AnyGame& game) {
  const auto& shape = game.observation_shape();
  return {shape.begin(), shape.end()};
}

// -- classes -----------------------------------------------------------------------------------

void bind_parameter(nb::module_& m) {
  nb::class_<Parameter>(m, "Parameter", "A rule that callers may vary.")
      .def_ro("name", &Parameter::name)
      .def_prop_ro("kind",
                   [](const Parameter& self) {
                     constexpr const char* kinds[] = {"int", "bool", "choice", "text"};
                     return kinds[static_cast<int>(self.kind)];
                   })
      .def_prop_ro(
          "default", [](const Parameter& self) { return to_python(self.fallback); },
          nb::sig("def default(self) -> bool | int | str"))
      .def_ro("help", &Parameter::help)
      .def_ro("minimum", &Parameter::minimum)
      .def_ro("maximum", &Parameter::maximum)
      .def_ro("choices", &Parameter::choices)
      .def("__repr__", [](const Parameter& self) {
        return "<Parameter " + self.name + "=" + shown(self.fallback) + ">";
      });
}

void bind_plane(nb::module_& m) {
  nb::class_<Plane>(m, "Plane", "One layer of an observation.")
      .def_ro("name", &Plane::name)
      .def_ro("meaning", &Plane::meaning)
      .def_ro("maximum", &Plane::maximum)
      .def("__repr__", [](const Plane& self) { return "<Plane " + self.name + ">"; });
}

void bind_game(nb::module_& m) {
  nb::class_<AnyGame>(m, "Game", "A ruleset with its parameters fixed.")
      .def_prop_ro("name", &AnyGame::name)
      .def_prop_ro("summary", &AnyGame::summary)
      .def_prop_ro(
          "rules", [](const AnyGame& self) { return to_python(self.rules()); },
          nb::sig("def rules(self) -> dict[str, bool | int | str]"),
          "Every parameter with the value in force.")
      .def_prop_ro("parameters", &AnyGame::parameters)
      .def_prop_ro("rules_version", &AnyGame::rules_version)
      .def_prop_ro("has_chance", &AnyGame::has_chance)
      .def_prop_ro("zero_sum", &AnyGame::zero_sum)
      .def_prop_ro("num_players", &AnyGame::seats)
      .def_prop_ro(
          "sides", [](const AnyGame& self) { return sides(self); },
          "By seat; seats of one side win and lose together.")
      .def_prop_ro("num_actions", &AnyGame::actions)
      .def_prop_ro("max_plies", &AnyGame::max_plies, "No game has more decisions than this.")
      .def_prop_ro("num_symmetries", &AnyGame::symmetries)
      .def_prop_ro("planes", &AnyGame::planes)
      .def_prop_ro(
          "action_planes",
          [](const AnyGame& self) {
            std::vector<std::tuple<int, int>> all;
            for (Action action = 0; action < self.actions(); ++action) {
              const ActionPlanes planes = self.action_planes(action);
              all.emplace_back(planes.from, planes.to);
            }
            return all;
          },
          "For every action the planes that mark where it starts and where it ends; -1 for none.")
      .def_prop_ro(
          "action_cells",
          [](const AnyGame& self) {
            std::vector<std::tuple<int, int, int>> all;
            for (Action action = 0; action < self.actions(); ++action) {
              const ActionCell cell = self.action_cell(action);
              all.emplace_back(cell.kind, cell.row, cell.column);
            }
            return all;
          },
          "For every action its kind and its row and column on the observation's grid; kind -1 for "
          "actions beside the board.")
      .def_prop_ro("observation_shape", &observation_shape,
                   nb::sig("def observation_shape(self) -> tuple[int, int, int]"),
                   "(planes, height, width)")
      .def(
          "start",
          [](const AnyGame& self, nb::handle seed, std::string_view chance) {
            return self.start(seed_of(seed), chance_of(chance));
          },
          "seed"_a = nb::none(), "chance"_a = "auto",
          nb::sig("def start(self, seed: int | None = None, chance: str = 'auto') -> State"),
          "A new game. Chance falls by itself from the seed, or is played by the caller when "
          "chance='explicit'.")
      .def(
          "from_text",
          [](const AnyGame& self, nb::handle text, nb::handle seed, std::string_view chance) {
            return self.from_text(utf8(text), seed_of(seed), chance_of(chance));
          },
          "text"_a.none(), "seed"_a = nb::none(), "chance"_a = "auto",
          nb::sig(
              "def from_text(self, text: str, seed: int | None = None, chance: str = 'auto') -> "
              "State"),
          "The position a text describes; ValueError with the reason when it is impossible.")
      .def(
          "check",
          [](const AnyGame& self, nb::handle text, bool strict) {
            return self.check(utf8(text), strict);
          },
          "text"_a.none(), "strict"_a = false,
          nb::sig("def check(self, text: str, strict: bool = False) -> list[str]"),
          "Everything that is wrong with a position's text: what from_text refuses and, if strict, "
          "also what no game could hold.")
      .def(
          "replay",
          [](nb::object self, nb::object actions) {
            return outer("spielwerk.records", "replay")(self, actions);
          },
          "actions"_a,
          nb::sig("def replay(self, actions: collections.abc.Iterable[int | str] | "
                  "spielwerk.records.Record) -> "
                  "State"),
          "The position after these actions, or at the end of a record.")
      .def(
          "__eq__",
          [](const AnyGame& self, nb::handle other) {
            return nb::isinstance<AnyGame>(other) &&
                   self.same_rules(nb::cast<const AnyGame&>(other));
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const AnyGame& self) {
             return static_cast<Py_ssize_t>(
                 std::hash<std::string>{}(self.name() + shown_rules(self)) >> 1);
           })
      .def(
          "__reduce__",
          [](const AnyGame& self) {
            return nb::make_tuple(outer("spielwerk.games", "restore_game"),
                                  nb::make_tuple(self.name(), to_python(self.rules())));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def("__repr__", [](const AnyGame& self) {
        return "spielwerk.make('" + self.name() + "'" + shown_rules(self) + ")";
      });
}

void bind_state(nb::module_& m) {
  nb::class_<AnyState>(m, "State", "A position of a game; plays, tells and pictures itself.")
      .def_prop_ro(
          "game", [](const AnyState& self) { return shared(self.game()); },
          nb::sig("def game(self) -> Game"))
      // turns
      .def_prop_ro("player", &player, nb::sig("def player(self) -> int | None"),
                   "The seat to act, CHANCE, or None when the game is over.")
      .def_prop_ro("legal_actions", &legal_actions, nb::sig("def legal_actions(self) -> list[int]"),
                   "Ascending; empty once the game is over.")
      .def("play", &play, "action"_a.none(), nb::sig("def play(self, action: int | str) -> None"),
           "Plays an action by number or text, or a whole turn by text. IllegalAction says why "
           "not, and then nothing has changed.")
      .def_prop_ro("outcomes", &outcomes, nb::sig("def outcomes(self) -> list[tuple[int, float]]"),
                   "At a chance event: its outcomes with their probabilities.")
      .def_prop_ro("fallen", &AnyState::fallen,
                   "The dice that fell by themselves since the last action, as texts.")
      // ends
      .def_prop_ro("over", [](const AnyState& self) { return self.player() == kNobody; })
      .def_prop_ro(
          "returns", [](const AnyState& self) { return to_tuple(self.returns()); },
          nb::sig("def returns(self) -> tuple[float, ...]"), "By seat; zeros until over.")
      .def_prop_ro(
          "winner", [](const AnyState& self) { return to_tuple(winners(self)); },
          nb::sig("def winner(self) -> tuple[int, ...]"),
          "The winning seats; empty for a draw or while the game runs.")
      .def_prop_ro(
          "points", [](const AnyState& self) { return to_tuple(self.points()); },
          nb::sig("def points(self) -> tuple[int, ...]"),
          "By seat; zeros until over and where the ruleset scores none.")
      .def_prop_ro("stream", &AnyState::stream,
                   "The dice to come: from_text(text, seed=stream) goes on with the same ones.")
      .def_prop_ro("truncated", &AnyState::truncated, "True when a ply limit ended the game.")
      .def_prop_ro("reason", &AnyState::ending, "Why the game ended, as a short code.")
      .def_prop_ro(
          "outcome",
          [](nb::object self) {
            return outer("spielwerk.outcome", "Outcome").attr("by_rules")(self);
          },
          nb::sig("def outcome(self) -> spielwerk.outcome.Outcome | None"),
          "How the game ended, in one value; None while it runs.")
      // notation
      .def("text", &AnyState::text, "action"_a, "The notation of an action.")
      .def(
          "parse",
          [](const AnyState& self, nb::handle text) { return self.parse(action_text(text)); },
          "text"_a.none(), nb::sig("def parse(self, text: str) -> int"),
          "The action a single action's text names.")
      .def(
          "split_turn",
          [](const AnyState& self, nb::handle text) { return self.split_turn(action_text(text)); },
          "text"_a.none(), nb::sig("def split_turn(self, text: str) -> list[str]"),
          "The single actions of a legal action or whole turn, in their canonical spelling.")
      .def("to_text", &AnyState::to_text, "The position as one line; game.from_text inverts it.")
      .def("__str__", &AnyState::picture)
      .def("__repr__",
           [](const AnyState& self) {
             return "<State of " + self.game()->name() + ": " + self.to_text() + ">";
           })
      // values
      .def("clone", &AnyState::clone)
      .def("__copy__", &AnyState::clone)
      .def(
          "__deepcopy__", [](const AnyState& self, nb::handle) { return self.clone(); },
          nb::sig("def __deepcopy__(self, memo: object, /) -> State"))
      .def(
          "__eq__",
          [](const AnyState& self, nb::handle other) {
            return nb::isinstance<AnyState>(other) && self.equals(nb::cast<const AnyState&>(other));
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const AnyState& self) { return static_cast<Py_ssize_t>(self.hash() >> 1); })
      .def(
          "__reduce__",
          [](const AnyState& self) {
            const char* chance = self.chance_mode() == ChanceMode::automatic ? "auto" : "explicit";
            return nb::make_tuple(
                outer("spielwerk.games", "restore_state"),
                nb::make_tuple(shared(self.game()), self.to_text(), self.stream(), chance));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      // learning
      .def("observation", &observation, "seat"_a,
           nb::sig("def observation(self, seat: int) -> numpy.typing.NDArray[numpy.uint8]"),
           "uint8 [planes, height, width] as `seat` sees it.")
      .def_prop_ro("mask", &mask, nb::sig("def mask(self) -> numpy.typing.NDArray[numpy.uint8]"),
                   "uint8 [num_actions], 1 where legal.")
      .def("observe", &observe, "seat"_a,
           nb::sig("def observe(self, seat: int) -> tuple[numpy.typing.NDArray[numpy.uint8], "
                   "numpy.typing.NDArray[numpy.uint8]]"),
           "Observation and mask in one call.")
      .def(
          "evaluate",
          [](const AnyState& self, long long seat) {
            return self.evaluate(checked_seat(*self.game(), seat));
          },
          "seat"_a, "A quick heuristic from -1 to +1 for a seat; exact once the game is over.")
      .def_prop_ro(
          "settled",
          [](const AnyState& self) -> std::optional<Seat> {
            const Seat winner = self.settled();
            return winner == kNobody ? std::nullopt : std::optional(winner);
          },
          "The seat that wins whatever is still played; None while that is open.")
      .def(
          "symmetric",
          [](const AnyState& self, long long k) {
            return self.symmetric(checked_symmetry(*self.game(), k));
          },
          "k"_a, "The equivalent position under symmetry k.")
      .def(
          "symmetric_action",
          [](const AnyState& self, long long action, long long k) {
            (void)self.text(action);
            const int symmetry = checked_symmetry(*self.game(), k);
            const auto number = static_cast<Action>(action);  // chance knows no symmetry
            return self.player() == kChance ? number
                                            : self.game()->symmetric_action(number, symmetry);
          },
          "action"_a, "k"_a, "What an action becomes under symmetry k.")
      .def(
          "perft",
          [](const AnyState& self, int depth) {
            if (depth < 0) throw std::invalid_argument("depth must not be negative");
            const StatePtr copy = self.clone();
            const Unlocked unlocked;
            return copy->perft(depth);
          },
          "depth"_a, "The number of sequences of exactly `depth` actions from here.")
      // pictures
      .def_prop_ro(
          "position", [](const AnyState& self) { return to_python(self.facts()); },
          nb::sig("def position(self) -> dict[str, typing.Any]"), "The position as plain data.")
      .def(
          "scene", [](nb::object self) { return outer("spielwerk.render", "scene_of")(self); },
          nb::sig("def scene(self) -> spielwerk.render.scene.Scene"),
          "The position as shapes, labels and hit areas.")
      .def(
          "svg", [](nb::object self) { return outer("spielwerk.render", "svg_of")(self); },
          nb::sig("def svg(self) -> str"))
      .def(
          "_repr_svg_", [](nb::object self) { return outer("spielwerk.render", "svg_of")(self); },
          nb::sig("def _repr_svg_(self) -> str"));
}

template <class T>
using Weights = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> copied(const Weights<T>& array) {
  return {array.data(), array.data() + array.size()};
}

std::shared_ptr<NnueWeights> make_network(
    std::vector<int> anchors, const Weights<std::int16_t>& rows_of, int rows,
    const Weights<std::int8_t>& table, const Weights<std::int16_t>& first_bias,
    const Weights<std::int16_t>& second, const Weights<std::int32_t>& second_bias,
    const Weights<std::int16_t>& last, std::int32_t last_bias, std::int32_t heuristic_weight) {
  return std::make_shared<NnueWeights>(
      NnueWeights{std::move(anchors), copied(rows_of), rows, copied(table), copied(first_bias),
                  copied(second), copied(second_bias), copied(last), last_bias, heuristic_weight});
}

nb::dict lessons_of(const AnyGame& game, long long games, std::uint64_t seed,
                    std::uint64_t first_game, long long nodes, long long opening, double errs,
                    std::shared_ptr<NnueWeights> teacher) {
  if (games < 0 || games > 1'000'000 || nodes < 1 || opening < 0 || opening > 1'000'000)
    throw std::invalid_argument(
        "games and opening must be from 0 to 1000000, nodes must be at least 1");
  const LessonOptions options{static_cast<int>(games),
                              seed,
                              first_game,
                              static_cast<std::uint64_t>(nodes),
                              static_cast<int>(opening),
                              checked_share("errs", errs),
                              std::move(teacher)};
  Lessons lessons;
  {
    nb::gil_scoped_release release;
    lessons = game.lessons(options);
  }
  nb::dict out;
  out["features"] = owned_array(std::move(lessons.features), {});
  out["ends"] = owned_array(std::move(lessons.ends), {});
  out["heuristics"] = owned_array(std::move(lessons.heuristics), {});
  out["scores"] = owned_array(std::move(lessons.scores), {});
  out["results"] = owned_array(std::move(lessons.results), {});
  return out;
}

void bind_network(nb::module_& m) {
  m.def("evaluation_planes", &AnyGame::evaluation_planes, "game"_a,
        "Planes that an evaluation network sees: those of the observation, and a game's insights.");
  m.def("lessons", &lessons_of, "game"_a, "games"_a, "seed"_a, "first_game"_a, "nodes"_a,
        "opening"_a, "errs"_a, "teacher"_a = nb::none(),
        nb::sig("def lessons(game: Game, games: int, seed: int, first_game: int, nodes: int, "
                "opening: int, errs: float, teacher: EvaluationNetwork | None = None) -> "
                "dict[str, NDArray[Any]]"),
        "Positions of games that alpha-beta plays against itself, for an evaluation network.");
  nb::class_<NnueWeights>(m, "EvaluationNetwork",
                          "A small network that alpha-beta updates from position to position.")
      .def(nb::new_(&make_network), "anchors"_a, "rows_of"_a, "rows"_a, "table"_a, "first_bias"_a,
           "second"_a, "second_bias"_a, "last"_a, "last_bias"_a, "heuristic_weight"_a);
}

std::shared_ptr<AfterstateWeights> make_afterstate_network(const Weights<float>& rows,
                                                           const Weights<float>& bias,
                                                           const Weights<float>& last,
                                                           float last_bias,
                                                           float heuristic_weight) {
  return std::make_shared<AfterstateWeights>(
      AfterstateWeights{copied(rows), copied(bias), copied(last), last_bias, heuristic_weight});
}

void learn_afterstates(AfterstateWeights& self, const AnyGame& game, long long games,
                       std::uint64_t seed, std::uint64_t first_game, float td_lambda,
                       float learning_rate) {
  if (games < 0 || games > 1'000'000 || !(td_lambda >= 0 && td_lambda <= 1) ||
      !(learning_rate >= 0 && learning_rate <= 1))
    throw std::invalid_argument(
        "games must be from 0 to 1000000, td_lambda and learning_rate from 0 to 1");
  game.learn_afterstates(self,
                         {static_cast<int>(games), seed, first_game, td_lambda, learning_rate});
}

void bind_afterstates(nb::module_& m) {
  const auto part = [](std::vector<float> AfterstateWeights::* which) {
    return [which](const AfterstateWeights& self) { return owned_array(self.*which, {}); };
  };
  nb::class_<AfterstateWeights>(m, "AfterstateNetwork",
                                "A small network that expectimax asks about positions before a "
                                "die.")
      .def(nb::new_(&make_afterstate_network), "rows"_a, "bias"_a, "last"_a, "last_bias"_a,
           "heuristic_weight"_a)
      .def_prop_ro("rows", part(&AfterstateWeights::rows),
                   nb::sig("def rows(self) -> numpy.typing.NDArray[numpy.float32]"))
      .def_prop_ro("bias", part(&AfterstateWeights::bias),
                   nb::sig("def bias(self) -> numpy.typing.NDArray[numpy.float32]"))
      .def_prop_ro("last", part(&AfterstateWeights::last),
                   nb::sig("def last(self) -> numpy.typing.NDArray[numpy.float32]"))
      .def_ro("last_bias", &AfterstateWeights::last_bias)
      .def_ro("heuristic_weight", &AfterstateWeights::heuristic_weight)
      .def("learn", &learn_afterstates, "game"_a, "games"_a, "seed"_a, "first_game"_a,
           "td_lambda"_a, "learning_rate"_a,
           "Plays games against itself and learns from each by TD(lambda); game i of a seed is the "
           "same wherever it is played.");
  m.def("afterstate_features", &AnyGame::afterstate_features, "game"_a,
        "How many features a network of afterstates knows; ValueError where a game has none.");
}

void bind_search(nb::module_& m) {
  nb::class_<SearchLine>(m, "Line", "One way the game may go on, as a search sees it.")
      .def_ro("actions", &SearchLine::actions)
      .def_ro("value", &SearchLine::value, "For the seat to act, -1 to +1.")
      .def_ro("visits", &SearchLine::visits)
      .def_ro("proved", &SearchLine::proved, "The value is exact.");
  nb::class_<SearchReport>(m, "Report", "What a search found; lines are ordered best first.")
      .def_ro("lines", &SearchReport::lines)
      .def_ro("nodes", &SearchReport::nodes)
      .def_ro("depth", &SearchReport::depth)
      .def_ro("milliseconds", &SearchReport::milliseconds)
      .def_ro("proved", &SearchReport::proved);
  nb::class_<SearchDoor>(m, "Search", "A search that keeps what it learnt between positions.")
      .def_prop_ro(
          "game", [](const SearchDoor& self) { return shared(self.game()); },
          nb::sig("def game(self) -> Game"))
      .def("search", &SearchDoor::search, "state"_a, "depth"_a = 0, "nodes"_a = 0,
           "milliseconds"_a = 0.0, "seed"_a = nb::none(),
           nb::sig("def search(self, state: State, depth: int = 0, nodes: int = 0, milliseconds: "
                   "float = 0.0, seed: int | None = None) -> Report"),
           "Searches until a limit is reached; 0 means none.")
      .def("study", &SearchDoor::study, "state"_a, "depth"_a = 0, "nodes"_a = 0,
           "milliseconds"_a = 0.0, "seed"_a = nb::none(),
           nb::sig("def study(self, state: State, depth: int = 0, nodes: int = 0, milliseconds: "
                   "float = 0.0, seed: int | None = None) -> Report"),
           "Searches each action as well, within the same time, so that values can be compared.")
      .def("stop", &SearchDoor::stop,
           "Lets the search that another thread is running answer with what it has.");
  m.def(
      "one_ply",
      [](const AnyState& state, nb::handle seed) { return one_ply(state, seed_of(seed)); },
      "state"_a, "seed"_a = nb::none(),
      nb::sig("def one_ply(state: State, seed: int | None = None) -> Report"),
      "Each action's position as the heuristic sees it; the greedy choice first.");
  m.def(
      "alphabeta",
      [](const AnyGame& game, long long threads, long long megabytes,
         std::shared_ptr<NnueWeights> network) {
        if (threads < 1 || threads > 256 || megabytes < 1 || megabytes > 1 << 16)
          throw std::invalid_argument("threads must be from 1 to 256, megabytes from 1 to 65536");
        return std::make_unique<SearchDoor>(game.alphabeta(
            {static_cast<int>(threads), static_cast<std::size_t>(megabytes), std::move(network)}));
      },
      "game"_a, "threads"_a = 1, "megabytes"_a = 16, "network"_a = nb::none());
  m.def(
      "expectimax",
      [](const AnyGame& game, const AfterstateWeights* network) {
        // A copy: the caller's network may go on learning.
        return std::make_unique<SearchDoor>(game.expectimax(
            network == nullptr ? nullptr : std::make_shared<const AfterstateWeights>(*network)));
      },
      "game"_a, "network"_a = nb::none());
  m.def(
      "mcts",
      [](const AnyGame& game, double exploration, long long max_nodes, bool playouts) {
        if (!(exploration >= 0) || max_nodes < 1)
          throw std::invalid_argument("exploration must not be negative, max_nodes at least 1");
        return std::make_unique<SearchDoor>(
            game.mcts({exploration, playouts, static_cast<std::size_t>(max_nodes)}));
      },
      "game"_a, "exploration"_a = 1.0, "max_nodes"_a = 1 << 22, "playouts"_a = false);
}

void bind_solver(nb::module_& m) {
  nb::class_<ProvedLine, SearchLine>(m, "ProvedLine", "A line of a study that proves.")
      .def_prop_ro(
          "distance",
          [](const ProvedLine& self) {
            return self.distance < 0 ? std::optional<int>() : self.distance;
          },
          "Actions until the game ends, both sides playing their best; None while unknown.");
  nb::class_<ProofReport>(m, "ProofReport", "What a study proved; lines are ordered best first.")
      .def_ro("lines", &ProofReport::lines)
      .def_ro("nodes", &ProofReport::nodes)
      .def_ro("depth", &ProofReport::depth)
      .def_ro("milliseconds", &ProofReport::milliseconds)
      .def_ro("proved", &ProofReport::proved);
  nb::class_<Solution>(m, "Solution", "What a solver has proved about a position.")
      .def_ro("solved", &Solution::solved, "The result is proved; else it is unknown.")
      .def_prop_ro(
          "verdict",
          [](const Solution& self) {
            if (!self.solved) return "unknown";
            return self.winner == kNobody ? "draw" : self.winner == self.player ? "win" : "loss";
          },
          nb::sig("def verdict(self) -> typing.Literal['win', 'loss', 'draw', 'unknown']"),
          "For the seat to act, with best play of both sides.")
      .def_prop_ro(
          "winner",
          [](const Solution& self) {
            return self.winner == kNobody ? std::optional<int>() : self.winner;
          },
          "The seat that wins with best play; None for a draw, or while the result is unknown.")
      .def_prop_ro(
          "distance",
          [](const Solution& self) {
            return self.distance < 0 ? std::optional<int>() : self.distance;
          },
          "Actions until the win against the best defence; None for a draw, or while unknown.")
      .def_ro("at_least", &Solution::at_least, "The win takes no fewer actions than this.")
      .def_ro("line", &Solution::line,
              "Best play to the end; only its first action while the distance is unknown.")
      .def_ro("promising", &Solution::promising,
              "While the result is unknown: the actions proved not to lose, or, if there are none, "
              "all that are not proved to lose.")
      .def_ro("nodes", &Solution::nodes)
      .def_ro("milliseconds", &Solution::milliseconds);
  nb::class_<SolverDoor>(
      m, "Solver",
      "Proves results of one ruleset and keeps what it learnt, in a transposition "
      "table of at most so many megabytes.")
      .def(nb::new_(&make_solver), "game"_a, "megabytes"_a = 64)
      .def_prop_ro(
          "game", [](const SolverDoor& self) { return shared(self.game()); },
          nb::sig("def game(self) -> Game"))
      .def("solve", &SolverDoor::solve, "state"_a, "distance"_a = true, "nodes"_a = 0,
           "milliseconds"_a = 0.0, "progress"_a = nb::none(),
           nb::sig("def solve(self, state: State, distance: bool = True, nodes: int = 0, "
                   "milliseconds: float = 0.0, progress: collections.abc.Callable[[Solution], "
                   "bool] | None = None) -> Solution"),
           "The winner, then the distance, until a limit is reached (0 means none) or `progress`, "
           "called about ten times a second, says False.")
      .def("study", &SolverDoor::study, "state"_a, "guesser"_a, "milliseconds"_a,
           "seed"_a = nb::none(),
           nb::sig("def study(self, state: State, guesser: Search, milliseconds: float, "
                   "seed: int | None = None) -> ProofReport"),
           "A line per action: proved, or as the guesser sees it where no proof comes in time.")
      .def("stop", &SolverDoor::stop,
           "Lets the study that another thread is running answer with what it has.");
}

void bind_puct(nb::module_& m) {
  nb::class_<PuctDoor>(
      m, "Puct", "PUCT search that asks for a network's answers, a batch of leaves at a time.")
      .def_prop_ro(
          "game", [](const PuctDoor& self) { return shared(self.game()); },
          nb::sig("def game(self) -> Game"))
      .def(
          "begin",
          [](PuctDoor& self, const AnyState& state, nb::handle seed) {
            self.search().begin(state, seed_of(seed));
          },
          "state"_a, "seed"_a = nb::none(),
          nb::sig("def begin(self, state: State, seed: int | None = None) -> None"))
      .def_prop_ro(
          "finished", [](PuctDoor& self) { return self.search().finished(); },
          "The result is proved, or the tree is full.")
      .def_prop_ro("simulations", [](PuctDoor& self) { return self.search().simulations(); })
      .def(
          "select",
          [](nb::handle_t<PuctDoor> self, long long most) {
            return nb::cast<PuctDoor&>(self).select(self, most);
          },
          "most"_a = 4096,
          "Observations of the leaves to judge next, overwritten by the next call; perhaps none.")
      .def("judge", &PuctDoor::judge, "logits"_a, "values"_a,
           "The network's answers about them: logits [n, actions], values [n] or [n, seats], the "
           "seat to act first.")
      .def(
          "report",
          [](PuctDoor& self, double milliseconds) {
            SearchReport report = self.search().report();
            report.milliseconds = milliseconds;
            return report;
          },
          "milliseconds"_a = 0.0);
  m.def(
      "puct",
      [](const AnyGame& game, long long batch, double exploration, double first_play_reduction,
         long long max_nodes) {
        if (!(exploration >= 0 && first_play_reduction >= 0))
          throw std::invalid_argument("exploration and first_play_reduction must not be negative");
        PuctOptions options;
        options.exploration = static_cast<float>(exploration);
        options.first_play_reduction = static_cast<float>(first_play_reduction);
        options.max_nodes =
            static_cast<std::size_t>(checked_between("max_nodes", max_nodes, 1, 1 << 28));
        const int leaves = checked_between("batch", batch, 1, 4096);
        return std::make_unique<PuctDoor>(game, options, static_cast<std::size_t>(leaves));
      },
      "game"_a, "batch"_a = 16, "exploration"_a = 1.5, "first_play_reduction"_a = 0.3,
      "max_nodes"_a = 1 << 18);
}

void bind_self_play(nb::module_& m) {
  nb::class_<GumbelRoot>(m, "GumbelRoot", "A Gumbel search as seen from its root, edge by edge.")
      .def_ro("actions", &GumbelRoot::actions)
      .def_ro("noise", &GumbelRoot::noise)
      .def_ro("logits", &GumbelRoot::logits)
      .def_ro("visits", &GumbelRoot::visits)
      .def_ro("means", &GumbelRoot::means, "0 without a visit.")
      .def_ro("policy", &GumbelRoot::policy, "The improved policy.")
      .def_ro("value", &GumbelRoot::value, "What the network said.")
      .def_ro("chosen", &GumbelRoot::chosen)
      .def_ro("exact", &GumbelRoot::exact, "The proved result for the seat to act; 2 for none.")
      .def_ro("simulations", &GumbelRoot::simulations);
  nb::class_<SelfPlayDoor>(m, "SelfPlay",
                           "Many games that a network plays against itself under Gumbel search.")
      .def(nb::new_(&make_self_play), "game"_a, "games"_a, "threads"_a = 1, "simulations"_a = 64,
           "fast_simulations"_a = 16, "full_share"_a = 0.25, "opening"_a = 8,
           "play_out_share"_a = 0.25, "considered"_a = 16, "visit_offset"_a = 50.0,
           "value_scale"_a = 0.25)
      .def_prop_ro(
          "game", [](const SelfPlayDoor& self) { return shared(self.game()); },
          nb::sig("def game(self) -> Game"))
      .def_prop_ro(
          "observation",
          [](nb::handle_t<SelfPlayDoor> self) {
            auto& door = nb::cast<SelfPlayDoor&>(self);
            const auto& [planes, height, width] = door.game()->observation_shape();
            const std::size_t shape[] = {door.games(), planes, height, width};
            return Array<std::uint8_t>(door.play().observation().data(), 4, shape, self);
          },
          "What the network is to judge next, [games, planes, height, width], overwritten in "
          "place.")
      .def("reset", &SelfPlayDoor::reset, "seed"_a = nb::none(),
           nb::sig("def reset(self, seed: int | None = None) -> None"))
      .def("restart", &SelfPlayDoor::restart,
           "Every game thinks again about its position, from nothing.")
      .def("step", &SelfPlayDoor::step, "logits"_a, "values"_a,
           "The network's answers: logits [games, actions], values [games] or [games, seats], the "
           "seat to act first.")
      .def("take_rows", &SelfPlayDoor::take_rows,
           nb::sig("def take_rows(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
           "The positions that had a full search since the last call.")
      .def("take_ends", &SelfPlayDoor::take_ends,
           nb::sig("def take_ends(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
           "The games that ended since the last call.")
      .def_prop_ro(
          "counts",
          [](SelfPlayDoor& self) {
            const SelfPlayCounts counts = self.play().counts();
            return nb::make_tuple(counts.decisions, counts.evaluations, counts.simulations);
          },
          nb::sig("def counts(self) -> tuple[int, int, int]"),
          "Decisions, evaluations and simulations since the reset.")
      .def(
          "root",
          [](SelfPlayDoor& self, long long i) { return self.play().root(self.checked_index(i)); },
          "i"_a)
      .def(
          "state",
          [](SelfPlayDoor& self, long long i) { return self.play().state(self.checked_index(i)); },
          "i"_a, "A copy of game i, its dice to come included.")
      .def(
          "memory",
          [](SelfPlayDoor& self, long long i) {
            const SelfPlayMemory memory = self.play().memory(self.checked_index(i));
            return nb::make_tuple(memory.stream, memory.number, memory.decisions, memory.symmetry,
                                  memory.plays_out);
          },
          "i"_a, nb::sig("def memory(self, i: int) -> tuple[int, int, int, int, bool]"),
          "What game i needs beside its position to go on, as `place` takes it.")
      .def("place", &SelfPlayDoor::place, "i"_a, "state"_a, "stream"_a, "number"_a, "decisions"_a,
           "symmetry"_a, "plays_out"_a,
           "Puts game i into a position with its own dice; restart() must follow.");
}

void bind_batch(nb::module_& m) {
  nb::class_<BatchDoor>(m, "Batch", "Many games stepped at once; views are overwritten in place.")
      .def_prop_ro(
          "game", [](const BatchDoor& self) { return shared(self.game()); },
          nb::sig("def game(self) -> Game"))
      .def_prop_ro("observation", batch_view(&BatchBuffers::observation, &observation_tail))
      .def_prop_ro("mask", batch_view(&BatchBuffers::mask, &action_tail))
      .def_prop_ro("reward", batch_view(&BatchBuffers::reward, &seat_tail))
      .def_prop_ro("terminated",
                   batch_view<std::uint8_t, bool>(&BatchBuffers::terminated, &no_tail))
      .def_prop_ro("truncated", batch_view<std::uint8_t, bool>(&BatchBuffers::truncated, &no_tail))
      .def_prop_ro("points", batch_view(&BatchBuffers::points, &seat_tail))
      .def_prop_ro("seat", batch_view(&BatchBuffers::seat, &no_tail))
      .def_prop_ro("final_observation",
                   [](nb::handle_t<BatchDoor> self) {
                     if (!nb::cast<BatchDoor&>(self).batch().options().keep_final)
                       throw std::invalid_argument("this batch keeps no final observations");
                     return batch_view(&BatchBuffers::final_observation, &observation_tail)(self);
                   })
      .def_prop_ro("outlook", batch_view(&BatchBuffers::outlook, &seat_tail))
      .def_prop_ro("chosen", batch_view(&BatchBuffers::chosen, &no_tail))
      .def(
          "reset",
          [](BatchDoor& self, nb::handle seed) {
            const std::uint64_t start = seed_of(seed);
            self.exclusively([&](AnyBatch& batch) { batch.reset(start); });
          },
          "seed"_a = nb::none(), nb::sig("def reset(self, seed: int | None = None) -> None"))
      .def("step", &BatchDoor::step, "actions"_a.none())
      .def(
          "random_actions",
          [](BatchDoor& self, nb::handle seed) {
            const std::uint64_t start = seed_of(seed);
            self.exclusively([&](AnyBatch& batch) { batch.random_actions(start); });
          },
          "seed"_a = nb::none(),
          nb::sig("def random_actions(self, seed: int | None = None) -> None"))
      .def(
          "greedy_actions",
          [](BatchDoor& self, nb::handle seed) {
            const std::uint64_t start = seed_of(seed);
            self.exclusively([&](AnyBatch& batch) { batch.greedy_actions(start); });
          },
          "seed"_a = nb::none(),
          nb::sig("def greedy_actions(self, seed: int | None = None) -> None"))
      .def("evaluate",
           [](BatchDoor& self) { self.exclusively([](AnyBatch& batch) { batch.evaluate(); }); })
      .def(
          "state",
          [](BatchDoor& self, long long i) { return self.batch().state(self.checked_index(i)); },
          "i"_a, "A copy of game i, its random stream included.")
      .def(
          "place",
          [](BatchDoor& self, long long i, const AnyState& state, bool with_dice) {
            self.batch().place(self.checked_index(i), state, with_dice);
          },
          "i"_a, "state"_a, "with_dice"_a = false,
          "Puts game i into a position, with the state's own dice to come if `with_dice`.");
}

// Bytes from and to a GPU's memory; spielwerk.gpu is the only caller.
void bind_gpu(nb::module_& m) {
  m.def(
      "gpu_arguments",
      [] {
        return std::vector<std::string>(gpu::kArgumentNames.begin(), gpu::kArgumentNames.end());
      },
      "What a kernel is given, in this order, eight bytes each.");
  m.def(
      "gpu_types",
      [] {
        std::vector<std::string> types;
        for (const Ruleset& ruleset : registry().rulesets())
          for (const std::string& type : ruleset.types)
            if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
        return types;
      },
      "The C++ types of all games, as image types name them.");
  m.def(
      "gpu_image",
      [](const AnyGame& game) -> nb::object {
        const auto image = game.image();
        if (!image) return nb::none();
        nb::list tables;
        for (const auto& [offset, bytes] : image->tables)
          tables.append(nb::make_tuple(offset, nb::bytes(bytes.data(), bytes.size())));
        return nb::make_tuple(image->type, nb::bytes(image->game.data(), image->game.size()),
                              tables, image->state_bytes, image->mask_words);
      },
      "game"_a,
      nb::sig("def gpu_image(game: Game) -> tuple[str, bytes, list[tuple[int, bytes]], "
              "int, int] | None"),
      "The rules for a GPU: type, bytes, tables with the offsets of their pointers, bytes of a "
      "position, words of a set of actions.");
  m.def(
      "position_bytes",
      [](const AnyState& state) {
        const std::string bytes = state.bytes();
        return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), state.stream());
      },
      "state"_a, nb::sig("def position_bytes(state: State) -> tuple[bytes, int]"),
      "A position as the core holds it, and the state of its random stream.");
  m.def(
      "position_from_bytes",
      [](const AnyGame& game, nb::bytes bytes, std::uint64_t stream) {
        return game.from_bytes({bytes.c_str(), bytes.size()}, stream, ChanceMode::automatic);
      },
      "game"_a, "bytes"_a, "stream"_a,
      nb::sig("def position_from_bytes(game: Game, bytes: bytes, stream: int) -> State"),
      "The inverse of position_bytes. Trusts its caller: never for bytes from outside.");
}

}  // namespace
}  // namespace spielwerk

NB_MODULE(SPIELWERK_MODULE, m) {
  using namespace spielwerk;
  // Classes are found, and pickled, under one name whichever instruction set was chosen.
  m.attr("__name__") = "spielwerk._core";

  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const IllegalActionError& error) {
      const nb::object type = outer("spielwerk.errors", "IllegalAction");
      PyErr_SetObject(type.ptr(), type(message_of(error), error.code()).ptr());
    } catch (const std::invalid_argument& error) {
      PyErr_SetObject(PyExc_ValueError, message_of(error).ptr());
    }
  });

  // What is still referenced when the interpreter ends is no leak that users should read about.
  nb::set_leak_warnings(false);

  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&Exit::begin));
  Signals::find_main_thread();

  m.attr("CHANCE") = kChance;
  bind_parameter(m);
  bind_plane(m);
  bind_game(m);
  bind_state(m);
  bind_network(m);
  bind_afterstates(m);
  bind_search(m);
  bind_solver(m);
  bind_puct(m);
  bind_self_play(m);
  bind_batch(m);
  bind_gpu(m);

  m.def(
      "rulesets",
      [] {
        std::vector<std::string> names;
        for (const Ruleset& ruleset : registry().rulesets()) names.push_back(ruleset.name);
        return names;
      },
      "The names of all rulesets.");
  m.def("make", &make_game, "name"_a.none(), "rules"_a,
        nb::sig("def make(name: str, rules: dict[str, bool | int | str]) -> Game"));
  m.def(
      "game_seed",
      [](nb::handle seed, std::uint64_t index) { return game_seed(seed_of(seed), index); },
      "seed"_a, "index"_a, nb::sig("def game_seed(seed: int, index: int) -> int"),
      "The seed of one game among many under one seed: after `vector(...).reset(seed=s)` game i is "
      "the one that `game.start(seed=game_seed(s, i))` begins.");
  m.def("batch", &make_batch, "game"_a, "num_envs"_a, "threads"_a = 1, "skip_forced"_a = false,
        "opponent"_a = "none", "seat"_a = 0, "illegal_loses"_a = false, "keep_final"_a = false,
        nb::sig("def batch(game: Game, num_envs: int, threads: int = 1, skip_forced: bool = False, "
                "opponent: str = 'none', seat: int = 0, illegal_loses: bool = False, "
                "keep_final: bool = False) -> Batch"));
  m.def(
      "greedy_action",
      [](const AnyState& state, nb::handle seed) {
        if (state.player() < 0) throw std::invalid_argument("no seat is to act");
        return state.greedy(seed_of(seed));
      },
      "state"_a, "seed"_a = nb::none(),
      nb::sig("def greedy_action(state: State, seed: int | None = None) -> int"),
      "The action whose position the game's heuristic likes best; ties at random.");
  m.def(
      "random_playouts",
      [](const AnyGame& game, std::uint64_t games, nb::handle seed) {
        const std::uint64_t start = seed_of(seed);
        PlayoutCount total;
        {
          const Unlocked unlocked;
          total = game.random_playouts(games, start);
        }
        return nb::make_tuple(total.games, total.plies);
      },
      "game"_a, "games"_a, "seed"_a = nb::none(),
      nb::sig("def random_playouts(game: Game, games: int, seed: int | None = None) -> "
              "tuple[int, int]"),
      "Random games played inside the core: (games, decisions).");
}
