import java.util.Arrays;

final class ForkJoinMatmul implements ForkJoin.Job {
  private static final int BLOCK = 32;

  private final int n;
  private final double[] a;
  private final double[] b;
  private final double[] c;

  ForkJoinMatmul(long size) {
    n = (int) size;
    a = new double[n * n];
    b = new double[n * n];
    c = new double[n * n];
    for (int i = 0; i != n * n; ++i) {
      a[i] = (i * 7L + 3) % 10;
      b[i] = (i * 3L + 1) % 10;
    }
  }

  @Override
  public void prepare() {
    Arrays.fill(c, 0);
  }

  @Override
  public void run(boolean isSerial) {
    multiply(0, 0, 0, n, n, n, isSerial);
  }

  @Override
  public long checksum() {
    long sum = 0;
    for (int i = 0; i != n * n; ++i) sum += (long) c[i] * (i % 97 + 1);
    return sum;
  }

  private void byLoops(int atA, int atB, int atC, int rows, int inner, int columns) {
    for (int i = 0; i != rows; ++i) {
      int toC = atC + i * n;
      for (int k = 0; k != inner; ++k) {
        double factor = a[atA + i * n + k];
        int fromB = atB + k * n;
        for (int j = 0; j < columns; ++j) c[toC + j] += factor * b[fromB + j];
      }
    }
  }

  private void multiply(int atA, int atB, int atC, int rows, int inner, int columns, boolean isSerial) {
    if (rows <= BLOCK && inner <= BLOCK && columns <= BLOCK) {
      byLoops(atA, atB, atC, rows, inner, columns);
      return;
    }
    if (rows >= inner && rows >= columns) {
      int half = rows / 2;
      both(
          () -> multiply(atA, atB, atC, half, inner, columns, isSerial),
          () -> multiply(atA + half * n, atB, atC + half * n, rows - half, inner, columns, isSerial),
          isSerial);
    } else if (columns >= inner) {
      int half = columns / 2;
      both(
          () -> multiply(atA, atB, atC, rows, inner, half, isSerial),
          () -> multiply(atA, atB + half, atC + half, rows, inner, columns - half, isSerial),
          isSerial);
    } else {
      int half = inner / 2;
      multiply(atA, atB, atC, rows, half, columns, isSerial);
      multiply(atA + half, atB + half * n, atC, rows, inner - half, columns, isSerial);
    }
  }

  private static void both(Runnable first, Runnable second, boolean isSerial) {
    if (isSerial) {
      first.run();
      second.run();
    } else {
      ForkJoin.join(first, second);
    }
  }
}
