#!/bin/sh
# Runs the Spin model of the idle protocol.
#   run_spin.sh holds idle.pml workdir     every configuration of the protocol must have no error
#   run_spin.sh faults idle.pml workdir    every seeded fault must be found
# Exit code 77: Spin is not installed. CC names the C compiler (default cc).
set -eu

if [ $# -ne 3 ]; then
  echo "usage: run_spin.sh holds|faults model.pml workdir" >&2
  exit 2
fi
what=$1
model=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
mkdir -p "$3"
cd "$3"

if ! command -v spin >/dev/null 2>&1; then
  echo "skipped: spin is not installed (Debian package spin)"
  exit 77
fi

# check <name> <definitions>: builds the verifier and prints the number of errors it reports.
check() {
  name=$1
  shift
  rm -rf "$name"
  mkdir "$name"
  (
    cd "$name"
    spin -a "$@" "$model" >spin.log 2>&1 || { cat spin.log >&2; exit 3; }
    "${CC:-cc}" -O2 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM=2048 -o pan pan.c
    ./pan -m2000000 >pan.log 2>&1 || true
    # A search that was cut short proves nothing.
    if grep -q -e 'max search depth too small' -e 'out of memory' -e 'reached -DMEMLIM' pan.log; then
      echo "$name: the search was cut short" >&2
      cat pan.log >&2
      exit 3
    fi
    sed -n 's/.*errors: \([0-9][0-9]*\).*/\1/p' pan.log
  )
}

failures=0
expect() {  # expect none|some <name> <definitions>
  wanted=$1
  shift
  errors=$(check "$@")
  states=$(sed -n 's/^ *\([0-9][0-9]*\) states, stored.*/\1/p' "$1/pan.log")
  echo "$1: errors: ${errors:-unknown}, ${states:-?} states ($wanted expected)"
  case "$wanted:${errors:-unknown}" in
    none:0 | some:[1-9]*) ;;
    *)
      failures=$((failures + 1))
      cat "$1/pan.log" >&2
      ;;
  esac
}

case $what in
  holds)
    expect none two_workers -DWORKERS=2 -DSUBMITTERS=2 -DJOBS_EACH=2
    expect none three_workers -DWORKERS=3 -DSUBMITTERS=2 -DJOBS_EACH=1
    expect none one_worker -DWORKERS=1 -DSUBMITTERS=2 -DJOBS_EACH=2
    expect none one_searcher -DWORKERS=3 -DSUBMITTERS=1 -DJOBS_EACH=2 -DMAX_SEARCHING=1
    expect none pinned_jobs -DWORKERS=2 -DSUBMITTERS=1 -DJOBS_EACH=2 -DPINNED=2
    expect none deadlines -DWORKERS=2 -DSUBMITTERS=1 -DJOBS_EACH=2 -DPINNED=1 -DDEADLINES
    expect none wakes_exactly_one -DWORKERS=3 -DSUBMITTERS=1 -DJOBS_EACH=3 -DSINGLE
    ;;
  faults)
    expect some no_look_after_announcing -DFAULT=1
    expect some last_searcher_leaves_without_looking -DFAULT=2
    expect some announcement_after_the_last_look -DFAULT=3
    expect some sleepers_looked_for_before_the_push -DFAULT=4
    expect some token_left_behind -DFAULT=5
    expect some last_searcher_wakes_without_looking -DFAULT=6 -DSUBMITTERS=1 -DSINGLE
    ;;
  *)
    echo "run_spin.sh: the first argument is \"$what\"; it must be holds or faults" >&2
    exit 2
    ;;
esac

[ "$failures" -eq 0 ]
