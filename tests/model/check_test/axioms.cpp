#include "axioms.hpp"

#include <algorithm>

namespace filch::check::litmus {
namespace {

constexpr std::size_t k_max_events = 24;

// A relation on events: row a has the bits of all b with a → b.
struct relation {
  std::array<std::uint32_t, k_max_events> rows{};

  void add(std::size_t a, std::size_t b) { rows[a] |= 1u << b; }
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return (rows[a] >> b & 1u) != 0; }
  void join(const relation& other) {
    for (std::size_t i = 0; i != k_max_events; ++i) rows[i] |= other.rows[i];
  }
  void close() {
    for (std::size_t via = 0; via != k_max_events; ++via) {
      for (auto& row : rows) {
        if ((row >> via & 1u) != 0) row |= rows[via];
      }
    }
  }
  [[nodiscard]] bool is_irreflexive() const {
    for (std::size_t i = 0; i != k_max_events; ++i) {
      if (has(i, i)) return false;
    }
    return true;
  }
};

struct event {
  step_kind kind;
  unsigned location;
  int value;
  std::size_t thread;
  bool acquires, releases, is_seq_cst, is_initial;
  int expected;
  std::memory_order failure_order;

  // A compare-exchange that is still undecided does both.
  [[nodiscard]] bool reads() const { return kind != step_kind::store && kind != step_kind::fence; }
  [[nodiscard]] bool writes() const { return kind != step_kind::load && kind != step_kind::fence; }
};

class enumeration {
 public:
  enumeration(const listing& p, unsigned locations) : locations_{locations} {
    for (unsigned l = 0; l != locations; ++l) {
      events_.push_back({step_kind::store, l, 0, p.size(), false, false, false, true, 0, {}});
    }
    for (std::size_t t = 0; t != p.size(); ++t) {
      const std::size_t first = events_.size();
      for (const program_step& s : p[t]) {
        const bool is_seq_cst = s.order == std::memory_order_seq_cst;
        const bool both = is_seq_cst || s.order == std::memory_order_acq_rel;
        const bool acquires = (both || s.order == std::memory_order_acquire) && s.kind != step_kind::store;
        const bool releases = (both || s.order == std::memory_order_release) && s.kind != step_kind::load;
        events_.push_back(
            {s.kind, s.location, s.value, t, acquires, releases, is_seq_cst, false, s.expected, s.failure_order});
        for (std::size_t before = first; before + 1 < events_.size(); ++before) {
          program_order_.add(before, events_.size() - 1);
        }
      }
    }
    reads_from_.assign(events_.size(), 0);
    for (std::size_t e = 0; e != events_.size(); ++e) {
      if (events_[e].reads()) reads_.push_back(e);
    }
    declared_ = events_;
  }

  std::set<final_state> run() {
    choose_read(0);
    return std::move(found_);
  }

 private:
  void choose_read(std::size_t index) {
    if (index == reads_.size()) {
      if (decide()) choose_order(0);
      events_ = declared_;
      return;
    }
    const std::size_t r = reads_[index];
    for (std::size_t w = 0; w != events_.size(); ++w) {
      if (w == r || !events_[w].writes() || events_[w].location != events_[r].location) continue;
      reads_from_[r] = w;
      choose_read(index + 1);
    }
  }

  // What each compare-exchange is, given what it reads: an exchange, or a load with the failure order. False: somebody
  // reads from one that fails.
  bool decide() {
    for (const std::size_t r : reads_) {
      event& e = events_[r];
      if (e.kind != step_kind::compare_exchange) continue;
      if (declared_[reads_from_[r]].value == e.expected) {
        e.kind = step_kind::exchange;
        continue;
      }
      e.kind = step_kind::load;
      e.releases = false;
      e.is_seq_cst = e.failure_order == std::memory_order_seq_cst;
      e.acquires = e.is_seq_cst || e.failure_order == std::memory_order_acquire;
    }
    orders_.assign(locations_, {});
    for (std::size_t e = 0; e != events_.size(); ++e) {
      if (events_[e].writes()) orders_[events_[e].location].push_back(e);
    }
    return std::all_of(reads_.begin(), reads_.end(), [&](std::size_t r) { return events_[reads_from_[r]].writes(); });
  }

  // The initial store, first in the list, stays first.
  void choose_order(unsigned location) {
    if (location == locations_) return consider();
    auto& order = orders_[location];
    std::sort(order.begin() + 1, order.end());
    do {
      choose_order(location + 1);
    } while (std::next_permutation(order.begin() + 1, order.end()));
  }

  void consider() {
    if (!is_atomic() || !is_consistent()) return;
    final_state state;
    for (const std::size_t r : reads_) state.push_back(events_[reads_from_[r]].value);
    for (const auto& order : orders_) state.push_back(events_[order.back()].value);
    found_.insert(state);
  }

  // An update reads the store directly before it.
  bool is_atomic() const {
    for (const auto& order : orders_) {
      for (std::size_t i = 1; i < order.size(); ++i) {
        if (events_[order[i]].reads() && reads_from_[order[i]] != order[i - 1]) return false;
      }
    }
    return true;
  }

