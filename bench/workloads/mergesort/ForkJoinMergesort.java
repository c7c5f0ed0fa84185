final class ForkJoinMergesort implements ForkJoin.Job {
  private static final int INSERTION = 32;
  private static final int SERIAL_MERGE = 2048;

  private final int[] unsorted;
  private final int[] items;
  private final int[] other;

  ForkJoinMergesort(long size) {
    unsorted = ForkJoin.numbersToSort((int) size);
    items = new int[(int) size];
    other = new int[(int) size];
  }

  @Override
  public void prepare() {
    System.arraycopy(unsorted, 0, items, 0, items.length);
  }

  @Override
  public void run(boolean isSerial) {
    sort(items, other, 0, items.length, false, isSerial);
  }

  @Override
  public long checksum() {
    return ForkJoin.orderChecksum(items);
  }

  private static void byInsertion(int[] items, int from, int to) {
    for (int i = from + 1; i < to; ++i) {
      int moving = items[i];
      int at = i;
      for (; at != from && items[at - 1] > moving; --at) items[at] = items[at - 1];
      items[at] = moving;
    }
  }

  private static void serialMerge(int[] from, int a, int aEnd, int b, int bEnd, int[] to, int t) {
    while (a != aEnd && b != bEnd) {
      if (from[b] < from[a]) to[t++] = from[b++];
      else to[t++] = from[a++];
    }
    System.arraycopy(from, a, to, t, aEnd - a);
    System.arraycopy(from, b, to, t + aEnd - a, bEnd - b);
  }

  /** The first place from a on, before end, whose item is not less. */
  private static int place(int[] in, int a, int end, int of) {
    while (a != end) {
      int middle = (a + end) >>> 1;
      if (in[middle] < of) a = middle + 1;
      else end = middle;
    }
    return a;
  }

  private static void merge(int[] from, int a, int aEnd, int b, int bEnd, int[] to, int t) {
    if (aEnd - a + bEnd - b <= SERIAL_MERGE) {
      serialMerge(from, a, aEnd, b, bEnd, to, t);
      return;
    }
    boolean isLeft = aEnd - a >= bEnd - b;
    int middleA = isLeft ? a + (aEnd - a) / 2 : place(from, a, aEnd, from[b + (bEnd - b) / 2]);
    int middleB = isLeft ? place(from, b, bEnd, from[middleA]) : b + (bEnd - b) / 2;
    ForkJoin.join(
        () -> merge(from, a, middleA, b, middleB, to, t),
        () -> merge(from, middleA, aEnd, middleB, bEnd, to, t + middleA - a + middleB - b));
  }

  private static void sort(int[] items, int[] other, int from, int to, boolean intoOther, boolean isSerial) {
    if (to - from <= INSERTION) {
      byInsertion(items, from, to);
      if (intoOther) System.arraycopy(items, from, other, from, to - from);
      return;
    }
    int half = from + (to - from) / 2;
    if (isSerial) {
      sort(items, other, from, half, !intoOther, true);
      sort(items, other, half, to, !intoOther, true);
    } else {
      ForkJoin.join(
          () -> sort(items, other, from, half, !intoOther, false),
          () -> sort(items, other, half, to, !intoOther, false));
    }
    int[] source = intoOther ? items : other;
    int[] target = intoOther ? other : items;
    if (isSerial) serialMerge(source, from, half, half, to, target, from);
    else merge(source, from, half, half, to, target, from);
  }
}
