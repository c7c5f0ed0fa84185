import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tasks that all wait for their time; and timers that are set and never fire. Both are those of CompletableFuture: one
 * thread of a ScheduledThreadPoolExecutor.
 */
final class ForkJoinTimer {
  private static final long CHAINS = 8;
  private static long bytesBefore = -1;

  static Shapes.Outcome sleepers(ForkJoinPool pool, long tasks) throws IOException, InterruptedException {
    if (bytesBefore < 0) bytesBefore = Shapes.residentBytes();
    Shapes.Countdown awake = new Shapes.Countdown(tasks);
    AtomicLong asleep = new AtomicLong();
    long spanUs = Math.max(20_000, 3 * tasks); // long enough for all to be asleep before the first wakes
    for (long i = 0; i != tasks; ++i) {
      pool.execute(
          () -> {
            Executor later = CompletableFuture.delayedExecutor(spanUs, TimeUnit.MICROSECONDS, pool);
            later.execute(() -> awake.finish(1));
            asleep.incrementAndGet();
          });
    }
    while (asleep.get() != tasks) Thread.sleep(1);
    long bytes = Math.max(1, Shapes.residentBytes() - bytesBefore);
    return new Shapes.Outcome(awake.await(), Shapes.Outcome.NONE, bytes);
  }

  /** Sets a timer, lets others run, and cancels it: as a call with a time limit that is kept. */
  private static void churn(ForkJoinPool pool, Shapes.Countdown counter, long times, long done) {
    if (done == times) {
      counter.finish(done);
      return;
    }
    CompletableFuture<Long> called = new CompletableFuture<>();
    called.orTimeout(1, TimeUnit.HOURS).thenAccept(one -> churn(pool, counter, times, done + one));
    pool.execute(() -> called.complete(1L));
  }

  static Shapes.Outcome churn(ForkJoinPool pool, long timers) throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(CHAINS);
    for (long i = 0; i != CHAINS; ++i) pool.execute(() -> churn(pool, counter, timers / CHAINS, 0));
    return Shapes.Outcome.of(counter.await());
  }

  private ForkJoinTimer() {}
}
