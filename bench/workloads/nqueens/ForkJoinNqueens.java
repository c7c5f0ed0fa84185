import java.util.concurrent.RecursiveTask;
import java.util.function.LongFunction;

final class ForkJoinNqueens extends RecursiveTask<Long> {
  static final LongFunction<ForkJoin.Job> MAKE =
      ForkJoin.number(
          size -> serial(new byte[20], 0, (int) size),
          size -> new ForkJoinNqueens(new byte[20], 0, (int) size).invoke());

  private final byte[] queens;
  private final int row;
  private final int n;

  private ForkJoinNqueens(byte[] queens, int row, int n) {
    this.queens = queens;
    this.row = row;
    this.n = n;
  }

  static boolean fits(byte[] queens, int row, int column) {
    for (int above = 0; above != row; ++above) {
      int across = column - queens[above];
      int down = row - above;
      if (across == 0 || across == down || across == -down) return false;
    }
    return true;
  }

  static long serial(byte[] queens, int row, int n) {
    if (row == n) return 1;
    long found = 0;
    for (int column = 0; column != n; ++column) {
      if (!fits(queens, row, column)) continue;
      queens[row] = (byte) column;
      found += serial(queens, row + 1, n);
    }
    return found;
  }

  @Override
  protected Long compute() {
    if (row == n) return 1L;
    ForkJoinNqueens[] fitting = new ForkJoinNqueens[n];
    int count = 0;
    for (int column = 0; column != n; ++column) {
      if (!fits(queens, row, column)) continue;
      byte[] next = queens.clone();
      next[row] = (byte) column;
      fitting[count] = new ForkJoinNqueens(next, row + 1, n);
      if (count++ != 0) fitting[count - 1].fork();
    }
    if (count == 0) return 0L;
    long found = fitting[0].compute();
    while (count != 1) found += fitting[--count].join();
    return found;
  }
}
