// The workloads on Java's ForkJoinPool, and the same in serial Java (THREADS = 0). The protocol is that of
// harness/program.hpp, but for more repetitions that are not printed: the compiler comes in while the program runs.
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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

  /** A run that is shorter is run several times in a turn, so often at most: as in harness/main.cpp. */
  private static final long SHORT_NS = 10_000_000;

  private static final int MOST_RUNS = 15;

  /** One run. */
  record Sample(long ns, long cpuNs) {
    static Sample of(Job job, boolean isSerial) {
      job.prepare();
      long cpu = ForkJoin.cpuNs();
      long began = System.nanoTime();
      job.run(isSerial);
      long ns = System.nanoTime() - began;
      return new Sample(ns, ForkJoin.cpuNs() - cpu);
    }

    void tell(Job job) {
      System.out.println(
          "{\"ns\": " + ns + ", \"cpu_ns\": " + cpuNs + ", \"checksum\": \""
              + Long.toUnsignedString(job.checksum()) + "\"}");
    }
  }

  /** The last of the runs that do not count. */
  static Sample warmUp(Job job, boolean isSerial) {
    WarmUp warmUp = new WarmUp(WARM_UPS);
    Sample made;
    do {
      made = Sample.of(job, isSerial);
      warmUp.tookThis();
    } while (!warmUp.isOver);
    return made;
  }

  static void measure(Job job, boolean isSerial, long repetitions) {
    warmUp(job, isSerial);
    for (long done = 0; done != repetitions; ++done) Sample.of(job, isSerial).tell(job);
  }

  static void takeTurns(Job job, boolean isSerial) throws IOException {
    long last = warmUp(job, isSerial).ns();
    System.out.println("{\"ready\": true}");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    while (lines.readLine() != null) {
      if (last < SHORT_NS) Sample.of(job, isSerial);
      List<Sample> runs = new ArrayList<>();
      long began = System.nanoTime();
      do {
        runs.add(Sample.of(job, isSerial));
      } while (runs.size() != MOST_RUNS && System.nanoTime() - began < SHORT_NS);
      last = runs.get(runs.size() - 1).ns();
      runs.sort(Comparator.comparingLong(Sample::ns));
      runs.get((runs.size() - 1) / 2).tell(job);
    }
  }

  public static void main(String[] words) throws Exception {
    if (words.length == 1 && words[0].equals("--about")) {
      System.out.println(
          "{\"runtime\": \"ForkJoinPool\", \"language\": \"Java\", \"compiler\": \"Java "
              + System.getProperty("java.version")
              + "\", \"flags\": \"-XX:MaxRecursiveInlineLevel=0\", \"has_serial\": true, "
              + "\"takes_turns\": true, \"workloads\": [\""
              + String.join("\", \"", WORKLOADS.keySet()) + "\"]}");
      return;
    }
    if (words.length != 4 || !WORKLOADS.containsKey(words[0])) {
      System.err.println("usage: --about | WORKLOAD SIZE THREADS REPETITIONS|turns; --about lists the workloads");
      System.exit(2);
    }
    Job job = WORKLOADS.get(words[0]).apply(Long.parseLong(words[1]));
    int threads = Integer.parseInt(words[2]);
    boolean isInTurns = words[3].equals("turns");
    long repetitions = isInTurns ? 0 : Long.parseLong(words[3]);
    Callable<Void> measured =
        () -> {
          if (isInTurns) takeTurns(job, threads == 0);
          else measure(job, threads == 0, repetitions);
          return null;
        };
    new ForkJoinPool(Math.max(threads, 1)).submit(measured).get();
  }

  private ForkJoin() {}
}
