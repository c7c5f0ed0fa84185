import unittest

from fixture import LintCase
import orderings

PATH = "include/filch/queue/q.hpp"
RELEASE = "std::memory_order_release"
ACQUIRE = "std::memory_order_acquire"
RELAXED = "std::memory_order_relaxed"

GOOD = f"""
void push() {{
  slot_.store(1, {RELAXED});  // ordered by [Q1]
  // [Q1] release store: publishes the slot → [Q2] in `steal`.
  bottom_.store(1, {RELEASE});
}}
void steal() {{
  // [Q2] acquire load: the slot is visible ← [Q1] in `push`.
  bottom_.load({ACQUIRE});
}}
"""


def pair(first, second="// [Q2] acquire load: sees it ← [Q1].\n"):
    return first + f"x.store(1, {RELEASE});\n" + second + f"x.load({ACQUIRE});\n"


class labels(LintCase):
    lint = orderings

    def test_labelled_partners_that_name_each_other_are_clean(self):
        self.assert_clean({PATH: GOOD})

    def test_a_label_on_the_line_itself_counts(self):
        self.assert_clean({PATH: f"x.store(1, {RELEASE});  // [Q1] release: gives → [Q2].\n"
                                 f"x.load(std::memory_order::acquire);  // [Q2] acquire: takes ← [Q1].\n"})

    def test_a_label_above_a_statement_of_several_lines_counts(self):
        self.assert_clean({PATH: pair("// [Q1] release store → [Q2].\n")
                           + "// [Q3] acq_rel on success: both ways ↔ [Q3]. The failure order is revalidated by [Q3].\n"
                           f"if (!f(x.compare_exchange(a, b,\n  std::memory_order_acq_rel,\n  {RELAXED}))) return;\n"})

    def test_success_and_failure_may_have_a_label_each(self):
        self.assert_clean({PATH: "// [Q1] release on success → [Q2].\n// [Q2] acquire on failure ← [Q1].\n"
                                 f"x.compare_exchange(a, b, {RELEASE}, {ACQUIRE});\n"})

    def test_prose_may_come_before_the_label(self):
        self.assert_clean({PATH: pair("// The last item is raced for.\n// [Q1] release store → [Q2].\n")})

    def test_a_wrapped_reference_is_no_definition(self):
        self.assert_clean({PATH: pair("// [Q1] release store, seen by\n// [Q2] above all → [Q2].\n")})

    def test_a_strong_order_without_a_label_is_found(self):
        for code in (f"x.load({ACQUIRE});", "A::fence(std::memory_order_seq_cst);",
                     "x.load(std::memory_order::acquire);",
                     f"x.load({ACQUIRE});  // see [Q1]"):
            self.assert_finds({PATH: pair("// [Q1] release → [Q2].\n") + "\n" + code + "\n"},
                              (f"{PATH}:6", "carries no label"))

    def test_a_label_does_not_reach_over_a_blank_line(self):
        self.assert_finds({PATH: pair("// [Q1] release → [Q2].\n\n")},
                          (f"{PATH}:1", "no atomic operation stands"), (f"{PATH}:3", "carries no label"))

    def test_a_label_left_behind_is_found(self):
        self.assert_finds({PATH: GOOD + "// [Q9] acquire load: kept: habit.\nint y;\n"},
                          (f"{PATH}:11", "[Q9] is defined here, but no atomic operation"))

    def test_a_label_without_a_partner_is_found(self):
        self.assert_finds({PATH: f"// [Q1] release store: just in case.\nx.store(1, {RELEASE});\n"},
                          (f"{PATH}:1", "[Q1] names no partner"))

    def test_a_label_may_be_kept_or_unobservable_with_a_reason(self):
        self.assert_clean({PATH: f"x.load({ACQUIRE});  // [Q1] acquire, kept: the cost is nil.\n"
                                 f"x.load({ACQUIRE});  // [Q2] acquire, unobservable: nothing is read after it.\n"})
        self.assert_finds({PATH: f"x.load({ACQUIRE});  // [Q1] acquire, kept:\n"}, (f"{PATH}:1", "names no partner"))

    def test_a_partner_must_exist(self):
        self.assert_finds({PATH: f"x.load({ACQUIRE});  // [Q1] acquire ← [Z9].\n"},
                          (f"{PATH}:1", "[Q1] names [Z9], which is not defined"))

    def test_a_partner_must_name_it_back(self):
        self.assert_finds({PATH: pair("// [Q1] release → [Q2].\n", "// [Q2] acquire, kept: by itself, see [Q1].\n")},
                          (f"{PATH}:1", f"[Q2] at {PATH}:3 does not name it back"))

    def test_several_partners_are_all_checked(self):
        self.assert_finds({PATH: pair("// [Q1] release → [Q2], [Q3] and [Q4].\n")
                           + f"x.load({ACQUIRE});  // [Q3] acquire ← [Q1].\n"},
                          (f"{PATH}:1", "[Q1] names [Q4], which is not defined"))

    def test_a_label_is_defined_once_in_a_layer(self):
        self.assert_finds({PATH: GOOD, "src/queue/q.cpp": f"x.load({ACQUIRE});  // [Q1] acquire ↔ [Q1].\n"},
                          ("src/queue/q.cpp:1", "[Q1] is defined twice in layer queue"))

    def test_two_layers_may_use_the_same_label(self):
        self.assert_clean({PATH: GOOD, "include/filch/park/q.hpp": GOOD})

    def test_a_dead_reference_is_found(self):
        self.assert_finds({PATH: GOOD + "\n// As in [Q7]; after (Le et al. [L13]).\n"},
                          (f"{PATH}:12", "[Q7] is not defined in layer queue"))

    def test_labels_that_cannot_be_dealt_out_are_found(self):
        found = self.findings({PATH: "// [Q1] acquire ↔ [Q1].\n// [Q2] acquire ↔ [Q2].\n"
                                     f"f(a.load({ACQUIRE}), b.load({ACQUIRE}), c.load({ACQUIRE}));\n"})
        self.assertIn("write each label on the line of its operation", str(found[0]))


