#include "explorer.hpp"

#include "trace.hpp"
#include "view.hpp"

#include <filch/base/assert.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <stdexcept>

namespace filch::check {

bool explorer::begin(std::uint64_t iteration) {
  choices_.clear();
  return start(iteration);
}

unsigned explorer::choose_thread(const thread_choice& among) {
  const unsigned chosen = pick_thread(among);
  choices_.push_back(static_cast<std::uint16_t>(chosen));
  return chosen;
}

unsigned explorer::choose_value(unsigned count) {
  const unsigned chosen = pick_value(count);
  choices_.push_back(static_cast<std::uint16_t>(chosen));
  return chosen;
}

namespace {

// Depth first: the choices of the last execution with the last one that has an alternative left moved on.
class exhaustive_explorer final : public explorer {
 public:
  explicit exhaustive_explorer(const exhaustive& how) : how_{how} {}

  bool is_exhausted() const override { return is_exhausted_; }
  unsigned preemption_bound() const override { return how_.preemptions; }
  unsigned spin_bound() const override { return how_.spins; }
  std::string describe() const override {
    const bool is_bounded = how_.preemptions < k_unbounded;
    return concat(
        {"exhaustive with ", is_bounded ? std::to_string(how_.preemptions) : "any number of", " preemptions"});
  }

 private:
  struct branch {
    std::uint64_t left;  // alternatives not yet tried, above the chosen one
    std::uint16_t chosen;
    std::uint16_t count;
  };

  bool start(std::uint64_t iteration) override {
    depth_ = 0;
    if (iteration == 0) return true;
    while (!branches_.empty() && branches_.back().left == 0) branches_.pop_back();
    if (branches_.empty()) {
      is_exhausted_ = true;
      return false;
    }
    if (iteration >= how_.max_executions) return false;
    take_next(branches_.back());
    return true;
  }
  void finish(std::uint64_t) override { branches_.resize(std::min(branches_.size(), depth_)); }

  unsigned pick_thread(const thread_choice& among) override {
    return pick(static_cast<unsigned>(among.threads.size()), among.permitted);
  }
  unsigned pick_value(unsigned count) override {
    return pick(count, count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
  }

  unsigned pick(unsigned count, std::uint64_t permitted) {
    if (depth_ == branches_.size()) {
      branches_.push_back({permitted, 0, static_cast<std::uint16_t>(count)});
      take_next(branches_.back());
    }
    const branch& b = branches_[depth_++];
    FILCH_ASSERT(b.count == count && "the body is not deterministic: the same choices led elsewhere", b.count, count);
    return b.chosen;
  }
  static void take_next(branch& b) {
    b.chosen = static_cast<std::uint16_t>(std::countr_zero(b.left));
    b.left &= b.left - 1;
  }

  exhaustive how_;
  std::vector<branch> branches_;
  std::size_t depth_ = 0;
  bool is_exhausted_ = false;
};

// What random and pct share: a stream per iteration, and values that are the newest half of the time.
class seeded_explorer : public explorer {
 public:
  seeded_explorer(std::uint64_t seed, std::uint64_t iterations, std::uint64_t first)
      : seed_{seed}, iterations_{iterations}, first_{first} {}

  std::uint64_t number_of(std::uint64_t iteration) const override { return first_ + iteration; }

 protected:
  unsigned pick_value(unsigned count) override {
    return (random_.bits() >> 63) != 0 ? 0 : static_cast<unsigned>(random_.below(count));
  }
  void reseed(std::uint64_t number) { random_ = random_stream{seed_}.split(number); }

  std::uint64_t seed_;
  std::uint64_t iterations_;
  std::uint64_t first_;
  random_stream random_;
};

class random_explorer final : public seeded_explorer {
 public:
  explicit random_explorer(const random& how) : seeded_explorer(how.seed, how.iterations, how.first) {}

  std::string describe() const override { return concat({"random, seed ", std::to_string(seed_)}); }

 private:
  bool start(std::uint64_t iteration) override {
    if (iteration >= iterations_) return false;
    reseed(number_of(iteration));
    stay_mask_ = (std::uint64_t{1} << random_.below(5)) - 1;
    return true;
  }
  unsigned pick_thread(const thread_choice& among) override {
    if (among.is_current_first && !among.is_yielding && (random_.bits() >> 32 & stay_mask_) != 0) return 0;
    return static_cast<unsigned>(random_.below(among.threads.size()));
  }

  std::uint64_t stay_mask_ = 0;  // switch once in 1, 2, 4, 8 or 16 operations
};

// The first execution measures how many operations there are; it has no priority changes and its own stream.
class pct_explorer final : public seeded_explorer {
 public:
  explicit pct_explorer(const pct& how) : seeded_explorer(how.seed, how.iterations, how.first), depth_{how.depth} {}

