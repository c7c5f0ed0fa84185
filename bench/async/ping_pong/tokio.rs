// Pairs of tasks, one pair per ping, all at once: the first sends a value and waits for the second's answer.
use crate::{counted, Countdown, Outcome};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

pub fn run(runtime: &Runtime, pings: u64) -> Outcome {
    let (counter, is_done) = Countdown::new(pings);
    let inside = counter.clone();
    runtime.spawn(async move {
        for _ in 0..pings {
            let counter = inside.clone();
            tokio::spawn(async move {
                let (send_ping, ping) = oneshot::channel::<u64>();
                let (send_pong, pong) = oneshot::channel::<u64>();
                tokio::spawn(async move {
                    let got = ping.await.expect("a ping");
                    send_pong.send(got).expect("somebody waits");
                });
                send_ping.send(1).expect("somebody waits");
                counter.finish(pong.await.expect("a pong"));
            });
        }
    });
    is_done.recv().expect("the tasks end");
    counted(counter.total())
}
