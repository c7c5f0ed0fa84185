/* The idle protocol of include/filch/park/idle.hpp as a Promela model: who searches, who sleeps, whom new work wakes.
 *
 * Spin runs every interleaving of these steps. It knows no weak memory: each step here is what a sequentially
 * consistent machine does, as the seq_cst fences [I2], [I3] and [I4] promise it. (The model checker in tests/model runs
 * the C++ source itself under the memory model; this is the protocol, with more workers and longer runs.) A missing
 * fence is modelled by the reordering it would allow: faults 3 and 4.
 *
 * A critical section under mutex_ is several steps here, because the number of searchers changes outside of it.
 * Workers look at QUEUES shared queues one after the other, and worker 0 has an inbox besides. A job may be long: it
 * ends only when every shared job has been taken, so another worker must come and take them. At most WORKERS - 1 jobs
 * are long at a time, and none with SINGLE.
 *
 * Properties
 *   P1  No lost wake-up: when nothing can move any more, every job has been run, so no work lies there while all
 *       workers are parked or busy with long jobs (assertion in `monitor`).
 *   P2  Nobody is left in the middle: the only end state is all workers parked, nobody searching (Spin's check of end
 *       states, and `monitor`).
 *   P3  A worker has at most one token and is among the sleepers at most once; the counts are those of the list.
 *   P4  With SINGLE: a submission to an idle set wakes exactly one worker.
 *
 * FAULT  1  the sleeper does not look again after its announcement
 *        2  the last searcher leaves without looking again
 *        3  the sleeper's last look comes before its announcement becomes visible: fence [I3] is missing
 *        4  the submitter looks for sleepers before its job becomes visible: fence [I4] is missing
 *        5  a worker that withdraws from its sleep although it was chosen leaves its token behind
 *        6  the last searcher wakes somebody without looking (found with SINGLE)
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef SUBMITTERS
#define SUBMITTERS 2
#endif
#ifndef JOBS_EACH
#define JOBS_EACH 2
#endif
#ifndef PINNED
#define PINNED 0
#endif
#ifndef MAX_SEARCHING
#define MAX_SEARCHING WORKERS
#endif
#ifndef FAULT
#define FAULT 0
#endif
#define QUEUES 2
#define SHARED (SUBMITTERS * JOBS_EACH)
#define NOBODY WORKERS

/* Shared words. */
byte queue[QUEUES];       /* jobs that lie in each shared queue */
byte inbox;               /* pinned jobs of worker 0 */
byte searching;           /* the two halves of counts_ */
byte sleeping;
bool locked;              /* mutex_ */
byte sleepers[WORKERS];   /* the longest asleep first; sleeping entries */
bool token[WORKERS];      /* the parkers */

/* What only the properties see. */
byte shared_taken;
byte shared_run;
byte pinned_run;
byte busy_long;
byte parked;              /* workers that have looked for the last time */
byte wakes;               /* tokens given; with SINGLE */

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

/* Under the lock: takes `who` out of the list, if it is there, and counts it as searching. */
inline take_out(who, found) {
  d_step {
    found = false;
    i = 0;
    do
    :: i < sleeping && sleepers[i] == who -> found = true; break
    :: i < sleeping && sleepers[i] != who -> i++
    :: i >= sleeping -> break
    od;
    if
    :: found ->
       do
       :: i + 1 < sleeping -> sleepers[i] = sleepers[i + 1]; i++
       :: else -> break
       od;
       sleeping--;
       sleepers[sleeping] = 0;
       searching++
    :: else -> skip
    fi;
    i = 0
  }
}

inline unpark(who) {
  atomic {
    assert(!token[who]);  /* P3 */
#ifdef SINGLE
    wakes++;
#endif
    token[who] = true
  }
}

/* idle::notify, after a push. `seen` is the first look, without the lock. */
inline look_for_sleepers(seen) { seen = (sleeping != 0 && searching == 0) }
inline notify_if(seen) {
  if
  :: seen ->
     lock();
     if
     :: atomic { sleeping != 0 && searching == 0 -> chosen = sleepers[0] };
        take_out(chosen, found);
        unlock();
        unpark(chosen);
        chosen = 0
     :: atomic { !(sleeping != 0 && searching == 0) -> unlock() }
     fi
  :: else -> skip
  fi
}

inline look_at_queues(visible) {
  visible = (queue[0] != 0);
  if
  :: !visible -> visible = (queue[1] != 0)
  :: else -> skip
  fi;
  if
  :: !visible && me == 0 -> visible = (inbox != 0)
  :: else -> skip
  fi
}

