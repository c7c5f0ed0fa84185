// The workloads on Java's ForkJoinPool, and the same in serial Java (THREADS = 0). The protocol is that of
// harness/program.hpp, but for more repetitions that are not printed: the compiler comes in while the program runs.
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;

final class ForkJoin {
  static final int WARM_UPS = 5;

  /** One workload of one size, ready to be measured. */
  interface Job {
    void run(boolean isSerial);

    long checksum();

    default void prepare() {}
  }

  /** A task that returns a number. */
  interface Compute {
    long call();
  }

  static final class Task extends RecursiveTask<Long> {
    private final Compute compute;

    Task(Compute compute) {
      this.compute = compute;
    }

    @Override
    protected Long compute() {
      return compute.call();
    }
  }

  static final class Action extends RecursiveAction {
    private final Runnable run;

    Action(Runnable run) {
      this.run = run;
    }

    @Override
    protected void compute() {
      run.run();
    }
  }

  static void join(Runnable first, Runnable second) {
    Action forked = new Action(second);
    forked.fork();
    first.run();
    forked.join();
  }

  static LongFunction<Job> number(LongUnaryOperator serial, LongUnaryOperator parallel) {
    return size ->
        new Job() {
          private long result;

          @Override
          public void run(boolean isSerial) {
            result = isSerial ? serial.applyAsLong(size) : parallel.applyAsLong(size);
          }

          @Override
          public long checksum() {
            return result;
          }
        };
  }

  /** The numbers to sort: the same in every language. They have 31 bits, so that signs do not matter. */
  static int[] numbersToSort(int count) {
    int[] made = new int[count];
    long state = 88172645463325252L;
    for (int i = 0; i != count; ++i) {
      state ^= state << 13;
      state ^= state >>> 7;
      state ^= state << 17;
      made[i] = (int) (state >>> 33);
    }
    return made;
  }

  static long orderChecksum(int[] items) {
    long sum = 0;
    for (int each : items) sum = sum * 31 + (each & 0xffffffffL);
    return sum;
  }

  /** Small inputs are gone through several times. */
  static long passes(long together, long size) {
    return size >= together ? 1 : together / size;
  }

  static final Map<String, LongFunction<Job>> WORKLOADS = new LinkedHashMap<>();

  static {
    WORKLOADS.put("fib", ForkJoinFib.MAKE);
    WORKLOADS.put("nqueens", ForkJoinNqueens.MAKE);
    WORKLOADS.put("skynet", ForkJoinSkynet.MAKE);
    WORKLOADS.put("matmul", ForkJoinMatmul::new);
    WORKLOADS.put("mergesort", ForkJoinMergesort::new);
    WORKLOADS.put("sort", ForkJoinSort::new);
    WORKLOADS.put("uts_t1", ForkJoinUts.MAKE_T1);
    WORKLOADS.put("uts_t3", ForkJoinUts.MAKE_T3);
    WORKLOADS.put("tree_sum", ForkJoinTreeSum::new);
    WORKLOADS.put("for_each", ForkJoinForEach::new);
    WORKLOADS.put("join", ForkJoinJoin.MAKE);
  }

  /** CPU time of all threads. Java's own clock of the process has steps of 10 ms. */
  static long cpuNs() {
    long sum = 0;
    File[] threads = new File("/proc/self/task").listFiles();
    for (File thread : threads == null ? new File[0] : threads) {
      try {
        sum += Long.parseLong(Files.readString(thread.toPath().resolve("schedstat")).split(" ")[0]);
      } catch (IOException ended) {
        continue; // a thread that has ended meanwhile
      }
    }
    return sum;
  }

  /** The runs that are not printed: a number at least, and for as long as in harness/main.cpp. */
  static final class WarmUp {
    private static final long NS = 100_000_000;
    private final long started = System.nanoTime();
    private int left;
    private boolean isOver = false;

    WarmUp(int atLeast) {
      left = atLeast;
    }

    /** After each run: was it one of these? */
    boolean tookThis() {
      if (isOver) return false;
      --left;
      isOver = left <= 0 && System.nanoTime() - started >= NS;
      return true;
    }
  }

  static void measure(Job job, boolean isSerial, long repetitions) {
    WarmUp warmUp = new WarmUp(WARM_UPS);
    for (long done = 0; done != repetitions; ) {
      job.prepare();
      long cpu = cpuNs();
      long began = System.nanoTime();
      job.run(isSerial);
      long ns = System.nanoTime() - began;
      cpu = cpuNs() - cpu;
      if (warmUp.tookThis()) continue;
      ++done;
      System.out.println(
          "{\"ns\": " + ns + ", \"cpu_ns\": " + cpu + ", \"checksum\": \"" + Long.toUnsignedString(job.checksum())
              + "\"}");
    }
  }

  public static void main(String[] words) throws Exception {
    if (words.length == 1 && words[0].equals("--about")) {
      System.out.println(
          "{\"runtime\": \"ForkJoinPool\", \"language\": \"Java\", \"compiler\": \"Java "
              + System.getProperty("java.version")
              + "\", \"flags\": \"-XX:MaxRecursiveInlineLevel=0\", \"has_serial\": true, \"workloads\": [\""
              + String.join("\", \"", WORKLOADS.keySet()) + "\"]}");
      return;
    }
    if (words.length != 4 || !WORKLOADS.containsKey(words[0])) {
      System.err.println("usage: --about | WORKLOAD SIZE THREADS REPETITIONS; --about lists the workloads");
      System.exit(2);
    }
    Job job = WORKLOADS.get(words[0]).apply(Long.parseLong(words[1]));
    int threads = Integer.parseInt(words[2]);
    long repetitions = Long.parseLong(words[3]);
    ForkJoinPool pool = new ForkJoinPool(Math.max(threads, 1));
    pool.submit(() -> measure(job, threads == 0, repetitions)).get();
  }

  private ForkJoin() {}
}
