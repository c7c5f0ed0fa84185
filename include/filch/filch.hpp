// Everything of filch that exists so far.
#pragma once

#include <filch/algo/algo.hpp>
#include <filch/coro/all.hpp>
#include <filch/coro/any.hpp>
#include <filch/coro/spawn.hpp>
#include <filch/coro/switching.hpp>
#include <filch/coro/task.hpp>
#include <filch/coro/this_task.hpp>
#include <filch/fork/join.hpp>
#include <filch/fork/scope.hpp>
#include <filch/fork/stay_on_thread.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/barrier.hpp>
#include <filch/sync/broadcast.hpp>
#include <filch/sync/channel.hpp>
#include <filch/sync/condition.hpp>
#include <filch/sync/event.hpp>
#include <filch/sync/latch.hpp>
#include <filch/sync/mutex.hpp>
#include <filch/sync/once.hpp>
#include <filch/sync/oneshot.hpp>
#include <filch/sync/semaphore.hpp>
#include <filch/sync/shared_mutex.hpp>
#include <filch/time/interval.hpp>
#include <filch/time/sleep.hpp>
#include <filch/time/timeout.hpp>
