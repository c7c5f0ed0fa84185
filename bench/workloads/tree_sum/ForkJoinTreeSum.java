import java.util.concurrent.RecursiveTask;

final class ForkJoinTreeSum implements ForkJoin.Job {
  static final class Node {
    final long value;
    Node left;
    Node right;

    Node(long value) {
      this.value = value;
    }
  }

  static final class Sum extends RecursiveTask<Long> {
    private final Node of;

    Sum(Node of) {
      this.of = of;
    }

    @Override
    protected Long compute() {
      if (of.right == null) return of.value + (of.left == null ? 0 : new Sum(of.left).compute());
      Sum forked = new Sum(of.left);
      forked.fork();
      long right = new Sum(of.right).compute();
      return of.value + forked.join() + right;
    }
  }

  private final long size;
  private final Node root;
  private long made;
  private long result;

  ForkJoinTreeSum(long size) {
    this.size = size;
    root = grow(size);
  }

  private Node grow(long count) {
    if (count == 0) return null;
    Node node = new Node(++made);
    node.left = grow(count / 2);
    node.right = grow(count - 1 - count / 2);
    return node;
  }

  static long serial(Node of) {
    return of.value + (of.left == null ? 0 : serial(of.left)) + (of.right == null ? 0 : serial(of.right));
  }

  @Override
  public void run(boolean isSerial) {
    result = 0;
    for (long i = ForkJoin.passes(1000000, size); i != 0; --i) {
      result += isSerial ? serial(root) : new Sum(root).invoke();
    }
  }

  @Override
  public long checksum() {
    return result;
  }
}
