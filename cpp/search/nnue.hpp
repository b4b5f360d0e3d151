// A small evaluation network that a search updates instead of computing it from nothing (after
// Stockfish's NNUE): the first layer is a sum of rows, one for each feature of the position, and
// between two positions only the features that changed are added and taken away. Leaves of a search
// that follow one another are nearly the same, so each sum begins at the one before it.
//
// Features are the set cells of the observation's planes as seat 0 sees them: any game has them. A
// plane that is the same everywhere is a single feature, by its value. A game may add planes that
// only this network sees (insights()); one that was trained without them still works. A plane with
// exactly one set cell in every position, such as a horse's square, can be an anchor: for each
// anchor the first layer has its own rows for every cell where the anchor may stand, so that "an
// apple there" means something else for a horse here. The last sum is kept for each of these cells.
//
// All numbers are whole: every build and processor finds the same values. The result is a
// correction that is added to the game's own heuristic, and both together are a logit: its tanh is
// the expected result. Searches compare logits, which still tell positions apart that are all but
// lost.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "../bits.hpp"
#include "../game.hpp"
#include "hashing.hpp"

namespace spielwerk {

struct NnueWeights {
  static constexpr int kHidden = 32, kHalves = 2, kInputs = kHidden * kHalves, kSecond = 16;
  static constexpr int kOne = 64;       // what stands for 1 in weights and activations
  static constexpr int kCeiling = 127;  // of activations
  static constexpr int kSure = 4;       // a logit beyond which positions are no longer told apart
  static constexpr std::int32_t kMostBias = 1 << 30;  // sums stay within 32 bits

  std::vector<int> anchors;           // planes, at most kHalves; none: one half without an anchor
  std::vector<std::int16_t> rows_of;  // by plane and cell: the feature's row, -1 for none
  int rows = 0;
  std::vector<std::int8_t> table;         // [half, anchor's cell, row, kHidden]
  std::vector<std::int16_t> first_bias;   // [kInputs]
  std::vector<std::int16_t> second;       // [kSecond, kInputs]
  std::vector<std::int32_t> second_bias;  // [kSecond]
  std::vector<std::int16_t> last;         // [kSecond]
  std::int32_t last_bias = 0, heuristic_weight = kOne;

  int halves() const { return std::max<int>(1, static_cast<int>(anchors.size())); }

  // std::invalid_argument unless all parts fit a game of so many planes and cells.
  void check(int planes, int cells) const {
    const auto features = static_cast<std::size_t>(planes) * static_cast<std::size_t>(cells);
    const std::size_t places = anchors.empty() ? 1 : static_cast<std::size_t>(cells);
    const std::size_t wanted =
        static_cast<std::size_t>(halves()) * places * static_cast<std::size_t>(rows) * kHidden;
    const auto within = [](int value, int end) { return value >= 0 && value < end; };
    const bool fits =
        anchors.size() <= kHalves && rows >= 0 && rows_of.size() == features &&
        table.size() == wanted && first_bias.size() == kInputs &&
        second.size() == kSecond * kInputs && second_bias.size() == kSecond &&
        last.size() == kSecond &&
        std::all_of(anchors.begin(), anchors.end(), [&](int p) { return within(p, planes); }) &&
        std::all_of(rows_of.begin(), rows_of.end(),
                    [&](int r) { return r == -1 || within(r, rows); });
    if (!fits) throw std::invalid_argument("the evaluation network was made for another board");
    const auto huge = [](std::int32_t bias) { return bias > kMostBias || bias < -kMostBias; };
    if (huge(last_bias) || std::any_of(second_bias.begin(), second_bias.end(), huge))
      throw std::invalid_argument("a bias of the evaluation network is too large");
  }

  // std::invalid_argument unless the sums of the first layer fit into 16 bits whatever features come
  // together. Additions that wrap around on the way do no harm: only the whole must fit.
  void check_sums() const {
    std::vector<std::int32_t> features(static_cast<std::size_t>(rows));  // that share a row
    for (const int row : rows_of)
      if (row >= 0) ++features[static_cast<std::size_t>(row)];
    const std::size_t size = features.size() * kHidden,
                      per_half = table.size() / static_cast<std::size_t>(halves());
    for (std::size_t begin = 0; begin < table.size(); begin += size)
      if (!sums_fit(features, table.data() + begin, first_bias.data() + begin / per_half * kHidden))
        throw std::invalid_argument("sums of the evaluation network might need more than 16 bits");
  }

