import java.util.Arrays;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;

/** How late tasks start that come from outside while all threads of the pool sleep. */
final class ForkJoinWake {
  static Shapes.Outcome run(ForkJoinPool pool, long tasks, double share) throws InterruptedException {
    long[] late = new long[(int) tasks];
    for (int i = 0; i != late.length; ++i) {
      Thread.sleep(0, 500_000);
      Semaphore hasStarted = new Semaphore(0);
      int place = i;
      long before = System.nanoTime();
      pool.execute(
          () -> {
            late[place] = System.nanoTime() - before;
            hasStarted.release();
          });
      hasStarted.acquire();
    }
    Arrays.sort(late);
    long chosen = late[(int) (share * (late.length - 1))];
    return new Shapes.Outcome(late.length, chosen * late.length, Shapes.Outcome.NONE);
  }

  private ForkJoinWake() {}
}
