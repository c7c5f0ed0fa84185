import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads that are used again: what is measured is not how long it takes to make one. */
final class ThreadsStart {
  interface Body {
    void run() throws Exception;
  }

  private static final ExecutorService THREADS = Executors.newCachedThreadPool();

  /** Runs it on a thread of its own. */
  static void thread(Body body) {
    THREADS.execute(
        () -> {
          try {
            body.run();
          } catch (Exception problem) {
            problem.printStackTrace();
            Runtime.getRuntime().halt(1);
          }
        });
  }

  private ThreadsStart() {}
}
