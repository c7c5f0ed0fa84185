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
#include <filch/sync/mutex.hpp>
#include <filch/time/sleep.hpp>
