// fib and skynet: a task for every child but the last of fib's, which is awaited in place.
use crate::{counted, Outcome};
use std::future::Future;
use std::pin::Pin;
use tokio::runtime::Runtime;

type Number = Pin<Box<dyn Future<Output = u64> + Send>>;

fn fib(n: u64) -> Number {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let first = tokio::spawn(fib(n - 1));
        let second = fib(n - 2).await;
        first.await.expect("fib") + second
    })
}

fn skynet(first: u64, leaves: u64) -> Number {
    Box::pin(async move {
        if leaves == 1 {
            return first;
        }
        let each = leaves / 10;
        let parts: Vec<_> = (0..10).map(|i| tokio::spawn(skynet(first + i * each, each))).collect();
        let mut sum = 0;
        for part in parts {
            sum += part.await.expect("skynet");
        }
        sum
    })
}

pub fn run_fib(runtime: &Runtime, n: u64) -> Outcome {
    counted(runtime.block_on(runtime.spawn(fib(n))).expect("fib"))
}

pub fn run_skynet(runtime: &Runtime, leaves: u64) -> Outcome {
    counted(runtime.block_on(runtime.spawn(skynet(0, leaves))).expect("skynet"))
}
