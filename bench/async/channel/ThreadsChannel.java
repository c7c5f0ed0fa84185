import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Numbers through one queue, whose senders and receivers are threads that wait. What is bounded holds 64. */
final class ThreadsChannel {
  static final int SENDERS = 4;
  private static final int CAPACITY = 64;
  private static final Long END = -1L; // the last sender puts one for each receiver

  private static void send(BlockingQueue<Long> through, long first, long messages, int senders) throws Exception {
    for (long i = first; i < messages; i += senders) through.put(i);
  }

  private static long receive(BlockingQueue<Long> through) throws InterruptedException {
    long sum = 0;
    for (long each = through.take(); each != END; each = through.take()) sum += each;
    return sum;
  }

  private static Shapes.Outcome run(BlockingQueue<Long> through, long messages, int senders, int receivers)
      throws InterruptedException {
    Shapes.Countdown counter = new Shapes.Countdown(receivers);
    AtomicInteger sendersLeft = new AtomicInteger(senders);
    for (int s = 0; s != senders; ++s) {
      int first = s;
      ThreadsStart.thread(
          () -> {
            send(through, first, messages, senders);
            if (sendersLeft.decrementAndGet() != 0) return;
            for (int r = 0; r != receivers; ++r) through.put(END);
          });
    }
    for (int r = 0; r != receivers; ++r) ThreadsStart.thread(() -> counter.finish(receive(through)));
    return Shapes.Outcome.of(counter.await());
  }

  static Shapes.Outcome bounded(long messages, int senders, int receivers) throws InterruptedException {
    return run(new ArrayBlockingQueue<>(CAPACITY), messages, senders, receivers);
  }

  static Shapes.Outcome unbounded(long messages, int senders, int receivers) throws InterruptedException {
    return run(new LinkedBlockingQueue<>(), messages, senders, receivers);
  }

  private ThreadsChannel() {}
}