 private:
  // With the anchor at one place.
  static bool sums_fit(const std::vector<std::int32_t>& features, const std::int8_t* weights,
                       const std::int16_t* bias) {
    std::array<std::int32_t, kHidden> least, most;
    std::copy_n(bias, kHidden, least.begin());
    most = least;
    for (const std::int32_t times : features)
      for (std::size_t i = 0; i < kHidden; ++i) {
        const std::int32_t weight = *weights++;
        least[i] += times * std::min(weight, 0);
        most[i] += times * std::max(weight, 0);
      }
    return *std::min_element(least.begin(), least.end()) >= INT16_MIN &&
           *std::max_element(most.begin(), most.end()) <= INT16_MAX;
  }
};

// Notes which features a position has, as a game paints it: see canvas.hpp.
class FeatureCanvas {
 public:
  FeatureCanvas(std::uint64_t* words, int words_per_plane, int cells)
      : words_(words), words_per_plane_(words_per_plane), cells_(cells) {}

  void set(Bits members) {
    words_[0] = members;
    end_plane();
  }
  template <int Words>
  void set(const BitSet<Words>& members) {
    std::copy_n(members.words.begin(), words_per_plane_, words_);
    end_plane();
  }
  void one(int cell) {
    mark(0, cell);
    end_plane();
  }
  template <class Cell, class Value>
  void few(int count, Cell&& cell, Value&& value) {
    for (int i = 0; i < count; ++i) {
      unmark(cell(i));  // later ones go over earlier ones
      if (value(i) != 0) mark(0, cell(i));
    }
    end_plane();
  }
  template <class Value>
  void numbers(Value&& value) {
    bool same = true;
    for (int cell = 1; cell < cells_; ++cell) same = same && value(cell) == value(0);
    if (same) return everywhere(value(0));
    for (int cell = 0; cell < cells_; ++cell)
      if (value(cell) != 0) mark(0, cell);
    end_plane();
  }
  template <class... Values>
  void everywhere(Values... values) {
    (same_everywhere(values), ...);
  }
  template <int K, class Visit>
  void lines(int count, int width, Visit&& visit) {
    for (int line = 0; line < count; ++line)
      visit(line, [&](int plane, Bits bits) {
        each(bits, [&](int i) { mark(plane, width * line + i); });
      });
    for (int plane = 0; plane < K; ++plane) end_plane();
  }
  template <int K, class Members, class Visit>
  void marked(const Members& members, Visit&& visit) {
    const auto mark_one = [this](int plane, int cell) { mark(plane, cell); };
    members.each([&](int member) { visit(member, mark_one); });
    for (int plane = 0; plane < K; ++plane) end_plane();
  }

 private:
  void same_everywhere(int value) {
    if (value > 0) mark(0, std::min(value, cells_) - 1);
    words_ += words_per_plane_;
  }
  void mark(int plane, int cell) {
    words_[plane * words_per_plane_ + cell / 64] |= std::uint64_t{1} << (cell % 64);
  }
  void unmark(int cell) { words_[cell / 64] &= ~(std::uint64_t{1} << (cell % 64)); }

  // A plane with every cell set counts as the same everywhere: the feature of the value 1.
  void end_plane() {
    int members = 0;
    for (int i = 0; i < words_per_plane_; ++i) members += count(words_[i]);
    if (members == cells_) {
      std::fill_n(words_, words_per_plane_, 0);
      words_[0] = 1;
    }
    words_ += words_per_plane_;
  }

  std::uint64_t* words_;
  int words_per_plane_, cells_;
};

// The features of one position after the other, as words of its planes.
template <Game G>
class FeatureSet {
 public:
  FeatureSet(const G& game, bool with_insights)
      : game_(game),
        with_insights_(with_insights),
        cells_(game.grid().height * game.grid().width),
        planes_(static_cast<int>(game.planes().size()) + (with_insights ? G::kInsights : 0)),
        words_per_plane_(words_for(cells_)),
        words_(static_cast<std::size_t>(planes_ * words_per_plane_)) {}

  void read(const typename G::State& state) {
    std::fill(words_.begin(), words_.end(), 0);
    FeatureCanvas canvas(words_.data(), words_per_plane_, cells_);
    game_.observe(state, 0, canvas);
    if (with_insights_) game_.insights(state, canvas);
  }

  int cells() const { return cells_; }
  int planes() const { return planes_; }
  std::size_t features() const { return static_cast<std::size_t>(planes_ * cells_); }
  int words_per_plane() const { return words_per_plane_; }
  const std::vector<std::uint64_t>& words() const { return words_; }
  // The first feature of a word; the others count on.
  int first(std::size_t word) const {
    const int i = static_cast<int>(word);
    return i / words_per_plane_ * cells_ + 64 * (i % words_per_plane_);
  }

 private:
  const G& game_;
  bool with_insights_;
  int cells_, planes_, words_per_plane_;
  std::vector<std::uint64_t> words_;
};

// A half of the first layer while rows are added to it.
template <class Number>
class Accumulator {
 public:
  using Values = std::array<Number, NnueWeights::kHidden>;

  explicit Accumulator(const Values& values) : values_(values) {}

