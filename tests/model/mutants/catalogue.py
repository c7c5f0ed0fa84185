"""The seeded mutants: bugs that real schedulers had, put back into our kernels one at a time.

Each entry says which bug it is, how the source changes (text that must occur exactly once, and what replaces it), which
model must notice, and as what kind of failure. `mutate.py` writes the changed headers, the build compiles the model
against them, and a test asserts that the model fails. Text that no longer occurs stops the build: a mutant cannot
silently become the original.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class mutant:
    id: str
    bug: str
    model: str
    kinds: str
    header: str = ""
    changes: tuple = ()
    defines: tuple = field(default=())


DEQUE = "filch/queue/deque.hpp"
MPSC = "filch/queue/mpsc.hpp"
INJECTOR = "filch/queue/injector.hpp"
INBOX = "filch/queue/inbox.hpp"
IDLE = "filch/park/idle.hpp"
PARKER = "filch/park/parker.hpp"
EVENT = "filch/park/event_count.hpp"
COMPLETION = "filch/runtime/completion.hpp"
TASK_COUNTS = "runtime/task_counts.hpp"
JOIN_COUNTER = "filch/share/join_counter.hpp"
ON_CALL = "share/on_call.hpp"
REQUEST_CELL = "share/request_cell.hpp"
LINGERING = "share/lingering.hpp"
TRANSFER_CELL = "share/transfer_cell.hpp"
VISIT = "filch/share/visit.hpp"
CLAIMED_RANGE = "filch/share/claimed_range.hpp"
FRAME_LIST = "share/frame_list.hpp"
KEEPER = "filch/park/keeper.hpp"
SHARD = "time/timer_shard.hpp"

MUTANTS = [
    mutant("D1", "the ring pointer is not read again after growth in push", "deque", "assertion,race", DEQUE, (
        ("    if (b - d.cached_top_ >= d.own_ring_.capacity()) d.make_room(1);\n"
         "    d.own_ring_.at(b).store(",
         "    const ring before = d.own_ring_;\n"
         "    if (b - d.cached_top_ >= d.own_ring_.capacity()) d.make_room(1);\n"
         "    before.at(b).store("),)),
    mutant("D2a", "a new ring is published without release", "deque", "race,use_after_free,assertion", DEQUE, (
        ("    ring_.store(larger, std::memory_order_release);", "    ring_.store(larger, std::memory_order_relaxed);"),
        )),
    mutant("D2b", "the ring is loaded without acquire", "deque", "race,use_after_free,assertion", DEQUE, (
        ("d.ring_.load(std::memory_order_acquire);", "d.ring_.load(std::memory_order_relaxed);"),)),
    mutant("D3", "bottom - 1 compared as an unsigned number", "deque", "assertion,race,use_after_free", DEQUE, (
        ("using difference = std::int64_t;", "using difference = std::uint64_t;"),)),
    mutant("D4a", "no seq_cst fence in pop: the last item is taken twice", "deque", "assertion", DEQUE, (
        ("    A::fence(std::memory_order_seq_cst);\n    t = d.top_.load(",
         "    t = d.top_.load("),)),
    mutant("D4b", "no seq_cst fence in steal: the last item is taken twice", "deque", "assertion", DEQUE, (
        ("    A::fence(std::memory_order_seq_cst);\n    // [Q4]", "    // [Q4]"),)),
    mutant("D5", "a batch keeps the ring pointer across items while the owner grows", "deque", "assertion", DEQUE, (
        ("    const steal_result<Item> first = steal_one();",
         "    const ring* const kept = deque_->ring_.load(std::memory_order_acquire);\n"
         "    const steal_result<Item> first = steal_one(kept);"),
        ("      const steal_result<Item> further = steal_one();",
         "      const steal_result<Item> further = steal_one(kept);"),
        ("  steal_result<Item> steal_one() {", "  steal_result<Item> steal_one(const ring* kept = nullptr) {"),
        ("    const ring* r = d.ring_.load(std::memory_order_acquire);",
         "    const ring* r = kept != nullptr ? kept : d.ring_.load(std::memory_order_acquire);"))),
    mutant("D6", "the item is read after the claim", "deque", "assertion,race", DEQUE, (
        ("    const Item item = r->at(t).load(std::memory_order_relaxed);  // revalidated by [Q8]\n", ""),
        ("    return {steal_status::taken, item};\n  }\n\n  deque* deque_;",
         "    return {steal_status::taken, r->at(t).load(std::memory_order_relaxed)};\n  }\n\n  deque* deque_;"))),
    mutant("D7", "indices of 8 bits: the same index comes again", "deque", "assertion", DEQUE, (
        ("using index = std::uint64_t;", "using index = std::uint8_t;"),
        ("using difference = std::int64_t;", "using difference = std::int8_t;"),
        # The test's own wide starting points still compile; fullness is computed in the narrow type.
        ("if (b - d.cached_top_ >= d.own_ring_.capacity()) d.make_room(1);",
         "if (static_cast<index>(b - d.cached_top_) >= d.own_ring_.capacity()) d.make_room(1);"),
        ("    while (count > (std::uint64_t{1} << size_class) - (b - cached_top_)) {",
         "    while (count > (std::uint64_t{1} << size_class) - static_cast<index>(b - cached_top_)) {"))),
    mutant("D8", "a cursor as wide as the capacity: full looks empty", "deque", "assertion", DEQUE, (
        ("    if (static_cast<difference>(b - t) < 0) return std::nullopt;",
         "    if (((b + 1 - t) & d.own_ring_.mask) == 0) return std::nullopt;"),)),
    mutant("D9", "the old ring is freed under a thief", "deque", "use_after_free,race", DEQUE, (
        ("    own_ring_ = *larger;\n",
         "    ring* const old = rings_[own_ring_.size_class];\n    own_ring_ = *larger;\n"),
        ("    ring_.store(larger, std::memory_order_release);\n",
         "    ring_.store(larger, std::memory_order_release);\n"
         "    rings_[old->size_class] = nullptr;\n"
         "    A::destroy_array(old->slots, old->capacity());\n    A::destroy(old);\n"))),
    mutant("D10", "growth copies slots instead of indices: items are lost at the wrap-around", "deque",
           "assertion,race", DEQUE, (
        ("larger->at(i).store(item, std::memory_order_relaxed);",
         "larger->slots[i & own_ring_.mask].store(item, std::memory_order_relaxed);"),)),
    mutant("D11", "a deque may be robbed by its own owner", "deque", "assertion,unexpected_success", DEQUE, (
        ("    FILCH_ASSERT(into.deque_ != deque_, \"a deque cannot be robbed by its own owner\");\n", ""),)),
    mutant("D12", "pop stores bottom relaxed: no release sequence to the older slots since C++20", "deque", "race",
           DEQUE, (
        ("    d.bottom_.store(b, std::memory_order_release);", "    d.bottom_.store(b, std::memory_order_relaxed);"),)),
    mutant("D14", "trim does not look whether the deque is empty", "deque", "assertion,race", DEQUE, (
        ("    if (d.top_.load(std::memory_order_relaxed) != b) return false;  // owner-only: an empty deque's top_ is "
         "the owner's\n", ""),)),
    mutant("D15", "push overwrites the oldest item of a full ring", "deque", "assertion,race", DEQUE, (
        ("if (b - d.cached_top_ >= d.own_ring_.capacity()) d.make_room(1);",
         "if (b - d.cached_top_ > d.own_ring_.capacity()) d.make_room(1);"),)),
    mutant("D16", "trim does not publish the ring that it goes back to", "deque", "assertion,race", DEQUE, (
        ("    d.ring_.store(smallest, std::memory_order_relaxed);\n", ""),)),

    mutant("J1", "the consumer's side is not locked", "injector", "race,assertion", INJECTOR, (
        ("    if (consumer_busy_.exchange(1, std::memory_order_acquire) != 0) return steal_status::lost;\n", ""),)),
    mutant("J2", "the size is raised after the push: a sleeper sees an empty queue", "injector", "assertion,livelock",
           INJECTOR, (
        ("    size_.fetch_add(count, std::memory_order_relaxed);  // ordered by [M1]\n"
         "    items_.push_list(first, last);\n", "    items_.push_list(first, last);\n"),)),
    mutant("J3", "the bound is looked at and raised in two steps", "injector", "assertion", INJECTOR, (
        ("if (size_.fetch_add(1, std::memory_order_relaxed) >= bound_) {",
         "const auto seen = size_.load(std::memory_order_relaxed);\n"
         "      size_.fetch_add(1, std::memory_order_relaxed);\n      if (seen >= bound_) {"),)),
    mutant("M1", "the predecessor is linked before the swap", "injector", "assertion,race,livelock,use_after_free",
           MPSC, (
        ("    node* const previous = newest_.exchange(last, std::memory_order_acq_rel);\n",
         "    node* const previous = newest_.load(std::memory_order_acquire);\n"),
        ("    previous->next.store(first, std::memory_order_release);\n",
         "    previous->next.store(first, std::memory_order_release);\n"
         "    newest_.store(last, std::memory_order_release);\n"))),
    mutant("M2", "the last node leaves without a stub behind it", "injector", "assertion,race,livelock,use_after_free",
           MPSC, (
        ("      push(&stub_);\n", "      oldest_.set(&stub_);\n      return {steal_status::taken, oldest};\n"),)),
    mutant("M3", "a cut list is called empty", "injector", "assertion", INBOX, (
        ("    return result.status == steal_status::empty ? steal_result<node*>{steal_status::lost, nullptr} : result;",
         "    return result.is_taken() ? result : steal_result<node*>{steal_status::empty, nullptr};"),)),

    mutant("P1", "a seq_cst load where a fence is needed in notify", "park", "deadlock", IDLE, (
        ("    A::fence(std::memory_order_seq_cst);\n"
         "    if (!needs_wake(counts_.load(std::memory_order_relaxed))) return",
         "    if (!needs_wake(counts_.load(std::memory_order_seq_cst))) return"),)),
    mutant("P2a", "no fence between the announcement and the last look", "park", "deadlock", IDLE, (
        ("    mutex_.unlock();\n    // [I3]", "    mutex_.unlock();\n    return;\n    // [I3]"),)),
    mutant("P2b", "no fence between the push and the look for sleepers", "park", "deadlock", IDLE, (
        ("    A::fence(std::memory_order_seq_cst);\n    if (!needs_wake(", "    if (!needs_wake("),)),
    mutant("P2c", "no last look after the announcement", "park", "deadlock", defines=("FILCH_MUTANT_NO_RECHECK",)),
    mutant("P2d", "the last look comes before the announcement", "park", "deadlock",
           defines=("FILCH_MUTANT_RECHECK_BEFORE_ANNOUNCE",)),
    mutant("P3", "the last searcher leaves without looking once more", "park", "deadlock,assertion", IDLE, (
        ("    return duty::recheck;", "    return duty::none;"),)),
    mutant("P4", "the count of sleepers is masked too narrowly", "park", "deadlock,assertion", IDLE, (
        ("static_cast<std::uint32_t>(counts >> 32); }", "static_cast<std::uint32_t>(counts >> 32) & 1; }"),)),
    mutant("P5", "a worker that backs out stays registered", "park", "assertion,deadlock", IDLE, (
        ("    if (take_out(self)) return;\n",
         "    if (sleeping(counts_.load(std::memory_order_relaxed)) != 0) return;\n"),)),
    mutant("P7", "a token given before the sleep is forgotten", "park", "deadlock", PARKER, (
        ("    if (word_.exchange(k_notified, std::memory_order_release) == k_parked) A::futex_wake(word_, 1);",
         "    std::uint32_t parked = k_parked;\n"
         "    if (word_.compare_exchange(parked, k_notified, std::memory_order_release, std::memory_order_relaxed)) {\n"
         "      A::futex_wake(word_, 1);\n    }"),)),
    mutant("P12", "a token is consumed by a plain store: one that comes meanwhile is lost", "park", "deadlock", PARKER,
           (
        ("if (word_.compare_exchange(seen, k_empty, std::memory_order_acquire, std::memory_order_relaxed)) {",
         "if (word_.load(std::memory_order_acquire) == k_notified) {\n"
         "        word_.store(k_empty, std::memory_order_relaxed);"),)),
    mutant("P10", "whoever is woken is not counted as searching: a burst wakes everybody", "park",
           "assertion", IDLE, (
        ("    counts_.fetch_add(k_one_searching - k_one_sleeping, std::memory_order_relaxed);",
         "    counts_.fetch_sub(k_one_sleeping, std::memory_order_relaxed);"),)),
    mutant("P11", "a chosen worker that backs out does not wait for its token", "park", "assertion,deadlock", IDLE, (
        ("    parkers_[self.value].place.park();\n  }\n\n  // sleepy", "  }\n\n  // sleepy"),)),

    mutant("W1", "the keeper sleeps without a second look at the earliest deadline", "time", "deadlock", KEEPER, (
        ("    return looked_ns < announced_ns ? looked_ns : announced_ns;", "    return announced_ns;"),)),
    mutant("W2", "no fence between lowering the deadline and looking for the keeper", "time", "deadlock", KEEPER, (
        ("    A::fence(std::memory_order_seq_cst);\n    // [Z5]", "    // [Z5]"),)),
    mutant("W3", "a keeper resigns without a fence before it looks for sleepers", "time", "deadlock", KEEPER, (
        ("    A::fence(std::memory_order_release);\n  }\n\n  // Called by a source",
         "  }\n\n  // Called by a source"),)),
    mutant("W4", "who has polled does not scan again: a deadline set meanwhile is lost", "time", "assertion,deadlock",
           KEEPER, (
        ("    return lower_word(scan());", "    return {};"),)),
    mutant("W10", "the keeper sleeps longer than it announced, because the earliest deadline was raised meanwhile",
           "time", "deadlock", KEEPER, (
        ("    return looked_ns < announced_ns ? looked_ns : announced_ns;", "    return looked_ns;"),)),
    mutant("W5", "the keeper says until when it sleeps before it can be woken", "time", "deadlock",
           defines=("FILCH_MUTANT_KEEPER_FIRST",)),
    mutant("W6", "the last searcher leaves the others asleep without a keeper", "time", "deadlock",
           defines=("FILCH_MUTANT_NO_SUCCESSOR",)),
    mutant("W7", "a stop that comes before the timer is started is forgotten", "time", "deadlock,assertion", SHARD, (
        ("    if (timer.state.get() == timer_state::cancelled) return timer_added::refused;\n", ""),)),
    mutant("W8", "a timer that is being fired is cancelled as well", "time", "assertion,deadlock,race", SHARD, (
        ("    mark(first, timer_state::fired);\n", ""),)),
    mutant("W9", "a timer is let in after the end", "time", "deadlock,assertion", SHARD, (
        ("    is_closed_.set(true);\n", ""),)),
]

RUNTIME_MUTANTS = [
    mutant("C1", "a claim is a load and a store: a task runs twice", "runtime", "assertion,race,deadlock", COMPLETION, (
        ("      if (word_.compare_exchange(seen, seen | k_running, std::memory_order_relaxed, "
         "std::memory_order_relaxed))\n        return true;\n",
         "      word_.store(seen | k_running, std::memory_order_relaxed);\n      return true;\n"),)),
    mutant("C2", "a claim forgets that somebody waits", "runtime", "deadlock", COMPLETION, (
        ("word_.compare_exchange(seen, seen | k_running,", "word_.compare_exchange(seen, k_running,"),)),
    mutant("C3", "a waiter sleeps without having said so", "runtime", "deadlock", COMPLETION, (
        ("!word_.compare_exchange(seen, seen | k_awaited, std::memory_order_relaxed, std::memory_order_relaxed)) {",
         "false) {"),
        ("A::futex_wait(word_, seen | k_awaited, deadline_ns)", "A::futex_wait(word_, seen, deadline_ns)"))),
    mutant("C4", "the end wakes one waiter only", "runtime", "deadlock", COMPLETION, (
        ("A::futex_wake(word_, UINT32_MAX);", "A::futex_wake(word_, 1);"),)),
    mutant("C5", "the end does not tell the listener", "runtime", "livelock", COMPLETION, (
        ("    if ((before & k_listened) != 0) listener_.get()->finished();\n", ""),)),
    mutant("C6", "a listener comes without looking whether it has ended", "runtime", "livelock", COMPLETION, (
        ("    while ((seen & (k_done | k_unwanted)) == 0) {\n", "    for (;;) {\n"),)),
    mutant("C7", "who gives up does not look whether the listener is being told", "runtime", "assertion,race",
           COMPLETION, (
        ("      if (word_.compare_exchange(seen, (seen & ~k_listened) | k_unwanted, std::memory_order_acquire,\n"
         "                                 std::memory_order_relaxed)) {\n"
         "        return (seen & k_listened) != 0;\n"
         "      }\n",
         "      return (seen & k_listened) != 0;\n"),)),
    mutant("C8", "giving up before listening is forgotten", "runtime", "assertion,deadlock", COMPLETION, (
        ("(seen & (k_done | k_unwanted)) == 0", "(seen & k_done) == 0"),)),
    mutant("C9", "a claim forgets the listener", "runtime", "livelock", COMPLETION, (
        ("word_.compare_exchange(seen, seen | k_running,",
         "word_.compare_exchange(seen, (seen & k_awaited) | k_running,"),)),
    mutant("V1", "the epoch is read after the condition", "runtime", "deadlock", EVENT, (
        ("      const std::uint32_t seen = epoch_.load(std::memory_order_acquire);\n      is_ready = ready();\n"
         "      if (is_ready) break;\n",
         "      is_ready = ready();\n      if (is_ready) break;\n"
         "      const std::uint32_t seen = epoch_.load(std::memory_order_acquire);\n"),)),
    mutant("V2", "a notifier does not raise the epoch", "runtime", "deadlock", EVENT, (
        ("    epoch_.fetch_add(1, std::memory_order_relaxed);  // ordered by [V3]: with the fence it releases\n", ""),
        )),
    mutant("V3", "a waiter does not look again after its announcement", "runtime", "deadlock", EVENT, (
        ("    bool is_ready = false;\n", "    bool is_ready = ready();\n"),
        ("    waiters_.fetch_add(1, std::memory_order_relaxed);  // ordered by [V1]\n", ""),
        ("    for (bool in_time = true; in_time;) {\n",
         "    waiters_.fetch_add(1, std::memory_order_relaxed);\n    for (bool in_time = !is_ready; in_time;) {\n"),
        ("      is_ready = ready();\n      if (is_ready) break;\n", ""),
        ("      if (!in_time) is_ready = ready();\n", "      is_ready = ready();\n      if (is_ready) break;\n"))),
    mutant("T1", "made is summed up before finished", "runtime", "assertion,race", TASK_COUNTS, (
        ("  each([&](const auto& of) { finished += of.finished_so_far(); });\n"
         "  each([&](const auto& of) { made += of.made_so_far(); });\n",
         "  each([&](const auto& of) { made += of.made_so_far(); });\n"
         "  each([&](const auto& of) { finished += of.finished_so_far(); });\n"),)),
]
MUTANTS += RUNTIME_MUTANTS

SHARE_MUTANTS = [
    mutant("F1", "an offer is taken by a load and a store: two thieves get it", "share", "assertion,race",
           TRANSFER_CELL, (
        ("    return offered_.exchange(nullptr, std::memory_order_acquire);\n",
         "    Task* const found = offered_.load(std::memory_order_acquire);\n"
         "    offered_.store(nullptr, std::memory_order_relaxed);\n    return found;\n"),)),
    mutant("F2", "an offer is taken back by a load and a store: owner and thief run it", "share", "assertion,race",
           TRANSFER_CELL, (
        ("    return offered_.compare_exchange(expected, nullptr, std::memory_order_relaxed, "
         "std::memory_order_relaxed);\n",
         "    if (offered_.load(std::memory_order_relaxed) != expected) return false;\n"
         "    offered_.store(nullptr, std::memory_order_relaxed);\n    return true;\n"),)),
    mutant("F3", "the waiter is written after the countdown: the last child finds no parent to resume", "share",
           "assertion,race", JOIN_COUNTER, (
        ("    waiter_.set(&who);\n", ""),
        ("    return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1;\n",
         "    const bool is_last = unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1;\n"
         "    waiter_.set(&who);\n    return is_last;\n"))),
    mutant("F4", "the countdown is a load and a store: a parent is never resumed", "share", "assertion,race",
           JOIN_COUNTER, (
        ("    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;\n",
         "    const std::uint32_t before = unfinished_.load(std::memory_order_acquire);\n"
         "    unfinished_.store(before - 1, std::memory_order_release);\n    if (before != 1) return nullptr;\n"),)),
    mutant("F5", "a parent does not look whether the children ended while it stopped", "share", "assertion",
           JOIN_COUNTER, (
        ("    return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1;\n",
         "    unfinished_.fetch_sub(1, std::memory_order_acq_rel);\n    return false;\n"),)),
    mutant("F6", "a caller looks whether the monitor rests without a fence: both look past each other", "share",
           "deadlock", ON_CALL, (
        ("    A::fence(std::memory_order_seq_cst);\n    return is_resting_.load(", "    return is_resting_.load("),)),
    mutant("F7", "the monitor rests without looking again", "share", "deadlock", ON_CALL, (
        ("    if (must_watch()) {\n", "    if (false && must_watch()) {\n"),)),
    mutant("F8", "the owner stores its limit over a request that comes meanwhile", "share", "assertion",
           REQUEST_CELL, (
        ("    if (word.compare_exchange(before, value, std::memory_order_relaxed, std::memory_order_relaxed)) "
         "return;\n",
         "    word.store(value, std::memory_order_relaxed);\n    return;\n"),)),
    mutant("F9", "a request is taken by a store: one that comes meanwhile goes unseen", "share", "assertion",
           REQUEST_CELL, (
        ("  const bool was_asked = word.exchange(value, std::memory_order_release) == asked;",
         "  const bool was_asked = word.load(std::memory_order_relaxed) == asked;\n"
         "  word.store(value, std::memory_order_release);"),)),
    mutant("F10", "an owner that takes a request looks for sleepers without a fence", "share", "assertion",
           REQUEST_CELL, (
        ("  A::fence(std::memory_order_seq_cst);\n  return was_asked;\n", "  return was_asked;\n"),)),
    mutant("F11", "a thread that flushes a deferred request looks for a request without a fence", "share", "assertion",
           REQUEST_CELL, (
        ("    A::fence(std::memory_order_seq_cst);\n    return true;\n", "    return true;\n"),)),
    mutant("F12", "a thread that defers looks for lingering workers without a fence: it is left to one that stopped",
           "share", "assertion", LINGERING, (
        ("    A::fence(std::memory_order_seq_cst);\n    return count_.load(", "    return count_.load("),)),
    mutant("F13", "a visitor looks at the list of frames without a heavy fence", "share", "assertion,race", VISIT, (
        ("  if (!A::heavy_fence(std::memory_order_seq_cst)) return nullptr;\n", ""),)),
    mutant("F14", "a visitor posts its request behind its heavy fence", "share", "assertion,race", VISIT, (
        ("  word.store(asked, std::memory_order_relaxed);  // ordered by [V12]\n", ""),
        ("  if (!A::heavy_fence(std::memory_order_seq_cst)) return nullptr;\n",
         "  if (!A::heavy_fence(std::memory_order_seq_cst)) return nullptr;\n"
         "  word.store(asked, std::memory_order_relaxed);\n"))),
    mutant("F15", "an owner that changes its list does not wait for the visitor", "share", "assertion,race", VISIT, (
        ("    for (std::uint32_t turn = 1; is_visited_.load(std::memory_order_acquire); ++turn) [[unlikely]]\n"
         "      detail::wait_for_visit<A>(turn);\n", ""),)),
    mutant("F16", "a visitor does not look whether a change is under way", "share", "assertion,race", VISIT, (
        ("    if (has_fenced && !is_busy_.load(std::memory_order_acquire)) return true;",
         "    if (has_fenced) return true;"),)),
    mutant("F17", "a claim is sure where no request stands any more, whatever the limit", "share", "assertion,race",
           CLAIMED_RANGE, (
        ("!is_asked && until <= limit_.load(std::memory_order_relaxed)", "!is_asked"),)),
    mutant("F18", "a claim looks at the limit only", "share", "assertion,race", CLAIMED_RANGE, (
        ("!is_asked && until <=", "until <="),)),
    mutant("F19", "a claim that is not sure is kept", "share", "assertion,race", CLAIMED_RANGE, (
        ("    const std::size_t end = lesser(what.end, limit_.load(std::memory_order_relaxed));  // ordered by [V1]",
         "    const std::size_t end = what.end;"),)),
]
MUTANTS += SHARE_MUTANTS


def joint(number, bug, kinds, define="", header="", changes=()):
    return mutant(f"SH{number}", bug, "share_joint", kinds, header, changes,
                  (f"FILCH_MUTANT_{define}",) if define else ())


# Of the protocol as a whole: in the code between the kernels, and kernels' bugs that only it would show.
JOINT_MUTANTS = [
    joint(1, "a request is posted before the sleep is announced", "assertion", "REQUEST_BEFORE_SLEEP"),
    joint(2, "a request is covered up by a store of the limit", "assertion,deadlock", header=REQUEST_CELL, changes=(
        ("    if (word.compare_exchange(before, value, std::memory_order_relaxed, std::memory_order_relaxed)) "
         "return;\n",
         "    word.store(value, std::memory_order_relaxed);\n    return;\n"),)),
    joint(3, "a deferral is cleared after the request", "assertion", "CLEAR_AFTER_REQUEST"),
    joint(4, "a worker stops to linger and sleeps without another look", "deadlock,assertion",
          "NO_LOOK_BEHIND_LINGERING"),
    joint(5, "the monitor is called before the deferral", "assertion", "MONITOR_BEFORE_DEFERRAL"),
    joint(6, "a visitor reads the list before it posts its request", "assertion,race", header=VISIT, changes=(
        ("  word.store(asked, std::memory_order_relaxed);  // ordered by [V12]\n",
         "  Frame* const found = newest.load(std::memory_order_acquire);\n"
         "  word.store(asked, std::memory_order_relaxed);\n"),
        ("  return newest.load(std::memory_order_acquire);\n", "  return found;\n"))),
    joint(7, "an offer is taken by a load and a store: two thieves get it", "assertion,race,use_after_free",
          header=TRANSFER_CELL, changes=(
              ("    return offered_.exchange(nullptr, std::memory_order_acquire);\n",
               "    Task* const found = offered_.load(std::memory_order_acquire);\n"
               "    offered_.store(nullptr, std::memory_order_relaxed);\n    return found;\n"),)),
    joint(8, "an offer is put into a cell that is filled: the other one is lost", "deadlock,leak,assertion",
          "FULL_CELL"),
    joint(9, "a request is taken after the offer: one that came meanwhile is taken with it", "assertion",
          "REQUEST_TAKEN_LAST"),
    joint(10, "a request that is taken beside a filled cell is dropped", "assertion", "REQUEST_DROPPED"),
    joint(11, "the monitor rests though a request is deferred", "assertion", "MONITOR_OVERLOOKS_DEFERRED"),
    joint(12, "a worker that begins a task looks for a request without a fence", "assertion",
          "BEGIN_WITHOUT_FENCE"),
    joint(13, "a worker that goes to sleep looks which workers run without a fence", "assertion",
          "SLEEP_WITHOUT_FENCE"),
    joint(14, "the slow path of a join does not close the share point", "race,assertion", "JOIN_WITHOUT_CLOSING"),
    joint(15, "a lingering worker that is chosen leaves a deferred request behind", "assertion",
          "CHOSEN_IN_SILENCE"),
    joint(16, "an offer is taken back, and its thief comes too late: no other one is requested for", "assertion",
          "TAKEN_BACK_IN_SILENCE"),
    joint(17, "an owner requests from its own joins, and the monitor does not know", "assertion",
          "REQUEST_AT_A_JOIN_IN_SILENCE"),
    joint(18, "a thief takes an offer while others sleep, and does not look whether there is more", "assertion",
          "NOT_PASSED_ON"),
    joint(19, "a stack that begins to run gets no request", "assertion", "NO_REQUEST_AT_A_SWITCH"),
    joint(20, "the monitor is called before an external thread has said that it is there", "assertion",
          "MONITOR_BEFORE_THE_SECTION"),
    joint(21, "a frame is offered, and the list does not know: it is offered twice", "assertion,race,deadlock",
          header=FRAME_LIST, changes=(
              ("  stack.last_shared.store(&oldest, std::memory_order_relaxed);  // ordered by [V2]\n", ""),)),
    joint(22, "frames are seen, and their joins do not take the slow path", "assertion,race,deadlock",
          header=FRAME_LIST, changes=(
              ("  stack.last_seen.store(newest, std::memory_order_relaxed);  // ordered by [V2]\n"
               "  watch_seen_frames(stack);\n",
               "  stack.last_seen.store(newest, std::memory_order_relaxed);\n"),)),
]
MUTANTS += JOINT_MUTANTS

FAIR_LOCK = "filch/sync/fair_lock.hpp"
WAIT_LINE = "filch/sync/wait_line.hpp"
SHORT_LOCK = "filch/sync/short_lock.hpp"
PERMITS = "filch/sync/permits.hpp"
CHANNEL = "filch/sync/channel_core.hpp"
ONESHOT = "filch/sync/oneshot_core.hpp"
BROADCAST = "filch/sync/broadcast_core.hpp"
SYNC_MUTANTS = [
    mutant("S1", "who comes to a held lock leaves the word as it is: the holder does not see that somebody waits",
           "sync", "deadlock,race,assertion", FAIR_LOCK, (
        ("    unlock_line(seen | k_waiters);\n", "    unlock_line(seen);\n"),)),
    mutant("S2", "the lock is freed while it is handed over: two hold it", "sync", "race,assertion", FAIR_LOCK, (
        ("    unlock_line(k_held | waiters());\n    return was_called",
         "    unlock_line(waiters());\n    return was_called"),)),
    mutant("S3", "the last in line is forgotten when the line empties: the next one is linked to nobody", "sync",
           "deadlock,race,use_after_free", WAIT_LINE, (
        ("    else last_.set(before);\n", ""),)),
    mutant("S4", "who was served gives up all the same: what it got is lost", "sync",
           "deadlock,race,use_after_free,assertion", WAIT_LINE, (
        ("    if (was != wait_state::queued && was != wait_state::outside) return false;\n", ""),)),
    mutant("S5", "a stop that comes before the wait is forgotten", "sync", "deadlock", WAIT_LINE, (
        ("    if (who.state.get() == wait_state::cancelled) return false;\n", ""),)),
    mutant("S6", "a short lock is looked at after it was unlocked: whoever locked it next has destroyed it", "sync",
           "use_after_free,race", SHORT_LOCK, (
        ("    word_.store(0, std::memory_order_release);\n",
         "    word_.store(0, std::memory_order_release);\n    (void)word_.load(std::memory_order_relaxed);\n"),)),
    mutant("S7", "who wanted much gives up, and those behind it are not looked at", "sync", "deadlock", PERMITS, (
        ("    woken = serve();\n", ""),)),
    mutant("S8", "who receives makes room and does not let in who waits for it", "sync", "deadlock", CHANNEL, (
        ("    if (senders_.is_empty()) [[likely]]\n      return take_one(item);\n",
         "    if (true) return take_one(item);\n"),
        )),
    mutant("S9", "who receives joins the line without a look at the other buffer", "sync", "deadlock,assertion",
           CHANNEL, (
        ("    if (front_.is_empty() && !refill(*self.item, woken)) {\n",
         "    if (front_.is_empty() && (!refill(*self.item, woken) || !front_.is_empty())) {\n"),)),
    mutant("S12", "who receives looks whether it was told to stop without the lock of its line",
           "sync", "race,assertion", CHANNEL, (
        ("    const nested_guard<A> back{back_lock_};\n"
         "    if (self.state.get() == wait_state::cancelled) return false;\n"
         "    if (front_.is_empty()",
         "    if (self.state.get() == wait_state::cancelled) return false;\n"
         "    const nested_guard<A> back{back_lock_};\n"
         "    if (front_.is_empty()"),)),
    mutant("S10", "who sends leaves the line under the wrong lock", "sync", "race", CHANNEL, (
        ("    const short_guard<A> front{front_lock_};\n    return senders_.leave(who);\n",
         "    const short_guard<A> back{back_lock_};\n    return senders_.leave(who);\n"),)),
    mutant("S11", "a short lock is taken by a load and a store: two hold it", "sync", "race,assertion,use_after_free",
           SHORT_LOCK, (
        ("    if (word_.exchange(1, std::memory_order_acquire) == 0) [[likely]]\n      return;\n"
         "    lock_slow_path();\n",
         "    if (word_.load(std::memory_order_acquire) == 0) return word_.store(1, std::memory_order_relaxed);\n"
         "    lock_slow_path();\n"),)),
    mutant("S13", "who waits for a value joins the line without another look: the value has come meanwhile", "sync",
           "deadlock", ONESHOT, (
        ("    if (!is_settled_.get() || self.state.get() == wait_state::cancelled) return line_.join(self);\n",
         "    if (true) return line_.join(self);\n"),)),
    mutant("S14", "a second value takes the place of the first", "sync", "assertion", ONESHOT, (
        ("    if (is_settled_.get()) return false;\n", ""),)),
    mutant("S15", "who waits for a message joins the line without another look: it has come meanwhile", "sync",
           "deadlock", BROADCAST, (
        ("    if (!has_news(next) || self.state.get() == wait_state::cancelled) return line_.join(self);\n",
         "    if (true) return line_.join(self);\n"),)),
    mutant("S17", "a called waiter gives up while the lock is free, and the next one is not called", "sync", "deadlock",
           FAIR_LOCK, (
        ("    if ((seen & k_held) == 0) return release(k_free);\n    unlock_line(k_held | waiters());\n",
         "    unlock_line((seen & k_held) | waiters());\n"),)),
    mutant("S18", "the first in line is overtaken without a bound", "sync", "assertion", FAIR_LOCK, (
        ("    return (seen & k_called) != 0 && seen / k_overtake < MostOvertakes;\n",
         "    return (seen & k_called) != 0;\n"),)),
    mutant("S19", "a waiter that was called is woken again when it is handed the lock", "sync", "assertion",
           FAIR_LOCK, (
        ("    return was_called ? nullptr : first;\n", "    return first;\n"),)),
    mutant("S20", "a waiter that has come in vain counts as called: nobody wakes it", "sync", "deadlock", FAIR_LOCK, (
        ("    self.turn.set(lock_turn::handed);\n    unlock_line(k_held | waiters());\n",
         "    self.turn.set(lock_turn::handed);\n    unlock_line(seen);\n"),)),
    mutant("S21", "a called waiter that gives up is woken again", "sync", "assertion,deadlock", FAIR_LOCK, (
        ("    if (!was_called) {\n", "    if (true) {\n"),)),
    mutant("S22", "the lock is freed beside a line, and nobody is called", "sync", "deadlock", FAIR_LOCK, (
        ("((seen & k_waiters) == 0 || may_be_overtaken(seen))", "true"),)),
    mutant("S16", "who was too slow looks for a message that was overwritten", "sync", "assertion,race", BROADCAST, (
        ("    const std::uint64_t at = next > oldest ? next : oldest;\n", "    const std::uint64_t at = next;\n"),)),
]
MUTANTS += SYNC_MUTANTS

JOIN_COUNT = "filch/coro/join_count.hpp"
FREE_LIST = "coro/global_free_list.hpp"
STOP_TREE = "filch/coro/stop_tree.hpp"
JOIN_STATE = "filch/coro/join_state.hpp"
CORO_MUTANTS = [
    mutant("CO1", "every strand counts down by one, however many children it ran: the parent never goes on", "coro",
           "assertion", JOIN_COUNT, (
        ("fetch_sub(ran, std::memory_order_acq_rel) == ran", "fetch_sub(1, std::memory_order_acq_rel) == 1"),)),
    mutant("CO2", "the count is read and written in two steps: the parent goes on twice or never", "coro",
           "assertion,race", JOIN_COUNT, (
        ("    return unfinished_.fetch_sub(ran, std::memory_order_acq_rel) == ran;\n",
         "    const std::uint32_t before = unfinished_.load(std::memory_order_acquire);\n"
         "    unfinished_.store(before - ran, std::memory_order_release);\n    return before == ran;\n"),)),
    mutant("CO3", "a strand does not see what the others did", "coro", "race", JOIN_COUNT, (
        ("std::memory_order_acq_rel) == ran", "std::memory_order_release) == ran"),)),
    mutant("CO4", "a batch is put without looking whether the slot is still empty: one is lost", "coro",
           "assertion,race", FREE_LIST, (
        ("      if (slot.compare_exchange(expected, batch, std::memory_order_release, std::memory_order_relaxed)) {\n",
         "      slot.store(batch, std::memory_order_release);\n      if (expected == nullptr) {\n"),)),
    mutant("CO5", "a batch is read and the slot emptied in two steps: two take it", "coro",
           "assertion,race", FREE_LIST, (
        ("      if (Batch* const batch = slot.exchange(nullptr, std::memory_order_acquire)) {\n",
         "      Batch* const batch = slot.load(std::memory_order_acquire);\n"
         "      slot.store(nullptr, std::memory_order_relaxed);\n      if (batch != nullptr) {\n"),)),
    mutant("CO6", "who wants to be told of a stop does not look whether it was requested before", "coro", "assertion",
           STOP_TREE, (
        ("    if (is_requested(seen)) made.request_stop();\n", ""),)),
    mutant("CO7", "a request is written over the node of who wants to be told", "coro",
           "assertion,race,leak,use_after_free", STOP_TREE, (
        ("    unlock(seen | k_requested);\n", "    unlock(k_requested);\n"),)),
    mutant("CO8", "who waits does not look whether it has ended meanwhile: nobody lets it go on", "coro",
           "assertion,race", JOIN_STATE, (
        ("    std::uintptr_t expected = k_nothing;\n", "    std::uintptr_t expected = k_nothing;\n"
         "    expected = word_.load(std::memory_order_relaxed);\n"),)),
    mutant("CO9", "an owner that leaves does not look whether it has ended meanwhile: nobody destroys it", "coro",
           "leak,assertion", JOIN_STATE, (
        ("    return word_.exchange(k_left, std::memory_order_acq_rel) == k_ended;\n",
         "    (void)word_.exchange(k_left, std::memory_order_acq_rel);\n    return false;\n"),)),
    mutant("CO10", "who ends a task destroys it also if its owner has not left: both do", "coro",
           "use_after_free,assertion,race", JOIN_STATE, (
        ("    if (before == k_left) return {nullptr, true};\n",
         "    if (before == k_left || before == k_nothing) return {nullptr, true};\n"),)),
    mutant("CO11", "the mark that nobody can request a stop hides a request that came before it", "coro", "assertion",
           STOP_TREE, (
        ("  void make_final() { unlock(lock() | k_final); }\n",
         "  void make_final() {\n    (void)lock();\n    unlock(k_final);\n  }\n"),)),
    mutant("CO12", "a point that comes does not look whether a stop was requested above", "coro", "assertion",
           STOP_TREE, (
        ("    if (is_requested(seen)) {\n      unlock(seen);\n      return false;\n    }\n"
         "    link* const first = first_of(seen);\n", "    link* const first = first_of(seen);\n"),)),
    mutant("CO13", "a point is destroyed while a request is on its way through it", "coro",
           "use_after_free,race", STOP_TREE, (
        ("      return wait_until_released(who);\n", "      return;\n"),)),
    mutant("CO14", "a request lets a point go before it has marked it", "coro", "use_after_free,race", STOP_TREE, (
        ("      if (next.who->to_.mark(to_notify)) {\n",
         "      release_link(*next.who);\n      if (next.who->to_.mark(to_notify)) {\n"),)),
    mutant("CO15", "two requests tell the same node: one of them after it was destroyed", "coro",
           "use_after_free,race,assertion,leak,livelock", STOP_TREE, (
        ("  [[nodiscard]] bool mark(nodes& to_notify) {\n    const std::uintptr_t seen = lock();\n"
         "    if (is_requested(seen)) {\n",
         "  [[nodiscard]] bool mark(nodes& to_notify) {\n    const std::uintptr_t seen = lock();\n"
         "    if (false) {\n"),)),
    mutant("CO16", "a request does not own the nodes that it tells", "coro", "use_after_free,race,assertion",
           STOP_TREE, (
        ("      base.owners_.store(2, std::memory_order_relaxed);", "      (void)base;"),)),
    mutant("CO17", "a request forgets the points beside the one that it has gone down to", "coro",
           "assertion", STOP_TREE, (
        ("        next.who->next_.set(path);\n", "        next.who->next_.set(nullptr);\n"
         "        if (path != nullptr) release_link(*path);\n"),)),
    mutant("CO18", "a node that comes loses the points that are there", "coro", "assertion", STOP_TREE, (
        ("    base.below_.set(first_of(seen));\n", ""),)),
    mutant("CO19", "a request tells those above first: they wait for those below, which have not been told", "coro",
           "assertion", STOP_TREE, (
        ("    one.next_.set(first_);\n    first_ = &one;\n",
         "    one.next_.set(nullptr);\n    Node* last = first_;\n"
         "    while (last != nullptr && last->next_.get() != nullptr) last = last->next_.get();\n"
         "    if (last != nullptr) last->next_.set(&one);\n    else first_ = &one;\n"),)),
    mutant("CO20", "nodes that are added one by one come in the opposite order", "coro", "assertion", STOP_TREE, (
        ("    last->next_.set(first_);\n    first_ = others.first_;\n",
         "    while (Node* const one = others.pop()) add(*one);\n"),)),
]
MUTANTS += CORO_MUTANTS

# Bugs of the list that our design cannot have, or that another kind of test holds.
NOT_MUTANTS = {
    "D13": "a huge item pushed by value does not compile: compile_fail.a_deque_of_large_items",
    "P6": "nothing spins in the models, and the stress tests run with spin = 0",
    "P8": "no deadline rescues a worker in the models (`timeouts_rescue` = false), and no test has a periodic timer",
    "P9": "a quota of one CPU gives one worker: topology_test; `idle` asserts that there is at least one",
}
