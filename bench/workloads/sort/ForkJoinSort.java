import java.util.Arrays;

final class ForkJoinSort implements ForkJoin.Job {
  private final int[] unsorted;
  private final int[] items;

  ForkJoinSort(long size) {
    unsorted = ForkJoin.numbersToSort((int) size);
    items = new int[(int) size];
  }

  @Override
  public void prepare() {
    System.arraycopy(unsorted, 0, items, 0, items.length);
  }

  @Override
  public void run(boolean isSerial) {
    if (isSerial) Arrays.sort(items);
    else Arrays.parallelSort(items);
  }

  @Override
  public long checksum() {
    return ForkJoin.orderChecksum(items);
  }
}
