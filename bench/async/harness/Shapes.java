/*
 * The asynchronous shapes in Java, on one of two runtimes, which the first word names:
 *
 *   ForkJoinPool   tasks that never wait: what comes next is run when a CompletableFuture is complete
 *   threads        one thread for each task, which may wait; the number of threads that is asked for does not matter
 *
 * Then comes the protocol of bench/workloads/harness/program.hpp.
 */
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

final class Shapes {
  /** What one run brought. */
  record Outcome(long checksum, long ns, long bytes) {
    static final long NONE = -1;

    static Outcome of(long checksum) {
      return new Outcome(checksum, NONE, NONE);
    }
  }

  interface Shape {
    Outcome run(long size) throws Exception;
  }

  /** Counts tasks down; the last one tells. */
  static final class Countdown {
    private final AtomicLong left;
    private final AtomicLong sum = new AtomicLong();
    private final Semaphore done = new Semaphore(0);

    Countdown(long tasks) {
      left = new AtomicLong(tasks);
    }

    /** So many operations were done by a task that ends. */
    void finish(long operations) {
      sum.addAndGet(operations);
      if (left.decrementAndGet() == 0) done.release();
    }

    /** The sum of the operations, when all have ended. */
    long await() throws InterruptedException {
      done.acquire();
      return sum.get();
    }
  }

  /** Shapes of tasks; those that are not forked and joined are taken first in, first out. */
  static Map<String, Shape> ofPool(int threads) {
    ForkJoinPool pool = new ForkJoinPool(threads, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    ForkJoinPool trees = new ForkJoinPool(threads);
    Map<String, Shape> all = new LinkedHashMap<>();
    all.put("spawn_many", size -> ForkJoinSpawn.fromOutside(pool, size));
    all.put("spawn_inside", size -> ForkJoinSpawn.fromInside(pool, size));
    all.put("chained_spawn", size -> ForkJoinSpawn.chained(pool, size));
    all.put("yield_many", size -> ForkJoinYield.run(pool, size));
    all.put("ping_pong", size -> ForkJoinPingPong.run(pool, size));
    all.put("sleepers", size -> ForkJoinTimer.sleepers(pool, size));
    all.put("timer_churn", size -> ForkJoinTimer.churn(pool, size));
    all.put("fib", size -> forked(trees, ForkJoinFib.MAKE.apply(size)));
    all.put("skynet", size -> forked(trees, ForkJoinSkynet.MAKE.apply(size)));
    all.put("wake", size -> ForkJoinWake.run(pool, size, 0.5));
    all.put("wake_p99", size -> ForkJoinWake.run(pool, size, 0.99));
    return all;
  }

  static Map<String, Shape> ofThreads() {
    Map<String, Shape> all = new LinkedHashMap<>();
    all.put("spsc", size -> ThreadsChannel.bounded(size, 1, 1));
    all.put("spsc_unbounded", size -> ThreadsChannel.unbounded(size, 1, 1));
    all.put("mpsc", size -> ThreadsChannel.bounded(size, ThreadsChannel.SENDERS, 1));
    all.put("mpsc_unbounded", size -> ThreadsChannel.unbounded(size, ThreadsChannel.SENDERS, 1));
    all.put("mpmc", size -> ThreadsChannel.bounded(size, ThreadsChannel.SENDERS, ThreadsChannel.SENDERS));
    all.put("mpmc_unbounded", size -> ThreadsChannel.unbounded(size, ThreadsChannel.SENDERS, ThreadsChannel.SENDERS));
    all.put("mutex", ThreadsMutex::run);
    return all;
  }

  /** A workload of bench/workloads. */
  private static Outcome forked(ForkJoinPool pool, ForkJoin.Job job) throws Exception {
    pool.submit(() -> job.run(false)).get();
    return Outcome.of(job.checksum());
  }

  /** The memory of this process. */
  static long residentBytes() throws IOException {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }

  /** A million sleeping tasks need no compiler that is warm. */
  private static int warmUps(String name) {
    return name.equals("sleepers") ? 1 : ForkJoin.WARM_UPS;
  }

  private static void measure(String name, Shape shape, long size, long repetitions) throws Exception {
    ForkJoin.WarmUp warmUp = new ForkJoin.WarmUp(warmUps(name));
    for (long done = 0; done != repetitions; ) {
      long cpu = ForkJoin.cpuNs();
      long began = System.nanoTime();
      Outcome outcome = shape.run(size);
      long ns = outcome.ns() == Outcome.NONE ? System.nanoTime() - began : outcome.ns();
      cpu = Math.max(0, ForkJoin.cpuNs() - cpu); // threads that have ended meanwhile are not in it
      if (warmUp.tookThis()) continue;
      ++done;
      System.out.println(
          "{\"ns\": " + ns + ", \"cpu_ns\": " + cpu + ", \"checksum\": \"" + outcome.checksum() + "\""
              + (outcome.bytes() == Outcome.NONE ? "" : ", \"bytes\": " + outcome.bytes()) + "}");
    }
  }

  public static void main(String[] words) throws Exception {
    boolean isPool = words.length != 0 && words[0].equals("ForkJoinPool");
    if (words.length == 2 && words[1].equals("--about")) {
      System.out.println(
          "{\"runtime\": \"" + (isPool ? "ForkJoinPool" : "Java threads")
              + "\", \"language\": \"Java\", \"compiler\": \"Java " + System.getProperty("java.version")
              + "\", \"flags\": \"default\", \"has_serial\": false, \"workloads\": [\""
              + String.join("\", \"", (isPool ? ofPool(1) : ofThreads()).keySet()) + "\"]}");
      return;
    }
    if (words.length != 5 || !(isPool ? ofPool(1) : ofThreads()).containsKey(words[1])) {
      System.err.println("usage: --about | WORKLOAD SIZE THREADS REPETITIONS; --about lists the workloads");
      System.exit(2);
    }
    Map<String, Shape> all = isPool ? ofPool(Integer.parseInt(words[3])) : ofThreads();
    measure(words[1], all.get(words[1]), Long.parseLong(words[2]), Long.parseLong(words[4]));
    System.exit(0); // threads that wait for more to do end, too
  }

  private Shapes() {}
}