  template <int Sign>
  void add(const std::int8_t* row) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = static_cast<Number>(values_[i] + Sign * row[i]);
  }

  void store(Values& values) const { values = values_; }

 private:
  Values values_;
};

#if defined(__AVX2__)
// In registers, which compilers do not do by themselves.
template <>
class Accumulator<std::int16_t> {
 public:
  using Values = std::array<std::int16_t, NnueWeights::kHidden>;

  static_assert(NnueWeights::kHidden == 32);
  explicit Accumulator(const Values& values)
      : low_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values.data()))),
        high_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values.data() + 16))) {}

  template <int Sign>
  void add(const std::int8_t* row) {
    const auto half = [](const std::int8_t* at) {
      return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    };
    low_ = Sign > 0 ? _mm256_add_epi16(low_, half(row)) : _mm256_sub_epi16(low_, half(row));
    high_ = Sign > 0 ? _mm256_add_epi16(high_, half(row + 16))
                     : _mm256_sub_epi16(high_, half(row + 16));
  }

  void store(Values& values) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values.data()), low_);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values.data() + 16), high_);
  }

 private:
  __m256i low_, high_;
};
#endif

// The network at work in one search.
template <Game G>
class Nnue {
 public:
  using State = typename G::State;

  Nnue(const G& game, const NnueWeights& weights)
      : weights_(weights),
        features_(game, weights.rows_of.size() > FeatureSet<G>(game, false).features()),
        places_(weights.anchors.empty() ? 1 : features_.cells()) {
    weights_.check(features_.planes(), features_.cells());
    if constexpr (kNarrow) weights_.check_sums();
    for (std::size_t out = 0; out < NnueWeights::kSecond; ++out)
      for (std::size_t in = 0; in < NnueWeights::kInputs; ++in)
        second_[(in / 2 * NnueWeights::kSecond + out) * 2 + in % 2] =
            weights_.second[out * NnueWeights::kInputs + in];
    for (std::size_t word = 0; word < features_.words().size(); ++word)
      first_feature_.push_back(features_.first(word));
    for (int half = 0; half < weights_.halves(); ++half)
      for (int place = 0; place < places_; ++place) sums_.push_back(nothing(half));
  }

  // The logit for seat 0 in ten-thousandths of kSure. `heuristic()` is asked for the game's own
  // judgement, in ten-thousandths of a win, unless the position was judged not long ago.
  template <class Heuristic>
  int evaluate(const State& state, Heuristic&& heuristic) {
    if constexpr (kRemembers) {
      const std::uint64_t key = key_of(state);
      std::uint64_t& judged = judged_[key % kJudged];
      if ((judged ^ key) >> kValueBits != 0)
        judged = key >> kValueBits << kValueBits |
                 static_cast<std::uint16_t>(computed(state, heuristic()));
      return static_cast<std::int16_t>(judged);
    } else {
      return computed(state, heuristic());
    }
  }

 private:
  // The positions that were judged last, by their keys: actions of one turn may change places, and
  // the same position comes again and again. Small ones are judged sooner than looked up. An entry
  // is a key whose lowest bits, which say where it lies, make room for the value.
  static constexpr bool kRemembers = sizeof(State) > 64;
  static constexpr int kValueBits = 16;
  static constexpr std::size_t kJudged = std::size_t{1} << kValueBits;

  // Where boards can be large, 16 bits are too few: so many features come together there.
  static constexpr bool kNarrow = G::kMaxCells <= 128;
  using Number = std::conditional_t<kNarrow, std::int16_t, std::int32_t>;

  int computed(const State& state, int heuristic) {
    features_.read(state);
    std::array<std::int16_t, NnueWeights::kInputs> active{};
    for (int half = 0; half < weights_.halves(); ++half) {
      const Sum& sum = summed_up(half);
      for (int i = 0; i < NnueWeights::kHidden; ++i)
        active[static_cast<std::size_t>(half * NnueWeights::kHidden + i)] =
            static_cast<std::int16_t>(std::clamp<Number>(sum.values[static_cast<std::size_t>(i)], 0,
                                                         NnueWeights::kCeiling));
    }
    constexpr int kUnit = 10'000, kOne = NnueWeights::kOne;
    const std::int64_t logit = std::int64_t{upper_layers(active)} * kUnit / (kOne * kOne) +
                               std::int64_t{heuristic} * weights_.heuristic_weight / kOne;
    return static_cast<int>(
        std::clamp<std::int64_t>(logit / NnueWeights::kSure, 1 - kUnit, kUnit - 1));
  }

  // A half of the first layer, and the features it is the sum of.
  struct Sum {
    std::vector<std::uint64_t> features;
    typename Accumulator<Number>::Values values;
  };