  std::uint64_t number_of(std::uint64_t iteration) const override {
    return iteration == 0 ? 0 : first_ + iteration - 1;
  }
  std::string describe() const override {
    return concat({"pct of depth ", std::to_string(depth_), ", seed ", std::to_string(seed_)});
  }

 private:
  bool start(std::uint64_t iteration) override {
    is_measuring_ = iteration == 0;
    if (!is_measuring_ && iteration - 1 >= iterations_) return false;
    reseed(is_measuring_ ? ~std::uint64_t{0} : number_of(iteration));
    for (auto& p : priority_) p = static_cast<std::int64_t>(1000 + (random_.bits() >> 16));
    lowest_ = 0;
    made_ = 0;
    changes_.clear();
    for (unsigned i = 1; !is_measuring_ && i < depth_; ++i) changes_.push_back(random_.below(length_));
    return true;
  }
  void finish(std::uint64_t steps) override {
    if (is_measuring_) length_ = std::max<std::uint64_t>(steps, 1);
  }
  unsigned pick_thread(const thread_choice& among) override {
    const auto highest = [&] {
      std::size_t best = 0;
      for (std::size_t i = 1; i < among.threads.size(); ++i) {
        if (priority_[among.threads[i]] > priority_[among.threads[best]]) best = i;
      }
      return best;
    };
    if (among.is_yielding) priority_[among.threads.back()] = --lowest_;
    const bool is_change = std::find(changes_.begin(), changes_.end(), made_++) != changes_.end();
    if (is_change) priority_[among.threads[highest()]] = --lowest_;
    return static_cast<unsigned>(highest());
  }

  unsigned depth_;
  std::uint64_t length_ = 1;
  bool is_measuring_ = false;
  std::uint64_t made_ = 0;
  std::int64_t lowest_ = 0;
  std::array<std::int64_t, k_max_threads> priority_{};
  std::vector<std::uint64_t> changes_;
};

class replay_explorer final : public explorer {
 public:
  explicit replay_explorer(const replay& how) : path_{decode_path(how.path)} {}

  std::string describe() const override { return "replay"; }

 private:
  bool start(std::uint64_t iteration) override {
    next_ = 0;
    return iteration == 0;
  }
  unsigned pick_thread(const thread_choice& among) override {
    return pick(static_cast<unsigned>(among.threads.size()));
  }
  unsigned pick_value(unsigned count) override { return pick(count); }
  unsigned pick(unsigned count) {
    const unsigned chosen = next_ < path_.size() ? path_[next_] : 0;
    ++next_;
    FILCH_ASSERT(chosen < count && "the path is not one of this program", next_, chosen, count);
    return chosen;
  }

  std::vector<std::uint16_t> path_;
  std::size_t next_ = 0;
};

constexpr std::string_view k_digits = "0123456789abcdefghijklmnopqrstuvwxyz";

}  // namespace

std::unique_ptr<explorer> make_explorer(const options& how) {
  if (const auto* e = std::get_if<exhaustive>(&how.mode)) return std::make_unique<exhaustive_explorer>(*e);
  if (const auto* r = std::get_if<random>(&how.mode)) return std::make_unique<random_explorer>(*r);
  if (const auto* p = std::get_if<pct>(&how.mode)) return std::make_unique<pct_explorer>(*p);
  return std::make_unique<replay_explorer>(std::get<replay>(how.mode));
}

std::string encode_path(const std::vector<std::uint16_t>& choices) {
  std::size_t size = choices.size();
  while (size != 0 && choices[size - 1] == 0) --size;
  std::string out;
  for (std::size_t i = 0; i < size;) {
    std::size_t zeros = 0;
    while (choices[i + zeros] == 0) ++zeros;
    if (zeros >= 4) {
      out.append("(").append(std::to_string(zeros)).append(")");
      i += zeros;
    } else if (choices[i] < k_digits.size()) {
      out += k_digits[choices[i++]];
    } else {
      out.append("[").append(std::to_string(choices[i++])).append("]");
    }
  }
  return out.empty() ? "0" : out;
}

std::vector<std::uint16_t> decode_path(std::string_view text) {
  const std::string whole(text);
  const auto bad = [&] {
    return std::invalid_argument("FILCH_CHECK_REPLAY: \"" + whole +
                                 "\" is not a path: digits and letters 0-9a-z, [n] for one choice, (n) for n zeros");
  };
  std::vector<std::uint16_t> out;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (const auto digit = k_digits.find(c); digit != std::string_view::npos) {
      out.push_back(static_cast<std::uint16_t>(digit));
      continue;
    }
    if (c != '(' && c != '[') throw bad();
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end == text.data() + text.size() || *end != (c == '(' ? ')' : ']')) throw bad();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    if (c == '(') out.insert(out.end(), number, 0);
    else out.push_back(number);
  }
  return out;
}

}  // namespace filch::check
