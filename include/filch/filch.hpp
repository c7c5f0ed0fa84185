// Everything of filch that exists so far.
#pragma once

#include <filch/algo/algo.hpp>
#include <filch/fork/join.hpp>
#include <filch/fork/scope.hpp>
#include <filch/fork/stay_on_thread.hpp>
#include <filch/runtime/runtime.hpp>
#include <filch/sync/mutex.hpp>
