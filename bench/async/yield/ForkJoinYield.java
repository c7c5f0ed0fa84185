import java.util.concurrent.ForkJoinPool;

/** 200 chains of tasks, each of which starts the next: a task of this pool cannot yield. */
final class ForkJoinYield implements Runnable {
  private static final long TASKS = 200;

  private final ForkJoinPool pool;
  private final Shapes.Countdown counter;
  private final long times;
  private long done = 0;

  private ForkJoinYield(ForkJoinPool pool, Shapes.Countdown counter, long times) {
    this.pool = pool;
    this.counter = counter;
    this.times = times;
  }

  @Override
  public void run() {
    if (done == times) {
      counter.finish(done);
      return;
    }
    ++done;
    pool.execute(this);
  }

  static Shapes.Outcome run(ForkJoinPool pool, long yields) throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(TASKS);
    for (long i = 0; i != TASKS; ++i) pool.execute(new ForkJoinYield(pool, counter, yields / TASKS));
    return Shapes.Outcome.of(counter.await());
  }
}
