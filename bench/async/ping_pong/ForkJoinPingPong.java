import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;

/**
 * Pairs of tasks, one pair per ping, all at once: the second is run when the value of the first is there, and answers.
 */
final class ForkJoinPingPong {
  private static void ask(ForkJoinPool pool, Shapes.Countdown counter) {
    CompletableFuture<Long> ping = new CompletableFuture<>();
    CompletableFuture<Long> pong = new CompletableFuture<>();
    ping.thenAcceptAsync(pong::complete, pool);
    pong.thenAcceptAsync(counter::finish, pool);
    ping.complete(1L);
  }

  static Shapes.Outcome run(ForkJoinPool pool, long pings) throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(pings);
    pool.execute(
        () -> {
          for (long i = 0; i != pings; ++i) pool.execute(() -> ask(pool, counter));
        });
    return Shapes.Outcome.of(counter.await());
  }

  private ForkJoinPingPong() {}
}
