// A triangular board: geometry only, computed once for each side.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <mutex>
#include <vector>

#include "../bits.hpp"

namespace spielwerk {

// At most `Capacity` small numbers.
template <int Capacity>
struct ShortList {
  std::array<std::int16_t, Capacity> items;
  std::int16_t size = 0;

  constexpr void push(int item) { items[size++] = static_cast<std::int16_t>(item); }
  constexpr bool contains(int item) const {
    for (int i = 0; i < size; ++i)
      if (items[i] == item) return true;
    return false;
  }
  constexpr const std::int16_t* begin() const { return items.data(); }
  constexpr const std::int16_t* end() const { return items.data() + size; }
  constexpr std::int16_t operator[](int i) const { return items[i]; }
};

// A few fields or edges: as a set where that is a few words, else in a list.
//   add(f)                     one that is not among them yet
//   in(set), without(others)   those that are in a set, or not among others
//   count_in(set)              how many are in a set
//   meets(set)                 whether any is in the set
//   meets(set, except)         the same, but for exceptions
//   each_even_new(visit)       calls visit(f) for every member, those that visit() adds included
//   add(others, set)           adds those of others that are in a set
//   add_to(larger, set)        adds those that are in a set to another, larger one
template <int Words, int Capacity>
class FewMembers {
 public:
  constexpr void add(int f) { fields_.push(f); }
  template <int Others, class Set>
  constexpr void add(const FewMembers<Words, Others>& others, const Set& set) {
    others.each([&](int f) {
      if (set.contains(f) && !contains(f)) add(f);
    });
  }
  constexpr bool empty() const { return fields_.size == 0; }
  constexpr int size() const { return fields_.size; }
  constexpr bool contains(int f) const { return fields_.contains(f); }
  constexpr int any() const { return fields_[0]; }

  template <class Visit>
  constexpr void each(Visit&& visit) const {
    for (int f : fields_) visit(f);
  }
  template <class Visit>
  constexpr void each_even_new(Visit&& visit) const {
    for (int i = 0; i < fields_.size; ++i) visit(fields_[i]);
  }

  template <class Set>
  constexpr FewMembers in(const Set& set) const {
    FewMembers both;
    for (int f : fields_)
      if (set.contains(f)) both.add(f);
    return both;
  }
  template <int Others>
  constexpr FewMembers without(const FewMembers<Words, Others>& others) const {
    FewMembers rest;
    for (int f : fields_)
      if (!others.contains(f)) rest.add(f);
    return rest;
  }
  template <class Set>
  constexpr int count_in(const Set& set) const {
    int members = 0;
    for (int f : fields_) members += set.contains(f);
    return members;
  }
  template <class Set>
  constexpr bool meets(const Set& set) const {
    return meets(set, FewMembers<Words, 1>());
  }
  template <class Set, int Exceptions>
  constexpr bool meets(const Set& set, const FewMembers<Words, Exceptions>& except) const {
    for (int f : fields_)
      if (set.contains(f) && !except.contains(f)) return true;
    return false;
  }

  template <class Larger>
  constexpr void add_to(Larger& larger) const {
    for (int f : fields_) larger.add(f);
  }
  template <class Larger, class Set>
  constexpr void add_to(Larger& larger, const Set& set) const {
    for (int f : fields_)
      if (set.contains(f)) larger.add(f);
  }
  template <class Set>
  constexpr void remove_from(Set& set) const {
    for (int f : fields_) set.remove(f);
  }

 private:
  ShortList<Capacity> fields_;
};

// As many as a vector register of common processors holds.
inline constexpr int kFewWords = 4;

template <int Words, int Capacity>
  requires(Words <= kFewWords)
class FewMembers<Words, Capacity> {
  using Members = BitSet<Words>;

 public:
  constexpr FewMembers() = default;

  constexpr void add(int f) { members_.add(f); }
  template <int Others, class Set>
  constexpr void add(const FewMembers<Words, Others>& others, const Set& set) {
    Members::each_word(
        [&](int i) { members_.words[i] |= others.members_.words[i] & set.words[i]; });
  }
  constexpr bool empty() const { return members_.empty(); }
  constexpr int size() const { return members_.count(); }
  constexpr bool contains(int f) const { return members_.contains(f); }
  constexpr int any() const { return members_.lowest(); }