  Sum nothing(int half) const {
    Sum sum{std::vector<std::uint64_t>(features_.words().size()), {}};
    std::copy_n(weights_.first_bias.data() + half * NnueWeights::kHidden, NnueWeights::kHidden,
                sum.values.data());
    return sum;
  }

  std::int32_t upper_layers(const std::array<std::int16_t, NnueWeights::kInputs>& active) const {
    std::int32_t result = weights_.last_bias;
    const auto sums = second_layer(active);
    for (std::size_t out = 0; out < sums.size(); ++out)
      result += std::clamp<std::int32_t>(sums[out] / NnueWeights::kOne, 0, NnueWeights::kCeiling) *
                weights_.last[out];
    return result;
  }

  // Two inputs at a time for all outputs: an instruction of AVX2 that compilers do not find.
  std::array<std::int32_t, NnueWeights::kSecond> second_layer(
      const std::array<std::int16_t, NnueWeights::kInputs>& active) const {
    std::array<std::int32_t, NnueWeights::kSecond> sums;
    std::copy_n(weights_.second_bias.data(), sums.size(), sums.data());
    const std::int16_t* pairs = second_.data();
#if defined(__AVX2__)
    static_assert(NnueWeights::kSecond == 16);
    const auto vector = [](auto* at) { return reinterpret_cast<__m256i*>(at); };
    __m256i low = _mm256_loadu_si256(vector(sums.data()));
    __m256i high = _mm256_loadu_si256(vector(sums.data() + 8));
    for (std::size_t in = 0; in < active.size(); in += 2, pairs += 2 * sums.size()) {
      std::int32_t both;
      std::memcpy(&both, &active[in], sizeof both);
      const __m256i inputs = _mm256_set1_epi32(both);
      const auto product = [&](const std::int16_t* at) {
        return _mm256_madd_epi16(inputs, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
      };
      low = _mm256_add_epi32(low, product(pairs));
      high = _mm256_add_epi32(high, product(pairs + sums.size()));
    }
    _mm256_storeu_si256(vector(sums.data()), low);
    _mm256_storeu_si256(vector(sums.data() + 8), high);
#else
    for (std::size_t in = 0; in < active.size(); in += 2, pairs += 2 * sums.size())
      for (std::size_t out = 0; out < sums.size(); ++out)
        sums[out] += std::int32_t{active[in]} * pairs[2 * out] +
                     std::int32_t{active[in + 1]} * pairs[2 * out + 1];
#endif
    return sums;
  }

  // The half's sum for `features_`, from the last one with the anchor at the same place.
  const Sum& summed_up(int half) {
    const int place = place_of(half);
    Sum& sum = sums_[static_cast<std::size_t>(half * places_ + place)];
    const std::int8_t* rows = weights_.table.data() + (std::int64_t{half} * places_ + place) *
                                                          weights_.rows * NnueWeights::kHidden;
    Accumulator<Number> values(sum.values);
    const auto& words = features_.words();
    for (std::size_t word = 0; word < words.size(); ++word) {
      const std::uint64_t now = words[word], then = sum.features[word];
      if (now == then) continue;
      const std::int16_t* rows_of = weights_.rows_of.data() + first_feature_[word];
      each_row(rows, rows_of, now & ~then,
               [&](const std::int8_t* row) { values.template add<1>(row); });
      each_row(rows, rows_of, then & ~now,
               [&](const std::int8_t* row) { values.template add<-1>(row); });
      sum.features[word] = now;
    }
    values.store(sum.values);
    return sum;
  }

  // The cell of the half's anchor.
  int place_of(int half) const {
    if (weights_.anchors.empty()) return 0;
    const int plane = weights_.anchors[static_cast<std::size_t>(half)];
    const int words = features_.words_per_plane();
    for (int i = 0; i < words; ++i) {
      const std::uint64_t word = features_.words()[static_cast<std::size_t>(plane * words + i)];
      if (word != 0) return 64 * i + std::countr_zero(word);
    }
    return 0;
  }

  // The rows of some of the features from `rows_of` on, where they have one.
  template <class Visit>
  static void each_row(const std::int8_t* rows, const std::int16_t* rows_of, std::uint64_t members,
                       Visit&& visit) {
    each(members, [&](int bit) {
      if (rows_of[bit] >= 0) visit(rows + std::int64_t{rows_of[bit]} * NnueWeights::kHidden);
    });
  }

  const NnueWeights& weights_;
  FeatureSet<G> features_;  // of the position that is judged
  int places_;
  std::array<std::int16_t, NnueWeights::kSecond * NnueWeights::kInputs>
      second_;                      // by pairs of inputs
  std::vector<int> first_feature_;  // by word
  std::vector<Sum> sums_;           // [half, anchor's cell]
  std::vector<std::uint64_t> judged_ = std::vector<std::uint64_t>(kRemembers ? kJudged : 0);
};

}  // namespace spielwerk
