#!/usr/bin/env python3
"""Work stealing simulated in Python, as one would write it for a lesson: once with SimPy's processes, once with a plain
heap of events. Prints one JSON object.

    lesson_like.py --engine simpy --tasks 100000 --workers 64 --start spread --seed 1 --runs 5

Tasks take 0.5 to 2 s. With --start spread each begins in the queue of a random worker, with --start one all begin in
the queue of worker 0. A worker takes its newest task; without one it visits the others in random order and takes the
oldest task of the first that has any; when nobody has, it looks again after 0.1 s. The run ends with the last task.
"""

import argparse
import heapq
import json
import random
import time
from collections import deque
from dataclasses import dataclass

POLL_S = 0.1


@dataclass
class Task:
    name: str
    length: float


class Worker:
    """One worker's queue and counts, the same for both engines."""

    def __init__(self, number, scheduler):
        self.number = number
        self.scheduler = scheduler
        self.tasks = deque()
        self.current = None
        self.executed = 0
        self.stolen = 0

    def push(self, task):
        self.tasks.append(task)

    def pop(self):
        return self.tasks.pop() if self.tasks else None

    def give(self):
        return self.tasks.popleft() if self.tasks else None

    def steal(self):
        victims = [worker for worker in self.scheduler.workers if worker is not self]
        self.scheduler.random.shuffle(victims)
        for victim in victims:
            task = victim.give()
            if task is not None:
                self.stolen += 1
                return task
        return None

    def begin(self):
        """The next task, or None when there is none to be found."""
        task = self.pop()
        if task is None:
            task = self.steal()
        self.current = task
        return task

    def end(self):
        self.current = None
        self.executed += 1
        self.scheduler.left -= 1
        return self.scheduler.left == 0


class Scheduler:
    def __init__(self, workers, tasks, start, seed):
        self.random = random.Random(seed)
        self.workers = [Worker(number, self) for number in range(workers)]
        for number in range(tasks):
            home = self.random.randrange(workers) if start == "spread" else 0
            self.workers[home].push(Task(f"T{number + 1}", self.random.uniform(0.5, 2.0)))
        self.left = tasks


def run_simpy(scheduler):
    import simpy

    environment = simpy.Environment()
    done = environment.event()

    def run(worker):
        while True:
            task = worker.begin()
            if task is None:
                yield environment.timeout(POLL_S)
                continue
            yield environment.timeout(task.length)
            if worker.end():
                done.succeed()

    for worker in scheduler.workers:
        environment.process(run(worker))
    environment.run(until=done)
    return environment.now


def run_plain(scheduler):
    serial, events = 0, []
    for worker in scheduler.workers:
        events.append((0.0, serial, worker))
        serial += 1
    heapq.heapify(events)
    while True:
        now, _, worker = heapq.heappop(events)
        if worker.current is not None and worker.end():
            return now
        task = worker.begin()
        heapq.heappush(events, (now + (POLL_S if task is None else task.length), serial, worker))
        serial += 1


ENGINES = {"simpy": run_simpy, "plain": run_plain}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=ENGINES, required=True)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--start", choices=("spread", "one"), default="spread")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5, help="with so many seeds from there on")
    given = parser.parse_args()
    if min(given.tasks, given.workers, given.runs) < 1:
        parser.error("--tasks, --workers and --runs: allowed are numbers from 1 on")
    if given.engine == "simpy":
        import simpy  # outside of the measured time
        del simpy
    makespan_s, stolen = 0.0, 0
    began = time.process_time()
    for seed in range(given.seed, given.seed + given.runs):
        scheduler = Scheduler(given.workers, given.tasks, given.start, seed)
        makespan_s += ENGINES[given.engine](scheduler) / given.runs
        stolen += sum(worker.stolen for worker in scheduler.workers)
    cpu_s = time.process_time() - began
    print(json.dumps({"engine": given.engine, "tasks": given.tasks * given.runs, "cpu_s": cpu_s,
                      "makespan_s": makespan_s, "stolen": stolen}))


if __name__ == "__main__":
    main()
