import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;

/** Tasks that do nothing but count: started by the main thread, by one task, and each by the one before. */
final class ForkJoinSpawn {
  private static void executeAll(ForkJoinPool pool, Shapes.Countdown counter, long tasks) {
    for (long i = 0; i != tasks; ++i) pool.execute(() -> counter.finish(1));
  }

  static Shapes.Outcome fromOutside(ForkJoinPool pool, long tasks) throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(tasks);
    executeAll(pool, counter, tasks);
    return Shapes.Outcome.of(counter.await());
  }

  static Shapes.Outcome fromInside(ForkJoinPool pool, long tasks) throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(tasks);
    pool.execute(() -> executeAll(pool, counter, tasks));
    return Shapes.Outcome.of(counter.await());
  }

  private static void link(ForkJoinPool pool, Shapes.Countdown counter, long left) {
    if (left > 1) CompletableFuture.runAsync(() -> link(pool, counter, left - 1), pool);
    counter.finish(1);
  }

  static Shapes.Outcome chained(ForkJoinPool pool, long tasks) throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(tasks);
    CompletableFuture.runAsync(() -> link(pool, counter, tasks), pool);
    return Shapes.Outcome.of(counter.await());
  }

  private ForkJoinSpawn() {}
}
