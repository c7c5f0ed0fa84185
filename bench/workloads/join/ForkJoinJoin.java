import java.util.function.LongFunction;

final class ForkJoinJoin {
  static final LongFunction<ForkJoin.Job> MAKE = ForkJoin.number(ForkJoinJoin::serial, ForkJoinJoin::parallel);

  private static long tinyLeft(long i) {
    return i * 3 + 1;
  }

  private static long tinyRight(long i) {
    return i ^ 5;
  }

  private static long serial(long size) {
    long sum = 0;
    for (long i = 0; i != size; ++i) sum += tinyLeft(i) + tinyRight(i);
    return sum;
  }

  private static long parallel(long size) {
    long sum = 0;
    for (long i = 0; i != size; ++i) {
      long at = i;
      ForkJoin.Task forked = new ForkJoin.Task(() -> tinyLeft(at));
      forked.fork();
      long right = tinyRight(at);
      sum += forked.join() + right;
    }
    return sum;
  }

  private ForkJoinJoin() {}
}
