import java.util.concurrent.locks.ReentrantLock;

/**
 * Eight threads that hand one fair lock to each other: each yields while it holds it, so that all others stand in line.
 */
final class ThreadsMutex {
  private static final long THREADS = 8;

  static Shapes.Outcome run(long times) throws InterruptedException {
    ReentrantLock lock = new ReentrantLock(true);
    long[] guarded = {0};
    Shapes.Countdown counter = new Shapes.Countdown(THREADS);
    for (long i = 0; i != THREADS; ++i) {
      ThreadsStart.thread(
          () -> {
            for (long n = 0; n != times / THREADS; ++n) {
              lock.lock();
              Thread.yield();
              ++guarded[0];
              lock.unlock();
            }
            counter.finish(0);
          });
    }
    counter.await();
    return Shapes.Outcome.of(guarded[0]);
  }

  private ThreadsMutex() {}
}