  template <class Visit>
  constexpr void each(Visit&& visit) const {
    members_.each(visit);
  }
  template <class Visit>
  constexpr void each_even_new(Visit&& visit) const {
    Members done;
    for (Members left = members_; !left.empty(); left = members_.without(done)) {
      const int f = left.lowest();
      done.add(f);
      visit(f);
    }
  }

  template <class Set>
  constexpr FewMembers in(const Set& set) const {
    FewMembers both;
    Members::each_word([&](int i) { both.members_.words[i] = members_.words[i] & set.words[i]; });
    return both;
  }
  template <int Others>
  constexpr FewMembers without(const FewMembers<Words, Others>& others) const {
    return FewMembers(members_.without(others.members_));
  }
  template <class Set>
  constexpr int count_in(const Set& set) const {
    return in(set).size();
  }
  template <class Set>
  constexpr bool meets(const Set& set) const {
    return !in(set).empty();
  }
  template <class Set, int Exceptions>
  constexpr bool meets(const Set& set, const FewMembers<Words, Exceptions>& except) const {
    return !in(set).without(except).empty();
  }

  template <class Larger>
  constexpr void add_to(Larger& larger) const {
    Members::each_word([&](int i) { larger.words[i] |= members_.words[i]; });
  }
  template <class Larger, class Set>
  constexpr void add_to(Larger& larger, const Set& set) const {
    Members::each_word([&](int i) { larger.words[i] |= members_.words[i] & set.words[i]; });
  }
  template <class Set>
  constexpr void remove_from(Set& set) const {
    Members::each_word([&](int i) { set.words[i] &= ~members_.words[i]; });
  }

 private:
  template <int, int>
  friend class FewMembers;

  constexpr explicit FewMembers(const Members& members) : members_(members) {}

  Members members_;
};

// A triangle cut into small triangles: its points, fields and edges, numbered row by row from the
// bottom left, and what lies beside what.
//
// A point is (column, row) from (1, 1), column + row ≤ side + 2. The up field of (c, r) has the
// corners (c, r), (c+1, r), (c, r+1), the down field (c+1, r), (c, r+1), (c+1, r+1). Every edge is
// one of the three sides of exactly one up field: its base, its left or its right side.
template <int MaxSide>
class TriangularBoard {
 public:
  static constexpr int kFields = MaxSide * MaxSide;
  static constexpr int kEdges = 3 * MaxSide * (MaxSide + 1) / 2;
  static constexpr int kPoints = (MaxSide + 1) * (MaxSide + 2) / 2;
  static constexpr int kSymmetries = 6;
  using FieldSet = BitSet<words_for(kFields)>;
  using EdgeSet = BitSet<words_for(kEdges)>;
  using PointSet = BitSet<words_for(kPoints)>;
  using GridSet = BitSet<words_for((MaxSide + 1) * (MaxSide + 1))>;
  static constexpr int kRow = 2 * MaxSide - 1;  // fields

  struct Point {
    int column, row;
    auto operator<=>(const Point&) const = default;
  };

  template <int Capacity>
  using Few = FewMembers<words_for(kFields), Capacity>;
  template <int Capacity>
  using FewEdges = FewMembers<words_for(kEdges), Capacity>;

  struct Field {
    std::array<std::int16_t, 3> points;
    FewEdges<3> edges;
    Few<3> beside;   // across an edge
    Few<12> around;  // with a common point
  };

  struct Edge {
    std::array<std::int16_t, 2> points;
    Few<2> fields;  // the one or two fields beside it
  };

  struct Corner {
    Few<6> fields;
    FewEdges<6> edges;  // that end here
  };

  explicit TriangularBoard(int side)
      : side(side),
        num_fields(side * side),
        num_edges(3 * side * (side + 1) / 2),
        num_points((side + 1) * (side + 2) / 2) {
    for (int row = 1; row <= side + 1; ++row)
      for (int column = 1; column + row <= side + 2; ++column)
        point_[index(Point{column, row})] = {column, row};
    lay_out_fields();
    shear();
    join_neighbours();
    measure_reach();
    find_symmetries();
  }

  // The one board of this side, so that games stay plain values. It is never freed: threads may
  // still play on it while the program ends.
  static const TriangularBoard& of_side(int side) {
    static std::mutex mutex;
    static std::array<const TriangularBoard*, MaxSide + 1> boards{};
    const std::lock_guard lock(mutex);
    const TriangularBoard*& board = boards[static_cast<std::size_t>(side)];
    if (board == nullptr) board = new TriangularBoard(side);
    return *board;
  }