/* Takes one job if there is one: 1 shared, 2 pinned. The order of the queues is free. */
inline take_job(kind) {
  if
  :: atomic { me == 0 && inbox != 0 -> inbox--; kind = 2 }
  :: atomic { queue[0] != 0 -> queue[0]--; shared_taken++; kind = 1 }
  :: atomic { queue[1] != 0 -> queue[1]--; shared_taken++; kind = 1 }
  :: atomic { queue[0] == 0 && queue[1] == 0 && !(me == 0 && inbox != 0) -> kind = 0 }
  fi
}

proctype worker(byte me) {
  byte i, chosen, kind;
  bool is_searching, visible, found, last;

active_worker:
  /* try_start_searching */
  if
  :: atomic { !is_searching && searching < MAX_SEARCHING -> searching++; is_searching = true }
  :: atomic { !is_searching && searching >= MAX_SEARCHING -> skip }
  :: is_searching -> skip
  fi;

  kind = 0;
  if
  :: is_searching -> take_job(kind)
  :: else -> skip
  fi;
  if
  :: kind == 0 -> goto announce
  :: else -> skip
  fi;

  /* stop_searching, and its duty */
  atomic {
    assert(searching >= 1);  /* P3 */
    last = (searching == 1 && sleeping != 0);
    searching--;
    is_searching = false
  }
#if FAULT != 2
  if
  :: last ->
#if FAULT == 6
     visible = true;
#else
     look_at_queues(visible);
#endif
     if
     :: visible -> look_for_sleepers(visible); notify_if(visible)
     :: else -> skip
     fi
  :: else -> skip
  fi;
#endif
  d_step { visible = false; found = false; last = false };

  /* run */
  if
  :: kind == 1 ->
     if
#ifndef SINGLE
     :: atomic { busy_long < WORKERS - 1 -> busy_long++ };
        atomic { shared_taken == SHARED -> busy_long-- }
#endif
     :: skip
     fi;
     shared_run++
  :: kind == 2 -> pinned_run++
  fi;
  goto active_worker;

announce:
#if FAULT == 3
  look_at_queues(visible);
#endif
  lock();
  atomic {
    assert(sleeping < WORKERS);
    sleepers[sleeping] = me;
    sleeping++;
    if
    :: is_searching -> searching--
    :: else -> skip
    fi;
    is_searching = false;
    unlock()
  }
#if FAULT == 1
  visible = false;
#elif FAULT != 3
  look_at_queues(visible);
#endif
  if
  :: visible -> /* retract_sleep */
retract:
     lock();
     take_out(me, found);
     unlock();
     if
     :: found -> skip
#if FAULT == 5
     :: else -> skip
#else
     :: else -> atomic { token[me] -> token[me] = false }
#endif
     fi
  :: else -> /* sleep */
     parked++;
end_parked:
     if
     :: atomic { token[me] -> token[me] = false; parked-- }
#ifdef DEADLINES
     :: atomic { !token[me] -> parked-- }; goto retract
#endif
     fi
  fi;
  d_step { is_searching = true; visible = false; found = false };
  goto active_worker
}

/* Pushes to a shared queue, then looks for sleepers. */
proctype submitter(byte number) {
  byte i, chosen, jobs;
  bool seen, found;

  do
  :: jobs < JOBS_EACH ->
#ifdef SINGLE
     atomic { parked == WORKERS && sleeping == WORKERS && shared_run == jobs -> assert(wakes == jobs) }  /* P4 */
#endif
#if FAULT == 4
     look_for_sleepers(seen);
     queue[(number + jobs) % QUEUES]++;
#else
     queue[(number + jobs) % QUEUES]++;
     look_for_sleepers(seen);
#endif
     notify_if(seen);
     d_step { jobs++; seen = false; found = false }
  :: else -> break
  od
#ifdef SINGLE
  ;
  atomic { parked == WORKERS && shared_run == jobs -> assert(wakes == jobs) }  /* P4 */
#endif
}

/* Pushes to worker 0's inbox, then wakes worker 0 if it sleeps: idle::notify_worker. */
proctype pinner() {
  byte i, jobs;
  bool found;

  do
  :: jobs < PINNED ->
     inbox++;
     if
     :: sleeping != 0 ->
        lock();
        take_out(0, found);
        unlock();
        if
        :: found -> unpark(0)
        :: else -> skip
        fi
     :: else -> skip
     fi;
     d_step { jobs++; found = false }
  :: else -> break
  od
}

/* P1, P2: nothing else can move. */
proctype monitor() {
end_watching:
  atomic {
    timeout ->
    assert(shared_run == SHARED);
    assert(pinned_run == PINNED);
    assert(queue[0] == 0 && queue[1] == 0 && inbox == 0);
    assert(parked == WORKERS && sleeping == WORKERS && searching == 0)
  }
}

init {
  byte n;
  atomic {
    for (n : 0 .. WORKERS - 1) { run worker(n) }
    for (n : 0 .. SUBMITTERS - 1) { run submitter(n) }
    if
    :: PINNED != 0 -> run pinner()
    :: else -> skip
    fi;
    run monitor()
  }
}
