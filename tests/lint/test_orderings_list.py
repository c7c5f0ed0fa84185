import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import unittest

from fixture import LintCase
import orderings

PATH = "include/filch/queue/q.hpp"

SITES = """
// [Q1] release store: gives → [Q2].
x_.store(1, std::memory_order_release);
// [Q2] acquire load, unobservable: nothing follows ← [Q1].
use(x_.load(std::memory_order_acquire));
// [Q3] release on success ↔ [Q3].
// [Q4] acquire on failure, kept: cheap.
x_.compare_exchange(a, b,
                    std::memory_order_release,
                    std::memory_order_acquire);
A::fence(std::memory_order_seq_cst);  // [Q5] fence ↔ [Q5].
"""

# Every call prints its own line, as the model checker learns it.
PROGRAM = """
#include <atomic>
#include <cstdio>
#include <source_location>
struct word {
  using where = std::source_location;
  int load(std::memory_order, where w = where::current()) const { return std::printf("%u\\n", w.line()); }
  bool compare_exchange(int, int, std::memory_order, std::memory_order, where w = where::current()) {
    return std::printf("%u\\n", w.line()) > 0;
  }
};
struct holder {
  word x;
  word& get() { return x; }
};
int main() {
  holder h;
  // [Q1] acquire ↔ [Q1].
  (void)h.x.load(std::memory_order_acquire);
  // [Q2] acquire ↔ [Q2].
  const int v = 1 +
                h.get().load(
                    std::memory_order_acquire);
  // [Q3] acq_rel ↔ [Q3].
  if (v != 0 && h.get()
                    .compare_exchange(1, 2,
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
  }
}
"""


class list_of_sites(LintCase):
    lint = orderings

    def test_a_site_is_listed_with_its_orders_and_lines(self):
        sites = {s["label"]: s for s in orderings.sites(self.tree({PATH: SITES}))}
        self.assertEqual(["Q1", "Q2", "Q3", "Q4", "Q5"], sorted(sites))
        self.assertEqual(["store", "load", "cas", "cas", "fence"], [sites[l]["kind"] for l in sorted(sites)])
        self.assertEqual([3, 5, 8, 8, 11], [sites[l]["line"] for l in sorted(sites)])
        keys = ("orders", "order_lines", "order_indices")
        self.assertEqual((["release"], [9], [0]), tuple(sites["Q3"][k] for k in keys))
        self.assertEqual((["acquire"], [10], [1]), tuple(sites["Q4"][k] for k in keys))
        self.assertEqual(("nothing follows ← [Q1].", None), (sites["Q2"]["unobservable"], sites["Q1"]["unobservable"]))
        self.assertEqual("cheap.", sites["Q4"]["kept"])
        self.assertEqual((PATH, "queue", ["Q2"]), tuple(sites["Q1"][k] for k in ("file", "layer", "partners")))

    def test_the_command_prints_json(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = orderings.main(["--root", str(self.tree({PATH: SITES}).root), "--list", "--json"])
        self.assertEqual((0, 5), (code, len(json.loads(out.getvalue()))))

    # g++ reports the line of the called name, clang the first line of the expression that names the object.
    def test_the_lines_are_those_that_source_location_reports(self):
        compiler = os.environ.get("FILCH_CXX") or shutil.which("c++")
        if not compiler:
            self.skipTest("there is no C++ compiler to compare with: set FILCH_CXX")
        tree = self.tree({"src/base/a.cpp": PROGRAM})
        program = tree.root / "program"
        subprocess.run([compiler, "-std=c++20", str(tree.root / "src/base/a.cpp"), "-o", str(program)], check=True)
        out = subprocess.run([program], capture_output=True, check=True, text=True).stdout
        reported = [int(line) for line in out.split()]
        is_clang = re.search("clang", subprocess.run([compiler, "--version"], capture_output=True, text=True,
                                                     check=True).stdout)
        key = "begin_line" if is_clang else "line"
        self.assertEqual(reported, [s[key] for s in orderings.sites(tree)])


if __name__ == "__main__":
    unittest.main()
