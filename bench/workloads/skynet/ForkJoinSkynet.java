import java.util.concurrent.RecursiveTask;
import java.util.function.LongFunction;

final class ForkJoinSkynet extends RecursiveTask<Long> {
  static final LongFunction<ForkJoin.Job> MAKE =
      ForkJoin.number(size -> serial(0, size), size -> new ForkJoinSkynet(0, size).invoke());

  private final long first;
  private final long leaves;

  private ForkJoinSkynet(long first, long leaves) {
    this.first = first;
    this.leaves = leaves;
  }

  static long serial(long first, long leaves) {
    if (leaves == 1) return first;
    long each = leaves / 10;
    long sum = 0;
    for (int i = 0; i != 10; ++i) sum += serial(first + i * each, each);
    return sum;
  }

  @Override
  protected Long compute() {
    if (leaves == 1) return first;
    long each = leaves / 10;
    ForkJoinSkynet[] forked = new ForkJoinSkynet[10];
    for (int i = 1; i != 10; ++i) {
      forked[i] = new ForkJoinSkynet(first + i * each, each);
      forked[i].fork();
    }
    long sum = new ForkJoinSkynet(first, each).compute();
    for (int i = 9; i != 0; --i) sum += forked[i].join();
    return sum;
  }
}