  constexpr const Point& point(int p) const { return point_[p]; }
  constexpr const Corner& corner(int p) const { return corners_[p]; }
  constexpr const Field& field(int f) const { return fields_[f]; }
  constexpr const Edge& edge(int e) const { return edges_[e]; }

  // The strip of a field, its column, and whether it points down.
  struct Cell {
    int column, row;
    bool down;
  };
  constexpr const Cell& cell(int f) const { return cells_[f]; }
  constexpr const Cell& edge_cell(int e) const { return cells_[up_fields_[e / 3]]; }

  // Where something lies on square grids of side + 1, a line for each row. Up fields have grid 0 and
  // down fields grid 1; of edges, the bases, left and right sides of up fields have one each. Aligned
  // so that a GPU reads both numbers at once.
  struct alignas(4) Place {
    std::int16_t grid, cell;
  };
  constexpr const Place& field_place(int f) const { return field_places_[f]; }
  constexpr const Place& edge_place(int e) const { return edge_places_[e]; }
  constexpr int point_cell(int p) const { return point_cells_[p]; }

  constexpr bool inside(Point p) const {
    return p.column >= 1 && p.row >= 1 && p.column + p.row <= side + 2;
  }

  constexpr int index(Point p) const {
    return (p.row - 1) * (2 * side + 4 - p.row) / 2 + p.column - 1;
  }

  constexpr int up_field(int column, int row) const {
    return (row - 1) * (2 * side - row + 1) + 2 * (column - 1);
  }
  constexpr int down_field(int column, int row) const { return up_field(column, row) + 1; }

  // The fields of a row from left to right, up and down in turn. Rows count from 0 here.
  constexpr Bits row_of(const FieldSet& set, int row) const {
    return set.slice(up_field(1, row + 1), 2 * (side - row) - 1);
  }

  // The field with these corners, or -1.
  int field_with(std::array<Point, 3> corners) const {
    std::sort(corners.begin(), corners.end());
    const auto [c, r] = base(corners);
    if (corners == std::array<Point, 3>{{{c, r}, {c, r + 1}, {c + 1, r}}}) return up_field(c, r);
    if (corners == std::array<Point, 3>{{{c, r + 1}, {c + 1, r}, {c + 1, r + 1}}})
      return down_field(c, r);
    return -1;
  }

  // The edge with these ends, or -1.
  int edge_with(std::array<Point, 2> ends) const {
    std::sort(ends.begin(), ends.end());
    const auto [c, r] = base(ends);
    for (int direction = 0; direction < 3; ++direction)
      if (ends == edge_ends(c, r, direction)) return first_edge(c, r) + direction;
    return -1;
  }

  const int side, num_fields, num_edges, num_points;
  FieldSet all_fields;
  GridSet all_points;                   // by their cells
  std::array<FieldSet, kFields> reach;  // where a land on this field can change what is legal
  int largest_reach = 0;
  std::array<std::array<std::int16_t, kFields + kEdges>, kSymmetries> symmetric_stone;

 private:
  template <std::size_t N>
  static Point base(const std::array<Point, N>& points) {
    Point least = points[0];
    for (const Point& p : points)
      least = {std::min(least.column, p.column), std::min(least.row, p.row)};
    return least;
  }

  // Three edges for every up field, in the order of the fields.
  int first_edge(int column, int row) const {
    return 3 * ((row - 1) * (2 * side - row + 2) / 2 + column - 1);
  }

  static std::array<Point, 2> edge_ends(int c, int r, int direction) {
    if (direction == 0) return {{{c, r}, {c + 1, r}}};
    if (direction == 1) return {{{c, r}, {c, r + 1}}};
    return {{{c, r + 1}, {c + 1, r}}};
  }

  void lay_out_fields() {
    for (int row = 1; row <= side; ++row)
      for (int column = 1; column + row <= side + 1; ++column) {
        add_up_field(column, row);
        if (column + row <= side) add_down_field(column, row);
      }
  }

  void add_up_field(int c, int r) {
    const int f = up_field(c, r), e = first_edge(c, r);
    cells_[f] = {c, r, false};
    up_fields_[e / 3] = static_cast<std::int16_t>(f);
    for (int direction = 0; direction < 3; ++direction) {
      const auto ends = edge_ends(c, r, direction);
      for (std::size_t i = 0; i < 2; ++i) {
        edges_[e + direction].points[i] = static_cast<std::int16_t>(index(ends[i]));
        corners_[index(ends[i])].edges.add(e + direction);
      }
    }
    add_field(f, {{{c, r}, {c, r + 1}, {c + 1, r}}}, {e, e + 1, e + 2});
  }

