import java.util.concurrent.RecursiveTask;
import java.util.function.LongFunction;

final class ForkJoinFib extends RecursiveTask<Long> {
  static final LongFunction<ForkJoin.Job> MAKE =
      ForkJoin.number(ForkJoinFib::serial, size -> new ForkJoinFib(size).invoke());

  private final long n;

  private ForkJoinFib(long n) {
    this.n = n;
  }

  static long serial(long n) {
    return n < 2 ? n : serial(n - 1) + serial(n - 2);
  }

  @Override
  protected Long compute() {
    if (n < 2) return n;
    ForkJoinFib forked = new ForkJoinFib(n - 1);
    forked.fork();
    long b = new ForkJoinFib(n - 2).compute();
    return forked.join() + b;
  }
}
