import java.util.concurrent.RecursiveTask;
import java.util.function.LongFunction;

final class ForkJoinUts extends RecursiveTask<Long> {
  static final LongFunction<ForkJoin.Job> MAKE_T1 =
      ForkJoin.number(
          size -> serial(Tree.t1((int) size), Tree.t1((int) size).root()),
          size -> new ForkJoinUts(Tree.t1((int) size), Tree.t1((int) size).root()).invoke());
  static final LongFunction<ForkJoin.Job> MAKE_T3 =
      ForkJoin.number(
          size -> serial(Tree.t3((int) size), Tree.t3((int) size).root()),
          size -> new ForkJoinUts(Tree.t3((int) size), Tree.t3((int) size).root()).invoke());

  record Tree(boolean isGeometric, int rootBranch, int depth, double log1MinusP, int seed) {
    static Tree t1(int depth) {
      return new Tree(true, 4, depth, Math.log(1 - 1.0 / 5.0), 19);
    }

    static Tree t3(int rootBranch) {
      return new Tree(false, rootBranch, 0, 0, 42);
    }

    Node root() {
      return new Node(sha1(new int[] {0, 0, 0, 0, seed}), 0);
    }

    int children(Node node) {
      double chance = (node.state[4] & 0x7fffffff) / 2147483648.0;
      if (!isGeometric) return node.depth == 0 ? rootBranch : chance < 0.124875 ? 8 : 0;
      return node.depth >= depth ? 0 : (int) Math.floor(Math.log(1 - chance) / log1MinusP);
    }
  }

  record Node(int[] state, int depth) {
    Node child(int number) {
      return new Node(sha1(new int[] {state[0], state[1], state[2], state[3], state[4], number}), depth + 1);
    }
  }

  /** SHA-1 of so many words, which fit into one block. */
  static int[] sha1(int[] message) {
    int[] w = new int[80];
    System.arraycopy(message, 0, w, 0, message.length);
    w[message.length] = 0x80000000;
    w[15] = message.length * 32;
    for (int i = 16; i != 80; ++i) w[i] = Integer.rotateLeft(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    int a = 0x67452301;
    int b = 0xefcdab89;
    int c = 0x98badcfe;
    int d = 0x10325476;
    int e = 0xc3d2e1f0;
    for (int i = 0; i != 80; ++i) {
      int mixed;
      if (i < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999;
      else if (i < 40) mixed = (b ^ c ^ d) + 0x6ed9eba1;
      else if (i < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
      else mixed = (b ^ c ^ d) + 0xca62c1d6;
      int next = Integer.rotateLeft(a, 5) + mixed + e + w[i];
      e = d;
      d = c;
      c = Integer.rotateLeft(b, 30);
      b = a;
      a = next;
    }
    return new int[] {0x67452301 + a, 0xefcdab89 + b, 0x98badcfe + c, 0x10325476 + d, 0xc3d2e1f0 + e};
  }

  static long serial(Tree tree, Node node) {
    long nodes = 1;
    for (int i = 0, children = tree.children(node); i < children; ++i) nodes += serial(tree, node.child(i));
    return nodes;
  }

  private final Tree tree;
  private final Node node;

  private ForkJoinUts(Tree tree, Node node) {
    this.tree = tree;
    this.node = node;
  }

  @Override
  protected Long compute() {
    int children = tree.children(node);
    if (children == 0) return 1L;
    ForkJoinUts[] forked = new ForkJoinUts[children];
    for (int i = 1; i != children; ++i) {
      forked[i] = new ForkJoinUts(tree, node.child(i));
      forked[i].fork();
    }
    long nodes = 1 + new ForkJoinUts(tree, node.child(0)).compute();
    for (int i = children - 1; i != 0; --i) nodes += forked[i].join();
    return nodes;
  }
}