class implicit_orders(LintCase):
    lint = orderings

    def test_calls_of_other_things_are_clean(self):
        self.assert_clean({PATH: "std::atomic<int> x_{0};\nscenario.load(path);\nready.wait(lock);\n"
                                 "std::size_t next = 0;\n++next;\n"
                                 "std::atomic<int>* slots;\nslots = nullptr;\n"})

    def test_a_call_without_an_order_is_found(self):
        for call in ("x_.load()", "x_.store(1)", "p->x_.exchange(2)", "y.fetch_add(1)", "xs_[3].load()", "x_.wait(0)",
                     "y.compare_exchange_weak(a, b)"):
            self.assert_finds({PATH: f"std::atomic<int> x_{{0}};\nstd::array<std::atomic<int>, 4> xs_;\n{call};\n"},
                              (f"{PATH}:3", "without a memory order is seq_cst"))

    def test_a_variable_of_another_file_is_known(self):
        self.assert_finds({PATH: "typename A::template atomic<int> x_;\n", "src/queue/q.cpp": "x_.load();\n"},
                          ("src/queue/q.cpp:1", "load() without a memory order"))

    def test_an_operator_is_found(self):
        for code in ("++x_;", "x_--;", "x_ += 2;", "x_ = 1;"):
            self.assert_finds({PATH: f"std::atomic<int> x_{{0}};\nvoid f() {{ {code} }}\n"},
                              (f"{PATH}:2", "an operator on the atomic x_"))

    def test_an_order_must_not_be_hidden(self):
        for code in (f"constexpr auto k = {ACQUIRE};", "void f(std::memory_order o);", "using enum std::memory_order;",
                     f"#define ACQ {ACQUIRE}"):
            self.assertTrue(any("hides" in f.message for f in self.findings({PATH: code + "\n"})), code)

    def test_base_may_forward_orders(self):
        text = ("// lint: orderings-forward\nint load(std::memory_order o) { return v_.load(o); }\n"
                "void fence(std::memory_order o) { if (o == std::memory_order_seq_cst) x(); }\n")
        self.assert_clean({"include/filch/base/a.hpp": text})
        found = self.findings({PATH: text})
        self.assertIn("for base/ only", found[0].message)

    def test_a_forwarding_file_still_labels_its_own_orders(self):
        self.assert_finds({"include/filch/base/a.hpp": f"// lint: orderings-forward\n\nv_.load({ACQUIRE});\n"},
                          ("include/filch/base/a.hpp:3", "carries no label"))


class relaxed_reasons(LintCase):
    lint = orderings

    def test_each_reason_of_the_list_is_accepted(self):
        for reason in ("owner-only", "Before publication: nobody sees it", "ordered by [Q1]", "revalidated by [Q2]",
                       "a statistic", "hint", "hint: seen late"):
            self.assert_clean({PATH: GOOD + f"\nx.load({RELAXED});  // {reason}\n\n// {reason}\nx.load({RELAXED});\n"})

    def test_one_comment_covers_a_run_of_statements(self):
        self.assert_clean({PATH: f"// owner-only\nx.load({RELAXED});\ny.store(1,\n  {RELAXED});\nz.load({RELAXED});\n"})

    def test_a_run_ends_at_a_blank_line_or_another_statement(self):
        for between in ("\n", "f();\n"):
            self.assert_finds({PATH: f"// owner-only\nx.load({RELAXED});\n{between}y.load({RELAXED});\n"},
                              (f"{PATH}:4", "relaxed load() without a reason"))

    def test_no_reason_is_found(self):
        for comment in ("", "// it is fast", "// ordered by the lock", "// statistically fine",
                        "// a hint at more"):
            self.assert_finds({PATH: f"x.load({RELAXED});  {comment}\n"},
                              (f"{PATH}:1", "without a reason; one of: owner"))

    def test_the_failure_order_of_a_cas_needs_a_reason_too(self):
        self.assert_finds({PATH: f"// [Q1] release ↔ [Q1].\nx.compare_exchange(a, b, {RELEASE}, {RELAXED});\n"},
                          (f"{PATH}:2", "relaxed compare_exchange() without a reason"))

    def test_a_reason_must_name_a_label_that_exists(self):
        self.assert_finds({PATH: f"x.load({RELAXED});  // ordered by [Q1]\n"},
                          (f"{PATH}:1", "its reason names [Q1], which is not defined"))


if __name__ == "__main__":
    unittest.main()
