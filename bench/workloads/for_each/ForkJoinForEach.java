import java.util.stream.IntStream;

final class ForkJoinForEach implements ForkJoin.Job {
  private final int size;
  private int[] items;

  ForkJoinForEach(long size) {
    this.size = (int) size;
  }

  @Override
  public void prepare() {
    items = ForkJoin.numbersToSort(size);
  }

  private static void stepAll(int[] items) {
    for (int i = 0; i < items.length; ++i) items[i] = items[i] * 1664525 + 1013904223;
  }

  @Override
  public void run(boolean isSerial) {
    int[] all = items;
    for (long i = ForkJoin.passes(10000000, size); i != 0; --i) {
      if (isSerial) stepAll(all);
      else IntStream.range(0, size).parallel().forEach(at -> all[at] = all[at] * 1664525 + 1013904223);
    }
  }

  @Override
  public long checksum() {
    return ForkJoin.orderChecksum(items);
  }
}