  bool is_consistent() const {
    relation before = program_order_;  // program order and reads-from
    for (const std::size_t r : reads_) before.add(reads_from_[r], r);
    relation cycle = before;
    cycle.close();
    if (!cycle.is_irreflexive()) return false;

    const relation coherence = coherence_order();
    const relation happens = happens_before();
    for (std::size_t a = 0; a != events_.size(); ++a) {
      for (std::size_t b = 0; b != events_.size(); ++b) {
        if (happens.has(a, b) && coherence.has(b, a)) return false;
      }
    }
    if (!coherence.is_irreflexive() || !happens.is_irreflexive()) return false;

    before.join(seq_cst_demands(coherence, happens));
    before.close();
    return before.is_irreflexive();
  }

  // Modification order, reads-from and from-read, closed.
  relation coherence_order() const {
    relation out;
    for (const auto& order : orders_) {
      for (std::size_t i = 0; i != order.size(); ++i) {
        for (std::size_t j = i + 1; j != order.size(); ++j) out.add(order[i], order[j]);
        for (const std::size_t r : reads_) {
          if (reads_from_[r] != order[i]) continue;
          out.add(order[i], r);
          for (std::size_t j = i + 1; j != order.size(); ++j) {
            if (order[j] != r) out.add(r, order[j]);
          }
        }
      }
    }
    out.close();
    return out;
  }

  // Program order and synchronizes-with, closed; initial stores come before everything.
  relation happens_before() const {
    relation out = program_order_;
    for (std::size_t w = 0; w != events_.size(); ++w) {
      if (events_[w].is_initial) {
        for (std::size_t e = 0; e != events_.size(); ++e) {
          if (!events_[e].is_initial) out.add(w, e);
        }
      } else if (events_[w].writes()) {
        add_synchronisation(w, out);
      }
    }
    out.close();
    return out;
  }

  void add_synchronisation(std::size_t w, relation& out) const {
    std::uint32_t sequence = 1u << w;  // w and the updates that continue from it
    for (bool grows = true; grows;) {
      grows = false;
      for (const std::size_t r : reads_) {
        const bool joins = events_[r].writes() && (sequence >> reads_from_[r] & 1u) != 0 && (sequence >> r & 1u) == 0;
        if (joins) sequence |= 1u << r, grows = true;
      }
    }
    for (std::size_t from = 0; from != events_.size(); ++from) {
      const bool is_fence_before =
          events_[from].kind == step_kind::fence && events_[from].releases && program_order_.has(from, w);
      if (!(from == w && events_[w].releases) && !is_fence_before) continue;
      for (const std::size_t r : reads_) {
        if ((sequence >> reads_from_[r] & 1u) == 0) continue;
        if (events_[r].acquires && r != from) out.add(from, r);
        for (std::size_t f = 0; f != events_.size(); ++f) {
          if (events_[f].kind == step_kind::fence && events_[f].acquires && program_order_.has(r, f)) out.add(from, f);
        }
      }
    }
  }

  // The four rules of [atomics.order] for pairs that are coherence-ordered, as edges that S must contain.
  relation seq_cst_demands(const relation& coherence, const relation& happens) const {
    relation out;
    for (std::size_t a = 0; a != events_.size(); ++a) {
      for (std::size_t b = 0; b != events_.size(); ++b) {
        if (!coherence.has(a, b)) continue;
        for (std::size_t x = 0; x != events_.size(); ++x) {
          if (!events_[x].is_seq_cst) continue;
          if (x != a && !(events_[x].kind == step_kind::fence && happens.has(x, a))) continue;
          for (std::size_t y = 0; y != events_.size(); ++y) {
            if (!events_[y].is_seq_cst) continue;
            if (y == b || (events_[y].kind == step_kind::fence && happens.has(b, y))) out.add(x, y);
          }
        }
      }
    }
    return out;
  }

  unsigned locations_;
  std::vector<event> declared_;  // as in the program
  std::vector<event> events_;    // with every compare-exchange decided
  relation program_order_;
  std::vector<std::size_t> reads_;
  std::vector<std::size_t> reads_from_;           // by event
  std::vector<std::vector<std::size_t>> orders_;  // modification order of each location
  std::set<final_state> found_;
};

}  // namespace

std::set<final_state> allowed_by_axioms(const listing& p, unsigned locations) {
  return enumeration(p, locations).run();
}

std::string to_text(const listing& p) {
  constexpr const char* k_kinds[] = {"load", "store", "exchange", "fence", "compare_exchange"};
  constexpr const char* k_orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  std::string out;
  for (std::size_t t = 0; t != p.size(); ++t) {
    out.append("  thread ").append(std::to_string(t)).append(":");
    for (const program_step& s : p[t]) {
      out.append(" ").append(k_kinds[static_cast<std::size_t>(s.kind)]).append("(");
      if (s.kind != step_kind::fence) out.append("x").append(std::to_string(s.location)).append(" ");
      const bool is_compare_exchange = s.kind == step_kind::compare_exchange;
      if (is_compare_exchange) out.append(std::to_string(s.expected)).append(" -> ");
      if (s.value != 0) out.append(std::to_string(s.value)).append(" ");
      out.append(k_orders[static_cast<std::size_t>(s.order)]);
      if (is_compare_exchange) out.append(" ").append(k_orders[static_cast<std::size_t>(s.failure_order)]);
      out.append(");");
    }
    out.append("\n");
  }
  return out;
}

}  // namespace filch::check::litmus