  void add_down_field(int c, int r) {
    const int f = down_field(c, r);
    cells_[f] = {c, r, true};
    add_field(f, {{{c, r + 1}, {c + 1, r}, {c + 1, r + 1}}},
              {first_edge(c, r + 1), first_edge(c + 1, r) + 1, first_edge(c, r) + 2});
  }

  void shear() {
    const auto cell_at = [&](int column, int row) {
      return static_cast<std::int16_t>((row - 1) * (side + 1) + column - 1);
    };
    for (int f = 0; f < num_fields; ++f)
      field_places_[f] = {cell(f).down, cell_at(cell(f).column, cell(f).row)};
    for (int e = 0; e < num_edges; ++e)
      edge_places_[e] = {static_cast<std::int16_t>(e % 3),
                         cell_at(edge_cell(e).column, edge_cell(e).row)};
    for (int p = 0; p < num_points; ++p) {
      point_cells_[p] = cell_at(point_[p].column, point_[p].row);
      all_points.add(point_cells_[p]);
    }
  }

  void add_field(int f, const std::array<Point, 3>& corners, const std::array<int, 3>& edges) {
    all_fields.add(f);
    for (int i = 0; i < 3; ++i) {
      fields_[f].points[i] = static_cast<std::int16_t>(index(corners[i]));
      fields_[f].edges.add(edges[i]);
      corners_[index(corners[i])].fields.add(f);
      edges_[edges[i]].fields.add(f);
    }
  }

  void join_neighbours() {
    for (int f = 0; f < num_fields; ++f) {
      Field& field = fields_[f];
      field.edges.each([&](int e) {
        edges_[e].fields.each([&](int g) {
          if (g != f) field.beside.add(g);
        });
      });
      for (int p : field.points)
        corners_[p].fields.each([&](int g) {
          if (g != f && !field.around.contains(g)) field.around.add(g);
        });
    }
  }

  // A group has at most four lands, so a land can close a field that touches what is three steps
  // away from it, or from which three steps lead to what it touches.
  void measure_reach() {
    for (int f = 0; f < num_fields; ++f) {
      std::vector<int> near = {f};
      for (std::size_t done = 0, step = 0; step < 3; ++step)
        for (const std::size_t end = near.size(); done < end; ++done)
          fields_[near[done]].beside.each([&](int g) { near.push_back(g); });
      for (int m : near) {
        join_reach(f, m);
        fields_[m].around.each([&](int g) { join_reach(f, g); });
      }
    }
    for (int f = 0; f < num_fields; ++f) largest_reach = std::max(largest_reach, reach[f].count());
  }

  void join_reach(int f, int g) {
    reach[f].add(g);
    reach[g].add(f);
  }

  // The distances to the three sides add up to the side, and are permuted: k mod 3 rotates the
  // board, k ≥ 3 also mirrors it.
  Point image(Point p, int k) const {
    const int distances[3] = {p.column - 1, p.row - 1, side + 2 - p.column - p.row};
    const int first = distances[k % 3], second = distances[(k + 1) % 3];
    return k < 3 ? Point{first + 1, second + 1} : Point{second + 1, first + 1};
  }

  void find_symmetries() {
    for (int k = 0; k < kSymmetries; ++k) {
      const auto moved = [&](int p) { return image(point_[p], k); };
      for (int f = 0; f < num_fields; ++f) {
        const auto& [a, b, c] = fields_[f].points;
        symmetric_stone[k][f] =
            static_cast<std::int16_t>(field_with({moved(a), moved(b), moved(c)}));
      }
      for (int e = 0; e < num_edges; ++e) {
        const auto& [from, to] = edges_[e].points;
        symmetric_stone[k][num_fields + e] =
            static_cast<std::int16_t>(num_fields + edge_with({moved(from), moved(to)}));
      }
    }
  }

  std::array<Point, kPoints> point_{};
  std::array<Corner, kPoints> corners_{};
  std::array<Field, kFields> fields_{};
  std::array<Edge, kEdges> edges_{};
  std::array<Cell, kFields> cells_{};
  std::array<std::int16_t, kEdges / 3> up_fields_{};
  std::array<Place, kFields> field_places_{};
  std::array<Place, kEdges> edge_places_{};
  std::array<std::int16_t, kPoints> point_cells_{};
};

}  // namespace spielwerk
