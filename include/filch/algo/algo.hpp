// All algorithms.
#pragma once

#include <filch/algo/compare.hpp>
#include <filch/algo/find.hpp>
#include <filch/algo/for_each.hpp>
#include <filch/algo/hint.hpp>
#include <filch/algo/merge.hpp>
#include <filch/algo/partition.hpp>
#include <filch/algo/pipeline.hpp>
#include <filch/algo/reduce.hpp>
#include <filch/algo/scan.hpp>
#include <filch/algo/sort.hpp>
